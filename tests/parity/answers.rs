//! What opm and a console answered, where it takes the whole program to compare: see `docs/conformance.md`.

use std::{collections::BTreeMap, fs, path::Path};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use rayon::prelude::*;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::{
    conformance,
    run::{Run, olmap_in, olmap_with, root},
    same::tree,
};

/// The words of a list.
fn words<'r>(row: &'r Value, key: &str) -> Vec<&'r str> {
    row[key].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect()
}

/// Writes the texts by their paths.
fn lay(folder: &Path, files: &Value) {
    for (path, text) in files.as_object().unwrap() {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text.as_str().unwrap()).unwrap();
    }
}

/// The texts by their paths.
fn written(files: &Value) -> BTreeMap<String, Vec<u8>> {
    let files = files.as_object().unwrap().iter();
    files.map(|(path, text)| (path.clone(), text.as_str().unwrap().into())).collect()
}

/// Fails with what differs in the rows of a file; each is asked in a folder of its own.
fn compare(file: &str, ask: impl Fn(&Value, &Path) -> bool + Sync) {
    let Some(rows) = conformance::rows(file) else { return };
    let wrong: Vec<&Value> = { rows.par_iter() }
        .filter(|row| !ask(row, tempfile::tempdir().unwrap().path()))
        .map(|row| &row["case"])
        .collect();
    assert!(wrong.is_empty(), "{file}: {} of {}: {wrong:?}", wrong.len(), rows.len());
}

/// Whether it is refused with words, as the reference refused it.
fn is_refused(row: &Value, run: &Run) -> Option<bool> {
    row["error"].is_string().then_some(matches!(run.code, 1 | 2) && !run.err.is_empty())
}

#[test]
fn dockerfiles_are_those_of_opm() {
    compare("images/dockerfile.jsonl", |row, folder| {
        let of = folder.join(row["dir"].as_str().unwrap());
        if row["kind"] == "file" {
            fs::write(of, "x").unwrap();
        } else if row["make"] == true {
            fs::create_dir_all(of).unwrap();
        }
        let mine = row["exists"].as_str().map(|name| folder.join(name));
        if let Some(mine) = &mine {
            fs::write(mine, "mine\n").unwrap();
        }
        let run = olmap_in(folder, &[&["generate", "dockerfile"], &words(row, "args")[..]].concat());
        let is_kept = mine.is_none_or(|mine| fs::read_to_string(mine).unwrap() == "mine\n");
        is_refused(row, &run).map_or_else(
            || {
                let files = tree(folder);
                run.code == 0
                    && written(&row["files"]).iter().all(|(path, text)| files.get(path) == Some(text))
            },
            |is_refused| is_refused && is_kept,
        )
    });
}

#[test]
fn packages_begin_as_opm_begins_them() {
    compare("images/init.jsonl", |row, folder| {
        for (key, name) in [("icon_base64", "icon"), ("readme_base64", "README.md")] {
            if let Some(bytes) = row[key].as_str() {
                fs::write(folder.join(name), STANDARD.decode(bytes).unwrap()).unwrap();
            }
        }
        let format = ["--format", row["format"].as_str().unwrap()];
        let run = olmap_in(folder, &[&["init"], &words(row, "args")[..], &format].concat());
        is_refused(row, &run).unwrap_or_else(|| run.code == 0 && row["text"] == run.out)
    });
}

#[test]
fn the_metadata_of_bundles_is_that_of_opm() {
    compare("generate/bundle.jsonl", |row, folder| {
        lay(folder, &row["files"]);
        let before = tree(folder);
        let directory = ["generate", "bundle", "-d", row["dir"].as_str().unwrap()];
        let run = olmap_in(folder, &[&directory, &words(row, "flags")[..]].concat());
        is_refused(row, &run).unwrap_or_else(|| {
            let mut after = tree(folder);
            after.retain(|path, text| before.get(path) != Some(text));
            run.code == 0 && after == written(&row["written"])
        })
    });
}

#[test]
fn a_bundle_looks_as_a_console_shows_it() {
    let unpacked = tempfile::tempdir().unwrap();
    let Some(cases) = conformance::bundles(unpacked.path()) else { return };
    compare("bundles/view.jsonl", |row, _| {
        let case = cases.join(row["case"].as_str().unwrap());
        // Files that are too large to keep are made by whoever scores the program.
        if !case.is_dir() {
            return row["case"].as_str().unwrap().contains("bundle-size-");
        }
        let run = olmap_in(&case, &["bundle", "show", ".", "--format", "json"]);
        run.code == 0 && comparable(&run.json()["view"]) == comparable(&row["view"])
    });
}

/// Without an order of images, and with digests in place of large icons, as the rows have them.
fn comparable(view: &Value) -> Value {
    let mut view = view.clone();
    for icon in view["icon"].as_array_mut().into_iter().flatten() {
        let data = icon["base64data"].as_str().unwrap_or_default();
        if data.len() > 200 && !data.starts_with("sha256:") {
            let hex: String = Sha256::digest(data).iter().map(|byte| format!("{byte:02x}")).collect();
            icon["base64data"] = format!("sha256:{hex}").into();
        }
    }
    if let Some(images) = view["relatedImages"].as_array_mut() {
        images.sort_by_key(ToString::to_string);
    }
    view
}

/// The rows of the document, about the demo.
#[test]
fn the_rows_in_the_document_are_right() {
    let text = fs::read_to_string(root().join("docs/conformance.md")).unwrap();
    let rows = text.lines().filter_map(|line| serde_json::from_str::<Value>(line.trim()).ok());
    let rows: Vec<Value> = rows.filter(|row| row["installed"].is_string()).collect();
    assert_eq!(rows.len(), 2, "one for each OLM");
    for mut row in rows {
        let pick = row.as_object_mut().unwrap().remove("pick");
        row["engine"] = if row.get("channel").is_some() { "classic" } else { "v1" }.into();
        let asked = ["successors", "demo/catalog", "--queries", "-", "--format", "jsonl"];
        let answer = olmap_with(&row.to_string(), &asked).exits(0).rows().remove(0);
        assert_eq!(answer.get("pick"), pick.as_ref(), "{answer}");
    }
}

/// Each comparison notices that an answer is another.
#[test]
fn an_answer_that_is_another_is_seen() {
    for (test, file, pointer, other) in [
        (
            "dockerfiles_are_those_of_opm",
            "images/dockerfile.jsonl",
            "/files/kiln.Dockerfile",
            json!("FROM x\n"),
        ),
        ("packages_begin_as_opm_begins_them", "images/init.jsonl", "/text", json!("---\n")),
        ("the_metadata_of_bundles_is_that_of_opm", "generate/bundle.jsonl", "/written", json!({})),
        ("a_bundle_looks_as_a_console_shows_it", "bundles/view.jsonl", "/view/displayName", json!("Oven")),
    ] {
        conformance::can_fail(&format!("answers::{test}"), file, 0, pointer, &other);
    }
    let dockerfile = "answers::dockerfiles_are_those_of_opm";
    conformance::can_fail(dockerfile, "images/dockerfile.jsonl", 2, "/args", &json!(["kiln"]));
}
