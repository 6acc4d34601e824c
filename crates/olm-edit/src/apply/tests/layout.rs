//! Tests of new documents in catalogs whose packages have several files.

use crate::{Edit, EditError, apply_edit, operation::NewEntry};
use olm_catalog::{
    BundleName, Catalog, Origin,
    blob::{DeprecationTarget, EntrySpec},
    load,
};

fn catalog_from_files(files: &[(&str, &str)]) -> Catalog {
    let texts = files.iter().map(|(path, text)| (path.into(), text.as_bytes().to_vec()));
    load::from_texts(Origin::Directory("catalog".into()), texts)
}

/// Returns the files that an edit creates or changes.
#[track_caller]
fn changed_files(files: &[(&str, &str)], edit: &Edit) -> Vec<(String, String)> {
    let before = catalog_from_files(files);
    let after = apply_edit(&before, edit).unwrap();
    let changed = after.files_changed_since(&before).into_iter().filter_map(|file| file.after);
    changed
        .map(|f| (f.display_path().display().to_string(), String::from_utf8(f.current_bytes()).unwrap()))
        .collect()
}

#[track_caller]
fn changed_file(files: &[(&str, &str)], edit: &Edit) -> (String, String) {
    let mut changed = changed_files(files, edit);
    assert_eq!(changed.len(), 1, "{changed:?}");
    changed.remove(0)
}

fn new_channel_edit(name: &str) -> Edit {
    let spec = EntrySpec {
        replaces: Some("p.v1.0.0".into()),
        skips: vec![BundleName::from("p.v1.0.1")],
        ..EntrySpec::default()
    };
    let entry = NewEntry { name: "p.v1.1.0".into(), spec };
    Edit::AddChannel { package: "p".into(), channel: name.into(), entries: vec![entry] }
}

fn deprecate_edit() -> Edit {
    let target = DeprecationTarget::Bundle("p.v1.0.0".into());
    Edit::Deprecate { package: "p".into(), target, message: "Use 1.1.".into() }
}

const PACKAGE: &str = "name: p\ndefaultChannel: '1.0'\nschema: olm.package\n";
const CHANNEL: &str = "schema: olm.channel\npackage: p\nname: '1.0'\nentries:\n  - name: p.v1.0.0\n  - name: p.v1.1.0\n    replaces: p.v1.0.0\n";
const BUNDLE: &str = "schema: olm.bundle\nname: p.v1.0.0\npackage: p\nimage: q.io/p:1.0.0\nproperties:\n  - type: olm.package\n    value:\n      packageName: p\n      version: 1.0.0\n";
const NEW_CHANNEL: &str = "schema: olm.channel\npackage: p\nname: \"1.1\"\nentries:\n  - name: p.v1.1.0\n    replaces: p.v1.0.0\n    skips:\n      - p.v1.0.1\n";

fn second_channel_yaml() -> String {
    CHANNEL.replace("'1.0'", "'0.9'")
}

#[test]
fn new_channel_gets_own_file_like_others() {
    let second = second_channel_yaml();
    let files = [
        ("package.yaml", PACKAGE),
        ("channels/channel-0.9.yaml", second.as_str()),
        ("channels/channel-1.0.yaml", CHANNEL),
        ("bundles/bundle-v1.0.0.yaml", BUNDLE),
    ];
    let (path, text) = changed_file(&files, &new_channel_edit("1.1"));
    assert_eq!((path.as_str(), text.as_str()), ("channels/channel-1.1.yaml", NEW_CHANNEL));
    let single: Vec<_> = files.iter().copied().filter(|(path, _)| !path.contains("0.9")).collect();
    assert_eq!(changed_file(&single, &new_channel_edit("1.1")).0, "channels/channel-1.1.yaml");
    assert_eq!(
        changed_file(&files, &new_channel_edit("a/b")).0,
        "channels/channel-1.0.yaml",
        "not the name of a file"
    );
    let taken: Vec<_> = files.iter().copied().chain([("channels/channel-1.1.yaml", "schema: x\n")]).collect();
    assert_eq!(
        changed_file(&taken, &new_channel_edit("1.1")).0,
        "channels/channel-1.0.yaml",
        "there is such a file"
    );
}

#[test]
fn new_channel_gets_own_directory_like_others() {
    let second = second_channel_yaml();
    let files = [
        ("p/package.yaml", PACKAGE),
        ("p/0.9/channel.yaml", second.as_str()),
        ("p/1.0/channel.yaml", CHANNEL),
        ("p/bundles.yaml", BUNDLE),
    ];
    assert_eq!(changed_file(&files, &new_channel_edit("1.1")).0, "p/1.1/channel.yaml");
    let named_alike = CHANNEL.replace("'1.0'", "p");
    let files = [("p/package.yaml", PACKAGE), ("p/channels.yaml", named_alike.as_str())];
    assert_eq!(
        changed_file(&files, &new_channel_edit("1.1")).0,
        "p/channels.yaml",
        "the directory is that of the package"
    );
}

#[test]
fn new_channel_joins_shared_file() {
    let both = format!("{CHANNEL}---\n{}", CHANNEL.replace("'1.0'", "'1.2'"));
    for (shared, position) in [(CHANNEL.to_owned(), "behind"), (both, "between")] {
        let files =
            [("package.yaml", PACKAGE), ("channel.yaml", shared.as_str()), ("bundles/b.yaml", BUNDLE)];
        let (path, text) = changed_file(&files, &new_channel_edit("1.1"));
        assert_eq!(path, "channel.yaml");
        let document = format!("---\n{NEW_CHANNEL}");
        let rest = text.replace(&document, "");
        assert_eq!(rest, shared, "{text}");
        assert_eq!(text.ends_with(&document), position == "behind", "{text}");
    }
    let later = CHANNEL.replace("'1.0'", "'1.2'");
    let files = [("package.yaml", PACKAGE), ("channel.yaml", &format!("---\n{later}"))];
    assert!(
        changed_file(&files, &new_channel_edit("1.1")).1.starts_with(&format!("---\n{NEW_CHANNEL}---\n"))
    );
}

#[test]
fn json_stays_json() {
    let package =
        "{\n  \"schema\": \"olm.package\",\n  \"name\": \"p\",\n  \"defaultChannel\": \"stable\"\n}\n";
    let channel = "{\n  \"schema\": \"olm.channel\",\n  \"package\": \"p\",\n  \"name\": \"stable\",\n  \"entries\": [\n    {\n      \"name\": \"p.v1.0.0\"\n    }\n  ]\n}\n";
    let bundle = "{\"schema\":\"olm.bundle\",\"package\":\"p\",\"name\":\"p.v1.0.0\",\"image\":\"q.io/p:1\",\"properties\":[{\"type\":\"olm.package\",\"value\":{\"packageName\":\"p\",\"version\":\"1.0.0\"}}]}\n";
    let files =
        [("package.json", package), ("channel-stable.json", channel), ("bundles/p.v1.0.0.json", bundle)];
    let (path, text) = changed_file(&files, &new_channel_edit("fast"));
    assert_eq!(path, "channel-fast.json");
    assert!(text.starts_with("{\n  \"schema\": \"olm.channel\",\n") && text.ends_with("\n}\n"), "{text}");
    let (path, text) = changed_file(&files, &deprecate_edit());
    assert_eq!(path, "deprecations.json");
    assert!(text.starts_with("{\n  \"schema\": \"olm.deprecations\",\n"), "{text}");
    let blob = bundle.replace("1.0.0", "1.1.0");
    let edit = Edit::AddBundle { package: "p".into(), blob };
    let (path, text) = changed_file(&files, &edit);
    assert_eq!(path, "bundles/p.v1.1.0.json");
    assert_eq!(text.lines().count(), 1, "{text}");
}

#[test]
fn deprecations_of_a_split_package_get_a_file_in_its_style() {
    let files = [("package.yml", PACKAGE), ("channels.yml", CHANNEL), ("bundles.yml", BUNDLE)];
    let item =
        "entries:\n  - reference:\n      schema: olm.bundle\n      name: p.v1.0.0\n    message: Use 1.1.\n";
    let expected = format!("schema: olm.deprecations\npackage: p\n{item}");
    assert_eq!(changed_file(&files, &deprecate_edit()), ("deprecations.yml".to_owned(), expected));
    // Canonical form, but in several files.
    let package = "---\ndefaultChannel: stable\nname: p\nschema: olm.package\n";
    let channel = "---\nentries:\n- name: p.v1.0.0\nname: stable\npackage: p\nschema: olm.channel\n";
    let files = [("package.yaml", package), ("channels.yaml", channel), ("bundles.yaml", BUNDLE)];
    let (path, text) = changed_file(&files, &deprecate_edit());
    assert_eq!(path, "deprecations.yaml");
    assert!(text.starts_with("---\nentries:\n- message: Use 1.1.\n"), "{text}");
}

#[test]
fn deprecations_file_is_named_like_others() {
    let q = "schema: olm.package\nname: q\n";
    let said = "schema: olm.deprecations\npackage: q\nentries:\n- reference: {schema: olm.package}\n  message: Going.\n";
    let whole = format!("{PACKAGE}---\n{CHANNEL}---\n{BUNDLE}");
    let files = [("p/catalog.yaml", whole.as_str()), ("q/catalog.yaml", q), ("q/deprecated.yaml", said)];
    assert_eq!(changed_file(&files, &deprecate_edit()).0, "p/deprecated.yaml");
}

#[test]
fn new_bundle_gets_own_file_like_others() {
    let files =
        [("package.yaml", PACKAGE), ("channel.yaml", CHANNEL), ("bundles/bundle-v1.0.0.yaml", BUNDLE)];
    let edit = Edit::AddBundle { package: "p".into(), blob: BUNDLE.replace("1.0.0", "1.1.0") };
    assert_eq!(changed_file(&files, &edit).0, "bundles/bundle-v1.1.0.yaml");
    let shared = [files[0], files[1], ("bundles.yaml", BUNDLE)];
    assert_eq!(changed_file(&shared, &edit).0, "bundles.yaml");
}

#[test]
fn metadata_of_a_new_bundle_keeps_the_order_of_opm() {
    let metadata = "{\"type\":\"olm.csv.metadata\",\"value\":{\"installModes\":[{\"type\":\"OwnNamespace\",\"supported\":true}],\"links\":[{\"name\":\"n\",\"url\":\"u\"}]}}";
    let bundle = |version: &str, more: &str| {
        format!(
            "{{\"schema\":\"olm.bundle\",\"name\":\"p.v{version}\",\"package\":\"p\",\"image\":\"q.io/p:1\",\"properties\":[{{\"type\":\"olm.package\",\"value\":{{\"packageName\":\"p\",\"version\":\"{version}\"}}}}{more}]}}\n"
        )
    };
    let package = "{\"schema\":\"olm.package\",\"name\":\"p\",\"defaultChannel\":\"c\"}\n";
    let catalog = format!("{package}{}", bundle("1.0.0", ""));
    let blob = bundle("1.1.0", &format!(",{metadata}"));
    let edit = Edit::AddBundle { package: "p".into(), blob: blob.clone() };
    assert_eq!(changed_file(&[("catalog.json", &catalog)], &edit).1, format!("{catalog}{blob}"));
}

#[test]
fn utf16_files_are_not_edited() {
    let encoded = |text: &str| -> Vec<u8> {
        [0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect()
    };
    let texts =
        [("package.yaml".into(), encoded(PACKAGE)), ("channel.yaml".into(), CHANNEL.as_bytes().to_vec())];
    let catalog = load::from_texts(Origin::Directory("catalog".into()), texts);
    assert!(!catalog.has_unread_parts());
    let edit = Edit::SetDefaultChannel { package: "p".into(), channel: "1.0".into() };
    let error = apply_edit(&catalog, &edit).unwrap_err();
    assert!(matches!(&error, EditError::Utf16(path) if path.ends_with("package.yaml")), "{error}");
    assert!(
        apply_edit(&catalog, &new_channel_edit("1.1")).is_ok(),
        "its channels are in a file of their own"
    );
}
