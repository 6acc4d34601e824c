//! Kind and first document of a template. opm ignores all other documents.

use super::error::{TemplateError, TemplateErrorKind, TemplateErrors};
use olm_catalog::{
    ChunkKind, Format, Member, Node, Span, TemplateKind, Value,
    decode::key_matches_field,
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
    pub fn parse(text: &'t [u8], kind: Option<TemplateKind>) -> Result<Self, TemplateErrors> {
        if kind == Some(TemplateKind::Semver) {
            // opm does not detect the kind in this case, so comments or directives may precede the
            // first `---`.
            return Self::from_unsplit(text).and_then(|document| document.check_schema(TemplateKind::Semver));
        }
        let document = Self::from_first_document(text)?;
        let schema = document.read_schema()?;
        let at = document.to_file_span(document.node.span);
        let found = match (TemplateKind::from_schema(&schema), schema.as_str()) {
            (Some(found), _) => found,
            (None, "") => return Err(TemplateErrorKind::NoSchema.at_span(at).into()),
            (None, _) => return Err(TemplateErrorKind::UnknownSchema(schema).at_span(at).into()),
        };
        if let Some(expected) = kind.filter(|kind| *kind != found) {
            return Err(TemplateErrorKind::OtherKind { found: schema, expected }.at_span(at).into());
        }
        if found == TemplateKind::Semver {
            return Self::from_unsplit(text).and_then(|document| document.check_schema(TemplateKind::Semver));
        }
        Ok(Self { kind: found, ..document })
    }

    /// Returns the first document, split as opm splits catalogs. Its kind is not known yet.
    fn from_first_document(text: &'t [u8]) -> Result<Self, TemplateErrors> {
        let chunks = split::split_chunks(text);
        let chunk = chunks.iter().find(|chunk| chunk.kind != ChunkKind::NoObject);
        let Some(chunk) = chunk else { return Err(TemplateErrorKind::Empty.at_span(Span::new(0, 0)).into()) };
        let start = chunk.range.start;
        let bytes = text.get(chunk.range.clone()).unwrap_or_default();
        let moved = |span: Span| Span::new(start + span.start as usize, start + span.end as usize);
        let format = match chunk.kind {
            ChunkKind::Document(format) => format,
            ChunkKind::Unreadable(bad) => {
                let error = bad.to_error(bytes);
                return Err(TemplateErrorKind::Text(error.kind).at_span(moved(error.span)).into());
            }
            ChunkKind::NoObject => Format::Yaml,
        };
        let node = split::parse_chunk(format, bytes)
            .map_err(|error| TemplateErrorKind::Text(error.kind).at_span(moved(error.span)))?;
        if node.is_null() {
            return Err(TemplateErrorKind::Empty.at_span(Span::new(start, chunk.range.end)).into());
        }
        let document = Self { kind: TemplateKind::Basic, node, start, format };
        if !matches!(document.node.value, Value::Map(_)) {
            return Err(document.wrong_type_error(document.node.span, "the template", "a map").into());
        }
        Ok(document)
    }

    /// Parses the first document of a YAML stream, without opm's own splitting of catalogs. opm
    /// reads a semver template this way once its kind is known.
    fn from_unsplit(text: &'t [u8]) -> Result<Self, TemplateErrors> {
        let node = yaml::parse_stream(text)
            .map_err(|error| TemplateErrorKind::Text(error.kind).at_span(error.span))?;
        Ok(Self { kind: TemplateKind::Semver, node, start: 0, format: Format::Yaml })
    }

    fn check_schema(self, expected: TemplateKind) -> Result<Self, TemplateErrors> {
        if self.node.is_null() {
            // An empty document; opm ignores the following ones.
            return Err(TemplateErrorKind::UnknownSchema(String::new())
                .at_span(self.to_file_span(self.node.span))
                .into());
        }
        let found = self.node.members().iter().any(|member| key_matches_field("schema", &member.key));
        if !found {
            return Err(TemplateErrorKind::NoSchema.at_span(self.to_file_span(self.node.span)).into());
        }
        Ok(Self { kind: expected, ..self })
    }

    /// Converts a span in the document to a span in the file.
    pub fn to_file_span(&self, span: Span) -> Span {
        Span::new(self.start + span.start as usize, self.start + span.end as usize)
    }

    /// Returns all members whose keys match a field in Go, which ignores case. The last one wins.
    /// Members of a YAML template are sorted by key, because opm converts it to JSON with sorted
    /// keys.
    pub(super) fn field_members<'s>(&'s self, node: &'s Node<'t>, name: &str) -> Vec<&'s Member<'t>> {
        let mut members: Vec<_> =
            node.members().iter().filter(|member| key_matches_field(name, &member.key)).collect();
        if self.format == Format::Yaml {
            members.sort_by(|a, b| a.key.cmp(&b.key));
        }
        members
    }

    /// Returns a string field; empty if it is null.
    pub(super) fn string_field(&self, node: &Node<'t>, name: &str) -> Result<(String, Span), TemplateError> {
        let mut read = (String::new(), node.span);
        for member in self.field_members(node, name) {
            match &member.value.value {
                Value::String(text) => read = (text.clone().into_owned(), member.value.span),
                Value::Null => {}
                _ => return Err(self.wrong_type_error(member.value.span, name, "a string")),
            }
        }
        Ok(read)
    }

    /// Returns a list field; empty if it is null.
    pub(super) fn list_field(&self, name: &str) -> Result<&[Node<'t>], TemplateError> {
        let mut read: &[Node] = &[];
        for member in self.field_members(&self.node, name) {
            match &member.value.value {
                Value::List(items) => read = items,
                Value::Null => read = &[],
                _ => return Err(self.wrong_type_error(member.value.span, name, "a list")),
            }
        }
        Ok(read)
    }

    fn read_schema(&self) -> Result<String, TemplateError> {
        Ok(self.string_field(&self.node, "schema")?.0)
    }

    pub(super) fn wrong_type_error(&self, span: Span, field: &str, expected: &'static str) -> TemplateError {
        TemplateErrorKind::WrongType { field: field.to_owned(), expected }.at_span(self.to_file_span(span))
    }
}
