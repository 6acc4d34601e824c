//! `olmap template release`: writes the `release-config.yaml` of a new bundle.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::cli::output::{save_failure, warn_if_not_durable};
use crate::cli::{Failure, Out, Outcome};
use olm_edit::save::{DirectoryLock, Overwrite, save_as};
use olm_source::is_bundle_directory;
use olm_source::operator_config::edit::{ReleaseEntry, write_release};
use olm_source::operator_config::{CiConfig, OperatorFinding, RELEASE_FILE};
use olmap_report::escape;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Bundle directory in an operator's folder, which has a ci.yaml.
    #[arg(value_name = "DIR")]
    bundle: PathBuf,
    /// Template with the channels, or with the lists Candidate, Fast and Stable of a semver
    /// template. Can be repeated.
    #[arg(long = "template", value_name = "NAME=CHANNEL[,CHANNEL]", required = true)]
    templates: Vec<TemplateChannels>,
    /// Bundle that the new one replaces; not in semver templates.
    #[arg(long, value_name = "NAME")]
    replaces: Option<String>,
    /// Bundle that the new one skips; not in semver templates. Can be repeated.
    #[arg(long = "skip", value_name = "NAME")]
    skips: Vec<String>,
    /// Versions that the new bundle skips; not in semver templates.
    #[arg(long, value_name = "RANGE")]
    skip_range: Option<String>,
    /// Print the file without writing it.
    #[arg(long, short = 'n')]
    dry_run: bool,
}

/// Value of `--template`.
#[derive(Clone, PartialEq, Eq, Debug)]
struct TemplateChannels {
    template: String,
    channels: Vec<String>,
}

impl FromStr for TemplateChannels {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (template, channels) = text.split_once('=').ok_or("write for example basic.yaml=stable,fast")?;
        let channels: Vec<String> = channels.split(',').map(|channel| channel.trim().to_owned()).collect();
        if template.is_empty() || channels.iter().any(String::is_empty) {
            return Err("write for example basic.yaml=stable,fast");
        }
        Ok(Self { template: template.to_owned(), channels })
    }
}

pub fn run_template_release(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    if !is_bundle_directory(&args.bundle) {
        let reason = format!("{} is not a bundle directory", args.bundle.display());
        return Err(Failure::new(reason)
            .with_hint("name the directory with manifests/ and metadata/")
            .into());
    }
    let entries = args.templates.iter().map(|TemplateChannels { template, channels }| ReleaseEntry {
        template: template.clone(),
        channels: channels.clone(),
        replaces: args.replaces.clone(),
        skips: args.skips.clone(),
        skip_range: args.skip_range.clone(),
    });
    let config = CiConfig::load_ci(&operator_folder(&args.bundle)).map_err(Failure::new)?;
    let text = write_release(&config, &entries.collect::<Vec<_>>()).map_err(|findings| refusal(&findings))?;
    if args.dry_run {
        out.print_exact(&text)?;
        return Ok(Outcome::Fine);
    }
    let path = args.bundle.join(RELEASE_FILE);
    let mut lock = DirectoryLock::with_default_state();
    let saved = save_as(&path, text.as_bytes(), Overwrite::Never, &mut lock);
    warn_if_not_durable(&saved.map_err(|error| save_failure(&error))?, out);
    out.print_stderr(&format!("wrote {}\n", escape::escape_line(&path.display().to_string())));
    Ok(Outcome::Fine)
}

/// Returns the folder of the operator, which contains the bundle directory.
fn operator_folder(bundle: &Path) -> PathBuf {
    match bundle.parent() {
        Some(folder) if bundle.file_name().is_some() && folder.as_os_str().is_empty() => PathBuf::from("."),
        Some(folder) if bundle.file_name().is_some() => folder.to_owned(),
        _ => bundle.join(".."),
    }
}

/// Returns the error for a file that the pipelines would reject.
fn refusal(findings: &[OperatorFinding]) -> Failure {
    let mut lines = String::new();
    for finding in findings {
        // Writing to a string cannot fail.
        let _ = writeln!(lines, "  {}", escape::escape_line(&finding.kind.to_string()));
    }
    let failure = Failure::new(format!("the pipelines would reject this {RELEASE_FILE}")).with_detail(lines);
    findings.iter().filter_map(|finding| finding.kind.correction()).fold(failure, Failure::add_hint)
}
