//! Limits of unpacking, which protect against decompression bombs.

use std::{
    cell::{Cell, RefCell},
    io,
};

use super::super::{error::ImageError, tree::Tree};
use olm_catalog::load::LoadError;

/// Limits for an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Total bytes of all layers, unpacked.
    pub unpacked: u64,
    /// Maximum ratio of unpacked to packed size, above [`Self::FREE`] bytes.
    pub ratio: u64,
    /// Bytes of one file.
    pub file: u64,
    /// Bytes of all files that are kept in memory. The default is more than twice the largest
    /// published catalog.
    pub kept: u64,
    /// Number of entries of all layers.
    pub entries: u64,
    /// Bytes of the headers before the content of an entry, for example of long names.
    pub header: u64,
    /// Number of path components that are resolved, along all paths and links.
    pub steps: u64,
}

impl Limits {
    /// Number of unpacked bytes up to which the ratio is not checked. A small tar consists mostly
    /// of padding.
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
            // Enough for a million files, each a hundred folders deep.
            steps: 100_000_000,
        }
    }
}

/// Reason why unpacking ended early.
#[derive(Debug)]
pub(super) enum Stop {
    /// The image exceeds a limit.
    TooMuch(String),
    /// The layer is malformed.
    Invalid(String),
    /// The user cancelled.
    Cancelled,
    /// The layer cannot be read.
    Io(io::Error),
    /// The source of the layer failed.
    Image(Box<ImageError>),
}

impl Stop {
    pub fn into_image_error(self, number: usize) -> ImageError {
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

/// Readers of other crates wrap this error; [`Usage::recorded_stop`] returns the original.
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

/// Amounts used so far, and the limits for them.
#[derive(Debug)]
pub(super) struct Usage {
    limits: Limits,
    packed: Cell<u64>,
    unpacked: Cell<u64>,
    kept: Cell<u64>,
    entries: Cell<u64>,
    /// Bytes that may still be read as headers; `None` inside the content of an entry.
    header: Cell<Option<u64>>,
    /// Exceeded limit. It is kept here, because other readers may replace the message of an error.
    stop_reason: Cell<Option<&'static str>>,
    /// Error that ended the bytes of a layer early.
    failure: RefCell<Option<io::Error>>,
}

impl Usage {
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            packed: Cell::default(),
            unpacked: Cell::default(),
            kept: Cell::default(),
            entries: Cell::default(),
            header: Cell::default(),
            stop_reason: Cell::default(),
            failure: RefCell::default(),
        }
    }

    pub fn file_limit(&self) -> u64 {
        self.limits.file
    }

    /// Counts bytes of a layer as they are downloaded or read from a file.
    pub fn add_packed(&self, bytes: usize) -> Result<(), Stop> {
        self.packed.set(self.packed.get().saturating_add(bytes as u64));
        if self.packed.get() > self.limits.unpacked {
            Err(self.record_stop("it has more than 8 GiB"))
        } else {
            Ok(())
        }
    }

    /// Records why the bytes of a layer ended early.
    pub fn record_failure(&self, error: io::Error) {
        *self.failure.borrow_mut() = Some(error);
    }

    /// Counts decompressed bytes of a layer. Checks the total, the ratio and the size of headers.
    pub fn add_unpacked(&self, bytes: usize) -> Result<(), Stop> {
        let all = self.unpacked.get().saturating_add(bytes as u64);
        self.unpacked.set(all);
        if all > self.limits.unpacked {
            return Err(self.record_stop("unpacked it has more than 8 GiB"));
        }
        let allowed = self.packed.get().saturating_mul(self.limits.ratio).max(Limits::FREE);
        if all > allowed {
            return Err(self.record_stop("unpacked it is more than 200 times as large as it is packed"));
        }
        if let Some(left) = self.header.get() {
            let Some(left) = left.checked_sub(bytes as u64) else {
                return Err(self.record_stop("the name or the attributes of a file have more than 1 MiB"));
            };
            self.header.set(Some(left));
        }
        Ok(())
    }

    fn record_stop(&self, why: &'static str) -> Stop {
        self.stop_reason.set(Some(why));
        Stop::TooMuch(why.to_owned())
    }

    /// Returns the reason of the stop, if there was one.
    pub fn recorded_stop(&self) -> Option<Stop> {
        let stopped = self.stop_reason.get().map(|why| Stop::TooMuch(why.to_owned()));
        stopped.or_else(|| self.failure.borrow_mut().take().map(Stop::from))
    }

    /// Checks the number of files and the steps of a tree.
    ///
    /// # Errors
    ///
    /// If the tree exceeds one of the limits.
    pub fn check_tree(&self, tree: &Tree) -> Result<(), Stop> {
        if tree.size() as u64 > self.limits.entries {
            return Err(self.record_stop("it has more than a million files and folders"));
        }
        if tree.exceeds_step_limit() {
            return Err(self.record_stop("its links are followed without end"));
        }
        Ok(())
    }

    /// Counts bytes of files that are kept in memory.
    pub fn count_kept(&self, bytes: u64) -> Result<(), Stop> {
        let all = self.kept.get().saturating_add(bytes);
        self.kept.set(all);
        if all > self.limits.kept {
            Err(self.record_stop("its catalog has more than 512 MiB"))
        } else {
            Ok(())
        }
    }

    pub fn file_too_large(&self) -> Stop {
        self.record_stop("a file in it has more than 1 GiB")
    }

    pub fn count_entry(&self) -> Result<(), Stop> {
        self.entries.set(self.entries.get() + 1);
        if self.entries.get() > self.limits.entries {
            return Err(self.record_stop("it has more than a million files"));
        }
        Ok(())
    }

    /// Starts to limit bytes as headers of the next entry.
    pub fn allow_header(&self) {
        self.header.set(Some(self.limits.header));
    }

    /// Ends the limit of headers, because the content of an entry follows.
    pub fn allow_content(&self) {
        self.header.set(None);
    }
}
