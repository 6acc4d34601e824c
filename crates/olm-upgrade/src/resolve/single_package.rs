//! Resolution of one package in a namespace of its own: Classic's pick with dependencies.

use super::{
    index::BundlePosition,
    limit::Limits,
    question::{InstalledCsv, Question, Source, Subscription},
    resolution::resolve,
};
use crate::{DependencyResult, Installed};
use olm_catalog::{ChannelName, PackageName};

/// Result for one subscription.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SinglePackageAnswer {
    /// Installed bundle; `None` if the search exceeded a limit.
    pub solved: Option<DependencyResult>,
    /// Reasons line by line; empty if the first choice is possible.
    pub why: Vec<String>,
}

/// Resolves a package in a namespace of its own. The first catalog is the package's catalog.
pub fn resolve_single_package(
    sources: &[Source],
    package: &PackageName,
    channel: &ChannelName,
    installed: Option<&Installed>,
    limits: Limits,
) -> Option<SinglePackageAnswer> {
    let own = sources.first()?;
    let mut question = Question::new(sources.to_vec());
    question.installed.extend(installed.map(|installed| installed_csv(own, package, installed)));
    question.subscriptions.push(Subscription {
        name: package.to_string(),
        package: package.clone(),
        channel: Some(channel.clone()),
        catalog: own.key.clone(),
        starting_csv: None,
        installed: installed.map(|installed| installed.name.clone()),
    });
    let resolved = resolve(&question, Limits { stability: 0, ..limits });
    let pick = resolved.picks().iter().find(|pick| pick.package == *package);
    let solved = match (&resolved.outcome, pick) {
        (Err(failures), _) if !resolved.is_known() => {
            let own = failures.iter().filter(|failure| failure.is_own_limit());
            return Some(SinglePackageAnswer { solved: None, why: own.map(ToString::to_string).collect() });
        }
        (Err(_), _) => DependencyResult::Nothing,
        (Ok(_), Some(pick)) => DependencyResult::Bundle(pick.bundle.clone()),
        (Ok(_), None) => DependencyResult::Stays,
    };
    // If there is an answer, lines without indentation describe it instead of giving a reason.
    let is_reason = |line: &String| solved == DependencyResult::Nothing || line.starts_with(' ');
    let why = resolved.why.iter().filter(|line| is_reason(line)).map(|line| line.trim().to_owned()).collect();
    Some(SinglePackageAnswer { solved: Some(solved), why })
}

/// Returns the installed bundle. If the catalog does not have it any more, only its package is known.
pub fn installed_csv(source: &Source, package: &PackageName, installed: &Installed) -> InstalledCsv {
    let index = &source.index;
    let known = index.package_position(package.as_str()).and_then(|at| {
        let bundle = index.packages().get(at)?.bundle_position(installed.name.as_str())?;
        InstalledCsv::from_bundle(index, BundlePosition { package: at, bundle })
    });
    known.unwrap_or_else(|| {
        let version = installed.version.as_ref().map(|version| version.version.clone());
        InstalledCsv::from_package(installed.name.clone(), version, package)
    })
}
