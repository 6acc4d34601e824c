//! Files in which every text is hostile: a valid catalog, a broken one, and other inputs of
//! commands.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::git;

/// Names that command lines use.
pub struct Names {
    pub package: String,
    pub channel: String,
    pub bundles: [String; 3],
}

impl Names {
    /// Creates names that contain the hostile text. Arguments cannot contain a zero byte.
    pub fn new(text: &str) -> Self {
        let text = text.replace('\0', "");
        let bundle = |version: &str| format!("{text}ship.v{version}");
        Self {
            package: format!("ship{text}"),
            channel: format!("{text}stable"),
            bundles: ["1.0.0", "1.1.0", "1.2.0"].map(bundle),
        }
    }
}

/// Returns a catalog with consistent names, so that every command has output.
fn hostile_catalog(names: &Names, text: &str, state: &str) -> Vec<Value> {
    let Names { package, channel, bundles: [old, middle, new] } = names;
    let fast = format!("fast{text}");
    let bundle = |name: &str, version: &str| {
        json!({
            "schema": "olm.bundle", "package": package, "name": name, "image": format!("example.com/{text}:{version}"),
            "relatedImages": [{"name": text, "image": text}],
            "properties": [
                {"type": "olm.package", "value": {"packageName": package, "version": version}},
                {"type": text, "value": {text: [text, state]}},
                {"type": "olm.gvk", "value": {"group": text, "kind": text, "version": text}},
                {"type": "olm.package.required", "value": {"packageName": text, "versionRange": text}},
                {"type": "olm.constraint", "value": {"failureMessage": text, "package": {"packageName": text}}},
                {"type": "olm.maxOpenShiftVersion", "value": text},
                {"type": "olm.csv.metadata", "value": {
                    "displayName": text, "description": text, "keywords": [text], "maturity": text,
                    "annotations": {text: text, "containerImage": text}, "labels": {text: text},
                    "links": [{"name": text, "url": text}], "maintainers": [{"name": text, "email": text}],
                    "provider": {"name": text, "url": text}, "minKubeVersion": text,
                    "installModes": [{"type": text, "supported": true}],
                    "customResourceDefinitions": {"owned": [
                        {"name": text, "kind": text, "version": text, "displayName": text, "description": text}]},
                    "nativeAPIs": [{"group": text, "version": text, "kind": text}],
                }},
            ],
        })
    };
    let deprecation = |schema: &str, name: Option<&str>| {
        let mut reference = json!({"schema": schema});
        if let Some(name) = name {
            reference["name"] = name.into();
        }
        json!({"reference": reference, "message": format!("{text} {state}")})
    };
    let mut documents = vec![
        json!({"schema": "olm.package", "name": package, "defaultChannel": channel, "description": text,
            "icon": {"base64data": text, "mediatype": text}}),
        json!({"schema": "olm.channel", "package": package, "name": channel, "entries": [
            {"name": old, "skipRange": text},
            {"name": middle, "replaces": old, text: text},
            {"name": new, "replaces": middle, "skips": [format!("skipped{text}"), old], "skipRange": ">=1.0.0 <1.2.0"},
        ]}),
        json!({"schema": "olm.channel", "package": package, "name": fast, "entries": [
            {"name": middle, "replaces": format!("gone{text}")},
            {"name": new, "replaces": middle, "skipRange": "<1.0.0"},
        ]}),
        json!({"schema": "olm.deprecations", "package": package, "entries": [
            deprecation("olm.package", None),
            deprecation("olm.channel", Some(&fast)),
            deprecation("olm.bundle", Some(old)),
            deprecation("olm.bundle", Some(text)),
            deprecation(text, Some(text)),
        ]}),
        json!({"schema": text, "package": package, "name": text, "of": text}),
        json!({"schema": "io.openshift.operators.lifecycles.v1alpha1", "package": package, "versions": [
            {"name": "1.0", "phases": [{"name": text, "startDate": "2020-01-01", "endDate": "2021-01-01"}]},
            {"name": text, "phases": [{"name": text, "startDate": text, "endDate": text}]}]}),
    ];
    documents.extend([bundle(old, "1.0.0"), bundle(middle, "1.1.0"), bundle(new, "1.2.0")]);
    if state != "old" {
        let other = &names.bundles[2];
        documents.push(bundle(&format!("{other}-{text}"), text));
        documents[1]["entries"][2]["skips"] = json!([format!("skipped{text}")]);
    }
    documents
}

/// Returns a CSV in which every text is hostile.
fn hostile_csv(text: &str) -> Value {
    json!({
        "apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
        "metadata": {"name": text, "annotations": {"capabilities": text, "categories": text, "olm.skipRange": text}},
        "spec": {
            "displayName": text, "version": "1.0.0", "maturity": text, "minKubeVersion": text, "replaces": text,
            "provider": {"name": text}, "links": [{"name": text, "url": text}],
            "maintainers": [{"name": text, "email": text}], "icon": [{"base64data": text, "mediatype": text}],
            "installModes": [{"type": text, "supported": true}], "relatedImages": [{"name": text, "image": text}],
            "apiservicedefinitions": {"required": [{"group": text, "version": text, "kind": text, "name": text}]},
            "customresourcedefinitions": {"required": [
                {"name": format!("{text}.{text}"), "version": text, "kind": text}]},
            "webhookdefinitions": [{"generateName": text, "type": text, "rules": [{"apiGroups": ["*"]}]}],
            "install": {"strategy": "deployment", "spec": {
                "deployments": [{"name": text, "spec": {"template": {"spec": {
                    "containers": [{"name": text, "image": text}]}}}}],
                "permissions": [{"serviceAccountName": text, "rules": [
                    {"apiGroups": [text], "resources": [text], "verbs": [text]}]}]}},
        },
    })
}

/// Returns a cluster in which every text is hostile and all bundles of the catalog are installed.
pub fn hostile_cluster(names: &Names, text: &str) -> String {
    let classic = "operators.coreos.com/v1alpha1";
    let metadata = |name: &str| json!({"name": name, "namespace": text});
    let conditions = |kinds: &[&str]| {
        let one = |kind: &&str| json!({"type": kind, "status": "True", "reason": text, "message": text});
        kinds.iter().map(one).collect::<Vec<_>>()
    };
    let properties = json!([{"type": "olm.package", "value": {"packageName": names.package, "version": text}},
        {"type": "olm.maxOpenShiftVersion", "value": text}]);
    let [old, middle, _] = &names.bundles;
    json!({"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "metadata": {"name": text},
            "spec": {"channel": text}, "status": {
                "history": [{"state": text, "version": text}, {"state": "Completed", "version": "4.18.1"}],
                "conditions": [{"type": "Upgradeable", "status": "False", "reason": text, "message": text}]}},
        {"apiVersion": classic, "kind": "Subscription", "metadata": metadata(text),
            "spec": {"name": names.package, "channel": names.channel, "source": text, "sourceNamespace": text,
                "startingCSV": text, "installPlanApproval": text},
            "status": {"installedCSV": old, "currentCSV": middle, "state": text,
                "conditions": conditions(&["ResolutionFailed", "BundleDeprecated", "CatalogSourcesUnhealthy"])}},
        {"apiVersion": classic, "kind": "Subscription", "metadata": metadata(&format!("{text}2")), "spec": {"name": text}},
        {"apiVersion": classic, "kind": "Subscription", "metadata": {"namespace": text, "name": [text]}},
        {"apiVersion": classic, "kind": "Subscription", "metadata": metadata(&format!("{text}3")), "spec": {"name": [text]}},
        {"apiVersion": classic, "kind": "ClusterServiceVersion",
            "metadata": {"name": old, "namespace": text, "annotations": {"olm.properties": properties.to_string()}},
            "spec": {"version": text, "replaces": text}, "status": {"phase": text, "reason": text}},
        {"apiVersion": classic, "kind": "ClusterServiceVersion", "metadata": metadata(text), "status": {"phase": "Failed", "reason": text}},
        {"apiVersion": classic, "kind": "CatalogSource", "metadata": metadata(text), "spec": {"image": text}},
        {"apiVersion": classic, "kind": "InstallPlan", "metadata": metadata(text),
            "spec": {"clusterServiceVersionNames": [middle]}, "status": {"phase": "RequiresApproval"}},
        {"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup", "metadata": metadata(text), "spec": {"targetNamespaces": [text]}},
        {"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterExtension", "metadata": {"name": text},
            "spec": {"namespace": text, "source": {"catalog": {"packageName": names.package, "channels": [text], "version": text}}},
            "status": {"install": {"bundle": {"name": middle, "version": text}},
                "conditions": [{"type": "Progressing", "status": "True", "reason": "Retrying", "message": text}]}},
        {"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterCatalog", "metadata": {"name": text},
            "spec": {"source": {"image": {"ref": text}}}},
        {"apiVersion": text, "kind": text, "metadata": {"name": text}},
    ]})
    .to_string()
}

/// Returns custom resources that request packages of the catalog.
fn custom_resources(names: &Names, text: &str) -> String {
    let wanted = json!({"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription", "metadata": {"name": text, "namespace": text},
        "spec": {"name": names.package, "channel": names.channel}, "status": {"installedCSV": names.bundles[0]}});
    let extension = json!({"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterExtension", "metadata": {"name": text},
        "spec": {"source": {"catalog": {"packageName": names.package, "channels": [text], "version": text}}}});
    format!("{wanted}\n{extension}\n")
}

/// Returns the annotations of a bundle with the hostile text in every used value.
fn hostile_annotations(text: &str) -> Value {
    let key = |name: &str| format!("operators.operatorframework.io.bundle.{name}");
    json!({"annotations": {
        key("package.v1"): format!("ship{text}"), key("channels.v1"): text, key("channel.default.v1"): text,
        key("mediatype.v1"): text}})
}

/// Returns invalid documents, each with the text in a value that messages quote.
fn broken_documents(text: &str) -> String {
    let text = serde_json::to_string(text).unwrap();
    [
        format!("{{\"schema\": \"olm.package\", \"name\": {text}, \"defaultChannel\": [{text}]}}"),
        format!(
            "{{\"schema\": \"olm.channel\", \"package\": {text}, \"name\": {text}, \"entries\": {text}}}"
        ),
        format!("{{\"schema\": \"olm.bundle\", \"name\": {text}, {text}: 1, {text}: 2}}"),
        format!("{{\"name\": {text}, \"schema\": 7}}"),
        format!("[{text}]"),
        format!("{{\"schema\": {text}, {text}"),
    ]
    .join("\n")
}

/// Returns a file name with as much of the text as file systems accept.
pub fn file_name(text: &str) -> String {
    let mut name = text.replace(['/', '\0'], "");
    while name.len() > 150 {
        name.pop();
    }
    if name.trim_matches('.').is_empty() { "catalog".to_owned() } else { name }
}

/// Written files, for the placeholders of a command line.
pub struct Files {
    pub names: Names,
    pub root: PathBuf,
}

impl Files {
    /// Writes all files below a folder.
    pub fn write_all(root: &Path, text: &str) -> Self {
        let names = Names::new(text);
        let file = file_name(text);
        for state in ["old", "new"] {
            let folder = root.join(state).join(&file);
            fs::create_dir_all(&folder).unwrap();
            let documents = hostile_catalog(&names, text, state);
            let joined: Vec<String> = documents.iter().map(Value::to_string).collect();
            fs::write(folder.join(format!("{file}.json")), joined.join("\n")).unwrap();
        }
        let folder = root.join("broken");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("{file}.json")), broken_documents(text)).unwrap();
        // Unescaped: YAML rejects most of it, with the location.
        fs::write(folder.join("raw.yaml"), format!("schema: olm.package\nname: {text}\n")).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStringExt as _;
            let name = std::ffi::OsString::from_vec(b"no\xff\x1b[31mtext.json".to_vec());
            fs::write(folder.join(name), b"{\"schema\": \"\xff\xfe\"}").unwrap();
        }
        let Names { package, channel, bundles: [old, middle, new] } = &names;
        let template =
            json!({"schema": "olm.template.basic", "entries": hostile_catalog(&names, text, "new")});
        let write = |name: &str, text: String| fs::write(root.join(name), text).unwrap();
        write("template.json", template.to_string());
        let image_only = |mut document: Value| {
            if document["schema"] == "olm.bundle" {
                document = json!({"schema": "olm.bundle", "image": document["image"]});
            }
            document
        };
        let entries: Vec<Value> = hostile_catalog(&names, text, "new").into_iter().map(image_only).collect();
        let basic = json!({"schema": "olm.template.basic", "entries": entries}).to_string();
        write("basic.json", basic.clone());
        let repository = |path: String, text: String| {
            let path = root.join("repository").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        repository(format!("operators/{file}/catalog-templates/{file}.json"), basic);
        let mapping = json!({"template_name": format!("{file}.json"), "catalog_names": ["v4.20", text]});
        let mappings = json!({"fbc": {"catalog_mapping": [mapping, {"template_name": text, "catalog_names": ["v4.20"]}]}});
        repository(format!("operators/{file}/ci.yaml"), mappings.to_string());
        let bundle =
            |path: &str, text: &Value| repository(format!("operators/{file}/9.0.0/{path}"), text.to_string());
        bundle("manifests/csv.yaml", &hostile_csv(text));
        let openshift = json!({"annotations": {"com.redhat.openshift.versions": text}});
        bundle("metadata/annotations.yaml", &openshift);
        let release = json!({"template_name": format!("{file}.json"), "channels": [text, text], "replaces": text,
            "skips": [text, 1], "skipRange": text, "defaultChannel": text, text: text});
        bundle(
            "release-config.yaml",
            &json!({"catalog_templates": [release, {"template_name": text}], text: text}),
        );
        let published: Vec<String> =
            hostile_catalog(&names, text, "old").iter().map(Value::to_string).collect();
        repository(format!("catalogs/v4.20/{file}/catalog.json"), published.join("\n"));
        let row = |expect: &str| json!({"package": package, "channel": channel, "installed": old, "expect": expect});
        let rows = ["stays".to_owned(), format!("pick {middle}"), format!("reaches {new} within 1 hops")];
        let rows: Vec<Value> = rows.iter().map(|expect| row(expect)).collect();
        write("expect.json", json!(rows).to_string());
        write(
            "mistakes.json",
            json!([row(text), {text: text}, text, {"package": text, "expect": "stays"}]).to_string(),
        );
        let questions = [
            json!({"package": package, "channel": channel, "installed": old, "range": text, "version": text}),
            json!({"package": text, "installed": text, "range": ">=1.0.0", "version": "1.0.0"}),
            json!({text: text}),
            json!({"subscriptions": [{"name": text, "package": package, "channel": channel, "catalog": "new"}],
                "installed": [{"name": old}, {"name": text, "properties": [{"type": "olm.constraint", "value": text}]}],
                "rule": format!("properties.exists(p, p.type == {})", json!(text)),
                "properties": [{"type": text, "value": {text: text}}]}),
        ];
        let questions: Vec<String> = questions.iter().map(Value::to_string).collect();
        write("questions.jsonl", questions.join("\n"));
        let quoted = serde_json::to_string(text).unwrap();
        write(
            "config.toml",
            format!("editor = {quoted}\ntheme = {quoted}\n{quoted} = {quoted}\n[keys]\nfind = {quoted}\n"),
        );
        write("bundle.json", json!({"schema": "olm.bundle", "package": package, "name": format!("{text}ship.v2.0.0"),
            "image": text, "properties": [{"type": "olm.package", "value": {"packageName": package, "version": "2.0.0"}}]})
        .to_string());
        for folder in ["bundle-dir/manifests", "bundle-dir/metadata"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        write("bundle-dir/manifests/csv.json", hostile_csv(text).to_string());
        write(
            "bundle-dir/manifests/other.json",
            json!({"kind": text, "metadata": {"name": text}}).to_string(),
        );
        write("bundle-dir/metadata/annotations.json", hostile_annotations(text).to_string());
        let [before, after] = [hostile_crds(text, true), hostile_crds(text, false)];
        write(
            "pairs.jsonl",
            format!("{}\n{}\n", json!({"old": before[0], "new": after[0]}), json!({text: text})),
        );
        for (file, list) in [("old-crds.json", before), ("new-crds.json", after)] {
            write(file, list.map(|crd| format!("{crd}\n")).concat());
        }
        write("icon.svg", format!("<svg xmlns=\"http://www.w3.org/2000/svg\"><text>{text}</text></svg>"));
        write("cluster.json", hostile_cluster(&names, text));
        write("asking.json", custom_resources(&names, text));
        write("imageset.json", json!({"packages": [{"name": package}]}).to_string());
        write_history(&root.join("history"), &names, text);
        write("not-edits.json", json!({"operation": text, text: text}).to_string());
        Self { names, root: root.to_owned() }
    }
}

/// Writes a repository with the text in commit messages and author names.
fn write_history(root: &Path, names: &Names, text: &str) {
    fs::create_dir_all(root).unwrap();
    git::init(root);
    // Arguments cannot contain a zero byte, and git rejects names with these characters.
    let message = text.replace('\0', "");
    let name: String = message.chars().filter(|c| !"<>\n\r".contains(*c)).collect();
    let commit = |day: &str, content: &[Value]| {
        let joined: Vec<String> = content.iter().map(Value::to_string).collect();
        fs::write(root.join("catalog.json"), joined.join("\n")).unwrap();
        git::git_on(day, root, &["add", "-A"]);
        let author = format!("Ann {name} <ann@example.com>");
        let told = format!("Release {message}");
        git::git_on(day, root, &["commit", "-q", "--cleanup", "verbatim", "--author", &author, "-m", &told]);
    };
    commit("2025-01-01", &hostile_catalog(names, text, "old"));
    commit("2025-01-02", &hostile_catalog(names, text, "new"));
    commit("2025-01-03", &[json!({"schema": "olm.package", "name": 7, text: text})]);
}

/// Returns CRDs with the text in every value: one with many refused changes, and one that is added
/// or removed.
fn hostile_crds(text: &str, is_old: bool) -> [Value; 2] {
    let crd = |name: &str, schema: Value| {
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": name},
            "spec": {"group": text, "names": {"kind": text}, "scope": if is_old { text } else { "Cluster" }, "versions": [
                {"name": text, "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}},
                {"name": format!("v1{text}"), "served": is_old, "storage": false},
            ]},
        })
    };
    let schema = if is_old {
        json!({"type": "object", "properties": {
            text: {"type": text, "pattern": text, "default": text, "format": text, "enum": [text]},
            "gone": {"properties": {text: {}}},
        }})
    } else {
        json!({"type": "object", "required": [text, "a"], "properties": {
            text: {"format": format!("{text}2"), "enum": ["x"], text: text}, "a": {},
        }})
    };
    let own = if is_old { format!("old{text}") } else { format!("new{text}") };
    [crd(text, schema), crd(&own, json!({}))]
}
