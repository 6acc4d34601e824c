//! `olmap schema`. The schemas of output are held to every JSON output of all tests here: `json_output.rs` checks
//! each run of the program. The schemas of files are held to what the commands accept and refuse.

use std::{
    collections::{BTreeSet, HashMap},
    fs,
    path::Path,
    sync::Mutex,
};

use jsonschema::Validator;
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::run::{
    json_output::{OTHER_JSON, names, schema},
    olmap, olmap_in, root,
};

#[test]
fn every_command_with_json_has_a_schema() {
    let commands = fs::read_to_string(root().join("docs/commands.md")).unwrap();
    let mut with_json = BTreeSet::new();
    let mut name = String::new();
    for line in commands.lines() {
        if let Some(command) =
            line.trim_start_matches('#').strip_prefix(" olmap ").filter(|_| line.starts_with("##"))
        {
            name = command.replace(' ', "-");
        }
        if line.starts_with("  - `json`") || line.starts_with("  - `jsonl`") {
            with_json.insert(name.clone());
        }
    }
    assert!(with_json.len() > 20, "{with_json:?}");
    // The operations of `edit` print the same, and `list` has a schema for each kind.
    let mut expected = BTreeSet::new();
    for name in with_json {
        match name.as_str() {
            "list" => expected.extend(names("output").into_iter().filter(|name| name.starts_with("list-"))),
            "schema" => {}
            name if OTHER_JSON.contains(&name) => {}
            name if name.starts_with("edit-") => drop(expected.insert("edit".to_owned())),
            name => drop(expected.insert(name.to_owned())),
        }
    }
    assert_eq!(names("output").into_iter().collect::<BTreeSet<_>>(), expected);
}

#[test]
fn schemas_are_valid_and_refer_to_their_own_definitions() {
    for name in names("file").into_iter().chain(names("output")) {
        let schema = schema(&name);
        assert!(jsonschema::meta::is_valid(&schema), "{name}");
        // Fails if a reference leads nowhere.
        jsonschema::validator_for(&schema).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(schema["title"].as_str().is_some_and(|title| title.len() > 5), "{name}");
    }
}

#[test]
fn unknown_name_is_an_error_with_a_similar_one() {
    let run = olmap(&["schema", "expectation"]).exits(2);
    assert!(
        run.err.contains("no schema expectation") && run.err.contains("did you mean expectations?"),
        "{}",
        run.err
    );
    assert_eq!(
        olmap(&["schema", "bundle", "show"]).exits(0).out,
        olmap(&["schema", "bundle-show"]).exits(0).out
    );
}

#[test]
fn printed_configuration_schema_is_that_of_config() {
    assert_eq!(olmap(&["schema", "config"]).exits(0).out, olmap(&["config", "--schema"]).exits(0).out);
}

/// Returns the documents of a file in YAML, or the objects of one in JSON.
fn documents(text: &str) -> Vec<Value> {
    if text.starts_with('{') && text.contains("}\n{") {
        return serde_json::Deserializer::from_str(text).into_iter().collect::<Result<_, _>>().unwrap();
    }
    let documents = serde_yaml::Deserializer::from_str(text);
    documents.map(|document| Value::deserialize(document).unwrap()).filter(|value| !value.is_null()).collect()
}

/// Returns a schema of files, compiled once.
fn file_validator(name: &'static str) -> std::sync::Arc<Validator> {
    static ALL: Mutex<Option<HashMap<&'static str, std::sync::Arc<Validator>>>> = Mutex::new(None);
    let mut all = ALL.lock().unwrap();
    let all = all.get_or_insert_with(HashMap::new);
    let compile = || std::sync::Arc::new(jsonschema::validator_for(&schema(name)).unwrap());
    all.entry(name).or_insert_with(compile).clone()
}

#[track_caller]
fn assert_valid(name: &'static str, what: &str, value: &Value) {
    let validator = file_validator(name);
    let wrong: Vec<String> =
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(wrong.is_empty(), "{what} does not match olmap schema {name}:\n{}", wrong.join("\n"));
}

/// Returns all files with a suffix below a folder.
fn files_below(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// Checks all objects of a folder, and returns their number.
fn check_catalog_folder(folder: &Path) -> usize {
    let (mut files, mut count) = (Vec::new(), 0);
    files_below(folder, &mut files);
    for file in files {
        let is_data = file.extension().is_some_and(|suffix| suffix == "yaml" || suffix == "json");
        let Some(text) = is_data.then(|| fs::read_to_string(&file).unwrap()) else { continue };
        for document in documents(&text) {
            assert_valid("catalog", &file.display().to_string(), &document);
            count += 1;
        }
    }
    count
}

#[test]
fn catalogs_that_opm_accepts_match() {
    assert!(check_catalog_folder(&root().join("demo/catalog")) > 40);
    assert!(check_catalog_folder(&root().join("demo/openshift/v4.20")) > 20);
    assert!(check_catalog_folder(&root().join("demo/ci/repository/catalogs")) > 10);
    let Some(rows) = olmap_testing::load_json_lines("validate/expected.jsonl") else { return };
    let Some(cases) = olmap_testing::find_data("validate/cases") else { return };
    let accepted: Vec<&str> =
        rows.iter().filter(|row| row["valid"] == true).filter_map(|row| row["case"].as_str()).collect();
    let mut count = 0;
    for case in accepted {
        let mut files = Vec::new();
        files_below(&cases.join(case), &mut files);
        // opm does not read all files of these.
        let ignores_files = files.iter().any(|file| file.ends_with(".indexignore"));
        for file in files.iter().filter(|_| !ignores_files) {
            let Ok(text) = fs::read_to_string(file) else { continue };
            let read = serde_yaml::Deserializer::from_str(&text).map(Value::deserialize);
            // Some cases are about YAML that only Go reads.
            let Ok(all) = read.collect::<Result<Vec<_>, _>>() else { continue };
            // opm ignores the case of keys, the schema does not.
            for document in all.iter().filter(|document| document.get("schema").is_some()) {
                count += 1;
                assert_valid("catalog", case, document);
            }
        }
    }
    assert!(count > 0);
}

#[test]
fn templates_that_opm_accepts_match() {
    let Some(rows) = olmap_testing::load_json_lines("templates/cases.jsonl") else { return };
    let accepted = rows.iter().filter(|row| row.get("sha256").is_some());
    let mut count = 0;
    for row in accepted {
        let (case, text) = (row["case"].as_str().unwrap(), row["template"].as_str().unwrap());
        // Booleans in YAML 1.1, which opm reads, are strings in YAML 1.2, which editors and this test read.
        let is_old_boolean =
            |word: &str| ["on", "off", "yes", "no", "y", "n"].contains(&&*word.to_lowercase());
        if text.split([' ', '\n']).any(is_old_boolean) {
            continue;
        }
        let read = serde_yaml::Deserializer::from_str(text).next().map(Value::deserialize);
        let Some(Ok(document)) =
            read.filter(|document| document.as_ref().is_ok_and(|d| d.get("schema").is_some()))
        else {
            continue;
        };
        count += 1;
        assert_valid("template", case, &document);
    }
    assert!(count > 0);
}

/// Broken files: the schema, the command that reads `FILE`, and the text.
const BROKEN: &[(&str, &str, &str)] = &[
    ("catalog", "validate --parity FILE", "name: kiln\n"),
    ("catalog", "validate --parity FILE", "{schema: olm.package, defaultChannel: stable}\n"),
    ("catalog", "validate --parity FILE", "{schema: olm.package, name: kiln, defaultChannel: [stable]}\n"),
    (
        "catalog",
        "validate --parity FILE",
        "{schema: olm.channel, package: kiln, name: stable, entries: []}\n",
    ),
    (
        "catalog",
        "validate --parity FILE",
        "{schema: olm.channel, package: kiln, name: stable, entries: [kiln.v1.0.0]}\n",
    ),
    (
        "catalog",
        "validate --parity FILE",
        "{schema: olm.channel, package: kiln, name: stable, entries: [{name: a, skips: b}]}\n",
    ),
    (
        "catalog",
        "validate --parity FILE",
        "{schema: olm.channel, package: kiln, name: stable, entries: [{name: a, replaces: 1}]}\n",
    ),
    (
        "catalog",
        "validate --parity FILE",
        "{schema: olm.channel, package: kiln, name: stable, entries: [{replaces: a}]}\n",
    ),
    (
        "catalog",
        "validate --parity FILE",
        "{schema: olm.bundle, package: kiln, name: kiln.v1, image: [a], properties: []}\n",
    ),
    (
        "catalog",
        "validate --parity FILE",
        "{schema: olm.bundle, package: kiln, name: kiln.v1, image: a/b, properties: [olm.gvk]}\n",
    ),
    (
        "catalog",
        "validate --parity FILE",
        "{schema: olm.bundle, package: kiln, name: kiln.v1, image: a/b, properties: [{type: olm.package, value: kiln}]}\n",
    ),
    (
        "catalog",
        "validate --parity FILE",
        "{schema: olm.bundle, package: kiln, name: kiln.v1, image: a/b, properties: [{type: olm.package, value: {packageName: kiln, version: 1}}]}\n",
    ),
    (
        "catalog",
        "validate --parity FILE",
        "{schema: olm.deprecations, package: kiln, entries: [{reference: {schema: olm.bundle}, message: old}]}\n",
    ),
    (
        "catalog",
        "validate --parity FILE",
        "{schema: olm.deprecations, package: kiln, entries: [{reference: {schema: bundle, name: a}, message: old}]}\n",
    ),
    (
        "catalog",
        "validate --parity FILE",
        "{schema: olm.deprecations, package: kiln, entries: [{reference: {schema: olm.package}}]}\n",
    ),
    ("template", "template render FILE", "{schema: olm.semver, stable: {bundles: [a/b]}}\n"),
    ("template", "template render FILE", "{schema: olm.semver, stable: [{image: a/b}]}\n"),
    (
        "template",
        "template render FILE",
        "{schema: olm.semver, generateMajorChannels: 'yes', stable: {bundles: [{image: a/b}]}}\n",
    ),
    (
        "template",
        "template render FILE",
        "{schema: olm.semver, defaultChannelTypePreference: patch, stable: {bundles: [{image: a/b}]}}\n",
    ),
    ("template", "template render FILE", "{schema: olm.sember, stable: {bundles: [{image: a/b}]}}\n"),
    ("template", "template render FILE", "{schema: olm.template.basic, entries: [{image: a/b}]}\n"),
    (
        "template",
        "template render FILE",
        "{schema: olm.template.substitutes, entries: [], substitutions: [{name: a}]}\n",
    ),
    ("expectations", "expect FILE CATALOG", "- {package: kiln, installed: 1.0.0}\n"),
    ("expectations", "expect FILE CATALOG", "- {package: kiln, installd: 1.0.0, expect: stays}\n"),
    ("expectations", "expect FILE CATALOG", "- {package: kiln, installed: 1.0, expect: stays}\n"),
    ("expectations", "expect FILE CATALOG", "- {package: kiln, expect: picks 1.0.0}\n"),
    ("expectations", "expect FILE CATALOG", "- {package: kiln, engine: v2, expect: error}\n"),
    ("expectations", "expect FILE CATALOG", "- {package: kiln, expect: error, expectations: []}\n"),
    ("expectations", "expect FILE CATALOG", "- {package: kiln, channel: a, channels: [b], expect: error}\n"),
    ("expectations", "expect FILE CATALOG", "package: kiln\nexpect: error\n"),
    ("baseline", "validate --baseline FILE CATALOG", "- {package: kiln}\n"),
    ("baseline", "validate --baseline FILE CATALOG", "- {rule: stuck, pakage: kiln}\n"),
    ("baseline", "validate --baseline FILE CATALOG", "- {rule: stuck, count: 0}\n"),
    ("baseline", "validate --baseline FILE CATALOG", "rule: stuck\n"),
    ("composition", "compose FILE", "{name: a, references: []}\n"),
    ("composition", "compose FILE", "{name: a/b, references: [{name: c, image: CATALOG}]}\n"),
    ("composition", "compose FILE", "{name: a, references: [{name: c}]}\n"),
    (
        "edits",
        "edit apply FILE CATALOG",
        "{\"operation\": \"set-entry\", \"package\": \"kiln\", \"entry\": \"kiln.v1.0.0\"}\n",
    ),
    ("edits", "edit apply FILE CATALOG", "{\"operation\": \"promot\", \"package\": \"kiln\"}\n"),
];

#[test]
fn broken_files_fail_in_schema_and_program() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = root().join("tests/fixtures/conformance/validate/cases/good");
    let catalog = catalog.to_str().unwrap();
    fs::write(folder.path().join("good.yaml"), "").unwrap();
    for (name, line, text) in BROKEN {
        for document in documents(text) {
            assert!(!file_validator(name).is_valid(&document), "olmap schema {name} accepts {text}");
        }
        let text = text.replace("CATALOG", catalog);
        fs::write(folder.path().join("broken.yaml"), &text).unwrap();
        let words: Vec<String> = line
            .split(' ')
            .map(|word| word.replace("FILE", "broken.yaml").replace("CATALOG", catalog))
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let run = olmap_in(folder.path(), &words);
        assert!(
            run.code == 2 || (name == &"catalog" && run.code == 1),
            "{line}: {} accepts {text}",
            run.code
        );
    }
}

#[test]
fn files_of_the_repository_match() {
    let text = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    let all: &[(&'static str, &str)] = &[
        ("template", "tests/fixtures/template/semver.yaml"),
        ("expectations", "demo/expectations.yaml"),
        ("expectations", "demo/ci/repository/expectations/v4.20.yaml"),
        ("expectations", "demo/ci/repository/expectations/v4.22.yaml"),
        ("baseline", "demo/ci/repository/baseline.yaml"),
    ];
    for (name, path) in all {
        let documents = documents(&text(path));
        assert_eq!(documents.len(), 1, "{path}");
        assert_valid(name, path, &documents[0]);
    }
    let stated: toml::Table = text(".olmap.toml").parse().unwrap();
    assert_valid("repository", ".olmap.toml", &serde_json::to_value(stated).unwrap());
    assert!(!file_validator("repository").is_valid(&json!({"catalog": []})));
    assert!(!file_validator("repository").is_valid(&json!({"catalogs": [{"openshift": ["4.20"]}]})));
    // Templates of the demo's own package, as `template convert` writes them.
    let basic =
        olmap(&["template", "convert", "basic", "demo/catalog/granary-operator/catalog.yaml"]).exits(0);
    for document in documents(&basic.out) {
        assert_valid("template", "the basic template", &document);
    }
}

#[test]
fn written_files_match() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [baseline, expectations] = [path("baseline.yaml"), path("expectations.yaml")];
    olmap(&["validate", "demo/catalog", "--write-baseline", &baseline]).exits(0);
    olmap(&["expect", "--record", &expectations, "demo/catalog"]).exits(0);
    for (name, path) in [("baseline", baseline), ("expectations", expectations)] {
        let documents = documents(&fs::read_to_string(&path).unwrap());
        assert!(documents[0].as_array().is_some_and(|rows| rows.len() > 3), "{path}");
        assert_valid(name, &path, &documents[0]);
    }
    let edits =
        olmap(&["edit", "remove-bundle", "3.0.0", "demo/catalog/granary-operator", "-n", "-o", "json"])
            .exits(0);
    assert_valid("edits", "edit -o json", &edits.json()[0]["edit"]);
}

#[test]
fn mistakes_in_the_pipelines_configuration_fail() {
    let ci = |fbc: Value| json!({ "fbc": fbc });
    let mapping =
        json!({"template_name": "basic.yaml", "catalog_names": ["v4.20"], "type": "olm.template.basic"});
    assert_valid("ci", "a mapping", &ci(json!({"enabled": true, "catalog_mapping": [mapping]})));
    let is_valid = |value: Value| file_validator("ci").is_valid(&value);
    assert!(!is_valid(ci(json!({"enable": true}))));
    assert!(!is_valid(ci(
        json!({"catalog_mapping": [{"template_name": "a", "catalogs_names": ["v4.20"], "type": "olm.semver"}]})
    )));
    assert!(!is_valid(ci(
        json!({"catalog_mapping": [{"template_name": "a", "catalog_names": ["v4.20"], "type": "semver"}]})
    )));
    assert!(!is_valid(ci(json!({"version_promotion_strategy": "sometimes"}))));
    let release =
        |item: Value| file_validator("release-config").is_valid(&json!({ "catalog_templates": [item] }));
    assert!(release(json!({"template_name": "semver.yaml", "channels": ["Stable"]})));
    assert!(!release(json!({"template_name": "semver.yaml"})));
    assert!(!file_validator("release-config").is_valid(&json!({"catalog_template": []})));
}
