//! Compares with the answers of the real programs, if the conformance data is available. The comparison fails
//! if one answer changes.

use serde_json::json;

use crate::{Version, blang::Range, masterminds::Constraint};
use olmap_testing::assert_can_fail;

#[test]
fn ranges_match_like_go_libraries() {
    let Some(rows) = olmap_testing::load_json_lines("ranges.jsonl") else { return };
    let mut wrong = Vec::new();
    for row in rows {
        let text = |key: &str| row[key].as_str().unwrap_or_default();
        let expected = |key: &str| row[key].as_bool().unwrap_or_default();
        let version = Version::parse(text("version"));
        let blang = Range::parse(text("range"));
        let masterminds = Constraint::parse(text("range"));
        let on = |matches: &dyn Fn(&Version) -> bool| version.as_ref().is_ok_and(matches);
        let answers = [
            ("version_ok", version.is_ok()),
            ("blang_ok", blang.is_ok()),
            ("blang_match", blang.as_ref().is_ok_and(|r| on(&|v| r.matches(v)))),
            ("blang_panics", blang.as_ref().is_ok_and(|r| on(&|v| r.crashes_on(v)))),
            ("masterminds_ok", masterminds.is_ok()),
            ("masterminds_match", masterminds.as_ref().is_ok_and(|c| on(&|v| c.matches(v)))),
        ];
        for (key, answer) in answers {
            if answer != expected(key) {
                wrong.push(format!("{key} is not {answer} in {row}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
}

#[test]
fn range_comparison_can_fail() {
    let ranges = "conformance::ranges_match_like_go_libraries";
    for key in ["/blang_match", "/blang_ok", "/masterminds_match", "/masterminds_ok", "/version_ok"] {
        assert_can_fail(ranges, "ranges.jsonl", 0, key, &json!(false));
    }
}
