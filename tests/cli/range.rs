use super::run::olmap;

#[test]
fn shows_both_dialects() {
    insta::assert_snapshot!(olmap(&["range", "1.x", "1.2.3", "1.2.3-rc.1", "2.0.0"]).exits(0).out);
}

#[test]
fn explains_range_of_one_dialect_for_the_other() {
    insta::assert_snapshot!(olmap(&["range", ">=1.2, <2", "1.2.3"]).exits(0).out);
}

#[test]
fn refuses_invalid_range_with_location() {
    let run = olmap(&["range", "--dialect", "blang", "~1.2.0"]).exits(2);
    assert!(run.out.is_empty());
    insta::assert_snapshot!(run.err);
    insta::assert_snapshot!(olmap(&["range", ">>1", "1.0.0"]).exits(2).err);
}

#[test]
fn marks_surprising_range() {
    insta::assert_snapshot!(
        olmap(&["range", "--dialect", "blang", ">=1.0.0 5 || || <0.5.0", "0.1.0"]).exits(0).out
    );
}

#[test]
fn invalid_version_is_reported() {
    let run = olmap(&["range", ">=1.0.0", "1.2.3", "v1.2"]).exits(2);
    assert!(run.out.contains("1.2.3    yes"), "{}", run.out);
    assert_eq!(run.err, "olmap: not a version: v1.2\n");
}

#[test]
fn json_has_a_row_per_version_and_dialect() {
    let run = olmap(&["range", "1.x.x", "1.2.3", "--format", "json"]).exits(0);
    assert_eq!(
        run.json(),
        serde_json::json!([
            {"range": "1.x.x", "version": "1.2.3", "dialect": "blang", "valid": true, "match": false},
            {"range": "1.x.x", "version": "1.2.3", "dialect": "masterminds", "valid": true, "match": true},
        ])
    );
}

#[test]
fn control_characters_of_an_argument_are_replaced() {
    let run = olmap(&["range", "1.0.0 \x1b[31m", "1.0.0"]).exits(2);
    assert!(run.err.contains("\u{241b}[31m") && !run.err.contains('\x1b'), "{}", run.err);
}

#[test]
fn shows_matching_bundles_of_both_dialects() {
    let ballast = "demo/catalog/ballast-operator";
    insta::assert_snapshot!(olmap(&["range", ">=1.4.0", "--catalog", ballast]).exits(0).out);
    insta::assert_snapshot!(olmap(&["range", "^1.4", "--catalog", ballast]).exits(0).out);
    let rows = olmap(&["range", ">=1.6.0-alpha", "--catalog", ballast, "--format", "json"]).exits(0).json();
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 12, "a row a bundle and dialect");
    let matched = rows.iter().filter(|row| row["match"] == true);
    assert!(matched.into_iter().all(|row| row["bundle"] == "ballast-operator.v1.6.0-beta.2"), "{rows:?}");
}

#[test]
fn invalid_range_is_refused_before_bundles_are_listed() {
    let run = olmap(&["range", "~x1", "--catalog", "demo/catalog"]).exits(2);
    assert!(run.err.contains("which package?") && run.err.contains("ballast-operator"), "{}", run.err);
    let run = olmap(&["range", "~x1", "--catalog", "demo/catalog/ballast-operator"]).exits(2);
    assert!(run.out.is_empty() && run.err.contains("not a range"), "{}", run.err);
    let run = olmap(&["range", ">=1.0.0", "--catalog", "demo/catalog", "--package", "none"]).exits(2);
    assert!(run.err.contains("no package none"), "{}", run.err);
}
