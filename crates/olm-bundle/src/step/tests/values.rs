use super::super::{ReasonKind, pods::parse_quantity};

#[test]
fn quantities_are_numbers_with_suffixes() {
    for (text, expected) in [
        ("1", Some(1.0)),
        ("100m", Some(0.1)),
        ("64Mi", Some(67_108_864.0)),
        ("1e3", Some(1000.0)),
        ("2k", Some(2000.0)),
        ("1E", Some(1e18)),
        ("0.5Gi", Some(536_870_912.0)),
        ("", None),
        ("many", None),
        ("Mi", None),
    ] {
        assert_eq!(parse_quantity(text), expected, "{text}");
    }
}

#[test]
fn names_of_reasons_are_different() {
    let mut names: Vec<&str> = ReasonKind::ALL.iter().map(|kind| kind.id()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), ReasonKind::ALL.len());
    assert!(ReasonKind::ALL.iter().all(|kind| !kind.advice().is_empty()));
}
