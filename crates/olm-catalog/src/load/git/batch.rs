//! Contents of many objects from one `git cat-file --batch` process.

use std::{
    ffi::OsString,
    io::{self, BufRead, BufReader, Read as _, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Stdio},
    thread,
};

use super::{Commit, GitError, Repository};
use crate::load::LoadError;

/// A requested object.
pub(super) enum Request {
    /// An object by name.
    Object(String),
    /// `COMMIT:PATH`; links are followed.
    Path(OsString),
}

/// Content of a requested object.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// A file.
    Bytes(Vec<u8>),
    /// A link to a folder.
    Folder,
    /// A link to nothing, in a circle, or out of the repository.
    BrokenLink,
    /// An object that git knows but does not have.
    Missing,
}

/// Passes the contents to `take` in the order of the requests.
pub(super) fn read_contents(
    repository: &Repository,
    wanted: &[Request],
    mut take: impl FnMut(Content) -> Result<(), LoadError>,
) -> Result<(), LoadError> {
    if wanted.is_empty() {
        return Ok(());
    }
    let mut git = spawn_cat_file(repository)?;
    let (questions, answers) = (git.stdin.take(), git.stdout.take());
    let outcome = thread::scope(|scope| {
        // Git answers while requests are sent. Sending all requests first would deadlock.
        scope.spawn(move || questions.map(|questions| send_requests(questions, wanted)));
        let mut answers = BufReader::with_capacity(1 << 16, answers.ok_or_else(broken_pipe)?);
        for _ in wanted {
            take(read_answer(&mut answers).map_err(|error| cat_file_error(&error))?)?;
        }
        Ok(())
    });
    // All answers are complete by now.
    let _ = git.wait();
    outcome
}

fn spawn_cat_file(repository: &Repository) -> Result<Child, GitError> {
    let mut git = repository.git();
    git.args(["cat-file", "--batch", "--follow-symlinks"]);
    git.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(GitError::Run)
}

fn send_requests(mut questions: ChildStdin, wanted: &[Request]) -> io::Result<()> {
    for request in wanted {
        match request {
            Request::Object(name) => questions.write_all(name.as_bytes())?,
            // A line break would split the request. Real paths do not have one.
            Request::Path(name) => {
                questions.write_all(name.to_string_lossy().replace('\n', "?").as_bytes())?;
            }
        }
        questions.write_all(b"\n")?;
    }
    Ok(())
}

/// Reads an answer: `NAME TYPE SIZE`, or an error; then the bytes.
pub(super) fn read_answer(answers: &mut impl BufRead) -> io::Result<Content> {
    let mut line = Vec::new();
    answers.read_until(b'\n', &mut line)?;
    let line = String::from_utf8_lossy(&line);
    let mut words = line.trim_end_matches('\n').rsplit(' ');
    let (last, before) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if last == "missing" {
        return Ok(Content::Missing);
    }
    let Ok(size) = last.parse::<u64>() else {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("an answer like {line:?}")));
    };
    let mut bytes = Vec::new();
    answers.take(size).read_to_end(&mut bytes)?;
    let mut end = [0];
    answers.read_exact(&mut end)?;
    if bytes.len() as u64 != size {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(match before {
        "blob" => Content::Bytes(bytes),
        "symlink" | "dangling" | "loop" | "notdir" => Content::BrokenLink,
        _ => Content::Folder,
    })
}

/// Reader of single files of a commit, with one `git cat-file` process for all of them.
#[derive(Debug)]
pub struct ContentReader {
    git: Child,
    commit: String,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl ContentReader {
    /// Starts git for a commit.
    ///
    /// # Errors
    ///
    /// If git cannot be run.
    pub fn new(repository: &Repository, commit: &Commit) -> Result<Self, LoadError> {
        let mut git = spawn_cat_file(repository)?;
        let (questions, answers) = (git.stdin.take(), git.stdout.take());
        let answers = BufReader::with_capacity(1 << 16, answers.ok_or_else(broken_pipe)?);
        Ok(Self { git, commit: commit.as_str().to_owned(), questions, answers })
    }

    /// Reads a file by its path relative to the root of the repository. `None` if it cannot be read.
    pub fn read_file(&mut self, path: &Path) -> Option<Vec<u8>> {
        let path = path.to_str().filter(|path| !path.contains('\n'))?;
        let questions = self.questions.as_mut()?;
        questions.write_all(format!("{}:{path}\n", self.commit).as_bytes()).ok()?;
        questions.flush().ok()?;
        match read_answer(&mut self.answers) {
            Ok(Content::Bytes(bytes)) => Some(bytes),
            Ok(_) => None,
            Err(_) => {
                // The next answer would belong to another request.
                self.questions = None;
                None
            }
        }
    }
}

impl Drop for ContentReader {
    fn drop(&mut self) {
        self.questions = None;
        let _ = self.git.wait();
    }
}

fn broken_pipe() -> LoadError {
    cat_file_error(&io::ErrorKind::BrokenPipe.into())
}

fn cat_file_error(error: &io::Error) -> LoadError {
    GitError::Failed { what: "cat-file", said: error.to_string() }.into()
}
