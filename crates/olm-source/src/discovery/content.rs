//! Content of a file: the schemas of its documents, and the names they define.

use std::collections::BTreeSet;

use memchr::memmem;

use olm_catalog::{
    decode::key_matches_field,
    node::Node,
    text::split::{self, ChunkKind, Format},
};

/// Number of bytes that decide the kind of a document.
const MAX_DOCUMENT: usize = 1 << 20;

/// Kind of a template.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TemplateFormat {
    /// `olm.template.basic`
    Basic,
    /// `olm.semver`
    Semver,
    /// `olm.template.substitutes`
    Substitutes,
    /// `olm.composite`
    Composite,
}

impl TemplateFormat {
    /// Returns the name, as `olmap template` spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Semver => "semver",
            Self::Substitutes => "substitutes",
            Self::Composite => "composite",
        }
    }

    fn from_schema(schema: &str) -> Option<Self> {
        Some(match schema {
            "olm.template.basic" => Self::Basic,
            "olm.semver" => Self::Semver,
            "olm.template.substitutes" => Self::Substitutes,
            "olm.composite" => Self::Composite,
            _ => return None,
        })
    }
}

/// A component of a composite template.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Component {
    /// Name of the component, which is the name of a catalog.
    pub name: String,
    /// Input file of the component.
    pub input: Option<String>,
}

/// Kind of a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DocumentKind {
    /// A template.
    Template,
    /// Data of a catalog.
    Catalog,
    /// Unrelated data, or text that cannot be parsed.
    Other,
}

/// Returns the kind of a document. The beginning decides for a long text.
pub fn document_kind(text: &[u8]) -> DocumentKind {
    let is_long = text.len() > MAX_DOCUMENT;
    let head = text.get(..MAX_DOCUMENT.min(text.len())).unwrap_or_default();
    let end = if is_long { first_document_end(head).unwrap_or(head.len()) } else { head.len() };
    match FileFacts::from_bytes(head.get(..end).unwrap_or_default(), !is_long) {
        FileFacts { template: Some(_), .. } => DocumentKind::Template,
        FileFacts { has_catalog: true, .. } => DocumentKind::Catalog,
        _ => DocumentKind::Other,
    }
}

/// Content of a file.
#[expect(clippy::struct_excessive_bools, reason = "independent facts, not states")]
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct FileFacts {
    /// True if the whole file was read.
    pub is_complete: bool,
    /// True if the file has documents and each has a schema.
    pub has_schemas: bool,
    /// True if a document cannot be parsed and mentions a schema of catalogs.
    pub is_broken: bool,
    /// True if the file has packages, channels, bundles or deprecations.
    pub has_catalog: bool,
    /// Kind of the template; `None` if the file is not a template.
    pub template: Option<TemplateFormat>,
    /// Names of defined packages, one for each definition. For a template, includes those of its
    /// entries.
    pub packages: Vec<String>,
    /// True if a channel is defined.
    pub has_channels: bool,
    /// Package and bundle of each entry of a channel.
    pub entries: BTreeSet<(String, String)>,
    /// Package and name of each bundle.
    pub bundles: BTreeSet<(String, String)>,
    /// Images of bundles, or those that a template lists.
    pub images: BTreeSet<String>,
    /// Components of a composite template.
    pub components: Vec<Component>,
    /// Names and folders of the catalogs that an `olm.composite.catalogs` lists.
    pub destinations: Vec<(String, String)>,
    /// True if the file is the package of package manifests.
    pub is_package_manifest: bool,
    /// True if the file is a `ClusterServiceVersion`.
    pub is_csv: bool,
}

/// Returns the end of the last complete document in the beginning of a file. `None` if the first
/// document is incomplete.
pub fn first_document_end(bytes: &[u8]) -> Option<usize> {
    let chunks = split::split_chunks(bytes);
    let last = chunks.last()?;
    (chunks.len() > 1 && last.range.start > 0).then_some(last.range.start)
}

impl FileFacts {
    /// Reads documents.
    pub fn from_bytes(bytes: &[u8], is_complete: bool) -> Self {
        let mut facts = Self { is_complete, ..Self::default() };
        let is_of_interest =
            [b"schema".as_slice(), b"Schema", b"SCHEMA", b"packageName", b"ClusterServiceVersion"]
                .iter()
                .any(|word| memmem::find(bytes, word).is_some());
        if !is_of_interest {
            return facts;
        }
        let mut documents = 0;
        let mut with_schema = 0;
        for chunk in split::split_chunks(bytes) {
            let format = match chunk.kind {
                ChunkKind::Document(format) => format,
                ChunkKind::NoObject => continue,
                ChunkKind::Unreadable(_) => {
                    with_schema +=
                        usize::from(facts.add_broken_document(bytes.get(chunk.range).unwrap_or_default()));
                    documents += 1;
                    continue;
                }
            };
            let text = bytes.get(chunk.range).unwrap_or_default();
            if format == Format::Yaml && is_blank(text) {
                continue;
            }
            documents += 1;
            with_schema += usize::from(facts.add_document(format, text));
            if facts.template.is_some() {
                break;
            }
        }
        facts.has_schemas = documents > 0 && documents == with_schema;
        facts
    }

    /// Adds a document; returns true if it has a schema.
    fn add_document(&mut self, format: Format, text: &[u8]) -> bool {
        let Ok(node) = split::parse_chunk(format, text) else { return self.add_broken_document(text) };
        let field = |key: &str| string_value(&node, key);
        let Some(schema) = field("schema") else {
            let is_list = |key| get_ignoring_case(&node, key).is_some_and(|value| !value.items().is_empty());
            self.is_package_manifest |= field("packageName").is_some() && is_list("channels");
            self.is_csv |= field("kind").as_deref() == Some("ClusterServiceVersion");
            return false;
        };
        if let Some(template) = TemplateFormat::from_schema(&schema) {
            self.template = Some(template);
            self.add_template(template, &node);
            return true;
        }
        self.add_blob(&schema, &node);
        !schema.is_empty()
    }

    /// Adds a document that cannot be parsed; returns true if it may be part of a catalog. A
    /// catalog with such a document is included, so that the mistake is reported. Without other
    /// documents, it must mention a schema of catalogs.
    fn add_broken_document(&mut self, text: &[u8]) -> bool {
        let mentions =
            |words: &[&str]| words.iter().any(|word| memmem::find(text, word.as_bytes()).is_some());
        let may_be_part =
            mentions(&["schema"]) && !mentions(&["olm.template.", "olm.semver", "olm.composite"]);
        let is_catalog =
            may_be_part && mentions(&["olm.package", "olm.channel", "olm.bundle", "olm.deprecations"]);
        self.is_broken |= is_catalog;
        self.has_catalog |= is_catalog;
        may_be_part
    }

    fn add_blob(&mut self, schema: &str, node: &Node) {
        let field = |key: &str| string_value(node, key).unwrap_or_default();
        match schema {
            "olm.package" => self.packages.push(field("name")),
            "olm.channel" => {
                self.has_channels = true;
                let entries = get_ignoring_case(node, "entries").map(Node::items).unwrap_or_default();
                let package = field("package");
                let names = entries.iter().filter_map(|entry| string_value(entry, "name"));
                self.entries.extend(names.map(|name| (package.clone(), name)));
            }
            "olm.bundle" => {
                self.bundles.insert((field("package"), field("name")));
                self.images.extend(string_value(node, "image"));
            }
            "olm.deprecations" => {}
            "olm.composite.catalogs" => {
                let catalogs = get_ignoring_case(node, "catalogs").map(Node::items).unwrap_or_default();
                self.destinations.extend(catalogs.iter().filter_map(|catalog| {
                    let folder = string_value(get_ignoring_case(catalog, "destination")?, "workingDir")?;
                    Some((string_value(catalog, "name").unwrap_or_default(), folder))
                }));
                return;
            }
            _ => return,
        }
        self.has_catalog = true;
    }

    fn add_template(&mut self, template: TemplateFormat, node: &Node) {
        match template {
            TemplateFormat::Basic | TemplateFormat::Substitutes => {
                for entry in get_ignoring_case(node, "entries").map(Node::items).unwrap_or_default() {
                    match string_value(entry, "schema").as_deref() {
                        Some("olm.package") => self.packages.extend(string_value(entry, "name")),
                        Some("olm.channel") => self.packages.extend(string_value(entry, "package")),
                        Some("olm.bundle") => self.images.extend(string_value(entry, "image")),
                        _ => {}
                    }
                }
                self.packages.sort();
                self.packages.dedup();
            }
            TemplateFormat::Semver => {
                for channel in node.members() {
                    let bundles =
                        get_ignoring_case(&channel.value, "bundles").map(Node::items).unwrap_or_default();
                    self.images.extend(bundles.iter().filter_map(|bundle| string_value(bundle, "image")));
                }
            }
            TemplateFormat::Composite => {
                let components = get_ignoring_case(node, "components").map(Node::items).unwrap_or_default();
                self.components.extend(components.iter().map(|component| {
                    let config = get_ignoring_case(component, "strategy")
                        .and_then(|strategy| get_ignoring_case(strategy, "template"))
                        .and_then(|template| get_ignoring_case(template, "config"));
                    Component {
                        name: string_value(component, "name").unwrap_or_default(),
                        input: config.and_then(|config| string_value(config, "input")),
                    }
                }));
            }
        }
    }
}

/// Returns true if a document consists of comments and blanks.
fn is_blank(text: &[u8]) -> bool {
    text.split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .all(|line| line.is_empty() || line.starts_with(b"#") || line == b"---" || line == b"...")
}

/// Returns the value of a key, ignoring the case of keys.
fn get_ignoring_case<'n>(node: &'n Node<'_>, key: &str) -> Option<&'n Node<'n>> {
    node.members().iter().rev().find(|member| key_matches_field(&member.key, key)).map(|member| &member.value)
}

fn string_value(node: &Node, key: &str) -> Option<String> {
    get_ignoring_case(node, key).and_then(Node::as_str).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_facts(text: &str) -> FileFacts {
        FileFacts::from_bytes(text.as_bytes(), true)
    }

    #[test]
    fn schema_at_the_end_of_document_is_found() {
        let icon = "x".repeat(40_000);
        let facts = parse_facts(&format!("icon:\n  base64data: {icon}\nname: ship\nschema: olm.package\n"));
        assert_eq!(facts.packages, ["ship"]);
        assert!(facts.has_schemas && facts.has_catalog && facts.template.is_none());
    }

    #[test]
    fn template_is_known_by_its_own_schema() {
        let facts = parse_facts(
            "entries:\n- schema: olm.package\n  name: ship\n- schema: olm.channel\n  package: ship\nSchema: olm.template.basic\n",
        );
        assert_eq!((facts.template, facts.has_catalog), (Some(TemplateFormat::Basic), false));
        assert_eq!(facts.packages, ["ship"]);
        let facts = parse_facts(
            "schema: olm.semver\nstable:\n  bundles:\n  - image: example.com/a\nCandidate:\n  Bundles:\n  - Image: example.com/b\n",
        );
        assert_eq!(facts.images.len(), 2);
    }

    #[test]
    fn kubernetes_objects_do_not_have_a_schema() {
        for text in
            ["kind: CatalogSource\nspec:\n  schema: olm.package\n", "{\"kind\": \"List\"}", "just text", ""]
        {
            let facts = parse_facts(text);
            assert!(!facts.has_schemas && !facts.has_catalog, "{text}");
        }
    }

    #[test]
    fn broken_document_is_part_of_a_catalog_if_it_mentions_its_schemas() {
        let facts = parse_facts("schema: olm.channel\nname: stable\n  entries: [\n");
        assert!(facts.is_broken && facts.has_catalog && facts.has_schemas);
        for text in
            ["kind: {{ .Kind }}\nschema: [", "schema: olm.template.basic\nentries: [{schema: olm.package\n"]
        {
            let facts = parse_facts(text);
            assert!(!facts.is_broken && !facts.has_catalog, "{text}");
        }
    }

    #[test]
    fn first_document_ends_where_the_second_begins() {
        assert_eq!(first_document_end(b"schema: olm.package\n"), None);
        assert_eq!(first_document_end(b"a: 1\n---\nb: 2\n"), Some(5));
        assert_eq!(first_document_end(b"{\"a\": 1}\n{\"b\": "), Some(9));
    }
}
