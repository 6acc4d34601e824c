//! Installed bundles whose successor changes, those that fare alike in one sentence: the same words on screen, for people
//! and in pull requests.

use serde::Serialize;

use crate::{
    catalog::{BundleName, PackageName},
    review::Moved,
    upgrade::{Engine, table::Next},
};

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
    installed: Vec<String>,
}

/// Whether two installed bundles can be told of in one sentence: the same next for both, or the same error.
fn alike(a: &Moved, b: &Moved) -> bool {
    let same_place = a.package == b.package && a.engine == b.engine && a.channel == b.channel;
    let broken = matches!(a.after, Some(Next::Error(_))) || matches!(a.before, Next::Error(_));
    let gone = a.after.is_none();
    same_place && a.after == b.after && (broken || gone || a.before == b.before)
}

/// One sentence for all that fare alike; `label` says how a bundle of a package is called.
pub fn sentences(moved: &[Moved], label: impl Fn(&PackageName, &BundleName) -> String) -> Vec<Sentence> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for moved in moved {
        let installed = label(&moved.package, &moved.installed);
        match groups.iter_mut().find(|group| alike(group.first, moved)) {
            Some(group) => group.installed.push(installed),
            None => groups.push(Group { first: moved, installed: vec![installed] }),
        }
    }
    let sentence = |Group { first, installed }: Group<'_>| {
        let next = |next: &Next| match next {
            Next::Stays => "stays".to_owned(),
            Next::To(name) => label(&first.package, name),
            Next::Error(error) => format!("error: {error}"),
        };
        let channel = first.channel.as_ref().map(|c| format!("{c}: ")).unwrap_or_default();
        let names = match installed.as_slice() {
            [one] => one.clone(),
            many => format!("{} ({})", many.join(" "), many.len()),
        };
        let several = installed.len() > 1 && matches!(first.after, Some(Next::Error(_)));
        let words = match &first.after {
            None => format!("{channel}{names} gone"),
            Some(after) if several => format!("{channel}{names}: their successors => {}", next(after)),
            Some(after) => format!("{channel}{names}: {} => {}", next(&first.before), next(after)),
        };
        Sentence { engine: first.engine, words }
    };
    groups.into_iter().map(sentence).collect()
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
