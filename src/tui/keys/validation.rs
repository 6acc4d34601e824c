//! Validation of the keys from the configuration: which keys apply, and problems of the others.

use std::collections::{HashMap, HashSet};

use super::{
    ActionId, Key, key as keys,
    keymap::{INTERRUPT, KeyOverrides, action_scopes, effective_keys, is_bindable, keys_overlap},
    spec::{ActionContext, ActionSpec, ActionTable},
};
use crate::config::{KeySetting, Located, Location, Problem};
use olm_catalog::similar_names;

/// Actions that show a screen, in the order of their reserved digits.
const SCREEN_ACTIONS: [ActionId; 6] = [
    ActionId::ShowPackages,
    ActionId::ShowGraph,
    ActionId::ShowUpgrades,
    ActionId::ShowProblems,
    ActionId::ShowDeprecations,
    ActionId::ShowChanges,
];

/// Keys that terminals send as a different key.
const KEY_ALIASES: [(&str, &str); 3] = [("ctrl-i", "tab"), ("ctrl-m", "enter"), ("ctrl-[", "esc")];

/// Keys that the configuration requests for an action.
struct RequestedKeys<'a> {
    spec: &'static ActionSpec,
    /// Location of the action in the configuration.
    at: Location,
    /// Requested key sequences with their locations.
    keys: Vec<(Vec<Key>, &'a Located<String>)>,
}

/// Returns the valid overrides, and the problems of the other settings in file order.
pub(super) fn validate_key_settings(
    table: &'static ActionTable,
    settings: &[KeySetting],
) -> (KeyOverrides, Vec<Problem>) {
    let mut problems = Vec::new();
    let mut wanted: Vec<RequestedKeys<'_>> = Vec::new();
    for setting in settings {
        match parse_setting(table, setting) {
            Ok(one) => wanted.push(one),
            Err(wrong) => problems.extend(wrong),
        }
    }
    loop {
        let (refused, wrong) = refuse_conflicts(table, &wanted);
        problems.extend(wrong);
        if refused.is_empty() {
            break;
        }
        // An action without its override has its default keys again, which may cause more
        // conflicts.
        wanted.retain(|one| !refused.contains(&one.spec.id));
    }
    problems.sort();
    problems.dedup();
    (overrides(table, &wanted), problems)
}

fn overrides(table: &ActionTable, wanted: &[RequestedKeys<'_>]) -> KeyOverrides {
    let keys = |one: &RequestedKeys<'_>| one.keys.iter().map(|(keys, _)| keys.clone()).collect::<Vec<_>>();
    let given = wanted.iter().map(|one| (one.spec.id, keys(one)));
    // Leave out settings that repeat the default keys.
    given.filter(|(id, keys)| table.find_action(*id).is_some_and(|spec| !is_default(spec, keys))).collect()
}

fn is_default(spec: &ActionSpec, keys: &[Vec<Key>]) -> bool {
    effective_keys(spec, &KeyOverrides::new()) == keys
}

/// Parses the keys of a setting and checks everything that does not depend on other settings.
fn parse_setting<'a>(
    table: &'static ActionTable,
    setting: &'a KeySetting,
) -> Result<RequestedKeys<'a>, Vec<Problem>> {
    let Located { value: name, at } = &setting.action;
    let Some(spec) = ActionId::parse(name).and_then(|id| table.find_action(id)) else {
        let names = ActionId::ALL.iter().map(|id| id.name());
        let hint = similar_names::suggest_closest(name, names)
            .map_or_else(|| "olmap keys lists them".to_owned(), |meant| format!("did you mean {meant}?"));
        let message = match name.as_str() {
            "" => "the action name before the = is missing".to_owned(),
            name => format!("unknown action {name}"),
        };
        return Err(vec![problem_with_hint(*at, message, hint)]);
    };
    let mut wrong = Vec::new();
    let mut keys: Vec<(Vec<Key>, &Located<String>)> = Vec::new();
    for written in &setting.keys {
        match parse_action_keys(table, spec, written) {
            Ok(sequence) => {
                if let Some((_, other)) = keys.iter().find(|(other, _)| keys_overlap(other, &sequence)) {
                    let message = format!("{} and {} conflict", other.value, written.value);
                    wrong.push(problem_with_hint(
                        written.at,
                        message,
                        format!("remove one of them from {name}"),
                    ));
                }
                keys.push((sequence, written));
            }
            Err(problem) => wrong.push(problem),
        }
    }
    let wanted = RequestedKeys { spec, at: *at, keys };
    wrong.extend(check_required_keys(&wanted));
    if wrong.is_empty() { Ok(wanted) } else { Err(wrong) }
}

/// Parses a key or a key sequence of an action.
fn parse_action_keys(
    table: &ActionTable,
    spec: &ActionSpec,
    written: &Located<String>,
) -> Result<Vec<Key>, Problem> {
    let text = written.value.as_str();
    let wrong = |message: String, hint: String| Err(problem_with_hint(written.at, message, hint));
    let Some(sequence) = keys::parse_key_sequence(text) else {
        return wrong(format!("{text:?} is not a key"), suggest_key(text));
    };
    for key in &sequence {
        if let Some((_, same)) = KEY_ALIASES.iter().find(|(alias, _)| Key::parse(alias) == Some(*key)) {
            return wrong(format!("terminals send {key} as {same}"), format!("write {same}, or another key"));
        }
    }
    if sequence.contains(&INTERRUPT) && (spec.id != ActionId::Quit || sequence.len() > 1) {
        let hint = "use another key".to_owned();
        return wrong(format!("{INTERRUPT} always quits"), hint);
    }
    if matches!(spec.context, ActionContext::In(_)) && sequence.len() > 1 {
        let hint = "a single key, such as f5 or ctrl-x".to_owned();
        return wrong(format!("{text} is a sequence, but dialogs need single keys"), hint);
    }
    let digit = |(digit, screen): (usize, &ActionId)| {
        let key = Key::parse(&(digit + 1).to_string());
        (*screen != spec.id && key.is_some() && sequence.first() == key.as_ref()).then_some(*screen)
    };
    if !matches!(spec.context, ActionContext::In(_))
        && let Some(screen) = SCREEN_ACTIONS.iter().enumerate().find_map(digit)
    {
        let title = table.find_action(screen).map_or("", |spec| spec.title);
        let hint = "a letter, or a key with ctrl- or alt-".to_owned();
        return wrong(format!("the digits 1 to 6 are reserved for screens: {title}"), hint);
    }
    Ok(sequence)
}

/// Returns a hint with the most likely correct spelling of an invalid key.
fn suggest_key(text: &str) -> String {
    let lower = text.replace('+', "-").to_lowercase();
    let lower = lower.strip_prefix("control-").map_or(lower.clone(), |rest| format!("ctrl-{rest}"));
    let letter = text.strip_prefix("shift-").filter(|rest| rest.chars().count() == 1);
    let others = [
        letter.map(str::to_uppercase),
        text.strip_prefix("C-").map(|rest| format!("ctrl-{rest}")),
        Some(lower),
        Some(text.split_whitespace().collect::<Vec<_>>().join(" ")),
    ];
    if let Some(other) = others.into_iter().flatten().find(|other| keys::parse_key_sequence(other).is_some())
    {
        return format!("write \"{other}\"");
    }
    similar_names::suggest_closest(text, keys::key_names()).map_or_else(
        || "write keys as x, X, ctrl-x, alt-x, f5, esc, space, or as a sequence: o s".to_owned(),
        |name| format!("write \"{name}\""),
    )
}

/// Formats the given key and the existing ones as a TOML array.
fn format_toml_array(first: &str, keys: &[(Vec<Key>, &Located<String>)]) -> String {
    let all = [first].into_iter().chain(keys.iter().map(|(_, written)| written.value.as_str()));
    format!("{:?}", all.collect::<Vec<_>>())
}

/// Checks that dialogs and the program can still be left and that screens keep their digits.
fn check_required_keys(wanted: &RequestedKeys<'_>) -> Vec<Problem> {
    let (spec, keys) = (wanted.spec, &wanted.keys);
    let name = spec.id.name();
    let mut wrong = Vec::new();
    if let Some(place) = SCREEN_ACTIONS.iter().position(|screen| *screen == spec.id) {
        let digit = (place + 1).to_string();
        if !keys.iter().any(|(_, written)| written.value == digit) {
            wrong.push(problem_with_hint(
                wanted.at,
                format!("{digit} stays the key of {}", spec.title),
                format!("{name} = {}", format_toml_array(&digit, keys)),
            ));
        }
    }
    if spec.id == ActionId::Quit && !keys.iter().any(|(keys, _)| keys.as_slice() == [INTERRUPT]) {
        wrong.push(problem_with_hint(
            wanted.at,
            format!("{INTERRUPT} always quits"),
            format!("{name} = {}", format_toml_array(&INTERRUPT.to_string(), keys)),
        ));
    }
    if !matches!(spec.id, ActionId::Cancel | ActionId::Accept | ActionId::Back) {
        return wrong;
    }
    if keys.is_empty() {
        wrong.push(problem_with_hint(
            wanted.at,
            format!("{name} needs a key, to leave dialogs"),
            format!("{name} = \"{}\"", spec.default_keys.first().unwrap_or(&"")),
        ));
        return wrong;
    }
    // In dialogs with a text field, letters are typed and do not trigger actions.
    let typed =
        action_scopes(spec).into_iter().find(|scope| !keys.iter().any(|(keys, _)| is_bindable(*scope, keys)));
    if let Some(scope) = typed {
        wrong.push(problem_with_hint(
            wanted.at,
            format!("{name} needs a key that types nothing: {} has a text field", scope.title()),
            "add one such as esc, enter, f10 or ctrl-g".to_owned(),
        ));
    }
    wrong
}

/// Keys that another action already has, or that hide the keys of another action.
struct KeyConflict {
    loser: ActionId,
    /// Location of the losing key.
    at: Location,
    /// Keys of the losing action.
    losing_keys: Vec<Key>,
    winner: &'static ActionSpec,
    /// Keys of the winning action.
    winning_keys: Vec<Key>,
    /// Location of the winning setting; `None` if its keys are defaults.
    winner_location: Option<Location>,
}

/// Returns the actions whose keys conflict with others, and the problems. Conflicts with default
/// keys come first: the remaining settings may be valid without them.
fn refuse_conflicts(
    table: &'static ActionTable,
    wanted: &[RequestedKeys<'_>],
) -> (HashSet<ActionId>, Vec<Problem>) {
    let mut found = find_conflicts(table, wanted);
    if found.iter().any(|conflict| conflict.winner_location.is_none()) {
        found.retain(|conflict| conflict.winner_location.is_none());
    }
    let refused = found.iter().map(|conflict| conflict.loser).collect();
    let mut problems: Vec<Problem> = Vec::new();
    while let Some(first) = found.first() {
        let (at, lost) = (first.at, first.losing_keys.clone());
        let (same, others): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|conflict| conflict.at == at && conflict.losing_keys == lost);
        problems.push(conflict_problem(&same));
        found = others;
    }
    (refused, problems)
}

fn find_conflicts(table: &'static ActionTable, wanted: &[RequestedKeys<'_>]) -> Vec<KeyConflict> {
    let by_id: HashMap<ActionId, &RequestedKeys<'_>> = wanted.iter().map(|one| (one.spec.id, one)).collect();
    let overrides = overrides(table, wanted);
    let mut found: Vec<KeyConflict> = Vec::new();
    for scope in table.scopes() {
        let mut bound: Vec<(&'static ActionSpec, Vec<Key>)> = Vec::new();
        for spec in table.actions().filter(|spec| spec.applies_to(scope)) {
            let keys = effective_keys(spec, &overrides).into_iter().filter(|keys| is_bindable(scope, keys));
            bound.extend(keys.map(|keys| (spec, keys)));
        }
        for (place, (spec, keys)) in bound.iter().enumerate() {
            for (other, others) in bound.iter().take(place).filter(|(_, others)| keys_overlap(keys, others)) {
                let both_default = has_by_default(spec, keys) && has_by_default(other, others);
                if spec.id == other.id || both_default {
                    continue;
                }
                // The later setting loses; default keys win over settings.
                let written = |spec: &ActionSpec| by_id.get(&spec.id).map(|one| one.at);
                let (loser, lost, winner, won) = if written(spec) > written(other) {
                    (spec, keys, other, others)
                } else {
                    (other, others, spec, keys)
                };
                let Some(one) = by_id.get(&loser.id) else { continue };
                let known = |c: &KeyConflict| {
                    (c.loser, c.winner.id, &c.losing_keys, &c.winning_keys)
                        == (loser.id, winner.id, lost, won)
                };
                if !found.iter().any(known) {
                    let place = one.keys.iter().find(|(keys, _)| keys == lost);
                    found.push(KeyConflict {
                        loser: loser.id,
                        at: place.map_or(one.at, |(_, written)| written.at),
                        losing_keys: lost.clone(),
                        winner,
                        winning_keys: won.clone(),
                        winner_location: written(winner),
                    });
                }
            }
        }
    }
    found
}

fn has_by_default(spec: &ActionSpec, keys: &[Key]) -> bool {
    spec.default_keys.iter().any(|default| keys::parse_key_sequence(default).as_deref() == Some(keys))
}

/// Returns the problem for conflicts that share the same losing key.
fn conflict_problem(conflicts: &[KeyConflict]) -> Problem {
    let Some(first) =
        conflicts.iter().min_by_key(|c| (c.winning_keys.len(), keys::format_key_sequence(&c.winning_keys)))
    else {
        return Problem::default();
    };
    let (mine, other) =
        (keys::format_key_sequence(&first.losing_keys), keys::format_key_sequence(&first.winning_keys));
    let name = first.winner.id.name();
    let line = first.winner_location.map(|at| format!(" (line {})", at.line)).unwrap_or_default();
    let more = match conflicts.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = if mine == other {
        format!("{mine} is the key of {name}{line}{more}")
    } else if first.winning_keys.len() < first.losing_keys.len() {
        format!("{mine} is never reached: {other} is the key of {name}{line}{more}")
    } else {
        format!("{mine} would hide {other}, the key of {name}{line}{more}")
    };
    let hint = if first.winner_location.is_some() || conflicts.len() > 1 {
        "choose another key".to_owned()
    } else {
        let kept = first.winner.default_keys.iter().filter(|keys| **keys != other);
        let kept = kept.map(|keys| format!("\"{keys}\"")).collect::<Vec<_>>().join(", ");
        format!("choose another, or free it: {name} = [{kept}]")
    };
    problem_with_hint(first.at, message, hint)
}

fn problem_with_hint(at: Location, message: String, hint: String) -> Problem {
    Problem { at, message, hint: Some(hint) }
}
