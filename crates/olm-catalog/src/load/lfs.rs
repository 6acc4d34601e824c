//! Git LFS pointer files, which replace content that was not fetched.

/// Beginning of pointer files in all versions of the format.
const BEGINNING: &[u8] = b"version https://git-lfs.github.com/spec/";

/// Maximum size in the format.
const MAX_SIZE: usize = 1024;

/// Hint for pointer files.
pub const HINT: &str = "fetch it with git lfs pull";

/// Returns true if a file is a pointer to its content (specification of Git LFS, `docs/spec.md`).
pub fn is_pointer(bytes: &[u8]) -> bool {
    bytes.len() < MAX_SIZE && bytes.starts_with(BEGINNING)
}
