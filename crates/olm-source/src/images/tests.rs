//! Tests with generated images in layouts and archives, and a comparison with recorded answers of opm for unpacked
//! images, without a registry (`images/` in `docs/conformance.md`).

use std::{fs, path::Path};

use serde_json::Value as Json;

use super::{
    Contents,
    contents::{CONFIGS, DATABASE, PACKAGE},
    open_reference,
    sample::{self, CATALOG, Sample, sample_catalog, sample_image, tar_of},
    *,
};
use crate::{Access, Digest};
use olm_catalog::{
    Catalog, Node,
    load::Progress,
    problem::ProblemKind,
    text::canonical::{self, RenderFormat},
};

fn open_sample(reference: &str) -> Result<OpenedImage, String> {
    open_reference(reference, &Access::default(), &Progress::default()).map_err(|error| error.to_string())
}

fn package_names(reference: &str) -> Result<String, String> {
    let catalog = open_sample(reference)?.into_catalog().map_err(|error| error.to_string())?;
    Ok(catalog.packages().map(|package| package.name.to_string()).collect::<Vec<_>>().join(" "))
}

/// Writes a layout with an image and returns its reference.
fn write_layout_reference(sample: &Sample, folder: &Path) -> String {
    sample.write_layout(folder, "v1");
    format!("oci:{}:v1", folder.display())
}

#[test]
fn every_local_source_gives_the_same_catalog() {
    let root = tempfile::tempdir().unwrap();
    let at = |name: &str| root.path().join(name);
    let sample = sample_catalog();
    let first = write_layout_reference(&sample, &at("layout"));
    sample.write_archive(&at("a.tar"), "v1");
    sample.write_folder(&at("dir"));
    sample.write_docker_archive(&at("d.tar"), "example.com/ns/cat:v1");
    let shown = |kind: &str, name: &str, tag: &str| format!("{kind}:{}{tag}", at(name).display());
    for reference in [
        first,
        shown("oci", "layout", ""),
        shown("oci-archive", "a.tar", ":v1"),
        shown("oci-archive", "a.tar", ""),
        shown("dir", "dir", ""),
        shown("docker-archive", "d.tar", ""),
        shown("docker-archive", "d.tar", ":example.com/ns/cat:v1"),
    ] {
        assert_eq!(package_names(&reference).as_deref(), Ok("tide"), "{reference}");
    }
    for (reference, why) in [
        (shown("oci", "layout", ":v2"), "v2"),
        (shown("oci", "nowhere", ""), "cannot read"),
        (shown("docker-archive", "d.tar", ":other:v1"), "example.com/ns/cat:v1"),
        (shown("docker-archive", "a.tar", ""), "manifest.json is missing"),
        (shown("oci-archive", "d.tar", ""), "index.json is missing"),
        (shown("dir", "layout", ""), "manifest.json is missing"),
    ] {
        let error = package_names(&reference).unwrap_err();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn catalog_from_image_is_read_only_and_labeled() {
    let root = tempfile::tempdir().unwrap();
    let reference = write_layout_reference(&sample_catalog(), root.path());
    let catalog = open_sample(&reference).unwrap().into_catalog().unwrap();
    assert_eq!(catalog.origin.label(), reference);
    assert!(catalog.files().iter().all(|file| file.disk.is_none()));
    let again = olm_catalog::load::reload(&catalog, &Progress::default()).unwrap();
    assert!(again.is_none(), "an image never changes");
}

#[test]
fn blob_with_wrong_digest_is_refused() {
    let sample = sample_catalog();
    for digest in sample.blobs.keys() {
        let root = tempfile::tempdir().unwrap();
        let reference = write_layout_reference(&sample, root.path());
        let path = root.path().join("blobs").join(digest.replacen(':', "/", 1));
        let mut bytes = fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&path, &bytes).unwrap();
        let error = package_names(&reference).unwrap_err();
        assert!(error.contains("wrong digest"), "{error}");
        fs::remove_file(&path).unwrap();
        let error = package_names(&reference).unwrap_err();
        assert!(error.contains("is missing"), "{error}");
    }
}

#[test]
fn labels_decide_and_their_folder_cannot_leave_the_image() {
    let open = |labels: &[(&str, &str)]| {
        let root = tempfile::tempdir().unwrap();
        let tar = tar_of(&[("configs/tide/catalog.yaml", CATALOG), ("file", "x")]);
        package_names(&write_layout_reference(&sample_image(labels, &[tar]), root.path()))
    };
    for folder in ["/configs", "configs/", "/../../configs", "//configs/./tide/..", "", "/"] {
        let all = open(&[(CONFIGS, folder)]);
        assert!(all.is_ok(), "{folder:?}: {all:?}");
    }
    for folder in ["/nothing", "/file", "/etc", " /configs"] {
        let error = open(&[(CONFIGS, folder)]).unwrap_err();
        assert!(error.contains("it is not"), "{error}");
    }
    assert!(open(&[]).unwrap_err().contains("no labels"));
    assert!(open(&[("a", "b")]).unwrap_err().contains("the labels a"));
    let both = [(CONFIGS, "/configs"), (DATABASE, "file")];
    assert!(open(&both).unwrap_err().contains("SQLite"), "the index comes first");
}

#[test]
fn links_are_followed_inside_of_the_image() {
    let mut builder = tar::Builder::new(Vec::new());
    let mut link = tar::Header::new_gnu();
    link.set_entry_type(tar::EntryType::Symlink);
    link.set_size(0);
    builder.append_link(&mut link, "configs/c.yaml", "/data/c.yaml").unwrap();
    let mut file = tar::Header::new_gnu();
    file.set_size(CATALOG.len() as u64);
    builder.append_data(&mut file, "data/c.yaml", CATALOG.as_bytes()).unwrap();
    let root = tempfile::tempdir().unwrap();
    let sample = sample_image(&[(CONFIGS, "/configs")], &[builder.into_inner().unwrap()]);
    assert_eq!(package_names(&write_layout_reference(&sample, root.path())).as_deref(), Ok("tide"));
}

#[test]
fn ignored_files_are_dropped_as_on_disk() {
    let files =
        [("configs/.indexignore", "*.md\n"), ("configs/a.yaml", CATALOG), ("configs/README.md", ": : :")];
    let root = tempfile::tempdir().unwrap();
    let sample = sample_image(&[(CONFIGS, "/configs")], &[tar_of(&files)]);
    let catalog = open_sample(&write_layout_reference(&sample, root.path())).unwrap().into_catalog().unwrap();
    assert!(!catalog.has_unread_parts());
    assert_eq!(catalog.files().len(), 1);
}

#[test]
fn bundle_image_opens_as_proposed_catalog() {
    let csv = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\n\
               metadata:\n  name: tide.v1.0.0\nspec:\n  version: 1.0.0\n";
    let annotations = "annotations:\n  operators.operatorframework.io.bundle.package.v1: tide\n  \
                       operators.operatorframework.io.bundle.channels.v1: stable\n";
    let files = [("manifests/csv.yaml", csv), ("metadata/annotations.yaml", annotations)];
    let root = tempfile::tempdir().unwrap();
    let reference =
        write_layout_reference(&sample_image(&[(PACKAGE, "other")], &[tar_of(&files)]), root.path());
    let rendered = open_sample(&reference).unwrap().render_bundle(None, false).unwrap().unwrap();
    assert_eq!((rendered.package.as_str(), rendered.name.as_str()), ("tide", "tide.v1.0.0"));
    assert_eq!(package_names(&reference).as_deref(), Ok("tide"), "the file counts, not the label");
}

#[test]
fn index_selects_image_of_platform() {
    use serde_json::json;
    let root = tempfile::tempdir().unwrap();
    let sample = sample::sample_catalog();
    sample.write_layout(root.path(), "v1");
    let entry = |os: &str, architecture: &str, digest: &str| {
        let size = sample.blobs[&sample.manifest].len();
        json!({ "mediaType": sample::MANIFEST, "digest": digest, "size": size,
                "platform": { "os": os, "architecture": architecture } })
    };
    let none = Digest::sha256(b"not there").to_string();
    let entries = [entry("windows", "amd64", &none), entry("linux", "s390x", &sample.manifest)];
    let index = json!({ "schemaVersion": 2, "manifests": entries }).to_string();
    let digest = Digest::sha256(index.as_bytes());
    fs::write(root.path().join("blobs/sha256").join(digest.hex()), &index).unwrap();
    let top = json!({ "schemaVersion": 2, "manifests": [{
        "mediaType": "application/vnd.oci.image.index.v1+json", "digest": digest.to_string(), "size": index.len(),
    }] });
    fs::write(root.path().join("index.json"), top.to_string()).unwrap();
    let reference = format!("oci:{}", root.path().display());
    let for_platform = |platform: &str| {
        let access = Access { platform: Some(platform.parse().unwrap()), ..Access::default() };
        open_reference(&reference, &access, &Progress::default())
    };
    assert_eq!(
        for_platform("linux/s390x").unwrap().digest,
        Some(digest),
        "what was asked for, not the one of the platform"
    );
    let error = for_platform("linux/arm64").unwrap_err();
    assert!(error.to_string().ends_with("there is: windows/amd64, linux/s390x"), "{error}");
    assert!(error.hint().unwrap().contains("--platform"));
}

#[test]
fn links_to_one_large_file_are_refused() {
    let mut builder = tar::Builder::new(Vec::new());
    let size = 32 << 20;
    let mut header = tar::Header::new_gnu();
    header.set_size(size);
    builder
        .append_data(&mut header, "configs/0.yaml", std::io::Read::take(std::io::repeat(b'\n'), size))
        .unwrap();
    for number in 1..70 {
        let mut link = tar::Header::new_gnu();
        link.set_entry_type(tar::EntryType::Link);
        link.set_size(0);
        builder.append_link(&mut link, format!("configs/{number}.yaml"), "configs/0.yaml").unwrap();
    }
    let root = tempfile::tempdir().unwrap();
    let sample = sample_image(&[(CONFIGS, "/configs")], &[builder.into_inner().unwrap()]);
    let error = open_sample(&write_layout_reference(&sample, root.path())).unwrap_err();
    assert!(error.contains("with its links it has more than 512 MiB"), "{error}");
}

#[test]
fn error_names_the_image() {
    let progress = Progress::default();
    let told = |reference: &str| {
        let how = crate::OpenOptions::default();
        crate::open_path(Path::new(reference), &how, &progress).unwrap_err().to_string()
    };
    assert!(told("oci:nowhere:v1").starts_with("oci:nowhere:v1: cannot read"));
    let wrong = told("docker://example.com/ns/cat");
    assert_eq!(wrong.matches("example.com/ns/cat").count(), 1, "{wrong}");
}

#[test]
fn contents_of_image_are_known() {
    let of = |labels: &[(&str, &str)], files: &[(&str, &str)]| {
        let root = tempfile::tempdir().unwrap();
        open_sample(&write_layout_reference(&sample_image(labels, &[tar_of(files)]), root.path()))
            .unwrap()
            .into_catalog()
            .unwrap()
    };
    let csv = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\n\
               metadata:\n  name: tide.v1.0.0\nspec:\n  version: 1.0.0\n";
    let annotations = "annotations:\n  operators.operatorframework.io.bundle.package.v1: tide\n  \
                       operators.operatorframework.io.bundle.channels.v1: stable\n";
    let files = [("manifests/csv.yaml", csv), ("metadata/annotations.yaml", annotations)];
    let bundle = of(&[(PACKAGE, "tide")], &files);
    assert!(bundle.is_rendered_from_bundles() && !bundle.origin.is_converted_index());
    let catalog = of(&[(CONFIGS, "/configs")], &[("configs/c.yaml", CATALOG)]);
    assert!(
        !catalog.is_rendered_from_bundles()
            && !catalog.origin.is_converted_index()
            && catalog.origin.has_no_files()
    );
}

#[test]
fn connection_is_needed_unless_whole_image_is_cached() {
    let folder = tempfile::tempdir().unwrap();
    let cache = crate::cache::Cache::in_folder(folder.path().join("olmap"));
    let access = Access { cache: Some(cache.clone()), ..Access::default() };
    let sample = sample_catalog();
    let reference = format!("docker://example.com/ns/cat@{}", sample.manifest);
    let needed = || hosts_for_reference(&reference, &access);
    assert_eq!(needed(), ["example.com"]);
    for (digest, bytes) in &sample.blobs {
        assert!(!needed().is_empty(), "{digest} is missing");
        cache.store_blob(&digest.parse().unwrap(), bytes);
    }
    assert!(needed().is_empty());
    assert!(!hosts_for_reference("example.com/ns/cat:v1", &access).is_empty(), "a tag may move");
    let offline = Access { offline: true, ..access };
    assert!(hosts_for_reference("example.com/ns/cat:v1", &offline).is_empty());
    assert!(hosts_for_reference("oci:somewhere", &Access::default()).is_empty());
    let address = hosts_for_reference("https://catalogd.example:8443/catalogs/x", &Access::default());
    assert_eq!(address, ["catalogd.example:8443"]);
}

#[test]
fn images_without_names_are_reported() {
    use serde_json::json;
    let root = tempfile::tempdir().unwrap();
    let sample = sample::sample_catalog();
    sample.write_layout(root.path(), "v1");
    let entry = json!({ "mediaType": sample::MANIFEST, "digest": sample.manifest, "size": 1 });
    let index = json!({ "schemaVersion": 2, "manifests": [entry, entry] });
    fs::write(root.path().join("index.json"), index.to_string()).unwrap();
    let reference = format!("oci:{}", root.path().display());
    let error = open_reference(&reference, &Access::default(), &Progress::default()).unwrap_err();
    assert!(error.to_string().contains("2 images, and none of them has a name"), "{error}");
    assert!(error.hint().unwrap().contains("skopeo"));
}

#[test]
fn image_with_too_many_documents_is_refused() {
    let files = tar_of(&[("configs/a.yaml", &"schema: a\n---\n".repeat(100_001))]);
    let root = tempfile::tempdir().unwrap();
    let reference = write_layout_reference(&sample_image(&[(CONFIGS, "/configs")], &[files]), root.path());
    let error = open_sample(&reference).unwrap_err();
    assert!(error.contains("more than 100000 documents"), "{error}");
}

#[test]
fn slow_host_is_not_contacted_again() {
    let progress = Progress::default();
    let access = Access { total: Some(std::time::Duration::ZERO), ..Access::default() };
    let fetch = |image: &str, access: &Access| load_bundle_tree(image, access, &progress).unwrap_err();
    assert!(matches!(fetch("127.0.0.1:1/ns/a:v1", &access), ImageError::TooSlow(_)));
    let later = Access { total: None, ..access };
    let error = fetch("127.0.0.1:1/ns/b:v1", &later);
    assert!(error.to_string().contains("127.0.0.1:1 was given up"), "{error}");
    assert!(error.hint().unwrap().contains("--total-timeout"));
    assert!(
        matches!(fetch("127.0.0.1:2/ns/b:v1", &later), ImageError::Unreachable { .. }),
        "another host is asked"
    );
}

/// Returns the output of `olmap render` for an image; `None` if it fails.
fn render_reference(reference: &str) -> Option<String> {
    let access = Access { platform: "linux/amd64".parse().ok(), ..Access::default() };
    let opened = open_reference(reference, &access, &Progress::default()).ok()?;
    if let Contents::Bundle(_) = &opened.contents {
        return opened.render_bundle(None, false)?.ok().map(|bundle| bundle.to_text(RenderFormat::Yaml));
    }
    let catalog: Catalog = opened.into_catalog().ok()?;
    let is_refused = catalog.all_problems().any(|problems| problems.count_kinds(ProblemKind::stops_opm) > 0);
    let documents: Vec<Node<'_>> =
        catalog.documents().filter_map(|doc| catalog.parse_document(doc)?.ok()).collect();
    (!is_refused).then(|| canonical::render_documents(&documents, RenderFormat::Yaml))
}

fn test_references(data: &Path, row: &Json) -> Vec<String> {
    let archive = data.join(row["archive"].as_str().unwrap()).display().to_string();
    let tag = |usual: &str| match row["tag"].as_str() {
        Some(tag) => format!(":{tag}"),
        None => usual.to_owned(),
    };
    let ways = row["ways"].as_array().unwrap().iter().filter_map(Json::as_str);
    let reference = |way| match way {
        "oci-archive" => Some(format!("oci-archive:{archive}{}", tag(":v1"))),
        "docker-archive" => Some(format!("docker-archive:{archive}{}", tag(""))),
        _ => None,
    };
    ways.filter_map(reference).collect()
}

#[test]
fn images_render_as_opm_renders_them() {
    let Some(data) = olmap_testing::find_data("images") else { return };
    let Some(rows) = olmap_testing::load_json_lines("images/cases.jsonl") else { return };
    let (mut wrong, mut judged) = (Vec::new(), 0);
    for row in rows {
        // Another test covers old indexes.
        if row["group"] == "sqlite" || row["case"].as_str().unwrap().contains("sqlite") {
            continue;
        }
        for reference in test_references(&data, &row) {
            judged += 1;
            let text = render_reference(&reference);
            let digest = |text: &str| Digest::sha256(text.as_bytes()).hex().to_owned();
            let is_right = match &text {
                None => row.get("error").is_some() || row.get("may_fail").is_some(),
                Some(text) => {
                    let found = digest(text);
                    row["sha256"] == found || row["or_sha256"] == found
                }
            };
            let is_leaking = text.is_some_and(|text| text.contains("absent-sentinel"));
            if is_leaking || !(is_right || row.get("any").is_some()) {
                wrong.push(reference);
            }
        }
    }
    assert!(judged > 0, "no row has an archive");
    assert!(wrong.is_empty(), "{} of {judged}: {wrong:#?}", wrong.len());
}
