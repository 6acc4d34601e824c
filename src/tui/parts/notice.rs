//! Short messages to the user: transient and persistent ones, and the log of both.

/// Kind of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoticeKind {
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
pub enum NoticeTopic {
    /// Reading of catalogs.
    Load,
    /// Writing of files.
    Save,
    /// Changes to catalog files by other programs.
    Disk,
    /// Reading of the base of a comparison.
    Comparison,
    /// Storing of olmap's own state.
    OwnState,
    /// Calls of other programs: editor, clipboard.
    ExternalPrograms,
}

/// Message to the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notice {
    /// Kind of the message.
    pub kind: NoticeKind,
    /// Text of the message.
    pub text: String,
    /// Number of consecutive repetitions.
    pub count: usize,
}

impl Notice {
    /// Returns the text with the number of repetitions.
    pub fn display_text(&self) -> String {
        match self.count {
            0 | 1 => self.text.clone(),
            times => format!("{} ({times} times)", self.text),
        }
    }
}

/// Messages on the screen and the log.
#[derive(Clone, Debug, Default)]
pub struct Notices {
    /// Message in the hint bar. The next key removes it and is still handled.
    pub transient: Option<Notice>,
    /// Failures and warnings, oldest first. They stay on the screen until they are dismissed and do
    /// not block keys.
    pub persistent: Vec<(NoticeTopic, Notice)>,
    /// All messages, oldest first.
    pub log: Vec<Notice>,
}

impl Notices {
    const MAX_LOG_LENGTH: usize = 500;

    /// Reports that an action was done.
    pub fn report_done(&mut self, text: impl Into<String>) {
        self.transient = Some(self.log_notice(NoticeKind::Done, text.into()));
    }

    /// Reports the reason why an action is not available.
    pub fn report_refusal(&mut self, text: impl Into<String>) {
        self.transient = Some(self.log_notice(NoticeKind::Refused, text.into()));
    }

    /// Reports a failure.
    pub fn report_failure(&mut self, about: NoticeTopic, text: impl Into<String>) {
        self.add_persistent(NoticeKind::Failed, about, text.into());
    }

    /// Reports a warning.
    pub fn report_warning(&mut self, about: NoticeTopic, text: impl Into<String>) {
        self.add_persistent(NoticeKind::Warned, about, text.into());
    }

    fn add_persistent(&mut self, tone: NoticeKind, about: NoticeTopic, text: String) {
        let notice = self.log_notice(tone, text);
        // Move a repeated message to the end instead of adding it twice.
        self.persistent.retain(|(_, standing)| standing.text != notice.text);
        self.persistent.push((about, notice));
    }

    /// Removes the messages of a topic after a success.
    pub fn clear_topic(&mut self, about: NoticeTopic) {
        self.persistent.retain(|(of, _)| *of != about);
    }

    fn log_notice(&mut self, tone: NoticeKind, text: String) -> Notice {
        if let Some(last) = self.log.last_mut().filter(|last| last.kind == tone && last.text == text) {
            last.count += 1;
            return last.clone();
        }
        let notice = Notice { kind: tone, text, count: 1 };
        self.log.push(notice.clone());
        if self.log.len() > Self::MAX_LOG_LENGTH {
            self.log.remove(0);
        }
        notice
    }

    /// Removes the message from the hint bar.
    pub fn clear_transient(&mut self) {
        self.transient = None;
    }

    /// Dismisses failures and warnings. Returns false if there are none. The log keeps them.
    pub fn dismiss_persistent(&mut self) -> bool {
        let any = !self.persistent.is_empty();
        self.persistent.clear();
        any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_stay_until_dismissed() {
        let mut notices = Notices::default();
        notices.report_failure(NoticeTopic::Save, "no room on the disk");
        notices.report_done("sorted by name");
        notices.clear_transient();
        assert_eq!(notices.transient, None);
        assert_eq!(notices.persistent.len(), 1);
        assert!(notices.dismiss_persistent());
        assert!(!notices.dismiss_persistent());
        assert_eq!(notices.log.len(), 2, "the log keeps both");
    }

    #[test]
    fn repeated_messages_are_counted_once() {
        let mut notices = Notices::default();
        notices.report_failure(NoticeTopic::Save, "a");
        notices.report_failure(NoticeTopic::Load, "b");
        notices.report_failure(NoticeTopic::Save, "a");
        notices.report_refusal("c");
        notices.report_refusal("c");
        let standing: Vec<&str> = notices.persistent.iter().map(|(_, notice)| notice.text.as_str()).collect();
        assert_eq!(standing, ["b", "a"]);
        notices.clear_topic(NoticeTopic::Save);
        assert_eq!(
            notices.persistent.iter().map(|(about, _)| *about).collect::<Vec<_>>(),
            [NoticeTopic::Load]
        );
        let log: Vec<(&str, usize)> = notices.log.iter().map(|n| (n.text.as_str(), n.count)).collect();
        assert_eq!(log, [("a", 1), ("b", 1), ("a", 1), ("c", 2)]);
    }

    #[test]
    fn log_length_is_limited() {
        let mut notices = Notices::default();
        for n in 0..Notices::MAX_LOG_LENGTH + 7 {
            notices.report_done(n.to_string());
        }
        assert_eq!(notices.log.len(), Notices::MAX_LOG_LENGTH);
        assert_eq!(notices.log.first().map(|n| n.text.as_str()), Some("7"));
    }
}
