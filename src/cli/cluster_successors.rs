//! `olmap successors` over the catalogs of one cluster: answers of OLM v1.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::query::{self, Policy, QueryRunner};
use super::{Failure, Out, Outcome, join_names};
use olm_catalog::{BundleName, Catalog, ChannelName, PackageName};
use olm_plan::cluster::{InstalledBundle, Operator, OperatorRequest};
use olm_upgrade::cluster::{
    ClusterAnswer, ClusterCatalogs, ClusterPackage, ClusterQuery, ClusterResolver, InstalledMetadata,
    LabelSelector, OfferContent,
};
use olm_upgrade::v1::Query;
use olm_version::Version;
use olmap_report::answer::{Row, render_answer};
use olmap_report::cluster_answer::{AskedCluster, ClusterRow, render_cluster_answer, render_cluster_table};
use olmap_report::{Ink, Style, json};

/// Line of `--queries` about the catalogs of a cluster.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClusterQuestion {
    package: Option<String>,
    channel: Option<String>,
    channels: Option<Vec<String>>,
    version: Option<String>,
    policy: Option<Policy>,
    selector: Option<LabelSelector>,
    installed: Option<InstalledQuestion>,
    #[serde(rename = "engine")]
    _engine: Option<OnlyV1>,
}

/// Installed bundle in a query: as in `status.install.bundle`, or as for `--installed`.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum InstalledQuestion {
    Metadata {
        name: String,
        #[serde(default)]
        version: String,
    },
    Text(String),
}

/// The only OLM that chooses between catalogs.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum OnlyV1 {
    V1,
}

/// Queries about the catalogs of one cluster. Caches the graphs of each package. The resolver is reused while the
/// query stays the same.
pub struct ClusterQueryRunner<'a> {
    catalogs: &'a ClusterCatalogs,
    packages: HashMap<PackageName, ClusterPackage>,
    resolver: Option<(PackageName, ClusterQuery, ClusterResolver)>,
}

impl<'a> ClusterQueryRunner<'a> {
    /// Creates a runner with empty caches.
    pub fn from_catalogs(catalogs: &'a ClusterCatalogs) -> Self {
        Self { catalogs, packages: HashMap::new(), resolver: None }
    }

    /// Returns a package in the catalogs.
    pub fn load_package(&mut self, name: &PackageName) -> ClusterPackage {
        let known = self.packages.entry(name.clone());
        known.or_insert_with(|| self.catalogs.find_package(name)).clone()
    }

    /// Returns the answer to a query.
    pub fn answer(
        &mut self,
        name: &PackageName,
        query: &ClusterQuery,
        installed: Option<&InstalledMetadata>,
    ) -> ClusterAnswer {
        let known = self.resolver.take().filter(|(package, asked, _)| package == name && asked == query);
        let known = known.unwrap_or_else(|| {
            let resolver = ClusterResolver::from_query(&self.load_package(name), query);
            (name.clone(), query.clone(), resolver)
        });
        self.resolver.insert(known).2.resolve(installed)
    }

    /// Returns the row of an answer.
    pub fn row(
        &mut self,
        name: &PackageName,
        query: &ClusterQuery,
        answer: &ClusterAnswer,
        explain: bool,
    ) -> ClusterRow {
        let package = self.load_package(name);
        let asked = AskedCluster { catalogs: self.catalogs, package: &package, query };
        ClusterRow::from_answer(asked, answer, explain)
    }

    /// Returns the installed bundle of `NAME`, `VERSION` or `NAME@VERSION`.
    ///
    /// # Errors
    ///
    /// Fails if a name or version is not that of exactly one bundle.
    pub fn find_installed(&mut self, package: &PackageName, text: &str) -> Result<InstalledMetadata, String> {
        if let Some((name, version)) = text.rsplit_once('@') {
            return Ok(InstalledMetadata { name: name.into(), version: version.to_owned() });
        }
        let known = self.list_bundles(package);
        let named = known.iter().find(|bundle| bundle.name == *text);
        let same_version: Vec<&InstalledMetadata> =
            known.iter().filter(|bundle| bundle.version == text).collect();
        match (named, same_version.as_slice()) {
            (Some(bundle), _) => Ok(bundle.clone()),
            (None, [only]) => Ok((*only).clone()),
            (None, []) => Err(format!("no catalog of the cluster has a bundle {text} of {package}")),
            (None, several) => Err(format!(
                "several bundles have the version {text}: {}",
                join_names(several.iter().map(|bundle| bundle.name.as_str()))
            )),
        }
    }

    /// Returns the bundles that may be installed, from all catalogs: the highest version first.
    pub fn list_bundles(&mut self, package: &PackageName) -> Vec<InstalledMetadata> {
        let offers = self.load_package(package).offers;
        let graphs = offers.iter().filter_map(|offer| match &offer.content {
            OfferContent::Package(graph) => Some(graph),
            _ => None,
        });
        let bundles = graphs.flat_map(|graph| &graph.package.bundles);
        let mut all: Vec<(Option<Version>, InstalledMetadata)> = Vec::new();
        for bundle in bundles {
            let property = bundle.first_package_property();
            let version = property.map(|property| property.version.value.clone()).unwrap_or_default();
            let one = InstalledMetadata { name: bundle.name.value.clone(), version };
            if !all.iter().any(|(_, known)| *known == one) {
                all.push((Version::parse(&one.version).ok(), one));
            }
        }
        all.sort_by(|(a, _), (b, _)| match (a, b) {
            (Some(a), Some(b)) => b.cmp_precedence(a),
            (a, b) => b.is_some().cmp(&a.is_some()),
        });
        all.into_iter().map(|(_, one)| one).collect()
    }

    /// Returns the packages with a bundle of this name in a catalog.
    pub fn packages_with_bundle(&self, name: &str) -> Vec<PackageName> {
        let contents = self.catalogs.members().iter().filter_map(|member| member.content.as_ref());
        let packages = contents.flat_map(|content| content.catalog.packages());
        let having = packages.filter(|package| package.bundle(name).is_some());
        let names: BTreeSet<PackageName> = having.map(|package| package.name.clone()).collect();
        names.into_iter().filter(|name| !name.as_str().is_empty()).collect()
    }

    /// Returns the package with a name, or the only one of all catalogs.
    pub fn select_package(&self, name: Option<&str>) -> Result<PackageName, Failure> {
        let names = self.catalogs.package_names();
        let listed = || join_names(names.iter().map(|name| name.as_str()));
        match name {
            // A catalog that is not served may have it.
            Some(name) if names.contains(&PackageName::from(name)) || !self.is_complete() => Ok(name.into()),
            Some(name) => Err(Failure::new(format!("no catalog of the cluster has the package {name}"))
                .with_hint(format!("packages: {}", listed()))),
            None => match names.iter().collect::<Vec<_>>().as_slice() {
                [only] => Ok((**only).clone()),
                [] => Err(Failure::new("no packages in the catalogs of the cluster")),
                _ => Err(Failure::new("which package?")
                    .with_hint(format!("choose one with --package: {}", listed()))),
            },
        }
    }

    /// Returns true if the content of every catalog is known.
    fn is_complete(&self) -> bool {
        let mut members = self.catalogs.members().iter();
        members.all(|member| match &member.content {
            Some(content) => content.serving.failure("").is_none(),
            None => !member.properties.is_available,
        })
    }
}

/// Answers the queries of a file (`-` for standard input), one per line.
pub fn run_cluster_queries(
    catalogs: &ClusterCatalogs,
    file: &Path,
    explain: bool,
    out: &mut Out,
) -> anyhow::Result<Outcome> {
    let mut runner = ClusterQueryRunner::from_catalogs(catalogs);
    query::run_batch(file, out, |question: ClusterQuestion| answer_line(&mut runner, question, explain))
}

fn answer_line(runner: &mut ClusterQueryRunner<'_>, question: ClusterQuestion, explain: bool) -> String {
    let package = match question.package {
        Some(name) => name.into(),
        None => runner.select_package(None).unwrap_or_default(),
    };
    let mut channels: Vec<ChannelName> =
        question.channels.unwrap_or_default().into_iter().map(Into::into).collect();
    channels.extend(question.channel.map(Into::into));
    let query = Query {
        channels,
        version: question.version.unwrap_or_default(),
        policy: question.policy.unwrap_or_default().into(),
    };
    let query = ClusterQuery { query, selector: question.selector.unwrap_or_default() };
    let installed = question.installed.map(|installed| match installed {
        InstalledQuestion::Metadata { name, version } => InstalledMetadata { name: name.into(), version },
        // An unknown bundle has no version, which the resolver reports.
        InstalledQuestion::Text(text) => runner
            .find_installed(&package, &text)
            .unwrap_or_else(|_| InstalledMetadata { name: BundleName::from(text), version: String::new() }),
    });
    let answer = runner.answer(&package, &query, installed.as_ref());
    json::to_json_line(&runner.row(&package, &query, &answer, explain))
}

/// Answer to a custom resource: of OLM v1 over the catalogs, or of OLM Classic from the catalog of a
/// `Subscription`.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum ResourceRow {
    Extension(Box<ClusterRow>),
    Subscription(Box<Row>),
}

/// Answers for custom resources in each output format.
pub struct ResourceAnswers {
    pub rows: Vec<ResourceRow>,
    pub text: String,
    /// True if OLM would report at least one error.
    pub has_errors: bool,
}

/// Answers for the custom resources of a file.
pub fn answer_resources(
    catalogs: &ClusterCatalogs,
    operators: &[Operator],
    explain: bool,
    style: &Style,
) -> Result<ResourceAnswers, Failure> {
    let mut runner = ClusterQueryRunner::from_catalogs(catalogs);
    let mut all = ResourceAnswers { rows: Vec::new(), text: String::new(), has_errors: false };
    for operator in operators {
        let object = operator.request_label();
        let (row, text, is_error) = match &operator.request {
            OperatorRequest::Extension { query, selector } => {
                let name = operator.package.clone().unwrap_or_default();
                let query = ClusterQuery { query: query.clone(), selector: selector.clone() };
                let installed = operator.installed.as_ref().map(InstalledBundle::to_metadata);
                let answer = runner.answer(&name, &query, installed.as_ref());
                let package = runner.load_package(&name);
                let asked = AskedCluster { catalogs, package: &package, query: &query };
                let row = ClusterRow::from_answer(asked, &answer, explain).with_object(&object);
                let text = render_cluster_answer(asked, &answer, explain, style);
                (ResourceRow::Extension(Box::new(row)), text, answer.error.is_some())
            }
            OperatorRequest::Subscription(_) | OperatorRequest::Nothing => {
                let catalog = subscribed_catalog(catalogs, operator)?;
                let answered = query::answer_operator(catalog, operator, &mut QueryRunner::new(catalog))?;
                let row = Row::from_answer(&answered.asked, &answered.answer, explain).with_object(&object);
                let text = render_answer(&answered.asked, &answered.answer, None, explain, style);
                (ResourceRow::Subscription(Box::new(row)), text, answered.answer.error.is_some())
            }
        };
        let separator = if all.rows.is_empty() { "" } else { "\n" };
        let _ = write!(all.text, "{separator}{}\n{text}", style.paint(Ink::Bold, &object));
        all.rows.push(row);
        all.has_errors |= is_error;
    }
    Ok(all)
}

/// Returns the catalog of a `Subscription`: the catalog with the name of its `CatalogSource`.
fn subscribed_catalog<'a>(
    catalogs: &'a ClusterCatalogs,
    operator: &Operator,
) -> Result<&'a Catalog, Failure> {
    let source = operator.subscription().map(|asks| asks.source.name.as_str()).unwrap_or_default();
    let content = catalogs.find_member(source).and_then(|member| member.content.as_ref());
    content.map(|content| &content.catalog).ok_or_else(|| {
        let reason = format!("OLM Classic takes the package from CatalogSource {source}, which is not given");
        Failure::new(reason).with_label(&operator.request_label()).with_hint(
            "give a catalog with this name, or answer for the Subscription without the other catalogs",
        )
    })
}

/// Question of the command line about one package.
pub struct ClusterRequest<'a> {
    pub package: Option<&'a str>,
    pub query: ClusterQuery,
    /// Text of `--installed`.
    pub installed: Option<&'a str>,
    /// True to list the catalogs and candidates.
    pub explain: bool,
}

/// Answers in each output format.
pub struct ClusterAnswers {
    pub rows: Vec<ClusterRow>,
    pub text: String,
    /// True if v1 would report at least one error.
    pub has_errors: bool,
}

/// Answers for one installed bundle. Without one, answers for a new installation and for every bundle of the
/// catalogs.
pub fn answer_cluster_package(
    catalogs: &ClusterCatalogs,
    request: &ClusterRequest<'_>,
    style: &Style,
) -> Result<ClusterAnswers, Failure> {
    let ClusterRequest { query, explain, .. } = request;
    let mut runner = ClusterQueryRunner::from_catalogs(catalogs);
    let name = runner.select_package(request.package)?;
    let installed = match request.installed {
        None => None,
        Some(text) => Some(runner.find_installed(&name, text).map_err(|reason| {
            Failure::new(reason).with_hint("a bundle that is in no catalog needs its version: NAME@1.2.3")
        })?),
    };
    let mut answers = vec![runner.answer(&name, query, installed.as_ref())];
    if installed.is_none() {
        let bundles = runner.list_bundles(&name);
        answers.extend(bundles.iter().map(|bundle| runner.answer(&name, query, Some(bundle))));
    }
    let package = runner.load_package(&name);
    let asked = AskedCluster { catalogs, package: &package, query };
    let text = match answers.as_slice() {
        // The error does not depend on what is installed.
        [fresh, ..] if installed.is_some() || *explain || fresh.considered.is_empty() => {
            let shown = if *explain { answers.as_slice() } else { std::slice::from_ref(fresh) };
            let texts = shown.iter().map(|answer| render_cluster_answer(asked, answer, *explain, style));
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => render_cluster_table(&name, query, &answers, style),
    };
    Ok(ClusterAnswers {
        rows: answers.iter().map(|answer| ClusterRow::from_answer(asked, answer, *explain)).collect(),
        text,
        has_errors: answers.iter().any(|answer| answer.error.is_some()),
    })
}
