//! State of a background query. At most one query runs at a time; only the last question and answer
//! are kept.

use std::sync::Arc;

/// State of a background query.
#[derive(Debug)]
pub(in crate::app) struct Awaited<Q, A> {
    /// Last question.
    asked: Option<Arc<Q>>,
    /// True while the answer to the last question is pending.
    waits: bool,
    /// Last answer, with its question.
    answer: Option<(Arc<Q>, Arc<A>)>,
}

impl<Q, A> Default for Awaited<Q, A> {
    fn default() -> Self {
        Self { asked: None, waits: false, answer: None }
    }
}

impl<Q: PartialEq, A> Awaited<Q, A> {
    /// Returns true while an answer is pending.
    pub fn is_waiting(&self) -> bool {
        self.waits
    }

    /// Returns the last answer with its question.
    pub fn answer(&self) -> Option<(&Arc<Q>, &Arc<A>)> {
        self.answer.as_ref().map(|(asked, answer)| (asked, answer))
    }

    /// Returns the question to send; `None` if it is unchanged or an answer is pending.
    pub fn ask(&mut self, question: Q) -> Option<Arc<Q>> {
        let question = self.note(question)?;
        self.waits = true;
        Some(question)
    }

    /// Records a question without an answer and clears the last answer.
    pub fn ask_nothing(&mut self, question: Q) {
        if self.note(question).is_some() {
            self.answer = None;
        }
    }

    /// Stores an answer.
    pub fn found(&mut self, asked: Arc<Q>, answer: Arc<A>) {
        self.waits = false;
        self.answer = Some((asked, answer));
    }

    fn note(&mut self, question: Q) -> Option<Arc<Q>> {
        if self.waits || self.asked.as_ref().is_some_and(|known| **known == question) {
            return None;
        }
        let question = Arc::new(question);
        self.asked = Some(Arc::clone(&question));
        Some(question)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asks_one_question_at_a_time_and_none_twice() {
        let mut awaited = Awaited::<u8, u8>::default();
        let asked = awaited.ask(1).unwrap();
        assert_eq!((awaited.ask(2), awaited.is_waiting()), (None, true));
        awaited.found(asked, Arc::new(10));
        assert_eq!(awaited.answer().map(|(asked, answer)| (**asked, **answer)), Some((1, 10)));
        assert_eq!(awaited.ask(1), None, "it is known");
        assert_eq!(awaited.ask(2).as_deref(), Some(&2));
        awaited.found(Arc::new(2), Arc::new(20));
        awaited.ask_nothing(2);
        assert!(awaited.answer().is_some(), "that question has an answer");
        awaited.ask_nothing(3);
        assert_eq!((awaited.answer(), awaited.is_waiting()), (None, false));
    }
}
