//! `.olmap.toml` in the root of a repository: what the repository says that it has. It beats what discovery finds.

use std::ops::Range;

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::index::normalize;
use crate::catalog::{near, openshift::OpenShift};

/// The name of the file.
pub const FILE_NAME: &str = ".olmap.toml";

/// Statements of a repository about itself. A part that is absent is left to discovery.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Stated {
    /// Catalogs, with the OpenShift versions they are for. Without versions those of the path count.
    pub catalogs: Option<Vec<(String, Vec<OpenShift>)>>,
    /// Templates, with the catalogs that are made from them. Without catalogs discovery finds them.
    pub templates: Option<Vec<(String, Option<Vec<String>>)>>,
    /// Bundle directories, folders of them, and package manifests.
    pub bundles: Option<Vec<String>>,
    /// Files and folders that are not looked at.
    pub ignore: Vec<String>,
}

/// A mistake in `.olmap.toml`.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{FILE_NAME}:{line}: {message}")]
pub struct StatedError {
    /// The line, from 1.
    pub line: usize,
    /// The mistake, in words.
    pub message: String,
}

/// A mistake before its line is known.
type Mistake = (Range<usize>, String);

/// Names of the keys of the file.
const KEYS: [&str; 4] = ["catalogs", "templates", "bundles", "ignore"];

impl Stated {
    /// Parses the file.
    ///
    /// # Errors
    ///
    /// If it is not TOML, or a key or value is not one that is known.
    pub fn parse(text: &str) -> Result<Self, StatedError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        read(text).map_err(|(span, message)| {
            let before = text.get(..span.start).unwrap_or_default();
            StatedError { line: before.matches('\n').count() + 1, message }
        })
    }
}

fn read(text: &str) -> Result<Stated, Mistake> {
    let table = DeTable::parse(text)
        .map_err(|error| (error.span().unwrap_or(0..0), error.message().trim().to_owned()))?;
    let mut stated = Stated::default();
    for (key, value) in table.get_ref() {
        match key.get_ref().as_ref() {
            "catalogs" => {
                let catalogs = items(value)?.iter().map(catalog).collect::<Result<_, _>>()?;
                stated.catalogs = Some(catalogs);
            }
            "templates" => {
                let templates = items(value)?.iter().map(template).collect::<Result<_, _>>()?;
                stated.templates = Some(templates);
            }
            "bundles" => stated.bundles = Some(paths(value)?),
            "ignore" => stated.ignore = paths(value)?,
            other => return Err((key.span(), unknown(other, &KEYS))),
        }
    }
    Ok(stated)
}

fn catalog(value: &Spanned<DeValue<'_>>) -> Result<(String, Vec<OpenShift>), Mistake> {
    let Some(table) = value.get_ref().as_table() else { return Ok((path(value)?, Vec::new())) };
    let mut versions = Vec::new();
    let path = entry(value, table, "openshift", |value| {
        let all = match value.get_ref().as_array() {
            Some(_) => items(value)?.iter().collect(),
            None => vec![value],
        };
        for value in all {
            let text = string(value)?;
            let version = OpenShift::parse_name(text)
                .ok_or_else(|| (value.span(), format!("{text} is not an OpenShift version such as 4.18")))?;
            versions.push(version);
        }
        versions.sort();
        Ok(())
    })?;
    Ok((path, versions))
}

fn template(value: &Spanned<DeValue<'_>>) -> Result<(String, Option<Vec<String>>), Mistake> {
    let Some(table) = value.get_ref().as_table() else { return Ok((path(value)?, None)) };
    let mut makes = None;
    let path = entry(value, table, "makes", |value| {
        makes = Some(paths(value)?);
        Ok(())
    })?;
    Ok((path, makes))
}

/// Reads a table with a path and one more key.
fn entry<'v>(
    value: &Spanned<DeValue<'_>>,
    table: &'v DeTable<'v>,
    other: &'static str,
    mut read: impl FnMut(&'v Spanned<DeValue<'v>>) -> Result<(), Mistake>,
) -> Result<String, Mistake> {
    let mut found = None;
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "path" => found = Some(path(value)?),
            name if name == other => read(value)?,
            name => return Err((key.span(), unknown(name, &["path", other]))),
        }
    }
    found.ok_or_else(|| (value.span(), "path is missing".to_owned()))
}

fn items<'v>(value: &'v Spanned<DeValue<'v>>) -> Result<&'v [Spanned<DeValue<'v>>], Mistake> {
    match value.get_ref().as_array() {
        Some(array) => Ok(array),
        None => Err((value.span(), "this must be a list".to_owned())),
    }
}

fn paths(value: &Spanned<DeValue<'_>>) -> Result<Vec<String>, Mistake> {
    items(value)?.iter().map(path).collect()
}

fn path(value: &Spanned<DeValue<'_>>) -> Result<String, Mistake> {
    let text = string(value)?;
    let outside = || (value.span(), format!("{text} is not a path in the repository"));
    if text.starts_with('/') { Err(outside()) } else { normalize(text).ok_or_else(outside) }
}

fn string<'v>(value: &'v Spanned<DeValue<'_>>) -> Result<&'v str, Mistake> {
    value.get_ref().as_str().ok_or_else(|| (value.span(), "this must be a text".to_owned()))
}

fn unknown(name: &str, known: &[&'static str]) -> String {
    let hint = near::meant(name, known.iter().copied())
        .map_or_else(|| format!("known are {}", known.join(", ")), |meant| format!("did you mean {meant}?"));
    format!("unknown key {name}; {hint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_are_stated_are_read() {
        let text = "ignore = ['demo']\nbundles = ['./bundle/']\n\
                    catalogs = ['a', { path = 'b', openshift = ['4.20', '4.18'] }, { path = 'c', openshift = '4.9' }]\n\
                    [[templates]]\npath = 't.yaml'\nmakes = ['a']\n";
        let stated = Stated::parse(text).unwrap();
        let minors: Vec<Vec<u64>> = stated
            .catalogs
            .unwrap()
            .iter()
            .map(|(_, versions)| versions.iter().map(|version| version.minor).collect())
            .collect();
        assert_eq!(minors, [vec![], vec![18, 20], vec![9]]);
        assert_eq!(stated.templates.unwrap(), [("t.yaml".to_owned(), Some(vec!["a".to_owned()]))]);
        assert_eq!(
            (stated.bundles.unwrap(), stated.ignore),
            (vec!["bundle".to_owned()], vec!["demo".to_owned()])
        );
        assert_eq!(Stated::parse("").unwrap(), Stated::default());
    }

    #[test]
    fn mistake_is_reported_with_its_line() {
        for (text, expected) in [
            ("\ncatalog = []", ".olmap.toml:2: unknown key catalog; did you mean catalogs?"),
            ("catalogs = 'a'", ".olmap.toml:1: this must be a list"),
            ("ignore = [5]", ".olmap.toml:1: this must be a text"),
            ("bundles = ['../a']", ".olmap.toml:1: ../a is not a path in the repository"),
            ("ignore = ['/a']", ".olmap.toml:1: /a is not a path in the repository"),
            ("[[catalogs]]\nopenshift = '4.18'", ".olmap.toml:1: path is missing"),
            (
                "catalogs = [\n  { path = 'a', openshift = 'four' }]",
                ".olmap.toml:2: four is not an OpenShift version such as 4.18",
            ),
        ] {
            assert_eq!(Stated::parse(text).unwrap_err().to_string(), expected);
        }
        assert_eq!(Stated::parse("a = \n").unwrap_err().line, 1);
    }
}
