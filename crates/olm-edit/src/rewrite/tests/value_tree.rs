use super::*;

#[test]
fn tree_without_locations_has_the_same_content() {
    let text = r#"{"a": [1, "x", null, true, [], {}], "b": {"c": [[2], {"d": 1.5}]}}"#;
    assert_eq!(format!("{:?}", parse_json(text)), format!("{:?}", parse_json(&text.replace(' ', "\n"))));
    assert!(parse_json(text).has_same_content(&parse_json(
        r#"{"b": {"c": [[2], {"d": 1.5}]}, "a": [1, "x", null, true, [], {}]}"#
    )));
    for other in [r#"{"a": 1}"#, r#"{"a": 1, "b": 2, "c": 3}"#, "[1]", "{}", r#"{"a": 2, "b": 2}"#, "null"] {
        assert!(!parse_json(r#"{"a": 1, "b": 2}"#).has_same_content(&parse_json(other)), "{other}");
    }
}

#[test]
fn last_of_repeated_keys_counts() {
    let tree = parse_json(r#"{"a": 1, "b": 2, "a": 3}"#);
    assert_eq!(tree.members().len(), 2);
    assert!(tree.has_same_content(&parse_json(r#"{"a": 3, "b": 2}"#)));
    let twice = ValueTree::from_members([("a", 1), ("a", 3), ("b", 2)]);
    assert!(tree.has_same_content(&twice));
    assert_eq!(twice.get("a"), Some(&ValueTree::from(3)));
}

#[test]
fn trees_are_built_and_changed() {
    let mut tree = ValueTree::from_members([("name", "a")]);
    tree.set("skips", vec!["x", "y"]);
    tree.set("name", "b");
    assert_eq!(tree.remove("nothing"), None);
    assert_eq!(tree.remove("name"), Some("b".into()));
    tree.get_mut("skips").unwrap().items_mut().unwrap().push(true.into());
    assert!(tree.has_same_content(&parse_json(r#"{"skips": ["x", "y", true]}"#)));
}

#[test]
fn fingerprints_differ_for_different_trees() {
    let trees = [
        "{}",
        "[]",
        "null",
        "\"\"",
        "[null]",
        "[[],[]]",
        "[[[]]]",
        r#"["a","b"]"#,
        r#"["ab"]"#,
        r#"{"a":"b"}"#,
    ];
    for (at, a) in trees.iter().enumerate() {
        for b in &trees[..at] {
            assert_ne!(parse_json(a).fingerprint(), parse_json(b).fingerprint(), "{a} {b}");
        }
    }
    assert_eq!(parse_json(r#"{"a":1,"b":2}"#).fingerprint(), parse_json(r#"{"b":2,"a":1}"#).fingerprint());
}

#[test]
fn deep_trees_do_not_exhaust_the_stack() {
    let text = format!("{{\"a\": {}{}, \"b\": 1}}", "[".repeat(5_000), "]".repeat(5_000));
    let mut new = parse_json(&text);
    new.set("b", "x");
    let done = rewrite_and_check(Format::Json, text.as_bytes(), &new).unwrap();
    assert_eq!(done.splices.len(), 1);
    let mut other = parse_json(&text.replacen("[]", "[1]", 1));
    other.set("b", "x");
    let old = parse_document(Format::Json, text.as_bytes());
    assert!(matches!(rewrite_text(Format::Json, text.as_bytes(), &old, &other), Err(RewriteError::TooDeep)));
    std::mem::forget((new, other));
}

#[test]
fn refuses_document_that_is_not_a_map_with_members() {
    let text = b"a: b\n";
    let old = parse_document(Format::Yaml, text);
    for new in ["{}", "[1]", "null"] {
        assert!(matches!(
            rewrite_text(Format::Yaml, text, &old, &parse_json(new)),
            Err(RewriteError::NotAMap)
        ));
    }
}

#[test]
fn equal_content_changes_nothing() {
    let text = b"b: [ 'x' ] # c\na: 010\n";
    let done = rewrite_and_check(Format::Yaml, text, &parse_json(r#"{"a": 8, "b": ["x"]}"#)).unwrap();
    assert_eq!((done.text.as_slice(), done.splices.len()), (&text[..], 0));
}

#[test]
fn detects_tree_of_another_text() {
    let text = b"name: stable\npackage: a\n";
    let old = parse_document(Format::Yaml, text);
    let mut new = ValueTree::from(&old);
    new.set("package", "b");
    for other in [
        &b""[..],
        b"x",
        b"schema: olm.channel\nname: x\n",
        b"# name: stable\n# package: a\n",
        b"\xff\xfe\n\n",
    ] {
        assert!(rewrite_text(Format::Yaml, other, &old, &new).is_err());
    }
    let mut wild = old;
    wild.span = Span::new(3, 2);
    assert!(rewrite_text(Format::Yaml, text, &wild, &new).is_err());
}
