//! Queries from custom resources: `successors -f`.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::{
    ask::Asker,
    failure::{self, Failure},
    out::Out,
    source,
};
use crate::{
    catalog::{Catalog, ChannelName, load::regular},
    export::answer::Asked,
    plan::cluster::{Asks, NotWanted, Operator, wanted},
    upgrade::{Answer, Installed},
};

/// `Subscription` or `ClusterExtension`, with its query and the answer.
pub struct Answered {
    pub object: String,
    pub asked: Asked,
    pub answer: Answer,
}

/// Answers the queries of the objects in a file, in the order of their packages.
pub fn answers(
    catalog: &Catalog,
    file: &Path,
    asker: &mut Asker<'_>,
    out: &Out,
) -> anyhow::Result<Vec<Answered>> {
    let label = if is_stdin(file) { "standard input".to_owned() } else { file.display().to_string() };
    let bytes = if is_stdin(file) {
        source::standard_input()?
    } else {
        regular::read(file, regular::MOST_BY_HAND)
            .with_context(|| format!("cannot read {}", file.display()))?
    };
    let (operators, notes) = wanted(&label, &bytes).map_err(|error| {
        let place = match &error {
            NotWanted::Note(note) => Some((note.place.line, None)),
            NotWanted::Nothing(_) | NotWanted::NoneAsks(_) => None,
        };
        Failure::quoting(file, place, Failure::new(error.to_string()).maybe_hint(error.hint()))
    })?;
    let unquoted = failure::unquoted(file);
    for note in &notes {
        let words = unquoted.as_ref().map(|words| format!("{label}:{}: {words}", note.place.line));
        source::warn(&words.unwrap_or_else(|| note.to_string()), None, out);
    }
    operators.iter().map(|operator| Ok(answer(catalog, operator, asker)?)).collect()
}

/// Refuses standard input for both the file and the catalog.
pub fn check(file: &Path, catalog: Option<&PathBuf>) -> Result<(), Failure> {
    let paths: Vec<PathBuf> = catalog.cloned().into_iter().chain([file.to_owned()]).collect();
    source::check_stdin(&paths)
}

fn is_stdin(file: &Path) -> bool {
    file.as_os_str() == source::STDIN
}

fn answer(catalog: &Catalog, operator: &Operator, asker: &mut Asker<'_>) -> Result<Answered, Failure> {
    let object = operator.object();
    let name = operator.package.clone().unwrap_or_default();
    let package = catalog
        .package(name.as_str())
        .ok_or_else(|| source::no_package(catalog, name.as_str()).of(&object))?;
    let installed = operator.installed.as_ref().map(|known| {
        let own = known.version.clone().or_else(|| package.version_of(known.name.as_str()).cloned());
        Installed { name: known.name.clone(), version: own }
    });
    let asked = match &operator.asks {
        Asks::Extension { query, .. } => Asked::V1 { package: name.clone(), query: query.clone() },
        Asks::Subscription(_) | Asks::Nothing => {
            let channel: Option<&ChannelName> = operator.channels().first().or(package.default_channel());
            Asked::Classic { package: name.clone(), channel: channel.cloned().unwrap_or_default() }
        }
    };
    let mut answer = asker.answer(&asked, installed.as_ref());
    let starting = operator.subscription().and_then(|asks| asks.starting_csv.as_ref());
    if let (None, Some(starting), Asked::Classic { channel, .. }) = (&installed, starting, &asked)
        && let Some(graph) = asker.graph(&name)
    {
        // Nothing is installed yet, and `startingCSV` names the first bundle.
        answer = graph.classic_from(channel.as_str(), starting);
    }
    Ok(Answered { object, asked, answer })
}
