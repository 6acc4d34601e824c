//! `olmap bundle` and `olmap render` of a bundle directory.

use std::fs;

use super::run::{command, fixture, olmap, olmap_in, root, run_with_input};

#[test]
fn shows_contents_and_parts_that_opm_omits() {
    let run = olmap(&["bundle", "show", &fixture("bundle")]).exits(0);
    insta::assert_snapshot!(run.out);
}

#[test]
fn shows_full_contents_by_section() {
    let run = olmap(&["bundle", "show", &fixture("lighthouse")]).exits(0);
    insta::assert_snapshot!(run.out);
    let examples = ["bundle", "show", "--section", "examples", "--section", "owned", &fixture("lighthouse")];
    insta::assert_snapshot!(olmap(&examples).exits(0).out);
}

#[test]
fn shows_contents_as_a_review_comment() {
    let run = olmap(&["bundle", "show", "-o", "markdown", &fixture("lighthouse")]).exits(0);
    insta::assert_snapshot!(run.out);
}

#[test]
fn json_of_contents_has_locations_and_reasons() {
    let run =
        olmap(&["bundle", "show", "-o", "json", "--section", "permissions", &fixture("lighthouse")]).exits(0);
    let shown: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(
        (&shown["name"], &shown["supports"]["all"]),
        (&"lighthouse-operator.v2.1.0".into(), &true.into())
    );
    let sections = shown["inside"]["sections"].as_array().unwrap();
    assert_eq!((shown["inside"]["source"].as_str(), sections.len()), (Some("directory"), 1));
    let rows = sections[0]["rows"].as_array().unwrap();
    let secrets = rows.iter().find(|row| row["key"] == "lighthouse cluster-wide: secrets (core)").unwrap();
    assert_eq!(secrets["dangers"][0]["risk"], "secrets");
    assert_eq!(secrets["dangers"][0]["clusterWide"], true);
    assert_eq!(secrets["file"], "manifests/lighthouse.clusterserviceversion.yaml");
    assert_eq!(secrets["line"], 121);
}

#[test]
fn shows_bundle_of_a_catalog() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = folder.path().join("catalog.yaml");
    let path = catalog.to_str().unwrap();
    let show = |migrate: bool, arguments: &[&str]| {
        let template = "registry.example.com/coast/lighthouse-bundle:v{{.Version}}";
        let mut render = vec!["render", "--image-ref-template", template];
        render.extend(migrate.then_some("--migrate"));
        let bundle = fixture("lighthouse");
        render.push(&bundle);
        let channel = "---\nschema: olm.package\nname: lighthouse-operator\ndefaultChannel: stable\n---\nschema: olm.channel\n\
                       package: lighthouse-operator\nname: stable\nentries: [{name: lighthouse-operator.v2.1.0}]\n";
        fs::write(&catalog, olmap(&render).exits(0).out + channel).unwrap();
        olmap(&[&["bundle", "show", path, "--bundle", "2.1.0"], arguments].concat()).exits(0).out
    };
    insta::assert_snapshot!(show(true, &[]).replace(folder.path().to_str().unwrap(), "DIR"));
    let whole = show(false, &["--section", "permissions", "--section", "files"]);
    assert!(whole.contains("! may read every Secret in the cluster"), "{whole}");
    assert!(
        whole.contains("not in this catalog's olm.bundle.object; open the bundle's directory"),
        "{whole}"
    );
    let json: serde_json::Value = serde_json::from_str(&show(true, &["-o", "json"])).unwrap();
    assert_eq!((&json["channels"][0], &json["package"]), (&"stable".into(), &"lighthouse-operator".into()));
    assert_eq!(
        (&json["inside"]["source"], &json["supports"]["own"]),
        (&"olm.csv.metadata".into(), &true.into())
    );
    let wrong = olmap(&["bundle", "show", path, "--bundle", "lighthous-operator.v2.1.0"]).exits(2);
    assert!(wrong.err.contains("is it lighthouse-operator.v2.1.0?"), "{}", wrong.err);
}

#[test]
fn renders_bundle_as_opm_does() {
    let template = "quay.io/harbour/{{.Package}}-bundle:v{{.Version}}";
    let run = olmap(&["render", &fixture("bundle"), "--migrate", "--image-ref-template", template]).exits(0);
    insta::assert_snapshot!(run.out);
    let unknown = olmap(&["render", &fixture("bundle"), "--image-ref-template", "{{.Channel}}"]).exits(2);
    assert!(unknown.err.contains("{{.Package}}, {{.Name}} and {{.Version}}"), "{}", unknown.err);
}

#[test]
fn suites_report_findings_with_locations() {
    let run = olmap(&["bundle", "validate", &fixture("bundle")]).exits(1);
    insta::assert_snapshot!(run.out);
    let run = olmap(&["bundle", "validate", "--suite", "good-practices", "-o", "json", &fixture("bundle")])
        .exits(0);
    let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let row = found.as_array().unwrap().iter().find(|row| row["line"] == 47).unwrap();
    assert_eq!(row["validator"], "good-practices");
    assert_eq!(row["level"], "Warning");
    assert_eq!(row["file"], "manifests/beacon.clusterserviceversion.yaml");
    assert_eq!(row["rule"], "suite-good-practices");
    assert_eq!(row["severity"], "warning");
    assert_eq!(row["type"], "ValidationFailed");
    assert_eq!(row["bundle"], "beacon-operator.v1.4.0");
    olmap(&["bundle", "validate", "--target", "v1", &fixture("bundle")]).exits(0);
}

#[test]
fn categories_of_a_file_replace_the_default_ones() {
    let csv = "manifests/beacon.clusterserviceversion.yaml";
    let folder = copy_changed_bundle(csv, "capabilities: Seamless Upgrades", "categories: Lighthouses");
    let bundle = folder.path().to_str().unwrap();
    let arguments = ["bundle", "validate", "--suite", "standardcategories", bundle];
    let run = olmap(&arguments).exits(1);
    assert!(run.out.contains("`Lighthouses` is no standard category"), "{}", run.out);
    let file = folder.path().join("categories.json");
    fs::write(&file, r#"{"categories": ["Lighthouses"]}"#).unwrap();
    let run = run_with_input(command().args(arguments).env("OPERATOR_BUNDLE_CATEGORIES", &file), b"");
    assert_eq!(run.code, 0, "{}", run.err);
}

#[test]
fn directory_that_is_not_a_bundle_fails() {
    let run = olmap(&["bundle", "show", "demo/catalog"]).exits(2);
    assert!(run.err.contains("demo/catalog is not a bundle directory"), "{}", run.err);
    let run = olmap(&["bundle", "validate", "--target", "classic", "demo/catalog"]).exits(1);
    assert!(run.out.contains("holds a ClusterServiceVersion"), "{}", run.out);
}

#[test]
fn deeply_nested_content_is_handled_in_time() {
    let folder = copy_changed_bundle("metadata/annotations.yaml", "annotations:", "annotations:");
    let write = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
    let bundle = folder.path().to_str().unwrap();
    for rule in [format!("a{}", ".a".repeat(31_000)), format!("1{}", "+1".repeat(2_000)), "(".repeat(4_000)] {
        let rule = format!("{{failureMessage: x, cel: {{rule: '{rule}'}}}}");
        write(
            "metadata/dependencies.yaml",
            format!("dependencies:\n- {{type: olm.constraint, value: {rule}}}\n"),
        );
        let run = olmap(&["bundle", "validate", "--suite", "format", bundle]).exits(1);
        assert!(run.out.contains("olm.constraint: the CEL rule"), "{}", run.out);
    }
    let lists = 4_900;
    let (open, close) = ("{\"kind\":\"List\",\"items\":[".repeat(lists), "]}".repeat(lists));
    write("manifests/deep.json", format!("{open}{{\"kind\":\"Deployment\"}}{close}"));
    let run = olmap(&["bundle", "validate", "--target", "v1", bundle]).exits(1);
    assert!(run.out.contains("error[v1-object-kind]: Deployment"), "{}", run.out);
}

/// Copies the bundle with a change in one file.
fn copy_changed_bundle(file: &str, from: &str, to: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for inside in ["manifests", "metadata"] {
        fs::create_dir(folder.path().join(inside)).unwrap();
        for entry in fs::read_dir(root().join(fixture("bundle")).join(inside)).unwrap() {
            let entry = entry.unwrap();
            let text = fs::read_to_string(entry.path()).unwrap();
            let is_it = entry.path().ends_with(file);
            assert!(!is_it || text.contains(from));
            let text = if is_it { text.replace(from, to) } else { text };
            fs::write(folder.path().join(inside).join(entry.file_name()), text).unwrap();
        }
    }
    folder
}

#[test]
fn rejected_bundle_is_not_rendered_and_the_field_is_named() {
    let csv = "manifests/beacon.clusterserviceversion.yaml";
    let folder = copy_changed_bundle(csv, "capabilities: Seamless Upgrades", "capabilities: 5");
    let run = olmap(&["render", folder.path().to_str().unwrap()]).exits(2);
    assert!(run.out.is_empty());
    assert!(run.err.contains("metadata.annotations.capabilities: must be a string"), "{}", run.err);
    let folder = copy_changed_bundle(csv, "kind: Beacon\n  install", "kind: Lamp\n  install");
    let run = olmap(&["render", folder.path().to_str().unwrap()]).exits(2);
    assert!(run.err.contains("no CRD for harbour.example.com/v1/Lamp (beacons)"), "{}", run.err);
}

#[test]
fn escape_sequences_of_a_bundle_are_replaced() {
    let folder = copy_changed_bundle(
        "manifests/beacon.clusterserviceversion.yaml",
        "displayName: Beacon Operator",
        "displayName: \"Beacon\\e[31m\\e]0;title\\a Operator\"",
    );
    let path = folder.path().to_str().unwrap().to_owned();
    for arguments in [vec!["bundle", "show", &path], vec!["bundle", "show", "-o", "json", &path]] {
        let run = olmap(&arguments).exits(0);
        assert!(!run.out.contains('\u{1b}') && !run.out.contains('\u{7}'), "{}", run.out);
    }
}

/// Returns the rules of the findings.
fn finding_rules(arguments: &[&str]) -> Vec<String> {
    let run = olmap(&[&["bundle", "validate", "-o", "json"], arguments].concat());
    let rows = run.json();
    rows.as_array().unwrap().iter().map(|row| row["rule"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn own_rules_are_run_unless_parity_is_given() {
    let bundle = fixture("bundle");
    let all = finding_rules(&[&bundle]);
    assert!(all.iter().any(|rule| rule == "lost-object"), "{all:?}");
    let parity = finding_rules(&[&bundle, "--parity"]);
    assert!(
        parity.iter().all(|rule| rule.starts_with("suite-") || rule.starts_with("classic-")),
        "{parity:?}"
    );
    assert_ne!(parity, all);
    assert_eq!(finding_rules(&[&bundle, "--rule", "lost-object"]), ["lost-object"]);
    assert!(finding_rules(&[&bundle, "--allow", "errors"]).iter().all(|rule| rule != "lost-object"));
    let unknown = olmap(&["bundle", "validate", &bundle, "--rule", "lost-objects"]).exits(2);
    assert!(unknown.err.contains("did you mean lost-object?"), "{}", unknown.err);
}

/// Copies the bundle and adds a conversion webhook, which requires the install mode
/// `AllNamespaces`.
fn bundle_with_conversion_webhook() -> tempfile::TempDir {
    copy_changed_bundle(
        "manifests/beacon.clusterserviceversion.yaml",
        "spec:\n  displayName: Beacon Operator\n",
        "spec:\n  displayName: Beacon Operator\n  webhookdefinitions:\n  - type: ConversionWebhook\n    generateName: \
         convert.example.com\n    conversionCRDs: [beacons.harbour.example.com]\n    admissionReviewVersions: [v1]\n    \
         sideEffects: None\n",
    )
}

#[test]
fn selection_of_rules_changes_what_is_listed_and_not_what_is_found() {
    let folder = bundle_with_conversion_webhook();
    let bundle = folder.path().to_str().unwrap();
    let rows = |arguments: &[&str]| -> Vec<(Vec<String>, String)> {
        let run = olmap(&[&["bundle", "validate", "-o", "json", bundle], arguments].concat());
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        let row = |row: &serde_json::Value| {
            let rules = row["rules"].as_array().map(|rules| rules.iter().map(text).collect());
            (rules.unwrap_or_else(|| vec![text(&row["rule"])]), text(&row["message"]))
        };
        run.json().as_array().unwrap().iter().map(row).collect()
    };
    let full = rows(&[]);
    let modes = |rows: &[(Vec<String>, String)]| -> Vec<Vec<String>> {
        let about = rows.iter().filter(|(_, message)| message.contains("AllNamespaces"));
        let about = about.chain(rows.iter().filter(|(_, message)| message.contains("for all namespaces")));
        about.map(|(rules, _)| rules.clone()).collect()
    };
    let names = ["suite-csv", "suite-content", "conversion-webhook"].map(str::to_owned);
    assert_eq!(modes(&full), [names.to_vec()]);
    assert_eq!(modes(&rows(&["--allow", "suite-csv"])), [names[1..].to_vec()]);
    let all: std::collections::BTreeSet<&String> = full.iter().flat_map(|(rules, _)| rules).collect();
    for rule in all {
        let named = full.iter().filter(|(rules, _)| rules.contains(rule)).count();
        let selected = rows(&["--rule", rule]);
        assert!(selected.iter().all(|(rules, _)| rules.iter().eq([rule])), "{rule}: {selected:?}");
        assert!(selected.len() >= named && named > 0, "{rule}: {selected:?}");
        let left = rows(&["--allow", rule]);
        assert!(left.iter().all(|(rules, _)| !rules.contains(rule)), "{rule}: {left:?}");
    }
    // The finding remains an error if only one of its rules is selected.
    let text = olmap(&["bundle", "validate", "--rule", "conversion-webhook", bundle]).exits(1);
    assert!(text.out.contains("error[conversion-webhook]"), "{}", text.out);
    let text = olmap(&["bundle", "validate", bundle]).exits(1);
    assert!(text.out.contains("also reported by suite-content, conversion-webhook"), "{}", text.out);
}

#[test]
fn warnings_fail_if_they_are_denied() {
    let bundle = fixture("bundle");
    let warnings = ["bundle", "validate", "--suite", "good-practices", &bundle];
    olmap(&warnings).exits(0);
    olmap(&[&warnings[..], &["--deny", "warnings"]].concat()).exits(1);
    olmap(&[&warnings[..], &["--deny", "suite-good-practices"]].concat()).exits(1);
}

#[test]
fn each_bundle_is_checked_separately() {
    let (bundle, mended) = (fixture("bundle"), fixed_bundle());
    let other = mended.path().to_str().unwrap();
    let run = olmap(&["bundle", "validate", "--rule", "lost-object", &bundle, other]).exits(1);
    let last = format!("{bundle}: 1 error\n{other}: no findings\n2 bundles: 1 error\n");
    assert!(run.out.ends_with(&last), "{}", run.out);
}

#[test]
fn folder_of_versions_checks_each_bundle() {
    let folder = tempfile::tempdir().unwrap();
    for version in ["1.0.0", "1.1.0"] {
        let one = copy_changed_bundle("manifests/licence.yaml", "---\n", "---\n");
        fs::rename(one.keep(), folder.path().join(version)).unwrap();
    }
    let run =
        olmap(&["bundle", "validate", "--rule", "lost-object", folder.path().to_str().unwrap()]).exits(1);
    assert!(run.out.contains("1.0.0: 1 error") && run.out.contains("1.1.0: 1 error"), "{}", run.out);
    assert!(run.out.ends_with("2 bundles: 2 errors\n"), "{}", run.out);
}

#[test]
fn bundles_support_every_format_of_findings() {
    let bundle = fixture("bundle");
    let run =
        |format| olmap(&["bundle", "validate", "--rule", "lost-object", "-o", format, &bundle]).exits(1).out;
    let sarif: serde_json::Value = serde_json::from_str(&run("sarif")).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "lost-object");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "tests/fixtures/cli/bundle/manifests/licence.yaml");
    assert_eq!(place["region"]["startLine"], 2);
    insta::assert_snapshot!([run("github"), run("markdown")].concat());
}

/// Returns the bundle with the fix of the lost object.
fn fixed_bundle() -> tempfile::TempDir {
    let folder = copy_changed_bundle("manifests/licence.yaml", "---\n", "---\n");
    olmap(&["bundle", "validate", "--rule", "lost-object", "--fix", folder.path().to_str().unwrap()])
        .exits(0);
    folder
}

/// Returns the next version of the lighthouse, with typical changes of a release.
fn next_lighthouse_version() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in [
        "manifests/lenses.crd.yaml",
        "manifests/lighthouse.clusterserviceversion.yaml",
        "manifests/lighthouses.crd.yaml",
        "manifests/metrics.service.yaml",
        "metadata/annotations.yaml",
        "metadata/dependencies.yaml",
    ] {
        let text = fs::read_to_string(std::path::Path::new(&fixture("lighthouse")).join(file)).unwrap();
        let text = match file {
            "manifests/metrics.service.yaml" => text.replacen("name: ", "name: new-", 1),
            "manifests/lighthouse.clusterserviceversion.yaml" => {
                let next = text.replace("2.1.0", "2.2.0").replacen("supported: true", "supported: false", 1);
                assert!(next.contains("  minKubeVersion: "), "it asks for a Kubernetes version");
                next.replacen("  minKubeVersion: 1.", "  minKubeVersion: 1.9", 1)
            }
            _ => text.replacen("served: true", "served: false", 1),
        };
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

#[test]
fn fix_changes_only_the_separator() {
    let folder = copy_changed_bundle("manifests/licence.yaml", "---\n", "---\n");
    let bundle = folder.path().to_str().unwrap();
    let file = folder.path().join("manifests/licence.yaml");
    let before = fs::read_to_string(&file).unwrap();
    let dry = olmap(&["bundle", "validate", "--fix", "--dry-run", bundle]).exits(0);
    assert!(dry.out.contains("\n----\n"), "{}", dry.out);
    assert_eq!(fs::read_to_string(&file).unwrap(), before, "nothing is written");
    let run = olmap(&["bundle", "validate", "--fix", "--rule", "lost-object", bundle]).exits(0);
    assert!(run.err.contains("manifests/licence.yaml: 1 finding"), "{}", run.err);
    assert_eq!(fs::read_to_string(&file).unwrap(), before.replacen("---\n", "", 1));
    let again = olmap(&["bundle", "validate", "--fix", bundle]).exits(2);
    assert!(again.err.contains("no finding can be fixed"), "{}", again.err);
}

#[test]
fn diff_lists_most_important_changes_first() {
    let next = next_lighthouse_version();
    let (old, new) = (fixture("lighthouse"), next.path().to_str().unwrap());
    let run = olmap(&["bundle", "diff", &old, new]).exits(0);
    insta::assert_snapshot!(run.out);
    insta::assert_snapshot!(olmap(&["bundle", "diff", "-o", "markdown", &old, new]).exits(0).out);
    let all = olmap(&["bundle", "diff", "-o", "json", &old, new]).exits(0).json();
    let kinds: Vec<&str> =
        all["concerns"].as_array().unwrap().iter().map(|concern| concern["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"unserved-version") && kinds.contains(&"removed-install-mode"), "{kinds:?}");
    assert_eq!(kinds.last(), Some(&"removed-object"), "{kinds:?}");
    let same = olmap(&["bundle", "diff", "-o", "json", &old, &old]).exits(0).json();
    assert_eq!((&same["same"], same["sections"].as_array().unwrap().len()), (&true.into(), 0));
    olmap(&["bundle", "diff", "--fail-on", "removed-object", &old, new]).exits(1);
    olmap(&["bundle", "diff", "--fail-on", "serious", &old, new]).exits(1);
    olmap(&["bundle", "diff", "--fail-on", "removed-api,new-webhook", &old, new]).exits(0);
    olmap(&["bundle", "diff", "--fail-on", "removed-object,gained-danger", &old, &old]).exits(0);
    let refused = olmap(&["bundle", "diff", "--fail-on", "all", &old, &old]).exits(1);
    assert!(
        refused.out.contains("AllNamespaces is not the only"),
        "OLM refuses the bundle itself: {}",
        refused.out
    );
    let run = olmap(&["bundle", "diff", &old, "demo"]).exits(2);
    assert!(run.err.contains("is not a bundle directory"), "{}", run.err);
}

#[test]
fn diff_compares_available_parts_of_catalog_bundles() {
    let next = next_lighthouse_version();
    let folder = tempfile::tempdir().unwrap();
    let catalog = folder.path().join("catalog.yaml");
    let path = catalog.to_str().unwrap();
    let template = "registry.example.com/coast/lighthouse-bundle:v{{.Version}}";
    let render = |bundle: &str| {
        let arguments = ["render", "--migrate", "--image-ref-template", template, bundle];
        olmap(&arguments).exits(0).out
    };
    let bundles = render(&fixture("lighthouse")) + "---\n" + &render(next.path().to_str().unwrap());
    let channel = "---\nschema: olm.package\nname: lighthouse-operator\ndefaultChannel: stable\n---\nschema: olm.channel\n\
                   package: lighthouse-operator\nname: stable\nentries:\n- name: lighthouse-operator.v2.1.0\n- {name: \
                   lighthouse-operator.v2.2.0, replaces: lighthouse-operator.v2.1.0}\n";
    fs::write(&catalog, bundles + channel).unwrap();
    let run = olmap(&["bundle", "diff", "--catalog", path, "2.1.0", "lighthouse-operator.v2.2.0"]).exits(0);
    insta::assert_snapshot!(run.out);
    let run = olmap(&["bundle", "diff", "--catalog", path, "--fail-on", "new-webhook", "2.1.0", "2.2.0"]);
    assert!(run.exits(2).err.contains("not compared: "), "what is not known is not fine");
    let run = olmap(&["bundle", "diff", "--catalog", path, "2.1.0", "2.3.0"]).exits(2);
    assert!(run.err.contains("no bundle 2.3.0"), "{}", run.err);
}

#[test]
fn folder_of_bundles_is_validated_as_a_catalog() {
    let folder = tempfile::tempdir().unwrap();
    for version in ["1.4.0", "1.4.0-again"] {
        let one = copy_changed_bundle("manifests/licence.yaml", "---\n", "---\n");
        fs::rename(one.keep(), folder.path().join(version)).unwrap();
    }
    for part in ["manifests", "metadata"] {
        fs::create_dir_all(folder.path().join("empty").join(part)).unwrap();
    }
    let run = olmap(&["validate", folder.path().to_str().unwrap(), "--format", "json"]).exits(1);
    let rows = run.json();
    let of = |rule: &str| rows.as_array().unwrap().iter().filter(|row| row["rule"] == rule).count();
    // Each directory is checked, including duplicates of a bundle and directories without one.
    assert_eq!([of("lost-object"), of("rejected-bundle"), of("duplicate-bundle")], [2, 1, 1], "{}", run.out);
    assert!(of("suite-format") > 0, "{}", run.out);
    olmap(&["validate", folder.path().to_str().unwrap(), "--parity"]).exits(1);
}

#[test]
fn refuses_conflicting_options() {
    let bundle = fixture("bundle");
    for others in [["--suite", "csv"], ["--target", "classic"]] {
        let run = olmap(&[&["bundle", "validate", &bundle, "--parity"], &others[..]].concat()).exits(2);
        assert!(run.err.contains("cannot be used with"), "{}", run.err);
    }
}

#[test]
fn finds_dockerfile_next_to_the_current_bundle_directory() {
    let folder = tempfile::tempdir().unwrap();
    fs::rename(fixed_bundle().keep(), folder.path().join("bundle")).unwrap();
    let dockerfile = "FROM scratch\nLABEL operators.operatorframework.io.bundle.package.v1=other\n\
                      COPY bundle/manifests /manifests/\n";
    fs::write(folder.path().join("bundle.Dockerfile"), dockerfile).unwrap();
    let validate =
        |path: &str| ["bundle", "validate", "--rule", "dockerfile-labels", path].map(str::to_owned);
    for (inside, path, shown) in [
        ("", "bundle", "bundle.Dockerfile:2"),
        ("bundle", ".", "../bundle.Dockerfile:2"),
        ("bundle/manifests", "..", "../../bundle.Dockerfile:2"),
    ] {
        let arguments = validate(path);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let run = olmap_in(&folder.path().join(inside), &arguments).exits(0);
        assert!(run.out.contains(shown), "{path}: {}", run.out);
        assert!(run.out.contains("is `other`"), "{path}: {}", run.out);
    }
}

#[test]
fn several_heads_are_a_note_if_bundles_have_no_edges() {
    let csv = "manifests/beacon.clusterserviceversion.yaml";
    let severity = |edges: bool| {
        let folder = tempfile::tempdir().unwrap();
        for version in ["1.4.0", "1.5.0"] {
            let one = copy_changed_bundle(csv, "1.4.0", version);
            let path = one.path().join(csv);
            let text = fs::read_to_string(&path).unwrap();
            let text = text
                .replace("    olm.skipRange: '>=1.2.0 <1.4.0'\n", "")
                .replace("    olm.skipRange: '>=1.2.0 <1.5.0'\n", "");
            let text = if edges { text } else { text.replace("  replaces: beacon-operator.v1.3.2\n", "") };
            fs::write(&path, text).unwrap();
            fs::rename(one.keep(), folder.path().join(version)).unwrap();
        }
        let run =
            olmap(&["validate", folder.path().to_str().unwrap(), "--rule", "multiple-heads", "-o", "json"]);
        let rows = run.json();
        rows.as_array()
            .unwrap()
            .iter()
            .map(|row| row["severity"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(severity(true), ["error", "error"]);
    assert_eq!(severity(false), ["note", "note"]);
}
