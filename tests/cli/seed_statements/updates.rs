//! Statements about updates: edges, versions and policies of OLM v1, and the OpenShift version.

use std::fs;

use serde_json::{Value, json};

use super::{
    super::{
        run::{olmap_in, olmap_with},
        seeds_bundles::{CSV_FILE, write_bundle},
    },
    assert_message,
};

/// Returns a package `lamp` with the entries of two channels, and bundles with properties.
fn lamp_yaml(stable: &str, fast: &str, bundles: &[(&str, &str)]) -> String {
    let mut yaml = "schema: olm.package\nname: lamp\ndefaultChannel: stable\n".to_owned();
    for (channel, entries) in [("stable", stable), ("fast", fast)] {
        if !entries.is_empty() {
            yaml +=
                &format!("---\nschema: olm.channel\npackage: lamp\nname: {channel}\nentries: [{entries}]\n");
        }
    }
    for (version, properties) in bundles {
        yaml += &format!(
            "---\nschema: olm.bundle\npackage: lamp\nname: lamp.v{version}\nimage: example.com/lamp:v{version}\n\
             properties:\n- {{type: olm.package, value: {{packageName: lamp, version: {version}}}}}\n{properties}"
        );
    }
    yaml
}

/// Returns the picks of OLM Classic and OLM v1.
fn picks(catalog: &str, args: &[&str]) -> [Value; 2] {
    let args = [&["successors", "-", "-o", "json"], args].concat();
    let rows = olmap_with(catalog, &args).exits(0).json();
    ["classic", "v1"].map(|engine| {
        let row = rows.as_array().unwrap().iter().find(|row| row["engine"] == engine);
        row.map_or(Value::Null, |row| row["pick"].clone())
    })
}

#[test]
fn classic_ignores_the_range_of_a_skipped_entry_and_v1_does_not() {
    let entries =
        "{name: lamp.v3.0.0, skips: [lamp.v2.0.0]}, {name: lamp.v2.0.0, skipRange: '>=1.0.0 <2.0.0'}";
    let catalog = lamp_yaml(entries, "", &[("3.0.0", ""), ("2.0.0", "")]);
    assert_eq!(picks(&catalog, &["--installed", "lamp.v1.0.0@1.0.0"]), [Value::Null, json!("lamp.v2.0.0")]);
    let rows = olmap_with(&catalog, &["validate", "-", "-o", "json"]).exits(0).json();
    assert_eq!(rows[0]["rule"], "skipped-range");
}

#[test]
fn classic_picks_the_entry_nearest_to_the_head_and_v1_the_highest_version() {
    // The head 1.5.0 replaces 2.0.0, so the nearest entry has a lower version.
    let entries = "{name: lamp.v1.5.0, replaces: lamp.v2.0.0, skips: [lamp.v1.0.0]}, \
                   {name: lamp.v2.0.0, replaces: lamp.v1.0.0}, {name: lamp.v1.0.0}";
    let catalog = lamp_yaml(entries, "", &[("1.5.0", ""), ("2.0.0", ""), ("1.0.0", "")]);
    assert_eq!(picks(&catalog, &["--installed", "1.0.0"]), [json!("lamp.v1.5.0"), json!("lamp.v2.0.0")]);
}

#[test]
fn v1_without_channels_uses_all_channels() {
    let stable = "{name: lamp.v1.1.0, replaces: lamp.v1.0.0}, {name: lamp.v1.0.0}";
    let fast = "{name: lamp.v2.0.0, replaces: lamp.v1.0.0}, {name: lamp.v1.0.0}";
    let catalog = lamp_yaml(stable, fast, &[("2.0.0", ""), ("1.1.0", ""), ("1.0.0", "")]);
    let installed = ["--installed", "1.0.0"];
    assert_eq!(picks(&catalog, &installed), [json!("lamp.v1.1.0"), json!("lamp.v2.0.0")]);
    let channel = [&installed[..], &["--channel", "stable"]].concat();
    assert_eq!(picks(&catalog, &channel), [json!("lamp.v1.1.0"), json!("lamp.v1.1.0")]);
}

#[test]
fn pinned_version_and_range_limit_updates() {
    let entries = "{name: lamp.v2.0.0, replaces: lamp.v1.1.0}, {name: lamp.v1.1.0, replaces: lamp.v1.0.0}, \
                   {name: lamp.v1.0.0}";
    let catalog = lamp_yaml(entries, "", &[("2.0.0", ""), ("1.1.0", ""), ("1.0.0", "")]);
    let pick = |installed: &str, version: &str| {
        picks(&catalog, &["--engine", "v1", "--installed", installed, "--version", version])[1].clone()
    };
    assert_eq!(pick("1.0.0", "1.0.0"), json!("lamp.v1.0.0"), "a pinned version stays");
    assert_eq!(pick("1.0.0", "1.1.0"), json!("lamp.v1.1.0"));
    assert_eq!(pick("1.0.0", "1.x"), json!("lamp.v1.1.0"));
    assert_eq!(pick("1.1.0", "<2.0.0"), json!("lamp.v1.1.0"), "the update is out of the range");
    assert_eq!(pick("1.1.0", ">=1.0.0, <=2.0.0"), json!("lamp.v2.0.0"));
    let args = ["successors", "-", "--engine", "v1", "--installed", "1.0.0", "--version", "2.0.0"];
    let run = olmap_with(&catalog, &args).exits(1);
    assert!(run.out.contains("no edge leads to a bundle that matches version 2.0.0"), "{}", run.out);
}

#[test]
fn next_openshift_version_ignores_patch_and_pre_release() {
    let limited = "- {type: olm.maxOpenShiftVersion, value: '4.20'}\n";
    let catalog = lamp_yaml(
        "{name: lamp.v1.0.0}, {name: lamp.v1.1.0, replaces: lamp.v1.0.0}",
        "",
        &[("1.0.0", limited), ("1.1.0", "")],
    );
    let blocks = |installed: &str, openshift: &str| {
        let args = ["successors", "-", "--installed", installed, "--openshift", openshift, "-o", "json"];
        let rows = olmap_with(&catalog, &args).exits(0).json();
        let openshift = &rows[0]["openshift"];
        assert_eq!(&rows[1]["openshift"]["blocks"], &openshift["blocks"]);
        (openshift["to"].as_str().unwrap().to_owned(), openshift["blocks"].as_bool().unwrap())
    };
    assert_eq!(blocks("1.0.0", "4.19"), ("4.20".to_owned(), false));
    for version in ["4.20", "4.20.0", "4.20.7", "4.20.0-rc1"] {
        assert_eq!(blocks("1.0.0", version), ("4.21".to_owned(), true), "{version}");
        assert_eq!(blocks("1.1.0", version), ("4.21".to_owned(), false), "no limit, {version}");
    }
    assert_eq!(blocks("1.0.0", "4.21"), ("4.22".to_owned(), true));
}

#[test]
fn max_openshift_version_has_the_same_verdict_everywhere() {
    for (value, text) in [
        ("\"4.20\"", None),
        ("4.19", None),
        ("\"4.20.1\"", Some("`4.20.1`, which is not major.minor")),
        ("\"4.20.0-rc1\"", Some("`4.20.0-rc1`, which is not major.minor")),
        ("4.20", Some("4.20 without quotes, which is the number 4.2")),
        ("\"next\"", Some("`next`")),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let annotation =
            format!("olm.properties: '[{{\"type\": \"olm.maxOpenShiftVersion\", \"value\": {value}}}]'");
        let from = "    capabilities: Basic Install\n";
        write_bundle(folder.path(), "b", CSV_FILE, from, &format!("{from}    {annotation}\n"));
        let property = format!("- {{type: olm.maxOpenShiftVersion, value: {value}}}\n");
        fs::write(
            folder.path().join("c.yaml"),
            lamp_yaml("{name: lamp.v1.0.0}", "", &[("1.0.0", &property)]),
        )
        .unwrap();
        for args in [&["bundle", "validate", "b"][..], &["validate", "b"], &["validate", "c.yaml"]] {
            let args = [args, &["--rule", "max-openshift-version", "-o", "json"]].concat();
            let run = olmap_in(folder.path(), &args).exits(0);
            match text {
                Some(text) => assert_message(&run, text),
                None => assert_eq!(run.out.trim(), "[]", "{value} {args:?}"),
            }
        }
    }
}

/// Every combination of one item of each list.
fn combinations<'a>(lists: &[&[&'a [&'a str]]]) -> Vec<Vec<&'a str>> {
    lists.iter().fold(vec![Vec::new()], |all, list| {
        all.iter().flat_map(|args| list.iter().map(|more| [args, *more].concat())).collect()
    })
}

/// Catalog with two channels, in a file `c.yaml`.
fn write_two_channels() -> tempfile::TempDir {
    let stable = "{name: lamp.v1.1.0, replaces: lamp.v1.0.0}, {name: lamp.v1.0.0}";
    let fast = "{name: lamp.v2.0.0, replaces: lamp.v1.1.0}, {name: lamp.v1.1.0, replaces: lamp.v1.0.0}, \
                {name: lamp.v1.0.0}";
    let catalog = lamp_yaml(stable, fast, &[("2.0.0", ""), ("1.1.0", ""), ("1.0.0", "")]);
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("c.yaml"), catalog).unwrap();
    folder
}

#[test]
fn cluster_extensions_are_written_and_read_with_all_fields() {
    let folder = write_two_channels();
    let queries = combinations(&[
        &[&[], &["--channel", "stable"], &["--channel", "stable", "--channel", "fast"]],
        &[&[], &["--version", ">=1.0.0, <2.0.0"], &["--version", "1.x"], &["--version", ">1.0.0"]],
        &[&[], &["--policy", "SelfCertified"]],
        &[&[], &["SELECTOR", "tier=gold"], &["SELECTOR", "tier=gold", "SELECTOR", "region=north"]],
    ]);
    for query in queries {
        let with_selector = |option: &'static str| -> Vec<&str> {
            query.iter().map(|word| if *word == "SELECTOR" { option } else { word }).collect()
        };
        let args = ["resources", "1.0.0", "c.yaml", "--engine", "v1"];
        let args = [&args[..], &with_selector("--catalog-selector")].concat();
        let written = olmap_in(folder.path(), &args);
        // It exits with 1 if OLM v1 installs a later version of the range.
        assert!(written.code <= 1, "{args:?}: {}", written.err);
        fs::write(folder.path().join("x.yaml"), &written.out).unwrap();
        let ask = |labels: &str, more: &[&str]| {
            let args = ["successors", "-o", "json", "--catalog", labels];
            olmap_in(folder.path(), &[&args[..], more].concat())
        };
        let catalog = "c=c.yaml,label=tier=gold,label=region=north";
        let read = ask(catalog, &["-f", "x.yaml"]).exits(0).json();
        let pinned: &[&str] = if query.contains(&"--version") { &[] } else { &["--version", "1.0.0"] };
        let direct = ask(catalog, &[&with_selector("--selector"), pinned].concat()).json();
        assert_eq!(read[0]["object"], "ClusterExtension lamp");
        // The first row is the fresh installation.
        for key in ["pick", "channels", "range", "policy", "version", "catalog", "error"] {
            assert_eq!(read[0].get(key), direct[0].get(key), "{key} {args:?}: {read} {direct}");
        }
        // A catalog with other labels is not selected.
        let other = ask("c=c.yaml,label=tier=iron,label=region=north", &["-f", "x.yaml"]);
        assert_eq!(other.code, i32::from(query.contains(&"SELECTOR")), "{args:?}: {}", other.out);
        // An upgrade of a version that is installed follows the policy.
        let status = "status: {install: {bundle: {name: lamp.v2.0.0, version: 2.0.0}}}\n";
        fs::write(folder.path().join("x.yaml"), written.out + status).unwrap();
        let read = ask(catalog, &["-f", "x.yaml"]).json();
        let direct =
            ask(catalog, &[&with_selector("--selector"), pinned, &["--installed", "2.0.0"]].concat()).json();
        assert_eq!(read[0].get("pick"), direct[0].get("pick"), "{args:?}: {read} {direct}");
        assert_eq!(read[0]["installed"]["name"], "lamp.v2.0.0", "{read}");
    }
}

#[test]
fn subscriptions_are_written_and_read_with_all_fields() {
    let folder = write_two_channels();
    for (channel, version) in
        [("", "1.1.0"), ("stable", "1.0.0"), ("stable", "1.1.0"), ("fast", "1.1.0"), ("fast", "2.0.0")]
    {
        for approval in ["Manual", "Automatic"] {
            let mut args = vec!["resources", version, "c.yaml", "--engine", "classic"];
            args.extend(["--approval", approval, "--source", "olm/harbor", "--namespace", "dock"]);
            if !channel.is_empty() {
                args.extend(["--channel", channel]);
            }
            let written = olmap_in(folder.path(), &args).exits(0).out;
            fs::write(folder.path().join("x.yaml"), &written).unwrap();
            let read = olmap_in(folder.path(), &["successors", "c.yaml", "-f", "x.yaml", "-o", "json"]);
            let row = read.exits(0).json()[0].clone();
            let expected = if channel.is_empty() { "stable" } else { channel };
            assert_eq!(
                (&row["object"], &row["channel"], &row["pick"]),
                (&json!("Subscription dock/lamp"), &json!(expected), &json!(format!("lamp.v{version}"))),
                "{args:?}"
            );
            assert!(written.contains(&format!("installPlanApproval: {approval}\n")), "{written}");
            assert!(written.contains(&format!("startingCSV: lamp.v{version}\n")), "{written}");
            // After the installation, the channel decides.
            let status = format!("status: {{installedCSV: lamp.v{version}, currentCSV: lamp.v{version}}}\n");
            fs::write(folder.path().join("x.yaml"), written + &status).unwrap();
            let read = olmap_in(folder.path(), &["successors", "c.yaml", "-f", "x.yaml", "-o", "json"]);
            let args = ["successors", "c.yaml", "--engine", "classic", "-o", "json"];
            let args = [&args[..], &["--channel", expected, "--installed", version]].concat();
            let direct = olmap_in(folder.path(), &args).exits(0).json();
            assert_eq!(read.exits(0).json()[0]["pick"], direct[0]["pick"], "{args:?}");
        }
    }
    // A version that is not in the channel cannot be chosen.
    let subscription = fs::read_to_string(folder.path().join("x.yaml")).unwrap();
    let subscription = subscription.split("status:").next().unwrap();
    let gone = subscription.replace("startingCSV: lamp.v2.0.0", "startingCSV: lamp.v1.2.0");
    assert_ne!(gone, subscription);
    let catalog = folder.path().join("c.yaml");
    let run = olmap_with(&gone, &["successors", catalog.to_str().unwrap(), "-f", "-"]).exits(1);
    assert!(run.out.contains("startingCSV lamp.v1.2.0 is not in the channel"), "{}", run.out);
}
