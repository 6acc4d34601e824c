//! From what is typed to a state one may accept.

use std::sync::Arc;

use tui_input::Input;

use super::{
    form::{EntryField, EntryForm},
    model::Model,
    overlay::{Outcome, Preview, Promote},
};
use crate::{
    catalog::{BundleName, ChannelName, blob::EntrySpec},
    edit::{self, Edit},
    review::{Consequences, Snapshot},
};

/// What an edit of the current catalog would lead to.
pub(super) fn preview(model: &Model, edit: Edit) -> Preview {
    let Some(before) = model.snapshot() else { return Err("no catalog is open".to_owned()) };
    outcome(before, edit)
}

fn outcome(before: &Arc<Snapshot>, edit: Edit) -> Preview {
    let catalog = edit::apply(&before.catalog, &edit).map_err(|error| error.to_string())?;
    let after = Arc::new(before.after(catalog));
    let consequences = Consequences::between(before, &after);
    Ok(Arc::new(Outcome { edit, after, consequences }))
}

/// Makes the state an edit leads to the present one.
pub(super) fn accept(model: &mut Model, outcome: &Outcome) {
    let title = outcome.edit.title();
    if let Some(open) = model.catalog_mut() {
        open.history.push(outcome.after.clone(), outcome.edit.clone());
    }
    model.notices.done(format!("{title}   (u takes it back, ctrl-s saves)"));
    model.settle();
}

/// Works out what the form would lead to, and what would complete the word being typed.
pub(super) fn refresh_form(model: &Model, form: &mut EntryForm) {
    form.preview = form.edit().map(|edit| preview(model, edit));
    form.proposals = proposals(model, form);
}

fn proposals(model: &Model, form: &EntryForm) -> Vec<BundleName> {
    const MOST: usize = 4;
    let word = form.word();
    let Some(package) = model.package() else { return Vec::new() };
    let Some(channel) = package.graph.channel(form.channel.as_str()) else { return Vec::new() };
    if word.is_empty() || form.field == EntryField::SkipRange {
        return Vec::new();
    }
    let order = crate::layout::order(&channel.graph);
    let names = order.into_iter().filter_map(|at| channel.graph.node(at)).map(|node| &node.name);
    let fits = |name: &&BundleName| {
        **name != form.bundle && **name != word && super::list::passes(word, name.as_str())
    };
    names.filter(fits).take(MOST).cloned().collect()
}

/// Works out what promoting to the chosen channels would lead to.
pub(super) fn refresh_promote(model: &Model, promote: &mut Promote) {
    let chosen = promote.targets.iter().filter(|target| target.chosen);
    let chosen: Vec<(ChannelName, EntrySpec)> =
        chosen.filter_map(|target| Some((target.channel.clone(), target.spec()?))).collect();
    promote.preview = (!chosen.is_empty())
        .then(|| preview(model, Edit::promote(&promote.package, &promote.bundle, chosen)));
}

/// Lets a text field have a key; whether the field knew it.
pub(super) fn type_into(input: &mut Input, key: super::keys::Key) -> bool {
    use ratatui::crossterm::event::{KeyCode, KeyModifiers};
    use tui_input::InputRequest as Request;
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let alt = key.modifiers.contains(KeyModifiers::ALT);
    let request = match key.code {
        KeyCode::Char('a') if control => Request::GoToStart,
        KeyCode::Char('e') if control => Request::GoToEnd,
        KeyCode::Char('w') if control => Request::DeletePrevWord,
        KeyCode::Char('u') if control => Request::DeleteLine,
        KeyCode::Char('k') if control => Request::DeleteTillEnd,
        KeyCode::Char(c) if !control && !alt => Request::InsertChar(c),
        KeyCode::Backspace if alt || control => Request::DeletePrevWord,
        KeyCode::Backspace => Request::DeletePrevChar,
        KeyCode::Delete => Request::DeleteNextChar,
        KeyCode::Left if control => Request::GoToPrevWord,
        KeyCode::Right if control => Request::GoToNextWord,
        KeyCode::Left => Request::GoToPrevChar,
        KeyCode::Right => Request::GoToNextChar,
        KeyCode::Home => Request::GoToStart,
        KeyCode::End => Request::GoToEnd,
        _ => return false,
    };
    input.handle(request);
    true
}
