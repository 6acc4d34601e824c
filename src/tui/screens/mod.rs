//! The screens, one directory each. A screen does not know other screens.

pub mod about;
pub mod bundle;
pub mod changes;
pub mod deprecations;
pub mod graph;
pub mod packages;
pub mod plan;
pub mod problems;
pub mod resolve;
pub mod screen;
pub mod template;
pub mod upgrades;

pub use screen::ScreenState;

use crate::tui::{
    keys::{Screen, spec::ActionSpec},
    session::action::Action,
};

/// All screens, one of which is visible.
#[derive(Debug, Default)]
pub struct Screens {
    /// Packages, channels, entries, details.
    pub packages: packages::Packages,
    /// The upgrade graph of a channel.
    pub graph: graph::Graph,
    /// Upgrades of every installed version.
    pub upgrades: upgrades::Upgrades,
    /// Findings.
    pub problems: problems::Problems,
    /// Deprecations.
    pub deprecations: deprecations::Deprecations,
    /// Unsaved edits, or a comparison.
    pub changes: changes::Changes,
    /// Content of a bundle.
    pub bundle: bundle::Bundle,
    /// The lists of a semver template.
    pub template: template::Template,
    /// The assumed cluster.
    pub resolve: resolve::Resolve,
    /// Upgrade plans over OpenShift versions.
    pub plan: plan::Plan,
    /// Version, terminal, configuration and files.
    pub about: about::About,
}

impl Screens {
    /// Returns the state of a screen.
    pub fn get(&self, screen: Screen) -> &dyn ScreenState {
        match screen {
            Screen::Packages => &self.packages,
            Screen::Graph => &self.graph,
            Screen::Upgrades => &self.upgrades,
            Screen::Problems => &self.problems,
            Screen::Deprecations => &self.deprecations,
            Screen::Changes => &self.changes,
            Screen::Bundle => &self.bundle,
            Screen::Template => &self.template,
            Screen::Resolve => &self.resolve,
            Screen::Plan => &self.plan,
            Screen::About => &self.about,
        }
    }

    /// Returns the mutable state of a screen.
    pub(in crate::tui) fn get_mut(&mut self, screen: Screen) -> &mut dyn ScreenState {
        match screen {
            Screen::Packages => &mut self.packages,
            Screen::Graph => &mut self.graph,
            Screen::Upgrades => &mut self.upgrades,
            Screen::Problems => &mut self.problems,
            Screen::Deprecations => &mut self.deprecations,
            Screen::Changes => &mut self.changes,
            Screen::Bundle => &mut self.bundle,
            Screen::Template => &mut self.template,
            Screen::Resolve => &mut self.resolve,
            Screen::Plan => &mut self.plan,
            Screen::About => &mut self.about,
        }
    }
}

/// Returns the actions that belong to screens.
pub(in crate::tui) fn screen_action_specs() -> impl Iterator<Item = &'static ActionSpec> {
    fn action_specs<S>(table: &'static [Action<S>]) -> impl Iterator<Item = &'static ActionSpec> {
        table.iter().map(|action| &action.spec)
    }
    action_specs(graph::TABLE)
        .chain(action_specs(upgrades::TABLE))
        .chain(action_specs(changes::TABLE))
        .chain(action_specs(resolve::TABLE))
        .chain(action_specs(plan::TABLE))
}
