//! Loading of installed operators from files of a cluster.

use std::path::PathBuf;

use super::super::{failure::Failure, out::Out, source};
use crate::{
    plan::cluster::{Cluster, Reader},
    source::read_cluster_files,
};

/// Maximum number of notes that are printed.
const SHOWN: usize = 10;

/// The option of commands that take what is installed for given.
#[derive(Debug, Default, clap::Args)]
pub struct ClusterArgs {
    /// What is installed: what kubectl get ... -o yaml or -o json wrote, a directory of such files, a must-gather (- for
    /// standard input). May be given several times. No cluster is contacted.
    #[arg(long = "cluster", value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

impl ClusterArgs {
    /// Reads the cluster if files are given. Prints the parts that could not be read on standard error.
    pub fn read(&self, out: &Out) -> anyhow::Result<Option<Cluster>> {
        if self.files.is_empty() {
            return Ok(None);
        }
        let cluster = read(&self.files)?;
        for note in cluster.notes.iter().take(SHOWN) {
            source::warn(&note.to_string(), None, out);
        }
        match cluster.notes.len().saturating_sub(SHOWN) {
            0 => {}
            more => source::warn(&format!("and {more} more; olmap cluster shows all"), None, out),
        }
        Ok(Some(cluster))
    }
}

/// Reads files and folders; `-` is standard input.
pub fn read(files: &[PathBuf]) -> anyhow::Result<Cluster> {
    source::check_stdin(files)?;
    let mut reader = Reader::default();
    for path in files {
        if path.as_os_str() == source::STDIN {
            reader.add("standard input", &source::standard_input()?);
            continue;
        }
        read_cluster_files(path, |file| reader.add(&file.label, &file.bytes))
            .map_err(|error| Failure::new(error.to_string()).maybe_hint(error.hint()))?;
    }
    reader.finish().map_err(|nothing| Failure::new(nothing.to_string()).hint(nothing.hint()).into())
}
