//! Names of files and folders: which of them belong to a catalog. Nothing here looks at a disk.

pub mod glob;
pub mod indexignore;
pub mod leftover;
