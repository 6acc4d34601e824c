use super::run::{fixture, olmap, olmap_in, root};

#[test]
fn the_explorer_needs_a_terminal() {
    let run = olmap_in(&root().join("src"), &[]).exits(2);
    assert!(run.out.is_empty());
    assert!(
        run.err.starts_with("olmap: the explorer needs a terminal, but its output is not a terminal\nhint: "),
        "{}",
        run.err
    );
}

#[test]
fn a_repository_is_offered_catalog_by_catalog() {
    let run = olmap(&["validate", &fixture("repository")]).exits(2);
    insta::assert_snapshot!(run.err, @r"
    olmap: tests/fixtures/cli/repository is a repository of catalogs, not a catalog
    hint: choose one of its catalogs:
          tests/fixtures/cli/repository/catalogs/v4.9
          tests/fixtures/cli/repository/catalogs/v4.18
    ");
}

#[test]
fn an_image_that_cannot_be_had_says_so() {
    // Nobody listens there.
    let run = olmap(&["list", "packages", "127.0.0.1:1/olm/catalog:v4.18"]).exits(2);
    assert!(run.err.contains("cannot reach 127.0.0.1:1"), "{}", run.err);
}

#[test]
fn an_index_that_is_broken_says_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    std::fs::write(&path, b"SQLite format 3\0rest").unwrap();
    let run = olmap(&["list", "packages", path.to_str().unwrap()]).exits(2);
    assert!(run.err.contains("index.db: it is not an SQLite database"), "{}", run.err);
}

#[test]
fn a_word_that_is_no_command_and_no_path_is_refused_before_the_screen() {
    let run = olmap(&["valdiate", "demo/catalog"]).exits(2);
    assert!(run.err.starts_with("olmap: cannot open valdiate: "), "{}", run.err);
    assert!(run.err.ends_with("hint: olmap --help lists the commands\n"), "{}", run.err);
}
