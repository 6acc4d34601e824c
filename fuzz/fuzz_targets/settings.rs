//! Small files that users write for olmap, and files of its own: none panics, locations are inside the file,
//! and a file that is written again has the same meaning.
//!
//! The first byte selects the kind of file; the seeds of each kind begin with its letter.
#![no_main]

use std::{path::PathBuf, sync::LazyLock};

use libfuzzer_sys::fuzz_target;
use olm_catalog::{Catalog, lifecycle::Date, load, paths::indexignore::IgnoreSet, template, text::yaml};
use olm_check::review::{Snapshot, accepted::AcceptedFindings, expect};
use olm_plan::{extract::ExtractRequest, mirror};
use olm_upgrade::{Engine, openshift::OpenShift};
use olmap::{config::Config, fuzzing, tui::keys::Key};

/// Catalog that the files refer to.
static SNAPSHOT: LazyLock<Snapshot> =
    LazyLock::new(|| Snapshot::new(load::from_bytes(include_bytes!("../seeds/loader/small.yaml").to_vec())));

fn catalog() -> &'static Catalog {
    &SNAPSHOT.catalog
}

fn expectations(bytes: &[u8]) {
    let read = expect::Expectations::parse_file(PathBuf::from("expectations.yaml"), bytes.to_vec());
    for mistake in &read.mistakes {
        assert!(read.location_of(mistake.span).bytes.end <= bytes.len(), "{mistake:?}");
        assert!(mistake.row.is_none_or(|row| row < read.rows.len()), "{mistake:?}");
    }
    let judged = expect::ExpectationReport::new(&read, &SNAPSHOT);
    assert!(judged.failing_rows().iter().chain(&judged.mistaken_rows()).all(|row| *row < read.rows.len()));
}

fn baseline(bytes: &[u8]) {
    let path = PathBuf::from("baseline.yaml");
    let Ok(accepted) = AcceptedFindings::parse_file(path.clone(), bytes) else { return };
    let _ = accepted.match_findings(catalog(), SNAPSHOT.findings());
    let text = AcceptedFindings::format_file(&accepted.rows);
    let mut rows = accepted.rows;
    rows.sort_by(|a, b| a.identity.cmp(&b.identity));
    assert_eq!(
        AcceptedFindings::parse_file(path, text.as_bytes()).map(|again| again.rows),
        Ok(rows),
        "{text}"
    );
}

fn image_set(bytes: &[u8]) {
    let lines = 1 + bytes.iter().filter(|byte| **byte == b'\n').count();
    let question = mirror::CheckQuestion { engines: Engine::BOTH.to_vec(), installed: Vec::new() };
    match mirror::parse_configuration(bytes) {
        Ok(sections) => {
            for section in sections.iter().take(8) {
                let _ = mirror::check_upgrades(catalog(), section, &question);
                if let Ok(filtered) = mirror::filter_catalog(catalog(), section) {
                    assert!(filtered.packages().count() <= catalog().packages().count());
                    let _ = mirror::build_filter_edit(catalog(), &filtered);
                }
            }
        }
        Err(broken) => assert!((1..=lines).contains(&broken.line), "{broken:?}"),
    }
}

fn journal(bytes: &[u8]) {
    for recorded in fuzzing::journal(bytes).into_iter().flatten().take(16) {
        if let Ok(edited) = recorded.replay(catalog()) {
            let _ = Snapshot::new(edited);
        }
    }
}

fn check_texts(text: &str) {
    if let Some(key) = Key::parse(text) {
        assert_eq!(Key::parse(&key.to_string()), Some(key), "{key}");
    }
    let _ = (Date::parse(text), OpenShift::parse(text), OpenShift::find_in_text(text));
    let _ = ExtractRequest::parse(text, |name| catalog().package(name).map(AsRef::as_ref));
    let mut ignore = IgnoreSet::new();
    if ignore.add(&["a"], text).is_ok() {
        for path in [["a", "b"], ["a", "catalog.yaml"], ["c", "b"]] {
            assert!(path[0] == "a" || !ignore.ignores(&path), "rules are for their own folder");
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    let text = || String::from_utf8_lossy(bytes);
    match kind.wrapping_sub(b'a') % 11 {
        0 => {
            let _ = Config::parse(&text());
        }
        1 => expectations(bytes),
        2 => baseline(bytes),
        3 => {
            if let Ok(tree) = yaml::parse_yaml(bytes) {
                let _ = template::parse_mappings(&tree);
            }
        }
        4 => image_set(bytes),
        5 => {
            let is_folder = |name: &String| !name.is_empty() && !name.contains(['/', '\\']) && name != "..";
            assert!(fuzzing::composition(bytes).iter().flatten().all(is_folder));
        }
        6 => journal(bytes),
        7 => {
            let answered = fuzzing::query(catalog(), bytes);
            assert!(answered.iter().flat_map(|text| text.lines()).all(is_json), "{answered:?}");
        }
        8 => {
            let answered = fuzzing::range(bytes);
            assert!(answered.iter().flat_map(|text| text.lines()).all(is_json), "{answered:?}");
        }
        9 => {
            let (sent, _) = fuzzing::request(catalog(), bytes).expect("nothing fails in memory");
            let head = sent.windows(4).position(|part| part == b"\r\n\r\n").expect("a head");
            assert!(sent[..head].is_ascii() && sent.starts_with(b"HTTP/1.1 "));
        }
        _ => check_texts(&text()),
    }
});

fn is_json(line: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(line).is_ok()
}
