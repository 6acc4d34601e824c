//! Arbitrary bytes as YAML: trees, locations and errors are those of the full parser, even if the fast parser
//! accepts the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use olm_catalog::text::yaml;

fuzz_target!(|bytes: &[u8]| {
    assert_eq!(yaml::parse_yaml(bytes), yaml::parse_in_full(bytes));
});
