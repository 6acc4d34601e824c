//! A assumed cluster as data: what is asked of the resolver, and what comes back.

use std::{collections::BTreeMap, sync::Arc};

use super::Source;
use crate::{
    catalog::{BundleName, ChannelName, PackageName},
    resolve::{
        self, Alone, Answer, InstalledCsv, Limits, Question, SourceKey, Subscription,
        index::BundleAt,
        needs::{self, Needing},
    },
    review::{Judged, Snapshot},
    upgrade::{Solved, UpgradeRow, UpgradeTable, table::Next},
};

/// A subscription.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subscribed {
    /// The catalog.
    pub source: Source,
    /// The package.
    pub package: PackageName,
    /// The channel; without one any counts, the default one first.
    pub channel: Option<ChannelName>,
    /// Whether it is not excluded to see what is then.
    pub counts: bool,
}

/// Something installed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Installed {
    /// The catalog that knows it.
    pub source: Source,
    /// The package.
    pub package: PackageName,
    /// The bundle.
    pub bundle: BundleName,
    /// Whether it is not excluded to see what is then.
    pub counts: bool,
}

/// What is assumed of a namespace.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Assumed {
    /// The subscriptions, in the order in which they were assumed.
    pub subscribed: Vec<Subscribed>,
    /// What is installed.
    pub installed: Vec<Installed>,
    /// Catalogs of which somebody said whether they are in sight.
    pub in_sight: Vec<(Source, bool)>,
}

impl Assumed {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.subscribed.is_empty() && self.installed.is_empty()
    }

    /// The catalogs that something is taken from.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        let subscribed = self.subscribed.iter().map(|one| &one.source);
        subscribed.chain(self.installed.iter().map(|one| &one.source))
    }
}

/// A question with the catalogs that are in sight, each with what it is called.
#[derive(Clone, PartialEq, Debug)]
pub struct Asked {
    /// What is assumed.
    pub assumed: Assumed,
    /// The catalogs.
    pub catalogs: Vec<(Source, String, Arc<Snapshot>)>,
    /// Those that are open and not in sight: what is installed may be of one of them, and is what it is.
    pub out_of_sight: Vec<(Source, Arc<Snapshot>)>,
}

/// What OLM Classic makes of it.
#[derive(Debug)]
pub struct Resolved {
    /// The answer.
    pub answer: Answer,
    /// Who needs whom.
    pub needs: Vec<Needing>,
}

impl Asked {
    /// Works it out; takes as long as it takes.
    pub fn resolve(&self) -> Resolved {
        let question = self.question();
        let answer = resolve::resolve(&question, Limits::default());
        let needs = needs::of_answer(&question, &answer);
        Resolved { answer, needs }
    }

    fn question(&self) -> Question {
        let sources = self.catalogs.iter().map(|(_, name, snapshot)| snapshot.source(name));
        let mut question = Question::new(sources.collect());
        for one in self.assumed.installed.iter().filter(|one| one.counts) {
            question.installed.push(self.csv(one));
        }
        for one in self.assumed.subscribed.iter().filter(|one| one.counts) {
            let own = self.assumed.installed.iter().find(|csv| csv.counts && csv.package == one.package);
            question.subscriptions.push(Subscription {
                name: one.package.to_string(),
                package: one.package.clone(),
                channel: one.channel.clone(),
                catalog: self.key(&one.source),
                starting_csv: None,
                installed: own.map(|csv| csv.bundle.clone()),
            });
        }
        question
    }

    /// What is installed, as its catalog knows it, in sight or not; of one that left it no more than its package.
    fn csv(&self, one: &Installed) -> InstalledCsv {
        let in_sight = self.catalogs.iter().map(|(source, _, snapshot)| (source, snapshot));
        let all = in_sight.chain(self.out_of_sight.iter().map(|(source, snapshot)| (source, snapshot)));
        let known = all.into_iter().find(|(source, _)| **source == one.source).and_then(|(_, snapshot)| {
            let index = snapshot.index();
            let package = index.place(one.package.as_str())?;
            let bundle = index.packages().get(package)?.place(one.bundle.as_str())?;
            InstalledCsv::of_bundle(index, BundleAt { package, bundle })
        });
        known.unwrap_or_else(|| InstalledCsv::of_package(one.bundle.clone(), None, &one.package))
    }

    /// What a catalog is called; one that is not in sight has no entries there.
    fn key(&self, source: &Source) -> SourceKey {
        let known = self.catalogs.iter().find(|(own, ..)| own == source);
        SourceKey::global(&known.map_or_else(|| source.label(), |(_, name, _)| name.clone()))
    }
}

/// Everybody who has a version of a package installed, and the catalogs in sight, its own first.
#[derive(Clone, Debug)]
pub struct Everyone {
    /// What Classic picks for each without dependencies.
    pub table: Arc<UpgradeTable>,
    /// The package.
    pub package: Arc<Judged>,
    /// The catalogs, each with what it is called.
    pub catalogs: Vec<(String, Arc<Snapshot>)>,
}

/// The same table, and the same catalogs around it.
impl PartialEq for Everyone {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.table, &other.table) && self.catalogs == other.catalogs
    }
}

/// How much work one installed version may be, in steps: there may be hundreds.
const FOR_ONE: Limits = Limits { search: 1_000_000, why: 100_000, unstable: 0 };

impl Everyone {
    /// Works out whose pick becomes another one with dependencies, and what it becomes.
    pub fn solve(&self) -> BTreeMap<BundleName, Alone> {
        let named = self.catalogs.iter();
        let sources: Vec<resolve::Source> =
            named.map(|(name, snapshot)| resolve::Source::new(name, snapshot.index())).collect();
        let package = &self.package.package().name;
        let solve = |row: &UpgradeRow| {
            let bare = match &row.classic {
                Next::To(name) => Solved::Bundle(name.clone()),
                Next::Stays => Solved::Stays,
                Next::Error(_) => return None,
            };
            let alone =
                resolve::alone(&sources, package, &self.table.channel, Some(&row.installed), FOR_ONE)?;
            (alone.solved.as_ref() != Some(&bare)).then(|| (row.installed.name.clone(), alone))
        };
        self.table.rows.iter().filter(|row| row.in_channel).filter_map(solve).collect()
    }
}
