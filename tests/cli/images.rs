//! Images, and files for building images.

use std::fs;

use super::run::{olmap, olmap_in, root};

#[test]
fn refuses_invalid_image_references() {
    let run = olmap(&["render", "ns/cat:v1"]).exits(2);
    assert!(
        run.err.contains("does not begin with a registry") && run.err.contains("docker.io/ns/cat:v1"),
        "{}",
        run.err
    );
    let run = olmap(&["validate", "oci:nowhere:v1"]).exits(2);
    assert!(run.err.contains("cannot read") && !run.err.contains("panicked"), "{}", run.err);
    let run = olmap(&["render", "--use-http", "--skip-tls-verify", "127.0.0.1:1/ns/cat:v1"]).exits(2);
    assert!(run.err.contains("cannot be used with"), "{}", run.err);
    let run = olmap(&["render", "--platform", "linux", "dir:x"]).exits(2);
    assert!(run.err.contains("OS/ARCHITECTURE"), "{}", run.err);
}

#[cfg(unix)]
#[test]
fn archive_of_the_demo_matches_its_script() {
    let folder = tempfile::tempdir().unwrap();
    let target = format!("oci-archive:{}", folder.path().join("a.tar").display());
    let tag = "registry.example.com/harbour/demo:v1";
    let script = fs::read_to_string(root().join("demo/image.sh")).unwrap();
    assert!(script.contains(&format!("image build catalog -t {tag} --to oci-archive:catalog.oci.tar")));
    olmap(&["image", "build", "demo/catalog", "-t", tag, "--to", &target]).exits(0);
    let made = fs::read(folder.path().join("a.tar")).unwrap();
    assert!(made == fs::read(root().join("demo/catalog.oci.tar")).unwrap(), "demo/image.sh makes it anew");
    let rendered = olmap(&["render", "oci-archive:demo/catalog.oci.tar:v1"]).exits(0);
    assert!(rendered.out == olmap(&["render", "demo/catalog"]).exits(0).out);
}

#[test]
fn dockerfile_is_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("cat")).unwrap();
    let run = |args: &[&str]| olmap_in(folder.path(), args);
    run(&["generate", "dockerfile", "cat/", "-l", "b=2,a=1"]).exits(0);
    let text = fs::read_to_string(folder.path().join("cat.Dockerfile")).unwrap();
    assert!(
        text.contains("ADD cat /configs\n") && text.ends_with("LABEL \"a\"=\"1\"\nLABEL \"b\"=\"2\"\n"),
        "{text}"
    );
    let again = run(&["generate", "dockerfile", "cat"]).exits(2);
    assert!(again.err.contains("nothing is written over it"), "{}", again.err);
    assert_eq!(fs::read_to_string(folder.path().join("cat.Dockerfile")).unwrap(), text);
    for wrong in [&["-b", "scratch"], &["-i", ""], &["-l", "a"], &["-l", "a=x\"y"]] {
        run(&[&["generate", "dockerfile", "cat"], wrong.as_slice()].concat()).exits(2);
    }
    run(&["generate", "dockerfile", "nowhere"]).exits(2);
}

#[test]
fn dockerfile_from_scratch_explains_extraction() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("cat")).unwrap();
    let made = |args: &[&str]| {
        olmap_in(folder.path(), &[&["generate", "dockerfile", "cat"], args].concat()).exits(0);
        let path = folder.path().join("cat.Dockerfile");
        let text = fs::read_to_string(&path).unwrap();
        fs::remove_file(path).unwrap();
        text
    };
    let text = made(&["-i", "scratch"]);
    assert!(text.contains("FROM scratch\n# OLMv0 CatalogSources"), "{text}");
    assert!(text.contains("#     extractContent:\n") && !text.contains("ENTRYPOINT"), "{text}");
    assert!(made(&["-b", ""]).contains("FROM  as builder\n"), "opm accepts an empty builder image");
}

#[test]
fn empty_file_with_the_name_of_an_index_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("index.db"), "").unwrap();
    let run = olmap_in(folder.path(), &["render", "index.db"]).exits(2);
    assert!(run.err.contains("it is not an SQLite database"), "{}", run.err);
}

#[test]
fn documents_lost_in_utf16_are_an_error_except_with_parity() {
    let folder = tempfile::tempdir().unwrap();
    let text = "schema: custom\nname: a\n---\nschema: custom\nname: b\n";
    let bytes = [0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes);
    fs::write(folder.path().join("c.yaml"), bytes.collect::<Vec<u8>>()).unwrap();
    let run = olmap_in(folder.path(), &["validate", "c.yaml"]).exits(1);
    assert!(run.out.contains("error[lost-documents]"), "{}", run.out);
    olmap_in(folder.path(), &["validate", "--parity", "c.yaml"]).exits(0);
    let run = olmap_in(folder.path(), &["render", "c.yaml"]).exits(0);
    assert_eq!(run.out, "---\nname: a\nschema: custom\n");
    assert!(run.err.contains("the rest of the file is lost"), "{}", run.err);
}

#[test]
fn init_prints_package_as_opm_does() {
    let run = olmap(&["init", "tide", "-c", "stable", "--format", "json"]).exits(0);
    let text = "{\n    \"schema\": \"olm.package\",\n    \"name\": \"tide\",\n    \"defaultChannel\": \"stable\"\n}\n";
    assert_eq!(run.out, text);
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("icon"), b"<svg/>").unwrap();
    let run = olmap_in(folder.path(), &["init", "tide", "-i", "icon"]).exits(2);
    assert!(run.err.contains("not an image that opm init knows"), "{}", run.err);
}

#[test]
fn password_in_an_address_is_never_shown() {
    for command in [&[][..], &["list", "packages"]] {
        let run =
            olmap_in(&root(), &[command, &["https://lamplighter:lantern-9@registry.example/x"]].concat())
                .exits(2);
        assert!(run.err.contains("it has credentials") && !run.err.contains("lantern-9"), "{}", run.err);
    }
}

#[test]
fn serve_and_compose_refuse_bundles() {
    let bundles = "tests/fixtures/cli/lighthouse";
    let run = olmap_in(&root(), &["serve", bundles, "--port", "0"]).exits(2);
    assert!(
        run.err.contains("is no catalog, but bundles") && run.err.contains("olmap render"),
        "{}",
        run.err
    );
}

#[test]
fn edit_of_an_image_needs_a_target_path() {
    let folder = tempfile::tempdir().unwrap();
    let archive = format!("oci-archive:{}", root().join("demo/catalog.oci.tar").display());
    let edit = ["edit", "rename-channel", "--package", "quill-operator", "stable", "steady", &archive];
    let run = olmap_in(folder.path(), &edit).exits(2);
    assert!(run.err.contains("--to PATH writes"), "{}", run.err);
    olmap_in(folder.path(), &[&edit[..], &["--to", "copy"]].concat()).exits(0);
    let run = olmap_in(folder.path(), &["list", "channels", "copy"]).exits(0);
    assert!(run.out.contains("steady"), "{}", run.out);
}

#[test]
fn archive_given_as_a_layout_gets_a_hint() {
    let run = olmap_in(&root(), &["list", "packages", "oci:demo/catalog.oci.tar"]).exits(2);
    assert!(run.err.contains("oci-archive:demo/catalog.oci.tar opens an archive"), "{}", run.err);
}

/// Writes a valid bundle directory.
fn write_bundle(root: &std::path::Path) {
    let key = "operators.operatorframework.io.bundle";
    let annotations = format!(
        "annotations:\n  {key}.mediatype.v1: registry+v1\n  {key}.manifests.v1: manifests/\n  {key}.metadata.v1: \
         metadata/\n  {key}.package.v1: beacon\n  {key}.channels.v1: stable\n  {key}.channel.default.v1: stable\n"
    );
    let csv = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: beacon.v1.0.0\n\
               spec:\n  version: 1.0.0\n  displayName: Beacon\n  description: Lights the way.\n  provider: {name: Example}\n  \
               installModes:\n  - {type: AllNamespaces, supported: true}\n  install:\n    strategy: deployment\n    spec: \
               {deployments: []}\n";
    for (path, text) in [("metadata/annotations.yaml", annotations.as_str()), ("manifests/csv.yaml", csv)] {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), text).unwrap();
    }
}

#[test]
fn image_of_a_bundle_directory_opens_with_its_labels() {
    let folder = tempfile::tempdir().unwrap();
    write_bundle(&folder.path().join("beacon"));
    let build = |more: &[&str]| {
        let args = ["image", "build", "beacon", "-t", "registry.example.com/beacon:v1", "--to"];
        olmap_in(folder.path(), &[&args[..], more].concat())
    };
    let first = build(&["oci-archive:one.tar"]).exits(0).out;
    let again = build(&["oci-archive:two.tar"]).exits(0).out;
    assert_eq!(first.lines().nth(1), again.lines().nth(1), "the digest is the same");
    let args = ["bundle", "validate", "oci-archive:one.tar:v1", "--rule", "dockerfile-labels"];
    olmap_in(folder.path(), &args).exits(0);
    let run = olmap_in(folder.path(), &["bundle", "show", "oci-archive:one.tar:v1"]).exits(0);
    assert!(run.out.contains("beacon.v1.0.0"), "{}", run.out);
    build(&["oci-archive:three.tar", "-l", "team=light"]).exits(0);
    let key = "operators.operatorframework.io.bundle.package.v1=other";
    let run = build(&["oci-archive:four.tar", "-l", key]).exits(2);
    assert!(run.err.contains("differs from the annotation in metadata/"), "{}", run.err);
    let run = build(&["oci-archive:five.tar", "--from-layout", "oci:opm"]).exits(2);
    assert!(run.err.contains("the image of a bundle has no base image"), "{}", run.err);
}

#[test]
fn no_image_is_built_of_a_rejected_bundle() {
    let folder = tempfile::tempdir().unwrap();
    write_bundle(&folder.path().join("beacon"));
    fs::write(folder.path().join("beacon/manifests/csv.yaml"), "kind: ConfigMap\napiVersion: v1\n").unwrap();
    let args = ["image", "build", "beacon", "-t", "registry.example.com/beacon:v1", "--to", "oci:made"];
    let run = olmap_in(folder.path(), &args).exits(2);
    assert!(run.err.contains("no image is built: beacon is not a valid bundle"), "{}", run.err);
    assert!(!folder.path().join("made").exists());
}
