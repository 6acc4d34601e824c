//! Resolution of one package in a namespace of its own: Classic's pick with dependencies.

use super::{
    index::BundleAt,
    limit::Limits,
    question::{InstalledCsv, Question, Source, Subscription},
    resolved::resolve,
};
use crate::{
    catalog::{ChannelName, PackageName},
    upgrade::{Installed, Solved},
};

/// Result for one subscription.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alone {
    /// Installed bundle; `None` if the search exceeded a limit.
    pub solved: Option<Solved>,
    /// Reasons line by line; empty if the first choice is possible.
    pub why: Vec<String>,
}

/// Resolves a package in a namespace of its own. The first catalog is the package's catalog.
pub fn alone(
    sources: &[Source],
    package: &PackageName,
    channel: &ChannelName,
    installed: Option<&Installed>,
    limits: Limits,
) -> Option<Alone> {
    let own = sources.first()?;
    let mut question = Question::new(sources.to_vec());
    question.installed.extend(installed.map(|installed| csv(own, package, installed)));
    question.subscriptions.push(Subscription {
        name: package.to_string(),
        package: package.clone(),
        channel: Some(channel.clone()),
        catalog: own.key.clone(),
        starting_csv: None,
        installed: installed.map(|installed| installed.name.clone()),
    });
    let resolved = resolve(&question, Limits { unstable: 0, ..limits });
    let pick = resolved.picks().iter().find(|pick| pick.package == *package);
    let solved = match (&resolved.outcome, pick) {
        (Err(failures), _) if !resolved.is_known() => {
            let own = failures.iter().filter(|failure| failure.is_own_limit());
            return Some(Alone { solved: None, why: own.map(ToString::to_string).collect() });
        }
        (Err(_), _) => Solved::Nothing,
        (Ok(_), Some(pick)) => Solved::Bundle(pick.bundle.clone()),
        (Ok(_), None) => Solved::Stays,
    };
    // If there is an answer, lines without indentation describe it instead of giving a reason.
    let is_reason = |line: &String| solved == Solved::Nothing || line.starts_with(' ');
    let why = resolved.why.iter().filter(|line| is_reason(line)).map(|line| line.trim().to_owned()).collect();
    Some(Alone { solved: Some(solved), why })
}

/// Returns the installed bundle. If the catalog does not have it any more, only its package is known.
pub fn csv(source: &Source, package: &PackageName, installed: &Installed) -> InstalledCsv {
    let index = &source.index;
    let known = index.place(package.as_str()).and_then(|at| {
        let bundle = index.packages().get(at)?.place(installed.name.as_str())?;
        InstalledCsv::of_bundle(index, BundleAt { package: at, bundle })
    });
    known.unwrap_or_else(|| {
        let version = installed.version.as_ref().map(|version| version.version.clone());
        InstalledCsv::of_package(installed.name.clone(), version, package)
    })
}
