//! From an edit to a state one may accept, and to the present one: the one way into the history.

use super::loading::templates;
use std::sync::Arc;

use crate::{
    app::{
        keys::ActionId,
        session::{Session, cx::See},
        work::preview::{Outcome, Preview},
    },
    edit::{self, Edit},
    review::consequences::Consequences,
};

impl Session {
    /// What an edit of the catalog that is looked at would lead to.
    pub(in crate::app) fn preview(&self, edit: Edit) -> Preview {
        let Some(before) = self.snapshot() else { return Err("no catalog is open".to_owned()) };
        let catalog = edit::apply(&before.catalog, &edit).map_err(|error| error.to_string())?;
        let after = Arc::new(before.after(catalog));
        let consequences = Consequences::between(before, &after);
        Ok(Arc::new(Outcome { edit, after, consequences }))
    }

    /// Makes the state that an edit leads to the present one of a catalog. What is renamed stays selected.
    pub(in crate::app) fn keep(&mut self, catalog: usize, outcome: &Outcome) -> bool {
        let Some(open) = self.open.get_mut(catalog) else { return false };
        open.history.push(outcome.after.clone(), outcome.edit.clone());
        if let Edit::RenameChannel { channel, to, .. } = &outcome.edit
            && open.selection.channel.as_ref() == Some(channel)
        {
            open.selection.channel = Some(to.clone());
        }
        true
    }
}

/// What to say of an edit of the catalog that is looked at, which was just made.
pub(in crate::app) fn told(see: &See<'_>, outcome: &Outcome) -> String {
    let title = outcome.edit.title();
    if let Some(template) = see.session.catalog().and_then(templates::lost_edits) {
        let (open, there) = (see.key(ActionId::OpenTemplate), see.key(ActionId::EditElsewhere));
        return format!("{title}   ({template} makes this catalog: {open} opens it, {there} edits it too)");
    }
    let (undo, save) = (see.key(ActionId::Undo), see.key(ActionId::Review));
    if see.session.open.len() > 1 {
        let there = see.key(ActionId::EditElsewhere);
        return format!(
            "{title}   ({undo} takes it back, {there} edits the other catalogs too, {save} saves)"
        );
    }
    format!("{title}   ({undo} takes it back, {save} saves)")
}
