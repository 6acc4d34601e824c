//! `.olmap.toml` in the root of a repository: the repository's statements about its contents, which override
//! discovery.

use std::ops::Range;

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::index::normalize_path;
use olm_catalog::{openshift::OpenShift, similar_names};

/// Name of the file.
pub const FILE_NAME: &str = ".olmap.toml";

/// Statements of a repository about itself. Discovery decides about a missing part.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct RepositoryStatements {
    /// Catalogs with their OpenShift versions. If there are none, the path decides about the versions.
    pub catalogs: Option<Vec<(StatedPath, Vec<OpenShift>)>>,
    /// Templates with the catalogs made from them. Discovery finds the catalogs of a template without any.
    pub templates: Option<Vec<(StatedPath, Option<Vec<StatedPath>>)>>,
    /// Bundle directories, folders of them, and package manifests.
    pub bundles: Option<Vec<StatedPath>>,
    /// Files and folders that are ignored.
    pub ignore: Vec<StatedPath>,
}

/// A path in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StatedPath {
    /// Path relative to the root of the repository.
    pub path: String,
    /// Line number, from 1.
    pub line: usize,
}

impl StatedPath {
    /// Returns the error for a statement that does not match the files.
    pub fn mistake(&self, reason: &str) -> StatedError {
        let path = if self.path.is_empty() { "." } else { &self.path };
        StatedError { line: self.line, message: format!("{path} {reason}") }
    }
}

/// A mistake in `.olmap.toml`.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{FILE_NAME}:{line}: {message}")]
pub struct StatedError {
    /// Line number, from 1.
    pub line: usize,
    /// Error message.
    pub message: String,
}

/// A mistake without its line number: the span and the message.
type Mistake = (Range<usize>, String);

/// Keys of the file.
const KEYS: [&str; 4] = ["catalogs", "templates", "bundles", "ignore"];

impl RepositoryStatements {
    /// Parses the bytes of the file.
    ///
    /// # Errors
    ///
    /// See [`RepositoryStatements::parse`]. Also if the file is not UTF-8.
    pub fn parse_bytes(bytes: &[u8]) -> Result<Self, StatedError> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::parse(text),
            Err(error) => {
                let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
                let line = memchr::memchr_iter(b'\n', before).count() + 1;
                Err(StatedError { line, message: "this is not UTF-8".to_owned() })
            }
        }
    }

    /// Parses the file.
    ///
    /// # Errors
    ///
    /// If the file is not TOML, or if a key or value is unknown.
    pub fn parse(text: &str) -> Result<Self, StatedError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines = Lines(text);
        parse_stated(lines).map_err(|(span, message)| StatedError { line: lines.line_number(&span), message })
    }

    /// Returns all paths of catalogs and bundles, and of templates with their catalogs.
    pub fn paths(&self) -> impl Iterator<Item = &StatedPath> {
        let catalogs = self.catalogs.iter().flatten().map(|(path, _)| path);
        let templates = self.templates.iter().flatten();
        let templates = templates.flat_map(|(path, makes)| [path].into_iter().chain(makes.iter().flatten()));
        catalogs.chain(templates).chain(self.bundles.iter().flatten())
    }
}

/// Text of the file, for computing line numbers.
#[derive(Clone, Copy)]
struct Lines<'t>(&'t str);

impl Lines<'_> {
    /// Returns the line number of a span, from 1.
    fn line_number(self, span: &Range<usize>) -> usize {
        self.0.get(..span.start).unwrap_or_default().matches('\n').count() + 1
    }
}

fn parse_stated(lines: Lines<'_>) -> Result<RepositoryStatements, Mistake> {
    let text = lines.0;
    let table = DeTable::parse(text)
        .map_err(|error| (error.span().unwrap_or(0..0), error.message().trim().to_owned()))?;
    let mut stated = RepositoryStatements::default();
    for (key, value) in table.get_ref() {
        match key.get_ref().as_ref() {
            "catalogs" => {
                let catalogs = array_items(value)?.iter().map(|value| parse_catalog_statement(value, lines));
                let catalogs = catalogs.collect::<Result<_, _>>()?;
                stated.catalogs = Some(catalogs);
            }
            "templates" => {
                let templates =
                    array_items(value)?.iter().map(|value| parse_template_statement(value, lines));
                let templates = templates.collect::<Result<_, _>>()?;
                stated.templates = Some(templates);
            }
            "bundles" => stated.bundles = Some(paths(value, lines)?),
            "ignore" => stated.ignore = paths(value, lines)?,
            other => return Err((key.span(), unknown_key_message(other, &KEYS))),
        }
    }
    Ok(stated)
}

fn parse_catalog_statement(
    value: &Spanned<DeValue<'_>>,
    lines: Lines<'_>,
) -> Result<(StatedPath, Vec<OpenShift>), Mistake> {
    let Some(table) = value.get_ref().as_table() else { return Ok((parse_path(value, lines)?, Vec::new())) };
    let mut versions = Vec::new();
    let path = parse_path_table((value, table), lines, "openshift", |value| {
        let all = match value.get_ref().as_array() {
            Some(_) => array_items(value)?.iter().collect(),
            None => vec![value],
        };
        for value in all {
            let text = expect_string(value)?;
            let version = OpenShift::parse_name(text)
                .ok_or_else(|| (value.span(), format!("{text} is not an OpenShift version such as 4.18")))?;
            versions.push(version);
        }
        versions.sort();
        Ok(())
    })?;
    Ok((path, versions))
}

fn parse_template_statement(
    value: &Spanned<DeValue<'_>>,
    lines: Lines<'_>,
) -> Result<(StatedPath, Option<Vec<StatedPath>>), Mistake> {
    let Some(table) = value.get_ref().as_table() else { return Ok((parse_path(value, lines)?, None)) };
    let mut makes = None;
    let path = parse_path_table((value, table), lines, "makes", |value| {
        makes = Some(paths(value, lines)?);
        Ok(())
    })?;
    Ok((path, makes))
}

/// Parses a table with a path and one other key.
fn parse_path_table<'v>(
    (value, table): (&Spanned<DeValue<'_>>, &'v DeTable<'v>),
    lines: Lines<'_>,
    other: &'static str,
    mut read: impl FnMut(&'v Spanned<DeValue<'v>>) -> Result<(), Mistake>,
) -> Result<StatedPath, Mistake> {
    let mut found = None;
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "path" => found = Some(parse_path(value, lines)?),
            name if name == other => read(value)?,
            name => return Err((key.span(), unknown_key_message(name, &["path", other]))),
        }
    }
    found.ok_or_else(|| (value.span(), "path is missing".to_owned()))
}

fn array_items<'v>(value: &'v Spanned<DeValue<'v>>) -> Result<&'v [Spanned<DeValue<'v>>], Mistake> {
    match value.get_ref().as_array() {
        Some(array) => Ok(array),
        None => Err((value.span(), "this must be a list".to_owned())),
    }
}

fn paths(value: &Spanned<DeValue<'_>>, lines: Lines<'_>) -> Result<Vec<StatedPath>, Mistake> {
    array_items(value)?.iter().map(|value| parse_path(value, lines)).collect()
}

fn parse_path(value: &Spanned<DeValue<'_>>, lines: Lines<'_>) -> Result<StatedPath, Mistake> {
    let text = expect_string(value)?;
    let inside = Some(text).filter(|text| !text.starts_with('/')).and_then(normalize_path);
    let path = inside.ok_or_else(|| (value.span(), format!("{text} is not a path in the repository")))?;
    Ok(StatedPath { path, line: lines.line_number(&value.span()) })
}

fn expect_string<'v>(value: &'v Spanned<DeValue<'_>>) -> Result<&'v str, Mistake> {
    value.get_ref().as_str().ok_or_else(|| (value.span(), "this must be a text".to_owned()))
}

fn unknown_key_message(name: &str, known: &[&'static str]) -> String {
    let hint = similar_names::suggest_closest(name, known.iter().copied())
        .map_or_else(|| format!("known are {}", known.join(", ")), |meant| format!("did you mean {meant}?"));
    format!("unknown key {name}; {hint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_all_parts() {
        let text = "ignore = ['demo']\nbundles = ['./bundle/']\n\
                    catalogs = ['a', { path = 'b', openshift = ['4.20', '4.18'] }, { path = 'c', openshift = '4.9' }]\n\
                    [[templates]]\npath = 't.yaml'\nmakes = ['a']\n";
        let stated = RepositoryStatements::parse(text).unwrap();
        let minors: Vec<Vec<u64>> = stated
            .catalogs
            .unwrap()
            .iter()
            .map(|(_, versions)| versions.iter().map(|version| version.minor).collect())
            .collect();
        assert_eq!(minors, [vec![], vec![18, 20], vec![9]]);
        let at = |path: &str, line| StatedPath { path: path.to_owned(), line };
        assert_eq!(stated.templates.unwrap(), [(at("t.yaml", 5), Some(vec![at("a", 6)]))]);
        assert_eq!((stated.bundles.unwrap(), stated.ignore), (vec![at("bundle", 2)], vec![at("demo", 1)]));
        assert_eq!(RepositoryStatements::parse("").unwrap(), RepositoryStatements::default());
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
            assert_eq!(RepositoryStatements::parse(text).unwrap_err().to_string(), expected);
        }
        assert_eq!(RepositoryStatements::parse("a = \n").unwrap_err().line, 1);
        let error = RepositoryStatements::parse_bytes(b"ignore = []\n# \xff\n").unwrap_err();
        assert_eq!(error.to_string(), ".olmap.toml:2: this is not UTF-8");
    }
}
