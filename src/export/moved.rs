//! Installed bundles whose successor changes, those that fare alike in one sentence: the same words on screen, for people
//! and in pull requests.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use serde::Serialize;

use crate::{
    catalog::{BundleName, ChannelName, PackageName},
    review::Moved,
    upgrade::{Engine, table::Next},
};

/// The most names in a sentence: nobody reads thousands.
const MOST: usize = 200;

/// What happens to some of those who have something installed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sentence {
    /// Under which OLM.
    pub engine: Engine,
    /// To whom, from what to what.
    pub words: String,
}

/// Those of several installed bundles that fare alike.
struct Group<'a> {
    first: &'a Moved,
    installed: Vec<&'a Moved>,
}

/// What those have in common that can be told of in one sentence: where they are, what comes next, and what came before.
/// That does not matter (`None`) where what comes next is the same error for all, or nothing.
type Fate<'a> = (&'a PackageName, Engine, Option<&'a ChannelName>, Option<&'a Next>, Option<&'a Next>);

fn fate(moved: &Moved) -> Fate<'_> {
    let matters = moved.after.as_ref().is_some_and(|after| !matches!(after, Next::Error(_)));
    let before = (matters && !matches!(moved.before, Next::Error(_))).then_some(&moved.before);
    (&moved.package, moved.engine, moved.channel.as_ref(), moved.after.as_ref(), before)
}

/// Puts together those that fare alike, in the order in which they come.
fn groups(moved: &[Moved]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut places: HashMap<Fate<'_>, usize> = HashMap::new();
    for moved in moved {
        let fate = fate(moved);
        // A group that began with an error takes in whoever comes next.
        let any_before = places.get(&(fate.0, fate.1, fate.2, fate.3, None));
        let place = match (any_before, places.get(&fate)) {
            (Some(&a), Some(&b)) => a.min(b),
            (Some(&place), None) | (None, Some(&place)) => place,
            (None, None) => {
                places.insert(fate, groups.len());
                groups.push(Group { first: moved, installed: Vec::new() });
                groups.len() - 1
            }
        };
        if let Some(group) = groups.get_mut(place) {
            group.installed.push(moved);
        }
    }
    groups
}

/// One sentence for all that fare alike; `label` says how a bundle of a package is called.
pub fn sentences(moved: &[Moved], label: impl Fn(&PackageName, &BundleName) -> String) -> Vec<Sentence> {
    let sentence = |Group { first, installed }: Group<'_>| {
        let next = |next: &Next| match next {
            Next::Stays => "stays".to_owned(),
            Next::To(name) => label(&first.package, name),
            Next::Error(error) => format!("error: {error}"),
        };
        let channel = first.channel.as_ref().map(|c| format!("{c}: ")).unwrap_or_default();
        let called = installed.iter().take(MOST).map(|moved| label(&moved.package, &moved.installed));
        let called = called.collect::<Vec<_>>().join(" ");
        let names = match installed.len() {
            1 => called,
            all if all > MOST => format!("{called} ... ({all})"),
            all => format!("{called} ({all})"),
        };
        let several = installed.len() > 1 && matches!(first.after, Some(Next::Error(_)));
        let words = match &first.after {
            None => format!("{channel}{names} gone"),
            Some(after) if several => format!("{channel}{names}: their successors => {}", next(after)),
            Some(after) => format!("{channel}{names}: {} => {}", next(&first.before), next(after)),
        };
        Sentence { engine: first.engine, words }
    };
    groups(moved).into_iter().map(sentence).collect()
}

/// One installed bundle whose successor changes, as JSON prints it (`docs/cli.md`).
#[derive(Debug, Serialize)]
pub struct Row {
    package: String,
    engine: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel: Option<String>,
    installed: String,
    before: NextRow,
    /// Absent where the installed bundle is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<NextRow>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum NextRow {
    Pick(String),
    Error(String),
    Stays(bool),
}

impl Row {
    /// The row of an installed bundle.
    pub fn of(moved: &Moved) -> Self {
        let next = |next: &Next| match next {
            Next::Stays => NextRow::Stays(true),
            Next::To(name) => NextRow::Pick(name.to_string()),
            Next::Error(error) => NextRow::Error(error.to_string()),
        };
        Self {
            package: moved.package.to_string(),
            engine: moved.engine.as_str(),
            channel: moved.channel.as_ref().map(ToString::to_string),
            installed: moved.installed.to_string(),
            before: next(&moved.before),
            after: moved.after.as_ref().map(next),
        }
    }
}
