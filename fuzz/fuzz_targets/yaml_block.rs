//! Any bytes: YAML is read as the full reader reads it, trees, places and errors, whether the quick one knows it or not.
#![no_main]

use libfuzzer_sys::fuzz_target;
use olmap::catalog::text::yaml;

fuzz_target!(|bytes: &[u8]| {
    assert_eq!(yaml::parse(bytes), yaml::parse_in_full(bytes));
});
