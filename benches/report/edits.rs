//! Benchmarks of edits of a large file: preview after each key press, undo and save.

use std::{env, fs, path::Path, sync::Arc, time::Duration};

use olm_catalog::{
    BundleName, Catalog, ChannelName, PackageName,
    blob::{DeprecationTarget, EntrySpec},
    load,
    package::Package,
};
use olm_check::review::{Consequences, Snapshot};
use olm_edit::{
    Edit,
    operation::NewIcon,
    save::{DirectoryLock, StateDirectory},
};
use olmap::tui::session::editing::History;

use super::{
    BenchContext, generated_catalog,
    measure::{Times, format_ms, format_ratio, goal_verdict, measure_runs, time_run},
    reference_times,
    table::Table,
};

/// Number of previews.
const PREVIEWS: usize = 40;
/// Number of saves.
const SAVES: usize = 12;
/// Time limits for a preview and for a save.
const GOALS: [Duration; 2] = [Duration::from_millis(16), Duration::from_millis(200)];

pub fn edits_section(ground: &BenchContext) -> String {
    let mut table =
        Table::new(&["what", "format", "median, ms", "slowest", "of `sha256sum`", "goal, ms", ""]);
    let size: usize = env::var("OLMAP_BENCH_MB").map_or(50, |size| size.parse().unwrap());
    for format in ["yaml", "json"] {
        let path = ground.folder.path().join(format!("catalog.{format}"));
        generated_catalog::write_catalog(&path, size * 1_000_000, format == "json").unwrap();
        measure_edits(&path, &format.to_uppercase(), &mut table);
        fs::remove_file(&path).unwrap();
    }
    format!("One file of {size} MB.\n\n{}", table.into_markdown())
}

fn measure_edits(path: &Path, format: &str, table: &mut Table) {
    let catalog = load::open_catalog(path).unwrap();
    let sum = reference_times::time_sha256sum(&reference_times::list_files(path), SAVES);
    let mut row = |what: &str, times: &Times, goal: Duration| {
        table.add_row([
            what.to_owned(),
            format.to_owned(),
            format_ms(times.median()),
            format_ms(times.slowest()),
            format_ratio(times.median(), sum),
            goal.as_millis().to_string(),
            goal_verdict(times.median(), goal),
        ]);
    };
    let start = Arc::new(Snapshot::new(catalog));
    for (what, edits) in sample_edits(largest_package(&start.catalog)) {
        row(what, &measure_runs(PREVIEWS, |run| preview(&start, &edits[run % edits.len()])), GOALS[0]);
    }
    let entry = sample_edits(largest_package(&start.catalog)).remove(0).1;
    let mut history = History::new(start.clone());
    for edit in &entry {
        let after = history.now().after_change(olm_edit::apply_edit(&history.now().catalog, edit).unwrap());
        history.push(Arc::new(after), edit.clone());
    }
    row("undo", &measure_runs(entry.len(), |_| assert!(history.undo().is_some())), GOALS[0]);
    let mut on_disk: Arc<Catalog> = start.catalog.clone();
    let saves = (0..SAVES).map(|run| {
        let after = Arc::new(olm_edit::apply_edit(&on_disk, &entry[run % entry.len()]).unwrap());
        let time = time_run(|| {
            // The explorer also checks for losses before it saves.
            let states = [(&*on_disk, &*after)];
            assert!(olm_edit::save::catalog_losses(&states, &StateDirectory::default_location()).is_empty());
            olm_edit::save::save_catalogs(&states, &mut DirectoryLock::with_default_state())
                .unwrap()
                .ignore_warning();
        });
        on_disk = after;
        time
    });
    row("save", &Times::from_durations(saves), GOALS[1]);
}

/// Computes the result of an edit and its consequences, as the explorer does after each key press in a form.
fn preview(before: &Snapshot, edit: &Edit) {
    let after = before.after_change(olm_edit::apply_edit(&before.catalog, edit).unwrap());
    assert!(!after.changed_packages(before).is_empty());
    std::hint::black_box(Consequences::compare_snapshots(before, &after));
}

/// Returns the package with the most bundles.
fn largest_package(catalog: &Catalog) -> &Package {
    catalog.packages().max_by_key(|package| package.bundles.len()).unwrap()
}

/// Returns edits by kind, as a user may type them. Adjacent edits differ.
fn sample_edits(package: &Package) -> Vec<(&'static str, Vec<Edit>)> {
    let name = || package.name.clone();
    let channel = &package.channels[0];
    let (first, last) = (&channel.entries[0], &channel.entries[channel.entries.len() - 1]);
    let set = |range: String| {
        let spec = EntrySpec { skip_range: Some(range), ..last.to_spec() };
        let (channel, entry) = (channel.name.value.clone(), last.name.value.clone());
        Edit::SetEntry { package: name(), channel, entry, spec }
    };
    let bundles: Vec<BundleName> = package.bundles.iter().map(|bundle| bundle.name.value.clone()).collect();
    let middle = bundles[bundles.len() / 2].clone();
    let say = |nth: usize| Edit::Deprecate {
        package: name(),
        target: DeprecationTarget::Bundle(middle.clone()),
        message: "Use another one.".chars().take(nth + 1).collect(),
    };
    let new_entry = |package: PackageName, channel: &ChannelName| Edit::AddEntry {
        package,
        channel: channel.clone(),
        entry: "new.v99.0.0".into(),
        spec: EntrySpec { replaces: Some(last.name.value.clone()), ..EntrySpec::default() },
    };
    let everywhere = package.channels.iter().map(|channel| new_entry(name(), &channel.name.value)).collect();
    let icon = NewIcon { base64data: "aWNvbg==".repeat(2_000), mediatype: "image/png".to_owned() };
    let copy = Edit::copy_channel(package, channel.name.value.as_str(), "copy".into(), None).unwrap();
    vec![
        ("an entry's skipRange", (0..8).map(|n| set(format!(">=1.0.0 <1.{n}.0"))).collect()),
        ("a new entry in every channel", vec![Edit::Several { title: String::new(), edits: everywhere }]),
        ("an entry gone", vec![remove_entry(name(), channel.name.value.clone(), &first.name.value)]),
        ("another default channel", {
            let other = package.channels.last().unwrap().name.value.clone();
            vec![Edit::SetDefaultChannel { package: name(), channel: other }]
        }),
        ("a channel copied", vec![copy]),
        ("a channel renamed", {
            let channel = channel.name.value.clone();
            vec![Edit::RenameChannel { package: name(), channel, to: "another".into() }]
        }),
        ("a bundle deprecated, the first of all", (4..12).map(say).collect()),
        (
            "a bundle gone, entries repaired",
            vec![Edit::RemoveBundle { package: name(), bundle: middle.clone() }],
        ),
        ("the older half gone", {
            let version = package.bundle_version(middle.as_str()).unwrap().version.clone();
            vec![Edit::LeaveOutBelow { package: name(), version }]
        }),
        ("an icon", vec![Edit::SetIcon { package: name(), icon: Some(icon) }]),
    ]
}

fn remove_entry(package: PackageName, channel: ChannelName, entry: &BundleName) -> Edit {
    Edit::RemoveEntry { package, channel, entry: entry.clone() }
}
