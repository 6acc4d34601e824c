use super::run::{fixture, olmap, olmap_in, root};

#[test]
fn explorer_needs_a_terminal() {
    let run = olmap_in(&root().join("src"), &[]).exits(2);
    assert!(run.out.is_empty());
    assert!(
        run.err.starts_with("olmap: the explorer needs a terminal, but its output is not a terminal\nhint: "),
        "{}",
        run.err
    );
}

#[test]
fn refuses_repository_and_lists_its_catalogs() {
    let run = olmap(&["validate", &fixture("repository")]).exits(2);
    insta::assert_snapshot!(run.err, @r"
    olmap: tests/fixtures/cli/repository is a repository of catalogs, not a catalog
    hint: choose one of its catalogs:
          tests/fixtures/cli/repository/catalogs/v4.9
          tests/fixtures/cli/repository/catalogs/v4.18
    ");
}

#[test]
fn unreachable_image_is_an_error() {
    // No server listens on this port.
    let run = olmap(&["list", "packages", "127.0.0.1:1/olm/catalog:v4.18"]).exits(2);
    assert!(run.err.contains("cannot reach 127.0.0.1:1"), "{}", run.err);
}

#[test]
fn broken_index_is_an_error_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    std::fs::write(&path, b"SQLite format 3\0rest").unwrap();
    let run = olmap(&["list", "packages", path.to_str().unwrap()]).exits(2);
    assert!(run.err.contains("index.db: it is not an SQLite database"), "{}", run.err);
}

#[test]
fn unknown_word_is_refused_before_the_explorer_starts() {
    let run = olmap(&["valdiate", "demo/catalog"]).exits(2);
    assert!(run.err.starts_with("olmap: cannot open valdiate: "), "{}", run.err);
    assert!(run.err.ends_with("hint: it is no command either; did you mean validate?\n"), "{}", run.err);
    let run = olmap(&["catalogue", "demo/catalog"]).exits(2);
    let hint = "hint: it is no command either; olmap --help lists the commands\n";
    assert!(run.err.ends_with(hint), "{}", run.err);
}
