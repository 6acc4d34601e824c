//! What follows for one screen and is kept until its causes change, so that no frame works it out again.

use std::{collections::HashSet, sync::Arc};

use crate::app::{
    keys::Screen,
    parts::{
        list::{ListId, passes},
        memo::{Memo, Same},
        orders::{self, Order},
    },
    screens::{graph::view::GraphMode, upgrades::rows::Shown},
    session::open::Open,
    shell::model::Model,
};
use crate::app::{
    parts::names::Names,
    screens::{
        catalog::descriptions,
        changes::rows as compared,
        deprecations::rows::{DeprecationRow, Deprecations, Told},
        graph::{
            all_channels,
            picture::{self, GraphLines, Pictures},
        },
    },
};

use crate::{
    catalog::{BundleName, ChannelName, PackageName, file::Place},
    export::description::Line,
    layout::{
        Layout,
        neighbourhood::Neighbourhood,
        side_by_side::{Ground, SideBySide},
    },
    review::{Judged, Report, Snapshot},
    upgrade::{
        Installed,
        fresh::Fresh,
        openshift::ClusterUpdate,
        path::{Route, Traveller},
        v1::Query,
    },
    validate::Diagnostic,
};

/// A finding as the Problems screen lists it.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The finding.
    pub finding: Diagnostic,
    /// Where it stands now.
    pub place: Option<Place>,
}

type EntriesKey = (Same<Judged>, Option<ChannelName>, String, Option<Order>);
type RoutesKey = (Same<Judged>, Option<ChannelName>, Option<BundleName>, Query, Option<BundleName>);

/// A state on disk and a later one.
type States = (Same<Snapshot>, Same<Snapshot>);

/// What differs in open catalogs, by their numbers.
type Reports = Vec<(usize, Report)>;

/// Everything derived. Read it through the accessors; `Model::derive` keeps it true.
#[derive(Debug, Default)]
pub struct Derived {
    pub(in crate::app) packages: Memo<(Same<Snapshot>, String, Option<Order>), Names<PackageName>>,
    pub(in crate::app) channels: Memo<(Same<Judged>, String, Option<Order>), Names<ChannelName>>,
    pub(in crate::app) entries: Memo<EntriesKey, Names<BundleName>>,
    pub(in crate::app) pictures: Pictures,
    pub(in crate::app) routes: Memo<RoutesKey, Vec<Route>>,
    pub(in crate::app) all_channels: Memo<Same<Judged>, Option<Ground>>,
    pub(in crate::app) side_by_side: Memo<all_channels::Key, Option<SideBySide>>,
    pub(in crate::app) upgrades: Shown,
    pub(in crate::app) descriptions: descriptions::Descriptions,
    pub(in crate::app) problems: Memo<(Same<Snapshot>, String, Option<Order>), Vec<Problem>>,
    pub(in crate::app) deprecations: Deprecations,
    pub(in crate::app) differences: compared::Rows,
    pub(in crate::app) changes: Memo<States, Report>,
    pub(in crate::app) elsewhere: Memo<Vec<(usize, States)>, Reports>,
}

impl Derived {
    /// The packages that pass the filter.
    pub fn packages(&self) -> &Names<PackageName> {
        &self.packages.value
    }

    /// The channels of the package that pass the filter, the default one first.
    pub fn channels(&self) -> &Names<ChannelName> {
        &self.channels.value
    }

    /// The entries of the channel that pass the filter, newest first.
    pub fn entries(&self) -> &Names<BundleName> {
        &self.entries.value
    }

    /// The picture of the channel, as the Graph screen draws it.
    pub fn layout(&self) -> Option<&Arc<Layout>> {
        self.pictures.layout.value.as_ref()
    }

    /// What is around the selected bundle, while the Graph screen draws that.
    pub fn zoom(&self) -> Option<&Neighbourhood> {
        self.pictures.zoom.value.as_ref()
    }

    /// Which rows of the picture are shown.
    pub fn graph_lines(&self) -> &GraphLines {
        &self.pictures.lines.value
    }

    /// The paths from the marked bundle to the selected one, under each OLM; none where nothing is marked.
    pub fn routes(&self) -> &[Route] {
        &self.routes.value
    }

    /// All channels of the package side by side, while the Graph screen draws them.
    pub fn side_by_side(&self) -> Option<&SideBySide> {
        self.side_by_side.value.as_ref()
    }

    /// Which installed bundles block the update of the cluster, where that is asked.
    pub fn cluster_update(&self) -> Option<&ClusterUpdate> {
        self.upgrades.update.value.as_ref()
    }

    /// What a fresh installation gets.
    pub fn fresh(&self) -> Option<&Fresh> {
        self.upgrades.fresh.value.as_ref()
    }

    /// The rows of the table that are shown, in their order.
    pub fn rows(&self) -> &[usize] {
        &self.upgrades.rows.value
    }

    /// The description of the selected package, in lines.
    pub fn package_description(&self) -> &[Line] {
        &self.descriptions.package.value
    }

    /// The description of the selected bundle, in lines.
    pub fn bundle_description(&self) -> &[Line] {
        &self.descriptions.bundle.value
    }

    /// The findings that pass the filter.
    pub fn problems(&self) -> &[Problem] {
        &self.problems.value
    }

    /// The deprecations that pass the filter, and after them what could be deprecated.
    pub fn deprecations(&self) -> &[DeprecationRow] {
        &self.deprecations.rows.value
    }

    /// What is told of the selected row of the Deprecations screen.
    pub fn told(&self) -> &Told {
        &self.deprecations.told.value
    }

    /// What would be written of the other open catalogs, by their numbers.
    pub fn changes_elsewhere(&self) -> &[(usize, Report)] {
        &self.elsewhere.value
    }

    /// What would be written, and what that changes.
    pub fn changes(&self) -> &Report {
        &self.changes.value
    }
}

impl Model {
    /// Makes what is derived true again. Cheap where nothing changed.
    pub(in crate::app) fn derive(&mut self) {
        self.session.derive();
        let mut derived = std::mem::take(&mut self.derived);
        derived.update(self);
        self.derived = derived;
    }
}

impl Derived {
    fn update(&mut self, model: &Model) {
        let snapshot = model.session.snapshot();
        let package = model.session.package();
        let selection = model.session.selection();
        let filter = |id: ListId| model.session.lists.filter(id).to_owned();
        let by = |id: ListId| model.session.orders.of(id);
        let key = (Same::of(snapshot), filter(ListId::Packages), by(ListId::Packages));
        self.packages.update(key, |(_, filter, order)| {
            let names = snapshot.into_iter().flat_map(|s| s.packages()).map(|(name, _)| name);
            let mut names: Vec<_> = names.filter(|name| passes(filter, name.as_str())).cloned().collect();
            if let Some(snapshot) = snapshot {
                orders::packages(&mut names, *order, snapshot);
            }
            Names::new(names, |name| name.as_str().into())
        });
        let key = (Same::of(package), filter(ListId::Channels), by(ListId::Channels));
        self.channels.update(key, |(_, filter, order)| {
            let names = package.map(|p| channels(p, filter, *order)).unwrap_or_default();
            Names::new(names, |name| name.as_str().into())
        });
        let channel = selection.channel.clone();
        let key = (Same::of(package), channel.clone(), filter(ListId::Entries), by(ListId::Entries));
        self.entries.update(key, |(_, channel, filter, order)| {
            let Some((package, channel)) = package.zip(channel.as_ref()) else { return Names::default() };
            let names = entries(package, channel, filter, *order);
            Names::new(names, |name| package.package().short_name(name).into())
        });
        // Only the Graph screen draws it.
        if model.session.screen == Screen::Graph && !model.is_side_by_side() {
            let key = picture::Key {
                package: Same::of(package),
                channel,
                query: model.session.question.query.clone(),
                width: usize::from(model.frame.size.0),
            };
            self.pictures.draw(key, model);
            if model.graph.mode == GraphMode::Zoom {
                self.pictures.zoom(model);
            }
        }
        if model.session.screen == Screen::Graph {
            let marked = model.session.mark.as_ref().filter(|(of, _)| selection.package.as_ref() == Some(of));
            let marked = marked.map(|(_, bundle)| bundle.clone());
            let key = (
                Same::of(package),
                selection.channel.clone(),
                selection.bundle.clone(),
                model.session.question.query.clone(),
                marked,
            );
            self.routes.update(key, |(_, channel, to, query, from)| {
                let wanted = || Some((package?, channel.as_ref()?, from.as_ref()?, to.as_ref()?));
                let Some((package, channel, from, to)) = wanted() else { return Vec::new() };
                let from = Installed::of(package.package(), from);
                let travellers = [Traveller::Classic(channel.clone()), Traveller::V1(query.clone())];
                let route = |by| Route::new(&package.graph, by, &from, to);
                travellers.iter().map(route).collect()
            });
        }
        if model.session.screen == Screen::Graph && model.is_side_by_side() {
            let first = self.side_by_side.value.as_ref().map_or(0, |shown| shown.first);
            let key = all_channels::Key {
                package: Same::of(package),
                channel: selection.channel.clone(),
                width: usize::from(model.frame.size.0),
            };
            self.all_channels.update(Same::of(package), |_| Some(Ground::new(&package?.graph)));
            let ground = self.all_channels.value.as_ref();
            self.side_by_side.update(key, |key| Some(all_channels::picture(package?, ground?, key, first)));
        }
        let subscribed = model.session.subscribed_channel().cloned();
        self.upgrades.update(model, package, subscribed.as_ref(), model.session.answers.table());
        if model.session.screen == Screen::Catalog {
            self.descriptions.update(model, model.session.answers.details());
        }
        let key = (Same::of(snapshot), filter(ListId::Problems), by(ListId::Problems));
        self.problems.update(key, |(_, filter, order)| {
            snapshot.map(|s| problems(s, filter, *order)).unwrap_or_default()
        });
        // What only one screen shows is worked out when it is shown.
        if model.session.screen == Screen::Deprecations {
            self.deprecations.update(model);
        }
        if model.session.screen == Screen::Changes {
            self.list_differences(model);
            self.update_elsewhere(model);
            let baseline = model.session.catalog().map(|open| &open.baseline);
            self.changes.update((Same::of(baseline), Same::of(snapshot)), |_| {
                baseline
                    .zip(snapshot)
                    .map(|(before, after)| Report::between(before, after))
                    .unwrap_or_default()
            });
        }
    }
}

impl Derived {
    fn update_elsewhere(&mut self, model: &Model) {
        let is_other = |(number, open): &(usize, &Open)| {
            *number != model.session.current && open.history.unsaved(&open.baseline) > 0
        };
        let others = || model.session.open.iter().enumerate().filter(is_other);
        let states = others().map(|(number, open)| {
            (number, (Same::of(Some(&open.baseline)), Same::of(Some(open.history.now()))))
        });
        self.elsewhere.update(states.collect(), |_| {
            others()
                .map(|(number, open)| (number, Report::between(&open.baseline, open.history.now())))
                .collect()
        });
    }
}

fn channels(package: &Judged, filter: &str, order: Option<Order>) -> Vec<ChannelName> {
    let default = package.package().default_channel();
    let mut seen = HashSet::new();
    let named = package.package().channels.iter().map(|channel| &channel.name.value);
    let passing = named.filter(|name| passes(filter, name.as_str()) && seen.insert(*name));
    let mut names: Vec<ChannelName> = passing.cloned().collect();
    names.sort_by(|a, b| {
        (Some(b) == default).cmp(&(Some(a) == default)).then_with(|| a.as_str().cmp(b.as_str()))
    });
    orders::channels(&mut names, order, package);
    names
}

fn entries(package: &Judged, channel: &ChannelName, filter: &str, order: Option<Order>) -> Vec<BundleName> {
    let Some(upgrades) = package.graph.channel(channel.as_str()) else { return Vec::new() };
    let nodes = orders::entries(&upgrades.graph, order).into_iter();
    let nodes = nodes.filter_map(|at| upgrades.graph.node(at));
    let entries = nodes.filter(|node| node.entry.is_some() && passes(filter, node.name.as_str()));
    entries.map(|node| node.name.clone()).collect()
}

fn problems(snapshot: &Snapshot, filter: &str, order: Option<Order>) -> Vec<Problem> {
    let mut problems: Vec<Problem> = snapshot
        .findings()
        .filter(|f| {
            let package = f.package.as_ref().map(PackageName::as_str).unwrap_or_default();
            filter.is_empty()
                || passes(filter, &format!("{} {} {package} {}", f.severity().as_str(), f.rule.id, f.message))
        })
        .map(|finding| Problem {
            place: finding.at.as_ref().and_then(|at| at.place(&snapshot.catalog)),
            finding: finding.clone(),
        })
        .collect();
    problems.sort_by(|a, b| {
        let severity = || a.finding.severity().cmp(&b.finding.severity());
        let package = || a.finding.package.cmp(&b.finding.package);
        let place = || a.place.as_ref().map(Place::order).cmp(&b.place.as_ref().map(Place::order));
        let rule = || a.finding.rule.id.cmp(b.finding.rule.id);
        match order {
            Some(Order::FindingPackages) => package().then_with(severity).then_with(place).then_with(rule),
            Some(Order::FindingRules) => rule().then_with(package).then_with(place),
            Some(Order::FindingPlaces) => place().then_with(severity).then_with(rule),
            _ => severity().then_with(package).then_with(place).then_with(rule),
        }
    });
    problems
}
