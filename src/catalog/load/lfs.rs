//! Files that Git LFS keeps elsewhere: where they were not fetched, a few lines stand in their place.

/// What the lines begin with, in each version of their format so far.
const BEGINNING: &[u8] = b"version https://git-lfs.github.com/spec/";

/// The format allows no more bytes.
const LONGEST: usize = 1024;

/// What to do about such a file.
pub const HINT: &str = "fetch it with git lfs pull";

/// Whether a file is only the pointer to its content (specification of Git LFS, `docs/spec.md`).
pub fn is_pointer(bytes: &[u8]) -> bool {
    bytes.len() < LONGEST && bytes.starts_with(BEGINNING)
}
