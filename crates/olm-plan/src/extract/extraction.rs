//! Extraction of a part of a catalog, with a description of the result and the upgrades that change, and its
//! files.
//!
//! The layout is that of most published catalogs: one folder with one file for each package. Documents are
//! written unchanged. If a package has documents in both YAML and JSON, they are written as opm renders them.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    ExtractError, ExtractRequest, MissingDependency, find_missing,
    plan::{InclusionReason, PackagePlan},
};
use olm_catalog::{
    BundleName, Catalog, ChannelName, DocId, Node, PackageName,
    package::Package,
    similar_names,
    text::{
        canonical::{self, RenderFormat},
        split::{self, ChunkKind, Format},
    },
};
use olm_check::Finding;
use olm_edit::Edit;
use olm_upgrade::{
    Engine, Installed, PackageGraph,
    resolve::CatalogIndex,
    table::{NextUpgrade, classic_next, v1_next},
    v1::Query,
};

/// Options besides the requested packages.
#[derive(Clone, Debug, Default)]
pub struct ExtractOptions {
    /// New default channels of packages.
    pub default_channels: BTreeMap<PackageName, ChannelName>,
    /// True to include packages that bundles require.
    pub with_dependencies: bool,
}

/// Planned extract without the expensive parts: effects on upgrades, and dependencies.
#[derive(Clone, Debug)]
pub struct ExtractPlan {
    /// Extracted packages.
    pub packages: Vec<ExtractedPackage>,
    /// Edit that produces the extract.
    pub edit: Edit,
}

/// Extracted part of a catalog.
#[derive(Clone, Debug)]
pub struct Extract {
    /// Extracted packages.
    pub packages: Vec<ExtractedPackage>,
    /// Dependencies that are not extracted.
    pub missing: Vec<MissingDependency>,
    /// Number of extracted objects without a package.
    pub without_package: usize,
    /// Edit that produces the extract.
    pub edit: Edit,
    /// The extract as a catalog.
    pub catalog: Catalog,
}

/// Extracted part of a package.
#[derive(Clone, Debug)]
pub struct ExtractedPackage {
    /// Name of the package.
    pub package: PackageName,
    /// Reason why it is extracted.
    pub reason: ExtractReason,
    /// Default channel of the extract.
    pub default_channel: Option<ChannelName>,
    /// Handling of the default channel.
    pub default: DefaultChannel,
    /// Extracted channels.
    pub channels: Vec<ExtractedChannel>,
    /// Number of channels in the whole catalog.
    pub total_channels: usize,
    /// Number of extracted bundles.
    pub bundles: usize,
    /// Number of bundles in the whole catalog.
    pub total_bundles: usize,
    /// Number of dropped objects of other schemas, which refer to dropped parts.
    pub lost_objects: usize,
    /// Versions whose next upgrade changes although the old target is extracted too.
    pub changed: Vec<RedirectedUpgrade>,
    /// Number of versions whose upgrade in OLM v1 leads to a dropped version.
    pub cut_v1: usize,
}

/// Reason why a package is extracted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExtractReason {
    /// The package was requested.
    Asked,
    /// Bundles of another package require it.
    Required {
        /// Name of the other package.
        by: PackageName,
        /// Description of the dependency.
        what: String,
    },
}

/// Handling of the default channel of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DefaultChannel {
    /// The default channel is part of the request.
    Asked,
    /// The default channel is added, because opm rejects a package without it.
    Added,
    /// Another channel replaces the default channel.
    Set {
        /// Default channel in the whole catalog.
        before: Option<ChannelName>,
    },
    /// The package does not have an existing default channel, just like in the whole catalog.
    Missing,
}

/// Extracted part of a channel.
#[derive(Clone, Debug)]
pub struct ExtractedChannel {
    /// Name of the channel.
    pub name: ChannelName,
    /// Head of the channel; `None` unless there is exactly one.
    pub head: Option<BundleName>,
    /// Number of extracted entries.
    pub entries: usize,
    /// Number of entries in the whole catalog.
    pub total_entries: usize,
    /// Entries that were not requested, with the reasons.
    pub added: Vec<(BundleName, InclusionReason)>,
    /// Entries that replace a dropped entry of the channel, with that entry.
    pub outside: Vec<(BundleName, BundleName)>,
    /// Number of versions whose upgrade in OLM Classic leads to a dropped version.
    pub cut: usize,
}

/// Returns the reasons why opm rejects a part of a catalog but not the whole. A finding about fewer items than
/// in the whole is not new.
pub fn new_rejections(whole: &Catalog, part: &Catalog) -> Vec<String> {
    fn finding_key(finding: &Finding) -> (&str, Option<&PackageName>, Option<&ChannelName>) {
        (finding.rule.id, finding.package.as_ref(), finding.channel.as_ref())
    }
    let found = olm_check::rejecting_findings(part);
    if found.is_empty() {
        return Vec::new();
    }
    let before = olm_check::rejecting_findings(whole);
    let known: HashSet<_> = before.iter().map(finding_key).collect();
    found.iter().filter(|finding| !known.contains(&finding_key(finding))).map(|f| f.message.clone()).collect()
}

/// Plans an extract.
///
/// # Errors
///
/// Fails if a requested part does not exist, or if no valid extract is possible.
pub fn plan_extract(
    catalog: &Catalog,
    wishes: &[ExtractRequest],
    options: &ExtractOptions,
) -> Result<ExtractPlan, ExtractError> {
    let plans = plan_packages(catalog, wishes, options)?;
    Ok(ExtractPlan {
        packages: plans.values().map(PackagePlan::describe_part).collect(),
        edit: edit_for(&plans),
    })
}

/// Extracts a part of a catalog.
///
/// # Errors
///
/// Fails if a requested part does not exist, or if no valid extract is possible.
pub fn extract(
    catalog: &Catalog,
    wishes: &[ExtractRequest],
    options: &ExtractOptions,
) -> Result<Extract, ExtractError> {
    let mut plans = plan_packages(catalog, wishes, options)?;
    let index = Arc::new(CatalogIndex::new(catalog));
    loop {
        let edit = edit_for(&plans);
        let part = olm_edit::apply_edit(catalog, &edit)?;
        let missing = find_missing(&index, &part);
        if options.with_dependencies && add_required(&mut plans, &missing, catalog) {
            continue;
        }
        let packages = plans
            .values()
            .map(|plan| with_upgrade_effects(plan.describe_part(), plan.package, &part))
            .collect();
        return Ok(Extract { packages, missing, without_package: part.others().len(), edit, catalog: part });
    }
}

fn edit_for(plans: &BTreeMap<PackageName, PackagePlan<'_>>) -> Edit {
    Edit::KeepOnly { packages: plans.values().map(PackagePlan::to_kept_package).collect() }
}

fn plan_packages<'c>(
    catalog: &'c Catalog,
    wishes: &[ExtractRequest],
    options: &ExtractOptions,
) -> Result<BTreeMap<PackageName, PackagePlan<'c>>, ExtractError> {
    if catalog.template().is_some() {
        return Err(ExtractError::Template);
    }
    if wishes.is_empty() {
        return Err(ExtractError::EmptyRequest);
    }
    let mut plans: BTreeMap<PackageName, PackagePlan<'c>> = BTreeMap::new();
    for wish in wishes {
        let package = find_package(catalog, &wish.package)?;
        plans
            .entry(package.name.clone())
            .or_insert_with(|| PackagePlan::new(package, ExtractReason::Asked))
            .add_request(wish)?;
    }
    if let Some((nobody, _)) = options.default_channels.iter().find(|(name, _)| !plans.contains_key(*name)) {
        return Err(ExtractError::DefaultOfOtherPackage(nobody.clone()));
    }
    for (name, plan) in &mut plans {
        plan.resolve_defaults(options.default_channels.get(name))?;
    }
    Ok(plans)
}

/// Adds the effects on upgrades to a description.
fn with_upgrade_effects(
    mut taken: ExtractedPackage,
    whole: &Arc<Package>,
    part: &Catalog,
) -> ExtractedPackage {
    let Some(here) = part.package(taken.package.as_str()) else { return taken };
    let mut upgrades = UpgradeChanges::compare_graphs(&PackageGraph::new(whole), &PackageGraph::new(here));
    for channel in &mut taken.channels {
        channel.cut = upgrades.cut.remove(&Some(channel.name.clone())).unwrap_or(0);
    }
    taken.cut_v1 = upgrades.cut.remove(&None).unwrap_or(0);
    taken.changed = upgrades.changed;
    taken.lost_objects = whole.others.len().saturating_sub(here.others.len());
    taken
}

fn find_package<'c>(catalog: &'c Catalog, name: &PackageName) -> Result<&'c Arc<Package>, ExtractError> {
    catalog.package(name.as_str()).filter(|package| !package.name.as_str().is_empty()).ok_or_else(|| {
        let names = catalog.packages().map(|package| package.name.as_str());
        let meant = similar_names::suggest_closest(name.as_str(), names).map(str::to_owned);
        ExtractError::NoPackage { package: name.clone(), suggestion: meant }
    })
}

/// Adds required packages as a whole. Returns true if there are any.
fn add_required<'c>(
    plans: &mut BTreeMap<PackageName, PackagePlan<'c>>,
    missing: &[MissingDependency],
    catalog: &'c Catalog,
) -> bool {
    let mut has_more = false;
    for missing in missing {
        // The provider that OLM prefers is enough. A partly extracted package stays as requested.
        let Some(provider) = missing.providers.first() else { continue };
        if missing.providers.iter().any(|provider| plans.contains_key(provider)) {
            continue;
        }
        let Some(package) = catalog.package(provider.as_str()) else { continue };
        let why = ExtractReason::Required { by: missing.package.clone(), what: missing.what.clone() };
        plans.insert(provider.clone(), PackagePlan::from_dependency(package, why));
        has_more = true;
    }
    has_more
}

/// Installed version whose next upgrade changes although the extract contains the previous target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedirectedUpgrade {
    /// The OLM engine.
    pub engine: Engine,
    /// The channel in OLM Classic. `None` in OLM v1, which is resolved without channels.
    pub channel: Option<ChannelName>,
    /// The installed bundle.
    pub installed: BundleName,
    /// The next upgrade in the whole catalog.
    pub before: BundleName,
    /// The next upgrade in the extract. `None` if there is no upgrade.
    pub after: Option<BundleName>,
}

/// The upgrades that the extract changes or cuts off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct UpgradeChanges {
    /// The installed versions whose next upgrade changes.
    pub changed: Vec<RedirectedUpgrade>,
    /// The number of versions with an upgrade to a bundle outside the extract.
    ///
    /// OLM Classic has a count for each channel. OLM v1 has one count with the key `None`.
    pub cut: HashMap<Option<ChannelName>, usize>,
}

impl UpgradeChanges {
    pub fn compare_graphs(before: &PackageGraph, after: &PackageGraph) -> Self {
        let (whole, taken) = (&before.package, &after.package);
        let kept: HashSet<&BundleName> = taken.bundles.iter().map(|bundle| &bundle.name.value).collect();
        let mut found = Self::default();
        for channel in &taken.channels {
            let name = &channel.name.value;
            let (Some(old), Some(new)) = (before.channel(name.as_str()), after.channel(name.as_str())) else {
                continue;
            };
            for entry in &channel.entries {
                let installed = Installed::from_package(whole, &entry.name.value);
                let (was, now) = (classic_next(old, &installed), classic_next(new, &installed));
                found.add_change(Engine::Classic, Some(name), &installed, (&was, &now), &kept);
            }
        }
        let (old, new) = (before.v1_resolver(&Query::default()), after.v1_resolver(&Query::default()));
        for bundle in &taken.bundles {
            let installed = Installed::from_package(whole, &bundle.name.value);
            let (was, now) = (v1_next(&old, &installed), v1_next(&new, &installed));
            found.add_change(Engine::V1, None, &installed, (&was, &now), &kept);
        }
        found
    }

    fn add_change(
        &mut self,
        engine: Engine,
        channel: Option<&ChannelName>,
        installed: &Installed,
        (was, now): (&NextUpgrade, &NextUpgrade),
        kept: &HashSet<&BundleName>,
    ) {
        let Some(before) = was.target() else { return };
        if !kept.contains(before) {
            *self.cut.entry(channel.cloned()).or_default() += 1;
        } else if now.target() != Some(before) {
            self.changed.push(RedirectedUpgrade {
                engine,
                channel: channel.cloned(),
                installed: installed.name.clone(),
                before: before.clone(),
                after: now.target().cloned(),
            });
        }
    }
}

/// Returns the files of a catalog by path: `PACKAGE/catalog.yaml`, or `catalog.json` if all documents of a
/// package are JSON. Documents without a package are in the root folder.
pub fn catalog_files(catalog: &Catalog) -> Vec<(PathBuf, Vec<u8>)> {
    let mut folders: HashMap<DocId, usize> = HashMap::new();
    let mut groups: Vec<(PathBuf, Vec<DocId>)> = vec![(PathBuf::new(), Vec::new())];
    let mut taken: HashSet<String> = HashSet::new();
    for package in catalog.packages() {
        let folder = package_folder(package.name.as_str(), &mut taken);
        folders.extend(package.documents().map(|doc| (doc, groups.len())));
        groups.push((folder, Vec::new()));
    }
    for doc in catalog.documents() {
        let is_object = catalog
            .file(doc.file)
            .and_then(|file| file.segment(doc.serial))
            .is_some_and(|segment| segment.kind != ChunkKind::NoObject);
        let group = groups.get_mut(folders.get(&doc).copied().unwrap_or(0));
        if let Some((_, documents)) = group.filter(|_| is_object) {
            documents.push(doc);
        }
    }
    let groups = groups.into_iter().filter(|(_, documents)| !documents.is_empty());
    groups
        .map(|(folder, documents)| {
            let (name, text) = join_documents(catalog, &documents);
            (folder.join(name), text)
        })
        .collect()
}

/// Returns a unique folder name for a package that is valid on all systems.
fn package_folder(package: &str, taken: &mut HashSet<String>) -> PathBuf {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let plain: String = package.chars().map(|c| if is_plain(c) { c } else { '_' }).take(100).collect();
    let plain = plain.trim_start_matches('.');
    let plain = if plain.is_empty() { "package" } else { plain };
    let mut name = plain.to_owned();
    let mut more = 2;
    while !taken.insert(name.to_lowercase()) {
        name = format!("{plain}-{more}");
        more += 1;
    }
    PathBuf::from(name)
}

/// Joins documents into a single file. Returns its name and content.
fn join_documents(catalog: &Catalog, documents: &[DocId]) -> (&'static Path, Vec<u8>) {
    let is_json = documents.iter().all(|doc| catalog.format(*doc) == Some(Format::Json));
    let is_yaml = documents.iter().all(|doc| catalog.format(*doc) == Some(Format::Yaml));
    let name = Path::new(if is_json { "catalog.json" } else { "catalog.yaml" });
    if is_json || is_yaml {
        let mut bytes = Vec::new();
        for text in documents.iter().filter_map(|doc| catalog.document_text(*doc)) {
            let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
            if is_yaml && !text.starts_with(b"---") {
                bytes.extend_from_slice(b"---\n");
            }
            bytes.extend_from_slice(text);
            if !text.ends_with(b"\n") {
                bytes.push(b'\n');
            }
        }
        let wanted = ChunkKind::Document(if is_json { Format::Json } else { Format::Yaml });
        let chunks = split::split_chunks(&bytes);
        if chunks.len() == documents.len() && chunks.iter().all(|chunk| chunk.kind == wanted) {
            return (name, bytes);
        }
    }
    let trees: Vec<Node<'_>> =
        documents.iter().filter_map(|doc| catalog.parse_document(*doc)?.ok()).collect();
    (Path::new("catalog.yaml"), canonical::render_documents(&trees, RenderFormat::Yaml).into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use olm_catalog::{Origin, load};

    fn file_layout(files: &[(&str, &str)]) -> Vec<(String, String)> {
        let texts = files.iter().map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec()));
        let catalog = load::from_texts(Origin::Stdin, texts);
        let text = |(path, bytes): (PathBuf, Vec<u8>)| {
            (path.display().to_string().replace('\\', "/"), String::from_utf8(bytes).unwrap())
        };
        catalog_files(&catalog).into_iter().map(text).collect()
    }

    #[test]
    fn each_package_gets_a_folder_with_unchanged_documents() {
        let a = "schema: olm.package # by hand\nname:   a";
        let b = "---\nschema: olm.package\nname: b\n---\nschema: x\npackage: a\n";
        let all = file_layout(&[
            ("a.yaml", a),
            ("b.yaml", b),
            ("c.yaml", "schema: y\n"),
            ("d.json", "{\"schema\":\"z\", \"package\": \"c\"}"),
        ]);
        let expected = [
            ("catalog.yaml", "---\nschema: y\n".to_owned()),
            ("a/catalog.yaml", format!("---\n{a}\n---\nschema: x\npackage: a\n")),
            ("b/catalog.yaml", "---\nschema: olm.package\nname: b\n".to_owned()),
            ("c/catalog.json", "{\"schema\":\"z\", \"package\": \"c\"}\n".to_owned()),
        ];
        assert_eq!(all, expected.map(|(path, text)| (path.to_owned(), text)));
    }

    #[test]
    fn mixed_formats_become_yaml() {
        let all = file_layout(&[
            ("a.yaml", "schema: olm.package\nname: a\n"),
            ("b.json", "{\"schema\":\"z\", \"package\": \"a\"}"),
        ]);
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].0, "a/catalog.yaml");
        assert_eq!(all[0].1.matches("---\n").count(), 2);
    }

    #[test]
    fn package_names_cannot_leave_the_directory() {
        let mut taken = HashSet::new();
        let mut of = |name: &str| package_folder(name, &mut taken).display().to_string();
        assert_eq!(of("../etc"), "_etc");
        assert_eq!(of(".._etc"), "_etc-2");
        assert_eq!((of("A"), of("a")), ("A".to_owned(), "a-2".to_owned()));
        assert_eq!((of(".."), of("/")), ("package".to_owned(), "_".to_owned()));
        assert_eq!(of("a\u{1b}[2J"), "a__2J");
    }
}
