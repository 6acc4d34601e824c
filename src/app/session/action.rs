//! Actions with their metadata, condition and implementation.

use super::cx::{Cx, See};
use crate::app::keys::{
    ActionId, Screen,
    spec::{ActionSpec, Context, Enabled, Writes},
};

/// Action of a screen, or of its target ([`Target`](super::target::Target)).
#[derive(Debug)]
pub struct Action<S: 'static> {
    /// Static metadata of the action.
    pub spec: ActionSpec,
    /// Implementation of the action.
    pub how: How<S>,
}

/// Implementation of an action. A screen can replace the implementation of a shared action without
/// changing its metadata.
#[derive(Debug)]
pub struct How<S: 'static> {
    /// The action.
    pub id: ActionId,
    /// Returns the reason if the action is not possible now.
    pub can: fn(&S, &See<'_>) -> Enabled,
    /// Runs the action.
    pub run: fn(&mut S, &mut Cx<'_>),
}

#[allow(clippy::unnecessary_wraps, reason = "it stands in a table beside others that refuse")]
fn always<S>(_: &S, _: &See<'_>) -> Enabled {
    Ok(())
}

/// Creates an action that is always enabled, writes nothing, and is not a hint.
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

    /// Sets the condition that enables the action.
    #[must_use]
    pub const fn when(self, can: fn(&S, &See<'_>) -> Enabled) -> Self {
        Self { how: How { can, ..self.how }, ..self }
    }
}

/// Returns the implementation of an action from a table or its replacements.
pub fn how<S>(
    table: &'static [Action<S>],
    instead: &'static [How<S>],
    id: ActionId,
) -> Option<&'static How<S>> {
    let own = table.iter().map(|action| &action.how);
    own.chain(instead).find(|how| how.id == id)
}
