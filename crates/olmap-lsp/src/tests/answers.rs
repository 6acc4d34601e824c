//! Tests of hover, completion, definition, references and symbols.

use gen_lsp_types::{
    CompletionItem, Contents,
    DocumentHighlightKind::{Read, Write},
    Location,
};

use super::*;
use crate::{complete, hover, links, navigate, outline, selection, symbols};

fn hover_text(fixture: &Fixture, markdown: bool) -> String {
    let hover =
        hover::hover_at(&fixture.draft, fixture.file_and_document(), fixture.at, (Encoding::Utf16, markdown));
    match hover.map(|hover| hover.contents) {
        Some(Contents::MarkupContent(content)) => content.value,
        _ => "nothing".to_owned(),
    }
}

#[test]
fn hover_of_entry_shows_upgrades_with_both_olms() {
    let told = hover_text(&ship_fixture("- name: ship.v1.1.0", 0), false);
    assert_eq!(
        told,
        "bundle ship.v1.1.0\nversion 1.1.0\n\
         Upgrades from 1.0.0 by replaces; 1.0.1 by skips\n\
         Classic, channel stable: stays on ship.v1.1.0\n    it is the head\n\
         v1, all channels: stays on ship.v1.1.0\n    no upgrade available\n\
         also in fast"
    );
    let told = hover_text(&ship_fixture("replaces: ship.v1", 0), false);
    assert!(
        told.contains("Upgrades to 1.1.0 by replaces") && told.contains("upgrades to ship.v1.1.0"),
        "{told}"
    );
    assert!(told.contains("DEPRECATED: [old](https://example.com)"), "{told}");
    let told = hover_text(&ship_fixture("skips: ['ship", 0), false);
    assert!(told.contains("not a bundle of ship: only named in entries"), "{told}");
}

#[test]
fn hover_of_bundle_channel_and_package_names_stuck_versions() {
    let bundle = |version: &str| {
        format!(
            "---\nschema: olm.bundle\npackage: ship\nname: ship.v{version}\nimage: example.com/ship:{version}\n\
             properties:\n- type: olm.package\n  value: {{packageName: ship, version: {version}}}\n"
        )
    };
    let text = format!(
        "schema: olm.package\nname: ship\ndefaultChannel: new\n---\nschema: olm.channel\npackage: ship\nname: new\n\
         entries:\n- name: ship.v2.0.0\n---\nschema: olm.channel\npackage: ship\nname: old\nentries:\n\
         - name: ship.v1.0.0\n- name: ship.v1.1.0\n  replaces: ship.v1.0.0\n{}{}{}",
        bundle("1.0.0"),
        bundle("1.1.0"),
        bundle("2.0.0")
    );
    let hover_at = |place: &str| {
        let at = text.find(place).unwrap() + place.len();
        hover_text(&fixture(&format!("{}{CURSOR_MARK}{}", &text[..at], &text[at..])), false)
    };
    let entry = hover_at("- name: ship.v1.0");
    let expected =
        "stuck, ends at ship.v1.1.0: it is the head of its channel, and no other channel upgrades from it";
    assert!(entry.lines().any(|line| line == expected), "{entry}");
    assert!(entry.contains("Classic, channel old: upgrades to ship.v1.1.0"), "{entry}");
    assert!(!hover_at("- name: ship.v2.0").contains("stuck"));
    let end = hover_at("- name: ship.v1.1");
    assert!(end.contains("stuck, ends here: "), "{end}");
    let channel = hover_at("name: ol");
    assert!(channel.contains("2 of 2 entries stuck"), "{channel}");
    let package = hover_at("name: shi");
    assert!(package.contains("2 of 3 stuck below ship.v2.0.0"), "{package}");
}

#[test]
fn hover_of_channel_package_and_range_shows_contents() {
    let channel = hover_text(&ship_fixture("defaultChannel: st", 0), false);
    assert!(
        channel.starts_with("channel stable\n2 entries, default channel\nhead: ship.v1.1.0\n"),
        "{channel}"
    );
    let fast = hover_text(&ship_fixture("name: fast", 0), false);
    assert!(fast.contains("DEPRECATED: Use stable."), "{fast}");
    let package = hover_text(&ship_fixture("name: ship", 0), false);
    assert_eq!(
        package,
        "package ship\n2 channels, 2 bundles\nno version is stuck\nstable (default): ship.v1.1.0\nfast: ship.v1.1.0"
    );
    assert_eq!(
        hover_text(&ship_fixture("skipRange: '<1", 0), false),
        "skipRange\n<1.1.0\nmatches no other entry of fast"
    );
    assert_eq!(hover_text(&ship_fixture("image: example", 0), false), "nothing");
    assert!(channel.contains("Classic and v1 agree on the next upgrade of 2 of 2 entries"), "{channel}");
}

#[test]
fn catalog_text_is_not_rendered_as_markup() {
    let told = hover_text(&ship_fixture("name: ship.v1.0.0", 0), true);
    assert!(
        told.starts_with("**bundle** `ship.v1.0.0`\n\n- DEPRECATED: \\[old\\](https\\://example.com)\n"),
        "{told}"
    );
    assert!(told.contains("\n- Classic, channel stable: upgrades to ship.v1.1.0\n    - "), "{told}");
    let evil = "\"``` [x](https://example.com) <b> *c* www.example.com \\u001b[31m\"";
    let mut evil = SHIP.replace("'[old](https://example.com)'", evil);
    let at = evil.find("- name: ship.v1.0.0").unwrap() + 8;
    evil.insert_str(at, CURSOR_MARK);
    let told = hover_text(&fixture(&evil), true);
    let line = told.lines().find(|line| line.contains("DEPRECATED")).unwrap();
    let expected = r"- DEPRECATED: \`\`\` \[x\](https\://example.com) \<b\> \*c\* www\.example.com ";
    assert!(line.starts_with(expected) && !told.contains('\u{1b}'), "{told}");
}

#[test]
fn hover_of_fields_and_schemas_shows_their_documentation() {
    let told = hover_text(&ship_fixture("  skipRan", 0), false);
    assert_eq!(told, "skipRange\nThe versions that can be upgraded to it.");
    let told = hover_text(&ship_fixture("entries:\n- na", 0), false);
    assert!(told.starts_with("name\nThe bundle.\n\nbundle ship.v1.0.0\n"), "{told}");
    let told = hover_text(&ship_fixture("schema: olm.cha", 0), true);
    assert_eq!(told, "`olm.channel`\n\n- A channel of a package and its entries.");
    let json = r#"{"schema":"olm.package","name":"a","default<|>Channel":"b"}"#;
    assert_eq!(
        hover_text(&fixture(json), false),
        "defaultChannel\nThe channel of a subscription that names none.\n\nchannel b\nnot a channel of a"
    );
}

#[test]
fn edges_offer_the_next_lower_entry_first() {
    let channel = |edge: &str| {
        let mut text = "schema: olm.channel\npackage: p\nname: c\nentries:\n".to_owned();
        for version in ["1.0.0", "1.1.0", "1.3.0"] {
            text += &format!("- name: p.v{version}\n  skipRange: '>=1.0.0 <{version}'\n");
        }
        text += &format!("- name: p.v1.2.0\n  {edge}\n");
        for version in ["0.9.0", "1.0.0", "1.1.0", "1.2.0", "1.3.0"] {
            text += &format!(
                "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nproperties: [{{type: olm.package, value: {{packageName: p, version: {version}}}}}]\n"
            );
        }
        fixture(&text)
    };
    let lower = ["p.v1.1.0", "p.v1.0.0", "p.v0.9.0"];
    assert_eq!(completion_labels(&channel("replaces: <|>")), lower);
    assert_eq!(completion_labels(&channel("skips: [<|>]")), lower);
    assert_eq!(completion_labels(&channel("replaces: p.v1<|>")), [&lower[..], &["p.v1.3.0"]].concat());
    assert_eq!(completion_labels(&channel("skipRange: <|>")), [">=1.0.0 <1.2.0", "<1.2.0"]);
}

#[test]
fn snippets_insert_nested_keys_and_documents() {
    let inserted = |fixture: &Fixture, label: &str, snippets: bool| {
        let items = offered_with(fixture, snippets);
        let item = items.iter().find(|item| item.label == label)?;
        let Some(gen_lsp_types::CompletionItemTextEdit::TextEdit(edit)) = &item.text_edit else {
            return None;
        };
        Some((edit.new_text.clone(), item.insert_text_format.is_some()))
    };
    let text = "schema: olm.deprecations\npackage: a\nentries:\n- <|>\n";
    let nested = "reference:\n    schema: ${1|olm.bundle,olm.channel|}\n    name: $2";
    assert_eq!(inserted(&fixture(text), "reference", true), Some((nested.to_owned(), true)));
    assert_eq!(inserted(&fixture(text), "reference", false), Some(("reference:".to_owned(), false)));
    let (document, _) = inserted(&fixture("<|>"), "olm.channel", true).unwrap();
    assert!(document.starts_with("schema: olm.channel\npackage: ${1:PACKAGE}\n"), "{document}");
    assert_eq!(inserted(&fixture("<|>"), "olm.channel", false), None);
    let second = "schema: olm.package\nname: a\n---\n<|>";
    assert_eq!(completion_labels(&fixture(second)), ["schema"]);
    assert!(inserted(&fixture(second), "olm.bundle", true).is_some());
    let known = "schema: olm.package\nname: a\n<|>";
    assert_eq!(inserted(&fixture(known), "olm.bundle", true), None);
    let json = r#"{"schema":"olm.deprecations","entries":[{<|>}]}"#;
    assert_eq!(inserted(&fixture(json), "reference", true), Some(("\"reference\": ".to_owned(), false)));
}

fn offered_items(fixture: &Fixture) -> Vec<CompletionItem> {
    offered_with(fixture, false)
}

fn offered_with(fixture: &Fixture, snippets: bool) -> Vec<CompletionItem> {
    let style = (Encoding::Utf16, snippets);
    complete::completions_at(&fixture.draft, fixture.file_and_document(), fixture.at, style)
}

fn completion_labels(fixture: &Fixture) -> Vec<String> {
    offered_items(fixture).into_iter().map(|item| item.label).collect()
}

/// Returns the package with text inserted after `behind`, and the cursor at its end.
fn fixture_with_insertion(behind: &str, text: &str) -> Fixture {
    let at = SHIP.find(behind).unwrap() + behind.len();
    let mut whole = SHIP.to_owned();
    whole.insert_str(at, text);
    fixture(&whole)
}

#[test]
fn names_are_completed_in_their_context() {
    let entry = "name: stable\nentries:\n";
    assert_eq!(
        completion_labels(&fixture_with_insertion(entry, "- name: <|>\n")),
        Vec::<String>::new(),
        "all bundles are entries"
    );
    let replaces = fixture_with_insertion(entry, "- name: ship.v1.2.0\n  replaces: sh<|>\n");
    assert_eq!(completion_labels(&replaces), ["ship.v1.1.0", "ship.v1.0.0"]);
    let items = offered_items(&replaces);
    assert_eq!(items[1].detail.as_deref(), Some("1.0.0, in stable"));
    assert!(items[1].tags.is_some() && items[0].tags.is_none(), "one is deprecated");
    assert_eq!(
        completion_labels(&fixture_with_insertion("defaultChannel: stable\n", "x: 1\ndefaultChannel: <|>\n")),
        ["stable", "fast"]
    );
    assert_eq!(
        completion_labels(&fixture_with_insertion("schema: olm.channel\n    name: fast", "<|>")),
        ["stable", "fast"]
    );
    assert_eq!(
        completion_labels(&fixture_with_insertion("package: ship\nname: fast\n", "package: <|>\n")),
        ["ship"]
    );
    let schemas = completion_labels(&fixture("schema: olm<|>"));
    assert!(
        schemas.contains(&"olm.channel".to_owned()) && schemas.contains(&"olm.semver".to_owned()),
        "{schemas:?}"
    );
}

#[test]
fn missing_fields_are_completed() {
    assert_eq!(completion_labels(&fixture_with_insertion("- name: ship.v1.1.0\n", "  <|>\n")), ["skipRange"]);
    assert_eq!(
        completion_labels(&fixture_with_insertion("name: stable\nentries:\n", "- <|>\n")),
        ["name", "replaces", "skips", "skipRange"]
    );
    assert_eq!(
        completion_labels(&fixture("schema: olm.package\nname: a\n<|>")),
        ["defaultChannel", "description", "icon"]
    );
    assert_eq!(completion_labels(&fixture("<|>")), ["schema"]);
    let item = &offered_items(&fixture("schema: olm.channel\nent<|>"))[2];
    let Some(gen_lsp_types::CompletionItemTextEdit::TextEdit(edit)) = &item.text_edit else {
        panic!("an edit")
    };
    assert_eq!((edit.new_text.as_str(), format_range(edit.range)), ("entries:", "1:0-1:3".to_owned()));
}

#[test]
fn completions_are_quoted_if_needed() {
    let text = "schema: olm.package\nname: a\ndefaultChannel: <|>\n---\nschema: olm.channel\npackage: a\nname: '4.10'\n";
    let Some(gen_lsp_types::CompletionItemTextEdit::TextEdit(edit)) =
        &offered_items(&fixture(text))[0].text_edit
    else {
        panic!("an edit")
    };
    assert_eq!(edit.new_text, "'4.10'");
    let Some(gen_lsp_types::CompletionItemTextEdit::TextEdit(edit)) =
        &offered_items(&fixture(&text.replace(": <|>", ":<|>")))[0].text_edit
    else {
        panic!("an edit")
    };
    assert_eq!(edit.new_text, " '4.10'", "with the blank that is missing");
    let json = r#"{"schema":"olm.package","name":"a","defaultChannel":"<|>"}{"schema":"olm.channel","package":"a","name":"x"}"#;
    let Some(gen_lsp_types::CompletionItemTextEdit::TextEdit(edit)) =
        &offered_items(&fixture(json))[0].text_edit
    else {
        panic!("an edit")
    };
    assert_eq!(edit.new_text, "x");
}

fn format_locations(locations: &[Location]) -> Vec<String> {
    let file = |location: &Location| location.uri.0.rsplit('/').next().unwrap_or_default().to_owned();
    locations.iter().map(|location| format!("{} {}", file(location), format_range(location.range))).collect()
}

#[test]
fn definitions_and_references_are_found_in_all_files() {
    let fixture = ship_fixture("replaces: ship.v1", 0);
    let of = |fixture: &Fixture| {
        navigate::find_definition(&fixture.draft, fixture.file_and_document(), fixture.at, Encoding::Utf16)
    };
    assert_eq!(format_locations(&of(&fixture)), ["bundles.yaml 2:6-2:17"]);
    assert_eq!(format_locations(&of(&ship_fixture("defaultChannel: st", 0))), ["catalog.yaml 6:6-6:12"]);
    assert_eq!(format_locations(&of(&ship_fixture("package: sh", 4))), ["catalog.yaml 1:6-1:10"]);
    assert_eq!(
        format_locations(&of(&ship_fixture("skips: ['ship", 0))),
        Vec::<String>::new(),
        "nothing defines it"
    );
    let all = |with| {
        navigate::find_references(
            &fixture.draft,
            fixture.file_and_document(),
            fixture.at,
            Encoding::Utf16,
            with,
        )
    };
    let entries = ["catalog.yaml 8:8-8:19", "catalog.yaml 10:12-10:23", "catalog.yaml 29:10-29:21"];
    assert_eq!(format_locations(&all(false)), entries);
    assert_eq!(all(true).len(), 4);
}

#[test]
fn columns_use_the_negotiated_encoding() {
    let text = "schema: olm.channel\npackage: ü\nname: '🐱🐱'\nentries:\n- {skips: [\"演.v1\"], name: \"演.v<|>2\"}\n";
    for (encoding, expected) in
        [(Encoding::Utf8, "4:28-4:36"), (Encoding::Utf16, "4:26-4:32"), (Encoding::Utf32, "4:26-4:32")]
    {
        let fixture = fixture_in(text, encoding);
        let found =
            navigate::find_definition(&fixture.draft, fixture.file_and_document(), fixture.at, encoding);
        assert_eq!(
            found.iter().map(|found| format_range(found.range)).collect::<Vec<_>>(),
            [expected],
            "{encoding:?}"
        );
    }
    let cats = fixture(
        "schema: olm.package\nname: a\ndefaultChannel: '🐱🐱' # <|>\n---\nschema: olm.channel\npackage: a\nname: '🐱🐱'\n",
    );
    assert_eq!(cats.at.character, 25, "a cat is two units");
}

#[test]
fn objects_are_symbols_and_folds() {
    let fixture = ship_fixture("name: fast", 0);
    let symbols = outline::document_symbols(&fixture.draft, fixture.file, Encoding::Utf16);
    let names: Vec<_> = symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    assert_eq!(names, ["ship", "stable", "fast", "deprecations"]);
    let entries: Vec<_> = symbols[1].children.iter().flatten().map(|entry| entry.name.as_str()).collect();
    assert_eq!(entries, ["ship.v1.0.0", "ship.v1.1.0"]);
    for symbol in &symbols {
        assert!(
            symbol.range.start <= symbol.selection_range.start
                && symbol.selection_range.end <= symbol.range.end
        );
    }
    let folds = outline::folding_ranges(&fixture.document.to_bytes());
    let lines: Vec<_> = folds.iter().map(|fold| (fold.start_line, fold.end_line)).collect();
    assert!(lines.contains(&(0, 2)) && lines.contains(&(7, 11)) && lines.contains(&(9, 11)), "{lines:?}");
}

#[test]
fn key_of_a_name_stands_for_the_name() {
    let references = |fixture: &Fixture| {
        let here = fixture.file_and_document();
        let found = navigate::find_references(&fixture.draft, here, fixture.at, Encoding::Utf16, true);
        format_locations(&found)
    };
    let at_name = references(&ship_fixture("- name: ship.v1.1", 0));
    assert_eq!(at_name.len(), 3);
    assert_eq!(
        references(&ship_fixture("entries:\n- na", 0)),
        references(&ship_fixture("- name: ship.v1.0", 0))
    );
    assert_eq!(references(&ship_fixture("  repl", 0)), references(&ship_fixture("replaces: ship", 0)));
    assert_eq!(references(&ship_fixture("  skip", 0)), [""; 0], "a list of names is not a name");
    assert_eq!(references(&ship_fixture("sche", 0)), [""; 0]);
}

#[test]
fn occurrences_in_the_file_are_highlighted() {
    let fixture = ship_fixture("replaces: ship.v1", 0);
    let here = fixture.file_and_document();
    let found = navigate::document_highlights(&fixture.draft, here, fixture.at, Encoding::Utf16);
    let lines: Vec<_> = found.iter().map(|found| (found.range.start.line, found.kind.unwrap())).collect();
    assert_eq!(lines, [(8, Write), (10, Read), (29, Read)], "the definition is in another file");
}

#[test]
fn symbols_of_all_files_are_found_by_letters() {
    let fixture = ship_fixture("name: fast", 0);
    let names = |query: &str| -> Vec<String> {
        let found = symbols::workspace_symbols([&fixture.draft], query, Encoding::Utf16);
        let describe = |found: &gen_lsp_types::WorkspaceSymbol| {
            let symbol = serde_json::to_value(found).unwrap();
            let tag = if symbol["tags"].is_array() { " deprecated" } else { "" };
            let line = &symbol["location"]["range"]["start"]["line"];
            format!("{} {} {line}{tag}", symbol["name"].as_str().unwrap(), symbol["containerName"])
        };
        found.iter().map(describe).collect()
    };
    assert_eq!(
        names("SHIP"),
        ["ship null 1", "ship.v1.0.0 \"ship\" 2 deprecated", "ship.v1.1.0 \"ship\" 10"]
    );
    assert_eq!(names("fst"), ["fast \"ship\" 15 deprecated"]);
    assert_eq!(names("").len(), 5);
    assert_eq!(names("zz"), [""; 0]);
}

#[test]
fn images_of_templates_are_links_even_if_their_bundles_are_unknown() {
    let linked = |text: &str| {
        let fixture = fixture(text);
        let found = links::document_links(&fixture.draft, fixture.file, Encoding::Utf16);
        let describe = |link: &gen_lsp_types::DocumentLink| {
            format!("{} {}", format_range(link.range), link.target.as_ref().unwrap().0)
        };
        found.iter().map(describe).collect::<Vec<_>>()
    };
    let basic = "schema: olm.template.basic\nentries:\n- schema: olm.package\n  name: ship\n\
                 - schema: olm.bundle\n  image: example.com/ship:v1<|>\n- {schema: olm.bundle, image: 'example.com/b@x'}\n";
    assert_eq!(linked(basic), ["5:9-5:28 https://example.com/ship"], "a wrong digest has no page");
    let semver = "schema: olm.semver\nstable:\n  bundles:\n  - image: example.com/a/ship:v1\n  - Image: \"example.com/b<|>\"\n";
    assert_eq!(linked(semver), ["3:11-3:32 https://example.com/a/ship", "4:11-4:26 https://example.com/b"]);
}

#[test]
fn images_are_links_and_selections_grow() {
    let fixture = ship_fixture("image: example", 0);
    let found = links::document_links(&fixture.draft, fixture.file, Encoding::Utf16);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].target.as_ref().unwrap().0, "https://example.com/ship");
    assert_eq!(found[0].range.start, Position { line: 3, character: 7 });
    let fixture = ship_fixture("replaces: ship.v1", 0);
    let grown = selection::selection_ranges(&fixture.document, &[fixture.at], Encoding::Utf16);
    let mut ranges = vec![format_range(grown[0].range)];
    let mut parent = grown[0].parent.as_deref();
    while let Some(outer) = parent {
        ranges.push(format_range(outer.range));
        parent = outer.parent.as_deref();
    }
    assert_eq!(ranges[..2], ["10:12-10:23", "10:2-10:23"]);
    assert!(ranges.len() >= 6 && ranges.last().unwrap().starts_with("0:0-"), "{ranges:?}");
}
