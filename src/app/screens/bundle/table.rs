//! Actions of the Bundle screen.

use super::Bundle;
use crate::{
    app::{
        keys::{
            ActionId, Screen,
            spec::{Context::On, Enabled},
        },
        session::{
            action::{Action, action},
            cx::{Cx, See},
        },
        work::{Effect, effect::Copied},
    },
    bundle::inside::Row,
    config::Clipboard,
    export::plain,
};

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
        copy,
    )
    .also(&["yank", "clipboard", "example"])
    .hinted()
    .when(can_copy),
];

fn row(bundle: &Bundle) -> Option<&Row> {
    bundle.selected()?.1
}

fn can_copy(bundle: &Bundle, see: &See<'_>) -> Enabled {
    if see.settings.clipboard == Some(Clipboard::Off) {
        return Err("copying is disabled in the configuration".to_owned());
    }
    row(bundle).map(|_| ()).ok_or_else(|| "this is a heading: select a row".to_owned())
}

fn copy(bundle: &mut Bundle, cx: &mut Cx<'_>) {
    let Some(row) = row(bundle) else { return };
    let copied = if let Some(body) = &row.body {
        let lines: Vec<_> = plain::lines(body.text()).collect();
        let what = plain::line(&format!("{} {}", row.label, row.value)).trim().to_owned();
        Copied { what, text: format!("{}\n", lines.join("\n").trim_end()) }
    } else {
        let text = if row.value.is_empty() { &row.label } else { &row.value };
        let text = plain::line(text).into_owned();
        Copied { what: text.clone(), text }
    };
    cx.ask(Effect::Copy(copied));
}
