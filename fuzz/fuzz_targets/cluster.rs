//! Files of a cluster: no bytes panic, and the parsed cluster can be reported on.
#![no_main]

use libfuzzer_sys::fuzz_target;
use olm_plan::cluster::{Reader, parse_operator_list, report_cluster};
use olmap_report::{Style, cluster as export};

fuzz_target!(|bytes: &[u8]| {
    let mut reader = Reader::default();
    reader.add_file("cluster.yaml", bytes);
    let _ = parse_operator_list("cluster.yaml", bytes);
    if let Ok(cluster) = reader.finish_cluster() {
        let report = report_cluster(&cluster, &[], None);
        let _ =
            (export::render_cluster_report(&report, &Style::PLAIN), export::render_cluster_comment(&report));
    }
});
