//! Queries from custom resources: `successors -f`.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::{
    failure::{self, Failure},
    out::Out,
    query_runner::QueryRunner,
    source,
};
use olm_catalog::{Catalog, ChannelName, load::regular_file};
use olm_plan::cluster::{Operator, OperatorListError, OperatorRequest, parse_operator_list};
use olm_upgrade::{Answer, Installed};
use olmap_report::answer::ResolverQuery;

/// `Subscription` or `ClusterExtension`, with its query and the answer.
pub struct AnsweredQuery {
    pub object: String,
    pub asked: ResolverQuery,
    pub answer: Answer,
}

/// Answers the queries of the objects in a file, in the order of their packages.
pub fn answer_custom_resources(
    catalog: &Catalog,
    file: &Path,
    asker: &mut QueryRunner<'_>,
    out: &Out,
) -> anyhow::Result<Vec<AnsweredQuery>> {
    let label = if is_stdin(file) { "standard input".to_owned() } else { file.display().to_string() };
    let bytes = if is_stdin(file) {
        source::read_stdin()?
    } else {
        regular_file::read_regular(file, regular_file::MAX_HANDWRITTEN_SIZE)
            .with_context(|| format!("cannot read {}", file.display()))?
    };
    let (operators, notes) = parse_operator_list(&label, &bytes).map_err(|error| {
        let place = match &error {
            OperatorListError::Note(note) => Some((note.place.line, None)),
            OperatorListError::Nothing(_) | OperatorListError::NoRequests(_) => None,
        };
        Failure::in_file(file, place, Failure::new(error.to_string()).with_optional_hint(error.hint()))
    })?;
    let unquoted = failure::hidden_content_message(file);
    for note in &notes {
        let words = unquoted.as_ref().map(|words| format!("{label}:{}: {words}", note.place.line));
        source::print_warning(&words.unwrap_or_else(|| note.to_string()), None, out);
    }
    operators.iter().map(|operator| Ok(answer_operator(catalog, operator, asker)?)).collect()
}

/// Refuses standard input for both the file and the catalog.
pub fn check_single_stdin(file: &Path, catalog: Option<&PathBuf>) -> Result<(), Failure> {
    let paths: Vec<PathBuf> = catalog.cloned().into_iter().chain([file.to_owned()]).collect();
    source::check_stdin(&paths)
}

fn is_stdin(file: &Path) -> bool {
    file.as_os_str() == source::STDIN
}

fn answer_operator(
    catalog: &Catalog,
    operator: &Operator,
    asker: &mut QueryRunner<'_>,
) -> Result<AnsweredQuery, Failure> {
    let object = operator.request_label();
    let name = operator.package.clone().unwrap_or_default();
    let package = catalog
        .package(name.as_str())
        .ok_or_else(|| source::no_package_failure(catalog, name.as_str()).with_label(&object))?;
    let installed = operator.installed.as_ref().map(|known| {
        let own = known.version.clone().or_else(|| package.bundle_version(known.name.as_str()).cloned());
        Installed { name: known.name.clone(), version: own }
    });
    let asked = match &operator.request {
        OperatorRequest::Extension { query, .. } => {
            ResolverQuery::V1 { package: name.clone(), query: query.clone() }
        }
        OperatorRequest::Subscription(_) | OperatorRequest::Nothing => {
            let channel: Option<&ChannelName> =
                operator.requested_channels().first().or(package.default_channel());
            ResolverQuery::Classic { package: name.clone(), channel: channel.cloned().unwrap_or_default() }
        }
    };
    let mut answer = asker.answer_query(&asked, installed.as_ref());
    let starting = operator.subscription().and_then(|asks| asks.starting_csv.as_ref());
    if let (None, Some(starting), ResolverQuery::Classic { channel, .. }) = (&installed, starting, &asked)
        && let Some(graph) = asker.graph(&name)
    {
        // Nothing is installed yet, and `startingCSV` names the first bundle.
        answer = graph.resolve_classic_start(channel.as_str(), starting);
    }
    Ok(AnsweredQuery { object, asked, answer })
}
