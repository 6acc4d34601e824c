//! Tests of valid and invalid rules, and of their cost.

use super::{MAX_STEPS, Rule, RuleError, Value, properties_value};
use crate::resolve::entry::Facts;
use olm_catalog::load;

fn compiles(rule: &str) -> bool {
    Rule::compile(rule).is_ok()
}

fn holds(rule: &str) -> bool {
    let package = Value::Map(std::sync::Arc::new(vec![("version".into(), "1.2.3".into())]));
    let of = properties_value([
        ("olm.package".to_owned(), package),
        ("tier".to_owned(), "gold".into()),
        ("level".to_owned(), Value::Double(3.0)),
    ]);
    Rule::compile(rule).unwrap().holds(&of, &mut { MAX_STEPS })
}

#[test]
fn mismatched_types_do_not_compile() {
    for rule in
        ["1 == 1.0", "(true ? 1 : 'a') == 1", "[1] == ['a']", "'a' < 1", "1 in ['a']", "!1", "-'a' == 'a'"]
    {
        assert!(matches!(Rule::compile(rule), Err(RuleError::Type(_))), "{rule}");
    }
    for rule in ["1 == 1", "[1, 'a'] == [1.0]", "properties[0].value == 1", "[] == [1]", "{} == {'a': 1}"] {
        assert!(compiles(rule), "{rule}");
    }
}

#[test]
fn undeclared_names_do_not_compile() {
    for rule in
        ["nosuch", "size(1) == 1", "'a'.upperAscii() == 'A'", "semver_compare('1') == 0", "Foo{}", "a.?b"]
    {
        assert!(!compiles(rule), "{rule}");
    }
    assert!(matches!(Rule::compile("1 + 1"), Err(RuleError::NotBool(of)) if of == "int"));
    assert!(matches!(Rule::compile(&"a".repeat(5000)), Err(RuleError::TooLong(5000))));
    assert!(!compiles(&format!("{}true{}", "(".repeat(1500), ")".repeat(1500))));
    assert!(!compiles(&format!("1{} > 1", "+1".repeat(300))), "as deep as cel-go does not read");
}

#[test]
fn error_is_false_unless_the_other_side_decides() {
    assert!(!holds("properties[9].type == 'x'"));
    assert!(holds("properties[9].type == 'x' || true"));
    assert!(holds("properties.exists(p, p.value.version == '1.2.3')"));
    assert!(!holds("properties.all(p, p.value.version == '1.2.3')"));
    assert!(holds("properties.exists_one(p, p.type == 'tier' && p.value == 'gold')"));
    assert!(holds("properties.filter(p, p.type != 'tier').map(p, p.type) == ['olm.package', 'level']"));
}

#[test]
fn numbers_of_properties_are_doubles_and_compare_with_all_numbers() {
    assert!(holds("properties[2].value == 3 && properties[2].value > 2 && properties[2].value in [3u]"));
    assert!(!holds("properties[2].value + 1 == 4"));
    assert!(holds("properties[2].value + 1.0 == 4.0"));
}

#[test]
fn versions_are_parsed_tolerantly() {
    assert!(holds("semver_compare(properties[0].value.version, 'v1.2') == 1"));
    assert!(holds("semver_compare(properties[2].value, 4) < 0"));
    assert!(!holds("semver_compare(properties[1].value, '1.0.0') != 2"));
}

#[test]
fn endless_rule_is_false() {
    let longer = format!("['a']{} != ['b']", ".map(x, x + x)".repeat(80));
    assert!(!holds(&longer));
    let nested = format!("[[1]]{0} == [[1]]{0}", ".map(x, [x, x])".repeat(80));
    assert!(!holds(&nested));
    let many = "properties.all(a, properties.all(b, properties.all(c, properties.all(d, true))))";
    let of = properties_value((0..100).map(|n| (n.to_string(), Value::Null)));
    let mut steps = MAX_STEPS;
    assert!(!Rule::compile(many).unwrap().holds(&of, &mut steps));
    assert_eq!(steps, 0);
}

#[test]
fn functions_of_long_texts_take_steps_by_length() {
    let of = properties_value([("text".to_owned(), Value::String("a".repeat(160_000).into()))]);
    for rule in [
        "properties[0].value < properties[0].value",
        "properties[0].value == properties[0].value",
        "string(properties[0].value) == ''",
        "bytes(properties[0].value) == b''",
        "semver_compare(properties[0].value, '1.0.0') == 0",
    ] {
        let mut steps = MAX_STEPS;
        Rule::compile(rule).unwrap().holds(&of, &mut steps);
        assert!(MAX_STEPS - steps >= 10_000, "{rule}: {}", MAX_STEPS - steps);
    }
}

#[test]
fn pattern_is_compiled_once() {
    let rule = Rule::compile("properties.exists(p, p.type.matches('^ol[dm]$'))").unwrap();
    let of = properties_value([("olm".to_owned(), Value::Null)]);
    let cost = || {
        let mut steps = MAX_STEPS;
        assert!(rule.holds(&of, &mut steps));
        MAX_STEPS - steps
    };
    assert!(cost() > 1000);
    assert!(cost() < 100, "the second time");
    assert!(!holds("'a'.matches('(')"), "an error says no");
    assert!(!holds("'a'.matches('(') || false"));
}

#[test]
fn duration_getters_return_whole_units() {
    assert!(holds("duration('2s').getMilliseconds() == 2000"));
    assert!(holds("duration('90m').getHours() == 1 && duration('90m').getMinutes() == 90"));
}

#[test]
fn timestamps_agree_with_the_reference() {
    for rule in [
        "timestamp('2024-02-29T12:00:00Z').getFullYear() == 2024",
        "timestamp('2024-02-29T12:00:00Z').getDate('-13:00') == 28",
        "timestamp('2024-02-29T23:00:00+02:00').getHours() == 23",
        "timestamp('2024-02-29T23:00:00+02:00').getHours('UTC') == 21",
        "string(timestamp('2024-02-29T23:00:00+02:00')) == '2024-02-29T23:00:00+02:00'",
        "timestamp('2024-02-29T23:00:00+02:00') == timestamp('2024-02-29T21:00:00Z')",
        "string(timestamp(0) + duration('1.5s')) == '1970-01-01T00:00:01.5Z'",
        "string(duration('1ns')) == '0.000000001s'",
    ] {
        assert!(holds(rule), "{rule}");
    }
    assert!(!holds("timestamp('2024-02-29T12:00:00Z').getDate('nonsense:') == 28 || false"));
    assert!(!holds("timestamp(253402300800) > timestamp(0)"), "after the year 9999");
}

/// A build without the feature `cel` refuses all rules in this way.
#[test]
fn constraint_with_an_unsupported_rule_is_neither_met_nor_invalid() {
    let text = "schema: olm.package\nname: p\ndefaultChannel: c\n---\n{schema: olm.bundle, package: p, name: p.v1, image: i, properties: [\
        {type: olm.package, value: {packageName: p, version: 1.0.0}},\
        {type: olm.constraint, value: {failureMessage: missing, cel: {rule: \"timestamp(0).getHours('Europe/Berlin') == 1\"}}}]}";
    let catalog = load::from_bytes(text.as_bytes().to_vec());
    let package = catalog.package("p").unwrap();
    let facts = Facts::from_bundle(&catalog, &package.bundles[0]);
    let [requirement] = &facts.requirements[..] else { panic!("{:?}", facts.requirements) };
    let error = requirement.predicate.as_ref().unwrap_err();
    assert!(
        error.is_own_limit() && error.to_string().starts_with("the CEL rule cannot be judged: "),
        "{error}"
    );
}

#[test]
fn unsupported_rules_are_reported() {
    for rule in [
        "timestamp('2024-02-29T12:00:00Z').getHours('Europe/Berlin') == 13",
        r"properties.exists(p, p.type.matches('\\p{Greek}'))",
    ] {
        assert!(matches!(Rule::compile(rule), Err(RuleError::Unsupported(_))), "{rule}");
    }
    assert!(matches!(Rule::compile(r"1 == 1.0 || 'a'.matches('\\B')"), Err(RuleError::Type(_))));
    // The property contains the name of a time zone.
    let rule = Rule::compile("timestamp(0).getHours(properties[0].type) == 1 || true").unwrap();
    let mut steps = MAX_STEPS;
    assert!(!rule.holds(&properties_value([("Europe/Berlin".to_owned(), Value::Null)]), &mut steps));
    assert_eq!(steps, 0);
}
