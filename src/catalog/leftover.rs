//! Names of the files that a save writes beside its targets. One that was cut short by a crash leaves them there, and opm
//! reads them with the catalog: it reads every file, whatever its name.

use std::ffi::OsStr;

/// What the names begin with.
pub const PREFIX: &str = ".olmap-save-";

/// What they end with.
pub const SUFFIX: &str = ".tmp";

/// Whether a file of this name was left over by a save that crashed: it may be incomplete, and is of no more use.
pub fn is_leftover(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX))
}
