//! Findings about bundle directories: what the real programs say of one, and what hurts though they accept it.
//!
//! Everything here is pure: whoever may read files hands in a [`Directory`]. The findings come in an order that depends on
//! nothing but the directory: by place, then by rule.

pub(super) mod crds;
mod dockerfile;
mod embedded;
pub(super) mod examples;
mod fix;
pub(super) mod images;
mod inside;
pub(super) mod labels;
mod lines;
pub(super) mod manifests;
pub(super) mod needs;
mod once;
mod spot;
mod verdicts;
pub(super) mod webhooks;

use std::{collections::BTreeMap, path::Path};

pub use fix::BundleFix;
pub use inside::Inside;
pub use spot::BundleSpot;
pub use verdicts::{Judge, Said};

use super::{
    diagnostic::{Diagnostic, Location},
    findings::Findings,
    rule::{Check, Rule},
    rules,
};
use crate::{
    bundle::{
        Tree, TreeFile,
        document::Readings,
        registry::Csv,
        suites::{self, Suite},
    },
    catalog::{BundleName, PackageName, Span},
    upgrade::openshift::OpenShift,
};

/// A bundle directory that was read.
#[derive(Clone, Copy, Debug)]
pub struct Directory<'a> {
    /// What is in it.
    pub tree: &'a Tree,
    /// How it is called where its findings are shown.
    pub shown: &'a Path,
    /// What it is called, where that is known.
    pub folder: Option<&'a str>,
    /// The `bundle.Dockerfile` beside it, where there is one; the tree has one that is inside.
    pub dockerfile: Option<&'a TreeFile>,
    /// The labels of its image. `None` of a directory on disk.
    pub labels: Option<&'a BTreeMap<String, String>>,
}

/// What is asked of a bundle.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is asked for by itself")]
pub struct Questions {
    /// What these suites say of it.
    pub suites: Vec<Suite>,
    /// What OLM Classic refuses at install.
    pub classic: bool,
    /// What OLM v1 refuses.
    pub v1: bool,
    /// Our own rules.
    pub ours: bool,
    /// Of our own rules, those about what OLM Classic refuses.
    pub ours_of_classic: bool,
    /// A finding stands for those that say the same, and for those that follow from it.
    pub once: bool,
    /// What suites are told besides.
    pub settings: suites::Settings,
    /// The OpenShift versions that the open catalogs are for.
    pub openshift: Vec<OpenShift>,
}

impl Questions {
    /// What `operator-sdk bundle validate` runs, before anything optional.
    pub const USUAL: [Suite; 5] = [Suite::Format, Suite::Content, Suite::Bundle, Suite::Csv, Suite::Crd];

    /// Nothing yet.
    pub fn none() -> Self {
        Self {
            suites: Vec::new(),
            classic: false,
            v1: false,
            ours: false,
            ours_of_classic: false,
            once: false,
            settings: suites::Settings::default(),
            openshift: Vec::new(),
        }
    }

    /// What the real programs are asked as a rule: the usual suites, and OLM Classic.
    pub fn parity() -> Self {
        Self { suites: Self::USUAL.to_vec(), classic: true, once: true, ..Self::none() }
    }
}

impl Default for Questions {
    /// What the real programs are asked as a rule, and our own rules.
    fn default() -> Self {
        Self { ours: true, ..Self::parity() }
    }
}

/// The findings of a bundle directory.
pub fn check(directory: &Directory<'_>, questions: &Questions) -> Vec<Diagnostic> {
    // Every manifest is read once, whoever asks.
    let readings = Readings::default();
    let inside = Inside::new(directory, questions, &readings);
    let said = verdicts::of(directory.tree, &readings, inside.contents(), questions);
    let mut found = Findings::default();
    found.extend(said.into_iter().map(|(by, verdict)| verdicts::finding(inside.places(), by, verdict)));
    let is_asked =
        |rule: &Rule| questions.ours || questions.ours_of_classic && webhooks::RULES.contains(&rule);
    for rule in rules::ALL.iter().filter(|rule| is_asked(rule)) {
        if let Check::Bundle(check) = rule.check {
            check(&inside, &mut found);
        }
    }
    let mut found = found.finish();
    if questions.once {
        once::merge_repeated(&mut found);
        once::merge_same_cause(&mut found);
        once::merge_unreadable(&mut found, directory.tree);
    } else {
        once::explain_missing_csv(&mut found, directory.tree);
    }
    if questions.once && questions.ours {
        once::merge_consequences(&mut found, directory.tree, &manifests::fixes(&inside), questions);
        once::fold(&mut found);
    }
    let name = inside.contents().any_csv().map(Csv::name).filter(|name| !name.is_empty());
    let package = Some(inside.contents().package()).filter(|name| !name.is_empty());
    let origin = Origin { package: package.map(PackageName::from), bundle: name.map(BundleName::from) };
    origin.apply(&mut found, directory);
    found.sort_by(|a, b| order(a).cmp(&order(b)));
    found
}

/// Bundle that findings are about.
struct Origin {
    package: Option<PackageName>,
    bundle: Option<BundleName>,
}

impl Origin {
    /// Adds the bundle to findings and to those that they stand for, and the directory if they have no location.
    fn apply(&self, found: &mut [Diagnostic], directory: &Directory<'_>) {
        for finding in found {
            finding.bundle.clone_from(&self.bundle);
            finding.package.clone_from(&self.package);
            finding.at.get_or_insert_with(|| Location::File(directory.shown.to_owned()));
            self.apply(&mut finding.stands_for, directory);
        }
    }
}

/// What findings are sorted by: the file and where in it, the rule, what is said.
fn order(finding: &Diagnostic) -> (Option<(&Path, Span)>, &str, &str) {
    let place = finding.at.as_ref().and_then(|at| match at {
        Location::File(path) => Some((path.as_path(), Span::default())),
        Location::InBundle(spot) => Some((spot.path.as_path(), spot.span)),
        Location::Document(..) => None,
    });
    (place, finding.rule.id, &finding.message)
}
