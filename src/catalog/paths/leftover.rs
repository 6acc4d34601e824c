//! What a save keeps beside its targets while it works, where it can keep it nowhere else, and what one that was cut short by
//! a crash left there. It is never data: opm reads every file whatever its name, olmap does not read these.

use std::ffi::OsStr;

/// What the names begin with.
pub const PREFIX: &str = ".olmap-save-";

/// What the names of files end with; folders have no ending.
pub const SUFFIX: &str = ".tmp";

/// Whether a file or folder of this name was made by a save.
pub fn is_leftover(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.starts_with(PREFIX))
}
