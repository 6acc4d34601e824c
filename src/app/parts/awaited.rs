//! Something that is worked out in the background: what was asked last, and what came back. One question is asked at a time; the
//! next one waits until the answer is there, and only the last counts.

use std::sync::Arc;

/// See the module.
#[derive(Debug)]
pub(in crate::app) struct Awaited<Q, A> {
    /// What was asked last.
    asked: Option<Arc<Q>>,
    /// Whether the answer to it is still to come.
    waits: bool,
    /// What came back last, with what was asked.
    answer: Option<(Arc<Q>, Arc<A>)>,
}

impl<Q, A> Default for Awaited<Q, A> {
    fn default() -> Self {
        Self { asked: None, waits: false, answer: None }
    }
}

impl<Q: PartialEq, A> Awaited<Q, A> {
    /// Whether an answer is still to come.
    pub fn is_waiting(&self) -> bool {
        self.waits
    }

    /// What came back last, with what was asked.
    pub fn answer(&self) -> Option<(&Arc<Q>, &Arc<A>)> {
        self.answer.as_ref().map(|(asked, answer)| (asked, answer))
    }

    /// A question; what is to be asked of the world, unless it was asked already or an answer is still to come.
    pub fn ask(&mut self, question: Q) -> Option<Arc<Q>> {
        let question = self.note(question)?;
        self.waits = true;
        Some(question)
    }

    /// A question that has no answer: what is known is forgotten.
    pub fn ask_nothing(&mut self, question: Q) {
        if self.note(question).is_some() {
            self.answer = None;
        }
    }

    /// The answer is there.
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
    fn one_question_at_a_time_and_none_twice() {
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
