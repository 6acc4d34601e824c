use super::run::{fixture, olmap, olmap_with};

#[test]
fn graph_of_a_channel_fits_80_columns() {
    let args = ["graph", "demo/catalog", "--package", "granary-operator", "--channel", "stable"];
    let run = olmap(&args).exits(0);
    insta::assert_snapshot!(run.out);
    let ascii = olmap(&[&args[..], &["--ascii"]].concat()).exits(0);
    assert!(ascii.out.is_ascii(), "{}", ascii.out);
}

#[test]
fn jsonl_has_an_edge_per_line_for_every_channel() {
    let rows = olmap(&["graph", &fixture("anvil"), "--format", "jsonl"]).exits(0).json_lines();
    let edge = |row: &serde_json::Value| {
        ["channel", "from", "to", "kind"].map(|key| row[key].as_str().unwrap().to_owned()).join(" ")
    };
    let edges: Vec<_> = rows.iter().map(edge).collect();
    assert_eq!(
        edges,
        [
            "edge anvil.v1.2.0 anvil.v2.0.0-rc.1 replaces",
            "stable anvil.v1.0.0 anvil.v1.1.0 replaces",
            "stable anvil.v1.0.1 anvil.v1.1.0 skips",
            "stable anvil.v1.1.0 anvil.v1.2.0 replaces",
            "stable anvil.v1.1.0 anvil.v1.2.0 skipRange",
        ]
    );
    assert!(olmap(&["graph", "demo/catalog", "--format", "jsonl"]).exits(0).json_lines().len() > 20);
}

#[test]
fn diagram_formats_need_a_single_package() {
    let run = olmap(&["graph", "demo/catalog", "--format", "mermaid"]).exits(2);
    assert!(run.err.starts_with("olmap: which package?\n"), "{}", run.err);
    for (format, start) in [("mermaid", "flowchart"), ("dot", "digraph")] {
        let run = olmap(&["graph", &fixture("anvil"), "--format", format]).exits(0);
        assert!(run.out.contains(start), "{format}: {}", run.out);
    }
    let run = olmap(&["graph", &fixture("anvil"), "--channel", "edge", "--format", "json"]).exits(0);
    assert_eq!(run.json()["channels"][0]["name"], "edge");
}

#[test]
fn refuses_an_unknown_channel() {
    let run = olmap(&["graph", &fixture("anvil"), "--channel", "fast"]).exits(2);
    assert_eq!(run.err, "olmap: no channel fast in tests/fixtures/cli/anvil\nhint: channels: edge, stable\n");
}

#[test]
fn svg_is_well_formed() {
    let run = olmap(&["graph", &fixture("anvil"), "--channel", "stable", "--format", "svg"]).exits(0);
    assert!(run.out.starts_with("<svg ") && run.out.trim_end().ends_with("</svg>"), "{}", run.out);
}

#[test]
fn side_by_side_aligns_the_same_bundle() {
    let args = ["graph", "demo/catalog", "--package", "granary-operator", "--side-by-side"];
    let run = olmap(&args).exits(0);
    insta::assert_snapshot!(run.out);
    assert!(run.out.lines().all(|line| line.chars().count() <= 80), "{}", run.out);
    let ascii = olmap(&[&args[..], &["--ascii"]].concat()).exits(0);
    assert!(ascii.out.is_ascii(), "{}", ascii.out);
    assert_eq!(ascii.out.lines().count(), run.out.lines().count());
    // Without a package, all packages are drawn.
    let all = olmap(&["graph", "demo/catalog", "--side-by-side"]).exits(0);
    assert!(all.out.contains("granary-operator: ") && all.out.contains("quill-operator: "), "{}", all.out);
}

#[test]
fn side_by_side_refuses_other_formats_and_a_channel() {
    let run = olmap(&["graph", &fixture("anvil"), "--side-by-side", "--format", "dot"]).exits(2);
    assert!(
        run.err.starts_with("olmap: --side-by-side supports only text and svg\nhint: omit"),
        "{}",
        run.err
    );
    let run = olmap(&["graph", &fixture("anvil"), "--side-by-side", "--channel", "edge"]).exits(2);
    assert!(run.err.contains("--side-by-side") && run.err.contains("--channel"), "{}", run.err);
}

#[test]
fn large_channel_is_split_into_several_flowcharts() {
    let mut text = String::from(
        "{\"schema\": \"olm.channel\", \"package\": \"p\", \"name\": \"c\", \"entries\": [{\"name\": \"p.v0\"}",
    );
    for n in 1..700 {
        text += &format!(", {{\"name\": \"p.v{n}\", \"replaces\": \"p.v{}\"}}", n - 1);
    }
    let run =
        olmap_with(&(text + "]}"), &["graph", "-", "--channel", "c", "--format", "markdown", "--expand"])
            .exits(0);
    assert!(run.out.starts_with("# p\n\n## c\n\nGitHub draws at most 500 edges"), "{:.200}", run.out);
    assert_eq!(run.out.matches("### Part 2 of 2: p.v").count(), 1);
    assert_eq!(run.out.matches("==>|replaces|").count(), 699);
}

#[test]
fn mermaid_is_one_flowchart_with_folded_runs() {
    let mut text = String::from("{\"schema\": \"olm.package\", \"name\": \"p\", \"defaultChannel\": \"c\"}");
    for n in 0..700 {
        text += &format!(
            "{{\"schema\": \"olm.bundle\", \"package\": \"p\", \"name\": \"p.v{n}\", \"image\": \"e/p:{n}\", \"properties\": [\
             {{\"type\": \"olm.package\", \"value\": {{\"packageName\": \"p\", \"version\": \"1.{n}.0\"}}}}]}}"
        );
    }
    text += "{\"schema\": \"olm.channel\", \"package\": \"p\", \"name\": \"c\", \"entries\": [{\"name\": \"p.v0\"}";
    for n in 1..700 {
        text += &format!(", {{\"name\": \"p.v{n}\", \"replaces\": \"p.v{}\"}}", n - 1);
    }
    text += "]}{\"schema\": \"olm.channel\", \"package\": \"p\", \"name\": \"d\", \"entries\": [{\"name\": \"p.v0\"}]}";
    let run = olmap_with(&text, &["graph", "-", "--format", "mermaid"]).exits(0);
    assert!(run.out.starts_with("flowchart BT\n  subgraph c0channel"), "{:.200}", run.out);
    assert_eq!((run.out.matches("  subgraph ").count(), run.err.as_str()), (2, ""));
    assert!(run.out.lines().count() < 30 && run.out.contains("each replaces the next"), "{}", run.out);
    let run = olmap_with(&text, &["graph", "-", "--format", "mermaid", "--expand"]).exits(0);
    assert_eq!(run.out.matches("==>|replaces|").count(), 699);
    assert!(run.err.contains("-o markdown splits it"), "{}", run.err);
    let run = olmap_with(&text, &["graph", "-", "--expand"]).exits(2);
    assert!(run.err.contains("--expand supports only"), "{}", run.err);
}

#[test]
fn channels_side_by_side_are_an_image() {
    let args = ["graph", "demo/catalog", "-p", "granary-operator", "--side-by-side", "-o", "svg"];
    let run = olmap(&args).exits(0);
    assert!(run.out.starts_with("<svg ") && run.out.contains("Channels of granary-operator"), "{}", run.out);
}

#[test]
fn package_without_channels_is_reported() {
    let catalog = "schema: olm.package\nname: p\n";
    assert_eq!(olmap_with(catalog, &["graph", "-"]).exits(0).out, "p: no channels\n");
    assert_eq!(olmap_with(catalog, &["graph", "-", "--format", "json"]).exits(0).json()["package"], "p");
}
