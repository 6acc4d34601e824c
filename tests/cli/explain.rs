use super::run::olmap;

#[test]
fn rule_is_explained_with_an_example() {
    insta::assert_snapshot!(olmap(&["explain", "multiple-heads"]).exits(0).out);
}

#[test]
fn lists_all_rules_without_an_argument() {
    let run = olmap(&["explain"]).exits(0);
    for rule in olm_check::rules::ALL {
        let line = run.out.lines().find(|line| line.split(' ').next() == Some(rule.id)).unwrap();
        assert_eq!(line.split_whitespace().nth(1), Some(rule.severity.as_str()));
    }
}

#[test]
fn suggests_closest_rule_for_an_unknown_name() {
    let run = olmap(&["explain", "multiple-head"]).exits(2);
    assert_eq!(run.err, "olmap: no rule multiple-head\nhint: did you mean multiple-heads?\n");
    assert!(olmap(&["explain", "granary"]).exits(2).err.contains("olmap explain lists all rules"));
}
