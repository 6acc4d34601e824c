//! Short messages to the user.

/// How a message is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tone {
    /// Something was done.
    Done,
    /// Something could not be done.
    Failed,
}

/// A message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notice {
    /// How it is meant.
    pub tone: Tone,
    /// What it says.
    pub text: String,
}

/// The message on screen and those before it.
#[derive(Clone, Debug, Default)]
pub struct Notices {
    /// What the hint bar shows instead of hints; gone with the next key, which does what it always does.
    pub shown: Option<Notice>,
    /// All of them, oldest first.
    pub log: Vec<Notice>,
}

impl Notices {
    const LONGEST: usize = 500;

    /// Says that something was done.
    pub fn done(&mut self, text: impl Into<String>) {
        self.say(Tone::Done, text.into());
    }

    /// Says why something was not done.
    pub fn failed(&mut self, text: impl Into<String>) {
        self.say(Tone::Failed, text.into());
    }

    fn say(&mut self, tone: Tone, text: String) {
        let notice = Notice { tone, text };
        self.log.push(notice.clone());
        if self.log.len() > Self::LONGEST {
            self.log.remove(0);
        }
        self.shown = Some(notice);
    }

    /// Takes the message off the screen. It never swallows the key that does so.
    pub fn dismiss(&mut self) {
        self.shown = None;
    }
}
