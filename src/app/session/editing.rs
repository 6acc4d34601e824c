//! From what is typed to a state one may accept.

use std::{collections::HashSet, sync::Arc};

use crate::app::{
    dialogs::{
        ask::{best, newest_first, range_matches},
        entry::{EntryField, EntryForm},
        state::Promote,
    },
    keys::{ActionId, Screen},
    parts::list::ListId,
    screens::deprecations::rows::DeprecationRow,
    session::{
        loading::templates,
        model::Model,
        outcome::{Outcome, Preview},
        what_if,
    },
    work::opening::Purpose,
};
use crate::{
    catalog::BundleName,
    edit::{self, Edit},
    layout,
    review::{Consequences, Snapshot},
};

/// What an edit of the current catalog would lead to.
pub(in crate::app) fn preview(model: &Model, edit: Edit) -> Preview {
    let Some(before) = model.snapshot() else { return Err("no catalog is open".to_owned()) };
    outcome(before, edit)
}

fn outcome(before: &Arc<Snapshot>, edit: Edit) -> Preview {
    let catalog = edit::apply(&before.catalog, &edit).map_err(|error| error.to_string())?;
    let after = Arc::new(before.after(catalog));
    let consequences = Consequences::between(before, &after);
    Ok(Arc::new(Outcome { edit, after, consequences }))
}

/// Makes the state an edit leads to the present one. What is renamed stays selected; of what is gone, the next row is.
pub(in crate::app) fn accept(model: &mut Model, outcome: &Outcome) {
    let title = outcome.edit.title();
    let list = model.list_below();
    let row = model.cursor(list);
    if let Some(open) = model.catalog_mut() {
        open.history.push(outcome.after.clone(), outcome.edit.clone());
        if let Edit::RenameChannel { channel, to, .. } = &outcome.edit
            && open.selection.channel.as_ref() == Some(channel)
        {
            open.selection.channel = Some(to.clone());
        }
    }
    let words = if let Some(template) = model.catalog().and_then(templates::lost_edits) {
        let (open, there) = (model.key(ActionId::OpenTemplate), model.key(ActionId::EditElsewhere));
        format!("{template} makes this catalog: {open} opens it, {there} edits it too   ({title})")
    } else {
        let (undo, save) = (model.key(ActionId::Undo), model.key(ActionId::Review));
        format!("{title}   ({undo} takes it back, {save} saves)")
    };
    model.notices.done(words);
    let last = match &outcome.edit {
        Edit::Several { edits, .. } => edits.last().unwrap_or(&outcome.edit),
        edit => edit,
    };
    match last {
        Edit::RemoveEntry { .. } | Edit::RemoveBundle { .. } | Edit::RemoveChannel { .. } => {
            model.derive();
            let last = model.rows(list).checked_sub(1);
            if let Some((row, last)) = row.zip(last) {
                model.select(list, row.min(last));
            }
            model.settle();
        }
        Edit::Deprecate { .. } if model.screen == Screen::Deprecations => {
            model.derive();
            follow(model, &outcome.edit);
            model.settle();
        }
        _ => model.settle(),
    }
}

/// What was suggested stands with what is deprecated now; the cursor goes along, to the first where there are several.
fn follow(model: &mut Model, edit: &Edit) {
    let first = match edit {
        Edit::Several { edits, .. } => edits.first(),
        edit => Some(edit),
    };
    let Some(Edit::Deprecate { package, target, .. }) = first else { return };
    let is_it = |row: &DeprecationRow| {
        row.deprecated().is_some() && row.package == *package && row.target() == Some(target)
    };
    if let Some(row) = model.derived.deprecations().iter().position(is_it) {
        model.select(ListId::Deprecations, row);
    }
}

/// Makes what was asked for: an edit, or a supposition. A channel that is new is shown.
pub(in crate::app) fn keep(model: &mut Model, purpose: Purpose, outcome: &Outcome) {
    match purpose {
        Purpose::Suppose => what_if::suppose_at_once(model, outcome.edit.clone()),
        Purpose::Edit => accept(model, outcome),
    }
    if let Edit::AddChannel { channel, .. } = &outcome.edit {
        model.select_channel(channel.clone());
    }
}

/// Works out what the form would lead to, and what would complete the word being typed.
pub(in crate::app) fn refresh_form(model: &Model, form: &mut EntryForm) {
    form.preview = form.edit().map(|edit| preview(model, edit));
    form.proposals = proposals(model, form);
    let typed = form.inputs[EntryField::SkipRange as usize].value().trim();
    form.range = match model.package() {
        _ if typed.is_empty() => {
            Ok("a range such as >=1.0.0 <1.2.0: versions that may be upgraded to this one".to_owned())
        }
        Some(judged) => range_matches(judged.package(), typed),
        None => Ok(String::new()),
    };
}

/// The names of the package that fit: those of the channel first, as its picture has them, then other bundles.
fn proposals(model: &Model, form: &EntryForm) -> Vec<BundleName> {
    const MOST: usize = 4;
    let word = form.word();
    let Some(judged) = model.package() else { return Vec::new() };
    if word.is_empty() || form.field == EntryField::SkipRange {
        return Vec::new();
    }
    let mut names: Vec<&BundleName> = Vec::new();
    if let Some(channel) = judged.graph.channel(form.channel.as_str()) {
        let order = layout::order(&channel.graph);
        names.extend(order.into_iter().filter_map(|at| channel.graph.node(at)).map(|node| &node.name));
    }
    let known: HashSet<&BundleName> = names.iter().copied().collect();
    names.extend(newest_first(judged.package()).filter(|name| !known.contains(name)));
    let spec = form.spec();
    let is_said = |name: &BundleName| form.field == EntryField::Skips && spec.skips.contains(name);
    names.retain(|name| **name != form.bundle && **name != *word && !is_said(name));
    best(names, word, MOST).into_iter().cloned().collect()
}

/// Works out what promoting to the chosen channels would lead to.
pub(in crate::app) fn refresh_promote(model: &Model, promote: &mut Promote) {
    promote.preview = promote.edit().map(|edit| preview(model, edit));
}
