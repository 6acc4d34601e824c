//! Tests of inlay hints.

use gen_lsp_types::{Label, Tooltip};

use super::*;
use crate::inlay;

/// Package whose channel `old` ends below the default channel, and whose channel `new` has a gap.
fn two_channels() -> String {
    let bundle = |version: &str| {
        format!(
            "---\nschema: olm.bundle\npackage: ship\nname: ship.v{version}\nimage: example.com/ship:{version}\n\
             properties:\n- type: olm.package\n  value: {{packageName: ship, version: {version}}}\n"
        )
    };
    let head = "schema: olm.package\nname: ship\ndefaultChannel: new\n---\nschema: olm.channel\npackage: ship\n\
                name: new\nentries:\n- name: ship.v2.0.0\n- name: ship.v2.1.0\n  replaces: ship.v2.0.0\n---\n\
                schema: olm.channel\npackage: ship\nname: old\nentries:\n- name: ship.v1.0.0\n\
                - name: ship.v1.1.0\n  replaces: ship.v1.0.0\n";

    let versions = ["1.0.0", "1.1.0", "2.0.0", "2.1.0"];
    head.to_owned() + &versions.map(bundle).concat()
}

/// Returns `line:column label` of each hint in some lines.
fn hint_lines(text: &str, lines: std::ops::Range<u32>) -> Vec<String> {
    fixture_hint_lines(&fixture(&format!("{CURSOR_MARK}{text}")), lines)
}

fn fixture_hint_lines(fixture: &Fixture, lines: std::ops::Range<u32>) -> Vec<String> {
    let at = |line| Position { line, character: 0 };
    let range = Range { start: at(lines.start), end: at(lines.end) };
    let here = (fixture.file, &fixture.document);
    let hints = inlay::inlay_hints(&fixture.draft, here, range, Encoding::Utf16);
    let describe = |hint: &gen_lsp_types::InlayHint| {
        let Label::String(label) = &hint.label else { panic!("a text") };
        format!("{}:{} {label}", hint.position.line, hint.position.character)
    };
    hints.iter().map(describe).collect()
}

#[test]
fn hints_show_next_upgrades_and_stuck_versions() {
    let text = two_channels();
    let all = hint_lines(&text, 0..100);
    assert_eq!(all, ["8:19 → 2.1.0", "9:19 head", "16:19 → 1.1.0 (stuck at 1.1.0)", "17:19 stuck"]);
    let with_v1 =
        text.replace("- name: ship.v2.0.0\n", "- name: ship.v2.0.0\n  skips: [ship.v1.0.0, ship.v1.1.0]\n");
    let all = hint_lines(&with_v1, 0..100);
    assert_eq!(all[2..], ["17:19 Classic → 1.1.0, v1 → 2.0.0", "18:19 Classic head, v1 → 2.0.0"]);
}

#[test]
fn hints_are_limited_to_the_range_and_follow_edits() {
    let text = two_channels();
    let mut fixture = fixture(&format!("{CURSOR_MARK}{text}"));
    assert_eq!(fixture_hint_lines(&fixture, 9..10), ["9:19 head"]);
    assert_eq!(fixture_hint_lines(&fixture, 30..40), [""; 0]);
    let edited = text.replace("  replaces: ship.v2.0.0\n", "  skips: [ship.v2.0.0, ship.v1.1.0]\n");
    fixture.document = TextDocument::new(&edited);
    fixture.draft.type_document(fixture.file, &mut fixture.document);
    let after = fixture_hint_lines(&fixture, 16..18);
    assert_eq!(after, ["16:19 → 1.1.0", "17:19 Classic head, v1 → 2.1.0"]);
}

#[test]
fn hints_of_invalid_channels_and_missing_bundles_claim_nothing() {
    let two_heads =
        two_channels().replace("- name: ship.v1.1.0\n  replaces: ship.v1.0.0\n", "- name: ship.v1.1.0\n");
    let old = hint_lines(&two_heads, 15..20);
    assert_eq!(old, ["16:19 Classic ?, v1 stays", "17:19 Classic ?, v1 stays"]);
    let missing = two_channels().replace("- name: ship.v1.0.0", "- name: ship.v0.5.0");
    assert_eq!(hint_lines(&missing, 15..17), [""; 0]);
    let unread = two_channels() + "---\nschema: olm.channel\npackage: ship\nname: [broken\n";
    let cluster = hint_lines(&unread, 8..9);
    assert_eq!(cluster, ["8:19 Classic → 2.1.0, v1 ?"]);
}

#[test]
fn tooltips_have_the_sentences_of_the_commands() {
    let fixture = fixture(&format!("{CURSOR_MARK}{}", two_channels()));
    let range = fixture.document.range(Encoding::Utf16);
    let here = (fixture.file, &fixture.document);
    let hints = inlay::inlay_hints(&fixture.draft, here, range, Encoding::Utf16);
    let Some(Tooltip::String(text)) = &hints[2].tooltip else { panic!("a tooltip") };
    assert_eq!(
        text,
        "Classic, channel old: upgrades to ship.v1.1.0\nv1, all channels: upgrades to ship.v1.1.0\n\
         stuck, ends at 1.1.0: it is the head of its channel, and no other channel upgrades from it"
    );
}
