//! State of a background query. At most one query runs at a time; only the last question and answer
//! are kept.

use std::sync::Arc;

/// State of a background query.
#[derive(Debug)]
pub(in crate::tui) struct BackgroundQuery<Q, A> {
    /// Last question.
    last_question: Option<Arc<Q>>,
    /// True while the answer to the last question is pending.
    is_pending: bool,
    /// Last answer, with its question.
    answer: Option<(Arc<Q>, Arc<A>)>,
}

impl<Q, A> Default for BackgroundQuery<Q, A> {
    fn default() -> Self {
        Self { last_question: None, is_pending: false, answer: None }
    }
}

impl<Q: PartialEq, A> BackgroundQuery<Q, A> {
    /// Returns true while an answer is pending.
    pub fn is_waiting(&self) -> bool {
        self.is_pending
    }

    /// Returns the last answer with its question.
    pub fn last_answer(&self) -> Option<(&Arc<Q>, &Arc<A>)> {
        self.answer.as_ref().map(|(asked, answer)| (asked, answer))
    }

    /// Returns the question to send; `None` if it is unchanged or an answer is pending.
    pub fn request_if_changed(&mut self, question: Q) -> Option<Arc<Q>> {
        let question = self.record_question(question)?;
        self.is_pending = true;
        Some(question)
    }

    /// Records a question without an answer and clears the last answer.
    pub fn clear_for_question(&mut self, question: Q) {
        if self.record_question(question).is_some() {
            self.answer = None;
        }
    }

    /// Stores an answer.
    pub fn store_answer(&mut self, asked: Arc<Q>, answer: Arc<A>) {
        self.is_pending = false;
        self.answer = Some((asked, answer));
    }

    fn record_question(&mut self, question: Q) -> Option<Arc<Q>> {
        if self.is_pending || self.last_question.as_ref().is_some_and(|known| **known == question) {
            return None;
        }
        let question = Arc::new(question);
        self.last_question = Some(Arc::clone(&question));
        Some(question)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sends_one_question_at_a_time_and_does_not_repeat_answered_ones() {
        let mut awaited = BackgroundQuery::<u8, u8>::default();
        let asked = awaited.request_if_changed(1).unwrap();
        assert_eq!((awaited.request_if_changed(2), awaited.is_waiting()), (None, true));
        awaited.store_answer(asked, Arc::new(10));
        assert_eq!(awaited.last_answer().map(|(asked, answer)| (**asked, **answer)), Some((1, 10)));
        assert_eq!(awaited.request_if_changed(1), None, "it is known");
        assert_eq!(awaited.request_if_changed(2).as_deref(), Some(&2));
        awaited.store_answer(Arc::new(2), Arc::new(20));
        awaited.clear_for_question(2);
        assert!(awaited.last_answer().is_some(), "that question has an answer");
        awaited.clear_for_question(3);
        assert_eq!((awaited.last_answer(), awaited.is_waiting()), (None, false));
    }
}
