//! The metadata of a bundle and the Dockerfile of its image, as `opm alpha bundle generate` writes them.
//!
//! Source: operator-registry `pkg/lib/bundle/generate.go`.

use std::fmt::Write as _;

use super::{document::Readings, suites::format, tree::Tree};
use crate::catalog::{Member, Node, Span, Value, text::emit};

const PREFIX: &str = "operators.operatorframework.io.bundle.";

/// What the manifests of a folder are: `registry+v1`, `helm` or `plain`.
pub fn media_type(tree: &Tree, folder: &str) -> &'static str {
    // Here a chart comes first, while opm's check of a bundle wants `registry+v1` where there is a CSV too.
    if tree.files_in(folder).any(|file| file.name() == "Chart.yaml") {
        return "helm";
    }
    format::media_type(tree, folder, &Readings::default())
}

/// What is known of a bundle whose manifests are there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// What the manifests are: `registry+v1`, `helm` or `plain`.
    pub media_type: &'static str,
    /// The package.
    pub package: String,
    /// The channels, with commas between them, as written.
    pub channels: String,
    /// The default channel; empty where none is said.
    pub default_channel: String,
}

impl Metadata {
    /// The annotations, in the order in which they stand in the Dockerfile.
    fn annotations(&self) -> Vec<(String, &str)> {
        let mut all = vec![
            ("mediatype.v1", self.media_type),
            ("manifests.v1", "manifests/"),
            ("metadata.v1", "metadata/"),
            ("package.v1", &self.package),
            ("channels.v1", &self.channels),
        ];
        if !self.default_channel.is_empty() {
            all.push(("channel.default.v1", &self.default_channel));
        }
        all.into_iter().map(|(key, value)| (format!("{PREFIX}{key}"), value)).collect()
    }

    /// `metadata/annotations.yaml`
    pub fn annotations_yaml(&self) -> String {
        let mut all = self.annotations();
        all.sort();
        let all = all.into_iter().map(|(key, value)| (key, Value::String(value.to_owned().into())));
        emit::yaml(&map([("annotations".to_owned(), map(all).into_value())]))
    }

    /// Writes `bundle.Dockerfile`, of an image on top of `base`, with the two folders as they are called from where it is built.
    ///
    /// # Errors
    ///
    /// A part that is not one line.
    pub fn dockerfile(&self, base: &str, manifests: &str, metadata: &str) -> Result<String, NotOneLine> {
        let annotations = self.annotations();
        let values = annotations.iter().map(|(_, value)| *value);
        { values }.chain([base, manifests, metadata]).try_for_each(check_line)?;
        let mut out = format!("FROM {base}\n\n");
        for (key, value) in annotations {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "LABEL {key}={value}");
        }
        // opm ends the line of the default channel twice.
        if !self.default_channel.is_empty() {
            out.push('\n');
        }
        let _ = write!(out, "COPY {manifests} /manifests/\nCOPY {metadata} /metadata/\n");
        Ok(out)
    }
}

/// A text that would be more than a part of one line in a Dockerfile.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0:?} cannot stand in a Dockerfile: it has a control character or ends with a backslash")]
pub struct NotOneLine(String);

/// Checks that a text stays a part of its line in a Dockerfile.
///
/// # Errors
///
/// If it has a line break or another control character, or ends with a backslash, which takes the next line with it.
pub fn check_line(text: &str) -> Result<(), NotOneLine> {
    let is_one_line = !text.contains(|c: char| c.is_control() && c != '\t') && !text.ends_with('\\');
    if is_one_line { Ok(()) } else { Err(NotOneLine(text.to_owned())) }
}

fn map(members: impl IntoIterator<Item = (String, Value<'static>)>) -> Node<'static> {
    let member = |(key, value): (String, Value<'static>)| Member {
        key: key.into(),
        key_span: Span::default(),
        value: Node::new(value, Span::default()),
    };
    Node::new(Value::Map(members.into_iter().map(member).collect()), Span::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata(default_channel: &str) -> Metadata {
        Metadata {
            media_type: "registry+v1",
            package: "tide".to_owned(),
            channels: "stable,fast".to_owned(),
            default_channel: default_channel.to_owned(),
        }
    }

    #[test]
    fn annotations_are_sorted_and_read_back_as_texts() {
        let mut metadata = metadata("yes");
        metadata.package = "123".to_owned();
        let yaml = metadata.annotations_yaml();
        let read: serde_json::Value = serde_yaml::from_str(&yaml).unwrap();
        let of = |key: &str| read["annotations"][format!("{PREFIX}{key}")].as_str().map(str::to_owned);
        assert_eq!(of("package.v1").as_deref(), Some("123"), "{yaml}");
        assert_eq!(of("channel.default.v1").as_deref(), Some("yes"), "{yaml}");
        let keys: Vec<&str> = yaml.lines().skip(1).map(|line| line.split(':').next().unwrap()).collect();
        assert!(keys.is_sorted(), "{keys:?}");
    }

    #[test]
    fn part_of_a_dockerfile_that_is_not_one_line_is_refused() {
        let wrong = ["a\nRUN id", "a\rb", "\n", "a\u{85}b", "a\u{1b}[0m", "a\\"];
        let good = metadata("stable");
        good.dockerfile("a/b:c", "with blank/manifests", "with\ttab").unwrap();
        for text in wrong {
            let refused = |metadata: &Metadata, [base, manifests, beside]: [&str; 3]| {
                assert!(metadata.dockerfile(base, manifests, beside).is_err(), "{text:?}");
            };
            refused(&good, [text, "m", "n"]);
            refused(&good, ["b", text, "n"]);
            refused(&good, ["b", "m", text]);
            refused(&Metadata { package: text.to_owned(), ..good.clone() }, ["b", "m", "n"]);
            refused(&Metadata { channels: text.to_owned(), ..good.clone() }, ["b", "m", "n"]);
            refused(&Metadata { default_channel: text.to_owned(), ..good.clone() }, ["b", "m", "n"]);
        }
    }

    #[test]
    fn an_empty_default_channel_is_not_written() {
        let (with, without) = (metadata("stable"), metadata(""));
        assert!(!without.annotations_yaml().contains("default"));
        let file = |metadata: &Metadata| metadata.dockerfile("scratch", "b/manifests", "b/metadata").unwrap();
        assert!(file(&with).contains("channel.default.v1=stable\n\nCOPY b/manifests /manifests/\n"));
        assert!(file(&without).contains("channels.v1=stable,fast\nCOPY b/manifests /manifests/\n"));
    }
}
