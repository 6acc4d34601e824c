//! Valid files of every kind that commands read: a catalog, bundle directories and other inputs.

use std::{fs, path::Path};

/// Name of the package of all files.
pub const PACKAGE: &str = "kiln";

fn catalog_yaml(versions: &[&str]) -> String {
    let mut text =
        format!("schema: olm.package\nname: {PACKAGE}\ndefaultChannel: stable\n---\nschema: olm.channel\n");
    text += &format!("package: {PACKAGE}\nname: stable\nentries:\n");
    for (at, version) in versions.iter().enumerate() {
        text += &format!("- name: kiln.v{version}\n");
        if let Some(before) = at.checked_sub(1).and_then(|at| versions.get(at)) {
            text += &format!("  replaces: kiln.v{before}\n");
        }
    }
    for version in versions {
        text += &bundle_yaml(version);
    }
    text
}

fn bundle_yaml(version: &str) -> String {
    format!(
        "---\nschema: olm.bundle\npackage: {PACKAGE}\nname: kiln.v{version}\nimage: registry.example.com/kiln:v{version}\n\
         properties:\n- type: olm.package\n  value: {{packageName: {PACKAGE}, version: {version}}}\n\
         - type: olm.csv.metadata\n  value:\n    displayName: Kiln\n    provider: {{name: Example}}\n    installModes:\n\
         \x20   - {{type: AllNamespaces, supported: true}}\n"
    )
}

fn crd_yaml(field: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: kilns.example.com\nspec:\n  \
         group: example.com\n  scope: Namespaced\n  names: {{kind: Kiln, listKind: KilnList, plural: kilns, singular: kiln}}\n  \
         versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: \
         object\n        properties:\n          spec:\n            type: object\n            properties:\n              \
         {field}: {{type: string}}\n"
    )
}

fn csv_yaml(version: &str) -> String {
    format!(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: kiln.v{version}\nspec:\n  \
         version: {version}\n  displayName: Kiln\n  description: Burns clay.\n  provider: {{name: Example}}\n  \
         installModes:\n  - {{type: AllNamespaces, supported: true}}\n  customresourcedefinitions:\n    owned:\n    - \
         {{name: kilns.example.com, kind: Kiln, version: v1}}\n  install:\n    strategy: deployment\n    spec: {{deployments: \
         []}}\n"
    )
}

fn annotations_yaml() -> String {
    let key = "operators.operatorframework.io.bundle";
    format!(
        "annotations:\n  {key}.mediatype.v1: registry+v1\n  {key}.manifests.v1: manifests/\n  {key}.metadata.v1: \
         metadata/\n  {key}.package.v1: {PACKAGE}\n  {key}.channels.v1: stable\n  {key}.channel.default.v1: stable\n"
    )
}

const SUBSCRIPTION: &str = "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {name: kiln, namespace: \
                            pottery}\nspec: {name: kiln, channel: stable, source: catalog, sourceNamespace: olm}\nstatus: \
                            {installedCSV: kiln.v1.0.0}\n";

const IMAGE_SET: &str = "apiVersion: mirror.openshift.io/v2alpha1\nkind: ImageSetConfiguration\nmirror:\n  operators:\n  - \
                         catalog: registry.example.com/catalog:v1\n    packages:\n    - name: kiln\n";

/// Writes all files into a directory.
pub fn write_all_files(root: &Path) {
    let write = |path: &str, text: &str| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("catalog/kiln/catalog.yaml", &catalog_yaml(&["1.0.0", "1.1.0"]));
    write("old/kiln/catalog.yaml", &catalog_yaml(&["1.0.0"]));
    for (version, field) in [("1.0.0", "heat"), ("1.1.0", "heat"), ("1.2.0", "heat")] {
        let file = |name: &str, text: &str| write(&format!("operators/kiln/{version}/{name}"), text);
        file("manifests/csv.yaml", &csv_yaml(version));
        file("manifests/crd.yaml", &crd_yaml(field));
        file("metadata/annotations.yaml", &annotations_yaml());
    }
    write("old-crd.yaml", &crd_yaml("heat"));
    write("new-crd.yaml", &crd_yaml("heat"));
    let [old, new] = [crd_yaml("heat"), crd_yaml("heat")].map(|text| {
        let value: serde_json::Value = serde_yaml::from_str(&text).unwrap();
        value
    });
    write("pairs.jsonl", &format!("{}\n", serde_json::json!({"old": old, "new": new})));
    write("plain-template.yaml", &format!("schema: olm.template.basic\nentries:\n{}", image_entries()));
    let repository = "repository/catalogs/v4.20/kiln/catalog.yaml";
    write(repository, &catalog_yaml(&["1.0.0", "1.1.0"]));
    write("repository/operators/kiln/catalog-templates/basic.yaml", &{
        format!("schema: olm.template.basic\nentries:\n{}", image_entries())
    });
    write(
        "repository/operators/kiln/ci.yaml",
        "fbc:\n  enabled: true\n  catalog_mapping:\n  - template_name: basic.yaml\n    catalog_names: [v4.20]\n    type: \
         olm.template.basic\n",
    );
    let bundle = |file: &str, text: &str| write(&format!("repository/operators/kiln/1.2.0/{file}"), text);
    bundle("manifests/csv.yaml", &csv_yaml("1.2.0"));
    bundle("metadata/annotations.yaml", &annotations_yaml());
    bundle(
        "release-config.yaml",
        "catalog_templates:\n- {template_name: basic.yaml, channels: [stable], replaces: kiln.v1.1.0}\n",
    );
    write(
        "semver.yaml",
        "schema: olm.semver\ngenerateMajorChannels: false\ngenerateMinorChannels: true\nstable:\n  bundles:\n  - image: \
         registry.example.com/kiln:v1.0.0\n",
    );
    write(
        "stated/.olmap.toml",
        "catalogs = ['catalog']\nbundles = ['bundle']\n[[templates]]\npath = 'template.yaml'\nmakes = ['catalog']\n",
    );
    write("stated/catalog/catalog.yaml", &catalog_yaml(&["1.0.0", "1.1.0"]));
    write("stated/template.yaml", &format!("schema: olm.template.basic\nentries:\n{}", image_entries()));
    write("stated/bundle/manifests/csv.yaml", &csv_yaml("1.1.0"));
    write("stated/bundle/metadata/annotations.yaml", &annotations_yaml());
    write("expect.yaml", "- {package: kiln, channel: stable, installed: 1.0.0, expect: pick 1.1.0}\n");
    write("baseline.yaml", "- {rule: dead-end, package: kiln, channel: stable}\n");
    write("cluster.yaml", SUBSCRIPTION);
    write(
        "resources.yaml",
        "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: example.com/v1, kind: Kiln, metadata: {name: a}}\n",
    );
    write("wanted.yaml", SUBSCRIPTION);
    write("imageset.yaml", IMAGE_SET);
    write("queries.jsonl", "{\"package\": \"kiln\", \"channel\": \"stable\"}\n");
    let subscription =
        "{\"name\": \"kiln\", \"package\": \"kiln\", \"channel\": \"stable\", \"catalog\": \"catalog\"}";
    write("namespaces.jsonl", &format!("{{\"subscriptions\": [{subscription}]}}\n"));
    write("ranges.jsonl", "{\"range\": \">=1.0.0\", \"version\": \"1.0.0\", \"dialect\": \"blang\"}\n");
    write("rules.jsonl", "{\"rule\": \"true\", \"properties\": []}\n");
    write("composition.yaml", "name: both\nreferences:\n- {name: one, image: catalog}\n");
    write("bundle.yaml", bundle_yaml("1.2.0").trim_start_matches("---\n"));
    write("icon.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n");
    write("icon.gif", "GIF89a\u{1}\u{0}\u{1}\u{0}");
    write("readme.md", "# Kiln\n");
    write("config.toml", "theme = \"dark\"\n");
    write("edits.json", &edit_json());
    write("files.txt", "catalog/kiln/catalog.yaml\n");
    write("platforms.json", "{\"registry.example.com/kiln:v1.0.0\": [\"linux/amd64\"]}\n");
    write("auth.json", "{\"auths\": {}}\n");
}

/// Returns the entries of a basic template that contains whole bundles.
fn template_entries() -> String {
    let text = catalog_yaml(&["1.0.0", "1.1.0"]);
    let list_item = |document: &str| {
        let mut lines = document.trim_end().lines();
        let first = lines.next().unwrap_or_default();
        let rest: Vec<String> = lines.map(|line| format!("  {line}\n")).collect();
        format!("- {first}\n{}", rest.concat())
    };
    text.split("---\n").map(list_item).collect()
}

/// Returns the entries of a basic template that opm accepts, with images in place of bundles.
fn image_entries() -> String {
    let head: String = template_entries().split("- schema: olm.bundle").next().unwrap_or_default().to_owned();
    let image = |version| format!("- schema: olm.bundle\n  image: registry.example.com/kiln:v{version}\n");
    head + &["1.0.0", "1.1.0"].map(image).concat()
}

/// Returns an edit in the format of `olmap edit_json --format json`.
fn edit_json() -> String {
    "{\"operation\": \"set-description\", \"package\": \"kiln\", \"description\": \"Burns clay.\"}".to_owned()
}
