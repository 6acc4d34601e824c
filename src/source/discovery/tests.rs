//! Layouts of repositories.
