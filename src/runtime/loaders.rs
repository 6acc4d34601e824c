//! Work of background jobs on files: bundle manifests and images, the history of a package, the result of
//! oc-mirror, and completion of paths.

use std::path::{Path, PathBuf};
use std::{collections::BTreeMap, fs, sync::Arc, sync::atomic::Ordering};

use rayon::{ThreadPoolBuilder, prelude::*};

use super::file_output::expand_home;
use crate::tui::work::outcome::{
    BundleComparison, FetchOutcome, FoundManifests, ManifestLocation, ManifestLookup, MirrorPreview,
    PathCompletions,
};
use crate::{tui::UserError, tui::work::effect::BundleLocator, tui::work::preview};
use olm_bundle::step::{Judgement, StepBundle, StoredVersions, judge_step};
use olm_bundle::{
    Tree, compare::Comparison, manifests::BundleManifests, outline::Outline, registry::DirectoryContents,
};
use olm_catalog::load::{LoadError, Progress, quotable, regular_file};
use olm_catalog::{
    BundleName, BundleSource, Catalog, PackageName, load::git::history::PackageHistory, problem::ProblemKind,
};
use olm_check::review::history::{CommitEffect, History, HistoryStep, StateSequence};
use olm_check::{review::Snapshot, review::diff::ChangeKind};
use olm_plan::mirror::{self, CheckQuestion, MirrorCheck, Section};
use olm_source::{
    Access, ImageAccess, ImageUnavailable, ManifestSearchPath, UnreachableHosts,
    bundles::{find_bundle_folder, find_directory, find_version_directories},
    cache::Cache,
    read_bundle_directory,
};
use olm_upgrade::Engine;
use olmap_report::omissions::OmittedPart;

/// Maximum number of concurrent fetches. Registries answer slowly, and limit the number of requests.
const MAX_CONCURRENT: usize = 4;

/// Maximum number of states in memory.
const MAX_LOADED: usize = 32;

/// Maximum number of names in a line.
const MAX_NAMES: usize = 3;

/// Maximum number of names in the result.
const MAX_LISTED: usize = 200;

/// Maximum number of directory entries that are read.
const MAX_ENTRIES: usize = 100_000;

/// Returns the contents of a bundle.
pub fn load_bundle_contents(
    sought: &BundleLocator,
    search_path: &ManifestSearchPath,
) -> Result<ManifestLookup, UserError> {
    Ok(load_bundle_tree(sought, search_path)?
        .map_or(ManifestLookup::NotFetched, |(place, tree)| inspect_bundle(place, &tree)))
}

/// Reads the manifests of a bundle; `None` if its image is not cached.
fn load_bundle_tree(
    sought: &BundleLocator,
    search_path: &ManifestSearchPath,
) -> Result<Option<(ManifestLocation, Tree)>, UserError> {
    let BundleLocator { source: home, image, bundle, version } = sought;
    let directory = home.as_ref().and_then(|home| find_directory(home, bundle.as_str(), version));
    if let Some(directory) = directory.or_else(|| find_in_folders(sought, search_path)) {
        let tree = read_bundle_directory(&directory).map_err(|error| UserError::new(error.to_string()))?;
        return Ok(Some((ManifestLocation::Directory(directory), tree)));
    }
    match (image, home) {
        (Some(image), home) => match search_path.images.load_bundle(image, &Progress::default()) {
            Ok(tree) => Ok(Some((ManifestLocation::Image(image.clone()), tree))),
            Err(ImageUnavailable::NotFetched) => match home {
                Some(home) => Err(no_directory_error(home, sought)),
                None => Ok(None),
            },
            Err(ImageUnavailable::Failed { why, hint }) => Err(UserError { message: why, hint }),
        },
        (None, Some(home)) => Err(no_directory_error(home, sought)),
        (None, None) => Ok(None),
    }
}

/// Returns the directory of a bundle in the folders of a search path.
fn find_in_folders(
    BundleLocator { bundle, version, .. }: &BundleLocator,
    search_path: &ManifestSearchPath,
) -> Option<PathBuf> {
    let folders = search_path.folders.iter().filter_map(|path| find_bundle_folder(path));
    let typed = search_path.package_directories.values().flatten();
    let mut all = folders.chain(typed.filter_map(|path| find_version_directories(path)));
    all.find_map(|folder| folder.find_bundle(bundle.as_str(), version))
}

fn inspect_bundle(place: ManifestLocation, tree: &Tree) -> ManifestLookup {
    let inside = Arc::new(Outline::from_directory(&DirectoryContents::from_tree(tree), tree));
    ManifestLookup::Found(Arc::new(FoundManifests { location: place, outline: inside }))
}

fn no_directory_error(home: &BundleSource, BundleLocator { bundle, .. }: &BundleLocator) -> UserError {
    let (BundleSource::Directory { path, .. } | BundleSource::Operator(path)) = home;
    UserError::new(format!("no directory of {} has {bundle}", path.display()))
}

/// Compares two bundles whose manifests are available locally.
pub fn compare_bundles(
    [old, new]: &[BundleLocator; 2],
    search_path: &ManifestSearchPath,
) -> Result<Arc<BundleComparison>, UserError> {
    let read = |sought: &BundleLocator| match load_bundle_tree(sought, search_path)? {
        Some((place, tree)) => {
            let inside = Outline::from_directory(&DirectoryContents::from_tree(&tree), &tree);
            let shown = match place {
                ManifestLocation::Directory(path) => path.to_string_lossy().into_owned(),
                ManifestLocation::Image(image) => image,
            };
            Ok((inside, StepBundle::from_manifests(BundleManifests { tree, shown: Some(shown) })))
        }
        None => Err(UserError::new(format!("the image of {} was not fetched", sought.bundle))),
    };
    let ((before, old), (after, new)) = (read(old)?, read(new)?);
    let step = match (&old, &new) {
        (Ok(old), Ok(new)) => judge_step(old, new, &StoredVersions::new()),
        (Err(reason), _) | (_, Err(reason)) => Judgement::not_checked(reason.clone()),
    };
    Ok(Arc::new(BundleComparison { comparison: Comparison::compare_outlines(&before, &after), step }))
}

/// Fetches images and reports each result. Images that are not started before the user cancels are not
/// reported.
pub fn fetch_images(
    images: &[(BundleName, String)],
    access: &Access,
    progress: &Progress,
    report: &(dyn Fn(&BundleName, Result<FetchOutcome, UserError>) + Sync),
) {
    // The user retries, so hosts that failed before are tried again.
    let access = &Access { unreachable_hosts: UnreachableHosts::default(), ..access.clone() };
    let one = |(bundle, image): &(BundleName, String)| {
        if progress.stop.load(Ordering::Relaxed) {
            return;
        }
        let outcome = fetch_image(image, access, progress);
        if outcome.is_err() && progress.stop.load(Ordering::Relaxed) {
            return;
        }
        report(bundle, outcome);
    };
    match ThreadPoolBuilder::new().num_threads(MAX_CONCURRENT).build() {
        Ok(pool) => pool.install(|| images.par_iter().with_max_len(1).for_each(one)),
        Err(_) => images.iter().for_each(one),
    }
}

/// Fetches one image. An image that the cache cannot keep counts as failed, because it could not be opened
/// later.
fn fetch_image(image: &str, access: &Access, progress: &Progress) -> Result<FetchOutcome, UserError> {
    let cached = ImageAccess::only_cached(access);
    if cached.load_bundle(image, progress).is_ok() {
        return Ok(FetchOutcome::Cached);
    }
    let refused = |why: String, hint: Option<String>| UserError { message: why, hint };
    match ImageAccess::Fetched(access.clone()).load_bundle(image, progress) {
        Ok(_) if cached.may_have(image) => Ok(FetchOutcome::Fetched),
        Ok(_) => Err(refused(
            "the cache cannot keep it".to_owned(),
            Some("olmap doctor shows the cache".to_owned()),
        )),
        Err(ImageUnavailable::NotFetched) => Err(refused("no connection may be opened".to_owned(), None)),
        Err(ImageUnavailable::Failed { why, hint }) => Err(refused(why, hint)),
    }
}

/// Reads the history of a package in a catalog on disk. The result contains commits after the revision
/// `since`, and at most `most` commits with changes.
///
/// # Errors
///
/// Fails like [`PackageHistory::load`]. Commits that cannot be read are part of the result.
pub fn load_history(
    path: &Path,
    package: &PackageName,
    since: Option<&str>,
    most: Option<usize>,
    progress: &Progress,
) -> Result<History, LoadError> {
    let read = PackageHistory::load(path, package, since, progress)?;
    let most = most.unwrap_or(usize::MAX);
    let mut chain = StateSequence::new(package.clone());
    let mut did: BTreeMap<usize, CommitEffect> = BTreeMap::new();
    let last = read.len() + 1;
    let mut next = 0;
    // The oldest known commit may still need a commit before it.
    while next < last && did.len() <= most {
        let until = next.saturating_add(MAX_LOADED).min(last);
        let states = read.load_states(next..until, progress)?.into_iter();
        did.extend(chain.add_states(
            states.map(|state| require_readable(state.map_err(|why| why.0)?, package)).collect(),
        ));
        progress.check_stopped()?;
        next = until;
    }
    if next == last {
        did.extend(chain.finish_sequence());
        // Content that existed before the oldest commit is not a change.
        did.remove(&read.len());
    }
    let is_cut = next < last || did.len() > most;
    let mut steps = Vec::new();
    for (number, committed) in read.commits().enumerate() {
        let Some(did) = did.remove(&number).filter(|_| steps.len() < most) else { continue };
        let came = matches!(&did, CommitEffect::Changed(changed) if changed.package.change_kind != ChangeKind::Changed);
        let moved = if came { read.moved_path(number)? } else { None };
        steps.push(HistoryStep { committed: committed.clone(), effect: did, moved });
    }
    Ok(History { package: package.clone(), steps, is_cut, is_shallow: read.is_shallow() })
}

/// Returns a state that is completely readable. A partly readable state would look like a removal.
fn require_readable(catalog: Catalog, package: &PackageName) -> Result<Catalog, String> {
    let outside = catalog.problems().count_kinds(ProblemKind::is_error);
    let inside =
        catalog.package(package.as_str()).map_or(0, |own| own.problems.count_kinds(ProblemKind::stops_opm));
    if outside + inside == 0 {
        return Ok(catalog);
    }
    let left_out = OmittedPart::unread_in_packages(&catalog, |name| name == package);
    Err(left_out.map_or_else(|| "opm cannot read it".to_owned(), |left_out| left_out.first))
}

/// Returns the history for the explorer, with a maximum number of commits.
pub(super) fn load_explorer_history(
    path: &Path,
    package: &PackageName,
    progress: &Progress,
) -> Result<Arc<History>, UserError> {
    const MOST: usize = 500;
    let read = load_history(path, package, None, Some(MOST), progress);
    read.map(Arc::new).map_err(|error| UserError { message: error.to_string(), hint: error.hint() })
}

/// Loads a configuration and applies it to the catalog.
pub(super) fn apply_configuration(
    snapshot: &Arc<Snapshot>,
    asked: &Path,
) -> Result<Box<MirrorPreview>, UserError> {
    let (file, number) = split_number(asked);
    let said = |error: std::io::Error| UserError::new(format!("cannot read {}: {error}", file.display()));
    let bytes = regular_file::read_regular(&file, regular_file::MAX_HANDWRITTEN_SIZE).map_err(said)?;
    let sections =
        mirror::parse_configuration(&bytes).map_err(|broken| match quotable::check_quotable(&file) {
            Ok(()) => UserError { message: broken.to_string(), hint: broken.kind.hint().map(str::to_owned) },
            Err(why) => UserError::new(format!("line {} is wrong; it is not shown: {why}", broken.line)),
        })?;
    let section = select_section(sections, number)?;
    let catalog = &snapshot.catalog;
    let refused = |fault: mirror::MirrorError| UserError {
        message: format!("oc-mirror refuses it: {fault}"),
        hint: fault.hint(),
    };
    let filtered = mirror::filter_catalog(catalog, &section).map_err(refused)?;
    let question = CheckQuestion { engines: vec![Engine::Classic, Engine::V1], installed: Vec::new() };
    let check = mirror::check_upgrades(catalog, &section, &question).map_err(refused)?;
    let outcome = preview::preview_edit(snapshot, mirror::build_filter_edit(catalog, &filtered), &[])
        .map_err(UserError::new)?;
    let count = |of: &olm_catalog::Catalog| of.packages().map(|package| package.bundles.len()).sum::<usize>();
    let words = format!(
        "oc-mirror: {} of {} bundles mirrored, {}",
        count(&filtered),
        count(catalog),
        describe_lost_upgrades(&check)
    );
    let fails = check.failures().next().is_some();
    Ok(Box::new(MirrorPreview { outcome: Arc::clone(&outcome), summary: words, has_worse_off_users: fails }))
}

/// Splits `FILE#2`, which selects the second catalog of a file.
fn split_number(asked: &Path) -> (std::path::PathBuf, Option<usize>) {
    let text = asked.to_string_lossy();
    let split = text.rsplit_once('#').and_then(|(file, number)| Some((file, number.parse().ok()?)));
    match split {
        Some((file, number)) if !asked.exists() => (expand_home(file.into()), Some(number)),
        _ => (expand_home(asked.to_owned()), None),
    }
}

/// Returns the catalog of a configuration with a number, or the only one.
fn select_section(sections: Vec<Section>, number: Option<usize>) -> Result<Section, UserError> {
    let all = sections.len();
    let at = match number {
        None if all > 1 => {
            let names: Vec<&str> = sections.iter().map(|section| section.catalog.as_str()).collect();
            return Err(UserError {
                message: format!("it mirrors {all} catalogs: {}", names.join(", ")),
                hint: Some("put #1, #2 ... behind the path".to_owned()),
            });
        }
        None => Some(0),
        Some(number) => number.checked_sub(1),
    };
    let found = at.and_then(|at| sections.into_iter().nth(at));
    found.ok_or_else(|| {
        UserError::new(if all == 0 {
            "it mirrors no catalog".to_owned()
        } else {
            format!("it mirrors {all}")
        })
    })
}

/// Lists the installed versions that lose upgrades.
fn describe_lost_upgrades(check: &MirrorCheck) -> String {
    let mut who: Vec<String> = Vec::new();
    for position in check.failures() {
        let words = format!("{} ({})", position.installed, position.impact.as_str());
        if !who.contains(&words) {
            who.push(words);
        }
    }
    let rejected = if check.rejections.is_empty() { "" } else { ", and opm rejects what is mirrored" };
    let words = match who.len() {
        0 => "all installed versions can be upgraded".to_owned(),
        1 => format!("1 installed version cannot be upgraded as before: {}", who.concat()),
        n => {
            let more =
                n.checked_sub(MAX_NAMES).filter(|more| *more > 0).map(|more| format!(" and {more} more"));
            let told = who.iter().take(MAX_NAMES).cloned().collect::<Vec<_>>().join(", ");
            format!("{n} installed versions cannot be upgraded as before: {told}{}", more.unwrap_or_default())
        }
    };
    format!("{words}{rejected}")
}

/// Returns the names on disk that continue a path. Hidden names need a typed dot. Names with invalid UTF-8
/// are skipped because they cannot be typed.
pub fn complete_path(typed: &str, cache: Option<&Cache>) -> Result<PathCompletions, UserError> {
    if let Some(begun) = ["docker://", "https://", "http://"].into_iter().find(|sign| typed.starts_with(sign))
    {
        return Ok(cached_names(typed, begun, cache));
    }
    if typed == "~" {
        return Ok(PathCompletions::from_names(vec!["~/".to_owned()], 1));
    }
    let (folder, begun) = typed.rfind('/').map_or(("", typed), |at| typed.split_at(at + 1));
    let place = if folder.is_empty() { PathBuf::from(".") } else { expand_home(PathBuf::from(folder)) };
    let entries = fs::read_dir(&place).map_err(|error| UserError::new(format!("{folder}: {error}")))?;
    let names = entries.take(MAX_ENTRIES).filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names
        .filter(|name| name.starts_with(begun) && (begun.starts_with('.') || !name.starts_with('.')))
        .collect();
    names.sort_unstable();
    let shared = PathCompletions::common_prefix(&names).len();
    let more = names.len().saturating_sub(MAX_LISTED);
    names.truncate(MAX_LISTED);
    for name in &mut names {
        if fs::metadata(place.join(&*name)).is_ok_and(|found| found.is_dir()) {
            name.push('/');
        }
    }
    // A single name is completed including its slash.
    let shared = match names.as_slice() {
        [one] => one.len(),
        _ => shared,
    };
    Ok(PathCompletions {
        omitted_count: more,
        common_len: shared.saturating_sub(begun.len()),
        ..PathCompletions::from_names(names, begun.len())
    })
}

/// Returns cached images and addresses that continue a reference.
fn cached_names(typed: &str, begun: &str, cache: Option<&Cache>) -> PathCompletions {
    let whole = |name: String| if name.contains("://") { name } else { format!("docker://{name}") };
    let all = cache.map(Cache::all_names).unwrap_or_default().into_iter().map(whole);
    let mut names: Vec<String> = all.filter(|name| name.starts_with(typed)).collect();
    let more = names.len().saturating_sub(MAX_LISTED);
    names.truncate(MAX_LISTED);
    // Only the part after the common beginning is listed.
    let rest = |name: String| name.get(begun.len()..).unwrap_or_default().to_owned();
    PathCompletions {
        omitted_count: more,
        ..PathCompletions::from_names(names.into_iter().map(rest).collect(), typed.len() - begun.len())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use olm_source::{Digest, cache::LastDigest};

    #[test]
    fn matching_names_are_listed_with_their_common_prefix() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["catalogs/v4.18", "catalogs/v4.20", "cat.d", ".git"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        fs::write(root.path().join("ci.yaml"), "").unwrap();
        let told = |typed: &str| {
            let names = complete_path(&format!("{}/{typed}", root.path().display()), None).unwrap();
            (names.untyped_prefix().to_owned(), names.names)
        };
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            told(""),
            ("c".to_owned(), list(&["cat.d/", "catalogs/", "ci.yaml"])),
            "hidden ones are not"
        );
        assert_eq!(told("ca"), ("t".to_owned(), list(&["cat.d/", "catalogs/"])));
        assert_eq!(told("cata"), ("logs/".to_owned(), list(&["catalogs/"])));
        assert_eq!(told("catalogs/"), ("v4.".to_owned(), list(&["v4.18/", "v4.20/"])));
        assert_eq!(told("."), ("git/".to_owned(), list(&[".git/"])));
        assert_eq!(told("x"), (String::new(), Vec::new()));
        let refused = complete_path(&format!("{}/nowhere/", root.path().display()), None).unwrap_err();
        assert!(refused.message.contains("nowhere/: "), "{}", refused.message);
        assert_eq!(complete_path("~", None).unwrap().untyped_prefix(), "/");
    }

    #[test]
    fn bundles_of_the_search_path_are_compared() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/safety/kettle");
        let locators = ["1.0.0", "1.1.0"].map(|version| BundleLocator {
            source: None,
            image: Some(format!("example.com/kettle:{version}")),
            bundle: format!("kettle.v{version}").into(),
            version: version.to_owned(),
        });
        let refused = compare_bundles(&locators, &ManifestSearchPath::default()).unwrap_err();
        assert_eq!(refused.message, "the image of kettle.v1.0.0 was not fetched");
        let folders = ManifestSearchPath { folders: vec![root.clone()], ..ManifestSearchPath::default() };
        let typed = BTreeMap::from([("kettle".into(), BTreeSet::from([root.join("1.2.0")]))]);
        let typed = ManifestSearchPath { package_directories: typed, ..ManifestSearchPath::default() };
        for search_path in [folders, typed] {
            let compared = compare_bundles(&locators, &search_path).unwrap();
            assert!(!compared.comparison.is_empty());
        }
    }

    #[test]
    fn common_prefix_covers_names_beyond_the_limit() {
        let root = tempfile::tempdir().unwrap();
        for at in 0..MAX_LISTED {
            fs::write(root.path().join(format!("file-{at:04}")), "").unwrap();
        }
        fs::write(root.path().join("fun"), "").unwrap();
        let names = complete_path(&format!("{}/", root.path().display()), None).unwrap();
        assert_eq!((names.untyped_prefix(), names.names.len(), names.omitted_count), ("f", MAX_LISTED, 1));
    }

    #[test]
    fn cached_images_are_proposed() {
        let root = tempfile::tempdir().unwrap();
        let cache = Cache::in_folder(root.path().to_owned());
        let digest = Digest::sha256(b"x");
        for name in
            ["quay.example/ns/cat:v1", "quay.example/ns/cat:v2", "https://quay.example/catalogs/a/api/v1/all"]
        {
            cache.store_name(&LastDigest::seen_now(name, &digest));
        }
        let told = |typed: &str| complete_path(typed, Some(&cache)).unwrap();
        assert_eq!(told("docker://").names, ["quay.example/ns/cat:v1", "quay.example/ns/cat:v2"]);
        assert_eq!(told("docker://quay").untyped_prefix(), ".example/ns/cat:v");
        assert_eq!(told("https://").names, ["quay.example/catalogs/a/api/v1/all"]);
        assert!(told("docker://other").names.is_empty());
        assert!(complete_path("docker://", None).unwrap().names.is_empty());
    }
}
