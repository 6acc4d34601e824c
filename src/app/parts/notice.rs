//! Short messages to the user: transient and persistent ones, and the log of both.

/// Kind of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tone {
    /// Action was done.
    Done,
    /// Action is not available now and was not started.
    Refused,
    /// Warning about a possible problem.
    Warned,
    /// Failure that the user has to know about.
    Failed,
}

/// Topic of a failure. A later success removes the messages of its topic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum About {
    /// Reading of catalogs.
    Reading,
    /// Writing of files.
    Writing,
    /// Changes to catalog files by other programs.
    Disk,
    /// Reading of the base of a comparison.
    Comparing,
    /// Storing of olmap's own state.
    Keeping,
    /// Calls of other programs: editor, clipboard.
    Others,
}

/// Message to the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notice {
    /// Kind of the message.
    pub tone: Tone,
    /// Text of the message.
    pub text: String,
    /// Number of consecutive repetitions.
    pub times: usize,
}

impl Notice {
    /// Returns the text with the number of repetitions.
    pub fn words(&self) -> String {
        match self.times {
            0 | 1 => self.text.clone(),
            times => format!("{} ({times} times)", self.text),
        }
    }
}

/// Messages on the screen and the log.
#[derive(Clone, Debug, Default)]
pub struct Notices {
    /// Message in the hint bar. The next key removes it and is still handled.
    pub passing: Option<Notice>,
    /// Failures and warnings, oldest first. They stay on the screen until they are dismissed and do
    /// not block keys.
    pub standing: Vec<(About, Notice)>,
    /// All messages, oldest first.
    pub log: Vec<Notice>,
}

impl Notices {
    const LONGEST: usize = 500;

    /// Reports that an action was done.
    pub fn done(&mut self, text: impl Into<String>) {
        self.passing = Some(self.say(Tone::Done, text.into()));
    }

    /// Reports the reason why an action is not available.
    pub fn refused(&mut self, text: impl Into<String>) {
        self.passing = Some(self.say(Tone::Refused, text.into()));
    }

    /// Reports a failure.
    pub fn failed(&mut self, about: About, text: impl Into<String>) {
        self.stands(Tone::Failed, about, text.into());
    }

    /// Reports a warning.
    pub fn warned(&mut self, about: About, text: impl Into<String>) {
        self.stands(Tone::Warned, about, text.into());
    }

    fn stands(&mut self, tone: Tone, about: About, text: String) {
        let notice = self.say(tone, text);
        // Move a repeated message to the end instead of adding it twice.
        self.standing.retain(|(_, standing)| standing.text != notice.text);
        self.standing.push((about, notice));
    }

    /// Removes the messages of a topic after a success.
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

    /// Removes the message from the hint bar.
    pub fn pass(&mut self) {
        self.passing = None;
    }

    /// Dismisses failures and warnings. Returns false if there are none. The log keeps them.
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
    fn failures_stay_until_dismissed() {
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
    fn repeated_messages_are_counted_once() {
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
    fn log_length_is_limited() {
        let mut notices = Notices::default();
        for n in 0..Notices::LONGEST + 7 {
            notices.done(n.to_string());
        }
        assert_eq!(notices.log.len(), Notices::LONGEST);
        assert_eq!(notices.log.first().map(|n| n.text.as_str()), Some("7"));
    }
}
