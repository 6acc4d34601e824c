//! `olmap cluster`: what is installed on a cluster; and the option of other commands that takes it for given.

mod read;

pub use read::{ClusterArgs, read};
