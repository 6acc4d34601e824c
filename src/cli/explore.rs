//! Start of the explorer.

use std::path::{Path, PathBuf};
use std::{env, ffi::OsString, fs, sync::Arc};

use super::configuration::{self, Configured};
use super::out::{self, Stream};
use super::{
    ColorWhen, CommandName, Failure, Global, Out, Outcome, cluster::ClusterArgs, cluster_catalogs,
    cluster_catalogs::DescribedCatalog, deprecations::today, image, repository, revision,
    safety::FoldersArgs, source,
};
use crate::runtime::{self, ExitReason};
use crate::tui::{Settings, Source, ThemeName};
use crate::{
    config::Color,
    tui::{session::cluster_members::ClusterMember, work::Base},
};
use olm_bundle::render::ImageTemplate;
use olm_catalog::{load::LoadError, similar_names};
use olm_plan::cluster::ExtensionCatalog;
use olm_source::{
    Access, ImageAccess, ManifestSearchPath, OpenOptions, discovery::Selection, hosts_to_contact,
    is_image_reference,
};
use olmap_report::escape;
use strum::VariantArray as _;

/// Argument that opens the built-in demo.
const DEMO: &str = "demo";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Catalogs or bundle directories to explore; git:REV[:PATH] is a revision of the git
    /// repository.
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Explorer: each PATH is a catalog of one cluster, [NAME=]PATH[,priority=N]..., between which OLM v1
    /// chooses. Names and priorities can come from --cluster.
    #[arg(long, requires = "paths")]
    one_cluster: bool,
    /// Explorer: file of upgrade expectations, created on the first X. Default: expectations.yaml
    /// next to the directory of each catalog, if it exists.
    #[arg(long, value_name = "FILE")]
    expect: Option<PathBuf>,
    /// Explorer: file of accepted findings. Default: baseline.yaml next to the directory of each
    /// catalog, if it exists.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Open the explorer with a comparison to a catalog, or to git:REV[:PATH].
    #[arg(long, value_name = "BASE")]
    pub against: Option<String>,
    /// Explorer with bundle directories: image of each, from {{.Package}}, {{.Name}} and
    /// {{.Version}}.
    #[arg(long, value_name = "TEMPLATE")]
    image_ref_template: Option<ImageTemplate>,
    #[command(flatten)]
    cluster: ClusterArgs,
    #[command(flatten)]
    bundles: FoldersArgs,
    #[command(flatten)]
    images: image::Args,
}

/// Opens the explorer on every path. Without a path, opens the discovered catalogs around the current
/// directory, or the demo.
pub fn run_explorer(args: Args, global: &Global) -> anyhow::Result<Outcome> {
    let Args { paths, one_cluster, expect, baseline, against, image_ref_template, cluster, bundles, images } =
        args;
    let described = if one_cluster {
        // The properties follow once the cluster is read.
        cluster_catalogs::describe_catalogs(&paths, &[])?
    } else {
        Vec::new()
    };
    let plain: Vec<PathBuf> = described.iter().map(|catalog| catalog.path.clone()).collect();
    let words = paths;
    let paths = if one_cluster { plain.as_slice() } else { words.as_slice() };
    source::check_stdin(paths.iter().chain(&cluster.files))?;
    let mut sources = Vec::new();
    // A directory with that name can be given as ./demo.
    let is_demo = matches!(paths, [only] if only.as_os_str() == DEMO);
    let paths = if is_demo { &[] } else { paths };
    for path in paths {
        let more = parse_sources(path)?;
        if one_cluster && more.len() != 1 {
            return Err(Failure::new(format!("{} has {} catalogs", path.display(), more.len()))
                .with_hint("with --one-cluster, give each catalog of the cluster")
                .into());
        }
        sources.extend(more);
    }
    let is_one = |path: &&PathBuf| sources.contains(&Source::Path((*path).clone()));
    let mut greeting = paths.iter().filter(is_one).find_map(|path| repository::hint_for_templates(path));
    if is_demo {
        greeting = Some(repository::DEMO.to_owned());
        sources = vec![Source::Demo];
    } else if paths.is_empty() {
        let selection = repository::selection()?;
        greeting =
            Some(selection.as_ref().map_or_else(|| repository::NOTHING.to_owned(), describe_selection));
        sources = selection.map_or_else(
            || vec![Source::Demo],
            |selection| selection.paths.into_iter().take(repository::MAX_OPEN).map(Source::Path).collect(),
        );
    }
    sources.iter_mut().for_each(canonicalize_source);
    check_terminal()?;
    super::logging::stop_on_terminal(&Out::new(global));
    let cluster = cluster.load_cluster(&Out::new(global))?.map(Arc::new);
    let cluster_members = if one_cluster {
        let known = cluster.as_ref().map(|cluster| cluster.extension_catalogs.as_slice()).unwrap_or_default();
        list_members(&sources, cluster_catalogs::describe_catalogs(&words, known)?, known)
    } else {
        Vec::new()
    };
    let access = images.access();
    confirm_connections(
        paths.iter().map(PathBuf::as_path).chain(against.as_deref().map(Path::new)),
        &access,
    )?;
    let tour = sources == [Source::Demo];
    let against = against.as_deref().map(parse_base).transpose()?;
    let settings = Settings {
        expectations: expect,
        accepted: baseline,
        base: against,
        installed_operators: cluster,
        cluster_members,
        search_path: ManifestSearchPath {
            folders: bundles.checked_folders()?,
            images: ImageAccess::only_cached(&access),
            ..ManifestSearchPath::default()
        },
        open_options: OpenOptions { image: image_ref_template, access, ..OpenOptions::default() },
        tour,
        greeting,
        ..build_settings(global, configuration::load(global.config.as_deref())?)
    };
    Ok(match runtime::run_explorer(sources, settings)? {
        ExitReason::Quit => Outcome::Fine,
        ExitReason::Signal(signal) => Outcome::Signal(signal),
    })
}

/// Returns the catalogs of the cluster: the given ones, and those that only the file of the cluster has.
fn list_members(
    sources: &[Source],
    described: Vec<DescribedCatalog>,
    known: &[ExtensionCatalog],
) -> Vec<ClusterMember> {
    let is_given = |name: &str| described.iter().any(|catalog| catalog.properties.name == name);
    let others = known.iter().filter(|catalog| !is_given(&catalog.name));
    let others: Vec<ClusterMember> = others
        .map(|catalog| ClusterMember { source: None, properties: Arc::new(catalog.to_properties()) })
        .collect();
    let given = sources.iter().zip(described).map(|(source, catalog)| ClusterMember {
        source: Some(source.clone()),
        properties: Arc::new(catalog.properties),
    });
    given.chain(others).collect()
}

/// Parses the base of a comparison. Refuses invalid paths; revisions are checked when they are loaded.
fn parse_base(text: &str) -> Result<Base, Failure> {
    let base = Base::parse(text);
    if let Base::Path(path) = &base
        && !is_image_reference(path)
        && let Err(error) = fs::metadata(path)
    {
        let error = LoadError::Open { path: path.clone(), source: error };
        let hint = error.hint().or_else(|| Some("write a revision as git:REV, such as git:HEAD".to_owned()));
        return Err(Failure::new(error.to_string()).with_optional_hint(hint));
    }
    Ok(base)
}

/// Asks for confirmation before a connection is opened. A path may refer to a remote host, and the explorer
/// would connect without further notice.
fn confirm_connections<'p>(paths: impl Iterator<Item = &'p Path>, access: &Access) -> Result<(), Failure> {
    let mut hosts: Vec<String> = Vec::new();
    // In the order of the connections.
    for host in paths.flat_map(|path| hosts_to_contact(path, access)) {
        if !hosts.contains(&host) {
            hosts.push(host);
        }
    }
    if hosts.is_empty() {
        return Ok(());
    }
    let hosts = hosts.join(", ");
    out::print_prompt(&format!("open a connection to {}? [Y/n] ", escape::escape_line(&hosts)));
    let answer = out::read_answer().unwrap_or_default();
    if matches!(answer.trim().to_lowercase().as_str(), "" | "y" | "yes") && answer.ends_with('\n') {
        return Ok(());
    }
    Err(Failure::new(format!("no connection to {hosts} was opened"))
        .with_hint("--offline opens what the cache has of it"))
}

/// Refuses to start if the terminal cannot be drawn on, or keys cannot be read.
fn check_terminal() -> Result<(), Failure> {
    let dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
    let why = if !Stream::Output.is_terminal() {
        "the explorer needs a terminal, but its output is not a terminal"
    } else if dumb {
        "the explorer needs a terminal with cursor movement, but TERM=dumb"
    } else if !Stream::Input.is_terminal() && runtime::open_keyboard().is_err() {
        "the explorer needs a terminal to read keys from"
    } else {
        return Ok(());
    };
    Err(Failure::new(why).with_hint(
        "for files and pipes use olmap list, validate, successors, graph or render (see olmap --help)",
    ))
}

/// Combines flags and configuration; flags take precedence.
pub fn build_settings(global: &Global, configured: Configured) -> Settings {
    let Configured { config, keymap, file } = configured;
    let when = global.color.or(config.color.map(|color| match color {
        Color::Auto => ColorWhen::Auto,
        Color::Always => ColorWhen::Always,
        Color::Never => ColorWhen::Never,
    }));
    let theme = global.theme.or(config.theme.as_deref().and_then(ThemeName::parse));
    Settings {
        ascii: global.ascii || config.ascii.unwrap_or_else(|| has_ascii_locale(|name| env::var(name).ok())),
        theme_settings: runtime::detect_look(
            theme.unwrap_or_default(),
            out::uses_color(when.unwrap_or(ColorWhen::Auto), true),
        ),
        read_only: global.read_only.then(|| "olmap was started with --read-only".to_owned()),
        no_mouse: config.mouse == Some(false),
        clipboard: config.clipboard,
        today: today(),
        editor: config.editor,
        no_shell: runtime::suspension_refusal(),
        no_watch: global.no_watch || config.watch == Some(false),
        keymap: Some(Arc::new(keymap)),
        configuration: Arc::new(file),
        base: None,
        installed_operators: None,
        cluster_members: Vec::new(),
        open_options: OpenOptions::default(),
        search_path: ManifestSearchPath::default(),
        tour: false,
        greeting: None,
        expectations: None,
        accepted: None,
    }
}

/// Replaces a path like `.` or `..` by the canonical path, because the folder name identifies a catalog.
fn canonicalize_source(source: &mut Source) {
    if let Source::Path(path) = source
        && path.file_name().is_none()
        && let Ok(named) = path.canonicalize()
    {
        *path = named;
    }
}

/// Returns the sources of a path. Refuses errors before the explorer takes over the terminal.
fn parse_sources(path: &Path) -> anyhow::Result<Vec<Source>> {
    if source::is_stdin(path) {
        // Avoids reading a large input in vain.
        check_terminal()?;
        return Ok(vec![Source::Stdin(Arc::new(source::read_stdin()?))]);
    }
    if is_image_reference(path) {
        image::check_reference(path)?;
        return Ok(vec![Source::Path(path.to_owned())]);
    }
    if let Some(revision) = revision::parse_revision(path) {
        let revision = revision::with_path(&revision, source::discover_catalog)?;
        if !revision::bundle_directories(&revision)?.is_empty() {
            let words =
                format!("{} has bundles, and the explorer opens catalogs of revisions", revision.label());
            return Err(Failure::new(words)
                .with_hint("check it out (git worktree add DIR REV), and open that")
                .into());
        }
        return Ok(vec![Source::Revision(Box::new(revision))]);
    }
    if let Err(error) = fs::metadata(path) {
        let error = LoadError::Open { path: path.to_owned(), source: error };
        let is_word = path.components().count() == 1 && path.extension().is_none();
        let hint = error.hint().or_else(|| is_word.then(|| suggest_command(path)));
        return Err(Failure::new(error.to_string()).with_optional_hint(hint).into());
    }
    match repository::find_catalogs(path) {
        // The explorer opens every catalog of a repository.
        Some(catalogs) if !catalogs.is_empty() => Ok(catalogs.into_iter().map(Source::Path).collect()),
        Some(catalogs) => Err(repository::not_a_catalog_failure(path, &catalogs).into()),
        None => Ok(repository::expand_templates(path).into_iter().map(Source::Path).collect()),
    }
}

/// Returns true if the locale has no Unicode: the first variable that is set is `C`, `POSIX`, or names another character set.
fn has_ascii_locale(variable: impl Fn(&str) -> Option<String>) -> bool {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(variable);
    let Some(locale) = { set }.find(|value| !value.is_empty()) else { return false };
    let locale = locale.to_lowercase();
    let charset = locale.split_once('.').map(|(_, charset)| charset.split('@').next().unwrap_or(charset));
    match charset {
        Some(charset) => !matches!(charset, "utf-8" | "utf8"),
        None => matches!(locale.as_str(), "c" | "posix"),
    }
}

/// Returns the error for a first word that is a misspelled command, or a command written as an option. `None` for other
/// words.
pub fn misspelled_command_failure(words: &[OsString]) -> Option<Failure> {
    let first = words.first()?.to_str()?;
    let mut names = CommandName::VARIANTS.iter().map(|command| <&str>::from(*command));
    if let Some(name) = first.strip_prefix("--") {
        let failure =
            || Failure::new(format!("no option {first}")).with_hint(format!("did you mean olmap {name}?"));
        return (name == DEMO || names.any(|command| command == name)).then(failure);
    }
    if first.starts_with('-') || names.any(|name| name == first) || Path::new(first).exists() {
        return None;
    }
    let names = CommandName::VARIANTS.iter().map(|command| <&str>::from(*command));
    let meant = similar_names::suggest_closest(first, names)?;
    let failure = Failure::new(format!("no command {first}, and no such path"));
    Some(failure.with_hint(format!("did you mean {meant}?")))
}

/// Returns a hint for a word that is neither a path nor a command.
fn suggest_command(word: &Path) -> String {
    let names = CommandName::VARIANTS.iter().map(|command| <&str>::from(*command));
    match similar_names::suggest_closest(&word.to_string_lossy(), names) {
        Some(meant) => format!("it is no command either; did you mean {meant}?"),
        None => "it is no command either; olmap --help lists the commands".to_owned(),
    }
}

/// Describes the opened sources and the reason.
fn describe_selection(selection: &Selection) -> String {
    let sentence = selection.to_sentence();
    match selection.paths.len() {
        more if more > repository::MAX_OPEN => {
            format!("{sentence}; the first {} are open", repository::MAX_OPEN)
        }
        _ => sentence,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locale_without_unicode_is_recognized() {
        let is_ascii = |all: &str, lang: &str| {
            let value = |name: &str| match name {
                "LC_ALL" => Some(all.to_owned()),
                "LANG" => Some(lang.to_owned()),
                _ => None,
            };
            has_ascii_locale(value)
        };
        for (all, lang) in [("C", "de_DE.UTF-8"), ("", "C"), ("", "POSIX"), ("", "de_DE.ISO-8859-15@euro")] {
            assert!(is_ascii(all, lang), "{all} {lang}");
        }
        for (all, lang) in
            [("", ""), ("C.UTF-8", "C"), ("", "de_DE.utf8"), ("", "de_DE"), ("en_US.UTF-8@x", "C")]
        {
            assert!(!is_ascii(all, lang), "{all} {lang}");
        }
    }
}
