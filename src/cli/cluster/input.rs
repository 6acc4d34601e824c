//! Loading of installed operators from files of a cluster.

use std::path::PathBuf;

use super::super::{failure::Failure, out::Out, source};
use olm_plan::cluster::{Cluster, Reader};
use olm_source::read_cluster_files;

/// Maximum number of notes that are printed.
const MAX_SHOWN: usize = 10;

/// Option for the installed operators of a cluster.
#[derive(Debug, Default, clap::Args)]
pub struct ClusterArgs {
    /// Installed operators: output of kubectl get with -o yaml or -o json, a directory of such
    /// files, or a must-gather (- for standard input). olmap does not contact the cluster. Can be
    /// repeated.
    #[arg(long = "cluster", value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

impl ClusterArgs {
    /// Reads the cluster if files are given. Prints the parts that could not be read on standard error.
    pub fn load_cluster(&self, out: &Out) -> anyhow::Result<Option<Cluster>> {
        if self.files.is_empty() {
            return Ok(None);
        }
        let cluster = read_cluster(&self.files)?;
        for note in cluster.notes.iter().take(MAX_SHOWN) {
            source::print_warning(&note.to_string(), None, out);
        }
        match cluster.notes.len().saturating_sub(MAX_SHOWN) {
            0 => {}
            more => source::print_warning(&format!("and {more} more; olmap cluster shows all"), None, out),
        }
        Ok(Some(cluster))
    }
}

/// Reads files and folders; `-` is standard input.
pub fn read_cluster(files: &[PathBuf]) -> anyhow::Result<Cluster> {
    source::check_stdin(files)?;
    let mut reader = Reader::default();
    for path in files {
        if path.as_os_str() == source::STDIN {
            reader.add_file("standard input", &source::read_stdin()?);
            continue;
        }
        read_cluster_files(path, |file| reader.add_file(&file.label, &file.bytes))
            .map_err(|error| Failure::new(error.to_string()).with_optional_hint(error.hint()))?;
    }
    reader
        .finish_cluster()
        .map_err(|nothing| Failure::new(nothing.to_string()).with_hint(nothing.hint()).into())
}
