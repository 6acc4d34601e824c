//! Actions of the Bundle screen.

use super::Bundle;
use crate::{
    config::Clipboard,
    tui::{
        keys::{
            ActionId, Screen,
            spec::{ActionContext::On, Enabled},
        },
        session::{
            action::{Action, action},
            context::{Context, ViewContext},
        },
        work::{Effect, effect::ClipboardText},
    },
};
use olm_bundle::outline::Row;
use olmap_report::escape;

/// The actions.
pub static TABLE: &[Action<Bundle>] = &[
    action(
        ActionId::NextSection,
        On(&[Screen::Bundle]),
        &["}"],
        "next section",
        "Go to the next section of the bundle",
        |bundle, cx| bundle.next_section(true, cx),
    ),
    action(
        ActionId::PreviousSection,
        On(&[Screen::Bundle]),
        &["{"],
        "previous section",
        "Go to the previous section of the bundle",
        |bundle, cx| bundle.next_section(false, cx),
    ),
    action(
        ActionId::CopyRow,
        On(&[Screen::Bundle]),
        &["y y"],
        "copy this",
        "Copy the selected row: an example as JSON, a description as Markdown",
        copy_row,
    )
    .with_search_terms(&["yank", "clipboard", "example"])
    .with_hint()
    .enabled_when(can_copy),
];

fn selected_row(bundle: &Bundle) -> Option<&Row> {
    bundle.selected_section_and_row()?.1
}

fn can_copy(bundle: &Bundle, view_cx: &ViewContext<'_>) -> Enabled {
    if view_cx.settings.clipboard == Some(Clipboard::Off) {
        return Err("copying is disabled in the configuration".to_owned());
    }
    selected_row(bundle).map(|_| ()).ok_or_else(|| "this is a heading: select a row".to_owned())
}

fn copy_row(bundle: &mut Bundle, cx: &mut Context<'_>) {
    let Some(row) = selected_row(bundle) else { return };
    let copied = if let Some(body) = &row.body {
        let lines: Vec<_> = escape::escape_lines(body.text()).collect();
        let what = escape::escape_line(&format!("{} {}", row.label, row.value)).trim().to_owned();
        ClipboardText { description: what, text: format!("{}\n", lines.join("\n").trim_end()) }
    } else {
        let text = if row.value.is_empty() { &row.label } else { &row.value };
        let text = escape::escape_line(text).into_owned();
        ClipboardText { description: text.clone(), text }
    };
    cx.request(Effect::Copy(copied));
}
