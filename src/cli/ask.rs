//! Asking the resolvers many times without deriving anything twice.

use std::collections::{HashMap, hash_map::Entry};

use crate::{
    catalog::{BundleName, Catalog, PackageName, package::Package},
    export::answer::Asked,
    upgrade::{
        Answer, Engine, Installed, PackageGraph, ResolveError,
        blocked::{self, Blocked},
        v1::{Query, Resolver},
    },
    version::{Version, VersionRelease},
};

/// Asks about one catalog. Graphs are made once a package, and so is what would block a bundle; a v1 resolver serves
/// as long as the query stays the same.
pub struct Asker<'a> {
    catalog: &'a Catalog,
    graphs: HashMap<PackageName, PackageGraph>,
    resolver: Option<(PackageName, Query, Result<Resolver<'a>, ResolveError>)>,
    blocked: HashMap<(PackageName, BundleName), Vec<Blocked>>,
}

impl<'a> Asker<'a> {
    /// Nothing is derived yet.
    pub fn new(catalog: &'a Catalog) -> Self {
        Self { catalog, graphs: HashMap::new(), resolver: None, blocked: HashMap::new() }
    }

    /// The graphs of a package.
    pub fn graph(&mut self, package: &PackageName) -> Option<&PackageGraph> {
        Some(match self.graphs.entry(package.clone()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => free.insert(PackageGraph::new(self.catalog.package(package.as_str())?)),
        })
    }

    /// The whole answer, with what would block the pick.
    pub fn answer(&mut self, asked: &Asked, installed: Option<&Installed>) -> Answer {
        let Some(package) = self.catalog.package(asked.package().as_str()) else {
            return failed(asked.engine(), installed, ResolveError::NoPackage(asked.package().to_string()));
        };
        let mut answer = match asked {
            Asked::Classic { channel, .. } if channel.as_str().is_empty() => {
                failed(Engine::Classic, installed, ResolveError::NoChannel("(default)".to_owned()))
            }
            Asked::Classic { package, channel } => match self.graph(package) {
                Some(graph) => graph.classic(channel.as_str(), installed),
                None => failed(Engine::Classic, installed, ResolveError::NoPackage(package.to_string())),
            },
            Asked::V1 { query, .. } => match self.resolver(package, query) {
                Ok(resolver) => resolver.answer(installed),
                Err(error) => failed(Engine::V1, installed, error.clone()),
            },
        };
        answer.blocked = self.blocked(package, asked, &answer);
        answer
    }

    fn resolver(&mut self, package: &'a Package, query: &Query) -> &Result<Resolver<'a>, ResolveError> {
        let known = self.resolver.take().filter(|(name, asked, _)| *name == package.name && asked == query);
        let known =
            known.unwrap_or_else(|| (package.name.clone(), query.clone(), Resolver::new(package, query)));
        &self.resolver.insert(known).2
    }

    fn blocked(&mut self, package: &Package, asked: &Asked, answer: &Answer) -> Vec<Blocked> {
        let Some(bundle) = answer.moves_to().and_then(|name| package.bundle(name.as_str())) else {
            return Vec::new();
        };
        match asked {
            // Looks through the whole catalog for what would satisfy the bundle.
            Asked::Classic { .. } => {
                let key = (package.name.clone(), bundle.name.value.clone());
                let look = || blocked::reasons(self.catalog, bundle, Engine::Classic, &[]);
                self.blocked.entry(key).or_insert_with(look).clone()
            }
            Asked::V1 { query, .. } => blocked::reasons(self.catalog, bundle, Engine::V1, &query.channels),
        }
    }
}

/// An answer that is an error.
fn failed(engine: Engine, installed: Option<&Installed>, error: ResolveError) -> Answer {
    Answer {
        engine,
        installed: installed.cloned(),
        pick: None,
        error: Some(error),
        order: Vec::new(),
        candidates: Vec::new(),
        blocked: Vec::new(),
    }
}

/// The answer where it is not known what is installed.
pub fn unknown(engine: Engine, unknown: &Unknown) -> Answer {
    let name: BundleName = unknown.text.as_str().into();
    let installed = Installed { name: name.clone(), version: None };
    failed(engine, Some(&installed), ResolveError::NoInstalledVersion(name))
}

/// A bundle that is said to be installed but tells nobody which one it is.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{text}: {problem}")]
pub struct Unknown {
    text: String,
    problem: Problem,
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
enum Problem {
    #[error("no such bundle in the package")]
    NoBundle,
    #[error("no bundle of the package has this version")]
    NoVersion,
    #[error("several bundles have this version: {}", .0.join(", "))]
    Several(Vec<String>),
    #[error("not a version after the @: {0}")]
    BadVersion(String),
}

impl Unknown {
    /// What to write instead.
    pub fn hint(&self, package: &Package) -> Option<String> {
        match &self.problem {
            Problem::NoBundle | Problem::NoVersion => {
                let example = package.bundles.last().map(|b| b.name.value.to_string())?;
                Some(format!(
                    "name a bundle such as {example}; one that is no longer in the catalog needs its version: NAME@1.2.3"
                ))
            }
            Problem::Several(names) => names.first().map(|name| format!("name one: --installed {name}")),
            Problem::BadVersion(_) => None,
        }
    }
}

/// Reads `NAME`, `NAME@VERSION` or `VERSION`. Where the package is not in the catalog any name will do: the resolver
/// has the last word.
pub fn installed(package: Option<&Package>, text: &str) -> Result<Installed, Unknown> {
    let unknown = |problem| Unknown { text: text.to_owned(), problem };
    let Some(package) = package else { return Ok(Installed { name: text.into(), version: None }) };
    if package.bundle(text).is_some() {
        return Ok(Installed::of(package, &text.into()));
    }
    if let Some((name, version)) = text.rsplit_once('@') {
        let version = Version::parse(version).map_err(|e| unknown(Problem::BadVersion(e.to_string())))?;
        return Ok(Installed { name: name.into(), version: Some(version.into()) });
    }
    let has_it =
        |version: &VersionRelease| version.to_string() == text || version.version.to_string() == text;
    let matching: Vec<&BundleName> = package
        .bundles
        .iter()
        .filter(|b| b.version.as_ref().is_some_and(has_it))
        .map(|b| &b.name.value)
        .collect();
    match matching.as_slice() {
        [only] => Ok(Installed::of(package, only)),
        [] if Version::parse(text).is_ok() => Err(unknown(Problem::NoVersion)),
        [] => Err(unknown(Problem::NoBundle)),
        several => Err(unknown(Problem::Several(several.iter().map(ToString::to_string).collect()))),
    }
}

/// What may be installed when such a question is asked: the bundles of the channels that count, highest version first.
pub fn installable(package: &Package, asked: &Asked) -> Vec<Installed> {
    let listed = |name: &crate::catalog::ChannelName| match asked {
        Asked::Classic { channel, .. } => name == channel,
        Asked::V1 { query, .. } => query.channels.is_empty() || query.channels.contains(name),
    };
    let channels = package.channels.iter().filter(|c| listed(&c.name.value));
    let entries: std::collections::HashSet<&BundleName> =
        channels.flat_map(|c| c.entries.iter().map(|e| &e.name.value)).collect();
    let bundles = package.bundles.iter().filter(|b| entries.contains(&b.name.value));
    let mut installed: Vec<Installed> = bundles.map(|b| Installed::of(package, &b.name.value)).collect();
    installed.sort_by(|a, b| match (&a.version, &b.version) {
        (Some(a), Some(b)) => b.cmp_precedence(a),
        (a, b) => b.is_some().cmp(&a.is_some()),
    });
    installed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::load;

    fn catalog() -> Catalog {
        let bundle = |name: &str, version: &str| {
            format!(
                "---\nschema: olm.bundle\npackage: anvil\nname: {name}\nproperties:\n- type: olm.package\n  value: {{packageName: anvil, version: {version}}}\n"
            )
        };
        let text = [
            "schema: olm.package\nname: anvil\ndefaultChannel: stable\n".to_owned(),
            bundle("anvil.v1.0.0", "1.0.0"),
            bundle("anvil.v1.1.0", "1.1.0"),
            bundle("anvil.v1.1.0-again", "1.1.0"),
        ];
        load::from_bytes(text.concat().into_bytes())
    }

    fn read(text: &str) -> Result<(String, Option<String>), Unknown> {
        let catalog = catalog();
        let package = catalog.package("anvil").map(AsRef::as_ref);
        installed(package, text).map(|i| (i.name.to_string(), i.version.map(|v| v.to_string())))
    }

    #[test]
    fn installed_is_a_name_a_version_or_both() {
        let one = ("anvil.v1.0.0".to_owned(), Some("1.0.0".to_owned()));
        assert_eq!(read("anvil.v1.0.0"), Ok(one.clone()));
        assert_eq!(read("1.0.0"), Ok(one));
        assert_eq!(read("anvil.v0.9.0@0.9.0"), Ok(("anvil.v0.9.0".to_owned(), Some("0.9.0".to_owned()))));
    }

    #[test]
    fn what_tells_nobody_which_bundle_is_meant_is_refused() {
        assert_eq!(read("anvil.v0.9.0").unwrap_err().problem, Problem::NoBundle);
        assert_eq!(read("2.0.0").unwrap_err().problem, Problem::NoVersion);
        assert!(matches!(read("1.1.0").unwrap_err().problem, Problem::Several(names) if names.len() == 2));
        assert!(matches!(read("anvil@v1").unwrap_err().problem, Problem::BadVersion(_)));
    }
}
