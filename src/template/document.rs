//! Kind and first document of a template. opm ignores all other documents.

use super::fault::{Fault, FaultKind, Faults};
use crate::catalog::{
    ChunkKind, Format, Member, Node, Span, TemplateKind, Value,
    decode::same_key,
    text::{split, yaml},
};

/// The first document of a template.
#[derive(Clone, Debug)]
pub struct TemplateDocument<'t> {
    /// Kind of the template.
    pub kind: TemplateKind,
    /// The document.
    pub(super) node: Node<'t>,
    /// Offset of the document in the file.
    start: usize,
    format: Format,
}

impl<'t> TemplateDocument<'t> {
    /// Parses a template. Its schema decides the kind, which must be `kind` if given.
    ///
    /// # Errors
    ///
    /// If the text cannot be parsed, or is not a template of that kind.
    pub fn read(text: &'t [u8], kind: Option<TemplateKind>) -> Result<Self, Faults> {
        if kind == Some(TemplateKind::Semver) {
            // No kind is detected here, so a comment or a directive may precede the first `---`.
            return Self::from_unsplit(text).and_then(|document| document.check_schema(TemplateKind::Semver));
        }
        let document = Self::from_first_document(text)?;
        let schema = document.schema()?;
        let at = document.at(document.node.span);
        let found = match (TemplateKind::of(&schema), schema.as_str()) {
            (Some(found), _) => found,
            (None, "") => return Err(FaultKind::NoSchema.at(at).into()),
            (None, _) => return Err(FaultKind::UnknownSchema(schema).at(at).into()),
        };
        if let Some(expected) = kind.filter(|kind| *kind != found) {
            return Err(FaultKind::OtherKind { found: schema, expected }.at(at).into());
        }
        if found == TemplateKind::Semver {
            return Self::from_unsplit(text).and_then(|document| document.check_schema(TemplateKind::Semver));
        }
        Ok(Self { kind: found, ..document })
    }

    /// Returns the first document, split as opm splits catalogs. Its kind is not known yet.
    fn from_first_document(text: &'t [u8]) -> Result<Self, Faults> {
        let chunks = split::split(text);
        let chunk = chunks.iter().find(|chunk| chunk.kind != ChunkKind::NoObject);
        let Some(chunk) = chunk else { return Err(FaultKind::Empty.at(Span::new(0, 0)).into()) };
        let start = chunk.range.start;
        let bytes = text.get(chunk.range.clone()).unwrap_or_default();
        let moved = |span: Span| Span::new(start + span.start as usize, start + span.end as usize);
        let format = match chunk.kind {
            ChunkKind::Document(format) => format,
            ChunkKind::Unreadable(bad) => {
                let error = bad.error(bytes);
                return Err(FaultKind::Text(error.kind).at(moved(error.span)).into());
            }
            ChunkKind::NoObject => Format::Yaml,
        };
        let node =
            split::parse(format, bytes).map_err(|error| FaultKind::Text(error.kind).at(moved(error.span)))?;
        if node.is_null() {
            return Err(FaultKind::Empty.at(Span::new(start, chunk.range.end)).into());
        }
        let document = Self { kind: TemplateKind::Basic, node, start, format };
        if !matches!(document.node.value, Value::Map(_)) {
            return Err(document.wrong_type(document.node.span, "the template", "a map").into());
        }
        Ok(document)
    }

    /// Returns the first YAML document of an unsplit text, as opm reads semver templates after detection.
    fn from_unsplit(text: &'t [u8]) -> Result<Self, Faults> {
        let node = yaml::parse_stream(text).map_err(|error| FaultKind::Text(error.kind).at(error.span))?;
        Ok(Self { kind: TemplateKind::Semver, node, start: 0, format: Format::Yaml })
    }

    fn check_schema(self, expected: TemplateKind) -> Result<Self, Faults> {
        if self.node.is_null() {
            // An empty document; opm ignores the following ones.
            return Err(FaultKind::UnknownSchema(String::new()).at(self.at(self.node.span)).into());
        }
        let found = self.node.members().iter().any(|member| same_key("schema", &member.key));
        if !found {
            return Err(FaultKind::NoSchema.at(self.at(self.node.span)).into());
        }
        Ok(Self { kind: expected, ..self })
    }

    /// Converts a span in the document to a span in the file.
    pub fn at(&self, span: Span) -> Span {
        Span::new(self.start + span.start as usize, self.start + span.end as usize)
    }

    /// Returns the members for a field in Go's order; the last one wins. opm converts YAML to JSON
    /// with sorted keys.
    pub(super) fn field<'s>(&'s self, node: &'s Node<'t>, name: &str) -> Vec<&'s Member<'t>> {
        let mut members: Vec<_> =
            node.members().iter().filter(|member| same_key(name, &member.key)).collect();
        if self.format == Format::Yaml {
            members.sort_by(|a, b| a.key.cmp(&b.key));
        }
        members
    }

    /// Returns a string field; empty if it is null.
    pub(super) fn string(&self, node: &Node<'t>, name: &str) -> Result<(String, Span), Fault> {
        let mut read = (String::new(), node.span);
        for member in self.field(node, name) {
            match &member.value.value {
                Value::String(text) => read = (text.clone().into_owned(), member.value.span),
                Value::Null => {}
                _ => return Err(self.wrong_type(member.value.span, name, "a string")),
            }
        }
        Ok(read)
    }

    /// Returns a list field; empty if it is null.
    pub(super) fn list(&self, name: &str) -> Result<&[Node<'t>], Fault> {
        let mut read: &[Node] = &[];
        for member in self.field(&self.node, name) {
            match &member.value.value {
                Value::List(items) => read = items,
                Value::Null => read = &[],
                _ => return Err(self.wrong_type(member.value.span, name, "a list")),
            }
        }
        Ok(read)
    }

    fn schema(&self) -> Result<String, Fault> {
        Ok(self.string(&self.node, "schema")?.0)
    }

    pub(super) fn wrong_type(&self, span: Span, field: &str, expected: &'static str) -> Fault {
        FaultKind::WrongType { field: field.to_owned(), expected }.at(self.at(span))
    }
}
