//! Many contents from one `git cat-file --batch`.

use std::{
    ffi::OsString,
    io::{self, BufRead, BufReader, Read as _, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Stdio},
    thread,
};

use super::{Commit, GitError, Repository};
use crate::catalog::load::LoadError;

/// What is asked for.
pub(super) enum Wanted {
    /// An object by its name.
    Object(String),
    /// `COMMIT:PATH`, links followed.
    Path(OsString),
}

/// What git has of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// A file.
    Bytes(Vec<u8>),
    /// A link leads to a folder.
    Folder,
    /// A link leads to nothing, in a circle, or out of the repository.
    Nowhere,
    /// Git knows of it and does not have it.
    Missing,
}

/// Hands over the contents in the order in which they are asked for.
pub(super) fn contents(
    repository: &Repository,
    wanted: &[Wanted],
    mut take: impl FnMut(Content) -> Result<(), LoadError>,
) -> Result<(), LoadError> {
    if wanted.is_empty() {
        return Ok(());
    }
    let mut git = start(repository)?;
    let (questions, answers) = (git.stdin.take(), git.stdout.take());
    let outcome = thread::scope(|scope| {
        // It answers while it is asked: who would first ask for everything would wait for ever.
        scope.spawn(move || questions.map(|questions| ask(questions, wanted)));
        let mut answers = BufReader::with_capacity(1 << 16, answers.ok_or_else(broken)?);
        for _ in wanted {
            take(answer(&mut answers).map_err(|error| failed(&error))?)?;
        }
        Ok(())
    });
    // Whether all was answered is known by now.
    let _ = git.wait();
    outcome
}

fn start(repository: &Repository) -> Result<Child, GitError> {
    let mut git = repository.git();
    git.args(["cat-file", "--batch", "--follow-symlinks"]);
    git.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(GitError::Run)
}

fn ask(mut questions: ChildStdin, wanted: &[Wanted]) -> io::Result<()> {
    for one in wanted {
        match one {
            Wanted::Object(name) => questions.write_all(name.as_bytes())?,
            // A line break would be two questions. Nothing is called like that in earnest.
            Wanted::Path(name) => {
                questions.write_all(name.to_string_lossy().replace('\n', "?").as_bytes())?;
            }
        }
        questions.write_all(b"\n")?;
    }
    Ok(())
}

/// Reads an answer: `NAME TYPE SIZE`, or what is wrong; then the bytes.
pub(super) fn answer(answers: &mut impl BufRead) -> io::Result<Content> {
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
        "symlink" | "dangling" | "loop" | "notdir" => Content::Nowhere,
        _ => Content::Folder,
    })
}

/// Reads files of a commit one after the other, with one `git cat-file`.
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
        let mut git = start(repository)?;
        let (questions, answers) = (git.stdin.take(), git.stdout.take());
        let answers = BufReader::with_capacity(1 << 16, answers.ok_or_else(broken)?);
        Ok(Self { git, commit: commit.as_str().to_owned(), questions, answers })
    }

    /// Reads a file by its path from the repository's root on. `None` if it cannot be read.
    pub fn read(&mut self, path: &Path) -> Option<Vec<u8>> {
        let path = path.to_str().filter(|path| !path.contains('\n'))?;
        let questions = self.questions.as_mut()?;
        questions.write_all(format!("{}:{path}\n", self.commit).as_bytes()).ok()?;
        questions.flush().ok()?;
        match answer(&mut self.answers) {
            Ok(Content::Bytes(bytes)) => Some(bytes),
            Ok(_) => None,
            Err(_) => {
                // What follows would be the answer to another question.
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

fn broken() -> LoadError {
    failed(&io::ErrorKind::BrokenPipe.into())
}

fn failed(error: &io::Error) -> LoadError {
    GitError::Failed { what: "cat-file", said: error.to_string() }.into()
}
