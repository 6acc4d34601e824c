//! Tests that the page reports omitted content and is complete.

use std::fmt::Write as _;

use super::{Page, PageOrigin, Report, format_utc_time, page::SCRIPT, render_page};
use crate::{finding::CatalogFindings, links::CommentLinks, log, stuck::StuckPackage};
use olm_catalog::load;
use olm_check::review::Snapshot;
use olm_plan::series::Release;

fn page_for_yaml(yaml: &str) -> Page {
    let snapshot = Snapshot::new(load::from_bytes(yaml.as_bytes().to_vec()));
    let releases = [Release::new("catalogs/v4.18".to_owned(), snapshot)];
    let [release] = &releases;
    let findings = release.catalog.findings().collect();
    let judged = CatalogFindings { catalog: &release.catalog.catalog, findings, accepted: Vec::new() };
    render_page(&Report {
        releases: &releases,
        packages: &[],
        findings: vec![judged],
        stuck: vec![StuckPackage::find_in_catalog(&release.catalog, None, |_| true)],
        compared: Vec::new(),
        update_plans: None,
        origin: PageOrigin::default(),
        links: CommentLinks::default(),
    })
}

/// Returns a package whose channels have the same versions, each replacing the previous one.
fn large_catalog(channels: usize, versions: usize) -> String {
    let mut yaml = "---\nschema: olm.package\nname: p\ndefaultChannel: c0\n".to_owned();
    for channel in 0..channels {
        let _ = write!(
            yaml,
            "---\nschema: olm.channel\npackage: p\nname: c{channel}\nentries:\n- name: p.v0.1.0\n"
        );
        for version in 1..versions {
            let _ = write!(yaml, "- name: p.v0.{}.0\n  replaces: p.v0.{version}.0\n", version + 1);
        }
    }
    for version in 0..versions {
        let version = format!("0.{}.0", version + 1);
        let _ = write!(
            yaml,
            "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: e/p@sha256:{:064}\nproperties:\n\
             - type: olm.package\n  value: {{packageName: p, version: {version}}}\n",
            1
        );
    }
    yaml
}

#[test]
fn times_are_formatted_in_utc() {
    assert_eq!(format_utc_time(0), "1970-01-01 00:00 UTC");
    assert_eq!(format_utc_time(951_827_696), "2000-02-29 12:34 UTC");
    assert_eq!(format_utc_time(1_795_748_400), "2026-11-27 03:00 UTC");
}

#[test]
fn omitted_rows_are_counted_and_verdict_is_good() {
    let Page { html, verdict } = page_for_yaml(&large_catalog(26, 60));
    assert!(html.contains("1560 versions in channels, 0 worth a look"));
    assert!(html.contains(">60 more are not shown here, none of them worth a look."), "said");
    assert_eq!(html.matches("<td class=\"installed\">").count(), 1500);
    assert!(verdict.starts_with("No version is stuck: opm accepts it"), "{verdict}");
}

#[test]
fn page_is_complete_and_safe_to_print() {
    let Page { html, .. } = page_for_yaml(&large_catalog(1, 3));
    assert!(html.starts_with("<!DOCTYPE html>\n") && html.ends_with("</html>\n"));
    assert!(html.contains(SCRIPT) && !html.contains("{{") && !html.contains("}}"));
    assert_eq!(log::escape_log_text(&html, false), html.as_str());
}
