//! `olmap deprecations`: release check, and start of deprecations in the git history.

use std::{fmt::Write as _, fs, path::Path};

use super::{
    git,
    run::{Run, olmap, olmap_in, olmap_with},
};

/// Returns a package with a channel and deprecations. Each version replaces the next lower one.
fn catalog_with_deprecations(versions: &[&str], deprecations: &[(&str, &str)]) -> String {
    let mut yaml = "---\nschema: olm.package\nname: kiln\ndefaultChannel: stable\n".to_owned();
    yaml += "---\nschema: olm.channel\npackage: kiln\nname: stable\nentries:\n";
    for (at, version) in versions.iter().enumerate() {
        let _ = writeln!(yaml, "- name: kiln.v{version}");
        if let Some(below) = versions.get(at + 1) {
            let _ = writeln!(yaml, "  replaces: kiln.v{below}");
        }
    }
    for version in versions {
        let _ = write!(
            yaml,
            "---\nschema: olm.bundle\npackage: kiln\nname: kiln.v{version}\nimage: registry.example.com/kiln/bundle:v{version}\nproperties:\n- type: olm.package\n  value: {{packageName: kiln, version: {version}}}\n"
        );
    }
    if !deprecations.is_empty() {
        yaml += "---\nschema: olm.deprecations\npackage: kiln\nentries:\n";
    }
    for (target, message) in deprecations {
        let reference = match target.split_once(' ') {
            Some((schema, name)) => format!("{{schema: olm.{schema}, name: {name}}}"),
            None => "{schema: olm.package}".to_owned(),
        };
        let _ = writeln!(yaml, "- reference: {reference}\n  message: {message:?}");
    }
    yaml
}

const THREE_VERSIONS: [&str; 3] = ["1.2.0", "1.1.0", "1.0.0"];

fn check_yaml(yaml: &str, args: &[&str]) -> Run {
    olmap_with(yaml, &[&["deprecations", "-", "--as-of", "2026-11-22"], args].concat())
}

fn check_demo(format: &str) -> Run {
    olmap(&["deprecations", "--as-of", "2026-11-22", "--format", format, "demo/catalog"]).exits(1)
}

#[test]
fn demo_as_text() {
    insta::assert_snapshot!(check_demo("text").out);
}

#[test]
fn demo_as_a_comment() {
    insta::assert_snapshot!(check_demo("markdown").out);
}

#[test]
fn small_catalog_as_json() {
    let yaml = catalog_with_deprecations(
        &THREE_VERSIONS,
        &[("bundle kiln.v1.1.0", "Cracks.\nGo on."), ("package", "Cold.")],
    );
    insta::assert_snapshot!(check_yaml(&yaml, &["--format", "json"]).exits(1).out);
}

#[test]
fn exits_with_0_without_blocking_deprecations() {
    let run = check_yaml(&catalog_with_deprecations(&THREE_VERSIONS, &[]), &[]).exits(0);
    assert_eq!(run.out, "standard input, as of 2026-11-22: nothing is deprecated\n");
    let run = check_yaml(&catalog_with_deprecations(&THREE_VERSIONS, &[("bundle kiln.v1.0.0", "old")]), &[])
        .exits(0);
    assert!(run.out.ends_with("1 deprecation, none blocks\n"), "{}", run.out);
    let run =
        check_yaml(&catalog_with_deprecations(&THREE_VERSIONS, &[]), &["--format", "markdown"]).exits(0);
    assert_eq!(run.out, "**olmap**: nothing is deprecated in standard input.\n");
}

#[test]
fn deprecated_package_is_reported_and_does_not_block() {
    let run = check_yaml(&catalog_with_deprecations(&THREE_VERSIONS, &[("package", "Cold.")]), &[]).exits(0);
    assert!(
        run.out.contains("3 versions can be installed, and no supported bundle of the package"),
        "{}",
        run.out
    );
}

#[test]
fn channel_of_the_subscription_and_the_console_show_a_deprecation() {
    let rows = |deprecations: &[(&str, &str)]| {
        let yaml = catalog_with_deprecations(&THREE_VERSIONS, deprecations);
        let run = check_yaml(&yaml, &["-o", "json"]).json();
        let row = |row: &serde_json::Value| (row["condition"].clone(), row["preselected"].clone());
        run["deprecations"].as_array().unwrap().iter().map(row).collect::<Vec<_>>()
    };
    assert_eq!(rows(&[("package", "Cold.")]), [("PackageDeprecated".into(), true.into())]);
    assert_eq!(rows(&[("channel stable", "Cold.")]), [("ChannelDeprecated".into(), true.into())]);
    assert_eq!(rows(&[("bundle kiln.v1.2.0", "Cold.")]), [("BundleDeprecated".into(), true.into())]);
    assert_eq!(rows(&[("bundle kiln.v1.0.0", "Cold.")]), [("BundleDeprecated".into(), false.into())]);
    let yaml = catalog_with_deprecations(&THREE_VERSIONS, &[("bundle kiln.v1.0.0", "Cold.")]);
    let text = check_yaml(&yaml, &[]).exits(0).out.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = "shows BundleDeprecated on Subscriptions with 1.0.0 installed; consoles warn before an \
                 installation of the version";
    assert!(text.contains(shown), "{text}");
    let other = "---\nschema: olm.channel\npackage: kiln\nname: old\nentries: [{name: kiln.v1.0.0}]\n";
    let yaml = catalog_with_deprecations(&THREE_VERSIONS, &[("channel old", "Cold.")]) + other;
    let run = check_yaml(&yaml, &["-o", "json"]).json();
    assert_eq!(run["deprecations"][0]["preselected"], false);
}

#[test]
fn each_kind_of_blocking_deprecation_fails_the_check() {
    let stops =
        check_yaml(&catalog_with_deprecations(&THREE_VERSIONS, &[("bundle kiln.v1.1.0", "m")]), &[]).exits(1);
    assert!(stops.out.contains("1.0.0 stays: the next upgrade is deprecated"), "{}", stops.out);
    let head =
        check_yaml(&catalog_with_deprecations(&["1.0.0"], &[("bundle kiln.v1.0.0", "m")]), &[]).exits(1);
    assert!(head.out.contains("no upgrade path"), "{}", head.out);
}

#[test]
fn lines_have_at_most_80_columns() {
    for line in check_demo("text").out.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn deprecation_message_cannot_break_out_of_a_comment() {
    let evil = "a|b <img src=x> @all\n</details>\n| x | [y](https://e)";
    let yaml = catalog_with_deprecations(
        &THREE_VERSIONS,
        &[("bundle kiln.v1.0.0", evil), ("channel stable", "`x`")],
    );
    let run = check_yaml(&yaml, &["--format", "markdown"]).exits(1);
    assert!(!run.out.contains("<img") && !run.out.contains("@all") && !run.out.contains("]("), "{}", run.out);
    let rows: Vec<&str> = run.out.lines().filter(|line| line.starts_with("| kiln")).collect();
    assert_eq!(rows.len(), 2, "{}", run.out);
    assert!(rows.iter().all(|row| row.matches(" | ").count() == 2), "{rows:?}");
    let folds = (run.out.matches("<details>").count(), run.out.matches("</details>").count());
    assert_eq!(folds, (0, 0), "both block: the only channel is deprecated");
}

#[test]
fn control_characters_of_messages_are_replaced() {
    let yaml = catalog_with_deprecations(&THREE_VERSIONS, &[("package", "a\u{1b}[31mb")]);
    for format in ["text", "markdown", "json"] {
        let run = check_yaml(&yaml, &["--format", format]);
        assert!(!run.out.contains('\u{1b}'), "{format}");
    }
}

#[test]
fn suggestions_depend_on_the_day() {
    let lifecycle = "---\nschema: io.openshift.operators.lifecycles.v1alpha1\npackage: kiln\nversions:\n- name: '1.0'\n  phases: [{name: Full, startDate: '2026-01-01', endDate: '2026-12-31'}]\n- name: '1.1'\n- name: '1.2'\n";
    let yaml = catalog_with_deprecations(&THREE_VERSIONS, &[]) + lifecycle;
    let as_of = |day| olmap_with(&yaml, &["deprecations", "-", "--as-of", day]).exits(0).out;
    assert!(!as_of("2026-12-31").contains("Could be deprecated"));
    assert!(as_of("2027-01-01").contains("kiln: 1.0.0: support for 1.0 ended on 2026-12-31"));
    let wrong = olmap_with(&yaml, &["deprecations", "-", "--as-of", "tomorrow"]).exits(2);
    assert!(wrong.err.contains("YYYY-MM-DD"), "{}", wrong.err);
    // The default is the current day.
    let _ = olmap_with(&yaml, &["deprecations", "-"]).exits(0);
}

#[test]
fn package_option_checks_only_that_package() {
    let run =
        olmap(&["deprecations", "--as-of", "2026-11-22", "--package", "orrery-operator", "demo/catalog"]);
    let out = run.exits(0).out;
    assert!(out.contains("orrery-operator: channel stable-4.6") && !out.contains("quill"), "{out}");
    let unknown = olmap(&["deprecations", "--package", "nope", "demo/catalog"]).exits(2);
    assert!(unknown.err.contains("no package nope"), "{}", unknown.err);
}

/// Git repository that is independent of the user's configuration.
struct Repository(tempfile::TempDir);

impl Repository {
    fn new() -> Self {
        let repository = Self(tempfile::tempdir().unwrap());
        git::init(repository.path());
        repository
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes the catalog, without committing it.
    fn write_catalog(&self, deprecations: &[(&str, &str)]) {
        fs::create_dir_all(self.path().join("kiln")).unwrap();
        fs::write(
            self.path().join("kiln/catalog.yaml"),
            catalog_with_deprecations(&THREE_VERSIONS, deprecations),
        )
        .unwrap();
    }

    fn commit(&self, day: &str, deprecations: &[(&str, &str)]) {
        self.write_catalog(deprecations);
        git::commit_on(day, self.path());
    }

    fn clone_with(&self, options: &[&str]) -> Self {
        let clone = Self(tempfile::tempdir().unwrap());
        git::clone(self.path(), clone.path(), options);
        clone
    }

    fn list_since(&self) -> Vec<String> {
        let run = olmap_in(self.path(), &["deprecations", "--since", "--format", "json", "kiln"]);
        let rows = run.json();
        let rows = rows["deprecations"].as_array().unwrap().iter().map(|row| {
            let name = row["name"].as_str().unwrap_or("package").replace("kiln.v", "");
            let since = &row["since"];
            let mark = if since["before"] == true { " or before" } else { "" };
            assert_eq!(since["committed"] == true, since["commit"].is_string(), "{since}");
            let without = if since["committed"].is_null() { "unknown" } else { "uncommitted" };
            format!("{name} {}{mark}", since["date"].as_str().unwrap_or(without))
        });
        rows.collect()
    }
}

const OLD: (&str, &str) = ("bundle kiln.v1.0.0", "old");
const ALL: (&str, &str) = ("package", "cold");

#[test]
fn since_reads_start_of_deprecations_from_git() {
    let repository = Repository::new();
    repository.commit("2025-01-01", &[]);
    repository.commit("2025-02-01", &[OLD]);
    repository.commit("2025-03-01", &[("bundle kiln.v1.0.0", "other words")]);
    repository.commit("2025-04-01", &[OLD, ALL]);
    repository.write_catalog(&[OLD, ALL, ("channel stable", "new")]);
    assert_eq!(repository.list_since(), ["package 2025-04-01", "stable uncommitted", "1.0.0 2025-02-01"]);
    let text = olmap_in(repository.path(), &["deprecations", "--since", "kiln"]).exits(1).out;
    assert!(text.contains("  since 2025-04-01 (") && text.contains("  not committed yet\n"), "{text}");
}

/// Blocking deprecation of the head.
const HEAD: (&str, &str) = ("bundle kiln.v1.2.0", "broken");

#[test]
fn only_new_deprecations_block_if_a_revision_is_given() {
    let repository = Repository::new();
    repository.commit("2025-01-01", &[HEAD]);
    let run = |arguments: &[&str]| olmap_in(repository.path(), &[&["deprecations"], arguments].concat());
    run(&["kiln"]).exits(1);
    // Without a change, nothing blocks.
    let same = run(&["kiln", "--changed-since", "HEAD"]).exits(0);
    assert!(same.out.contains("no new deprecation"), "{}", same.out);
    // A new deprecation that does not block.
    repository.write_catalog(&[HEAD, OLD]);
    let row = run(&["kiln", "--changed-since", "HEAD", "-o", "json"]).json();
    let names: Vec<&str> =
        row["deprecations"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!((names, row["blocks"].as_bool()), (vec!["kiln.v1.0.0"], Some(false)), "{row}");
    // A new deprecation that blocks.
    repository.commit("2025-02-01", &[OLD]);
    run(&["kiln", "--changed-since", "HEAD"]).exits(0);
    repository.write_catalog(&[OLD, HEAD]);
    let run_ = run(&["kiln", "--changed-since", "HEAD"]).exits(1);
    assert!(run_.out.contains("kiln: 1.2.0 is deprecated  BLOCKS"), "{}", run_.out);
    // Unreadable content of the old state is reported as unknown.
    fs::write(repository.path().join("kiln/catalog.yaml"), "a: [").unwrap();
    git::commit_on("2025-03-01", repository.path());
    repository.write_catalog(&[OLD]);
    run(&["kiln", "--changed-since", "HEAD"]).exits(2);
}

#[test]
fn new_deprecation_that_blocks_fails_the_gate_of_diff_and_is_in_its_headline() {
    let repository = Repository::new();
    repository.commit("2025-01-01", &[]);
    let diff =
        |gate: &str| olmap_in(repository.path(), &["diff", "git:HEAD:kiln", "kiln", "--fail-on", gate]);
    repository.write_catalog(&[OLD]);
    let harmless = diff("new-deprecation-blocks").exits(0);
    assert!(harmless.out.contains("1 new deprecation."), "{}", harmless.out);
    assert!(!harmless.out.contains("No upgrade changes"), "{}", harmless.out);
    repository.write_catalog(&[HEAD]);
    let run = diff("new-deprecation-blocks").exits(1);
    assert!(run.out.contains("new-deprecation-blocks kiln: "), "{}", run.out);
    assert!(run.out.contains("upgrade path to a supported bundle"), "{}", run.out);
    diff("all").exits(1);
    diff("removed-entries").exits(0);
}

#[test]
fn several_catalogs_are_checked_separately() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, deprecations: &[(&str, &str)]| {
        fs::create_dir(folder.path().join(name)).unwrap();
        fs::write(
            folder.path().join(name).join("catalog.yaml"),
            catalog_with_deprecations(&THREE_VERSIONS, deprecations),
        )
        .unwrap();
    };
    write("v4.20", &[OLD]);
    write("v4.22", &[HEAD]);
    let run = |arguments: &[&str]| olmap_in(folder.path(), &[&["deprecations"], arguments].concat());
    run(&["v4.20"]).exits(0);
    let both = run(&["v4.20", "v4.22"]).exits(1);
    assert!(both.out.contains("v4.20, as of ") && both.out.contains("v4.22, as of "), "{}", both.out);
    let rows = run(&["v4.20", "v4.22", "-o", "json"]).json();
    let blocks: Vec<bool> =
        rows.as_array().unwrap().iter().map(|row| row["blocks"].as_bool().unwrap()).collect();
    assert_eq!(blocks, [false, true]);
}

#[test]
fn accepted_findings_do_not_block() {
    let folder = tempfile::tempdir().unwrap();
    let write = |deprecations: &[(&str, &str)]| {
        fs::write(
            folder.path().join("catalog.yaml"),
            catalog_with_deprecations(&THREE_VERSIONS, deprecations),
        )
        .unwrap();
    };
    let run = |arguments: &[&str]| olmap_in(folder.path(), arguments);
    write(&[HEAD]);
    run(&["deprecations", "catalog.yaml"]).exits(1);
    run(&["validate", "catalog.yaml", "--write-baseline", "known.yaml"]).exits(0);
    let accepted = run(&["deprecations", "catalog.yaml", "--baseline", "known.yaml"]).exits(0);
    assert!(accepted.out.contains("1 accepted"), "{}", accepted.out);
    // A deprecated head is a different finding than a deprecated bundle below it.
    write(&[HEAD, ("bundle kiln.v1.1.0", "broken, too")]);
    run(&["deprecations", "catalog.yaml"]).exits(1);
}

#[test]
fn repeated_deprecation_starts_at_its_last_introduction() {
    let repository = Repository::new();
    repository.commit("2025-01-01", &[OLD]);
    repository.commit("2025-02-01", &[]);
    repository.commit("2025-03-01", &[OLD]);
    repository.commit("2025-04-01", &[OLD, ALL]);
    assert_eq!(repository.list_since(), ["package 2025-04-01", "1.0.0 2025-03-01"]);
}

#[test]
fn start_in_a_shallow_clone_is_a_latest_possible_date() {
    let full = Repository::new();
    full.commit("2025-01-01", &[OLD]);
    full.commit("2025-02-01", &[OLD, ALL]);
    let clone = full.clone_with(&["--depth", "1"]);
    assert_eq!(clone.list_since(), ["package 2025-02-01 or before", "1.0.0 2025-02-01 or before"]);
}

#[test]
fn start_is_unknown_if_a_partial_clone_lacks_the_content() {
    let full = Repository::new();
    full.commit("2025-01-01", &[OLD]);
    full.commit("2025-02-01", &[OLD, ALL]);
    for filter in ["--filter=blob:none", "--filter=tree:0"] {
        let clone = full.clone_with(&[filter]);
        let newest_only = filter == "--filter=blob:none";
        let known = if newest_only { "2025-02-01 or before" } else { "unknown" };
        assert_eq!(clone.list_since(), [format!("package {known}"), format!("1.0.0 {known}")], "{filter}");
        let run = olmap_in(clone.path(), &["deprecations", "--since", "kiln"]).exits(0);
        let said = "warning: dates are not known for all: kiln/catalog.yaml of ";
        assert!(run.err.starts_with(said) && run.err.contains("the clone is partial"), "{}", run.err);
        assert!(run.err.contains("\nhint: fetch this commit with git archive "), "{}", run.err);
        assert_eq!(run.out.contains("date unknown"), !newest_only, "{}", run.out);
    }
    // Content that was fetched once is available.
    let clone = full.clone_with(&["--filter=blob:none"]);
    git::git(clone.path(), &["archive", "-o", "/dev/null", "HEAD~1"]);
    assert_eq!(clone.list_since(), full.list_since());
}

#[test]
fn unreadable_commit_limits_the_known_start() {
    let repository = Repository::new();
    repository.commit("2025-01-01", &[OLD]);
    fs::write(repository.path().join("kiln/catalog.yaml"), "a: [").unwrap();
    git::commit_on("2025-02-01", repository.path());
    repository.commit("2025-03-01", &[OLD]);
    assert_eq!(repository.list_since(), ["1.0.0 2025-03-01 or before"]);
}

#[test]
fn since_follows_merge_commits() {
    let repository = Repository::new();
    repository.commit("2025-01-01", &[]);
    git::git(repository.path(), &["checkout", "-q", "-b", "side"]);
    repository.commit("2025-02-01", &[OLD]);
    git::git(repository.path(), &["checkout", "-q", "main"]);
    fs::write(repository.path().join("README.md"), "other").unwrap();
    git::commit_on("2025-02-02", repository.path());
    git::git_on("2025-03-01", repository.path(), &["merge", "-q", "--no-ff", "side"]);
    assert_eq!(repository.list_since(), ["1.0.0 2025-02-01"]);
}

#[test]
fn since_fails_without_a_repository() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("catalog.yaml"), catalog_with_deprecations(&THREE_VERSIONS, &[OLD]))
        .unwrap();
    let run = olmap_in(folder.path(), &["deprecations", "--since", "."]).exits(2);
    assert!(run.err.contains("git repository"), "{}", run.err);
    let run = check_yaml(&catalog_with_deprecations(&THREE_VERSIONS, &[OLD]), &["--since"]).exits(2);
    assert!(run.err.contains("--since needs a catalog on disk"), "{}", run.err);
}
