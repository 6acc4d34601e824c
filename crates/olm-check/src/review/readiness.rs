//! Readiness of packages for OLM v1: the bundle that it would install instead of OLM Classic, and
//! the blockers.
//!
//! Source: operator-controller, `internal/operator-controller/resolve` and
//! `.../rukpak/render/registryv1`. A package is checked without a selected channel or version.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::Snapshot;
use olm_bundle::{Tree, TreeFile, crd::ManifestsUnavailable, manifests::Manifests, suites::Level, v1};
use olm_catalog::{BundleName, Catalog, PackageName, Span, blob::BundleBlob, package::Package};
use olm_upgrade::{
    Engine, PackageGraph,
    install_blockers::is_dns_label,
    resolve::{
        Question, Source,
        index::BundlePosition,
        needs::{self, Need},
    },
    safety::{ApiNeighbors, NotChecked, PackageSafety, Safety, SafetyInputs, Step, StepReason, find_steps},
    v1::Query,
    v1_capabilities::{CrdChecks, FeatureSupport, V1Capabilities},
};

/// Readiness of a package for OLM v1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Readiness {
    /// Name of the package.
    pub package: PackageName,
    /// Catalog of the bundle, if v1 chooses between several.
    pub catalog: Option<String>,
    /// Bundle that v1 installs; `None` if it does not install any.
    pub bundle: Option<BundleName>,
    /// Reasons why v1 would not install it.
    pub blockers: Vec<Blocker>,
    /// Problems that occur only if the user selects a channel or upgrades.
    pub remarks: Vec<Blocker>,
    /// Size of its manifests; `None` if they are not available.
    pub size: Option<Size>,
    /// Reason why its manifests were not checked; `None` if they were.
    pub not_checked: Option<NotChecked>,
}

/// Size of manifests in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// Total size.
    pub all: u64,
    /// Size of the largest manifest.
    pub largest: u64,
}

/// Maximum size of an object that a cluster stores, in bytes: etcd's default for a request,
/// `--max-request-bytes`.
pub const MAX_OBJECT_BYTES: u64 = 1536 << 10;

/// Reason why v1 would not install a package.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blocker {
    /// Kind of the reason; a stable word for programs.
    pub kind: BlockerKind,
    /// Description of the reason.
    pub text: String,
    /// Suggestion how to solve the problem.
    pub fix: String,
    /// Location: `FILE:LINE:COLUMN`.
    pub place: Option<String>,
}

/// Kinds of blockers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum BlockerKind {
    /// v1 does not find a bundle to install.
    NotResolved,
    /// Several catalogs of the cluster have a bundle, and none has the highest priority alone.
    Ambiguous,
    /// The bundle has dependencies.
    Dependency,
    /// The OpenShift version does not support webhooks.
    Webhook,
    /// The bundle does not support `AllNamespaces`.
    InstallMode,
    /// v1 does not support its manifests: webhooks, CRDs, kinds of objects.
    Manifests,
    /// A manifest is larger than a cluster can store.
    Size,
    /// opm rejects the catalog.
    Rejected,
    /// v1 cannot select a channel because of its name.
    ChannelName,
    /// v1 refuses an upgrade to the bundle.
    Upgrade,
}

impl BlockerKind {
    /// Returns the word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotResolved => "not-resolved",
            Self::Ambiguous => "ambiguous",
            Self::Dependency => "dependency",
            Self::Webhook => "webhook",
            Self::InstallMode => "install-mode",
            Self::Manifests => "manifests",
            Self::Size => "size",
            Self::Rejected => "rejected",
            Self::ChannelName => "channel-name",
            Self::Upgrade => "upgrade",
        }
    }
}

impl Readiness {
    /// Returns the readiness of a package without a bundle and without reasons.
    pub fn without_bundle(package: &PackageName) -> Self {
        Self {
            package: package.clone(),
            catalog: None,
            bundle: None,
            blockers: Vec::new(),
            remarks: Vec::new(),
            size: None,
            not_checked: None,
        }
    }

    /// Returns true if v1 installs it.
    pub fn is_ready(&self) -> bool {
        self.blockers.is_empty()
    }
}

/// Checks packages of a catalog by name.
///
/// * `is_meant` - returns true for the packages to check.
/// * `capabilities` - features of the given OpenShift version. `None` without a version.
pub fn check_packages(
    snapshot: &Snapshot,
    is_meant: impl Fn(&PackageName) -> bool + Sync,
    capabilities: Option<V1Capabilities>,
    manifests: &dyn Manifests,
) -> Vec<Readiness> {
    let facts = CatalogFacts::from_snapshot(snapshot);
    let all: Vec<&PackageName> = snapshot.packages().map(|(name, _)| name).collect();
    let names = all.par_iter().filter(|name| !name.as_str().is_empty() && is_meant(name));
    names.filter_map(|name| check_package(snapshot, name, &facts, capabilities, manifests)).collect()
}

/// Facts about the whole catalog that the check of each package needs. To collect them takes a look at each package,
/// so they are collected once.
struct CatalogFacts<'a> {
    question: Question,
    neighbors: ApiNeighbors<'a>,
    /// The blocker of all packages if opm rejects the catalog.
    rejection: Option<Blocker>,
}

/// Number of calls of [`CatalogFacts::from_snapshot`].
#[cfg(test)]
static COLLECTED_FACTS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

impl<'a> CatalogFacts<'a> {
    fn from_snapshot(snapshot: &'a Snapshot) -> Self {
        #[cfg(test)]
        COLLECTED_FACTS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let rejection = snapshot.first_rejection().map(|finding| Blocker {
            kind: BlockerKind::Rejected,
            text: format!(
                "opm rejects the catalog, so no cluster gets it: {} ({})",
                finding.message, finding.rule.id
            ),
            fix: "olmap validate tells all that is wrong".to_owned(),
            place: finding
                .at
                .as_ref()
                .and_then(|at| at.resolve_in_catalog(&snapshot.catalog))
                .as_ref()
                .map(ToString::to_string),
        });
        Self {
            question: Question::new(vec![Source::new("this catalog", snapshot.index())]),
            neighbors: ApiNeighbors::from_catalog(&snapshot.catalog),
            rejection,
        }
    }
}

fn check_package(
    snapshot: &Snapshot,
    name: &PackageName,
    facts: &CatalogFacts<'_>,
    capabilities: Option<V1Capabilities>,
    manifests: &dyn Manifests,
) -> Option<Readiness> {
    let judged = snapshot.package(name.as_str())?;
    // Only the pick or the error is used, so no candidate is explained.
    let resolver = judged.graph.v1_resolver(&Query::default());
    let answer = match &resolver {
        Ok(resolver) => resolver.pick(None),
        Err(error) => Err(error.clone()),
    };
    let picked = answer.as_ref().ok().and_then(|name| judged.package().bundle(name.as_str()));
    let mut ready = Readiness {
        bundle: picked.map(|bundle| bundle.name.value.clone()),
        remarks: channel_name_remarks(&snapshot.catalog, judged.package()),
        ..Readiness::without_bundle(name)
    };
    ready.blockers.extend(facts.rejection.clone());
    let Some(bundle) = picked else {
        let findings = snapshot.all_findings(judged);
        let worst = findings.iter().filter(|finding| finding.at.is_some()).min_by_key(|f| f.severity());
        let why = answer.err().map_or_else(|| "it has no bundle".to_owned(), |error| error.to_string());
        ready.blockers.push(Blocker {
            kind: BlockerKind::NotResolved,
            text: format!("OLM v1 finds nothing to install: {why}"),
            fix: "olmap validate shows what is wrong with the package".to_owned(),
            place: worst
                .and_then(|finding| finding.at.as_ref()?.resolve_in_catalog(&snapshot.catalog))
                .as_ref()
                .map(ToString::to_string),
        });
        return Some(ready);
    };
    let place = |span| snapshot.catalog.location(bundle.doc, span).as_ref().map(ToString::to_string);
    ready.blockers.extend(dependency_blockers(&facts.question, bundle, &place));
    ready.blockers.extend(
        install_mode_blocker(bundle, capabilities)
            .map(|blocker| Blocker { place: bundle.csv.as_ref().and_then(|csv| place(csv.span)), ..blocker }),
    );
    match manifests.manifests_of(name, bundle) {
        Ok(found) => {
            ready.not_checked = found.tree.files.iter().find_map(|file| {
                let why = file.content.as_ref().err()?;
                let shown = found.shown.as_deref().unwrap_or_default();
                let reason = format!("{shown}/{} cannot be read: {why}", file.path);
                Some(NotChecked { bundle: bundle.name.value.clone(), reason, is_failure: true })
            });
            let sizes = found.tree.files.iter().map(|file| file.content_or_empty().len() as u64);
            ready.size = Some(Size { all: sizes.clone().sum(), largest: sizes.max().unwrap_or(0) });
            let (webhook_blocker, remark) = judge_webhooks(count_webhooks(&found.tree), capabilities);
            ready.remarks.extend(remark.map(|remark| Blocker { place: place(bundle.name.span), ..remark }));
            let found = find_oversized_manifests(&found.tree)
                .into_iter()
                .chain(webhook_blocker)
                .chain(manifest_blockers(name, found.tree, bundle));
            ready.blockers.extend(found.map(|blocker| Blocker { place: place(bundle.name.span), ..blocker }));
        }
        Err(why) => {
            let is_failure = why.is_failure();
            let place = place(bundle.name.span).filter(|_| is_failure);
            let place = place.map(|place| format!("{place}: ")).unwrap_or_default();
            let reason = format!("{place}{}", describe_missing_manifests(&why));
            ready.not_checked = Some(NotChecked { bundle: bundle.name.value.clone(), reason, is_failure });
        }
    }
    if capabilities.is_none_or(|known| known.crd_checks != CrdChecks::Other) {
        let refused =
            find_refused_upgrades(snapshot, &judged.graph, &bundle.name.value, manifests, &facts.neighbors);
        ready.remarks.extend(refused.map(|text| Blocker { place: place(bundle.name.span), ..text }));
    }
    Some(ready)
}

/// Returns a remark for each upgrade to the installed bundle that v1 refuses. Empty if the
/// manifests are unknown.
fn find_refused_upgrades(
    snapshot: &Snapshot,
    graph: &PackageGraph,
    to: &BundleName,
    manifests: &dyn Manifests,
    neighbors: &ApiNeighbors<'_>,
) -> impl Iterator<Item = Blocker> {
    let is_own = |step: &Step| step.to == *to && step.reasons.contains(&StepReason::V1(None));
    let steps = if snapshot.catalog.has_manifests_of(&graph.package) {
        find_steps(graph).into_iter().filter(is_own).collect()
    } else {
        Vec::new()
    };
    let safety = PackageSafety::judge_steps(graph, steps, SafetyInputs { manifests, neighbors, cache: None });
    let refused = |(step, safety): (Step, Safety)| {
        let (verdict, words, _) = safety.lines_for(&[Engine::V1]).into_iter().next()?;
        verdict.is_refused().then(|| Blocker {
            kind: BlockerKind::Upgrade,
            text: format!("the upgrade from {}: {words}", step.from),
            fix: "see olmap path --safety for a way around it, or correct the bundle".to_owned(),
            place: None,
        })
    };
    safety.steps.into_iter().filter_map(refused)
}

/// Returns the manifests that are too large for a cluster.
fn find_oversized_manifests(tree: &Tree) -> Vec<Blocker> {
    let large = tree.files.iter().filter(|file| file.content_or_empty().len() as u64 > MAX_OBJECT_BYTES);
    large
        .map(|file| Blocker {
            kind: BlockerKind::Size,
            text: format!(
                "{} has {} bytes, and a cluster by default stores no object of more than {MAX_OBJECT_BYTES}",
                file.path,
                file.content_or_empty().len()
            ),
            fix: "make it smaller: leave descriptions out of the schemas of a CRD, or split the bundle"
                .to_owned(),
            place: None,
        })
        .collect()
}

fn dependency_blockers(
    question: &Question,
    bundle: &BundleBlob,
    place: &dyn Fn(Span) -> Option<String>,
) -> Vec<Blocker> {
    let at = question.sources.first().and_then(|own| {
        let package = own.index.package_position(bundle.package.value.as_str())?;
        let bundle = own.index.packages().get(package)?.bundle_position(bundle.name.value.as_str())?;
        Some(BundlePosition { package, bundle })
    });
    let needs = at.map(|at| needs::for_bundle(question, 0, at)).unwrap_or_default();
    // Needs are in the order of the requirements; v1 ignores labels.
    let seen = at.and_then(|at| question.sources.first()?.index.entry_view(at));
    let spans = seen.map(|seen| seen.facts.requirements.iter().map(|requirement| requirement.span));
    let spans = spans.into_iter().flatten();
    let needs = needs.iter().zip(spans).filter(|(need, _)| !need.is_label);
    needs.map(|(need, span)| Blocker { place: place(span), ..dependency_blocker(need) }).collect()
}

fn dependency_blocker(need: &Need) -> Blocker {
    let packages: BTreeSet<&str> = need.providers.iter().map(|provider| provider.package.as_str()).collect();
    let packages = packages.into_iter().collect::<Vec<_>>().join(" or ");
    let first = if packages.is_empty() {
        "let users install what provides it themselves".to_owned()
    } else {
        format!("let users install {packages} as a ClusterExtension of its own")
    };
    Blocker {
        kind: BlockerKind::Dependency,
        text: format!("OLM v1 installs no bundle with dependencies: it needs {}", need.description),
        fix: format!("{first}, and release a bundle without the dependency"),
        place: None,
    }
}

/// Returns the number of webhooks in the CSV; 0 if the manifests cannot be read.
fn count_webhooks(tree: &Tree) -> usize {
    let Ok(loaded) = v1::LoadedBundle::load_objects(tree) else { return 0 };
    let webhooks = loaded.csv_node().get("spec").and_then(|spec| spec.get("webhookdefinitions"));
    webhooks.map_or(0, |webhooks| webhooks.items().len())
}

/// Returns a blocker if the OpenShift version does not support webhooks by default. Without a version, returns a
/// remark that names the first one that does.
fn judge_webhooks(count: usize, capabilities: Option<V1Capabilities>) -> (Option<Blocker>, Option<Blocker>) {
    let s = if count == 1 { "" } else { "s" };
    let blocker = |text: String, fix: String| Blocker { kind: BlockerKind::Webhook, text, fix, place: None };
    let first = V1Capabilities::first_with_webhooks();
    let Some(first) = first.filter(|_| count > 0) else { return (None, None) };
    let Some(known) = capabilities else {
        let text = format!(
            "it has {count} webhook{s}, which OLM v1 supports since OpenShift {first}; earlier versions refuse the \
             bundle"
        );
        let fix = "olmap readiness --openshift VERSION answers for a version".to_owned();
        return (None, Some(blocker(text, fix)));
    };
    let why = match known.webhooks {
        FeatureSupport::Supported => return (None, None),
        FeatureSupport::TechPreview => "supports webhooks only as a Technology Preview",
        FeatureSupport::Unsupported => "does not support webhooks",
    };
    let text = format!("OLM v1 on OpenShift {} {why}, and the bundle has {count}", known.openshift);
    (Some(blocker(text, format!("update the cluster to OpenShift {first} first"))), None)
}

fn install_mode_blocker(bundle: &BundleBlob, capabilities: Option<V1Capabilities>) -> Option<Blocker> {
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
        text: match capabilities {
            Some(known) if known.watch_namespaces == FeatureSupport::Unsupported => format!(
                "OLM v1 on OpenShift {} installs only bundles that support AllNamespaces; it supports {modes}",
                known.openshift
            ),
            Some(known) if known.watch_namespaces == FeatureSupport::TechPreview => format!(
                "OLM v1 on OpenShift {} installs bundles that do not support AllNamespaces only as a Technology \
                 Preview; it supports {modes}",
                known.openshift
            ),
            _ => format!(
                "OLM v1 by default installs only bundles that support AllNamespaces; it supports {modes}"
            ),
        },
        fix: "release a bundle that supports AllNamespaces".to_owned(),
        place: None,
    })
}

fn channel_name_remarks(catalog: &Catalog, package: &Package) -> Vec<Blocker> {
    let channels = package.channels.iter();
    channels
        .map(|channel| (channel, channel.name.value.as_str()))
        .filter(|(_, name)| !name.is_empty() && !is_dns_label(name))
        .map(|(channel, name)| Blocker {
            kind: BlockerKind::ChannelName,
            text: format!("OLM v1 cannot select channel {name}: the name is not DNS-1123"),
            fix: "add a channel with a name of lower case letters, digits, inner hyphens and dots".to_owned(),
            place: catalog.location(channel.doc, channel.name.span).as_ref().map(ToString::to_string),
        })
        .collect()
}

/// Returns the problems that v1 has with the manifests. A catalog does not have a bundle's
/// annotations, but the package is known.
fn manifest_blockers(package: &PackageName, mut tree: Tree, bundle: &BundleBlob) -> Vec<Blocker> {
    let annotations = "metadata/annotations.yaml";
    if !tree.files.iter().any(|file| file.path == annotations) {
        let name = serde_json::Value::from(package.as_str());
        let text = format!("annotations:\n  operators.operatorframework.io.bundle.package.v1: {name}\n");
        let file = TreeFile { path: annotations.to_owned(), content: Ok(text.into()) };
        let files = std::mem::take(&mut tree.files).into_iter().chain([file]).collect();
        tree = Tree::new(files, tree.folders);
    }
    // The catalog itself already shows this problem.
    let is_told = |validator: &str| bundle.csv.is_some() && validator == "all-namespaces";
    let verdicts = v1::check_tree(&tree);
    let errors = verdicts.into_iter().filter(|verdict| verdict.level == Level::Error);
    let errors = errors.filter(|verdict| !is_told(verdict.validator));
    errors
        .map(|verdict| Blocker {
            kind: BlockerKind::Manifests,
            text: format!("{}: {}", verdict.validator, verdict.message),
            fix: "olmap bundle validate DIR --target v1 shows where".to_owned(),
            place: None,
        })
        .collect()
}

fn describe_missing_manifests(why: &ManifestsUnavailable) -> String {
    match why {
        ManifestsUnavailable::NoObjects(_) | ManifestsUnavailable::NotFetched(_) => {
            "the catalog has no manifests of it: webhooks and kinds of objects were not looked at".to_owned()
        }
        ManifestsUnavailable::Unread(name) => format!("{name} cannot be read in the catalog"),
        ManifestsUnavailable::Image { bundle, why } => format!("the image of {bundle} cannot be read: {why}"),
        ManifestsUnavailable::NoImage(name) => format!("{name} has no image to fetch"),
        ManifestsUnavailable::Directory { bundle, path, why } => {
            format!("{bundle} may be in {path}, which cannot be read: {why}")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fmt::Write as _, sync::atomic::Ordering};

    use super::*;
    use olm_bundle::manifests::BundleManifests;
    use olm_catalog::load;

    /// Bundles without manifests.
    struct NoManifests;

    impl Manifests for NoManifests {
        fn manifests_of(
            &self,
            _: &PackageName,
            bundle: &BundleBlob,
        ) -> Result<BundleManifests, ManifestsUnavailable> {
            Err(ManifestsUnavailable::NoObjects(bundle.name.value.to_string()))
        }
    }

    #[test]
    fn looks_at_the_whole_catalog_once_for_all_packages() {
        let mut text = String::new();
        for at in 0..40 {
            write!(
                text,
                "---\nschema: olm.package\nname: p{at}\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p{at}\n\
                 name: c\nentries:\n- name: p{at}.v1.0.0\n---\nschema: olm.bundle\npackage: p{at}\n\
                 name: p{at}.v1.0.0\nimage: example.com/p{at}:1\nproperties:\n- type: olm.package\n  value:\n    \
                 packageName: p{at}\n    version: 1.0.0\n"
            )
            .unwrap();
        }
        text.push_str("---\nschema: olm.package\nname: empty\ndefaultChannel: c\n");
        let snapshot = Snapshot::new(load::from_bytes(text.into_bytes()));
        let before = COLLECTED_FACTS.load(Ordering::Relaxed);
        let all = check_packages(&snapshot, |_| true, None, &NoManifests);
        assert_eq!(COLLECTED_FACTS.load(Ordering::Relaxed) - before, 1);
        let rejected = |ready: &Readiness| {
            ready.blockers.iter().filter(|blocker| blocker.kind == BlockerKind::Rejected).count()
        };
        assert_eq!(all.len(), 41);
        assert!(all.iter().all(|ready| rejected(ready) == 1));
    }
}
