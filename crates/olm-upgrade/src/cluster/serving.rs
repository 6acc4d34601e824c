//! Parts of a catalog that a cluster does not serve, because it cannot read them.
//!
//! catalogd stores nothing of a catalog with a document that is not an object (`internal/catalogd/storage`).
//! operator-controller decodes the objects of a package only if it resolves the package, so a mistake in one
//! object makes only its package fail (`internal/operator-controller/catalogmetadata/client`).

use std::collections::BTreeMap;

use olm_catalog::{
    Catalog, DocId, MetaErrorKind, PackageName, Value,
    meta::fold_case,
    package::Package,
    problem::{Problem, ProblemKind, ProblemLocation, Problems},
};

/// Parts of a catalog that a cluster does not serve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServingState {
    catalog: Option<ServingFailure>,
    packages: BTreeMap<PackageName, ServingFailure>,
}

/// Reason why a cluster does not serve a part of a catalog.
#[derive(Clone, Debug, PartialEq)]
pub struct ServingFailure {
    /// The first problem that has this effect.
    pub problem: Problem,
    /// True if the cluster serves nothing of the catalog.
    pub is_whole_catalog: bool,
}

impl ServingFailure {
    /// Returns the problem with its location: `cat/catalog.yaml:3:9: image must be a string`.
    pub fn describe_problem(&self, catalog: &Catalog) -> String {
        let location = match &self.problem.at {
            ProblemLocation::File(path) => Some(path.display().to_string()),
            ProblemLocation::Document(doc, span) => {
                catalog.location(*doc, *span).map(|location| location.to_string())
            }
        };
        let location = location.map(|location| format!("{location}: ")).unwrap_or_default();
        format!("{location}{}", self.problem.kind)
    }
}

impl ServingState {
    /// Determines which parts of a catalog a cluster does not serve. A template is not a catalog, and neither
    /// are bundles: of them no part fails.
    pub fn from_catalog(catalog: &Catalog) -> Self {
        if catalog.template().is_some() || catalog.is_rendered_from_bundles() {
            return Self::default();
        }
        let mut state = Self::default();
        let whole = all_problems(catalog.problems()).find(|problem| stops_catalog(&problem.kind));
        if let Some(problem) = whole {
            state.catalog = Some(ServingFailure { problem, is_whole_catalog: true });
            return state;
        }
        for problem in all_problems(catalog.problems()) {
            if let Some(package) = package_without_schema(catalog, &problem) {
                let failure = ServingFailure { problem, is_whole_catalog: false };
                state.packages.entry(package).or_insert(failure);
            }
        }
        for package in catalog.packages().filter(|package| !package.name.as_str().is_empty()) {
            let mut problems = all_problems(&package.problems);
            if let Some(problem) = problems.find(|problem| stops_package(package, problem)) {
                let failure = ServingFailure { problem, is_whole_catalog: false };
                state.packages.entry(package.name.clone()).or_insert(failure);
            }
        }
        state
    }

    /// Returns the reason why a cluster does not serve a package, whether the catalog has it or not; `None` if
    /// the cluster serves it.
    pub fn failure(&self, package: &str) -> Option<&ServingFailure> {
        self.catalog.as_ref().or_else(|| self.packages.get(package))
    }
}

/// Returns all problems, with an example as the kind of those of which only the location is kept.
fn all_problems(problems: &Problems) -> impl Iterator<Item = Problem> + '_ {
    let rest = problems.further_problems().iter().flat_map(|further| {
        further.locations().map(|(doc, span)| Problem {
            at: ProblemLocation::Document(doc, span),
            kind: further.example_kind.clone(),
        })
    });
    problems.complete_problems().iter().cloned().chain(rest)
}

/// Returns true if a cluster serves nothing of a catalog with this problem. That includes files that olmap could
/// not read, because their content is not known.
fn stops_catalog(kind: &ProblemKind) -> bool {
    match kind {
        ProblemKind::Syntax(_)
        | ProblemKind::Unreadable(_)
        | ProblemKind::BadLink(_)
        | ProblemKind::Special(_)
        | ProblemKind::LfsPointer
        | ProblemKind::LeftOver
        | ProblemKind::BadIgnore(_)
        | ProblemKind::Unquoted { stops_opm: true } => true,
        ProblemKind::Meta(error) => {
            matches!(
                error.kind,
                MetaErrorKind::NotAMap | MetaErrorKind::SameKey { .. } | MetaErrorKind::NotAString { .. }
            )
        }
        _ => false,
    }
}

/// Returns the package of an object without a schema: the cluster cannot decode it, so the package fails.
fn package_without_schema(catalog: &Catalog, problem: &Problem) -> Option<PackageName> {
    let ProblemKind::Meta(error) = &problem.kind else { return None };
    if error.kind != MetaErrorKind::MissingSchema {
        return None;
    }
    let node = catalog.parse_document(problem.doc()?)?.ok()?;
    let field = node.members().iter().rfind(|member| fold_case(&member.key) == "package")?;
    match &field.value.value {
        Value::String(name) if !name.is_empty() => Some(PackageName::from(name.as_ref())),
        _ => None,
    }
}

/// Returns true if a cluster cannot decode an object of a package because of this problem.
fn stops_package(package: &Package, problem: &Problem) -> bool {
    let Some(doc) = problem.doc() else { return false };
    let is_undecodable = match &problem.kind {
        ProblemKind::Unquoted { stops_opm } => *stops_opm,
        ProblemKind::WrongType { field, .. }
        | ProblemKind::BadEncoding { field, .. }
        | ProblemKind::Missing { field } => {
            problem.kind.stops_opm() || is_in_bundle_object(package, doc, field)
        }
        _ => false,
    };
    is_undecodable && !is_replaced(package, doc)
}

/// Returns true if a field is in the value of a property `olm.bundle.object`. operator-controller decodes only
/// the values of this type together with the bundle.
fn is_in_bundle_object(package: &Package, doc: DocId, field: &str) -> bool {
    let index = field.strip_prefix("properties[").and_then(|rest| rest.split_once(']'));
    let Some(index) = index.and_then(|(index, _)| index.parse::<usize>().ok()) else { return false };
    let bundle = package.bundles.iter().find(|bundle| bundle.doc == doc);
    let property = bundle.and_then(|bundle| bundle.properties.get(index));
    property.is_some_and(|property| property.kind.value == "olm.bundle.object")
}

/// Returns true if a later object has the same schema and name. The cluster stores only the last one. The objects of a
/// package are in the order of the catalog.
fn is_replaced(package: &Package, doc: DocId) -> bool {
    fn has_later<'a>(mut named: impl Iterator<Item = (DocId, &'a str)>, doc: DocId) -> bool {
        let own = named.find(|(other, _)| *other == doc);
        own.is_some_and(|(_, name)| named.any(|(_, later)| later == name))
    }
    has_later(package.bundles.iter().map(|bundle| (bundle.doc, bundle.name.value.as_str())), doc)
        || has_later(package.channels.iter().map(|channel| (channel.doc, channel.name.value.as_str())), doc)
        || has_later(package.definitions.iter().map(|blob| (blob.doc, blob.name.value.as_str())), doc)
        || has_later(package.deprecations.iter().map(|blob| (blob.doc, blob.name.as_str())), doc)
}
