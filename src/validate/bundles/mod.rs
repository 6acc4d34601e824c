//! Findings about bundle directories: verdicts of opm and OLM, and problems that they accept.
//!
//! This module does not read files; the caller passes a [`Directory`]. The order of the findings
//! depends only on the directory: first by location, then by rule.

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

/// Bundle directory in memory.
#[derive(Clone, Copy, Debug)]
pub struct Directory<'a> {
    /// Files of the directory.
    pub tree: &'a Tree,
    /// Path of the directory in locations.
    pub shown: &'a Path,
    /// Name of the directory; `None` if unknown.
    pub folder: Option<&'a str>,
    /// `bundle.Dockerfile` next to the directory, if it exists. The tree contains a Dockerfile
    /// that is inside.
    pub dockerfile: Option<&'a TreeFile>,
    /// Labels of the image; `None` for a directory on disk.
    pub labels: Option<&'a BTreeMap<String, String>>,
}

/// Options of a check of a bundle directory.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is asked for by itself")]
pub struct Questions {
    /// Suites to run.
    pub suites: Vec<Suite>,
    /// True to check what OLM Classic refuses at install.
    pub classic: bool,
    /// True to check what OLM v1 refuses.
    pub v1: bool,
    /// True to check olmap's own rules.
    pub ours: bool,
    /// True to check those own rules that are about refusals of OLM Classic.
    pub ours_of_classic: bool,
    /// True to merge duplicate findings, and consequences into their cause.
    pub once: bool,
    /// Further settings of the suites.
    pub settings: suites::Settings,
    /// OpenShift versions of the open catalogs.
    pub openshift: Vec<OpenShift>,
}

impl Questions {
    /// Suites that `operator-sdk bundle validate` runs without options.
    pub const USUAL: [Suite; 5] = [Suite::Format, Suite::Content, Suite::Bundle, Suite::Csv, Suite::Crd];

    /// Returns options that check nothing.
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

    /// Returns the default checks of other programs: the usual suites and OLM Classic.
    pub fn parity() -> Self {
        Self { suites: Self::USUAL.to_vec(), classic: true, once: true, ..Self::none() }
    }
}

impl Default for Questions {
    /// Returns the default checks of other programs, and olmap's own rules.
    fn default() -> Self {
        Self { ours: true, ..Self::parity() }
    }
}

/// Returns the findings of a bundle directory.
pub fn check(directory: &Directory<'_>, questions: &Questions) -> Vec<Diagnostic> {
    // All checks share the parsed manifests.
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
    /// Sets the bundle of findings and of their merged findings. The default location is the
    /// directory.
    fn apply(&self, found: &mut [Diagnostic], directory: &Directory<'_>) {
        for finding in found {
            finding.bundle.clone_from(&self.bundle);
            finding.package.clone_from(&self.package);
            finding.at.get_or_insert_with(|| Location::File(directory.shown.to_owned()));
            self.apply(&mut finding.stands_for, directory);
        }
    }
}

/// Returns the sort key of a finding: file, span, rule and message.
fn order(finding: &Diagnostic) -> (Option<(&Path, Span)>, &str, &str) {
    let place = finding.at.as_ref().and_then(|at| match at {
        Location::File(path) => Some((path.as_path(), Span::default())),
        Location::InBundle(spot) => Some((spot.path.as_path(), spot.span)),
        Location::Document(..) => None,
    });
    (place, finding.rule.id, &finding.message)
}
