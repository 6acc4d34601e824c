//! Which kind of template a text is, and its first document: opm looks at no other.

use super::fault::{Fault, FaultKind, Faults};
use crate::catalog::{
    ChunkKind, Format, Member, Node, Span, TemplateKind, Value,
    decode::same_key,
    text::{split, yaml},
};

/// The one document of a template.
#[derive(Clone, Debug)]
pub struct TemplateDocument<'t> {
    /// What it is.
    pub kind: TemplateKind,
    /// The document.
    pub(super) node: Node<'t>,
    /// Where the text of the document begins in the file.
    start: usize,
    format: Format,
}

impl<'t> TemplateDocument<'t> {
    /// Reads a template. Its kind is that of its schema; it must be `kind`, where that is given.
    ///
    /// # Errors
    ///
    /// A text that cannot be read, or is no template of that kind.
    pub fn read(text: &'t [u8], kind: Option<TemplateKind>) -> Result<Self, Faults> {
        if kind == Some(TemplateKind::Semver) {
            // Nothing is detected, so a comment or a directive may stand before the first `---`.
            return Self::whole(text).and_then(|document| document.of_kind(TemplateKind::Semver));
        }
        let document = Self::first(text)?;
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
            return Self::whole(text).and_then(|document| document.of_kind(TemplateKind::Semver));
        }
        Ok(Self { kind: found, ..document })
    }

    /// The first document, cut as opm cuts catalogs. Its kind is not known yet.
    fn first(text: &'t [u8]) -> Result<Self, Faults> {
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

    /// The first YAML document of a text that is not cut: so opm reads semver templates, whatever was detected.
    fn whole(text: &'t [u8]) -> Result<Self, Faults> {
        let node = yaml::parse_stream(text).map_err(|error| FaultKind::Text(error.kind).at(error.span))?;
        Ok(Self { kind: TemplateKind::Semver, node, start: 0, format: Format::Yaml })
    }

    fn of_kind(self, expected: TemplateKind) -> Result<Self, Faults> {
        if self.node.is_null() {
            // An empty document: more may follow, which opm does not look at.
            return Err(FaultKind::UnknownSchema(String::new()).at(self.at(self.node.span)).into());
        }
        let found = self.node.members().iter().any(|member| same_key("schema", &member.key));
        if !found {
            return Err(FaultKind::NoSchema.at(self.at(self.node.span)).into());
        }
        Ok(Self { kind: expected, ..self })
    }

    /// A place in the document as one in the file.
    pub fn at(&self, span: Span) -> Span {
        Span::new(self.start + span.start as usize, self.start + span.end as usize)
    }

    /// The members that fill a field, in the order in which Go does it: the last one counts. YAML is made JSON with sorted
    /// keys first.
    pub(super) fn field<'s>(&'s self, node: &'s Node<'t>, name: &str) -> Vec<&'s Member<'t>> {
        let mut members: Vec<_> =
            node.members().iter().filter(|member| same_key(name, &member.key)).collect();
        if self.format == Format::Yaml {
            members.sort_by(|a, b| a.key.cmp(&b.key));
        }
        members
    }

    /// A string field; null is none.
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

    /// A list field; null is an empty one.
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
