//! Actions with their metadata, condition and implementation.

use super::context::{Context, ViewContext};
use crate::tui::keys::{
    ActionId, Screen,
    spec::{ActionContext, ActionSpec, Enabled, WriteScope},
};

/// Action of a screen, or of its target ([`Target`](super::target::Target)).
#[derive(Debug)]
pub struct Action<S: 'static> {
    /// Static metadata of the action.
    pub spec: ActionSpec,
    /// Implementation of the action.
    pub handler: ActionHandler<S>,
}

/// Implementation of an action. A screen can replace the implementation of a shared action without
/// changing its metadata.
#[derive(Debug)]
pub struct ActionHandler<S: 'static> {
    /// The action.
    pub id: ActionId,
    /// Returns the reason if the action is not possible now.
    pub is_enabled: fn(&S, &ViewContext<'_>) -> Enabled,
    /// Runs the action.
    pub run: fn(&mut S, &mut Context<'_>),
}

#[allow(clippy::unnecessary_wraps, reason = "it stands in a table beside others that refuse")]
fn always_enabled<S>(_: &S, _: &ViewContext<'_>) -> Enabled {
    Ok(())
}

/// Creates an action that is always enabled, writes nothing, and is not a hint.
pub const fn action<S>(
    id: ActionId,
    context: ActionContext,
    keys: &'static [&'static str],
    title: &'static str,
    doc: &'static str,
    run: fn(&mut S, &mut Context<'_>),
) -> Action<S> {
    Action {
        spec: ActionSpec::new(id, context, keys, title, doc),
        handler: ActionHandler { id, is_enabled: always_enabled, run },
    }
}

impl<S> Action<S> {
    /// See [`ActionSpec::with_hint`].
    #[must_use]
    pub const fn with_hint(self) -> Self {
        Self { spec: self.spec.with_hint(), ..self }
    }

    /// See [`ActionSpec::with_hint_rank`].
    #[must_use]
    pub const fn with_hint_rank(self, rank: u8) -> Self {
        Self { spec: self.spec.with_hint_rank(rank), ..self }
    }

    /// See [`ActionSpec::with_hint_rank_on`].
    #[must_use]
    pub const fn with_hint_rank_on(self, screen: Screen, rank: u8) -> Self {
        Self { spec: self.spec.with_hint_rank_on(screen, rank), ..self }
    }

    /// See [`ActionSpec::with_search_terms`].
    #[must_use]
    pub const fn with_search_terms(self, words: &'static [&'static str]) -> Self {
        Self { spec: self.spec.with_search_terms(words), ..self }
    }

    /// See [`ActionSpec::with_write_scope`].
    #[must_use]
    pub const fn with_write_scope(self, writes: WriteScope) -> Self {
        Self { spec: self.spec.with_write_scope(writes), ..self }
    }

    /// See [`ActionSpec::with_what_if_end`].
    #[must_use]
    pub const fn with_what_if_end(self) -> Self {
        Self { spec: self.spec.with_what_if_end(), ..self }
    }

    /// Sets the condition that enables the action.
    #[must_use]
    pub const fn enabled_when(self, can: fn(&S, &ViewContext<'_>) -> Enabled) -> Self {
        Self { handler: ActionHandler { is_enabled: can, ..self.handler }, ..self }
    }
}

/// Returns the implementation of an action from a table or its replacements.
pub fn find_handler<S>(
    table: &'static [Action<S>],
    replacements: &'static [ActionHandler<S>],
    id: ActionId,
) -> Option<&'static ActionHandler<S>> {
    let own = table.iter().map(|action| &action.handler);
    own.chain(replacements).find(|how| how.id == id)
}
