//! Background jobs: questions as data, their answers, and the state of a job.
//!
//! A [`Question`] knows how to compute its answer. The runtime does so on a worker thread and returns
//! a [`JobResult`]. A [`Job`] keeps the current question and drops the answers to all others.

use std::{any::Any, fmt, path::Path, sync::Arc};

use super::{
    effect::BundleLocator,
    outcome::{
        BundleComparison, FetchOutcome, LoadOutcome, ManifestLookup, MirrorPreview, PathCompletions,
        UserError,
    },
    source::{Base, Source},
};
use olm_bundle::NewBundle;
use olm_catalog::{BundleName, PackageName, load::Progress};
use olm_check::review::{DeferredChecks, PackageState, Snapshot, history::History};

/// Deferred checks of a package.
pub type PackageChecks = (Arc<PackageState>, DeferredChecks);

/// Question that is answered in the background.
pub trait Question: fmt::Debug + PartialEq + Send + Sync + Sized + 'static {
    /// The answer.
    type Answer: fmt::Debug + Send + 'static;

    /// Computes the answer on a worker thread. Sends it at once, or in parts.
    fn compute(&self, environment: &JobEnvironment<'_>, send: &(dyn Fn(Self::Answer) + Sync));

    /// Returns the slot of the job. `None` if the job cannot be stopped.
    fn slot(&self) -> Option<JobSlot> {
        None
    }
}

/// Kind of job that can be stopped. A new job stops the earlier job in its slot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum JobSlot {
    /// Loading of catalogs.
    Load,
    /// Loading of the base of the catalog with this index.
    Base(usize),
    /// Reading of history and commits.
    History,
    /// Fetching of images.
    Images,
}

/// Access of jobs to files and images.
#[derive(Clone, Copy)]
pub struct JobEnvironment<'a> {
    /// Files and images.
    pub services: &'a dyn Services,
    /// Progress of the job, which also stops it.
    pub progress: &'a Progress,
}

/// Files and images. The runtime implements it.
pub trait Services: Sync {
    /// Loads and checks catalogs. Calls `show` with the parts that are already read.
    fn load_catalogs(
        &self,
        sources: &[Source],
        progress: &Progress,
        show: &dyn Fn(&Source, Arc<Snapshot>),
    ) -> Vec<LoadOutcome>;

    /// Loads the files of a catalog again. `None` if they are unchanged.
    fn reload_changed(&self, baseline: &Snapshot) -> Option<Result<Arc<Snapshot>, UserError>>;

    /// Loads and checks a base. `default_path` is the path in revisions without a path.
    ///
    /// # Errors
    ///
    /// The reason, if the base cannot be read.
    fn load_base(
        &self,
        base: &Base,
        default_path: Option<&Path>,
        progress: &Progress,
    ) -> Result<Arc<Snapshot>, UserError>;

    /// Loads and checks a catalog at a commit.
    ///
    /// # Errors
    ///
    /// The reason, if the commit cannot be read.
    fn load_commit(&self, path: &Path, commit: &str, progress: &Progress)
    -> Result<Arc<Snapshot>, UserError>;

    /// Loads the history of a package.
    ///
    /// # Errors
    ///
    /// The reason, if the history cannot be read.
    fn load_history(
        &self,
        path: &Path,
        package: &PackageName,
        progress: &Progress,
    ) -> Result<Arc<History>, UserError>;

    /// Checks that a catalog is in a git repository.
    ///
    /// # Errors
    ///
    /// The reason, if it is not.
    fn check_repository(&self, path: &Path) -> Result<(), UserError>;

    /// Loads a companion file of a catalog. `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// The reason, if the file cannot be read.
    fn load_companion_file(&self, path: &Path) -> Result<Option<Vec<u8>>, UserError>;

    /// Lists the names that complete a path.
    ///
    /// # Errors
    ///
    /// The reason, if the directory cannot be read.
    fn complete_path(&self, typed: &str) -> Result<PathCompletions, UserError>;

    /// Loads a bundle to add: a directory, or the output of opm render.
    ///
    /// # Errors
    ///
    /// The reason, if the bundle cannot be added.
    fn load_new_bundle(&self, path: &Path, image: &str) -> Result<Arc<NewBundle>, UserError>;

    /// Loads the manifests of a bundle from its directory or its fetched image.
    ///
    /// # Errors
    ///
    /// The reason, if the manifests cannot be read.
    fn load_manifests(&self, bundle: &BundleLocator) -> Result<ManifestLookup, UserError>;

    /// Compares two bundles by their manifests, the older one first.
    ///
    /// # Errors
    ///
    /// The reason, if the manifests of a bundle cannot be read.
    fn compare_bundles(&self, bundles: &[BundleLocator; 2]) -> Result<Arc<BundleComparison>, UserError>;

    /// Applies an image set configuration to a catalog. The path may end in `#N`.
    ///
    /// # Errors
    ///
    /// The reason, if the configuration cannot be applied.
    fn apply_mirror_configuration(
        &self,
        snapshot: &Arc<Snapshot>,
        path: &Path,
    ) -> Result<Box<MirrorPreview>, UserError>;

    /// Runs the deferred checks of a package, or of all packages without results.
    fn run_deferred_checks(
        &self,
        package: Option<&Arc<PackageState>>,
        snapshot: &Snapshot,
    ) -> Vec<PackageChecks>;

    /// Fetches images of bundles into the cache. Calls `report` for each image.
    fn fetch_images(
        &self,
        images: &[(BundleName, String)],
        progress: &Progress,
        report: &(dyn Fn(&BundleName, Result<FetchOutcome, UserError>) + Sync),
    );
}

/// Question of any type.
trait AnyQuestion: Any + fmt::Debug + Send + Sync {
    fn is_equal(&self, other: &dyn AnyQuestion) -> bool;
    fn slot(&self) -> Option<JobSlot>;
    fn compute(self: Arc<Self>, environment: &JobEnvironment<'_>, send: &(dyn Fn(JobResult) + Sync));
}

impl<Q: Question> AnyQuestion for Q {
    fn is_equal(&self, other: &dyn AnyQuestion) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<Q>() == Some(self)
    }

    fn slot(&self) -> Option<JobSlot> {
        Question::slot(self)
    }

    fn compute(self: Arc<Self>, environment: &JobEnvironment<'_>, send: &(dyn Fn(JobResult) + Sync)) {
        Question::compute(&*self, environment, &|answer| send(JobResult::new(Arc::clone(&self), answer)));
    }
}

/// Request to the runtime to answer a question.
#[derive(Clone)]
pub struct JobRequest(Arc<dyn AnyQuestion>);

impl JobRequest {
    /// Creates a request.
    pub fn new<Q: Question>(question: Arc<Q>) -> Self {
        Self(question)
    }

    /// Returns the question if it has the given type.
    pub fn question<Q: Question>(&self) -> Option<Arc<Q>> {
        let question: Arc<dyn Any + Send + Sync> = Arc::<dyn AnyQuestion>::clone(&self.0);
        question.downcast().ok()
    }

    /// Returns the slot of the job.
    pub fn slot(&self) -> Option<JobSlot> {
        self.0.slot()
    }

    /// Computes the answer, and sends it at once or in parts.
    pub fn compute(self, environment: &JobEnvironment<'_>, send: &(dyn Fn(JobResult) + Sync)) {
        self.0.compute(environment, send);
    }
}

impl PartialEq for JobRequest {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_equal(&*other.0)
    }
}

impl fmt::Debug for JobRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// Answer of any type.
trait AnyAnswer: Any + fmt::Debug + Send {}

impl<A: Any + fmt::Debug + Send> AnyAnswer for A {}

/// Answer of a job, with its question.
#[derive(Debug)]
pub struct JobResult {
    question: Arc<dyn AnyQuestion>,
    answer: Box<dyn AnyAnswer>,
}

impl JobResult {
    /// Creates a result.
    pub fn new<Q: Question>(question: Arc<Q>, answer: Q::Answer) -> Self {
        Self { question, answer: Box::new(answer) }
    }

    /// Returns the question and its answer, if the question has the given type.
    pub fn parts<Q: Question>(&self) -> Option<(&Q, &Q::Answer)> {
        let (question, answer): (&dyn Any, &dyn Any) = (&*self.question, &*self.answer);
        Some((question.downcast_ref()?, answer.downcast_ref()?))
    }

    /// Takes the question and its answer.
    ///
    /// # Errors
    ///
    /// The result itself, if the question has another type.
    pub fn into_parts<Q: Question>(self) -> Result<(Arc<Q>, Q::Answer), Self> {
        let Self { question, answer } = self;
        let any: Arc<dyn Any + Send + Sync> = Arc::<dyn AnyQuestion>::clone(&question);
        let Ok(typed) = any.downcast::<Q>() else { return Err(Self { question, answer }) };
        let any: Box<dyn Any + Send> = answer;
        match any.downcast::<Q::Answer>() {
            Ok(answer) => Ok((typed, *answer)),
            // The constructor makes the answer fit the question.
            Err(_) => Err(Self { question, answer: Box::new(()) }),
        }
    }
}

/// State of a background job: the last question, whether its answer is pending, and the last answer.
pub struct Job<Q: Question> {
    /// Last question.
    question: Option<Arc<Q>>,
    /// True while the answer to the last question is pending.
    is_pending: bool,
    /// Last answer, with its question.
    answer: Option<(Arc<Q>, Q::Answer)>,
}

impl<Q: Question> Default for Job<Q> {
    fn default() -> Self {
        Self { question: None, is_pending: false, answer: None }
    }
}

impl<Q: Question<Answer: Clone>> Clone for Job<Q> {
    fn clone(&self) -> Self {
        Self { question: self.question.clone(), is_pending: self.is_pending, answer: self.answer.clone() }
    }
}

impl<Q: Question> fmt::Debug for Job<Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { question, is_pending, answer } = self;
        let mut job = f.debug_struct("Job");
        job.field("question", question).field("is_pending", is_pending).field("answer", answer).finish()
    }
}

impl<Q: Question> Job<Q> {
    /// Returns true while an answer is pending.
    pub fn is_waiting(&self) -> bool {
        self.is_pending
    }

    /// Returns the question whose answer is pending.
    pub fn pending_question(&self) -> Option<&Arc<Q>> {
        self.question.as_ref().filter(|_| self.is_pending)
    }

    /// Returns the last question.
    pub fn last_question(&self) -> Option<&Arc<Q>> {
        self.question.as_ref()
    }

    /// Returns the last answer with its question.
    pub fn last_answer(&self) -> Option<(&Arc<Q>, &Q::Answer)> {
        self.answer.as_ref().map(|(question, answer)| (question, answer))
    }

    /// Replaces the question. The answer to an earlier question is dropped when it arrives.
    pub(in crate::tui) fn replace(&mut self, question: Q) -> Arc<Q> {
        let question = Arc::new(question);
        self.question = Some(Arc::clone(&question));
        self.is_pending = true;
        question
    }

    /// Returns the question to send. `None` if it is unchanged or an answer is pending: there is at most
    /// one request at a time.
    pub(in crate::tui) fn request_if_changed(&mut self, question: Q) -> Option<Arc<Q>> {
        self.is_new(&question).then(|| self.replace(question))
    }

    /// Records a question that does not need an answer, and clears the last answer.
    pub(in crate::tui) fn clear_for_question(&mut self, question: Q) {
        if self.is_new(&question) {
            self.question = Some(Arc::new(question));
            self.answer = None;
        }
    }

    /// Cancels the job. Its answer is dropped when it arrives.
    pub(in crate::tui) fn cancel(&mut self) {
        self.question = None;
        self.is_pending = false;
    }

    /// Returns true if an answer belongs to the current question. Questions are compared by identity,
    /// because an equal question may be repeated after files changed.
    pub(in crate::tui) fn is_current(&self, question: &Arc<Q>) -> bool {
        self.question.as_ref().is_some_and(|current| Arc::ptr_eq(current, question))
    }

    /// Ends the job. Returns false if the question is outdated, or its answer arrived before.
    pub(in crate::tui) fn finish(&mut self, question: &Arc<Q>) -> bool {
        let is_it = self.is_pending && self.is_current(question);
        if is_it {
            self.is_pending = false;
        }
        is_it
    }

    /// Ends the job and stores its answer, unless the question is outdated.
    pub(in crate::tui) fn store(&mut self, question: Arc<Q>, answer: Q::Answer) {
        if self.finish(&question) {
            self.answer = Some((question, answer));
        }
    }

    /// Returns true if no answer is pending and the last question differs.
    fn is_new(&self, question: &Q) -> bool {
        !self.is_pending && self.question.as_ref().is_none_or(|last| **last != *question)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(PartialEq, Debug)]
    struct Double(u8);

    impl Question for Double {
        type Answer = u8;

        fn compute(&self, _environment: &JobEnvironment<'_>, send: &(dyn Fn(u8) + Sync)) {
            send(self.0 * 2);
        }
    }

    #[derive(PartialEq, Debug)]
    struct Half(u8);

    impl Question for Half {
        type Answer = u8;

        fn compute(&self, _environment: &JobEnvironment<'_>, send: &(dyn Fn(u8) + Sync)) {
            send(self.0 / 2);
        }
    }

    fn last_answer(job: &Job<Double>) -> Option<(u8, u8)> {
        job.last_answer().map(|(question, answer)| (question.0, *answer))
    }

    #[test]
    fn sends_one_question_at_a_time_and_does_not_repeat_answered_ones() {
        let mut job = Job::<Double>::default();
        let asked = job.request_if_changed(Double(1)).unwrap();
        assert_eq!((job.request_if_changed(Double(2)), job.is_waiting()), (None, true));
        job.store(asked, 2);
        assert_eq!((last_answer(&job), job.is_waiting()), (Some((1, 2)), false));
        assert_eq!(job.request_if_changed(Double(1)), None, "the answer is known");
        let asked = job.request_if_changed(Double(2)).unwrap();
        assert_eq!(last_answer(&job), Some((1, 2)), "the last answer stays meanwhile");
        job.store(asked, 4);
        job.clear_for_question(Double(2));
        assert_eq!(last_answer(&job), Some((2, 4)), "that question has an answer");
        job.clear_for_question(Double(3));
        assert_eq!((last_answer(&job), job.is_waiting()), (None, false));
    }

    #[test]
    fn answers_to_replaced_and_cancelled_questions_are_dropped() {
        let mut job = Job::<Double>::default();
        let (first, second) = (job.replace(Double(1)), job.replace(Double(1)));
        job.store(Arc::clone(&first), 9);
        assert_eq!((last_answer(&job), job.is_waiting()), (None, true), "an equal question is another one");
        job.store(Arc::clone(&second), 2);
        job.store(second, 9);
        assert_eq!(last_answer(&job), Some((1, 2)), "a second answer is dropped");
        let third = job.replace(Double(3));
        job.cancel();
        assert_eq!((job.is_current(&third), job.finish(&third), job.is_waiting()), (false, false, false));
    }

    #[test]
    fn requests_and_results_keep_the_type_of_their_question() {
        let request = JobRequest::new(Arc::new(Double(2)));
        assert_eq!(request, JobRequest::new(Arc::new(Double(2))));
        assert_ne!(request, JobRequest::new(Arc::new(Double(3))));
        assert_ne!(request, JobRequest::new(Arc::new(Half(2))));
        assert_eq!(request.question::<Double>().map(|question| question.0), Some(2));
        assert!(request.question::<Half>().is_none());
        let result = JobResult::new(Arc::new(Double(2)), 4);
        let result = result.into_parts::<Half>().unwrap_err();
        assert_eq!(result.into_parts::<Double>().unwrap().1, 4);
    }
}
