use std::{fs, path::Path};

use super::open_older;
use olm_catalog::{Catalog, Origin, load::Progress};

fn open_catalog(path: &Path) -> Catalog {
    open_older(path, &Progress::default()).unwrap().unwrap()
}

fn open_error(path: &Path) -> String {
    open_older(path, &Progress::default()).unwrap().unwrap_err().to_string()
}

fn csv_text(version: &str, spec: &str) -> String {
    format!(
        "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: tide.v{version}\n  \
         annotations: {{olm.skipRange: '<{version}'}}\nspec:\n  version: {version}\n{spec}"
    )
}

/// Makes a folder of package manifests with 1.0.0, 1.1.0, and 2.0.0 in another channel. One folder is not a
/// version.
fn write_manifests(package: &str) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("tide.package.yaml", package);
    write("1.0.0/tide.csv.yaml", &csv_text("1.0.0", ""));
    write("1.1.0/tide.csv.yaml", &csv_text("1.1.0", "  replaces: tide.v1.0.0\n  skips: [tide.v1.0.5]\n"));
    write("2.0.0/tide.csv.yaml", &csv_text("2.0.0", "  replaces: tide.v1.1.0\n"));
    write("docs/readme.txt", "nothing");
    root
}

const PACKAGE: &str = "packageName: tide\ndefaultChannel: stable\nchannels:\n- {name: stable, currentCSV: tide.v1.1.0}\n- {name: \
                       next, currentCSV: tide.v2.0.0}\n";

#[test]
fn package_manifests_open_as_catalog() {
    let root = write_manifests(PACKAGE);
    let catalog = open_catalog(root.path());
    assert!(matches!(&catalog.origin, Origin::Converted(path) if path == root.path()));
    assert!(!catalog.has_unread_parts());
    let package = catalog.package("tide").unwrap();
    assert_eq!(package.default_channel().unwrap().as_str(), "stable");
    let of = |channel: &str| {
        let entries = &package.channel(channel).unwrap().entries;
        entries.iter().map(|entry| entry.name.value.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(of("stable"), ["tide.v1.0.0", "tide.v1.1.0"]);
    assert_eq!(of("next"), ["tide.v1.0.0", "tide.v1.1.0", "tide.v2.0.0"]);
    let entry = &package.channel("stable").unwrap().entries[1];
    assert!(entry.replaces(&"tide.v1.0.0".into()) && entry.skips(&"tide.v1.0.5".into()));
    assert_eq!(entry.skip_range.as_ref().unwrap().text.value, "<1.1.0");
    assert_eq!(package.bundles.len(), 3);
    assert!(catalog.files().iter().all(|file| !file.writable && file.disk.is_none()));
}

#[test]
fn file_based_catalog_with_old_manifest_is_not_converted() {
    for (name, text) in [
        (".indexignore", "*.package.yaml\n"),
        ("catalog.yaml", "---\nschema: olm.package\nname: tide\n"),
        ("x.json", "{\"schema\": \"olm.package\"}"),
    ] {
        let root = write_manifests(PACKAGE);
        fs::write(root.path().join(name), text).unwrap();
        assert!(open_older(root.path(), &Progress::default()).is_none(), "{name}");
    }
    let root = write_manifests(PACKAGE);
    fs::write(root.path().join("ci.yaml"), "updateGraph: replaces-mode\n").unwrap();
    assert!(open_older(root.path(), &Progress::default()).is_some());
}

#[test]
fn file_named_like_an_index_that_is_not_one_is_refused() {
    let root = tempfile::tempdir().unwrap();
    for (name, content) in [("index.db", ""), ("Index.DB", "---\nschema: a\n"), ("old.sqlite", "SQLite")] {
        let path = root.path().join(name);
        fs::write(&path, content).unwrap();
        assert!(open_error(&path).contains("it is not an SQLite database"), "{name}");
    }
    let catalog = root.path().join("catalog.yaml");
    fs::write(&catalog, "").unwrap();
    assert!(open_older(&catalog, &Progress::default()).is_none(), "an empty file is an empty catalog");
}

#[test]
fn version_in_two_folders_is_refused() {
    let root = write_manifests(PACKAGE);
    fs::create_dir(root.path().join("copy")).unwrap();
    fs::copy(root.path().join("1.0.0/tide.csv.yaml"), root.path().join("copy/tide.csv.yaml")).unwrap();
    assert!(
        open_error(root.path()).contains("two folders have the CSV tide.v1.0.0"),
        "{}",
        open_error(root.path())
    );
}

#[test]
fn incomplete_package_manifests_are_refused() {
    let without = "packageName: tide\nchannels:\n- {name: a, currentCSV: tide.v1.0.0}\n- {name: b, currentCSV: tide.v2.0.0}\n";
    assert!(open_error(write_manifests(without).path()).contains("several channels and no defaultChannel"));
    let gone = PACKAGE.replace("tide.v2.0.0", "tide.v9.0.0");
    assert!(open_error(write_manifests(&gone).path()).contains("no folder has the CSV tide.v9.0.0"));
    let circle = write_manifests(PACKAGE);
    fs::write(circle.path().join("1.0.0/tide.csv.yaml"), csv_text("1.0.0", "  replaces: tide.v1.1.0\n"))
        .unwrap();
    assert_eq!(open_catalog(circle.path()).package("tide").unwrap().bundles.len(), 3, "a circle ends");
}

#[cfg(feature = "sqlite")]
mod index {
    use proptest::prelude::*;
    use rusqlite::Connection;

    use super::*;
    use crate::legacy::{IndexFault, documents_of_index};
    use olm_catalog::text::canonical::{RenderFormat, render_documents};
    use olmap_testing::sha256::hex_digest;

    const SCHEMA: &str = "
        CREATE TABLE package (name TEXT, default_channel TEXT);
        CREATE TABLE channel (name TEXT, package_name TEXT, head_operatorbundle_name TEXT);
        CREATE TABLE channel_entry (entry_id INTEGER PRIMARY KEY, channel_name TEXT, package_name TEXT,
            operatorbundle_name TEXT, replaces INTEGER, depth INTEGER);
        CREATE TABLE operatorbundle (name TEXT, csv TEXT, bundle TEXT, bundlepath TEXT, skiprange TEXT, version TEXT);
        CREATE TABLE properties (type TEXT, value TEXT, operatorbundle_name TEXT);
        CREATE TABLE dependencies (type TEXT, value TEXT, operatorbundle_name TEXT);
        CREATE TABLE related_image (image TEXT, operatorbundle_name TEXT);";

    /// Rows of `tide` with 1.0.0 and 1.1.0, which replaces 1.0.0 and skips 1.0.1.
    const ROWS: &str = "
        INSERT INTO package VALUES ('tide', 'stable');
        INSERT INTO channel VALUES ('stable', 'tide', 'tide.v1.1.0');
        INSERT INTO channel_entry VALUES (1, 'stable', 'tide', 'tide.v1.1.0', 4, 0), (2, 'stable', 'tide', 'tide.v1.0.1', NULL, 1),
            (3, 'stable', 'tide', 'tide.v1.1.0', 2, 1), (4, 'stable', 'tide', 'tide.v1.0.0', NULL, 2);
        INSERT INTO operatorbundle VALUES
            ('tide.v1.0.0', '{}', '{\"kind\": \"A\"}{\"kind\": \"B\"}', 'example.com/tide:1', NULL, '1.0.0'),
            ('tide.v1.1.0', '{\"spec\": {\"icon\": [{\"base64data\": \"eA==\", \"mediatype\": \"image/png\"}]}}', NULL,
             'example.com/tide:2', '<1.1.0', '1.1.0');
        INSERT INTO properties VALUES ('olm.gvk', '{\"version\":\"v1\",\"kind\":\"Tide\",\"group\":\"g\"}', 'tide.v1.0.0'),
            ('olm.gvk', '{\"version\":\"v1\",\"kind\":\"Tide\",\"group\":\"g\"}', 'tide.v1.0.0');
        INSERT INTO dependencies VALUES ('olm.package', '{\"packageName\":\"sea\",\"version\":\">1.0.0\"}', 'tide.v1.0.0'),
            ('olm.constraint', '{}', 'tide.v1.0.0');
        INSERT INTO related_image VALUES ('example.com/x:1', 'tide.v1.0.0');";

    fn build_index(statements: &str) -> Vec<u8> {
        let mut database = Connection::open_in_memory().unwrap();
        database.execute_batch(statements).unwrap();
        database.serialize("main").unwrap().to_vec()
    }

    fn index_with(more: &str) -> Vec<u8> {
        build_index(&format!("{SCHEMA}{ROWS}{more}"))
    }

    fn write_index(bytes: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.db");
        fs::write(&path, bytes).unwrap();
        (folder, path)
    }

    #[test]
    fn index_opens_as_opm_renders_it_and_is_not_changed() {
        let bytes = index_with("");
        let (folder, path) = write_index(&bytes);
        let catalog = open_catalog(&path);
        assert!(!catalog.has_unread_parts());
        let package = catalog.package("tide").unwrap();
        assert_eq!(package.definition().unwrap().icon.as_ref().unwrap().media_type, "image/png");
        let entries = &package.channel("stable").unwrap().entries;
        assert_eq!(entries.len(), 2, "what is only skipped has no entry");
        assert!(entries[1].replaces(&"tide.v1.0.0".into()) && entries[1].skips(&"tide.v1.0.1".into()));
        assert_eq!(entries[1].skip_range.as_ref().unwrap().text.value, "<1.1.0");
        let first = package.bundle("tide.v1.0.0").unwrap();
        let kinds: Vec<&str> = first.properties.iter().map(|property| property.kind.value.as_str()).collect();
        let object = "olm.bundle.object";
        assert_eq!(kinds, ["olm.gvk", "olm.package", "olm.package.required", object, object]);
        assert_eq!(first.related_images[0].image.value, "example.com/x:1");
        assert_eq!(fs::read(&path).unwrap(), bytes);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no journal beside it");
    }

    #[test]
    fn deprecated_bundles_are_dropped_but_references_stay() {
        let gone = index_with("INSERT INTO properties VALUES ('olm.deprecated', '{}', 'tide.v1.0.0');");
        let text = String::from_utf8(documents_of_index(gone).unwrap()).unwrap();
        assert!(!text.contains("\"name\":\"tide.v1.0.0\""), "{text}");
        assert!(text.contains("\"replaces\":\"tide.v1.0.0\""), "{text}");
    }

    #[test]
    fn empty_column_differs_from_missing_column() {
        let csv = "{\"spec\":{\"version\":\"1.0.0\"},\"metadata\":{\"annotations\":{\"olm.skipRange\":\"<9.0.0\"}}}";
        let fill =
            format!("UPDATE operatorbundle SET version = NULL, csv = '{csv}' WHERE name = 'tide.v1.0.0';");
        let text = |statements: &str| {
            String::from_utf8(documents_of_index(index_with(statements)).unwrap()).unwrap()
        };
        let found = text(&fill);
        assert!(!found.contains("\"name\":\"tide.v1.0.0\"") && !found.contains("<9.0.0"), "{found}");
        let older = "ALTER TABLE operatorbundle DROP COLUMN version; ALTER TABLE operatorbundle DROP COLUMN skiprange;
                     UPDATE operatorbundle SET csv = '{\"spec\":{\"version\":\"1.1.0\"}}' WHERE name = 'tide.v1.1.0';";
        let found = text(&format!("{fill}{older}"));
        assert!(found.contains("\"name\":\"tide.v1.0.0\",\"skipRange\":\"<9.0.0\""), "{found}");
    }

    #[test]
    fn endlessly_repeated_text_is_refused() {
        let range = "9".repeat(100_000);
        let mut statements = format!("UPDATE operatorbundle SET skiprange = '{range}';");
        for number in 0..600 {
            statements.push_str(&format!(
                "INSERT INTO channel VALUES ('c{number}', 'tide', 'tide.v1.0.0');
                 INSERT INTO channel_entry VALUES ({}, 'c{number}', 'tide', 'tide.v1.0.0', NULL, 0);",
                number + 10
            ));
        }
        let bytes = index_with(&statements);
        assert!(bytes.len() < 1 << 20);
        assert_eq!(documents_of_index(bytes), Err(IndexFault::Unbounded));
    }

    #[test]
    fn icon_is_written_as_opm_writes_it_or_dropped() {
        for (data, written) in [
            ("eA==", Some("eA==")),
            ("e A = =", Some("eA==")),
            ("eB==", Some("eA==")),
            ("eA", None),
            ("\u{fffd}", None),
        ] {
            let csv = format!("{{\"spec\": {{\"icon\": [{{\"base64data\": \"{data}\"}}]}}}}");
            let bytes =
                index_with(&format!("UPDATE operatorbundle SET csv = '{csv}' WHERE name = 'tide.v1.1.0'"));
            let text = String::from_utf8(documents_of_index(bytes).unwrap()).unwrap();
            let package = text.lines().next().unwrap();
            let said = written.map(|data| format!("\"base64data\":\"{data}\""));
            assert!(said.is_none_or(|said| package.contains(&said)), "{data}: {package}");
            assert_eq!(package.contains("icon"), written.is_some(), "{data}: {package}");
        }
    }

    #[test]
    fn older_indexes_provide_apis_in_other_tables() {
        let older = index_with(
            "DROP TABLE properties; CREATE TABLE api_provider (group_name TEXT, version TEXT, kind TEXT, channel_entry_id INTEGER);
             INSERT INTO api_provider VALUES ('g', 'v1', 'Tide', 4);",
        );
        let text = String::from_utf8(documents_of_index(older).unwrap()).unwrap();
        assert!(
            text.contains("{\"type\":\"olm.gvk\",\"value\":{\"group\":\"g\",\"kind\":\"Tide\""),
            "{text}"
        );
    }

    #[test]
    fn refuses_what_opm_refuses() {
        let fault = |more: &str| documents_of_index(index_with(more)).unwrap_err();
        assert_eq!(documents_of_index(b"text".to_vec()), Err(IndexFault::NotAnIndex));
        assert_eq!(
            documents_of_index(build_index("CREATE TABLE a (b)")),
            Err(IndexFault::NoTable("operatorbundle"))
        );
        assert_eq!(fault("UPDATE package SET default_channel = NULL"), IndexFault::NoDefault("tide".into()));
        assert_eq!(fault("UPDATE package SET default_channel = 'x'"), IndexFault::NoDefault("tide".into()));
        assert!(matches!(
            fault("UPDATE channel SET head_operatorbundle_name = 'x'"),
            IndexFault::NoHead { .. }
        ));
        assert_eq!(fault("UPDATE operatorbundle SET csv = 'x'"), IndexFault::BadCsv("tide.v1.1.0".into()));
        assert!(matches!(fault("UPDATE properties SET value = '{'"), IndexFault::BadProperty { .. }));
        assert_eq!(
            fault("UPDATE operatorbundle SET bundle = 'x'"),
            IndexFault::BadObjects("tide.v1.0.0".into())
        );
    }

    #[test]
    fn versions_of_the_column_must_be_semantic_and_unique() {
        let refusal = |more: &str| documents_of_index(index_with(more)).unwrap_err().to_string();
        let message = refusal("UPDATE operatorbundle SET version = '1.0' WHERE name = 'tide.v1.0.0'");
        assert!(message.contains("tide.v1.0.0 has the version 1.0"), "{message}");
        let message = refusal("UPDATE operatorbundle SET version = '1.1.0' WHERE name = 'tide.v1.0.0'");
        assert!(message.contains("tide.v1.0.0 and tide.v1.1.0 have the same version 1.1.0"), "{message}");
    }

    #[test]
    fn invalid_images_and_package_properties_do_not_stop_reading() {
        for more in [
            "INSERT INTO related_image VALUES ('Not A Reference', 'tide.v1.0.0');",
            "UPDATE operatorbundle SET bundlepath = 'Not A Reference' WHERE name = 'tide.v1.0.0';",
            "DELETE FROM properties WHERE type = 'olm.package';
             INSERT INTO properties VALUES ('olm.package', '{\"packageName\":\"other\",\"version\":\"x\"}', 'tide.v1.0.0');",
        ] {
            let catalog = olm_catalog::load::from_bytes(documents_of_index(index_with(more)).unwrap());
            assert!(!catalog.has_unread_parts(), "{more}");
        }
    }

    #[test]
    fn endless_query_is_refused() {
        let view = index_with(
            "DROP TABLE properties; CREATE VIEW properties AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
             SELECT x AS type, x AS value, x AS operatorbundle_name FROM n;",
        );
        assert!(matches!(documents_of_index(view), Err(IndexFault::Database(_) | IndexFault::Unbounded)));
        let circle = index_with("UPDATE channel_entry SET replaces = 1");
        assert!(documents_of_index(circle).is_ok(), "a circle of replaces ends");
    }

    #[test]
    fn write_ahead_journal_is_not_required() {
        let mut bytes = index_with("");
        bytes[18..20].copy_from_slice(&[2, 2]);
        assert!(documents_of_index(bytes).is_ok());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 200, ..ProptestConfig::default() })]

        #[test]
        fn damaged_indexes_are_read_or_refused(places in prop::collection::vec((0_usize..60_000, any::<u8>()), 1..12), end in 0_usize..60_000) {
            let mut bytes = index_with("");
            for (at, byte) in places {
                let at = 16 + at % (bytes.len() - 16);
                bytes[at] = byte;
            }
            let end = 16 + end % bytes.len();
            let _ = documents_of_index(bytes.clone());
            bytes.truncate(end);
            let _ = documents_of_index(bytes);
        }
    }

    /// Compares damaged and old indexes with the answers of `opm render`.
    #[test]
    fn indexes_agree_with_opm() {
        let Some(data) = olmap_testing::find_data("legacy") else { return };
        let Some(rows) = olmap_testing::load_json_lines("legacy/cases.jsonl") else { return };
        for row in rows {
            let packed = fs::File::open(data.join(row["db"].as_str().unwrap())).unwrap();
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(packed), &mut bytes).unwrap();
            let documents = documents_of_index(bytes);
            assert_eq!(documents.is_err(), row["error"].is_string(), "{}: {documents:?}", row["case"]);
            let Ok(documents) = documents else { continue };
            let catalog = olm_catalog::load::from_bytes(documents);
            let trees: Vec<_> =
                catalog.documents().filter_map(|doc| catalog.parse_document(doc)?.ok()).collect();
            let text = render_documents(&trees, RenderFormat::Yaml);
            assert_eq!(row["sha256"], hex_digest(text.as_bytes()), "{}: {} bytes", row["case"], text.len());
        }
    }
}
