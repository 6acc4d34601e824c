//! Generates the metadata of a bundle and the Dockerfile of its image like `opm alpha bundle generate`.
//!
//! Source: operator-registry `pkg/lib/bundle/generate.go`.

use std::{collections::BTreeMap, fmt::Write as _};

use crate::{
    document::{DocumentCache, parse_first},
    field_access::node_at,
    manifests::Tree,
    registry::DirectoryContents,
    suites::format,
    typed::{DecoderKind, field_text},
};
use olm_catalog::{Member, Node, Span, Value, text::emit};

const PREFIX: &str = "operators.operatorframework.io.bundle.";

/// Returns the media type of the manifests in a folder: `registry+v1`, `helm` or `plain`.
pub fn media_type(tree: &Tree, folder: &str) -> &'static str {
    // Here a chart takes precedence. opm's check of a bundle prefers `registry+v1` if there is also a CSV.
    if tree.files_in(folder).any(|file| file.file_name() == "Chart.yaml") {
        return "helm";
    }
    format::detect_media_type(tree, folder, &DocumentCache::default())
}

/// Returns the labels of the image of a bundle: the annotations in `metadata/`. Empty if there are none.
pub fn image_labels(tree: &Tree) -> BTreeMap<String, String> {
    let contents = DirectoryContents::from_tree(tree);
    let file =
        contents.metadata.annotations.as_ref().and_then(|all| tree.files.get(tree.file_index(&all.file)?));
    let Some(document) = file.and_then(|file| parse_first(file.content_or_empty()).ok()) else {
        return BTreeMap::new();
    };
    let annotations = node_at(&document.node, &["annotations"]).map(Node::members).unwrap_or_default();
    let label = |member: &Member<'_>| {
        let value = field_text(&member.value, DecoderKind::Yaml)?.into_owned();
        Some((member.key.clone().into_owned(), value))
    };
    annotations.iter().filter_map(label).collect()
}

/// Metadata of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// Media type of the manifests: `registry+v1`, `helm` or `plain`.
    pub media_type: &'static str,
    /// Name of the package.
    pub package: String,
    /// Channels separated by commas, as written.
    pub channels: String,
    /// Default channel; empty if absent.
    pub default_channel: String,
}

impl Metadata {
    /// Returns the annotations in the order of the Dockerfile.
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

    /// Formats `metadata/annotations.yaml`.
    pub fn annotations_yaml(&self) -> String {
        let mut all = self.annotations();
        all.sort();
        let all = all.into_iter().map(|(key, value)| (key, Value::String(value.to_owned().into())));
        emit::write_yaml(&string_map([("annotations".to_owned(), string_map(all).into_value())]))
    }

    /// Formats `bundle.Dockerfile` for an image based on `base`, with the paths of the two folders relative to
    /// the build context.
    ///
    /// # Errors
    ///
    /// If a part is not one line.
    pub fn dockerfile(&self, base: &str, manifests: &str, metadata: &str) -> Result<String, LineError> {
        let annotations = self.annotations();
        let values = annotations.iter().map(|(_, value)| *value);
        { values }.chain([base, manifests, metadata]).try_for_each(check_line)?;
        let mut out = format!("FROM {base}\n\n");
        for (key, value) in annotations {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "LABEL {key}={value}");
        }
        // opm writes an extra line break after the default channel.
        if !self.default_channel.is_empty() {
            out.push('\n');
        }
        let _ = write!(out, "COPY {manifests} /manifests/\nCOPY {metadata} /metadata/\n");
        Ok(out)
    }
}

/// Error of a text that would not stay in its line of a Dockerfile.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0:?} cannot stand in a Dockerfile: it has a control character or ends with a backslash")]
pub struct LineError(String);

/// Checks that a text stays in its line of a Dockerfile.
///
/// # Errors
///
/// If it has a line break or another control character, or ends with a backslash, which joins the next line.
pub fn check_line(text: &str) -> Result<(), LineError> {
    let is_one_line = !text.contains(|c: char| c.is_control() && c != '\t') && !text.ends_with('\\');
    if is_one_line { Ok(()) } else { Err(LineError(text.to_owned())) }
}

fn string_map(members: impl IntoIterator<Item = (String, Value<'static>)>) -> Node<'static> {
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

    fn sample_metadata(default_channel: &str) -> Metadata {
        Metadata {
            media_type: "registry+v1",
            package: "tide".to_owned(),
            channels: "stable,fast".to_owned(),
            default_channel: default_channel.to_owned(),
        }
    }

    #[test]
    fn annotations_are_sorted_and_read_back_as_strings() {
        let mut metadata = sample_metadata("yes");
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
    fn rejects_dockerfile_part_that_is_not_one_line() {
        let wrong = ["a\nRUN id", "a\rb", "\n", "a\u{85}b", "a\u{1b}[0m", "a\\"];
        let good = sample_metadata("stable");
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
    fn omits_empty_default_channel() {
        let (with, without) = (sample_metadata("stable"), sample_metadata(""));
        assert!(!without.annotations_yaml().contains("default"));
        let file = |metadata: &Metadata| metadata.dockerfile("scratch", "b/manifests", "b/metadata").unwrap();
        assert!(file(&with).contains("channel.default.v1=stable\n\nCOPY b/manifests /manifests/\n"));
        assert!(file(&without).contains("channels.v1=stable,fast\nCOPY b/manifests /manifests/\n"));
    }
}
