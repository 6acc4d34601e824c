//! Tests of the commit history of a package, and of the what-if of a mirror.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use insta::assert_snapshot;
use olm_catalog::load::{self, Progress, git};
use olm_check::review::{
    Snapshot,
    history::{History, HistoryStep, StateSequence},
};
use olm_edit::{Edit, kept_parts::KeptPackage};
use olmap::tui::{
    Effect, Source, UserError,
    keys::Dialog,
    session::jobs::{
        dialog_questions::MirrorRequest,
        git_history::{CommitRequest, HistoryRequest},
    },
    work::{JobSlot, outcome::MirrorPreview, preview},
};
use tempfile::TempDir;

use super::{git as run, support::ExplorerDriver};

fn tide_catalog(versions: &[&str]) -> String {
    let mut text =
        "schema: olm.package\nname: tide\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: \
                    tide\nname: stable\nentries:\n"
            .to_owned();
    let mut before: Option<&str> = None;
    for version in versions {
        let _ = writeln!(text, "- name: tide.v{version}");
        let _ = before.map_or(Ok(()), |before| writeln!(text, "  replaces: tide.v{before}"));
        before = Some(version);
    }
    for version in versions {
        let _ = write!(
            text,
            "---\nschema: olm.bundle\npackage: tide\nname: tide.v{version}\nimage: example.com/tide:{version}\nproperties:\n- \
             {{type: olm.package, value: {{packageName: tide, version: {version}}}}}\n"
        );
    }
    text
}

/// Creates a repository with three commits. Author and message of the second contain control
/// characters.
fn create_repository() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    run::init(folder.path());
    for (day, author, message, versions) in [
        ("2025-01-01", "Ann Other", "Add tide", &["1.0.0", "1.1.0"] as &[_]),
        (
            "2025-02-01",
            "Bo\u{1b}[2J\u{202e}Sun",
            "Release 1.2.0\u{7}\u{1b}[31m",
            &["1.0.0", "1.1.0", "1.2.0"],
        ),
        ("2025-03-01", "Ann Other", "Release 1.3.0, prune 1.0.0 (#12)", &["1.1.0", "1.2.0", "1.3.0"]),
    ] {
        fs::create_dir_all(catalog_dir(&folder)).unwrap();
        fs::write(catalog_dir(&folder).join("tide.yaml"), tide_catalog(versions)).unwrap();
        run::git_on(day, folder.path(), &["add", "-A"]);
        let author = format!("{author} <someone@example.com>");
        run::git_on(day, folder.path(), &["commit", "-q", "--author", &author, "-m", message]);
    }
    folder
}

/// Returns the directory of the catalog.
fn catalog_dir(folder: &TempDir) -> PathBuf {
    folder.path().join("cat")
}

fn open_catalog(folder: &Path, columns: u16, rows: u16) -> ExplorerDriver {
    let catalog = load::open_catalog(folder).unwrap();
    // The name is the same on every machine.
    let mut hand = ExplorerDriver::open_source(Source::Path("catalog".into()), catalog, columns, rows);
    hand.press("2");
    hand
}

/// Loads the history like the runtime.
fn load_history(folder: &Path) -> Arc<History> {
    let progress = Progress::default();
    let read = git::history::PackageHistory::load(folder, &"tide".into(), None, &progress).unwrap();
    let states = read.load_states(0..read.len() + 1, &progress).unwrap();
    let mut chain = StateSequence::new("tide".into());
    let mut did = chain.add_states(states.into_iter().map(|state| state.map_err(|why| why.0)).collect());
    did.sort_by_key(|(number, _)| *number);
    let steps = read.commits().zip(did);
    let steps = steps.map(|(by, (_, did))| HistoryStep { committed: by.clone(), effect: did, moved: None });
    Arc::new(History { package: "tide".into(), steps: steps.collect(), is_cut: false, is_shallow: false })
}

/// Answers requests for the history and for past commits; returns whether there were any.
fn answer_history_requests(hand: &mut ExplorerDriver, folder: &Path) -> bool {
    let mut answered = false;
    for effect in std::mem::take(&mut hand.effects) {
        if let Some(asked) = effect.question::<HistoryRequest>() {
            hand.answer(asked, Ok(load_history(folder)));
            answered = true;
        } else if let Some(asked) = effect.question::<CommitRequest>() {
            let revision = git::Revision { revision: asked.commit.clone(), path: None };
            let catalog = git::open_revision(&revision, folder, &Progress::default()).unwrap();
            hand.answer(asked, Ok(Arc::new(Snapshot::new(catalog))));
            answered = true;
        }
    }
    answered
}

fn press_and_answer(hand: &mut ExplorerDriver, folder: &Path, keys: &str) {
    for key in keys.split(' ') {
        hand.press(key);
        answer_history_requests(hand, folder);
    }
}

fn open_dialog_id(hand: &ExplorerDriver) -> Option<Dialog> {
    hand.model.dialogs.last().map(|dialog| dialog.id())
}

fn has_version(hand: &ExplorerDriver, version: &str) -> bool {
    let package = hand.model.session.selected_package().unwrap();
    package.package().bundle(&format!("tide.v{version}")).is_some()
}

fn shown_commit_date(hand: &ExplorerDriver) -> Option<String> {
    Some(hand.model.session.catalogs.past_commit()?.step()?.committed.date.to_string())
}

#[test]
fn history_at_several_sizes() {
    let folder = create_repository();
    let mut all = String::new();
    for (columns, rows) in [(160, 48), (120, 36), (100, 30), (80, 24), (60, 18), (50, 15)] {
        let mut hand = open_catalog(&catalog_dir(&folder), columns, rows);
        hand.press("ctrl-l");
        let _ = write!(all, "== {columns}x{rows}, while it is read\n{}", hand.screen());
        answer_history_requests(&mut hand, &catalog_dir(&folder));
        let _ = write!(all, "== the commits\n{}", hand.screen());
        press_and_answer(&mut hand, &catalog_dir(&folder), "j enter");
        let _ = write!(all, "== as of the second\n{}", hand.screen());
    }
    assert!(!all.contains('\u{1b}') && !all.contains('\u{202e}'));
    assert_snapshot!(all);
}

#[test]
fn keys_move_between_commits_and_back_to_the_present() {
    let folder = create_repository();
    let mut hand = open_catalog(&catalog_dir(&folder), 110, 30);
    press_and_answer(&mut hand, &catalog_dir(&folder), "ctrl-l enter");
    assert_eq!((shown_commit_date(&hand).as_deref(), open_dialog_id(&hand)), (Some("2025-03-01"), None));
    press_and_answer(&mut hand, &catalog_dir(&folder), "{");
    assert_eq!(shown_commit_date(&hand).as_deref(), Some("2025-02-01"));
    assert!(has_version(&hand, "1.0.0") && !has_version(&hand, "1.3.0"));
    for screen in ["1", "2", "3", "4", "5", "6"] {
        hand.press(screen);
        assert!(hand.shows("tide as of "), "{}", hand.screen());
    }
    hand.press("2");
    press_and_answer(&mut hand, &catalog_dir(&folder), "{ {");
    assert_eq!(shown_commit_date(&hand).as_deref(), Some("2025-01-01"));
    assert!(hand.shows("no older commit"), "{}", hand.screen());
    press_and_answer(&mut hand, &catalog_dir(&folder), "} } }");
    assert_eq!(shown_commit_date(&hand), None, "after the newest comes the present");
    assert!(has_version(&hand, "1.3.0"));
    press_and_answer(&mut hand, &catalog_dir(&folder), "ctrl-l j enter esc");
    assert_eq!(shown_commit_date(&hand), None);
    assert!(hand.shows("back to now"), "{}", hand.screen());
    // The list starts at the shown commit.
    press_and_answer(&mut hand, &catalog_dir(&folder), "ctrl-l G enter ctrl-l k enter");
    assert_eq!(shown_commit_date(&hand).as_deref(), Some("2025-02-01"));
    press_and_answer(&mut hand, &catalog_dir(&folder), "ctrl-l g enter");
    assert_eq!(shown_commit_date(&hand), None);
}

#[test]
fn past_commit_is_read_only_and_unsaved_edits_are_kept() {
    let folder = create_repository();
    let mut hand = open_catalog(&catalog_dir(&folder), 110, 30);
    hand.press("W l W a");
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 1);
    let edited = Arc::clone(hand.model.session.snapshot().unwrap());
    press_and_answer(&mut hand, &catalog_dir(&folder), "ctrl-l j enter");
    assert_eq!(shown_commit_date(&hand).as_deref(), Some("2025-02-01"));
    for keys in ["e", "u", "W l", "W m", "p", "ctrl-s"] {
        hand.press(keys);
        assert_eq!(open_dialog_id(&hand), None, "{keys}: {}", hand.screen());
        assert!(hand.model.session.catalogs.what_if().is_none(), "{keys}");
    }
    hand.press("e");
    assert!(hand.shows("goes back to now"), "{}", hand.screen());
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 1);
    hand.press("2 esc");
    assert!(Arc::ptr_eq(hand.model.session.snapshot().unwrap(), &edited));
}

#[test]
fn late_answers_are_dropped_and_failures_are_shown() {
    let folder = create_repository();
    let mut hand = open_catalog(&catalog_dir(&folder), 110, 30);
    hand.press("ctrl-l esc");
    assert!(hand.effects.iter().any(|effect| matches!(effect, Effect::Stop(JobSlot::History))));
    answer_history_requests(&mut hand, &catalog_dir(&folder));
    assert_eq!(open_dialog_id(&hand), None);
    hand.press("ctrl-l");
    let asked = hand.last_request::<HistoryRequest>().unwrap();
    hand.effects.clear();
    hand.answer(asked, Err(UserError::new("no repository here")));
    assert!(hand.shows("no repository here"), "{}", hand.screen());
    hand.press("enter");
    assert_eq!(open_dialog_id(&hand), None);
    // The requested commit is no longer needed.
    hand.press("ctrl-l");
    answer_history_requests(&mut hand, &catalog_dir(&folder));
    hand.press("enter esc");
    assert!(hand.shows("stopped"), "{}", hand.screen());
    answer_history_requests(&mut hand, &catalog_dir(&folder));
    assert_eq!(shown_commit_date(&hand), None);
}

#[test]
fn catalog_without_files_has_no_history() {
    let mut hand = ExplorerDriver::demo(110, 30);
    hand.press("ctrl-l");
    assert!(hand.shows("only a catalog on disk has a history"), "{}", hand.screen());
}

#[test]
fn mirror_starts_a_what_if_after_its_plan_is_ready() {
    let folder = create_repository();
    let mut hand = open_catalog(&catalog_dir(&folder), 110, 30);
    hand.press("W m 'set.yaml' enter");
    let asked = hand.take_request::<MirrorRequest>().unwrap();
    let snapshot = Arc::clone(&asked.snapshot);
    let refused = Err(UserError::new("oc-mirror refuses it: nothing is left"));
    hand.answer(Arc::clone(&asked), refused);
    assert!(hand.shows("oc-mirror refuses it"), "{}", hand.screen());
    hand.press("enter");
    let kept = KeptPackage { channels: Some(Vec::new()), ..KeptPackage::all_of("tide".into()) };
    let outcome = preview::preview_edit(&snapshot, Edit::KeepOnly { packages: vec![kept] }, &[]);
    // A package without channels is not valid.
    let outcome = outcome.or_else(|_| {
        preview::preview_edit(
            &snapshot,
            Edit::RemoveBundle { package: "tide".into(), bundle: "tide.v1.1.0".into() },
            &[],
        )
    });
    let mirrored = MirrorPreview {
        outcome: outcome.unwrap(),
        summary: "oc-mirror: 2 of 3".to_owned(),
        has_worse_off_users: true,
    };
    hand.answer(asked, Ok(Box::new(mirrored)));
    assert_eq!(open_dialog_id(&hand), None);
    assert!(hand.shows("WHAT IF 1") && hand.shows("oc-mirror: 2 of 3"), "{}", hand.screen());
    hand.press("esc W d");
    assert!(hand.model.session.catalogs.what_if().is_none());
}
