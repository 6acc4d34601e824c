//! Edits that remove content: in every notation, opm accepts the result, and undo restores every
//! byte.

use std::{fmt::Write as _, sync::Arc};

use olm_catalog::{
    Catalog,
    blob::DeprecationTarget,
    load,
    package::Package,
    text::{
        canonical::{self, RenderFormat},
        split,
    },
};
use olm_check::{Severity, review::Snapshot};
use olm_edit::Edit;
use olm_plan::extract::{ExtractOptions, ExtractRequest, plan_extract};
use olm_version::Version;
use olmap::tui::session::editing::History;
use proptest::prelude::*;

/// Package in which each version is in the chain of channel `all`, or skipped by the next version
/// that
/// is.
#[derive(Clone, Debug)]
struct GeneratedPackage {
    /// True for each version in the chain; the last version is always in it.
    chained: Vec<bool>,
    /// Last version of channel `early`.
    early: usize,
    /// True if every version below the last one is deprecated.
    deprecated: bool,
    style: Notation,
}

#[derive(Clone, Copy, Debug)]
enum Notation {
    Canonical,
    ByHand,
    Json,
}

fn generated_package() -> impl Strategy<Value = GeneratedPackage> {
    let styles = prop::sample::select(vec![Notation::Canonical, Notation::ByHand, Notation::Json]);
    (prop::collection::vec(any::<bool>(), 2..9), any::<prop::sample::Index>(), any::<bool>(), styles)
        .prop_map(|(chained, early, deprecated, style)| {
            let early = early.index(chained.len());
            GeneratedPackage { chained, early, deprecated, style }
        })
}

fn bundle_name(n: usize) -> String {
    format!("p.v{}.0.0", n + 1)
}

fn write_catalog(story: &GeneratedPackage) -> String {
    let last = story.chained.len() - 1;
    let on_chain = |n: usize| n == last || story.chained[n];
    let mut text = "# By hand.\nschema: olm.package\nname: p\ndefaultChannel: all\n".to_owned();
    let header = |name: &str| format!("---\nschema: olm.channel\npackage: p\nname: {name}\nentries:\n");
    text += &header("all");
    for n in (0..=last).rev() {
        let below = (0..n).rev().find(|&n| on_chain(n));
        let _ = writeln!(text, "  # {n}\n  - name: {}", bundle_name(n));
        if let Some(below) = below {
            let _ = writeln!(text, "    replaces: {}", bundle_name(below));
        }
        let skipped: Vec<String> = (below.map_or(0, |b| b + 1)..n).map(bundle_name).collect();
        if on_chain(n) && !skipped.is_empty() {
            let _ = writeln!(text, "    skips: [{}]", skipped.join(", "));
        }
    }
    text += &header("early");
    for n in 0..=story.early {
        let _ = writeln!(text, "  - name: {}", bundle_name(n));
        if n > 0 {
            let _ = writeln!(text, "    replaces: {}", bundle_name(n - 1));
        }
    }
    for n in 0..=last {
        let _ = write!(
            text,
            "---\nschema: olm.bundle\npackage: p\nname: {}\nimage: example.com/p:{n}\nproperties:\n- {{type: olm.package, value: {{packageName: p, version: {}.0.0}}}}\n",
            bundle_name(n),
            n + 1
        );
    }
    if story.deprecated {
        text += "---\nschema: olm.deprecations\npackage: p\nentries:\n";
        for n in 0..last {
            let _ = writeln!(
                text,
                "- {{message: Old., reference: {{schema: olm.bundle, name: {}}}}}",
                bundle_name(n)
            );
        }
    }
    match story.style {
        Notation::ByHand => text,
        Notation::Canonical => render_canonical(&text, RenderFormat::Yaml),
        Notation::Json => render_canonical(&text, RenderFormat::Json),
    }
}

fn render_canonical(text: &str, format: RenderFormat) -> String {
    let bytes = text.as_bytes();
    let chunks = split::split_chunks(bytes).into_iter();
    let docs: Vec<_> = chunks
        .map(|chunk| {
            let split::ChunkKind::Document(format) = chunk.kind else { panic!("no document") };
            split::parse_chunk(format, &bytes[chunk.range]).unwrap()
        })
        .collect();
    canonical::render_documents(&docs, format)
}

fn catalog_text(catalog: &Catalog) -> String {
    String::from_utf8(catalog.files()[0].current_bytes()).unwrap()
}

fn error_messages(snapshot: &Snapshot) -> Vec<String> {
    let errors = snapshot.findings().filter(|f| f.severity() == Severity::Error);
    errors.map(|f| f.message.clone()).collect()
}

/// Applies an edit to a valid catalog, checks the result, and returns it.
fn apply_and_check(story: &GeneratedPackage, edit: &Edit) -> Result<Snapshot, TestCaseError> {
    let before = write_catalog(story);
    let start = Arc::new(Snapshot::new(load::from_bytes(before.clone().into_bytes())));
    prop_assert_eq!(error_messages(&start), Vec::<String>::new());
    let edited =
        olm_edit::apply_edit(&start.catalog, edit).map_err(|e| TestCaseError::fail(e.to_string()))?;
    let after = start.after_change(edited);
    prop_assert_eq!(error_messages(&after), Vec::<String>::new(), "{}", catalog_text(&after.catalog));
    let bytes = catalog_text(&after.catalog);
    match story.style {
        Notation::Canonical => prop_assert_eq!(&bytes, &render_canonical(&bytes, RenderFormat::Yaml)),
        Notation::Json => prop_assert_eq!(&bytes, &render_canonical(&bytes, RenderFormat::Json)),
        Notation::ByHand => {
            let was_there: Vec<&str> = before.lines().collect();
            for line in bytes.lines().filter(|line| line.trim_start().starts_with('#')) {
                prop_assert!(was_there.contains(&line), "{line}");
            }
        }
    }
    let read_again = Snapshot::new(load::from_bytes(bytes.clone().into_bytes()));
    prop_assert_eq!(error_messages(&read_again), Vec::<String>::new());
    let mut history = History::new(start);
    history.push(Arc::new(after.clone()), edit.clone());
    history.undo();
    prop_assert_eq!(catalog_text(&history.now().catalog), before);
    history.redo();
    prop_assert_eq!(catalog_text(&history.now().catalog), bytes);
    Ok(after)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn extract_keeps_only_requested_channels(
        story in generated_package(), from in any::<prop::sample::Index>(), early in any::<bool>(), sets in any::<bool>(),
    ) {
        let start = load::from_bytes(write_catalog(&story).into_bytes());
        let from = format!(">={}.0.0", from.index(story.chained.len()) + 1);
        let wish = |channel: &str, range: Option<&String>| ExtractRequest {
            package: "p".into(),
            channel: Some(channel.into()),
            range: range.cloned(),
        };
        let mut wishes = vec![wish("early", None)];
        if !early {
            wishes.push(wish("all", Some(&from)));
        }
        let default_channels = sets.then(|| ("p".into(), "early".into())).into_iter().collect();
        let options = ExtractOptions { default_channels, ..ExtractOptions::default() };
        let edit = plan_extract(&start, &wishes, &options).map_err(|fault| TestCaseError::fail(fault.to_string()))?.edit;
        let after = apply_and_check(&story, &edit)?;
        let package = after.package("p").unwrap().package().clone();
        prop_assert_eq!(package.channels.len(), if early && sets { 1 } else { 2 });
        prop_assert!(package.bundles.iter().all(|b| package.channels_with(&b.name.value).next().is_some()));
    }

    #[test]
    fn bundle_below_the_head_can_be_removed(story in generated_package(), at in any::<prop::sample::Index>()) {
        let gone = bundle_name(at.index(story.chained.len() - 1));
        let edit = Edit::RemoveBundle { package: "p".into(), bundle: gone.as_str().into() };
        let after = apply_and_check(&story, &edit)?;
        let package = after.package("p").unwrap().package().clone();
        prop_assert!(package.bundle(&gone).is_none());
        prop_assert!(package.channels_with(&gone.as_str().into()).next().is_none());
        let replaced = package.channels.iter().flat_map(|c| &c.entries).filter_map(|e| e.replaces.as_ref());
        prop_assert!(replaced.into_iter().all(|r| r.value != gone.as_str()));
        prop_assert!(package.bundle_deprecation(&gone.as_str().into()).is_none());
    }

    #[test]
    fn versions_below_a_floor_can_be_removed(story in generated_package(), at in any::<prop::sample::Index>()) {
        let floor = 1 + at.index(story.chained.len() - 1);
        let version = Version::new(floor as u64 + 1, 0, 0);
        let after = apply_and_check(&story, &Edit::LeaveOutBelow { package: "p".into(), version })?;
        let package = after.package("p").unwrap().package().clone();
        prop_assert_eq!(package.bundles.len(), story.chained.len() - floor);
        prop_assert_eq!(package.channel("early").is_some(), story.early >= floor);
        let skips = |package: &Package, channel: &str, entry: &str| -> Vec<String> {
            let channel = package.channel(channel).unwrap();
            let entry = channel.entries.iter().find(|e| e.name.value == *entry).unwrap();
            entry.skips.iter().map(|skip| skip.value.to_string()).collect()
        };
        let before = load::from_bytes(write_catalog(&story).into_bytes());
        let before = before.package("p").unwrap();
        for channel in &package.channels {
            for entry in &channel.entries {
                let (channel, entry) = (channel.name.value.as_str(), entry.name.value.as_str());
                prop_assert!(package.bundle(entry).is_some());
                let kept = skips(&package, channel, entry);
                prop_assert!(skips(before, channel, entry).iter().all(|skip| kept.contains(skip)));
            }
        }
    }

    #[test]
    fn channel_can_be_removed_if_its_bundles_are_in_another(story in generated_package()) {
        let edit = Edit::RemoveChannel { package: "p".into(), channel: "early".into(), default: None };
        let after = apply_and_check(&story, &edit)?;
        prop_assert_eq!(after.package("p").unwrap().package().channels.len(), 1);
    }

    #[test]
    fn undeprecate_restores_every_byte(story in generated_package(), message in "[ -~]{0,90}[!-~]") {
        for target in [
            DeprecationTarget::Package,
            DeprecationTarget::Channel("early".into()),
            DeprecationTarget::Bundle(bundle_name(story.chained.len() - 1).as_str().into()),
        ] {
            let package = || "p".into();
            let say = Edit::Deprecate { package: package(), target: target.clone(), message: message.clone() };
            let said = apply_and_check(&story, &say)?;
            let judged = said.package("p").unwrap().package().clone();
            prop_assert_eq!(&judged.deprecation(&target).unwrap().message.value, &message);
            let back = olm_edit::apply_edit(&said.catalog, &Edit::Undeprecate { package: package(), target }).unwrap();
            prop_assert_eq!(catalog_text(&back), write_catalog(&story));
        }
    }
}

/// Returns the middle item; `None` if there are fewer than two.
fn middle_item<T: Clone>(names: &[T]) -> Option<T> {
    (names.len() > 1).then(|| names.get(names.len() / 2).cloned()).flatten()
}

/// Returns edits of a package that a user may make: removals and a deprecation.
fn removal_edits(judged: &olm_check::review::PackageState) -> Vec<Edit> {
    let package = judged.package();
    let name = || package.name.clone();
    let mut edits = vec![Edit::Deprecate {
        package: name(),
        target: DeprecationTarget::Package,
        message: "Use another one: this one is done.".to_owned(),
    }];
    let default = package.default_channel();
    let chained = default.and_then(|c| judged.graph.channel(c.as_str())).and_then(|c| {
        let below = c.graph.entry_nodes().filter(|at| !c.graph.head_nodes().contains(at));
        middle_item(&below.filter_map(|at| Some(c.graph.node(at)?.name.clone())).collect::<Vec<_>>())
    });
    edits.extend(chained.map(|bundle| Edit::RemoveBundle { package: name(), bundle }));
    let mut versions: Vec<_> = package.bundles.iter().filter_map(|b| b.version.clone()).collect();
    versions.sort_by(olm_version::VersionRelease::cmp_precedence);
    let floor =
        middle_item(&versions).filter(|floor| versions[0].version.cmp_precedence(&floor.version).is_lt());
    edits.extend(floor.map(|v| Edit::LeaveOutBelow { package: name(), version: v.version }));
    edits
}

#[test]
fn opm_accepts_real_packages_after_removals() {
    // The newest catalog is enough.
    let Some((_, path)) = super::conformance::published_catalogs().pop() else { return };
    let catalog = load::open_catalog(path).unwrap();
    let start = Snapshot::new(catalog);
    let (mut made, mut refused) = (0, Vec::new());
    let mut broken = Vec::new();
    for (name, judged) in start.packages() {
        for edit in removal_edits(judged) {
            let edited = match olm_edit::apply_edit(&start.catalog, &edit) {
                Ok(edited) => edited,
                Err(error) => {
                    refused.push(format!("{}: {error}", edit.title()));
                    continue;
                }
            };
            made += 1;
            let after = start.after_change(edited);
            let errors = |judged: &olm_check::review::PackageState| {
                judged.findings.iter().filter(|f| f.severity() == Severity::Error).count()
            };
            let now = after.package(name.as_str()).unwrap();
            if errors(now) > errors(judged) {
                let new = now.findings.iter().filter(|f| f.severity() == Severity::Error);
                let new: Vec<&str> = new.map(|f| f.message.as_str()).collect();
                broken.push(format!("{}: {new:?}", edit.title()));
            }
        }
    }
    assert!(made > 0, "nothing to take out");
    println!("{made} edits made, {} refused: {refused:#?}", refused.len());
    assert_eq!(broken, Vec::<String>::new());
}
