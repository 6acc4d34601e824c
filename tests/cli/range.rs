use super::run::olmap;

#[test]
fn both_dialects_answer_side_by_side() {
    insta::assert_snapshot!(olmap(&["range", "1.x", "1.2.3", "1.2.3-rc.1", "2.0.0"]).exits(0).out);
}

#[test]
fn a_range_of_one_dialect_is_explained_for_the_other() {
    insta::assert_snapshot!(olmap(&["range", ">=1.2, <2", "1.2.3"]).exits(0).out);
}

#[test]
fn a_range_of_no_dialect_is_refused_with_the_place() {
    let run = olmap(&["range", "--dialect", "blang", "~1.2.0"]).exits(2);
    assert!(run.out.is_empty());
    insta::assert_snapshot!(run.err);
    insta::assert_snapshot!(olmap(&["range", ">>1", "1.0.0"]).exits(2).err);
}

#[test]
fn a_range_that_surprises_is_marked() {
    insta::assert_snapshot!(
        olmap(&["range", "--dialect", "blang", ">=1.0.0 5 || || <0.5.0", "0.1.0"]).exits(0).out
    );
}

#[test]
fn a_text_that_is_no_version_is_named() {
    let run = olmap(&["range", ">=1.0.0", "1.2.3", "v1.2"]).exits(2);
    assert!(run.out.contains("1.2.3    yes"), "{}", run.out);
    assert_eq!(run.err, "olmap: not a version: v1.2\n");
}

#[test]
fn json_has_a_row_a_version_and_dialect() {
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
fn harmful_characters_of_an_argument_are_shown_not_sent() {
    let run = olmap(&["range", "1.0.0 \x1b[31m", "1.0.0"]).exits(2);
    assert!(run.err.contains("\u{241b}[31m") && !run.err.contains('\x1b'), "{}", run.err);
}
