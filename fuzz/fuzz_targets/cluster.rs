//! Files of a cluster: no bytes panic, and the parsed cluster can be reported on.
#![no_main]

use libfuzzer_sys::fuzz_target;
use olmap::{
    export::{Style, cluster as export},
    plan::cluster::{Reader, parse_operator_list, report},
};

fuzz_target!(|bytes: &[u8]| {
    let mut reader = Reader::default();
    reader.add_file("cluster.yaml", bytes);
    let _ = wanted("cluster.yaml", bytes);
    if let Ok(cluster) = reader.finish_cluster() {
        let report = report(&cluster, &[]);
        let _ = (export::text(&report, &Style::PLAIN), export::comment(&report));
    }
});
