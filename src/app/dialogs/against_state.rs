//! Choosing what to compare with.

use crate::app::session::against::repository;
use crate::app::work::Base;
use crate::{
    app::{
        dialogs::{other_catalogs_state::labels, state::Overlay},
        shell::model::Model,
    },
    catalog::load::git::Revision,
};

/// The choice.
#[derive(Debug)]
pub struct Choice {
    /// What there is to choose from.
    pub ways: Vec<Way>,
    /// The row.
    pub cursor: usize,
}

/// One thing to compare with.
#[derive(Clone, Debug)]
pub struct Way {
    /// What it is called.
    pub label: String,
    /// What else is to be said of it.
    pub note: String,
    /// What comes of choosing it, or why it cannot be chosen.
    pub then: Result<Then, String>,
}

/// See [`Way`].
#[derive(Clone, Debug)]
pub enum Then {
    /// Nothing is compared any more.
    End,
    /// This is compared with.
    Base(Base),
    /// A revision is asked for.
    AskRevision,
    /// A path is asked for.
    AskPath,
}

impl Choice {
    /// What the catalog that is looked at can be compared with; the cursor on what it is compared with.
    pub(in crate::app) fn new(model: &Model) -> Self {
        let ways = ways(model);
        let base = model.session.base().cloned();
        let is_it = |way: &Way| matches!(&way.then, Ok(Then::Base(of)) if Some(of) == base.as_ref());
        let first = ways.iter().position(|way| way.label == "HEAD");
        let cursor = ways.iter().position(is_it).or(first.filter(|_| base.is_none()));
        Self { ways, cursor: cursor.unwrap_or_default() }
    }
}

/// Says of the choice that is open what is known by now.
pub(in crate::app) fn refresh(model: &mut Model) {
    let ways = ways(model);
    if let Some(Overlay::Against(choice)) =
        model.overlays.iter_mut().find(|overlay| matches!(overlay, Overlay::Against(_)))
    {
        choice.cursor = choice.cursor.min(ways.len().saturating_sub(1));
        choice.ways = ways;
    }
}

fn ways(model: &Model) -> Vec<Way> {
    let Some(open) = model.session.catalog() else { return Vec::new() };
    let way = |label: &str, note: &str, then| Way { label: label.to_owned(), note: note.to_owned(), then };
    let compares = open.comparing.base().is_some() || open.comparing.asked().is_some();
    let end = if compares { Ok(Then::End) } else { Err("nothing is compared now".to_owned()) };
    let head = Base::Revision(Revision { revision: "HEAD".to_owned(), path: None });
    let mut ways = vec![
        way("nothing", "back to unsaved edits alone", end),
        way("as loaded", "unsaved edits, told and marked as the others are", Ok(Then::Base(Base::Loaded))),
        way("HEAD", "the last commit of its git repository", repository(open).map(|()| Then::Base(head))),
        way("another revision", "a branch, a tag, a commit", Ok(Then::AskRevision)),
        way("another catalog", "a directory or file on disk", Ok(Then::AskPath)),
    ];
    let others = labels(&model.session.open).into_iter().zip(&model.session.open).enumerate();
    for (number, (label, other)) in others.filter(|(number, _)| *number != model.session.current) {
        let then = Ok(Then::Base(Base::Open(other.source.clone())));
        ways.push(Way { label, note: format!("open as [{}]", number + 1), then });
    }
    ways
}
