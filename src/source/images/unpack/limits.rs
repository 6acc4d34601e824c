//! How much of an image is unpacked before it is taken for a bomb.

use std::{
    cell::{Cell, RefCell},
    io,
};

use super::super::{error::ImageError, tree::Tree};
use crate::catalog::load::LoadError;

/// How large an image may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes of all layers, unpacked.
    pub unpacked: u64,
    /// How many times larger than its layers as they are, once it is [`Self::FREE`].
    pub ratio: u64,
    /// Bytes of one file.
    pub file: u64,
    /// Bytes of all files that are kept in memory: more than twice the largest catalog that is published.
    pub kept: u64,
    /// Entries of all layers.
    pub entries: u64,
    /// Bytes of what stands before an entry: long names and the like.
    pub header: u64,
    /// Steps from name to name on the ways of all paths and links.
    pub steps: u64,
}

impl Limits {
    /// Whatever the ratio, so many bytes may come of any image: a tar is padded with zeros, and small ones are mostly that.
    pub const FREE: u64 = 64 << 20;
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            unpacked: 8 << 30,
            ratio: 200,
            file: 1 << 30,
            kept: 512 << 20,
            entries: 1_000_000,
            header: 1 << 20,
            // Those of a million files, each a hundred folders deep.
            steps: 100_000_000,
        }
    }
}

/// Why unpacking ended early.
#[derive(Debug)]
pub(super) enum Stop {
    /// The image is larger than is allowed.
    TooMuch(String),
    /// The layer breaks a rule.
    Invalid(String),
    /// Somebody asked to stop.
    Cancelled,
    /// The layer cannot be read.
    Io(io::Error),
    /// Reading it failed before its bytes came.
    Image(Box<ImageError>),
}

impl Stop {
    pub fn of_layer(self, number: usize) -> ImageError {
        match self {
            Self::TooMuch(why) => ImageError::TooMuch(why),
            Self::Invalid(why) => ImageError::Layer { number, why },
            Self::Cancelled => LoadError::Stopped.into(),
            Self::Io(error) => ImageError::Layer { number, why: error.to_string() },
            Self::Image(error) => *error,
        }
    }
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TooMuch(why) | Self::Invalid(why) => f.write_str(why),
            Self::Cancelled => f.write_str("cancelled"),
            Self::Io(error) => error.fmt(f),
            Self::Image(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Stop {}

/// Through readers that are not ours a stop goes as an error of theirs; [`Used::stopped`] knows what it was.
impl From<Stop> for io::Error {
    fn from(stop: Stop) -> Self {
        Self::other(stop)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        match error.downcast::<ImageError>() {
            Ok(error) => error.into(),
            Err(error) => Self::Io(error),
        }
    }
}

impl From<ImageError> for Stop {
    fn from(error: ImageError) -> Self {
        Self::Image(Box::new(error))
    }
}

/// What was used of the limits.
#[derive(Debug)]
pub(super) struct Used {
    limits: Limits,
    packed: Cell<u64>,
    unpacked: Cell<u64>,
    kept: Cell<u64>,
    entries: Cell<u64>,
    /// What may still be read before the next entry begins; none while one is read.
    header: Cell<Option<u64>>,
    /// Why it was stopped: a reader between may have put other words in its place.
    stopped: Cell<Option<&'static str>>,
    /// Why the bytes of a layer ended before their time.
    failed: RefCell<Option<io::Error>>,
}

impl Used {
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            packed: Cell::default(),
            unpacked: Cell::default(),
            kept: Cell::default(),
            entries: Cell::default(),
            header: Cell::default(),
            stopped: Cell::default(),
            failed: RefCell::default(),
        }
    }

    pub fn file_limit(&self) -> u64 {
        self.limits.file
    }

    pub fn add_packed(&self, bytes: usize) -> Result<(), Stop> {
        self.packed.set(self.packed.get().saturating_add(bytes as u64));
        if self.packed.get() > self.limits.unpacked {
            Err(self.stop("it has more than 8 GiB"))
        } else {
            Ok(())
        }
    }

    /// Notes why the bytes of a layer ended before their time.
    pub fn fail(&self, error: io::Error) {
        *self.failed.borrow_mut() = Some(error);
    }

    pub fn add_unpacked(&self, bytes: usize) -> Result<(), Stop> {
        let all = self.unpacked.get().saturating_add(bytes as u64);
        self.unpacked.set(all);
        if all > self.limits.unpacked {
            return Err(self.stop("unpacked it has more than 8 GiB"));
        }
        let allowed = self.packed.get().saturating_mul(self.limits.ratio).max(Limits::FREE);
        if all > allowed {
            return Err(self.stop("unpacked it is more than 200 times as large as it is packed"));
        }
        if let Some(left) = self.header.get() {
            let Some(left) = left.checked_sub(bytes as u64) else {
                return Err(self.stop("the name or the attributes of a file have more than 1 MiB"));
            };
            self.header.set(Some(left));
        }
        Ok(())
    }

    fn stop(&self, why: &'static str) -> Stop {
        self.stopped.set(Some(why));
        Stop::TooMuch(why.to_owned())
    }

    /// Why it was stopped, if it was.
    pub fn stopped(&self) -> Option<Stop> {
        let stopped = self.stopped.get().map(|why| Stop::TooMuch(why.to_owned()));
        stopped.or_else(|| self.failed.borrow_mut().take().map(Stop::from))
    }

    /// # Errors
    ///
    /// When the tree of the image is larger than any image is, or took longer to make.
    pub fn check(&self, tree: &Tree) -> Result<(), Stop> {
        if tree.size() as u64 > self.limits.entries {
            return Err(self.stop("it has more than a million files and folders"));
        }
        if tree.has_gone_too_far() {
            return Err(self.stop("its links are followed without end"));
        }
        Ok(())
    }

    pub fn keep(&self, bytes: u64) -> Result<(), Stop> {
        let all = self.kept.get().saturating_add(bytes);
        self.kept.set(all);
        if all > self.limits.kept { Err(self.stop("its catalog has more than 512 MiB")) } else { Ok(()) }
    }

    pub fn file_too_large(&self) -> Stop {
        self.stop("a file in it has more than 1 GiB")
    }

    pub fn count_entry(&self) -> Result<(), Stop> {
        self.entries.set(self.entries.get() + 1);
        if self.entries.get() > self.limits.entries {
            return Err(self.stop("it has more than a million files"));
        }
        Ok(())
    }

    pub fn allow_header(&self) {
        self.header.set(Some(self.limits.header));
    }

    pub fn allow_content(&self) {
        self.header.set(None);
    }
}
