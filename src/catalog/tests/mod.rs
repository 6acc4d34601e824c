//! Catalogs as values: files cut into chunks, packages gathered, changes that move nothing else.

mod files;
mod gathering;
mod loading;
#[cfg(unix)]
mod special;
