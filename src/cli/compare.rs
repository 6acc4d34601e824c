//! Comparison of two catalogs: opening of both sides, and conditions that make a run fail.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::{failure::Failure, image, revision, source, template::faults::Input};
use crate::{
    catalog::{
        Catalog, PackageName,
        load::{self, git::Revision},
        paths::glob::Glob,
        text::canonical::RenderFormat,
    },
    export::{diff::Update, left_out::LeftOut, plan::Over},
    plan::{
        planner::{Everyone, Question, World},
        series::Release,
    },
    review::{
        Snapshot,
        diff::{Gate, gate},
    },
    template::{self, CatalogBundles, Options, TemplateDocument},
    upgrade::Engine,
    validate,
};

/// What makes a run fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum FailOn {
    /// An entry is removed from a channel that is not excepted.
    RemovedEntries,
    /// A version is newly stuck on either engine, an installed version gets an error, or a fresh install stops working.
    #[value(alias = "new-dead-ends")]
    NewStuck,
    /// The catalog has new errors.
    NewErrors,
    /// Users get an older version than the installed one.
    Downgrades,
    /// A channel can no longer be installed, or not its head, because of dependencies.
    BrokenDependencies,
    /// A new deprecation leaves users without an upgrade path to a supported bundle.
    NewDeprecationBlocks,
    /// The default channel of a package changes.
    DefaultChannel,
    /// A published bundle changes.
    ChangedBundles,
    /// The catalogs are for two OpenShift versions, and an installed version does not get from the old one to the new one; see
    /// olmap plan --all.
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
pub struct Excepted {
    /// Channels that may lose entries without failing removed-entries; * and ? are wildcards. May be given several
    /// times. Replaces the defaults: *candidate*, dev-preview*, pre-ga*, *nightly*.
    #[arg(long, value_name = "GLOB", value_parser = glob)]
    except: Vec<Pattern>,
}

impl Excepted {
    /// Returns the given patterns, or the default ones.
    pub fn globs(&self) -> Vec<Glob> {
        match self.except.as_slice() {
            [] => gate::EXCEPT.iter().filter_map(|pattern| Glob::parse(pattern)).collect(),
            patterns => patterns.iter().map(|pattern| pattern.0.clone()).collect(),
        }
    }
}

/// Pattern for channel names.
#[derive(Clone, Debug)]
struct Pattern(Glob);

fn glob(text: &str) -> Result<Pattern, String> {
    Glob::parse(text)
        .map(Pattern)
        .ok_or_else(|| "not a pattern: unclosed bracket or trailing backslash".to_owned())
}

/// Returns the parts that a comparison leaves out on either side: unreadable ones, and those not
/// checked.
pub fn left_out(old: &Snapshot, new: &Snapshot, matters: impl Fn(&PackageName) -> bool) -> Vec<LeftOut> {
    let of_side = |side: &Snapshot| {
        [LeftOut::of(&side.catalog, &matters), LeftOut::not_checked(side, &matters)]
            .into_iter()
            .flatten()
            .collect()
    };
    [old, new].map(of_side).into_iter().collect::<Vec<Vec<LeftOut>>>().concat()
}

/// Plans the cluster update between both catalogs. `None` unless the new catalog is for a later
/// OpenShift version.
pub fn update(old: &Snapshot, new: &Snapshot, matters: impl Fn(&PackageName) -> bool) -> Option<Update> {
    let release = |side: &Snapshot| Release {
        openshift: side.catalog.openshift().first().copied(),
        ..Release::new(side.catalog.origin.label(), ())
    };
    let (from, to) = (release(old), release(new));
    let (from_version, to_version) = from.openshift.zip(to.openshift).filter(|(from, to)| from < to)?;
    let world = World::of_judged(&[(from_version, old), (to_version, new)], matters);
    let questions = [Question::new(Engine::Classic), Question::new(Engine::V1)];
    let catalogs = vec![(from_version, from.label), (to_version, to.label)];
    Some(Update {
        over: Over { catalogs, missing: world.missing() },
        everyone: Everyone::new(&world, &questions),
    })
}

/// Two catalogs to compare.
pub struct Pair {
    /// The old catalog.
    pub old: Catalog,
    /// The new catalog.
    pub new: Catalog,
    /// Packages that a template on one side makes. `None` if there is no template, or one on both sides.
    pub made: Option<Vec<String>>,
}

/// Opens both sides. If only one side is a template, renders it with the bundles of the other side.
pub fn open_pair(old: &Path, new: &Path, images: &image::Args) -> anyhow::Result<Pair> {
    let (old, new) = (open(old, new, images)?, open(new, old, images)?);
    let names =
        |catalog: &Catalog| Some(catalog.packages().map(|package| package.name.to_string()).collect());
    Ok(match (old.template().is_some(), new.template().is_some()) {
        (true, false) => {
            let old = render_template(&old, &new)?;
            Pair { made: names(&old), old, new }
        }
        (false, true) => {
            let new = render_template(&new, &old)?;
            Pair { made: names(&new), old, new }
        }
        _ => Pair { old, new, made: None },
    })
}

/// Renders a template with the bundles of a catalog.
fn render_template(template: &Catalog, catalog: &Catalog) -> Result<Catalog, Failure> {
    let label = template.origin.label();
    let bytes: Vec<u8> = template.files().iter().flat_map(|file| file.bytes()).collect();
    let file = template.files().first();
    let input = Input::new(label.clone(), bytes, file.and_then(|file| file.disk.as_deref()));
    let refused = |faults| {
        let reason = format!("{label} cannot be rendered with the bundles of {}", catalog.origin.label());
        input.refusal(&reason, &faults)
    };
    let document = TemplateDocument::read(&input.bytes, None).map_err(refused)?;
    let bundles = CatalogBundles::of([catalog]);
    let mut rendered =
        template::render(&document, &bundles, Options::default(), &validate::rejections).map_err(refused)?;
    rendered.keep_description(catalog);
    let text = rendered.text(RenderFormat::Yaml).into_bytes();
    let name = file.map_or_else(|| PathBuf::from("template.yaml"), |file| file.shown.clone());
    Ok(load::from_texts(template.origin.clone(), [(name, text)]))
}

/// Opens one side. A revision without a path has the path of the other side, or that of the current
/// directory.
pub fn open(path: &Path, other: &Path, images: &image::Args) -> anyhow::Result<Catalog> {
    let Some(revision) = revision::parse(path) else {
        return source::one(Some(path), images);
    };
    let other_revision = revision::parse(other);
    let like = match &other_revision {
        None if other.as_os_str() == source::STDIN => {
            return Err(Failure::new(format!("which catalog of {}?", path.display()))
                .hint("standard input has no path: use git:REV:PATH")
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
