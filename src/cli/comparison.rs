//! Shared parts of commands that compare two catalogs: loading, and conditions that fail a run.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::{Failure, image, revision, source, template::TemplateInput};
use olm_bundle::template::{self, CatalogBundles, Options, TemplateDocument};
use olm_catalog::{
    Catalog, Origin, PackageName, load, load::git::Revision, paths::glob::Glob, text::canonical::RenderFormat,
};
use olm_check::review::Snapshot;
use olm_check::review::diff::{Gate, gate};
use olm_plan::planner::{AllPlans, PlanCatalogs, PlanSettings};
use olm_plan::series::Release;
use olm_upgrade::Engine;
use olmap_report::{diff::Update, omissions::OmittedPart, plan::PlanRange};

/// Condition that makes a run fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum FailOn {
    /// An entry is removed from a channel that --except does not match.
    RemovedEntries,
    /// A version is newly stuck on OLM Classic or v1, an installed version gets an error, or a
    /// fresh install stops working.
    #[value(alias = "new-dead-ends")]
    NewStuck,
    /// The catalog has new errors.
    NewErrors,
    /// Users get an older version than the installed one.
    Downgrades,
    /// OLM Classic can no longer install a channel or its head, because of dependencies.
    BrokenDependencies,
    /// A new deprecation leaves users without an upgrade path to a supported bundle.
    NewDeprecationBlocks,
    /// The default channel of a package changes.
    DefaultChannel,
    /// A published bundle changes.
    ChangedBundles,
    /// The catalogs are for two OpenShift versions, and an installed version cannot get from the
    /// old one to the new one; see olmap plan --all.
    Stranded,
    /// Any of these.
    All,
}

impl FailOn {
    /// Returns the gates of the value; empty for [`Self::Stranded`].
    pub fn gates(self) -> &'static [Gate] {
        match self {
            Self::RemovedEntries => &[Gate::RemovedEntries],
            Self::NewStuck => &[Gate::NewStuck],
            Self::NewErrors => &[Gate::NewErrors],
            Self::Downgrades => &[Gate::Downgrades],
            Self::BrokenDependencies => &[Gate::BrokenDependencies],
            Self::NewDeprecationBlocks => &[Gate::NewDeprecationBlocks],
            Self::DefaultChannel => &[Gate::DefaultChannel],
            Self::ChangedBundles => &[Gate::ChangedBundles],
            Self::Stranded => &[],
            Self::All => &Gate::ALL,
        }
    }
}

/// Channels that may lose entries.
#[derive(Debug, clap::Args)]
pub struct ExemptChannels {
    /// Channels that may lose entries without failing removed-entries; * and ? are wildcards.
    /// Replaces the defaults: *candidate*, dev-preview*, pre-ga*, *nightly*. Can be repeated.
    #[arg(long, value_name = "GLOB", value_parser = parse_pattern)]
    except: Vec<Pattern>,
}

impl ExemptChannels {
    /// Returns the given patterns, or the default ones.
    pub fn patterns_or_default(&self) -> Vec<Glob> {
        match self.except.as_slice() {
            [] => gate::exempt_channels(),
            patterns => patterns.iter().map(|pattern| pattern.0.clone()).collect(),
        }
    }
}

/// Pattern for channel names.
#[derive(Clone, Debug)]
struct Pattern(Glob);

fn parse_pattern(text: &str) -> Result<Pattern, String> {
    Glob::parse(text)
        .map(Pattern)
        .ok_or_else(|| "not a pattern: unclosed bracket or trailing backslash".to_owned())
}

/// Returns the parts of both sides that a comparison leaves out, because they were not readable or
/// not checked. Ignores packages that do not matter.
pub fn list_omitted_parts(
    old: &Snapshot,
    new: &Snapshot,
    matters: impl Fn(&PackageName) -> bool,
) -> Vec<OmittedPart> {
    let of_side = |side: &Snapshot| {
        [
            OmittedPart::unread_in_packages(&side.catalog, &matters),
            OmittedPart::unchecked_in_packages(side, &matters),
        ]
        .into_iter()
        .flatten()
        .collect()
    };
    [old, new].map(of_side).into_iter().collect::<Vec<Vec<OmittedPart>>>().concat()
}

/// Plans the cluster update between both catalogs. `None` unless the new catalog is for a later
/// OpenShift version.
pub fn plan_update(old: &Snapshot, new: &Snapshot, matters: impl Fn(&PackageName) -> bool) -> Option<Update> {
    let release = |side: &Snapshot| Release {
        openshift: side.catalog.openshift().first().copied(),
        ..Release::new(side.catalog.origin.label(), ())
    };
    let (from, to) = (release(old), release(new));
    let (from_version, to_version) = from.openshift.zip(to.openshift).filter(|(from, to)| from < to)?;
    let world = PlanCatalogs::from_snapshots(&[(from_version, old), (to_version, new)], matters);
    let questions = [PlanSettings::new(Engine::Classic), PlanSettings::new(Engine::V1)];
    let catalogs = vec![(from_version, from.label), (to_version, to.label)];
    Some(Update {
        over: PlanRange { catalogs, missing: world.missing_versions() },
        everyone: AllPlans::new(&world, &questions),
    })
}

/// Two catalogs to compare.
pub struct ComparedCatalogs {
    /// The old catalog.
    pub old: Catalog,
    /// The new catalog.
    pub new: Catalog,
    /// Packages of the rendered template, if exactly one side is a template.
    pub template_packages: Option<Vec<String>>,
}

/// Opens both sides. If only one side is a template, renders it with the bundles of the other side.
pub fn open_sides(old: &Path, new: &Path, images: &image::Args) -> anyhow::Result<ComparedCatalogs> {
    let (old_path, new_path) = (old, new);
    let old = open_side(old_path, new_path, None, images)?;
    let new = open_side(new_path, old_path, Some(&old), images)?;
    let names =
        |catalog: &Catalog| Some(catalog.packages().map(|package| package.name.to_string()).collect());
    Ok(match (old.template().is_some(), new.template().is_some()) {
        (true, false) => {
            let old = render_template(&old, &new)?;
            ComparedCatalogs { template_packages: names(&old), old, new }
        }
        (false, true) => {
            let new = render_template(&new, &old)?;
            ComparedCatalogs { template_packages: names(&new), old, new }
        }
        _ => ComparedCatalogs { old, new, template_packages: None },
    })
}

/// Renders a template with the bundles of a catalog.
fn render_template(template: &Catalog, catalog: &Catalog) -> Result<Catalog, Failure> {
    let label = template.origin.label();
    let bytes: Vec<u8> = template.files().iter().flat_map(|file| file.current_bytes()).collect();
    let file = template.files().first();
    let input = TemplateInput::new(label.clone(), bytes, file.and_then(|file| file.disk.as_deref()));
    let refused = |faults| {
        let reason = format!("{label} cannot be rendered with the bundles of {}", catalog.origin.label());
        input.refusal(&reason, &faults)
    };
    let document = TemplateDocument::parse(&input.bytes, None).map_err(refused)?;
    let bundles = CatalogBundles::new([catalog]);
    let mut rendered =
        template::render_template(&document, &bundles, Options::default(), &olm_check::rejection_messages)
            .map_err(refused)?;
    rendered.copy_description(catalog);
    let text = rendered.to_text(RenderFormat::Yaml).into_bytes();
    let name = file.map_or_else(|| PathBuf::from("template.yaml"), |file| file.display_path.clone());
    Ok(load::from_texts(template.origin.clone(), [(name, text)]))
}

/// Opens the base of comparison of a catalog. For a revision without a path, uses the path of the catalog.
pub fn open_base(base: &Path, catalog: &Catalog, images: &image::Args) -> anyhow::Result<Catalog> {
    let path = match &catalog.origin {
        Origin::Stdin => PathBuf::from(source::STDIN),
        origin => PathBuf::from(origin.label()),
    };
    open_side(base, &path, Some(catalog), images)
}

/// Opens one side. For a revision without a path, uses the path of the other side, or the current
/// directory if that side is a revision without a path too. Equal files of a known catalog share their memory.
fn open_side(
    path: &Path,
    other: &Path,
    known: Option<&Catalog>,
    images: &image::Args,
) -> anyhow::Result<Catalog> {
    let Some(revision) = revision::parse_revision(path) else {
        return source::open_similar(path, known, images);
    };
    let other_revision = revision::parse_revision(other);
    let like = match &other_revision {
        None if source::is_stdin(other) => {
            return Err(Failure::new(format!("which catalog of {}?", path.display()))
                .with_hint("standard input has no path: use git:REV:PATH")
                .into());
        }
        None => other.to_owned(),
        Some(_) => PathBuf::from("."),
    };
    // If both sides are revisions, a path of one side is used for the other.
    let path_of_other = other_revision.and_then(|other| other.path);
    let revision = Revision { path: revision.path.or(path_of_other), ..revision };
    Ok(revision::open_catalog(&revision, &like)?)
}
