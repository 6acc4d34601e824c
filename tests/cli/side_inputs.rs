//! Links as inputs beside a catalog: they are read, and their text is never quoted.

use std::{fs, os::unix::fs::symlink, path::Path};

use super::run::{Run, command, olmap_in, run_with_input};

const CATALOG: &str = "schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\nentries:\n- name: p.v1.0.0\n\
    ---\nschema: olm.bundle\npackage: p\nname: p.v1.0.0\nimage: example.com/p:1\nproperties:\n- type: olm.package\n  value: {packageName: p, version: 1.0.0}\n";

/// Content of private files on the machine: invalid, or similar to an input.
const SECRETS: [&str; 16] = [
    "password=hunter2\n",
    "hunter2: [\n",
    "\"hunter2\" \"hunter2\"\n",
    "hunter2: 1\nhunter2: 2\n",
    "a: *hunter2\n",
    "a: !hunter2 b\n",
    "{\"hunter2\": 1} hunter2\n",
    "\"hunter2\"\n",
    "- hunter2\n",
    "- {package: hunter2, installed: 1.0.0, expect: stays}\n- {rule: hunter2, package: p}\n",
    "name: hunter2/x\nreferences: [{name: hunter2, image: hunter2}]\n",
    "name: n\nreferences: hunter2\n",
    "apiVersion: mirror.openshift.io/v2alpha1\nkind: ImageSetConfiguration\nmirror: {operators: [{catalog: hunter2}]}\n",
    "apiVersion: hunter2/v1\nkind: Hunter2\nmetadata: {name: x}\nspec: hunter2\n",
    "schema: olm.template.basic\nentries:\n- schema: hunter2\n  hunter2: {\n",
    "[ui]\ntheme = \"hunter2\"\n[keys]\nhunter2 = \"hunter2\"\n",
];

/// Arguments of commands that read `f` beside a catalog.
const COMMANDS: [&[&str]; 24] = [
    &["expect", "f", "cat"],
    &["expect", "f", "cat", "--format", "github"],
    &["expect", "f", "cat", "--format", "json"],
    &["compose", "f", "--check"],
    &["validate", "--baseline", "f", "cat"],
    &["validate", "--write-baseline", "f", "cat"],
    &["template", "render", "f"],
    &["template", "render", "semver", "f"],
    &["template", "convert", "basic", "f"],
    &["mirror", "check", "f", "cat"],
    &["mirror", "filter", "cat", "--config", "f"],
    &["cluster", "f", "--catalog", "cat"],
    &["successors", "cat", "-f", "f"],
    &["successors", "cat", "--queries", "f"],
    &["range", "--batch", "f"],
    &["cel", "--batch", "f"],
    &["resolve", "cat", "--queries", "f"],
    &["crds", "diff", "f", "f"],
    &["edit", "apply", "f", "cat", "--dry-run"],
    &["edit", "add-bundle", "f", "cat", "--package", "p", "--dry-run"],
    &["config", "--check", "--config", "f"],
    &["list", "packages", "cat", "--config", "f"],
    &["validate", "f"],
    &["validate", "f", "--format", "github"],
];

fn write_workspace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("cat")).unwrap();
    fs::write(folder.path().join("cat/p.yaml"), CATALOG).unwrap();
    folder
}

/// Runs a command. It may fail, but not because of its usage.
fn run_valid_usage(at: &Path, args: &[&str]) -> Run {
    let run = olmap_in(at, args);
    assert!(!run.err.contains("Usage:"), "{args:?}: {}", run.err);
    run
}

fn shows_text(run: &Run, text: &str) -> bool {
    run.out.contains(text) || run.err.contains(text)
}

#[test]
fn text_of_a_link_to_an_outside_file_is_in_no_message() {
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret");
    let linked = write_workspace();
    symlink(&secret, linked.path().join("f")).unwrap();
    for text in SECRETS {
        fs::write(&secret, text).unwrap();
        for args in COMMANDS {
            let mut run = run_valid_usage(linked.path(), args);
            if args[0] == "template" {
                // Rendered templates are output, not messages.
                run.out.clear();
            }
            assert!(!shows_text(&run, "unter2"), "{args:?}: {text:?} is quoted:\n{}{}", run.out, run.err);
        }
        assert_eq!(fs::read_to_string(&secret).unwrap(), text, "nothing is written through the link");
    }
}

#[test]
fn text_of_a_regular_file_is_quoted() {
    let here = write_workspace();
    let mut quoting = Vec::new();
    for args in COMMANDS {
        let quotes = SECRETS.iter().any(|text| {
            fs::write(here.path().join("f"), text).unwrap();
            shows_text(&run_valid_usage(here.path(), args), "unter2")
        });
        quoting.extend(quotes.then_some(args[0]));
    }
    // Shows that the test above would detect a quote.
    quoting.dedup();
    for command in ["expect", "compose", "validate", "template", "mirror", "range", "cel", "crds", "config"] {
        assert!(quoting.contains(&command), "{command}: {quoting:?}");
    }
}

#[test]
fn message_about_a_link_has_location_and_reason_for_hiding_text() {
    let (outside, here) = (tempfile::tempdir().unwrap(), write_workspace());
    let secret = outside.path().join("secret");
    symlink(&secret, here.path().join("f")).unwrap();
    fs::write(&secret, "- {package: p, installed: p.v1.0.0, expect: stays}\n- hunter2\n").unwrap();
    let run = run_valid_usage(here.path(), &["expect", "f", "cat"]).exits(2);
    assert!(run.err.contains("f:2:3: "), "{}", run.err);
    assert!(run.err.contains("a link to a file outside its directory"), "{}", run.err);
    fs::write(&secret, "- {package: p, installed: p.v1.0.0, engine: classic, expect: stays}\n").unwrap();
    olmap_in(here.path(), &["expect", "f", "cat"]).exits(0);
}

#[test]
fn environment_of_the_program_is_not_quoted() {
    let here = write_workspace();
    symlink("/proc/self/environ", here.path().join("f")).unwrap();
    symlink("/proc/self", here.path().join("proc")).unwrap();
    let through_folder: &[&str] = &["expect", "proc/environ", "cat"];
    let as_catalog: &[&str] = &["validate", "proc/environ"];
    for args in COMMANDS.into_iter().chain([through_folder, as_catalog]) {
        let mut command = command();
        command.current_dir(here.path()).env("SECRET", "hunter2").args(args);
        let run = run_with_input(&mut command, b"");
        assert!(!shows_text(&run, "unter2"), "{args:?}: {}{}", run.out, run.err);
    }
}

#[test]
fn catalog_that_is_a_link_to_a_folder_elsewhere_is_not_quoted() {
    let (outside, here) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(outside.path().join("config.json"), "{\"auth\": \"hunter2\", hunter2").unwrap();
    symlink(outside.path(), here.path().join("link")).unwrap();
    for format in ["text", "json", "github"] {
        let run = run_valid_usage(here.path(), &["validate", "link", "--format", format]).exits(1);
        assert!(!shows_text(&run, "unter2"), "{}{}", run.out, run.err);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn kernel_files_are_not_read_as_a_catalog() {
    let here = tempfile::tempdir().unwrap();
    symlink("/proc/self", here.path().join("link")).unwrap();
    let mut command = command();
    command.current_dir(here.path()).env("SECRET", "hunter2").args(["validate", "link"]);
    let run = run_with_input(&mut command, b"").exits(1);
    assert!(run.out.contains("kernel files") && !shows_text(&run, "unter2"), "{}{}", run.out, run.err);
}

#[test]
fn credentials_of_a_checkout_are_not_quoted() {
    let here = write_workspace();
    fs::create_dir(here.path().join(".git")).unwrap();
    fs::write(here.path().join(".git/config"), "[http]\n\textraheader = hunter2\n").unwrap();
    symlink(".git/config", here.path().join("f")).unwrap();
    for args in COMMANDS {
        let run = run_valid_usage(here.path(), args);
        assert!(!shows_text(&run, "unter2"), "{args:?}: {}{}", run.out, run.err);
    }
}

#[test]
fn endless_device_is_refused() {
    let here = write_workspace();
    symlink("/dev/zero", here.path().join("f")).unwrap();
    for args in COMMANDS {
        let run = run_valid_usage(here.path(), args);
        let is_configuration = args.contains(&"--config") && args[0] != "mirror";
        assert!(run.code == 2 || is_configuration && run.code <= 1, "{args:?}: {}{}", run.out, run.err);
    }
}

#[test]
fn bundle_directory_is_not_read_through_links_that_lead_out() {
    let (outside, here) = (tempfile::tempdir().unwrap(), write_workspace());
    fs::write(outside.path().join("csv.yaml"), "kind: hunter2\nspec: [hunter2\n").unwrap();
    for bundle in ["file", "folder"] {
        let at = here.path().join("operators/p").join(bundle);
        fs::create_dir_all(at.join("metadata")).unwrap();
        fs::write(at.join("metadata/annotations.yaml"), "annotations: {}\n").unwrap();
        if bundle == "file" {
            fs::create_dir(at.join("manifests")).unwrap();
            symlink(outside.path().join("csv.yaml"), at.join("manifests/csv.yaml")).unwrap();
        } else {
            symlink(outside.path(), at.join("manifests")).unwrap();
        }
        let bundle = format!("operators/p/{bundle}");
        for format in ["text", "json", "github"] {
            let run = run_valid_usage(here.path(), &["bundle", "validate", &bundle, "--format", format]);
            assert_ne!(run.code, 0, "{}", run.out);
            assert!(!shows_text(&run, "unter2"), "{bundle}: {}{}", run.out, run.err);
        }
    }
}

#[test]
fn templates_of_a_repository_are_not_read_through_links_that_lead_out() {
    let (outside, here) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let operator = here.path().join("operators/p");
    fs::create_dir_all(operator.join("catalog-templates")).unwrap();
    fs::create_dir_all(here.path().join("catalogs/v4.18/p")).unwrap();
    fs::write(here.path().join("catalogs/v4.18/p/catalog.yaml"), CATALOG).unwrap();
    let ci = "fbc:\n  enabled: true\n  catalog_mapping:\n  - template_name: t.yaml\n    catalog_names: [v4.18]\n    type: olm.template.basic\n";
    fs::write(operator.join("ci.yaml"), ci).unwrap();
    let secret = outside.path().join("secret");
    fs::write(
        &secret,
        "schema: olm.template.basic\nentries:\n- schema: hunter2\n- {schema: olm.bundle, image: hunter2}\n",
    )
    .unwrap();
    symlink(&secret, operator.join("catalog-templates/t.yaml")).unwrap();
    for args in [&["template", "check"][..], &["validate", "catalogs/v4.18"]] {
        let run = run_valid_usage(here.path(), args);
        assert!(!shows_text(&run, "unter2"), "{args:?}: {}{}", run.out, run.err);
        assert!(
            shows_text(&run, "a link to a file outside its directory"),
            "{args:?}: {}{}",
            run.out,
            run.err
        );
    }
    fs::remove_file(operator.join("ci.yaml")).unwrap();
    fs::write(&secret, "hunter2: [\n").unwrap();
    symlink(&secret, operator.join("ci.yaml")).unwrap();
    let run = run_valid_usage(here.path(), &["template", "check"]);
    assert!(!shows_text(&run, "unter2"), "{}{}", run.out, run.err);
}
