//! Short messages to the user: what passes by, what stays until it is put away, and the log of both.

/// How a message is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tone {
    /// Something was done.
    Done,
    /// What was asked for cannot be done now, and nothing happened.
    Refused,
    /// Nothing went wrong, but something may that the user has to know of.
    Warned,
    /// Something went wrong that the user has to know of.
    Failed,
}

/// What went wrong is about. When the same succeeds later, the message of it has had its day.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum About {
    /// Reading catalogs.
    Reading,
    /// Writing files.
    Writing,
    /// What other programs did to the files of a catalog.
    Disk,
    /// Reading what one compares with.
    Comparing,
    /// What the program keeps for itself.
    Keeping,
    /// Other programs that are asked for something: the editor, the clipboard.
    Others,
}

/// A message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notice {
    /// How it is meant.
    pub tone: Tone,
    /// What it says.
    pub text: String,
    /// How often it was said in a row.
    pub times: usize,
}

impl Notice {
    /// What it says, and how often.
    pub fn words(&self) -> String {
        match self.times {
            0 | 1 => self.text.clone(),
            times => format!("{} ({times} times)", self.text),
        }
    }
}

/// The messages on screen and those before them.
#[derive(Clone, Debug, Default)]
pub struct Notices {
    /// What the hint bar shows instead of hints; gone with the next key, which does what it always does.
    pub passing: Option<Notice>,
    /// What went or may go wrong, oldest first: it stays over the screen until it is put away, and takes no key.
    pub standing: Vec<(About, Notice)>,
    /// All of them, oldest first.
    pub log: Vec<Notice>,
}

impl Notices {
    const LONGEST: usize = 500;

    /// Says that something was done.
    pub fn done(&mut self, text: impl Into<String>) {
        self.passing = Some(self.say(Tone::Done, text.into()));
    }

    /// Says why something cannot be done now.
    pub fn refused(&mut self, text: impl Into<String>) {
        self.passing = Some(self.say(Tone::Refused, text.into()));
    }

    /// Says what went wrong.
    pub fn failed(&mut self, about: About, text: impl Into<String>) {
        self.stands(Tone::Failed, about, text.into());
    }

    /// Says what may go wrong.
    pub fn warned(&mut self, about: About, text: impl Into<String>) {
        self.stands(Tone::Warned, about, text.into());
    }

    fn stands(&mut self, tone: Tone, about: About, text: String) {
        let notice = self.say(tone, text);
        // Said again it is news again, and still one thing.
        self.standing.retain(|(_, standing)| standing.text != notice.text);
        self.standing.push((about, notice));
    }

    /// Takes off the screen what went wrong when this was tried before: now it succeeded.
    pub fn succeeded(&mut self, about: About) {
        self.standing.retain(|(of, _)| *of != about);
    }

    fn say(&mut self, tone: Tone, text: String) -> Notice {
        if let Some(last) = self.log.last_mut().filter(|last| last.tone == tone && last.text == text) {
            last.times += 1;
            return last.clone();
        }
        let notice = Notice { tone, text, times: 1 };
        self.log.push(notice.clone());
        if self.log.len() > Self::LONGEST {
            self.log.remove(0);
        }
        notice
    }

    /// Takes the passing message off the screen. It never swallows the key that does so.
    pub fn pass(&mut self) {
        self.passing = None;
    }

    /// Takes off the screen what went wrong; whether there was something. The log keeps it.
    pub fn put_away(&mut self) -> bool {
        let any = !self.standing.is_empty();
        self.standing.clear();
        any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_went_wrong_stays_until_it_is_put_away() {
        let mut notices = Notices::default();
        notices.failed(About::Writing, "no room on the disk");
        notices.done("sorted by name");
        notices.pass();
        assert_eq!(notices.passing, None);
        assert_eq!(notices.standing.len(), 1);
        assert!(notices.put_away());
        assert!(!notices.put_away());
        assert_eq!(notices.log.len(), 2, "the log keeps both");
    }

    #[test]
    fn what_is_said_twice_stands_once_and_is_counted() {
        let mut notices = Notices::default();
        notices.failed(About::Writing, "a");
        notices.failed(About::Reading, "b");
        notices.failed(About::Writing, "a");
        notices.refused("c");
        notices.refused("c");
        let standing: Vec<&str> = notices.standing.iter().map(|(_, notice)| notice.text.as_str()).collect();
        assert_eq!(standing, ["b", "a"]);
        notices.succeeded(About::Writing);
        assert_eq!(notices.standing.iter().map(|(about, _)| *about).collect::<Vec<_>>(), [About::Reading]);
        let log: Vec<(&str, usize)> = notices.log.iter().map(|n| (n.text.as_str(), n.times)).collect();
        assert_eq!(log, [("a", 1), ("b", 1), ("a", 1), ("c", 2)]);
    }

    #[test]
    fn the_log_has_an_end() {
        let mut notices = Notices::default();
        for n in 0..Notices::LONGEST + 7 {
            notices.done(n.to_string());
        }
        assert_eq!(notices.log.len(), Notices::LONGEST);
        assert_eq!(notices.log.first().map(|n| n.text.as_str()), Some("7"));
    }
}
