//! Paths that Dockerfiles copy into catalog images.

use std::collections::BTreeMap;

/// Folder of catalogs in an image, unless a label names another one.
const CONFIGS: &str = "/configs";
/// Label that names the folder of catalogs.
const LABEL: &str = "operators.operatorframework.io.index.configs.v1";

/// An instruction that copies to the folder of catalogs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CopyInstruction {
    /// Line of the instruction, from 1.
    pub line: usize,
    /// Sources, as written.
    pub sources: Vec<String>,
}

/// Statements of a Dockerfile about catalogs.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Dockerfile {
    /// Instructions that copy catalogs.
    pub copies: Vec<CopyInstruction>,
    /// Build arguments and environment variables, with their defaults.
    pub arguments: BTreeMap<String, Option<String>>,
}

/// Reports whether a file is a Dockerfile by its name.
pub fn is_dockerfile(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let is_template = name.ends_with(".template");
    !is_template && (name.contains("dockerfile") || name.contains("containerfile"))
}

impl Dockerfile {
    /// Parses a Dockerfile.
    pub fn parse(text: &str) -> Self {
        let mut found = Self::default();
        let mut labels: Vec<String> = Vec::new();
        let mut copies: Vec<(CopyInstruction, String)> = Vec::new();
        for (line, instruction) in instructions(text) {
            let (keyword, rest) =
                instruction.split_once(char::is_whitespace).unwrap_or((instruction.as_str(), ""));
            match keyword.to_ascii_uppercase().as_str() {
                "ADD" | "COPY" => copies.extend(
                    parse_copy(rest)
                        .map(|(sources, destination)| (CopyInstruction { line, sources }, destination)),
                ),
                "ARG" => {
                    for word in split_words(rest) {
                        let (name, value) =
                            word.split_once('=').map_or((word.as_str(), None), |(n, v)| (n, Some(v)));
                        let value = value.map(str::to_owned).filter(|value| !value.is_empty());
                        let known = found.arguments.entry(name.to_owned()).or_default();
                        *known = value.or(known.take());
                    }
                }
                "ENV" => {
                    let pairs = split_words(rest);
                    for (name, value) in pairs.iter().filter_map(|word| word.split_once('=')) {
                        found.arguments.entry(name.to_owned()).or_insert_with(|| Some(value.to_owned()));
                    }
                }
                "LABEL" => {
                    let words = split_words(rest);
                    let values = words.iter().filter_map(|word| word.strip_prefix(LABEL)?.strip_prefix('='));
                    labels.extend(values.map(str::to_owned));
                    // The old form: a name, a blank and a value.
                    labels
                        .extend(words.windows(2).filter(|pair| pair[0] == LABEL).map(|pair| pair[1].clone()));
                }
                _ => {}
            }
        }
        let roots = || labels.iter().map(String::as_str).chain([CONFIGS]);
        let is_catalog = |destination: &str| {
            let destination = found.expand_default(destination);
            let destination = destination.trim_end_matches('/');
            roots().any(|root| {
                let rest = destination.strip_prefix(root.trim_end_matches('/'));
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        };
        let copies =
            copies.into_iter().filter(|(_, destination)| is_catalog(destination)).map(|(copy, _)| copy);
        let copies = copies.collect();
        found.copies = copies;
        found
    }

    /// Expands variables with their defaults.
    fn expand_default(&self, text: &str) -> String {
        let parts = split_variables(text);
        let value = |part: &SourcePart| match part {
            SourcePart::Text(text) => text.clone(),
            SourcePart::Variable { name, default } => {
                self.arguments.get(name).cloned().flatten().or_else(|| default.clone()).unwrap_or_default()
            }
        };
        parts.iter().map(value).collect()
    }
}

/// Piece of a source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SourcePart {
    /// Literal text.
    Text(String),
    /// A variable, with the value it has if it is not set.
    Variable { name: String, default: Option<String> },
}

/// Splits a source at its variables.
pub fn split_variables(text: &str) -> Vec<SourcePart> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, after) = rest.split_at(at);
        if !before.is_empty() {
            parts.push(SourcePart::Text(before.to_owned()));
        }
        let after = after.get(1..).unwrap_or_default();
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if let Some((inner, behind)) = after.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
            let end = inner.find(|c| !is_name(c)).unwrap_or(inner.len());
            let (name, operator) = inner.split_at(end);
            let default = operator.strip_prefix(":-").or_else(|| operator.strip_prefix('-'));
            parts.push(SourcePart::Variable { name: name.to_owned(), default: default.map(str::to_owned) });
            rest = behind;
        } else {
            let end = after.find(|c| !is_name(c)).unwrap_or(after.len());
            let (name, behind) = after.split_at(end);
            parts.push(SourcePart::Variable { name: name.to_owned(), default: None });
            rest = behind;
        }
    }
    if !rest.is_empty() {
        parts.push(SourcePart::Text(rest.to_owned()));
    }
    parts
}

/// Returns the instructions of a Dockerfile with their first lines. Joins continued lines and drops comments.
fn instructions(text: &str) -> Vec<(usize, String)> {
    let mut all = Vec::new();
    let mut open: Option<(usize, String)> = None;
    let escape = if text.to_ascii_lowercase().starts_with("# escape=`") { '`' } else { '\\' };
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if trimmed.starts_with('#') || trimmed.is_empty() && open.is_some() {
            continue;
        }
        let (begun, mut joined) = open.take().unwrap_or((at + 1, String::new()));
        if let Some(more) = trimmed.strip_suffix(escape) {
            joined.push_str(more);
            joined.push(' ');
            open = Some((begun, joined));
        } else {
            joined.push_str(trimmed);
            all.push((begun, joined.trim().to_owned()));
        }
    }
    all.extend(open.map(|(begun, joined)| (begun, joined.trim().to_owned())));
    all
}

/// Parses the sources and the destination of a copy. `None` if it copies from another stage or image.
fn parse_copy(rest: &str) -> Option<(Vec<String>, String)> {
    let mut rest = rest.trim();
    while let Some(flag) = rest.strip_prefix("--") {
        let (flag, after) = flag.split_once(char::is_whitespace)?;
        if flag.to_ascii_lowercase().starts_with("from") {
            return None;
        }
        rest = after.trim_start();
    }
    let mut all: Vec<String> =
        if rest.starts_with('[') { serde_json::from_str(rest).ok()? } else { split_words(rest) };
    let destination = all.pop()?;
    all.retain(|source| !source.starts_with("<<") && !source.contains("://"));
    (!all.is_empty()).then_some((all, destination))
}

/// Splits a text into words and removes quotes.
fn split_words(text: &str) -> Vec<String> {
    shell_words::split(text).unwrap_or_else(|_| text.split_whitespace().map(str::to_owned).collect())
}

/// Parses the build arguments that a pipeline sets: `NAME=value` as an item of a list, or a list in one text.
pub fn build_arguments(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        let item = line.strip_prefix("- ").or_else(|| line.strip_prefix("value: ")).unwrap_or(line);
        for word in split_words(item.trim_matches(['[', ']'])) {
            let Some((name, value)) = word.trim_end_matches(',').split_once('=') else { continue };
            let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            if is_name && !value.is_empty() && !value.contains(['$', '{', '=']) {
                found.push((name.to_owned(), value.to_owned()));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(text: &str) -> Vec<String> {
        Dockerfile::parse(text).copies.into_iter().flat_map(|copy| copy.sources).collect()
    }

    #[test]
    fn includes_copies_to_the_catalog_folder() {
        for text in [
            "FROM x\nADD catalog /configs",
            "add catalog /configs/",
            "COPY --chown=1001:0 --link catalog /configs/ship",
            "COPY [\"catalog\", \"/configs\"]",
            "COPY \\\n  # a comment\n  catalog \\\n  /configs\n",
            "ADD catalog /configs\r\nRUN x\r\n",
            "LABEL a=b operators.operatorframework.io.index.configs.v1=/there\nCOPY catalog /there",
            "ARG DIR=/configs\nCOPY catalog ${DIR}/ship",
        ] {
            assert_eq!(sources(text), ["catalog"], "{text}");
        }
    }

    #[test]
    fn ignores_other_copies() {
        for text in [
            "# ADD catalog /configs",
            "COPY --from=builder /configs /configs",
            "COPY catalog /configs-of-others",
            "COPY . .",
            "RUN echo ADD catalog /configs",
            "ADD https://example.com/a.tar /configs",
            "COPY <<EOF /configs/a.yaml",
        ] {
            assert_eq!(sources(text), [] as [&str; 0], "{text}");
        }
    }

    #[test]
    fn splits_variables_from_text() {
        let variable = |name: &str, default: Option<&str>| SourcePart::Variable {
            name: name.to_owned(),
            default: default.map(str::to_owned),
        };
        let text = |text: &str| SourcePart::Text(text.to_owned());
        assert_eq!(
            split_variables("./${DIR:-a}/$NAME.yaml"),
            [text("./"), variable("DIR", Some("a")), text("/"), variable("NAME", None), text(".yaml")]
        );
    }

    #[test]
    fn reads_build_arguments_of_pipelines() {
        let text = "params:\n- name: build-args\n  value:\n  - INPUT_DIR=catalog-4-14\n  - \"FILE=./a.yaml\"\n  - X={{revision}}\n";
        let expected = [("INPUT_DIR", "catalog-4-14"), ("FILE", "./a.yaml")];
        assert_eq!(build_arguments(text), expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }

    #[test]
    fn recognizes_dockerfiles_by_name() {
        for name in
            ["Dockerfile", "catalog.Dockerfile", "Containerfile.ship-v4-14", "Dockerfile-v4-13.catalog"]
        {
            assert!(is_dockerfile(name), "{name}");
        }
        for name in ["Dockerfile.template", "catalog.yaml"] {
            assert!(!is_dockerfile(name), "{name}");
        }
    }
}
