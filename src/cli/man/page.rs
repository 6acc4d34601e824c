//! Manual page in roff.

use roff::{Inline, Roff, bold, italic, line_break, roman};

use super::{CommandDoc, Note, Parameter, Row};
use crate::{
    cli::configuration::VARIABLE,
    tui::{default_keymap, shell::describe},
};

/// Renders the page of a command. The parent command is `None` for olmap itself.
pub fn render_page(told: &CommandDoc, above: Option<&CommandDoc>, olmap: &CommandDoc) -> String {
    let mut roff = Roff::new();
    let version = format!("olmap {}", env!("CARGO_PKG_VERSION"));
    // No date, so that the output is reproducible.
    roff.control("TH", [told.page_name().as_str(), "1", "\"\"", &version, "olmap manual"]);
    // No hyphenation and no justified text, so that commands stay as typed.
    roff.control("nh", []).control("ad", ["l"]);
    add_section(&mut roff, "NAME");
    // Programs that list pages parse this line: one dash, no final period.
    let about = told.about.trim_end_matches('.');
    roff.text([roman(format!("{} - {about}", told.page_name()))]);
    add_section(&mut roff, "SYNOPSIS");
    for (n, line) in told.usage.iter().enumerate() {
        let rest = line.strip_prefix(told.name.as_str()).unwrap_or(line);
        let break_before = (n > 0).then(line_break);
        roff.text(
            break_before.into_iter().chain([bold(told.name.as_str()), roman(rest)]).collect::<Vec<_>>(),
        );
    }
    add_section(&mut roff, "DESCRIPTION");
    roff.text(format_inlines(&told.about));
    add_notes(&mut roff, &told.notes);
    add_parameters(&mut roff, told);
    if !told.commands.is_empty() {
        add_section(&mut roff, "COMMANDS");
        for command in &told.commands {
            add_tagged(&mut roff, [bold(command.page_name()), roman("(1)")], &command.about);
        }
    }
    if above.is_none() {
        add_keys(&mut roff);
    }
    add_section(&mut roff, "EXIT STATUS");
    for (code, words) in &told.exit_codes {
        add_tagged(&mut roff, [bold(code.as_str())], &to_sentence(words));
    }
    if above.is_none() {
        add_rows(&mut roff, "ENVIRONMENT", ENVIRONMENT);
        add_rows(&mut roff, "FILES", FILES);
    }
    add_examples(&mut roff, &told.examples);
    add_section(&mut roff, "SEE ALSO");
    roff.text(related_pages(told, above, olmap));
    roff.render()
}

fn add_section(roff: &mut Roff, title: &str) {
    roff.control("SH", [title]);
}

/// Adds a term with its description below.
fn add_tagged(roff: &mut Roff, term: impl Into<Vec<Inline>>, words: &str) {
    roff.control("TP", []).text(term).text(format_inlines(words));
}

fn add_rows(roff: &mut Roff, title: &str, rows: &[(&str, &str)]) {
    add_section(roff, title);
    for (term, words) in rows {
        add_tagged(roff, [bold(*term)], words);
    }
}

/// Parses text, and makes the parts in backticks bold.
fn format_inlines(text: &str) -> Vec<Inline> {
    let pieces = text.split('`').enumerate();
    let pieces = pieces.filter(|(_, piece)| !piece.is_empty());
    pieces.map(|(n, piece)| if n % 2 == 1 { bold(piece) } else { roman(piece) }).collect()
}

fn add_notes(roff: &mut Roff, notes: &[Note]) {
    for note in notes {
        match note {
            Note::Text(text) => roff.control("PP", []).text(format_inlines(text)),
            Note::Code(line) => {
                let begins = roff.control("PP", []).control("RS", ["4"]).control("nf", []);
                begins.text([bold(line.as_str())]).control("fi", []).control("RE", [])
            }
        };
    }
}

fn add_parameters(roff: &mut Roff, told: &CommandDoc) {
    if !told.arguments.is_empty() {
        add_section(roff, "ARGUMENTS");
        told.arguments.iter().for_each(|argument| add_parameter(roff, argument));
    }
    if told.options.is_empty() {
        return;
    }
    add_section(roff, "OPTIONS");
    let mut headings: Vec<Option<&str>> = Vec::new();
    for option in &told.options {
        if !headings.contains(&option.heading.as_deref()) {
            headings.push(option.heading.as_deref());
        }
    }
    headings.sort_by_key(Option::is_some);
    for heading in headings {
        if let Some(heading) = heading {
            roff.control("SS", [heading]);
        }
        let of_it = told.options.iter().filter(|option| option.heading.as_deref() == heading);
        of_it.for_each(|option| add_parameter(roff, option));
    }
}

fn add_parameter(roff: &mut Roff, parameter: &Parameter) {
    let mut term: Vec<Inline> = Vec::new();
    for (n, flag) in parameter.flags.iter().enumerate() {
        if n > 0 {
            term.push(roman(", "));
        }
        term.push(bold(flag.as_str()));
    }
    if let Some(value) = &parameter.value {
        if !term.is_empty() {
            term.push(roman(" "));
        }
        term.push(italic(value.as_str()));
    }
    let mut words = parameter.help.clone();
    let are_plain = parameter.words.iter().all(|(_, help)| help.is_empty());
    if are_plain && !parameter.words.is_empty() {
        let names: Vec<String> = parameter.words.iter().map(|(word, _)| format!("`{word}`")).collect();
        words += &format!(" One of {}.", names.join(", "));
    }
    if let Some(default) = &parameter.default {
        words += &format!(" Default: `{default}`.");
    }
    add_tagged(roff, term, &words);
    if !are_plain {
        roff.control("RS", []);
        for (word, help) in &parameter.words {
            add_tagged(roff, [bold(word.as_str())], help);
        }
        roff.control("RE", []);
    }
}

fn add_examples(roff: &mut Roff, examples: &[Row]) {
    if examples.is_empty() {
        return;
    }
    add_section(roff, "EXAMPLES");
    for (n, (line, words)) in examples.iter().enumerate() {
        if !words.is_empty() {
            add_tagged(roff, [bold(line.as_str())], &to_sentence(words));
            continue;
        }
        if n > 0 {
            roff.control("PP", []);
        }
        roff.text([bold(line.as_str())]);
    }
}

/// Capitalizes the first letter and adds a period. A first word that is a file name or an option is not
/// capitalized.
fn to_sentence(words: &str) -> String {
    let first = words.split(' ').next().unwrap_or_default();
    let words = words.trim_end_matches('.');
    if first.contains(['.', '/', '_', '-']) {
        return format!("{words}.");
    }
    let mut letters = words.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

/// Adds the section with the keys of the explorer.
fn add_keys(roff: &mut Roff) {
    let keymap = default_keymap();
    add_section(roff, "KEYS");
    roff.text([roman("Every key can be changed in the configuration; olmap keys lists the current ones.")]);
    for group in describe::action_groups() {
        roff.control("SS", [group.title.as_str()]);
        for spec in group.actions {
            let keys = keymap.action_keys(spec.id).join(", ");
            let keys = if keys.is_empty() { format!(":{}", spec.id.name()) } else { keys };
            add_tagged(roff, [bold(keys)], &format!("{}.", spec.doc));
        }
    }
}

/// Returns the parent page and the pages about the same subject.
fn related_pages(told: &CommandDoc, above: Option<&CommandDoc>, olmap: &CommandDoc) -> Vec<Inline> {
    let mut names: Vec<String> = Vec::new();
    match above {
        None => {
            return vec![
                roman("Each command has its own page, such as "),
                bold("olmap-validate"),
                roman("(1)."),
            ];
        }
        Some(above) if above.name == olmap.name => {
            names.push(olmap.page_name());
            let subject = olmap.subjects.iter().find(|(_, commands)| commands.contains(&told.last_word()));
            let beside = subject.map(|(_, commands)| commands.as_slice()).unwrap_or_default();
            let there = |word: &&&str| olmap.commands.iter().any(|command| command.last_word() == **word);
            let others = beside.iter().filter(there).filter(|word| **word != told.last_word());
            names.extend(others.map(|word| format!("olmap-{word}")));
        }
        Some(above) => {
            names.extend([olmap.page_name(), above.page_name()]);
            let beside = above.commands.iter().filter(|command| command.name != told.name);
            let beside: Vec<String> = beside.map(CommandDoc::page_name).collect();
            // The parent page lists all of them.
            names.extend(Some(beside).filter(|beside| beside.len() < 6).unwrap_or_default());
        }
    }
    let mut inlines = Vec::new();
    for (n, name) in names.into_iter().enumerate() {
        if n > 0 {
            inlines.push(roman(", "));
        }
        inlines.extend([bold(name), roman("(1)")]);
    }
    inlines
}

const FILES: &[(&str, &str)] = &[
    ("~/.config/olmap/config.toml", "Configuration; olmap config --print shows all options."),
    (
        "~/.local/state/olmap/",
        "Unsaved edits, kept for recovery until you save or discard them; the last position in each catalog.",
    ),
    ("~/.cache/olmap/", "Fetched images, and verdicts on upgrade steps; olmap cache shows and clears them."),
    (".indexignore", "In a catalog: names of files that do not belong to it."),
    (
        "expectations.yaml, baseline.yaml",
        "Beside the directory of a catalog: upgrade expectations and accepted findings.",
    ),
    ("auth.json, registries.conf, policy.json, certs.d", "Registries: the configuration of podman."),
];

const ENVIRONMENT: &[(&str, &str)] = &[
    (VARIABLE, "Configuration file, instead of the default; none or empty for no configuration."),
    (
        "XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME",
        "Directories of configuration, state and cache, instead of ~/.config, ~/.local/state and ~/.cache.",
    ),
    ("VISUAL, EDITOR", "Editor that opens files."),
    ("NO_COLOR", "No colours if set and not empty."),
    ("CLICOLOR_FORCE, FORCE_COLOR", "Colours without a terminal too, unless 0 or NO_COLOR is set."),
    ("CLICOLOR", "No colours if 0."),
    (
        super::super::logging::VARIABLE,
        "Level of the log on standard error: off, error, warn, info, debug or trace.",
    ),
    ("TERM", "If dumb: no colours and no explorer."),
    (
        "REGISTRY_AUTH_FILE, DOCKER_CONFIG, CONTAINERS_REGISTRIES_CONF",
        "Credentials and settings for registries, as podman and docker read them.",
    ),
    ("ALL_PROXY, HTTPS_PROXY, HTTP_PROXY, NO_PROXY", "Proxies for registries and web addresses."),
    ("SSL_CERT_FILE, SSL_CERT_DIR", "Certificate authorities, instead of those of the system."),
    ("OPERATOR_BUNDLE_CATEGORIES", "File with categories for olmap bundle validate, as in operator-sdk."),
];
