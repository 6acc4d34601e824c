//! The effective configuration, and its schema.

use serde_json::{Map, Value, json};

use crate::config::{Config, OPTIONS, OptionKind, quote_toml};
use crate::tui::{keys::Keymap, shell::describe::action_groups};

/// Renders the effective configuration as TOML that parses to the same configuration. Defaults are
/// comments.
pub fn render_configuration(config: &Config, keymap: &Keymap) -> String {
    let mut text = String::from("# Lines after # are defaults.\n");
    for option in OPTIONS {
        let words = match option.kind {
            OptionKind::Word(words) => format!(": {}", words.join(", ")),
            OptionKind::Flag | OptionKind::Text => String::new(),
        };
        text += &format!("\n# {}{words}.\n", option.doc);
        text += &match (option.configured_value(config), option.default) {
            (Some(said), _) => format!("{} = {said}\n", option.name),
            (None, default) => format!("# {} = {}\n", option.name, default.unwrap_or("\"...\"")),
        };
    }
    text += "\n# Keys by the names of actions: a key, several, or [] for none.\n[keys]\n";
    for group in action_groups() {
        text += &format!("\n# -- {}\n", group.title);
        for spec in group.actions {
            let keys: Vec<String> = keymap.action_keys(spec.id).iter().map(|key| quote_toml(key)).collect();
            let mark = if keymap.is_overridden(spec.id) { "" } else { "# " };
            text += &format!("\n# {}.\n{mark}{} = [{}]\n", spec.doc, spec.id.name(), keys.join(","));
        }
    }
    text
}

/// Renders `docs/configuration.md`.
pub fn render_configuration_document() -> String {
    let mut text = String::from(
        "# Configuration\n\n<!-- Written by OLMAP_UPDATE=1 cargo test --test documents, from the table of options. -->\n\n\
         olmap needs no configuration. The explorer, `olmap keys`, `olmap config` and `olmap doctor` read one file of TOML; all \
         other commands\nread none, so what a script prints does not depend on whose machine it runs on.\n\n\
         | the file is | |\n|---|---|\n\
         | `--config PATH` | where it is given; `none` for no configuration |\n\
         | `$OLMAP_CONFIG` | else, where it is set; `none` or empty for no configuration |\n\
         | `~/.config/olmap/config.toml` | else, if it is there: below `$XDG_CONFIG_HOME` where that is set; `olmap config --path` \
         prints it |\n\n\
         A flag (`--theme`, `--ascii`, `--color`, `--no-watch`) wins over the file. `olmap config --print` prints every option and \
         action with its\ndefault as a comment: a file to start from.\n\n## Options\n\n\
         | option | takes | default | |\n|---|---|---|---|\n",
    );
    for option in OPTIONS {
        let takes = match option.kind {
            OptionKind::Flag => "`true`, `false`".to_owned(),
            OptionKind::Word(words) => {
                words.iter().map(|word| format!("`\"{word}\"`")).collect::<Vec<_>>().join(", ")
            }
            OptionKind::Text => "a text".to_owned(),
        };
        let default = option.default.map(|default| format!("`{default}`")).unwrap_or_default();
        text +=
            &format!("| `{}` | {takes} | {default} | {} |\n", option.name, option.doc.replace('|', "\\|"));
    }
    text += "\n## Keys\n\nThe table `[keys]` gives an action a key, several, or none: [Keys](keys.md) has an example, the names of all \
             actions and\ntheir defaults.\n\n## Errors\n\n\
             An option, action or key that does not exist, and a value of the wrong type, is reported with line, column and a hint: \
             at start, on the\nAbout screen (`I`), and by `olmap config --check`, which exits with 1. That setting is ignored, all \
             others are not.\n\n## In an editor\n\n\
             `olmap config --schema` prints a JSON Schema. With it beside the file, editors that use taplo complete and check as you \
             type:\n\n\
             ```toml\n#:schema ./config.schema.json\ntheme = \"dark\"\n\n[keys]\nfind = [\"ctrl-p\", \"ctrl-f\"]\n```\n";
    text
}

/// Returns a JSON Schema of the configuration, for editors.
pub fn configuration_schema() -> Value {
    let mut options = Map::new();
    for option in OPTIONS {
        let mut of = match option.kind {
            OptionKind::Flag => json!({ "type": "boolean" }),
            OptionKind::Word(words) => json!({ "enum": words }),
            OptionKind::Text => json!({ "type": "string", "pattern": "\\S" }),
        };
        of["description"] = option.doc.into();
        if let Some(default) = option.default.and_then(|default| serde_json::from_str(default).ok()) {
            let default: Value = default;
            of["default"] = default;
        }
        options.insert(option.name.to_owned(), of);
    }
    let mut keys = Map::new();
    for spec in action_groups().into_iter().flat_map(|group| group.actions) {
        let of = json!({ "$ref": "#/$defs/keys", "description": spec.doc, "default": spec.default_keys });
        keys.insert(spec.id.name().to_owned(), of);
    }
    options.insert(
        "keys".to_owned(),
        json!({
            "type": "object",
            "description": "The keys of actions, instead of the defaults",
            "additionalProperties": false,
            "properties": keys,
        }),
    );
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Configuration of olmap",
        "type": "object",
        "additionalProperties": false,
        "properties": options,
        "$defs": {
            "keys": {
                "description": "A key such as ctrl-f, several keys, or none; a sequence has spaces: \"o s\"",
                "anyOf": [
                    { "type": "string" },
                    { "type": "array", "items": { "type": "string" }, "uniqueItems": true },
                ],
            },
        },
    })
}
