//! Tests of the files of an operator.

use std::{fs, path::Path};

use olm_catalog::load;

use super::{
    CiConfig, OperatorCatalogs, OperatorFinding, OperatorReport, ReleaseConfig, catalog_folders,
    check_operator, configured_operators,
    edit::{AddCatalogError, ReleaseEntry, add_catalog, write_release},
};

/// Formats findings as `severity path:line:column: message [hint]`.
fn format_findings(findings: &[OperatorFinding]) -> Vec<String> {
    let format = |finding: &OperatorFinding| {
        let hint = finding.kind.correction().map(|hint| format!(" [{hint}]")).unwrap_or_default();
        format!("{} {}: {}{hint}", finding.severity.severity_word(), finding.at, finding.kind)
    };
    findings.iter().map(format).collect()
}

fn ci_findings(text: &str) -> Vec<String> {
    format_findings(&CiConfig::parse_ci(Path::new("ci.yaml"), text.as_bytes()).unwrap().1)
}

fn release_findings(text: &str) -> Vec<String> {
    format_findings(&ReleaseConfig::parse_release(Path::new("r.yaml"), text.as_bytes()).unwrap().1)
}

const CI: &str = "\
---
updateGraph: replaces-mode
reviewers: [ada, grace]
fbc:
  enabled: true
  version_promotion_strategy: review-needed
  catalog_mapping:
    - template_name: basic.yaml
      catalog_names: [v4.18, \"v4.19\"]
      type: olm.template.basic
    - template_name: semver.yaml
      catalog_names:
        - v4.20
        - \"v4.21\" # the last
      type: olm.semver
";

#[test]
fn ci_fields_are_read_and_valid_file_has_no_findings() {
    let (config, findings) = CiConfig::parse_ci(Path::new("ci.yaml"), CI.as_bytes()).unwrap();
    assert_eq!(format_findings(&findings), Vec::<String>::new());
    assert!(config.is_enabled());
    assert_eq!(config.promotion.unwrap().value, "review-needed");
    assert_eq!(config.update_graph.unwrap().value, "replaces-mode");
    assert_eq!(config.reviewers.len(), 2);
    let mappings: Vec<(&str, &str, Vec<&str>)> = config
        .mappings
        .iter()
        .map(|mapping| {
            let catalogs = mapping.catalogs.iter().map(|catalog| catalog.value.as_str()).collect();
            (mapping.template.value.as_str(), mapping.schema.as_ref().unwrap().value.as_str(), catalogs)
        })
        .collect();
    assert_eq!(
        mappings,
        [
            ("basic.yaml", "olm.template.basic", vec!["v4.18", "v4.19"]),
            ("semver.yaml", "olm.semver", vec!["v4.20", "v4.21"]),
        ]
    );
    for text in ["", "---\n", "fbc:\n", "owner: somebody\n", "{}"] {
        assert_eq!(ci_findings(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn mistakes_in_ci_file_have_location_and_hint() {
    let mapping = |fields: &str| format!("fbc:\n  enabled: true\n  catalog_mapping:\n  - {{{fields}}}\n");
    let rest = "template_name: a.yaml, type: olm.semver";
    for (text, expected) in [
        (
            CI.replace("catalog_names: [v4.18, \"v4.19\"]", "catalog_names: [v4.18, v4.18]"),
            "error ci.yaml:9:30: `catalog_names` has v4.18 twice [remove one of them]",
        ),
        (
            CI.replace("- v4.20", "- v4.18"),
            "error ci.yaml:13:11: catalog v4.18 is mapped to two templates: basic.yaml and semver.yaml [remove one of them]",
        ),
        (
            CI.replace("- v4.20", "- '4.20'"),
            "error ci.yaml:13:11: catalog `4.20` is not a version of OpenShift such as v4.18 [write \"v4.20\"]",
        ),
        (
            CI.replace("- v4.20", "- 4.20"),
            "error ci.yaml:13:11: `4.20` in `catalog_names` is a number [write \"v4.20\"]",
        ),
        (
            CI.replace("- v4.20", "- next"),
            "warning ci.yaml:13:11: catalog `next` is not a version of OpenShift such as v4.18",
        ),
        (
            CI.replace("semver.yaml", "basic.yaml"),
            "error ci.yaml:11:22: template basic.yaml has two mappings: the pipelines add bundles only to the catalogs of the first [merge the two mappings]",
        ),
        (
            CI.replace("type: olm.semver", "type: semver"),
            "error ci.yaml:15:13: `type` cannot be `semver`: it is one of olm.template.basic, olm.semver",
        ),
        (
            CI.replace("type: olm.semver", "Type: olm.semver"),
            "warning ci.yaml:15:7: unknown key `Type` [did you mean type?]",
        ),
        (CI.replace("enabled: true", "enabled: 1"), "error ci.yaml:5:12: `enabled` must be true or false"),
        (
            CI.replace("enabled: true", "enabled: false"),
            "note ci.yaml:5:12: `fbc.enabled` is not true: the pipelines do not use the mappings [set `enabled: true` below `fbc` in ci.yaml]",
        ),
        (
            CI.replace("enabled:", "enable:"),
            "error ci.yaml:5:3: unknown key `enable` [did you mean enabled?]",
        ),
        (
            CI.replace("review-needed", "Always"),
            "error ci.yaml:6:31: `version_promotion_strategy` cannot be `Always`: it is one of review-needed, always, never [did you mean always?]",
        ),
        (
            CI.replace("replaces-mode", "replace-mode"),
            "error ci.yaml:2:14: `updateGraph` cannot be `replace-mode`: it is one of replaces-mode, semver-mode [did you mean replaces-mode?]",
        ),
        (
            CI.replace("reviewers:", "reviewer:"),
            "warning ci.yaml:3:1: unknown key `reviewer` [did you mean reviewers?]",
        ),
        (CI.replace("[ada, grace]", "ada"), "error ci.yaml:3:12: `reviewers` must be a list"),
        (CI.replace("[ada, grace]", "[]"), "error ci.yaml:3:12: `reviewers` is empty"),
        (mapping(rest), "error ci.yaml:4:6: `catalog_names` is missing"),
        (
            mapping(&format!("{rest}, catalogs_names: [v4.18]")),
            "error ci.yaml:4:47: `catalogs_names` is ignored: the pipelines read `catalog_names` [rename the key to catalog_names]",
        ),
        ("- fbc\n".to_owned(), "error ci.yaml:1:1: `ci.yaml` must be a map"),
        ("fbc: true\n".to_owned(), "error ci.yaml:1:6: `fbc` must be a map"),
    ] {
        let found = ci_findings(&text);
        assert!(found.contains(&expected.to_owned()), "{expected}\nis not in {found:#?}");
    }
    assert!(CiConfig::parse_ci(Path::new("ci.yaml"), b"fbc: [").is_err());
}

#[test]
fn mistakes_in_release_file_have_location_and_hint() {
    let valid =
        "catalog_templates:\n- template_name: basic.yaml\n  channels: [stable]\n  replaces: kiln.v1.0.0\n";
    assert_eq!(release_findings(valid), Vec::<String>::new());
    assert_eq!(release_findings(""), Vec::<String>::new());
    for (text, expected) in [
        (
            valid.replace("replaces", "replace"),
            "warning r.yaml:4:3: unknown key `replace` [did you mean replaces?]",
        ),
        (valid.replace("[stable]", "[]"), "error r.yaml:3:13: `channels` is empty"),
        (
            valid.replace("[stable]", "[a, a]"),
            "error r.yaml:3:17: `channels` has a twice [remove one of them]",
        ),
        (valid.replace("[stable]", "stable"), "error r.yaml:3:13: `channels` must be a list"),
        (valid.replace("  channels: [stable]\n", ""), "error r.yaml:2:3: `channels` is missing"),
        (
            valid.replace("replaces: kiln.v1.0.0", "skipRange: heat"),
            "error r.yaml:4:14: `skipRange` is invalid:",
        ),
        (
            valid.replace("replaces: kiln.v1.0.0", "defaultChannel: fast"),
            "error r.yaml:4:19: `defaultChannel` is fast, which is not one of `channels`: the pipelines stop",
        ),
        (format!("{valid}channels: [stable]\n"), "error r.yaml:5:1: unknown key `channels`"),
        ("merge: true\n".to_owned(), "error r.yaml:1:1: `catalog_templates` is missing"),
        ("catalog_templates: []\n".to_owned(), "error r.yaml:1:20: `catalog_templates` is empty"),
    ] {
        let found = release_findings(&text);
        assert!(found.iter().any(|line| line.starts_with(expected)), "{expected}\nis not in {found:#?}");
    }
}

const CATALOGS: [&str; 2] = ["v4.18", "v4.19"];

/// A repository with operator `kiln`: bundles 1.0.0 and 1.1.0 are in a basic template and two catalogs.
struct Repository(tempfile::TempDir);

impl Repository {
    fn create() -> Self {
        let repository = Self(tempfile::tempdir().unwrap());
        let template = "schema: olm.template.basic\nentries:\n- {schema: olm.package, name: kiln, defaultChannel: stable}\n\
             - schema: olm.channel\n  package: kiln\n  name: stable\n  entries:\n  - name: kiln.v1.0.0\n  - {name: kiln.v1.1.0, replaces: kiln.v1.0.0}\n\
             - {schema: olm.bundle, image: 'example.com/kiln@sha256:aa'}\n- {schema: olm.bundle, image: 'example.com/kiln@sha256:bb'}\n";
        repository.write_file("operators/kiln/catalog-templates/basic.yaml", template);
        repository.write_file(
            "operators/kiln/ci.yaml",
            "fbc:\n  enabled: true\n  catalog_mapping:\n  - template_name: basic.yaml\n    catalog_names: [v4.18, v4.19]\n    type: olm.template.basic\n",
        );
        let bundle = |version: &str, digest: &str| {
            format!(
                "---\nschema: olm.bundle\npackage: kiln\nname: kiln.v{version}\nimage: example.com/kiln@sha256:{digest}\nproperties:\n\
                 - {{type: olm.package, value: {{packageName: kiln, version: {version}}}}}\n"
            )
        };
        let catalog =
            format!("schema: olm.package\nname: kiln\n{}{}", bundle("1.0.0", "aa"), bundle("1.1.0", "bb"));
        for name in CATALOGS {
            repository.write_file(&format!("catalogs/{name}/kiln/catalog.yaml"), &catalog);
        }
        for version in ["1.0.0", "1.1.0"] {
            repository.add_bundle(version, None);
        }
        repository
    }

    fn write_file(&self, path: &str, text: &str) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn replace(&self, path: &str, old: &str, new: &str) {
        let text = fs::read_to_string(self.0.path().join(path)).unwrap();
        assert!(text.contains(old), "{text}");
        self.write_file(path, &text.replace(old, new));
    }

    fn add_bundle(&self, version: &str, openshift: Option<&str>) {
        let csv = format!(
            "kind: ClusterServiceVersion\nmetadata: {{name: kiln.v{version}}}\nspec: {{version: {version}}}\n"
        );
        self.write_file(&format!("operators/kiln/{version}/manifests/csv.yaml"), &csv);
        let openshift = openshift.map(|range| format!("  com.redhat.openshift.versions: {range}\n"));
        let annotations = format!(
            "annotations:\n  operators.operatorframework.io.bundle.package.v1: kiln\n{}",
            openshift.unwrap_or_default()
        );
        self.write_file(&format!("operators/kiln/{version}/metadata/annotations.yaml"), &annotations);
    }

    fn add_release(&self, version: &str, template: &str) {
        let text = format!("catalog_templates:\n- {{{template}}}\n");
        self.write_file(&format!("operators/kiln/{version}/release-config.yaml"), &text);
    }

    fn check_kiln(&self) -> OperatorReport {
        let operators = configured_operators(self.0.path());
        let operator = operators.iter().find(|operator| operator.operator == "kiln").unwrap();
        let open = |name: String| {
            let path = self.0.path().join(operator.catalog_path(&name).unwrap());
            (name, load::open_catalog(path).map_err(|error| error.to_string()))
        };
        let catalogs: OperatorCatalogs =
            catalog_folders(self.0.path(), operator).into_iter().map(open).collect();
        check_operator(self.0.path(), operator, &catalogs)
    }

    fn findings(&self) -> Vec<String> {
        let report = self.check_kiln();
        assert_eq!(report.unreadable, []);
        format_findings(&report.findings)
    }
}

#[test]
fn bundle_in_no_template_and_no_catalog_is_a_finding() {
    let repository = Repository::create();
    assert_eq!(repository.findings(), Vec::<String>::new());
    repository.add_bundle("1.2.0", None);
    let hint =
        "[add it to a template and render the catalogs, or delete the directory of a withdrawn bundle]";
    let missing = format!(
        "warning operators/kiln/1.2.0: kiln.v1.2.0 is in no template and no catalog of the operator {hint}"
    );
    assert_eq!(repository.findings(), [missing]);
    // The catalogs are not rendered yet, which is another finding of `template check`.
    let template = "operators/kiln/catalog-templates/basic.yaml";
    let old = fs::read_to_string(repository.0.path().join(template)).unwrap();
    repository.replace(template, "  - name: kiln.v1.0.0\n", "  - name: kiln.v1.0.0\n  - name: kiln.v1.2.0\n");
    assert_eq!(repository.findings(), Vec::<String>::new());
    repository
        .write_file(template, &format!("{old}- {{schema: olm.bundle, image: 'example.com/kiln:v1.2.0'}}\n"));
    assert_eq!(repository.findings(), Vec::<String>::new());
    repository.write_file(
        template,
        &format!("{old}- {{schema: olm.bundle, image: 'example.com/kiln@sha256:cc'}}\n"),
    );
    let found = repository.findings().remove(0);
    assert!(found.starts_with("note ") && found.contains("it may be the image in its templates"), "{found}");
    repository.write_file(template, "a: [\n");
    let found = repository.findings();
    assert_eq!(
        found,
        ["note operators/kiln: not checked if every bundle is in a catalog: \
          operators/kiln/catalog-templates/basic.yaml cannot be read"]
    );
}

#[test]
fn bundle_of_operator_without_file_based_catalogs_is_not_a_finding() {
    let repository = Repository::create();
    repository.add_bundle("1.2.0", None);
    repository.replace("operators/kiln/ci.yaml", "enabled: true", "enabled: false");
    assert!(!repository.findings().iter().any(|line| line.contains("kiln.v1.2.0")));
}

#[test]
fn excluded_catalogs_are_the_cause() {
    let repository = Repository::create();
    repository.add_bundle("1.2.0", Some("v4.19"));
    let found = repository.findings();
    let words = "; com.redhat.openshift.versions `v4.19` excludes v4.18 [";
    assert!(found[0].starts_with("warning operators/kiln/1.2.0: ") && found[0].contains(words), "{found:?}");
    repository.add_bundle("1.2.0", Some("=v4.17"));
    let found = repository.findings();
    assert!(found[0].starts_with("note operators/kiln/1.2.0/metadata/annotations.yaml:3:34: "), "{found:?}");
    assert!(found[0].contains("`=v4.17` excludes v4.18, v4.19"), "{found:?}");
}

#[test]
fn catalog_that_every_bundle_excludes_is_noted() {
    let repository = Repository::create();
    repository.replace("operators/kiln/ci.yaml", "[v4.18, v4.19]", "[v4.12, v4.18, v4.19]");
    assert_eq!(repository.findings(), Vec::<String>::new(), "the bundles are for all versions");
    for version in ["1.0.0", "1.1.0"] {
        repository.add_bundle(version, Some("v4.14-v4.20"));
    }
    assert_eq!(
        repository.findings(),
        [
            "note operators/kiln/ci.yaml:5:21: catalog v4.12 does not exist, and com.redhat.openshift.versions of every \
          bundle excludes it (v4.14-v4.20)"
        ]
    );
}

#[test]
fn older_bundles_and_pre_releases_are_one_note() {
    let repository = Repository::create();
    for version in ["0.1.0", "0.2.0", "1.1.0-rc.1"] {
        repository.add_bundle(version, None);
    }
    assert_eq!(
        repository.findings(),
        [
            "note operators/kiln: older bundles and pre-releases in no template and no catalog: kiln.v0.1.0, kiln.v0.2.0, \
          kiln.v1.1.0-rc.1"
        ]
    );
    for version in ["1.0.1", "1.2.0-rc.1"] {
        repository.add_bundle(version, None);
    }
    let found = repository.findings();
    assert!(found[0].starts_with("warning operators/kiln/1.0.1: "), "{found:?}");
    assert!(found[1].starts_with("warning operators/kiln/1.2.0-rc.1: "), "{found:?}");
    assert_eq!(found.len(), 3, "{found:?}");
}

#[test]
fn mapping_is_compared_with_templates() {
    let repository = Repository::create();
    let ci = "operators/kiln/ci.yaml";
    repository.replace(ci, "olm.template.basic", "olm.semver");
    assert_eq!(
        repository.findings(),
        ["error operators/kiln/ci.yaml:6:11: `type` is `olm.semver`, but the schema of basic.yaml is \
          `olm.template.basic` [write `type: olm.template.basic`]"]
    );
    repository.replace(ci, "olm.semver", "olm.template.basic");
    repository.replace(ci, "basic.yaml", "basics.yaml");
    assert_eq!(
        repository.findings(),
        ["error operators/kiln/ci.yaml:4:20: template basics.yaml does not exist [did you mean basic.yaml?]"]
    );
}

#[test]
fn valid_release_of_new_bundle_is_a_note() {
    let repository = Repository::create();
    repository.add_bundle("1.2.0", None);
    repository.add_release("1.2.0", "template_name: basic.yaml, channels: [stable], replaces: kiln.v1.1.0");
    let found = repository.findings();
    assert_eq!(found.len(), 1, "{found:?}");
    let words = "note operators/kiln/1.2.0: kiln.v1.2.0 is in no template and no catalog of the operator; \
                 release-config.yaml adds it to basic.yaml when it is merged";
    assert!(found[0].starts_with(words), "{found:?}");
}

#[test]
fn release_is_compared_with_mapping_and_template() {
    let repository = Repository::create();
    repository.add_bundle("1.2.0", None);
    let first = |template: &str| {
        repository.add_release("1.2.0", template);
        repository.findings().remove(0)
    };
    let at = "operators/kiln/1.2.0/release-config.yaml:2";
    for (template, expected) in [
        (
            "template_name: basics.yaml, channels: [stable]",
            format!(
                "error {at}:19: template basics.yaml has no mapping in ci.yaml [did you mean basic.yaml?]"
            ),
        ),
        (
            "template_name: basic.yaml, channels: [stabel]",
            format!(
                "note {at}:42: channel stabel does not exist in basic.yaml and will be created [did you mean stable?]"
            ),
        ),
        (
            "template_name: basic.yaml, channels: [stable], replaces: klin.v1.1.0",
            format!(
                "warning {at}:61: `replaces` names klin.v1.1.0, which is not in basic.yaml and has no bundle directory [did you mean kiln.v1.1.0?]"
            ),
        ),
        (
            "template_name: basic.yaml, channels: [stable], skips: [kiln.v1.1.0, kiln.v1.1.7]",
            format!(
                "warning {at}:72: `skips` names kiln.v1.1.7, which is not in basic.yaml and has no bundle directory"
            ),
        ),
    ] {
        assert_eq!(first(template), expected);
    }
    repository.replace("operators/kiln/ci.yaml", "enabled: true", "enabled: false");
    let found = repository.findings();
    assert!(found.iter().any(|line| line.contains("the pipelines reject release-config.yaml")), "{found:?}");
}

#[test]
fn release_in_semver_template_needs_existing_lists_in_exact_spelling() {
    let repository = Repository::create();
    repository.add_bundle("1.2.0", None);
    let template = "operators/kiln/catalog-templates/basic.yaml";
    repository.replace("operators/kiln/ci.yaml", "olm.template.basic", "olm.semver");
    let semver = "Schema: olm.semver\nStable:\n  Bundles:\n  - Image: example.com/kiln@sha256:aa\n  - Image: example.com/kiln@sha256:bb\n";
    repository.write_file(template, semver);
    let found = |channels: &str| {
        repository.add_release("1.2.0", &format!("template_name: basic.yaml, channels: {channels}"));
        repository.findings()
    };
    let at = "operators/kiln/1.2.0/release-config.yaml:2";
    assert_eq!(found("[Stable]").len(), 1, "only that it is not merged");
    assert_eq!(
        found("[Fast]")[0],
        format!("note {at}:42: basic.yaml has no list Fast; the pipelines create it")
    );
    assert_eq!(
        found("[stable]")[0],
        format!(
            "error {at}:42: `channels` cannot be `stable`: it is one of Candidate, Fast, Stable [did you mean Stable?]"
        )
    );
    assert_eq!(
        found("[Stable], replaces: kiln.v1.1.0")[0],
        format!("warning {at}:61: `replaces` is ignored: the edges of basic.yaml are generated [remove it]")
    );
    repository.write_file(template, &semver.replace("Stable", "stable"));
    assert!(
        found("[Stable]")[0].contains("basic.yaml has `stable`: the pipelines add another list `Stable`")
    );
    repository.write_file(template, &semver.replace("Bundles", "bundles"));
    assert!(found("[Stable]")[0].contains("list Stable of basic.yaml has no `Bundles`, only `bundles`"));
}

#[test]
fn applied_release_is_a_note() {
    let repository = Repository::create();
    for version in ["1.0.0", "1.1.0"] {
        repository.add_release(version, "template_name: basic.yaml, channels: [fast], replaces: kiln.v0.9.0");
    }
    assert_eq!(
        repository.findings(),
        [
            "note operators/kiln: the templates already have kiln.v1.0.0, kiln.v1.1.0: their release-config.yaml has no further effect"
        ]
    );
    repository.add_release("1.0.0", "template_name: gone.yaml, channels: [fast], skip: [a]");
    repository.add_release("1.1.0", "template_name: gone.yaml, channels: [fast]");
    let file = |version: &str| format!("note operators/kiln/{version}/release-config.yaml");
    let former = ":2:19: no mapping in ci.yaml for gone.yaml; the file was read when the bundle was merged";
    assert_eq!(
        repository.findings(),
        [
            format!("{}:2:48: unknown key `skip` [did you mean skips?]", file("1.0.0")),
            format!("{}{former}", file("1.0.0")),
            format!("{}{former}", file("1.1.0")),
        ]
    );
}

#[test]
fn unreadable_files_are_named() {
    let repository = Repository::create();
    repository.add_bundle("1.2.0", None);
    repository.write_file("operators/kiln/1.2.0/release-config.yaml", "a: [\n");
    repository.write_file("operators/kiln/1.3.0/manifests/csv.yaml", "kind: [\n");
    repository.write_file("operators/kiln/1.3.0/metadata/annotations.yaml", "annotations: {}\n");
    let report = repository.check_kiln();
    let paths: Vec<String> = report.unreadable.iter().map(|(path, _)| path.display().to_string()).collect();
    assert_eq!(paths, ["operators/kiln/1.3.0", "operators/kiln/1.2.0/release-config.yaml"]);
    repository.write_file("operators/kiln/ci.yaml", "a: [\n");
    assert_eq!(repository.check_kiln().unreadable[0].0, Path::new("operators/kiln/ci.yaml"));
}

#[cfg(unix)]
#[test]
fn files_behind_links_that_lead_out_are_not_quoted() {
    let (repository, outside) = (Repository::create(), tempfile::tempdir().unwrap());
    let secret = outside.path().join("secret");
    fs::write(&secret, "hunter2: true\n").unwrap();
    repository.add_bundle("1.2.0", None);
    let link = repository.0.path().join("operators/kiln/1.2.0/release-config.yaml");
    std::os::unix::fs::symlink(&secret, link).unwrap();
    let report = repository.check_kiln();
    assert!(!format!("{report:?}").contains("hunter2"), "{report:?}");
    assert_eq!(report.unreadable.len(), 1, "{report:?}");
}

#[test]
fn written_release_is_read_back() {
    let entry = ReleaseEntry {
        template: "basic.yaml".to_owned(),
        channels: vec!["stable".to_owned(), "4.18".to_owned()],
        replaces: Some("kiln.v1.1.0".to_owned()),
        skips: vec!["kiln.v1.0.0".to_owned()],
        skip_range: Some(">=1.0.0 <1.2.0".to_owned()),
    };
    let semver = ReleaseEntry {
        template: "semver.yaml".to_owned(),
        channels: vec!["Fast".to_owned()],
        ..entry.clone()
    };
    let (config, _) = CiConfig::parse_ci(Path::new("ci.yaml"), CI.as_bytes()).unwrap();
    let text = write_release(&config, &[entry.clone(), semver]).unwrap();
    assert_eq!(
        text,
        "---\ncatalog_templates:\n  - template_name: basic.yaml\n    channels: [stable, \"4.18\"]\n    replaces: kiln.v1.1.0\n\
         \x20   skips: [kiln.v1.0.0]\n    skipRange: '>=1.0.0 <1.2.0'\n  - template_name: semver.yaml\n    channels: [Fast]\n"
    );
    let (release, _) = ReleaseConfig::parse_release(Path::new("r.yaml"), text.as_bytes()).unwrap();
    assert_eq!(release.templates[0].channels[1].value, "4.18");
    assert_eq!(release.templates[0].skip_range.as_ref().unwrap().value, ">=1.0.0 <1.2.0");
    for (wrong, words) in [
        (ReleaseEntry { channels: Vec::new(), ..entry.clone() }, "`channels` is empty"),
        (ReleaseEntry { skip_range: Some("heat".to_owned()), ..entry.clone() }, "`skipRange` is invalid"),
        (
            ReleaseEntry { skips: vec!["a".to_owned(), "a".to_owned()], ..entry.clone() },
            "`skips` has a twice",
        ),
        (
            ReleaseEntry { template: "other.yaml".to_owned(), ..entry.clone() },
            "template other.yaml has no mapping",
        ),
        (ReleaseEntry { template: "semver.yaml".to_owned(), ..entry }, "`channels` cannot be `stable`"),
    ] {
        let refused = write_release(&config, &[wrong]).unwrap_err();
        assert!(refused[0].kind.to_string().starts_with(words), "{refused:?}");
    }
}

#[test]
fn added_catalog_changes_one_place() {
    let add = |text: &str, template: &str| {
        String::from_utf8(add_catalog(text.as_bytes(), template, "v4.22").unwrap()).unwrap()
    };
    assert_eq!(add(CI, "basic.yaml"), CI.replace("\"v4.19\"]", "\"v4.19\", \"v4.22\"]"));
    let longer = CI.replace("# the last\n", "# the last\n        - \"v4.22\"\n");
    assert_eq!(add(CI, "semver.yaml"), longer);
    let windows = CI.replace('\n', "\r\n");
    assert_eq!(add(&windows, "semver.yaml"), longer.replace('\n', "\r\n"));
    let end = "fbc:\n  catalog_mapping:\n  - template_name: a\n    type: olm.semver\n    catalogs_names:\n    - v4.18";
    assert_eq!(add(end, "a"), format!("{end}\n    - v4.22"));
    let empty = "fbc: {catalog_mapping: [{template_name: a, catalog_names: []}]}";
    assert_eq!(add(empty, "a"), empty.replace("[]", "[v4.22]"));
}

#[test]
fn catalog_that_cannot_be_added_is_refused() {
    let refused = |text: &str, template: &str, catalog: &str| {
        add_catalog(text.as_bytes(), template, catalog).unwrap_err()
    };
    assert_eq!(refused(CI, "basic.yaml", "4.22"), AddCatalogError::Name("4.22".to_owned()));
    assert_eq!(refused(CI, "other.yaml", "v4.22"), AddCatalogError::NoMapping("other.yaml".to_owned()));
    let mapped = AddCatalogError::Mapped { catalog: "v4.20".to_owned(), template: "semver.yaml".to_owned() };
    assert_eq!(refused(CI, "basic.yaml", "v4.20"), mapped);
    let shared = "fbc:\n  catalog_mapping:\n  - {template_name: a, catalog_names: &all [v4.18]}\n  - {template_name: b, catalog_names: *all}\n";
    for template in ["a", "b"] {
        let unsupported = AddCatalogError::Unsupported(template.to_owned());
        assert_eq!(refused(shared, template, "v4.22"), unsupported);
    }
    assert!(matches!(refused("a: [", "a", "v4.22"), AddCatalogError::Unreadable(_)));
}
