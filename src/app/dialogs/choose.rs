//! Dialog that chooses one of a few edits, with a preview of each.

use std::sync::Arc;

use super::dialog::{DialogState, Rows, Step};
use crate::{
    app::{
        keys::{ActionId, Dialog, Press},
        session::{
            Session,
            cx::{Cx, See},
        },
        work::{
            Opening, Prospect,
            opening::{Leads, Purpose, Way},
            preview::Outcome,
            remedy::{Remedies, RemedySearch},
        },
    },
    catalog::{MadeFrom, TemplateKind},
    edit::Edit,
    export::stuck,
    review::stuck::{FoundRemedy, Scope},
};

/// State of the dialog.
#[derive(Debug)]
pub struct Choose {
    /// Question in the title.
    pub title: String,
    /// Purpose of the resulting edit.
    pub purpose: Purpose,
    /// Options to choose from.
    pub ways: Vec<Way>,
    /// Index of the selected option.
    pub cursor: usize,
    /// Preview of the selected option; empty if the option leads to a question.
    pub preview: Prospect,
    /// Index of the previewed option.
    previewed: usize,
    /// Sentences about each option, shown above the preview.
    details: Vec<Vec<String>>,
    /// Search for the options; `None` after it has finished.
    search: Option<Arc<RemedySearch>>,
    /// Reason why there are no options.
    pub none: Option<String>,
}

impl Choose {
    /// Opens the dialog with the cursor on the first option.
    pub(in crate::app) fn new(purpose: Purpose, title: String, ways: Vec<Way>, session: &Session) -> Self {
        let mut choice = Self { purpose, ways, ..Self::empty(title) };
        choice.look(session);
        choice
    }

    /// Opens the dialog with a single edit whose outcome is already computed.
    pub(in crate::app) fn offered(title: String, outcome: Arc<Outcome>) -> Self {
        let ways = vec![Way::of(outcome.edit.clone())];
        let preview = Prospect::Known(Ok(outcome));
        Self { ways, preview, ..Self::empty(title) }
    }

    /// Opens the dialog while edits that free stuck versions are being searched.
    pub(in crate::app) fn searching(search: Arc<RemedySearch>) -> Self {
        let title = match &search.scope {
            Scope::Package => format!("Free stuck versions of {}", search.package),
            Scope::Channel(channel) => format!("Free stuck versions of {} in {channel}", search.package),
            Scope::Version(version) => format!("Free {version}"),
        };
        Self { search: Some(search), ..Self::empty(title) }
    }

    fn empty(title: String) -> Self {
        Self {
            title,
            purpose: Purpose::Edit,
            ways: Vec::new(),
            cursor: 0,
            preview: Prospect::Nothing,
            previewed: 0,
            details: Vec::new(),
            search: None,
            none: None,
        }
    }

    /// Returns true while the options are being searched.
    pub fn is_searching(&self) -> bool {
        self.search.is_some()
    }

    /// Returns the sentences about the selected option.
    pub fn details(&self) -> &[String] {
        self.details.get(self.cursor).map_or(&[], Vec::as_slice)
    }

    /// Requests the preview of the selected option.
    fn look(&mut self, session: &Session) {
        self.previewed = self.cursor;
        self.preview = match self.way().map(|way| &way.then) {
            Some(Leads::Edit(edit)) => session.prospect(edit.clone()),
            Some(Leads::Ask { .. }) | None => Prospect::Nothing,
        };
    }

    /// Returns the selected option.
    pub fn way(&self) -> Option<&Way> {
        self.ways.get(self.cursor)
    }

    /// Returns the question that the selected option leads to.
    fn question(&self) -> Option<Opening> {
        let Leads::Ask { package, asked, proposed } = &self.way()?.then else { return None };
        Some(Opening::Ask {
            purpose: self.purpose,
            package: package.clone(),
            asked: asked.clone(),
            proposed: proposed.clone(),
        })
    }
}

impl DialogState for Choose {
    fn id(&self) -> Dialog {
        Dialog::Choose
    }

    fn press(&mut self, press: Press, cx: &mut Cx<'_>) -> Step {
        if press != Press::Action(ActionId::Accept) {
            return Step::Stay;
        }
        if let Some(question) = self.question() {
            return Step::Instead(question);
        }
        let Some(Ok(outcome)) = cx.session.now(&mut self.preview) else { return Step::Stay };
        cx.keep_and_show(self.purpose, outcome);
        Step::Close
    }

    fn remedies_found(&mut self, asked: &Arc<RemedySearch>, found: Remedies, see: &See<'_>) {
        if !self.search.as_ref().is_some_and(|search| Arc::ptr_eq(search, asked)) {
            return;
        }
        self.search = None;
        match found {
            Err(reason) => self.none = Some(stuck::no_remedy_words(reason).to_owned()),
            Ok(found) => {
                let template = asked.snapshot().and_then(|now| now.catalog.made_from(&asked.package));
                for FoundRemedy { group, remedy, check } in found {
                    let edit = Edit::SetEntry {
                        package: asked.package.clone(),
                        channel: remedy.channel.clone(),
                        entry: remedy.entry.clone(),
                        spec: remedy.spec.clone(),
                    };
                    let (label, note) = (stuck::remedy_words(&remedy), stuck::effect_words(&remedy));
                    self.ways.push(Way { label, note, then: Leads::Edit(edit) });
                    let mut details = stuck::remedy_details(&group, &remedy, check);
                    details.extend(template.map(|template| template_words(template, see)));
                    self.details.push(details);
                }
                self.look(see.session);
            }
        }
    }

    fn prospect(&mut self) -> Option<&mut Prospect> {
        Some(&mut self.preview)
    }

    fn rows(&self) -> Option<Rows> {
        Some(Rows { count: self.ways.len(), cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn click_accepts(&self) -> bool {
        true
    }

    fn settle(&mut self, see: &See<'_>) {
        if self.previewed != self.cursor {
            self.look(see.session);
        }
    }
}

/// Describes whether the template of a catalog can express the edit of an entry.
fn template_words(template: &MadeFrom, see: &See<'_>) -> String {
    let path = template.shown.display();
    if template.kind == Some(TemplateKind::Basic) {
        let (open, there) = (see.key(ActionId::OpenTemplate), see.key(ActionId::EditElsewhere));
        return format!(
            "{path} generates this catalog: after applying, {open} opens it and {there} applies the edit to it"
        );
    }
    let kind = if template.kind == Some(TemplateKind::Semver) {
        "a semver template"
    } else {
        "its kind of template"
    };
    format!(
        "{path} generates this catalog, and {kind} cannot express this edit: the edit changes only the catalog"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        edit,
        review::{Consequences, Snapshot},
        upgrade::fixture,
    };

    #[test]
    fn computed_outcome_is_used_as_preview() {
        let before = Snapshot::new(fixture::catalog(&[("c", "1.0.0"), ("d", "1.0.0")]));
        let edit = Edit::SetDefaultChannel { package: "p".into(), channel: "d".into() };
        let after = Arc::new(before.after(edit::apply(&before.catalog, &edit).unwrap()));
        let consequences = Consequences::between(&before, &after);
        let outcome = Arc::new(Outcome { edit, after, consequences });
        let offered = Choose::offered("Fix it".to_owned(), Arc::clone(&outcome));
        assert!(matches!(offered.preview.known(), Some(Ok(shown)) if Arc::ptr_eq(shown, &outcome)));
    }
}
