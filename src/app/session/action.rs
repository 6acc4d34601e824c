//! An action and how it is done: what is said of it, whether it can be done now, and what does it.

use super::cx::{Cx, See};
use crate::app::keys::{
    ActionId, Screen,
    spec::{ActionSpec, Context, Enabled, Writes},
};

/// An action of something: of a screen, or of what is highlighted ([`Target`](super::target::Target)).
#[derive(Debug)]
pub struct Action<S: 'static> {
    /// What is said of it.
    pub spec: ActionSpec,
    /// How it is done.
    pub how: How<S>,
}

/// How an action is done. A screen may do a shared action in its own way, without saying anything else of it.
#[derive(Debug)]
pub struct How<S: 'static> {
    /// The action.
    pub id: ActionId,
    /// Whether it can be done now, and if not, why.
    pub can: fn(&S, &See<'_>) -> Enabled,
    /// Does it.
    pub run: fn(&mut S, &mut Cx<'_>),
}

#[allow(clippy::unnecessary_wraps, reason = "it stands in a table beside others that refuse")]
fn always<S>(_: &S, _: &See<'_>) -> Enabled {
    Ok(())
}

/// An action that can always be done, writes nothing, and is no hint.
pub const fn action<S>(
    id: ActionId,
    context: Context,
    keys: &'static [&'static str],
    title: &'static str,
    doc: &'static str,
    run: fn(&mut S, &mut Cx<'_>),
) -> Action<S> {
    Action { spec: ActionSpec::new(id, context, keys, title, doc), how: How { id, can: always, run } }
}

impl<S> Action<S> {
    /// See [`ActionSpec::hinted`].
    #[must_use]
    pub const fn hinted(self) -> Self {
        Self { spec: self.spec.hinted(), ..self }
    }

    /// See [`ActionSpec::ranked`].
    #[must_use]
    pub const fn ranked(self, rank: u8) -> Self {
        Self { spec: self.spec.ranked(rank), ..self }
    }

    /// See [`ActionSpec::ranked_on`].
    #[must_use]
    pub const fn ranked_on(self, screen: Screen, rank: u8) -> Self {
        Self { spec: self.spec.ranked_on(screen, rank), ..self }
    }

    /// See [`ActionSpec::also`].
    #[must_use]
    pub const fn also(self, words: &'static [&'static str]) -> Self {
        Self { spec: self.spec.also(words), ..self }
    }

    /// See [`ActionSpec::writing`].
    #[must_use]
    pub const fn writing(self, writes: Writes) -> Self {
        Self { spec: self.spec.writing(writes), ..self }
    }

    /// See [`ActionSpec::ending_what_if`].
    #[must_use]
    pub const fn ending_what_if(self) -> Self {
        Self { spec: self.spec.ending_what_if(), ..self }
    }

    /// Says when it can be done.
    #[must_use]
    pub const fn when(self, can: fn(&S, &See<'_>) -> Enabled) -> Self {
        Self { how: How { can, ..self.how }, ..self }
    }
}

/// The way an action is done, by a table and by shared actions that are done in another way here.
pub fn how<S>(
    table: &'static [Action<S>],
    instead: &'static [How<S>],
    id: ActionId,
) -> Option<&'static How<S>> {
    let own = table.iter().map(|action| &action.how);
    own.chain(instead).find(|how| how.id == id)
}
