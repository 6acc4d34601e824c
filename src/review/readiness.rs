//! Which packages OLM v1 can take over from OLM Classic: what it would install, and what keeps it from that.
//!
//! Source: operator-controller (`dependencies.md`, `bundles.md` section 4). Looked at is what v1 installs of a package when
//! nobody names a channel or version.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::Snapshot;
use crate::{
    bundle::{Tree, TreeFile, crd::NotInSight, manifests::Manifests, suites::Level, v1},
    catalog::{BundleName, PackageName, blob::BundleBlob},
    resolve::{
        Question, Source,
        index::BundleAt,
        needs::{self, Need},
    },
    upgrade::{blocked::is_dns_label, v1::Query},
};

/// A package, as OLM v1 sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Readiness {
    /// The package.
    pub package: PackageName,
    /// What v1 installs of it; `None` where it installs nothing.
    pub bundle: Option<BundleName>,
    /// What keeps v1 from installing it.
    pub blockers: Vec<Blocker>,
    /// What is not in the way as long as nobody asks for it.
    pub remarks: Vec<Blocker>,
    /// Why its manifests were not looked at; `None` where they were.
    pub unseen: Option<String>,
}

/// Something in the way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blocker {
    /// A stable word for programs.
    pub kind: BlockerKind,
    /// What, in words.
    pub text: String,
    /// What to do about it.
    pub fix: String,
}

/// The sorts of what is in the way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum BlockerKind {
    /// v1 finds nothing to install.
    NotResolved,
    /// It has dependencies.
    Dependency,
    /// It does not support `AllNamespaces`.
    InstallMode,
    /// Its manifests: webhooks, CRDs, kinds of objects.
    Manifests,
    /// A channel cannot be asked for by its name.
    ChannelName,
}

impl BlockerKind {
    /// The word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotResolved => "not-resolved",
            Self::Dependency => "dependency",
            Self::InstallMode => "install-mode",
            Self::Manifests => "manifests",
            Self::ChannelName => "channel-name",
        }
    }
}

impl Readiness {
    /// Whether v1 installs it.
    pub fn is_ready(&self) -> bool {
        self.blockers.is_empty()
    }
}

/// All packages of a catalog by name; only one where it is named.
pub fn of(snapshot: &Snapshot, package: Option<&str>, manifests: &dyn Manifests) -> Vec<Readiness> {
    let question = Question::new(vec![Source::new("this catalog", snapshot.index())]);
    let all: Vec<&PackageName> = snapshot.packages().map(|(name, _)| name).collect();
    let is_meant = |name: &&&PackageName| package.is_none_or(|wanted| name.as_str() == wanted);
    let names = all.par_iter().filter(|name| !name.as_str().is_empty()).filter(is_meant);
    names.filter_map(|name| one(snapshot, name, &question, manifests)).collect()
}

fn one(
    snapshot: &Snapshot,
    name: &PackageName,
    question: &Question,
    manifests: &dyn Manifests,
) -> Option<Readiness> {
    let judged = snapshot.package(name.as_str())?;
    let answer = judged.graph.v1(&Query::default(), None);
    let picked = answer.moves_to().and_then(|name| judged.package().bundle(name.as_str()));
    let mut ready = Readiness {
        package: name.clone(),
        bundle: picked.map(|bundle| bundle.name.value.clone()),
        blockers: Vec::new(),
        remarks: channel_names(judged.package()),
        unseen: None,
    };
    let Some(bundle) = picked else {
        let why = answer.error.as_ref().map_or_else(|| "it has no bundle".to_owned(), ToString::to_string);
        ready.blockers.push(Blocker {
            kind: BlockerKind::NotResolved,
            text: format!("OLM v1 finds nothing to install: {why}"),
            fix: "olmap validate shows what is wrong with the package".to_owned(),
        });
        return Some(ready);
    };
    ready.blockers.extend(dependencies(question, bundle));
    ready.blockers.extend(install_modes(bundle));
    match manifests.of(name, bundle) {
        Ok(found) => ready.blockers.extend(of_manifests(name, found.tree, bundle)),
        Err(why) => ready.unseen = Some(unseen(&why)),
    }
    Some(ready)
}

fn dependencies(question: &Question, bundle: &BundleBlob) -> Vec<Blocker> {
    let at = question.sources.first().and_then(|own| {
        let package = own.index.place(bundle.package.value.as_str())?;
        let bundle = own.index.packages().get(package)?.place(bundle.name.value.as_str())?;
        Some(BundleAt { package, bundle })
    });
    let needs = at.map(|at| needs::of_bundle(question, 0, at)).unwrap_or_default();
    needs.iter().map(dependency).collect()
}

fn dependency(need: &Need) -> Blocker {
    let packages: BTreeSet<&str> = need.by.iter().map(|provider| provider.package.as_str()).collect();
    let packages = packages.into_iter().collect::<Vec<_>>().join(" or ");
    let first = if packages.is_empty() {
        "let users install what provides it themselves".to_owned()
    } else {
        format!("let users install {packages} as a ClusterExtension of its own")
    };
    Blocker {
        kind: BlockerKind::Dependency,
        text: format!("OLM v1 installs no bundle with dependencies: it needs {}", need.what),
        fix: format!("{first}, and release a bundle without the dependency"),
    }
}

fn install_modes(bundle: &BundleBlob) -> Option<Blocker> {
    let csv = bundle.csv.as_ref()?;
    if csv.install_modes.iter().any(|mode| mode == "AllNamespaces") {
        return None;
    }
    let modes = match csv.install_modes.as_slice() {
        [] => "no install mode".to_owned(),
        modes => format!("only {}", modes.join(" and ")),
    };
    Some(Blocker {
        kind: BlockerKind::InstallMode,
        text: format!(
            "OLM v1 by default installs only bundles that support AllNamespaces; it supports {modes}"
        ),
        fix: "release a bundle that supports AllNamespaces".to_owned(),
    })
}

fn channel_names(package: &crate::catalog::package::Package) -> Vec<Blocker> {
    let names = package.channels.iter().map(|channel| channel.name.value.as_str());
    names
        .filter(|name| !name.is_empty() && !is_dns_label(name))
        .map(|name| Blocker {
            kind: BlockerKind::ChannelName,
            text: format!("OLM v1 cannot select channel {name}: the name is not DNS-1123"),
            fix: "add a channel with a name of lower case letters, digits, inner hyphens and dots".to_owned(),
        })
        .collect()
}

/// What v1 objects to in the manifests themselves. A catalog has no annotations of a bundle; its package is known.
fn of_manifests(package: &PackageName, mut tree: Tree, bundle: &BundleBlob) -> Vec<Blocker> {
    let annotations = "metadata/annotations.yaml";
    if !tree.files.iter().any(|file| file.path == annotations) {
        let name = serde_json::Value::from(package.as_str());
        let text = format!("annotations:\n  operators.operatorframework.io.bundle.package.v1: {name}\n");
        let file = TreeFile { path: annotations.to_owned(), content: Ok(text.into_bytes()) };
        let files = std::mem::take(&mut tree.files).into_iter().chain([file]).collect();
        tree = Tree::new(files, tree.folders);
    }
    // What the catalog tells by itself is told already.
    let is_told = |validator: &str| bundle.csv.is_some() && validator == "all-namespaces";
    let verdicts = v1::check(&tree);
    let errors = verdicts.into_iter().filter(|verdict| verdict.level == Level::Error);
    let errors = errors.filter(|verdict| !is_told(verdict.validator));
    errors
        .map(|verdict| Blocker {
            kind: BlockerKind::Manifests,
            text: format!("{}: {}", verdict.validator, verdict.message),
            fix: "olmap bundle validate DIR --target v1 shows where".to_owned(),
        })
        .collect()
}

fn unseen(why: &NotInSight) -> String {
    match why {
        NotInSight::NoObjects(_) | NotInSight::NotFetched(_) => {
            "the catalog has no manifests of it: webhooks and kinds of objects were not looked at".to_owned()
        }
        NotInSight::Unread(name) => format!("{name} cannot be read in the catalog"),
        NotInSight::Image { bundle, why } => format!("the image of {bundle} cannot be read: {why}"),
    }
}
