//! Lists of keys.

use serde_json::{Value, json};

use crate::tui::{
    dialogs::DIALOGS,
    keys::{
        Keymap, Screen,
        spec::{ActionContext, ActionSpec},
    },
    shell::action_table as action,
};

/// Actions with the same context.
#[derive(Debug)]
pub struct ActionGroup {
    /// Title of the context.
    pub title: String,
    /// The actions, sorted by ID.
    pub actions: Vec<&'static ActionSpec>,
}

/// Returns all actions: first those of every screen, then those of some screens, then those of
/// dialogs.
pub fn action_groups() -> Vec<ActionGroup> {
    let mut groups: Vec<(ActionContext, ActionGroup)> = Vec::new();
    for spec in action::action_table().actions() {
        // Most dialog actions belong to several dialogs, so one group holds all and a column names
        // the dialogs.
        let context =
            if let ActionContext::In(_) = spec.context { ActionContext::In(DIALOGS) } else { spec.context };
        match groups.iter_mut().find(|(other, _)| *other == context) {
            Some((_, group)) => group.actions.push(spec),
            None => {
                groups.push((context, ActionGroup { title: context_title(context), actions: vec![spec] }));
            }
        }
    }
    groups.sort_by_key(|(context, _)| match context {
        ActionContext::Everywhere => 0,
        ActionContext::On([_]) => 1,
        ActionContext::On(_) => 2,
        ActionContext::In(_) => 3,
    });
    for (_, group) in &mut groups {
        // The table is in order of precedence; IDs are sorted by topic.
        group.actions.sort_by_key(|spec| spec.id);
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

fn context_title(context: ActionContext) -> String {
    match context {
        ActionContext::Everywhere => "Every screen".to_owned(),
        ActionContext::On(screens) => {
            screens.iter().map(|screen| screen.title()).collect::<Vec<_>>().join(", ")
        }
        ActionContext::In(_) => "Dialogs".to_owned(),
    }
}

/// Describes the dialogs of an action.
fn describe_dialogs(spec: &ActionSpec) -> Option<String> {
    let ActionContext::In(dialogs) = spec.context else { return None };
    if dialogs == DIALOGS {
        return Some("all".to_owned());
    }
    if dialogs.iter().all(|dialog| dialog.has_field) && dialogs.len() > 6 {
        return Some("every field".to_owned());
    }
    if dialogs.len() > 9 {
        return Some("every list".to_owned());
    }
    let mut titles: Vec<&str> = dialogs.iter().map(|dialog| dialog.title).collect();
    titles.dedup();
    Some(titles.join(", "))
}

/// Renders the effective keys as text. Keys of the configuration are marked with a star.
pub fn render_keys_text(keymap: &Keymap) -> String {
    let groups = action_groups();
    let rows = || groups.iter().flat_map(|group| &group.actions);
    let keys = |spec: &ActionSpec| keymap.action_keys(spec.id).join(", ");
    let widest = |of: &dyn Fn(&ActionSpec) -> usize| rows().map(|spec| of(spec)).max().unwrap_or_default();
    let (wide, names) = (widest(&|spec| keys(spec).chars().count()), widest(&|spec| spec.id.name().len()));
    let mut text = String::new();
    for group in &groups {
        text += &format!("{}\n", group.title);
        for spec in &group.actions {
            let mark = if keymap.is_overridden(spec.id) { '*' } else { ' ' };
            text += &format!("{mark} {:wide$}  {:names$}  {}\n", keys(spec), spec.id.name(), spec.doc);
        }
        text.push('\n');
    }
    if rows().any(|spec| keymap.is_overridden(spec.id)) {
        text += "* set in the configuration\n";
    } else {
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

/// Returns the effective keys as JSON.
pub fn keys_json(keymap: &Keymap) -> Value {
    let row = |spec: &ActionSpec| {
        let mut row = json!({
            "action": spec.id.name(),
            "title": spec.title,
            "doc": spec.doc,
            "keys": keymap.action_keys(spec.id),
            "default": spec.default_keys,
            "changed": keymap.is_overridden(spec.id),
        });
        let names = |screens: &[Screen]| -> Value {
            screens.iter().map(|screen| screen.title().to_lowercase()).collect()
        };
        let (name, places) = match spec.context {
            ActionContext::Everywhere => ("screens", names(Screen::ALL)),
            ActionContext::On(screens) => ("screens", names(screens)),
            ActionContext::In(dialogs) => ("dialogs", dialogs.iter().map(|dialog| dialog.title).collect()),
        };
        if let Some(row) = row.as_object_mut() {
            row.insert(name.to_owned(), places);
        }
        row
    };
    action::action_table().actions().map(row).collect()
}

/// Renders the effective keys as Markdown.
pub fn render_keys_document(keymap: &Keymap) -> String {
    let mut text = String::from(
        "# Keys\n\nWritten by `olmap keys -o markdown` from the table of actions; `?` in the \
         explorer shows the keys of the current screen or dialog, `:` finds an action by name. A sequence is pressed key by key: `g r` \
         is g, then r.\n\nEvery key can be changed in `~/.config/olmap/config.toml` (`olmap config --path` says where it is), \
         under `[keys]`, by the name of the action:\n\n```toml\n[keys]\nfind = [\"ctrl-p\", \"ctrl-f\"]    # several keys\n\
         reload = \"g r\"                  # a sequence\ntop = \"home\"                    # g alone would hide it\n\
         suspend = []                    # no key: the palette has it\n```\n\nA value replaces the keys of an action. Write keys as here: `x`, `X`, `ctrl-x`, `alt-x`, `f5`, `shift-up`, and `esc`, `enter`, `tab`, \
         `shift-tab`, `space`, `up`, `down`, `left`, `right`, `pgup`, `pgdn`, `home`, `end`, `backspace`, `delete`, `insert`. \
         olmap reports all errors with line and column at start and in `olmap config --check`; invalid settings are ignored, and the action keeps its keys. On a screen a key has one action, the digits 1 to 6 are reserved for screens, and `ctrl-c` always quits.\n",
    );
    for group in action_groups() {
        let in_dialogs = group.actions.iter().any(|spec| describe_dialogs(spec).is_some());
        text += &format!("\n## {}\n\n", group.title);
        if in_dialogs {
            text += "In a text field, letters are only typed. Fields support the arrow keys, Home, End, \
             `ctrl-a`, `ctrl-e`, `ctrl-w` and `ctrl-k`, as in a shell.\n\n";
        }
        text += if in_dialogs {
            "| keys | action | where | |\n|---|---|---|---|\n"
        } else {
            "| keys | action | |\n|---|---|---|\n"
        };
        for spec in group.actions {
            let keys = keymap.action_keys(spec.id);
            let keys: Vec<String> =
                keys.iter().map(|keys| format!("`{}`", keys.replace('|', "\\|"))).collect();
            let place = describe_dialogs(spec).map(|dialogs| format!(" {dialogs} |")).unwrap_or_default();
            let changed = if keymap.is_overridden(spec.id) { " (set in the configuration)" } else { "" };
            text += &format!("| {} | {} |{place} {}{changed} |\n", keys.join(", "), spec.id.name(), spec.doc);
        }
    }
    text
}
