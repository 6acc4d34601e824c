//! Command palette, which finds actions by title, key and description, and the help of a scope.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use crate::tui::{
    dialogs::{
        action_family::{ActionFamily, FAMILIES, HelpGroup},
        dialog::{DialogState, DialogStep, RowCursor, dialog_list},
    },
    keys::{
        ActionId, Dialog, KeyPress, Keymap, Scope, Screen,
        keymap::KeyMatch,
        spec::{ActionContext, ActionSpec, Enabled, Reason},
    },
    parts::field::{self, TextField},
    session::context::{Context, ViewContext},
    widgets::{
        boxes::{centered, draw_search_field, scale_dialog},
        canvas::{Canvas, highlight_matches, pad, piece, text_piece, wrap_text},
        theme::Ink,
    },
};
use ratatui::{crossterm::event::KeyCode, layout::Rect};

/// Kind of this dialog.
pub const DIALOG: Dialog = Dialog::with_name("commands", "palette and help").with_rows().with_field();

/// State of the dialog.
#[derive(Debug)]
pub struct CommandPalette {
    /// Scope whose keys are shown; `None` for all actions.
    pub scope: Option<Scope>,
    /// Search text.
    pub input: TextField,
    /// Number of actions without a search text.
    pub total: usize,
    /// Matching actions, best match first.
    pub results: Vec<ActionMatch>,
    /// Index of the selected action.
    pub cursor: usize,
    /// Families whose members are listed.
    open_families: Vec<&'static ActionFamily>,
    /// Actions that were not available when the dialog was opened.
    unavailable: HashSet<ActionId>,
    /// Actions that are not available now, with the reason.
    refusals: HashMap<ActionId, Reason>,
}

/// Action that matches the search text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ActionMatch {
    /// Matching action.
    pub id: ActionId,
    /// Indexes of the matching characters in the title.
    pub matched_chars: Vec<usize>,
    /// Search term that matches, if the title does not.
    pub search_term: Option<&'static str>,
    /// Folded family that the row represents.
    pub family: Option<&'static ActionFamily>,
    /// Group of the help. `None` in the palette and in search results.
    pub group: Option<HelpGroup>,
}

/// Number of actions in the first group of the help.
const COMMON_ACTIONS: usize = 8;

/// Columns of the titles of groups.
const GROUP_COLUMNS: usize = 13;

impl CommandPalette {
    /// Lists the keys of a scope, or all actions. `allowed` reports whether an action is currently
    /// available.
    pub(in crate::tui) fn new(
        scope: Option<Scope>,
        view_cx: &ViewContext<'_>,
        allowed: &dyn Fn(&ActionSpec) -> bool,
    ) -> Self {
        let refused =
            view_cx.keys.table().actions().filter(|spec| !allowed(spec)).map(|spec| spec.id).collect();
        let mut commands = Self {
            scope,
            input: TextField::default(),
            total: 0,
            results: Vec::new(),
            cursor: 0,
            open_families: Vec::new(),
            unavailable: refused,
            refusals: HashMap::new(),
        };
        commands.update_results(view_cx.keys, view_cx.session.navigation.screen);
        commands.total = commands.results.len();
        commands
    }

    /// Updates the matching actions of the scope, or of all actions, best match first.
    fn update_results(&mut self, keys: &Keymap, screen: Screen) {
        let typed = self.input.value().trim();
        let scope = self.scope;
        let here = |spec: &ActionSpec| match scope {
            Some(scope) => keys.display_keys(scope, spec.id).next().is_some(),
            None => !matches!(spec.context, ActionContext::In(_)),
        };
        // The help of a screen begins with the actions of the hint bar, in its order.
        let hint_rank = |spec: &ActionSpec| match scope {
            Some(Scope::Screen(screen)) if typed.is_empty() => {
                spec.hint.map_or(u8::MAX, |hint| hint.rank(screen))
            }
            _ => 0,
        };
        let present = Scope::Screen(screen);
        let mut found: Vec<(MatchQuality, bool, bool, u8, usize, ActionMatch)> = keys
            .table()
            .actions()
            .filter(|spec| here(spec))
            .enumerate()
            .filter_map(|(place, spec)| {
                let (fit, matched, also) = rate_match(keys, spec, typed)?;
                let elsewhere = scope.is_none() && !spec.applies_to(present);
                let refused = self.unavailable.contains(&spec.id);
                Some((
                    fit,
                    elsewhere,
                    refused,
                    hint_rank(spec),
                    place,
                    ActionMatch {
                        id: spec.id,
                        matched_chars: matched,
                        search_term: also,
                        family: None,
                        group: None,
                    },
                ))
            })
            .collect();
        found.sort_by_key(|(fit, elsewhere, refused, rank, place, _)| {
            (*fit, *elsewhere, *refused, *rank, *place)
        });
        self.results = found.into_iter().map(|(.., found)| found).collect();
        if typed.is_empty() && matches!(scope, Some(Scope::Screen(_))) {
            self.fold_families();
            self.group_results(keys);
        }
        self.cursor = 0;
    }

    /// Sorts the results by group. The first available ones are common.
    fn group_results(&mut self, keys: &Keymap) {
        let is_open = |id| self.open_families.iter().any(|family| family.members.contains(&id));
        for (nth, row) in self.results.iter_mut().enumerate() {
            row.group = keys.table().find_action(row.id).map(|spec| {
                if row.family.is_some() || is_open(row.id) {
                    HelpGroup::Moving
                } else if self.unavailable.contains(&row.id) {
                    HelpGroup::NotNow
                } else if nth < COMMON_ACTIONS {
                    HelpGroup::Common
                } else {
                    HelpGroup::for_action(spec)
                }
            });
        }
        self.results.sort_by_key(|row| row.group);
    }

    /// Replaces the members of each family by one row, which comes after the other actions.
    fn fold_families(&mut self) {
        for family in &FAMILIES {
            if self.open_families.contains(&family) {
                continue;
            }
            let is_member = |row: &ActionMatch| row.family.is_none() && family.members.contains(&row.id);
            let Some(first) = self.results.iter().find(|row| is_member(row)).cloned() else { continue };
            self.results.retain(|row| !is_member(row));
            self.results.push(ActionMatch { family: Some(family), ..first });
        }
    }

    /// Lists the members of the selected family, and selects the first one. Returns false if no
    /// family is selected.
    fn open_family(&mut self, keys: &Keymap, screen: Screen) -> bool {
        let Some(family) = self.results.get(self.cursor).and_then(|row| row.family) else { return false };
        self.open_families.push(family);
        self.update_results(keys, screen);
        self.cursor =
            self.results.iter().position(|row| family.members.contains(&row.id)).unwrap_or_default();
        true
    }

    /// Returns true for the symbol key that opened the help, if the search text is empty.
    fn is_closed_by(&self, press: KeyPress, keys: &Keymap) -> bool {
        let KeyPress::Key(key) = press else { return false };
        let is_sign = !matches!(key.code, KeyCode::Char(c) if c.is_alphanumeric());
        let (scope, opens) = match self.scope {
            Some(scope @ Scope::Screen(_)) => (scope, ActionId::Help),
            Some(scope @ Scope::Dialog(_)) => (scope, ActionId::DialogHelp),
            None => return false,
        };
        is_sign
            && self.input.value().is_empty()
            && matches!(keys.match_keys(scope, &[key]), KeyMatch::Action(spec) if spec.id == opens)
    }
}

impl DialogState for CommandPalette {
    fn id(&self) -> Dialog {
        DIALOG
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        if self.is_closed_by(press, cx.keys) {
            return DialogStep::Close;
        }
        if press == KeyPress::Action(ActionId::Accept) {
            if self.open_family(cx.keys, cx.session.navigation.screen) {
                return DialogStep::Stay;
            }
            if let Some(found) = self.results.get(self.cursor) {
                cx.run_action(found.id);
            }
            return DialogStep::Close;
        }
        if field::handle_field_key(&mut self.input, press) {
            self.update_results(cx.keys, cx.session.navigation.screen);
        }
        DialogStep::Stay
    }

    fn check_actions(&mut self, check: &dyn Fn(&ActionSpec) -> Enabled, keys: &Keymap) {
        let reason = |spec: &ActionSpec| Some((spec.id, check(spec).err()?));
        self.refusals = keys.table().actions().filter_map(reason).collect();
    }

    fn text_field(&mut self) -> Option<&mut TextField> {
        Some(&mut self.input)
    }

    fn row_cursor(&self) -> Option<RowCursor> {
        Some(RowCursor { count: self.results.len(), cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn click_accepts(&self) -> bool {
        true
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        let title = match self.scope {
            Some(Scope::Screen(screen)) => format!("Keys on {}", screen.title()),
            Some(Scope::Dialog(dialog)) => format!("Keys in {}", dialog.title),
            None => "Actions".to_owned(),
        };
        // The height does not depend on the filter, so the box does not jump.
        let high = u16::try_from(self.total).unwrap_or(u16::MAX).saturating_add(6).min(area.height * 9 / 10);
        let width = scale_dialog(area, 116, area.height).width;
        let inner = canvas.draw_box(centered(area, width, high.max(8)), &title);
        if inner.is_empty() {
            return;
        }
        let list = draw_search_field(view_cx, DIALOG, &self.input, "run", "", canvas, inner);
        // The full text of the selected row is shown below the list.
        let below = if list.height >= 4 { 2 } else { 0 };
        let full = Rect { y: list.bottom().saturating_sub(below), height: below, ..list };
        let list = Rect { height: list.height - below, ..list };
        if let Some(spec) =
            self.results.get(self.cursor).and_then(|found| view_cx.keys.table().find_action(found.id))
        {
            let family = self.results.get(self.cursor).and_then(|row| row.family);
            let (words, ink) = match (family, self.refusals.get(&spec.id)) {
                (Some(family), _) => {
                    let keys = self.scope.map(|scope| family.keys(scope, view_cx.keys)).unwrap_or_default();
                    (format!("{}: {}", family.doc, keys.join(" ")), Ink::Dim)
                }
                (None, None) => (spec.doc.to_owned(), Ink::Dim),
                (None, Some(reason)) => (format!("not now: {reason}"), Ink::Warning),
            };
            for (y, line) in (full.top()..full.bottom()).zip(wrap_text(&words, usize::from(full.width))) {
                canvas.draw_text(full.x, y, full.width, &line, ink);
            }
        }
        let ascii = canvas.ascii;
        if self.results.is_empty() {
            canvas.draw_text(list.x, list.y, list.width, "no action matches", Ink::Dim);
        }
        let (keys_room, title_room) = match list.width {
            0..60 => (10, 14),
            60..90 => (10, 18),
            _ => (18, 18),
        };
        let has_groups = list.width >= 60 && self.results.iter().any(|row| row.group.is_some());
        canvas.draw_list(list, &dialog_list(self, view_cx, canvas), |row| {
            let Some((found, spec)) =
                self.results.get(row).and_then(|f| Some((f, view_cx.keys.table().find_action(f.id)?)))
            else {
                return Vec::new();
            };
            let mut pieces = Vec::new();
            if has_groups {
                let before = row.checked_sub(1).and_then(|row| self.results.get(row)?.group);
                let title = found.group.filter(|group| Some(*group) != before).map_or("", HelpGroup::title);
                pieces.push(piece(format!("{title:<GROUP_COLUMNS$}"), Ink::Title));
            }
            if let (Some(family), Some(scope)) = (found.family, self.scope) {
                let keys = family.keys(scope, view_cx.keys);
                pieces.extend([
                    piece(format!("{} ", pad(&keys.join(" "), keys_room, ascii)), Ink::Key),
                    text_piece(format!("{} ", pad(family.title, title_room, ascii))),
                    piece(format!("{}, {} keys", family.doc, keys.len()), Ink::Dim),
                ]);
                return pieces;
            }
            let keys = match self.scope.filter(|scope| spec.applies_to(*scope)) {
                Some(scope) => view_cx.keys.display_keys(scope, spec.id).map(str::to_owned).collect(),
                None => view_cx.keys.action_keys(spec.id),
            };
            let refusal = self.refusals.get(&spec.id);
            let ink = if refusal.is_some() { Ink::Dim } else { Ink::Text };
            pieces.push(piece(format!("{} ", pad(&keys.join(", "), keys_room, ascii)), Ink::Key));
            pieces.extend(highlight_matches(
                &pad(spec.title, title_room, ascii),
                &found.matched_chars,
                title_room,
                ink,
                ascii,
            ));
            pieces.push(text_piece(" "));
            if let Some(word) = found.search_term {
                pieces.push(piece(format!("{word}: "), Ink::Match));
            }
            match refusal {
                Some(reason) => pieces.push(piece(format!("not now: {reason}"), Ink::Warning)),
                None => pieces.push(piece(spec.doc, Ink::Dim)),
            }
            pieces
        });
    }
}

/// Quality of a match, best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum MatchQuality {
    /// Equals a key, the title or a search term.
    Exact,
    /// Title or name begins with the text.
    TitlePrefix,
    /// Words of title or name begin with the typed words.
    WordPrefixes,
    /// Title or name contains the text.
    TitlePart,
    /// Words of a search term begin with the typed words.
    SearchTerm,
    /// Words of the description begin with the typed words.
    Description,
    /// Title or name contains the typed letters with few gaps, or they are its initials.
    Fuzzy,
}

/// Returns the match quality, the matching characters of the title, and the matching search term.
fn rate_match(
    keys: &Keymap,
    spec: &ActionSpec,
    typed: &str,
) -> Option<(MatchQuality, Vec<usize>, Option<&'static str>)> {
    if typed.is_empty() || keys.action_keys(spec.id).iter().any(|key| key == typed) {
        return Some((MatchQuality::Exact, Vec::new(), None));
    }
    let typed = typed.to_lowercase();
    let title = spec.title.to_lowercase();
    let name = spec.id.name();
    let spoken = name.replace('-', " ");
    let names = [title.as_str(), spoken.as_str(), name];
    let words: Vec<&str> = typed.split_whitespace().collect();
    let begin = |text: &str| words.iter().all(|word| split_words(text).any(|(_, w)| w.starts_with(word)));
    let also = |fits: &dyn Fn(&str) -> bool| spec.search_terms.iter().find(|word| fits(word)).copied();
    let fit = if names.contains(&typed.as_str()) {
        MatchQuality::Exact
    } else if let Some(word) = also(&|word| word == typed) {
        return Some((MatchQuality::Exact, Vec::new(), Some(word)));
    } else if names.iter().any(|name| name.starts_with(&typed)) {
        MatchQuality::TitlePrefix
    } else if begin(&title) || begin(&spoken) {
        MatchQuality::WordPrefixes
    } else if names.iter().any(|name| name.contains(&typed)) {
        MatchQuality::TitlePart
    } else if let Some(word) = also(&begin) {
        return Some((MatchQuality::SearchTerm, Vec::new(), Some(word)));
    } else if begin(&format!("{title} {spoken} {}", spec.doc.to_lowercase())) {
        MatchQuality::Description
    } else {
        let matched =
            match_fuzzy(&title, &typed).or_else(|| match_fuzzy(&spoken, &typed).map(|_| Vec::new()))?;
        return Some((MatchQuality::Fuzzy, matched, None));
    };
    Some((fit, highlighted_chars(&title, &typed, &words), None))
}

/// Splits a text into words, each with the index of its first character.
fn split_words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split(|c: char| !c.is_alphanumeric()).map(move |word| {
        let begins = at;
        at += word.chars().count() + 1;
        (begins, word)
    })
}

/// Returns the indexes of the characters to highlight in a title.
fn highlighted_chars(title: &str, typed: &str, words: &[&str]) -> Vec<usize> {
    if let Some((before, _)) = title.split_once(typed) {
        let first = before.chars().count();
        return (first..first + typed.chars().count()).collect();
    }
    let mut matched: Vec<usize> = words
        .iter()
        .filter_map(|word| {
            let (at, _) = split_words(title).find(|(_, w)| w.starts_with(word))?;
            Some(at..at + word.chars().count())
        })
        .flatten()
        .collect();
    matched.sort_unstable();
    matched.dedup();
    matched
}

/// Returns the indexes of the typed characters in the name if they match closely. The first one
/// begins a word. Each further one follows directly, begins a word, or follows after few skipped
/// characters.
fn match_fuzzy(name: &str, typed: &str) -> Option<Vec<usize>> {
    let letters: Vec<char> = name.chars().collect();
    let typed: Vec<char> = typed.chars().filter(|c| !c.is_whitespace()).collect();
    // A single letter matches too much.
    if typed.len() < 2 {
        return None;
    }
    let begins_word =
        |at: usize| at == 0 || letters.get(at - 1).is_some_and(|before| !before.is_alphanumeric());
    let follow = |start: usize| {
        let mut matched = vec![start];
        let mut left_out = 0;
        for c in typed.iter().skip(1) {
            let last = matched.last().copied()?;
            let fits = |at: &usize| letters.get(*at) == Some(c);
            let mut after = (last + 1..letters.len()).filter(fits);
            // Prefer a directly following character, then the beginning of a word.
            let meant = Some(last + 1).filter(fits).or_else(|| after.clone().find(|&at| begins_word(at)));
            let next = meant.or_else(|| after.next())?;
            if next > last + 1 && !begins_word(next) {
                left_out += next - last - 1;
            }
            matched.push(next);
        }
        (left_out <= 1 + typed.len() / 4).then_some(matched)
    };
    let mut starts = (0..letters.len()).filter(|&at| begins_word(at) && letters.get(at) == typed.first());
    starts.find_map(follow)
}
