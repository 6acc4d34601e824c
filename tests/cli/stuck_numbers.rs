//! Number of stuck versions, which is the same in every output.

use std::{fs, path::Path};

use serde_json::{Value, json};

use super::run::{Run, olmap, olmap_in};

/// Returns the package `ship` with channels, the default one first, and deprecated versions.
fn ship_yaml(channels: &[(&str, &str)], deprecated: &[&str]) -> String {
    let mut text = format!("schema: olm.package\nname: ship\ndefaultChannel: {}\n", channels[0].0);
    let mut versions = std::collections::BTreeSet::new();
    for (channel, lines) in channels {
        text += &format!("---\nschema: olm.channel\npackage: ship\nname: {channel}\nentries:\n");
        for line in lines.lines() {
            let (version, edges) = line.split_once(' ').unwrap_or((line, ""));
            versions.insert(version);
            text += &format!("- {{name: ship.v{version}{edges}}}\n");
        }
    }
    for version in versions {
        text += &format!(
            "---\nschema: olm.bundle\npackage: ship\nname: ship.v{version}\nimage: example.com/ship@sha256:{:064}\n\
             properties:\n- type: olm.package\n  value: {{packageName: ship, version: {version}}}\n",
            version.replace('.', "")
        );
    }
    for version in deprecated {
        text += &format!(
            "---\nschema: olm.deprecations\npackage: ship\nentries:\n- reference: {{schema: olm.bundle, name: ship.v{version}}}\n  message: old\n"
        );
    }
    text
}

/// Returns a catalog of each kind, with its number of stuck versions on Classic and v1; `None` if
/// unknown.
fn catalog_kinds() -> Vec<(&'static str, String, Option<[usize; 2]>)> {
    let dead_end = "4.0.0 , replaces: ship.v3.0.0, skips: [ship.v3.0.0]\n3.0.0 , replaces: ship.v2.0.0\n\
                    2.0.0 , replaces: ship.v1.0.0\n1.0.0";
    let old = "1.1.0 , replaces: ship.v1.0.0\n1.0.0";
    // Each channel skips to the head of the other one.
    let (ring, other) = ("1.1.0 , skips: [ship.v1.0.0]\n", "1.0.0 , skips: [ship.v1.1.0]\n");
    vec![
        ("dead end", ship_yaml(&[("stable", dead_end)], &[]), Some([2, 0])),
        ("old channel", ship_yaml(&[("stable", "2.0.0"), ("old", old)], &[]), Some([2, 2])),
        ("cycle", ship_yaml(&[("stable", "2.0.0"), ("a", ring), ("b", other)], &[]), Some([2, 2])),
        (
            "only deprecated upgrades",
            ship_yaml(
                &[("stable", "3.0.0 , replaces: ship.v2.0.0\n2.0.0 , replaces: ship.v1.0.0\n1.0.0")],
                &["3.0.0"],
            ),
            Some([0, 2]),
        ),
        ("no head", ship_yaml(&[("stable", "2.0.0\n1.0.0")], &[]), None),
    ]
}

fn format_counts([classic, v1]: [usize; 2]) -> String {
    match (classic, v1) {
        _ if classic == v1 => classic.to_string(),
        (classic, 0) => format!("Classic {classic}"),
        (0, v1) => format!("v1 {v1}"),
        _ => format!("Classic {classic}, v1 {v1}"),
    }
}

fn run_in(folder: &Path, args: &[&str]) -> Run {
    olmap_in(folder, args)
}

/// Returns the sums of the numbers of `olmap stuck -o json`.
fn stuck_totals(stuck: &Value) -> [usize; 2] {
    let packages = stuck["packages"].as_array().unwrap();
    let count = |package: &Value, engine: &str| package[engine]["stuck"].as_array().map_or(0, Vec::len);
    ["classic", "v1"].map(|engine| packages.iter().map(|package| count(package, engine)).sum())
}

#[test]
fn every_output_has_the_same_number_for_a_catalog_of_each_kind() {
    for (kind, text, expected) in catalog_kinds() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        fs::create_dir(folder.join("new")).unwrap();
        fs::create_dir(folder.join("fine")).unwrap();
        fs::write(folder.join("new/catalog.yaml"), &text).unwrap();
        // The same versions, which all upgrade to the head.
        let versions: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("name: ship.v")).collect();
        let mut lines = String::new();
        for (at, version) in versions.iter().rev().enumerate() {
            let replaces = versions.iter().rev().nth(at + 1);
            lines += version;
            lines += &replaces.map(|below| format!(" , replaces: ship.v{below}")).unwrap_or_default();
            lines += "\n";
        }
        fs::write(folder.join("fine/catalog.yaml"), ship_yaml(&[("stable", &lines)], &[])).unwrap();

        let stuck = run_in(folder, &["stuck", "new", "-o", "json"]).exits(0).json();
        let diff = run_in(folder, &["diff", "fine", "new", "-o", "json"]).exits(0).json();
        let comment = run_in(folder, &["diff", "fine", "new", "-o", "markdown"]).exits(0).out;
        let report = run_in(folder, &["report", "new"]).exits(0).out;
        assert_eq!(diff["stuck"]["before"], json!({"classic": 0, "v1": 0}), "{kind}");
        let Some(expected) = expected else {
            assert_eq!(stuck["packages"][0]["head"], Value::Null);
            assert_eq!(diff["stuck"]["unknown"], json!(["ship"]));
            assert_eq!(diff["stuck"]["newlyStuck"], json!([]));
            assert!(comment.contains("not known any more"), "{comment}");
            assert!(report.contains("<td class=\"number\">unknown</td>"));
            run_in(folder, &["diff", "fine", "new", "--fail-on", "new-stuck"]).exits(1);
            continue;
        };
        assert_eq!(stuck_totals(&stuck), expected, "{kind}");
        let reasons: Vec<&Value> =
            stuck["packages"][0]["groups"].as_array().unwrap().iter().map(|group| &group["reason"]).collect();
        let reason = if kind == "dead end" { "blocked by skips" } else { kind };
        assert!(reasons.iter().any(|known| *known == reason), "{kind}: {reasons:?}");
        let text = run_in(folder, &["stuck", "new"]).exits(0).out;
        assert!(
            text.contains(&format!("ship: {} of {} stuck", format_counts(expected), versions.len())),
            "{text}"
        );

        // All stuck versions are newly stuck.
        assert_eq!(diff["stuck"]["after"], json!({"classic": expected[0], "v1": expected[1]}), "{kind}");
        let newly = diff["stuck"]["newlyStuck"].as_array().unwrap();
        for (engine, count) in ["classic", "v1"].iter().zip(expected) {
            assert_eq!(
                newly.iter().filter(|row| row["engine"] == *engine).count(),
                count,
                "{kind}: {newly:?}"
            );
        }
        let more = match expected {
            [classic, v1] if classic == v1 => format!("{classic} more stuck"),
            [classic, 0] => format!("{classic} more stuck on Classic"),
            [_, v1] => format!("{v1} more stuck on v1"),
        };
        assert!(
            comment.starts_with(&format!("**Check before you release:** Installed versions: {more}")),
            "{kind}: {comment}"
        );
        run_in(folder, &["diff", "fine", "new", "--fail-on", "new-stuck"]).exits(1);
        run_in(folder, &["diff", "new", "new", "--fail-on", "new-stuck"]).exits(0);

        // In the other direction, all of them are freed.
        let back = run_in(folder, &["diff", "new", "fine", "-o", "json"]).exits(0).json();
        assert_eq!(
            back["stuck"]["freed"].as_array().unwrap().len(),
            expected.iter().sum::<usize>(),
            "{kind}"
        );
        assert_eq!(back["stuck"]["newlyStuck"], json!([]), "{kind}");

        assert!(report.contains(&format!("<caption>{} stuck</caption>", format_counts(expected))), "{kind}");
    }
}

#[test]
fn numbers_of_the_demo_are_the_same_in_comparison_and_report() {
    let stuck = stuck_totals(&olmap(&["stuck", "demo/catalog", "-o", "json"]).exits(0).json());
    let diff = olmap(&["diff", "demo/catalog", "demo/catalog", "-o", "json"]).exits(0).json();
    let expected = json!({"classic": stuck[0], "v1": stuck[1]});
    assert_eq!((&diff["stuck"]["before"], &diff["stuck"]["after"]), (&expected, &expected));
    let report = olmap(&["report", "demo/catalog"]).exits(0).out;
    assert!(
        report.contains(&format!("<caption>{} stuck</caption>", format_counts(stuck))),
        "{}",
        format_counts(stuck)
    );
    let text = olmap(&["stuck", "demo/catalog"]).exits(0).out;
    assert!(text.contains(&format!("stuck versions: {}, in ", format_counts(stuck))), "{text}");
}

#[test]
fn versions_that_are_stuck_in_the_base_are_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for name in ["old", "new"] {
        fs::create_dir(folder.join(name)).unwrap();
    }
    let before = ship_yaml(&[("stable", "2.0.0"), ("old", "1.1.0 , replaces: ship.v1.0.0\n1.0.0")], &[]);
    let after = ship_yaml(
        &[
            ("stable", "2.0.0"),
            ("old", "1.2.0 , replaces: ship.v1.1.0\n1.1.0 , replaces: ship.v1.0.0\n1.0.0"),
        ],
        &[],
    );
    fs::write(folder.join("old/catalog.yaml"), &before).unwrap();
    fs::write(folder.join("new/catalog.yaml"), &after).unwrap();
    run_in(folder, &["stuck", "old", "--fail-on", "any"]).exits(1);
    let same = run_in(folder, &["stuck", "old", "--against", "old", "--fail-on", "any"]).exits(0);
    assert!(
        same.out.contains("stuck versions: 2, in 1 of 1 package; accepted, for they were stuck before: 2"),
        "{}",
        same.out
    );
    run_in(folder, &["stuck", "new", "--against", "old", "--fail-on", "any"]).exits(1);
    let rows = run_in(folder, &["stuck", "new", "--against", "old", "-o", "json"]).exits(0).json();
    assert_eq!(rows["packages"][0]["groups"][0]["accepted"], json!(["ship.v1.1.0", "ship.v1.0.0"]));
    run_in(folder, &["stuck", "old", "new", "--against", "old"]).exits(2);
}

#[test]
fn old_name_of_the_gate_still_works() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (_, text, _) = catalog_kinds().remove(0);
    for (name, text) in [("new", text.clone()), ("old", text.replace(", skips: [ship.v3.0.0]", ""))] {
        fs::create_dir(folder.join(name)).unwrap();
        fs::write(folder.join(name).join("catalog.yaml"), text).unwrap();
    }
    let failed =
        run_in(folder, &["diff", "old", "new", "--fail-on", "new-dead-ends", "-o", "json"]).exits(1).json();
    let violations = failed["violations"].as_array().unwrap();
    assert_eq!(violations.len(), 2, "everything behind the dead end, too: {violations:?}");
    assert!(violations.iter().all(|violation| violation["gate"] == "new-stuck"));
    let users = &failed["users"];
    assert_eq!((&users["stuck"], &users["failing"]), (&json!(2), &json!(0)));
}

#[test]
fn remedy_of_a_generated_catalog_belongs_to_its_template() {
    let (_, text, _) = catalog_kinds().remove(1);
    for (schema, expected) in [
        ("olm.template.basic", ": make the edit there"),
        ("olm.semver", ", and an olm.semver template cannot express an edit of one entry"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let write = |path: &str, text: &str| {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let ci = format!(
            "fbc:\n  catalog_mapping:\n  - template_name: made.yaml\n    type: {schema}\n    catalog_names: [v4.18]\n"
        );
        write("operators/ship/ci.yaml", &ci);
        write("operators/ship/catalog-templates/made.yaml", &format!("schema: {schema}\n"));
        write("catalogs/v4.18/ship/catalog.yaml", &text);
        let out = run_in(folder, &["stuck", "catalogs/v4.18"]).exits(0).out;
        let words = out.split_whitespace().collect::<Vec<_>>().join(" ");
        let expected = format!("operators/ship/catalog-templates/made.yaml generates the package{expected}");
        assert!(words.contains(&expected), "{words}");
        let json = run_in(folder, &["stuck", "catalogs/v4.18", "-o", "json"]).exits(0).json();
        let template = &json["packages"][0]["template"];
        let is_basic = schema == "olm.template.basic";
        assert_eq!(
            *template,
            json!({"path": "operators/ship/catalog-templates/made.yaml", "expressible": is_basic})
        );
    }
}
