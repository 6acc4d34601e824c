//! Comparison with recorded answers of the reference.

use super::{Rule, Value, properties_value};
use olm_catalog::text::split;

#[test]
fn rules_agree_with_the_reference() {
    let Some(rows) = olmap_testing::load_json_lines("dependencies/cel.jsonl") else { return };
    let mut wrong = Vec::new();
    for row in rows {
        let of = row["properties"].as_array().unwrap().iter().map(|property| {
            let text = property["value"].to_string();
            let value =
                Value::from_node(&split::parse_chunk(olm_catalog::Format::Json, text.as_bytes()).unwrap());
            (property["type"].as_str().unwrap().to_owned(), value.unwrap())
        });
        let rule = Rule::compile(row["rule"].as_str().unwrap());
        let holds = rule.as_ref().is_ok_and(|rule| rule.holds(&properties_value(of), &mut 100_000));
        if (rule.is_ok(), holds) != (row["compiles"].as_bool().unwrap(), row["match"].as_bool().unwrap()) {
            wrong.push(format!("{}: {:?} {holds}", row["rule"], rule.map(|_| ())));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
