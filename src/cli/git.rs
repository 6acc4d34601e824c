//! `olmap git`: drivers that git starts to merge catalogs and to show differences.

use std::{
    cmp::Ordering,
    fs,
    path::{Path, PathBuf},
};

use clap::Subcommand;

use super::{Failure, Out, Outcome, escape_path};
use olm_catalog::{
    load::regular_file,
    package::version_in_name,
    text::{
        canonical::{self, RenderFormat},
        split::{ChunkKind, parse_chunk, split_chunks},
    },
};
use olm_edit::merge::{self, Conflict, Markers, Versions};
use olmap_report::escape;

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  git config merge.olmap.name 'catalogs by meaning'
  git config merge.olmap.driver 'olmap git merge %O %A %B %L %P'
  git config diff.olmap.textconv 'olmap git textconv'
  echo 'catalogs/**/*.yaml merge=olmap diff=olmap' >> .gitattributes
  olmap git merge base.yaml ours.yaml theirs.yaml

Exit code: 0 ok, 1 merge has conflicts, 2 failed.";

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: GitCommand,
}

#[derive(Debug, Subcommand)]
enum GitCommand {
    /// Merge two versions of a file by meaning, and write the result to OURS.
    #[command(after_help = MERGE_HELP)]
    Merge(MergeArgs),
    /// Print a file in the form of opm render, to show only differences in meaning.
    #[command(after_help = TEXTCONV_HELP)]
    Textconv(TextconvArgs),
}

const MERGE_HELP: &str = "\
Examples:
  olmap git merge %O %A %B %L %P    in git config, as merge.olmap.driver
  olmap git merge base.yaml ours.yaml theirs.yaml

Exit code: 0 ok, 1 the result has conflicts, 2 failed.";

const TEXTCONV_HELP: &str = "\
Examples:
  olmap git textconv catalog.yaml    in git config: diff.olmap.textconv 'olmap git textconv'

Exit code: 0 ok, 2 failed.";

#[derive(Debug, clap::Args)]
struct MergeArgs {
    /// Common ancestor (%O).
    base: PathBuf,
    /// Version of the current branch, and the result (%A).
    ours: PathBuf,
    /// Version of the merged branch (%B).
    theirs: PathBuf,
    /// Length of conflict markers (%L).
    #[arg(value_name = "MARKER_SIZE", default_value_t = Markers::default().size)]
    markers: usize,
    /// Path of the file in the repository, for messages (%P).
    path: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
struct TextconvArgs {
    /// Catalog or template file.
    file: PathBuf,
}

/// Maximum size of a version, as for other catalog files on disk.
const MAX_SIZE: u64 = 1 << 30;
/// Maximum length of conflict markers. git's own is 7.
const MAX_MARKER_SIZE: usize = 200;

pub fn run_git(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    match &args.command {
        GitCommand::Merge(args) => run_merge(args, out),
        GitCommand::Textconv(args) => {
            out.print_exact_bytes(&render_for_diff(&read_version(&args.file)?))?;
            Ok(Outcome::Fine)
        }
    }
}

fn read_version(path: &Path) -> Result<Vec<u8>, Failure> {
    regular_file::read_regular(path, MAX_SIZE)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", escape_path(path))))
}

fn run_merge(args: &MergeArgs, out: &mut Out) -> anyhow::Result<Outcome> {
    let (base, ours, theirs) =
        (read_version(&args.base)?, read_version(&args.ours)?, read_version(&args.theirs)?);
    let markers = Markers { size: args.markers.clamp(1, MAX_MARKER_SIZE) };
    let merged = merge::merge_versions(Versions { base: &base, ours: &ours, theirs: &theirs }, markers);
    if merged.text != ours {
        fs::write(&args.ours, &merged.text)
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", escape_path(&args.ours))))?;
    }
    let name = escape_path(args.path.as_ref().unwrap_or(&args.ours));
    for conflict in &merged.conflicts {
        let words = format!("{name}: {}", escape::escape_line(&conflict.to_string()));
        out.print_warning(&words, conflict_hint(conflict).as_deref());
    }
    if merged.is_textual && !merged.conflicts.is_empty() {
        out.print_note(&format!("{name}: a version cannot be merged by meaning, so only lines are merged"));
    }
    Ok((!merged.conflicts.is_empty()).into())
}

fn conflict_hint(conflict: &Conflict) -> Option<String> {
    match conflict {
        Conflict::Heads { package, channel, heads } => {
            let advice = "each branch adds a head; make one of them follow the other";
            let edit = following_edit(package, channel, heads);
            Some(edit.map_or_else(|| advice.to_owned(), |edit| format!("{advice}, such as {edit}")))
        }
        Conflict::Value { .. } | Conflict::Text { .. } | Conflict::Lines => None,
    }
}

/// Returns the command with which the newer of two heads replaces the older. `None` if that is not certain from the names, or
/// a shell would change a name.
fn following_edit(package: &str, channel: &str, heads: &[String]) -> Option<String> {
    let [one, other] = heads else { return None };
    let version = |name: &str| semver::Version::parse(version_in_name(name)?).ok();
    let (newer, older) = match version(one)?.cmp_precedence(&version(other)?) {
        Ordering::Less => (other, one),
        Ordering::Greater => (one, other),
        Ordering::Equal => return None,
    };
    let is_plain = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
    [package, channel, newer, older]
        .into_iter()
        .all(|name| !name.starts_with('-') && is_plain(name))
        .then(|| format!("olmap edit set-entry {newer} -p {package} -c {channel} --replaces {older}"))
}

/// Renders all documents of a file like opm, in the order of the file. A file that cannot be read is returned as it is,
/// because git would compare replacement characters and find no difference.
fn render_for_diff(text: &[u8]) -> Vec<u8> {
    let mut documents = Vec::new();
    for chunk in split_chunks(text) {
        let parsed = match chunk.kind {
            ChunkKind::Document(format) => {
                text.get(chunk.range).and_then(|own| parse_chunk(format, own).ok())
            }
            ChunkKind::NoObject => continue,
            ChunkKind::Unreadable(_) => None,
        };
        let Some(document) = parsed.filter(|document| !document.members().is_empty()) else {
            return text.to_vec();
        };
        documents.push(canonical::normalize(&document).detached());
    }
    canonical::write_documents(&documents, RenderFormat::Yaml).into_bytes()
}
