//! What is inside a bundle: the outline that text, Markdown, JSON, the Bundle screen and comparisons are made from.
//!
//! A bundle is read from its directory, where everything is, or from the `olm.bundle` of a catalog, which has the objects
//! of the directory (`olm.bundle.object`), a part of its ClusterServiceVersion (`olm.csv.metadata`) or neither. A section
//! that cannot be known says so. Rows have keys that stay the same from version to version, so that the outlines of two
//! bundles can be compared row by row.

mod apis;
mod catalog;
mod directory;
mod examples;
mod files;
mod icon;
mod identity;
mod images;
mod install;
mod keys;
mod material;
mod metadata;
pub mod permissions;
mod platform;
#[cfg(test)]
mod tests;
mod unseen;
mod webhooks;
mod words;
mod workloads;

use std::{collections::BTreeSet, sync::Arc};

pub use icon::{Icon, Picture};
pub use images::{Reference, in_argument, in_environment};
pub use permissions::{Danger, Risk};

use crate::{
    bundle::classic::{TargetNamespaces, supports_of},
    catalog::{
        Span,
        blob::{ApiName, Thing},
    },
};
use material::Material;

/// Everything inside one bundle, for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inside {
    /// The bundle's name.
    pub name: String,
    /// Its package.
    pub package: String,
    /// What it was read from.
    pub source: Source,
    /// Under which `OperatorGroup`s it can be installed.
    pub supports: BTreeSet<TargetNamespaces>,
    /// The sections that have something to say, in the order in which a person reads them.
    pub sections: Vec<Section>,
}

/// What a bundle was read from: how much can be known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// Its directory: everything.
    Directory,
    /// The objects in a catalog: everything but files.
    Objects,
    /// `olm.csv.metadata` of a catalog: what a console lists.
    Metadata,
    /// A catalog that says nothing about the inside.
    Nothing,
}

impl Source {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Directory => "directory",
            Self::Objects => "olm.bundle.object",
            Self::Metadata => "olm.csv.metadata",
            Self::Nothing => "catalog",
        }
    }

    /// Why something cannot be known, where it cannot; `None` for a directory.
    pub fn gap(self) -> Option<&'static str> {
        match self {
            Self::Directory => None,
            Self::Objects => Some("not in this catalog's olm.bundle.object; open the bundle's directory"),
            Self::Metadata => Some("not in this catalog's olm.csv.metadata; open the bundle's directory"),
            Self::Nothing => Some("not in this catalog; open the bundle's directory"),
        }
    }
}

/// One of the parts of a bundle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Part {
    /// Name, version, package, provider, icon.
    Identity,
    /// The description.
    Description,
    /// Install modes.
    InstallModes,
    /// Kubernetes, OpenShift, architectures, features.
    Platform,
    /// What service accounts may do.
    Permissions,
    /// Admission and conversion webhooks.
    Webhooks,
    /// CRDs and API services that it brings.
    Owned,
    /// APIs that must be there.
    Required,
    /// Examples of its APIs.
    Examples,
    /// Deployments with their containers.
    Deployments,
    /// Images, and whether a disconnected cluster can have them all.
    Images,
    /// Dependencies and properties.
    Dependencies,
    /// Objects besides the ClusterServiceVersion and CRDs.
    Objects,
    /// Links, maintainers, keywords.
    Links,
    /// Every file.
    Files,
}

impl Part {
    /// All parts, in the order in which a person reads them.
    pub const ALL: [Self; 15] = [
        Self::Identity,
        Self::Description,
        Self::InstallModes,
        Self::Platform,
        Self::Permissions,
        Self::Webhooks,
        Self::Owned,
        Self::Required,
        Self::Examples,
        Self::Deployments,
        Self::Images,
        Self::Dependencies,
        Self::Objects,
        Self::Links,
        Self::Files,
    ];

    /// Its heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Identity => "Bundle",
            Self::Description => "Description",
            Self::InstallModes => "Install modes",
            Self::Platform => "Cluster requirements",
            Self::Permissions => "Permissions",
            Self::Webhooks => "Webhooks",
            Self::Owned => "Owned APIs",
            Self::Required => "Required APIs",
            Self::Examples => "Examples",
            Self::Deployments => "Deployments",
            Self::Images => "Images",
            Self::Dependencies => "Dependencies and properties",
            Self::Objects => "Other objects",
            Self::Links => "Links and maintainers",
            Self::Files => "Files",
        }
    }

    /// What it tells, in a sentence.
    pub fn about(self) -> &'static str {
        match self {
            Self::Identity => "Which operator and version it is, and what its author says of it.",
            Self::Description => "What consoles show before an install.",
            Self::InstallModes => "Which namespaces the operator can watch.",
            Self::Platform => "What a cluster must be, have or allow.",
            Self::Permissions => "What OLM grants to each service account, the most dangerous first.",
            Self::Webhooks => "Calls from the API server to the operator, for admission and conversion.",
            Self::Owned => {
                "CRDs and API services that an install brings, with what consoles know of their fields."
            }
            Self::Required => "APIs of other operators that must be there.",
            Self::Examples => "Templates that consoles offer for the owned APIs.",
            Self::Deployments => "What runs after an install, with arguments, environment and resources.",
            Self::Images => "What a mirror has to copy for a disconnected cluster.",
            Self::Dependencies => {
                "What the bundle needs from other packages, and properties that no other section tells."
            }
            Self::Objects => "What else is installed with the bundle and removed with it.",
            Self::Links => "Where to read more, and whom to ask.",
            Self::Files => "What is in the bundle's directory.",
        }
    }

    /// Its name in JSON.
    pub fn id(self) -> &'static str {
        match self {
            Self::Identity => "bundle",
            Self::Description => "description",
            Self::InstallModes => "installModes",
            Self::Platform => "requirements",
            Self::Permissions => "permissions",
            Self::Webhooks => "webhooks",
            Self::Owned => "owned",
            Self::Required => "required",
            Self::Examples => "examples",
            Self::Deployments => "deployments",
            Self::Images => "images",
            Self::Dependencies => "dependencies",
            Self::Objects => "objects",
            Self::Links => "links",
            Self::Files => "files",
        }
    }
}

/// A part of a bundle: its rows, or why there are none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// Which one.
    pub part: Part,
    /// What cannot be known of it, and where it could be read.
    pub gap: Option<&'static str>,
    /// What is known.
    pub rows: Vec<Row>,
}

/// One thing inside a bundle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// What it is known by in its section, from version to version.
    pub key: String,
    /// How far it is set in: 0 stands by itself or heads those of 1, which may head those of 2.
    pub level: u8,
    /// What it is.
    pub label: String,
    /// What is said of it, on one line; may be empty.
    pub value: String,
    /// A word about it.
    pub note: String,
    /// What can be done with it that should be thought about.
    pub dangers: Vec<Danger>,
    /// A longer text.
    pub body: Option<Body>,
    /// Tells what it stands for and does not say from another's; 0 where it says all.
    pub unseen: u64,
    /// Where it stands.
    pub spot: Option<Spot>,
    /// The API or package that it says the bundle provides or requires.
    pub thing: Option<Thing>,
}

/// A longer text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Body {
    /// Markdown.
    Markdown(String),
    /// JSON, pretty-printed.
    Json(String),
}

impl Body {
    /// The text.
    pub fn text(&self) -> &str {
        match self {
            Self::Markdown(text) | Self::Json(text) => text,
        }
    }
}

/// A place in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spot {
    /// The file: from the bundle's directory, or as the catalog shows it.
    pub file: Arc<str>,
    /// The line, the first being 1.
    pub line: usize,
    /// The bytes in the file.
    pub span: Span,
}

impl Inside {
    fn of(material: &Material) -> Self {
        let sections = Part::ALL.into_iter().map(|part| section(part, material));
        Self {
            name: material.name(),
            package: material.package.clone(),
            source: material.source,
            supports: material
                .at(&["spec", "installModes"])
                .map(|modes| supports_of(modes.node.items()))
                .unwrap_or_default(),
            sections: sections.filter(|section| !section.rows.is_empty() || section.gap.is_some()).collect(),
        }
    }

    /// One part, if there is something to say of it.
    pub fn section(&self, part: Part) -> Option<&Section> {
        self.sections.iter().find(|section| section.part == part)
    }

    /// How many rows are dangerous.
    pub fn dangers(&self) -> usize {
        self.sections.iter().map(Section::dangers).sum()
    }
}

impl Section {
    /// How many things it tells of, without what is said of them.
    pub fn count(&self) -> usize {
        let is_counted = |row: &&Row| row.level == 0 && (self.part != Part::Images || images::is_image(row));
        self.rows.iter().filter(is_counted).count()
    }

    /// How many of its rows are dangerous.
    pub fn dangers(&self) -> usize {
        self.rows.iter().filter(|row| !row.dangers.is_empty()).count()
    }
}

fn section(part: Part, material: &Material) -> Section {
    let rows = match part {
        Part::Identity => identity::rows(material),
        Part::Description => identity::description(material),
        Part::InstallModes => install::rows(material),
        Part::Platform => platform::rows(material),
        Part::Permissions => permissions::rows(material),
        Part::Webhooks => webhooks::rows(material),
        Part::Owned => apis::owned(material),
        Part::Required => apis::required(material),
        Part::Examples => examples::rows(material),
        Part::Deployments => workloads::rows(material),
        Part::Images => images::rows(material),
        Part::Dependencies => metadata::rows(material),
        Part::Objects => files::objects(material),
        Part::Links => identity::links(material),
        Part::Files => files::rows(material),
    };
    Section { part, gap: gap(part, material.source), rows: keys::told_apart(rows) }
}

/// What a source does not have.
fn gap(part: Part, source: Source) -> Option<&'static str> {
    let is_whole = match part {
        Part::Files => source == Source::Directory,
        Part::Permissions | Part::Webhooks | Part::Deployments | Part::Objects => {
            matches!(source, Source::Directory | Source::Objects)
        }
        Part::Dependencies | Part::Images => true,
        _ => source != Source::Nothing,
    };
    source.gap().filter(|_| !is_whole)
}

impl Row {
    fn new(key: impl Into<String>, label: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            level: 0,
            label: label.into(),
            value: value.into(),
            note: String::new(),
            dangers: Vec::new(),
            body: None,
            unseen: 0,
            spot: None,
            thing: None,
        }
    }

    /// A fact that is known by its label.
    fn fact(label: &str, value: impl Into<String>) -> Self {
        Self::new(label, label, value)
    }

    fn level(self, level: u8) -> Self {
        Self { level, ..self }
    }

    fn note(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }

    fn body(self, body: Body) -> Self {
        Self { body: Some(body), ..self }
    }

    fn unseen(self, unseen: u64) -> Self {
        Self { unseen, ..self }
    }

    fn at(self, spot: Option<Spot>) -> Self {
        Self { spot, ..self }
    }

    fn api(self, group: impl Into<String>, kind: impl Into<String>) -> Self {
        Self { thing: Some(Thing::Api(ApiName { group: group.into(), kind: kind.into() })), ..self }
    }
}
