//! `olmap report`: content of the page, its behavior in a browser, and exit codes.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::{
    diff, overview, page,
    run::{Run, fixture, olmap, olmap_in},
};

/// Returns the part of a page between head and script, for snapshots.
fn page_body(page: &str) -> &str {
    assert_eq!(page::page_faults(page), Vec::<String>::new());
    let (_, rest) = page.split_once("<body>\n").unwrap();
    rest.split_once("<script>").unwrap().0
}

/// Returns the body with a placeholder for the version of the program and the commits of the
/// catalogs.
fn body_without_origin(page: &str) -> String {
    let body = page_body(page);
    let (before, rest) = body.split_once("<footer><p>").unwrap();
    let (origin, after) = rest.split_once("</p>").unwrap();
    let made = concat!("Made by olmap ", env!("CARGO_PKG_VERSION"), " on 2026-11-27 03:00 UTC.");
    assert!(origin.starts_with(made), "{origin}");
    format!("{before}<footer><p>ORIGIN</p>{after}")
}

fn run_report(folder: &Path, words: &[&str]) -> Run {
    olmap_in(folder, &[&["report"], words].concat())
}

#[test]
fn catalog_is_rendered_as_a_page() {
    let page = olmap(&["report", &fixture("anvil")]).exits(0).out;
    insta::assert_snapshot!(body_without_origin(&page));
}

#[test]
fn page_compares_openshift_versions_and_has_a_plan() {
    let dir = overview::repository_of_three_catalogs();
    let page = run_report(dir.path(), &["catalogs/v4.18", "catalogs/v4.20", "catalogs/v4.22"]).exits(0).out;
    insta::assert_snapshot!(body_without_origin(&page));
    // Paths are relative to the current directory.
    let of_root = run_report(dir.path(), &["."])
        .exits(0)
        .out
        .replace("./catalogs/", "catalogs/")
        .replace("./<wbr/>catalogs/", "catalogs/");
    assert_eq!(of_root, page, "the root of the repository stands for all");
}

#[test]
fn page_begins_with_changes_and_their_graphs() {
    let release = diff::repository_with_release();
    let page = run_report(release.path(), &["catalog", "--against", "git:HEAD"]).exits(0).out;
    let body = page_body(&page);
    let (changes, rest) = body.split_once("<section id=\"overview\">").unwrap();
    assert!(!rest.contains("<svg"), "of the others no graph");
    let origin = rest.split_once("<footer>").unwrap().1;
    assert!(
        origin.contains("catalog: commit ") && origin.contains(", with changes that are not committed."),
        "{origin}"
    );
    assert!(origin.contains(" git:HEAD: commit "), "{origin}");
    insta::assert_snapshot!(changes);
}

#[test]
fn catalogs_are_compared_by_openshift_version() {
    let (old, new) = (overview::repository_of_three_catalogs(), overview::repository_of_three_catalogs());
    let path = new.path().join("catalogs/v4.20/catalog.yaml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(
        &path,
        text.replace("- name: ferry.v1.1.0\n  replaces: ferry.v1.0.0\n", "- name: ferry.v1.1.0\n"),
    )
    .unwrap();
    let base = old.path().to_str().unwrap();
    let page = run_report(new.path(), &[".", "--against", base]).exits(0).out;
    let body = page_body(&page);
    assert!(body.contains("users are worse off in 4.20; 1 of 3 catalogs differ"), "{body}");
    assert!(body.contains("No difference in meaning"), "{body}");
    let run = run_report(new.path(), &["catalogs/v4.22", "--against", "catalogs/v4.18"]).exits(0);
    assert!(run.out.contains("Cluster update"), "one and one are compared whatever they are for");
    let run = run_report(new.path(), &[".", "--against", "catalogs/v4.22"]).exits(2);
    assert!(
        run.err.starts_with("olmap: nothing in catalogs/v4.22 to compare ./catalogs/v4.18 with\nhint: "),
        "{}",
        run.err
    );
}

#[test]
fn file_matches_standard_output_and_the_verdict_is_printed() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("report.html");
    let run = olmap(&["report", "demo/catalog", "--to", file.to_str().unwrap()]).exits(0);
    assert!(
        run.out.starts_with("Some users get stuck: Classic 3, v1 6 stuck, in 3 packages;"),
        "{}",
        run.out
    );
    assert!(run.out.ends_with(&format!("wrote {}\n", file.display())), "{}", run.out);
    let page = fs::read_to_string(&file).unwrap();
    assert_eq!(olmap(&["report", "demo/catalog"]).exits(0).out, page);
    assert_eq!(olmap(&["report", "demo/catalog", "--to", "-"]).exits(0).out, page);
    assert_eq!(olmap(&["report", "demo/catalog", "-o", "html"]).exits(0).out, page);
    let run = olmap(&["report", "demo/catalog", "-o", "json"]).exits(2);
    assert!(run.err.contains("[possible values: html]"), "{}", run.err);
    let run = olmap(&["report", "demo/catalog", "--to", "demo/catalog/report.html"]).exits(2);
    assert!(
        run.err.contains("opm would read demo/catalog/report.html as a part of the catalog"),
        "{}",
        run.err
    );
}

#[test]
fn unreadable_parts_are_on_the_page_and_fail_every_gate() {
    let catalog = fixture("unreadable");
    let run = olmap(&["report", &catalog]).exits(0);
    let body = page_body(&run.out);
    assert!(body.contains("cannot be read and") && body.contains("class=\"verdict bad\""), "{body}");
    olmap(&["report", &catalog, "--fail-on", "errors"]).exits(2);
    // The gate found nothing, but the input is incomplete.
    let run = olmap(&["report", &catalog, "--against", &catalog, "--fail-on", "changed-bundles"]).exits(2);
    assert!(run.err.contains("not everything could be checked"), "{}", run.err);
    let of_change =
        "OLM Classic cannot serve unreadable. Of the change: No difference in meaning in the rest.";
    assert!(run.out.contains(of_change), "{}", run.out);
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("broken.yaml"), "schema: [\n").unwrap();
    let anvil = super::run::root().join(fixture("anvil")).join("catalog.yaml");
    fs::copy(anvil, dir.path().join("catalog.yaml")).unwrap();
    let run = olmap(&["report", &fixture("anvil"), "--against", dir.path().to_str().unwrap()]).exits(0);
    let doubt = "<strong>Not everything could be read.</strong> In the rest: No ";
    assert!(run.out.contains(doubt), "{}", run.out);
}

#[test]
fn failed_gates_exit_with_1_after_writing_the_page() {
    let release = diff::repository_with_release();
    let file = release.path().join("report.html");
    let gated = |gate: &str| {
        let words = ["catalog", "--against", "git:HEAD", "--to", "report.html", "--fail-on", gate];
        let run = run_report(release.path(), &words);
        assert!(file.exists(), "{}", run.err);
        fs::remove_file(&file).unwrap();
        run.code
    };
    assert_eq!((gated("changed-bundles"), gated("all"), gated("errors")), (1, 1, 1));
    olmap(&["report", "demo/catalog", "--against", "demo/catalog", "--fail-on", "all"]).exits(0);
    let run = run_report(release.path(), &["catalog", "--fail-on", "new-errors"]).exits(2);
    assert!(run.err.starts_with("olmap: --fail-on new-errors needs --against\nhint: "), "{}", run.err);
    let dir = overview::repository_of_three_catalogs();
    run_report(dir.path(), &[".", "--fail-on", "stranded"]).exits(1);
    let run = run_report(dir.path(), &["catalogs/v4.18", "--fail-on", "stranded"]).exits(2);
    assert!(run.err.contains("catalogs of several OpenShift versions"), "{}", run.err);
}

#[test]
fn accepted_findings_are_collapsed_with_their_reasons() {
    let dir = tempfile::tempdir().unwrap();
    let baseline = dir.path().join("baseline.yaml");
    let baseline = baseline.to_str().unwrap();
    olmap(&["validate", "demo/catalog", "--write-baseline", baseline]);
    let text = fs::read_to_string(baseline).unwrap();
    fs::write(baseline, text.replace("rule: stuck,", "rule: stuck, reason: 'nobody is <b>there</b>',"))
        .unwrap();
    let page = olmap(&["report", "demo/catalog", "--baseline", baseline]).exits(0).out;
    let body = page_body(&page);
    assert!(body.contains("Nothing was found.") && body.contains("13 accepted findings"), "{body}");
    assert!(body.contains("id=\"accepted-table\""), "{body}");
}

#[test]
fn page_about_one_package_omits_others() {
    let page = olmap(&["report", "demo/catalog", "--package", "granary-operator"]).exits(0).out;
    let body = page_body(&page);
    assert!(body.contains("granary-operator in catalog") && !body.contains("quill-operator"), "{body}");
    let run = olmap(&["report", "demo/catalog", "--package", "sloop"]).exits(2);
    assert!(run.err.starts_with("olmap: no package sloop in demo/catalog\n"), "{}", run.err);
}

/// Finds a browser: `OLMAP_CHROMIUM`, or the first Chromium that is installed.
fn find_chromium() -> Option<PathBuf> {
    let named = env::var_os("OLMAP_CHROMIUM").map(PathBuf::from);
    let usual = ["chromium", "chromium-browser", "google-chrome"].map(PathBuf::from);
    named.into_iter().chain(usual).find(|program| {
        Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
    })
}

/// Returns the page after the browser ran its script, and the errors of the browser.
fn dump_dom(browser: &Path, page: &Path, fragment: &str) -> (String, Vec<String>) {
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--enable-logging=stderr", "--timeout=60000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}#{fragment}", page.display()))
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let complaints =
        told.lines().filter(|line| line.contains(":CONSOLE") || line.contains("Content Security Policy"));
    (String::from_utf8_lossy(&output.stdout).into_owned(), complaints.map(str::to_owned).collect())
}

/// Returns the visible rows of a table.
fn visible_rows<'d>(dom: &'d str, table: &str) -> Vec<&'d str> {
    let (_, rest) = dom.split_once(&format!("id=\"{table}\"")).unwrap();
    let (_, body) = rest.split_once("<tbody>").unwrap();
    let (body, _) = body.split_once("</tbody>").unwrap();
    let rows = body.split("<tr").skip(1);
    rows.filter(|row| !row.split('>').next().unwrap_or_default().contains("hidden")).collect()
}

fn installed_cell(row: &str) -> &str {
    let (_, cell) = row.split_once("<td class=\"installed\">").unwrap();
    let (_, text) = cell.split_once('>').unwrap();
    text.split('<').next().unwrap()
}

#[test]
fn browser_runs_only_the_script_and_reports_no_errors() {
    let Some(browser) = find_chromium() else {
        return println!("skipped: no chromium to look at the page with");
    };
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("report.html");
    let page = olmap(&["report", "demo/catalog"]).exits(0).out;
    fs::write(&file, &page).unwrap();

    // Rows without trouble are hidden unless the address asks for them.
    let (dom, complaints) = dump_dom(&browser, &file, "");
    assert_eq!(complaints, Vec::<String>::new());
    assert!(dom.contains("data-ready=\"1\""), "the script did not run: {dom:.500}");
    let trouble = visible_rows(&dom, "upgrades-table");
    assert!(
        !trouble.is_empty()
            && trouble
                .iter()
                .all(|row| row.contains("data-grade=\"bad\"") || row.contains("data-grade=\"warn\""))
    );
    let (dom, _) = dump_dom(&browser, &file, "upgrades.look=0");
    let all = visible_rows(&dom, "upgrades-table").len();
    assert!(all > 50 && all > trouble.len() && dom.contains(&format!(">{all} rows</output>")), "{all}");

    let chosen = "upgrades.filter=granary+stable-2.6&upgrades.sort=-installed&upgrades.look=0&theme=dark";
    let (dom, complaints) = dump_dom(&browser, &file, chosen);
    assert_eq!(complaints, Vec::<String>::new());
    assert!(dom.contains("data-theme=\"dark\""));
    assert!(dom.contains("<th scope=\"col\" class=\"installed\" aria-sort=\"descending\">"), "{dom}");
    let versions: Vec<&str> = visible_rows(&dom, "upgrades-table").into_iter().map(installed_cell).collect();
    assert_eq!(versions, ["2.6.4", "2.6.1", "2.6.0"]);
    assert_eq!(visible_rows(&dom, "findings-table").len(), 4, "the warnings");
    let (dom, _) = dump_dom(
        &browser,
        &file,
        "upgrades.filter=granary+stable-2.6&upgrades.look=0&upgrades.sort=installed",
    );
    let versions: Vec<&str> = visible_rows(&dom, "upgrades-table").into_iter().map(installed_cell).collect();
    assert_eq!(versions, ["2.6.0", "2.6.1", "2.6.4"]);
    let (dom, _) = dump_dom(&browser, &file, "package-0");
    assert!(
        dom.contains("<details class=\"package\" id=\"package-0\" open=\"\">"),
        "a link unfolds what it leads to"
    );

    // The browser blocks and reports content that the policy does not allow.
    let other = page.replacen("<h1>", "<h1 style=\"color:red\">", 1);
    let other = other.replacen("<header>", "<script>document.title = 'taken'</script><header>", 1);
    fs::write(&file, other).unwrap();
    let (dom, complaints) = dump_dom(&browser, &file, "");
    assert!(complaints.len() >= 2, "{complaints:?}");
    assert!(!dom.contains("<title>taken</title>"));
}
