//! Collects documents into packages, and lists packages by the headings of their documents.
//!
//! A heading is the schema and package of a document by a quick scan, for listing and for the order of
//! reading. [`decode`](crate::decode) reads the actual content. The guess is right for documents written by
//! opm, jq, yq and kubectl.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use memchr::memmem;
use rayon::prelude::*;

use super::{Catalog, Origin};
use crate::{
    blob::{Blob, OtherBlob},
    decode::{self, DecodedDocument},
    file::{DocId, FileId, SourceFile},
    names::PackageName,
    node::Node,
    package::{Package, SharedBlob},
    problem::{Problem, ProblemKind, ProblemLocation, Problems},
    template::{self, KnownBundles, Template},
    text::{
        split::{self, ChunkKind, Format},
        yaml::{self, ReadError},
    },
};

/// Number of documents per task of a core: few, because bundles may be large.
pub(super) const DOCUMENTS_PER_TASK: usize = 16;

/// Number of documents decoded before they are collected, because collected ones need less memory.
const PORTION: usize = 1 << 14;

impl Catalog {
    /// Reads the documents of all files on all cores and collects them by package.
    pub fn new(origin: Origin, files: Vec<SourceFile>, problems: Vec<Problem>) -> Self {
        let files = files.into_iter().map(Arc::new).collect();
        Self::from_files(origin, files, problems.into_iter().collect(), Arc::default())
    }

    pub(super) fn from_files(
        origin: Origin,
        files: Vec<Arc<SourceFile>>,
        problems: Problems,
        known: Arc<KnownBundles>,
    ) -> Self {
        let mut catalog = Self { known_bundles: known, ..Self::with_files_only(origin, files, problems) };
        if let Some((template, decoded)) = catalog.read_template() {
            catalog.template = Some(Arc::new(template));
            catalog.collect_decoded(decoded);
        } else {
            let mut touched = ModifiedPackages::default();
            let files = catalog.files.clone();
            let mut documents = chunk_ids(0, &files);
            loop {
                let portion: Vec<DocId> = documents.by_ref().take(PORTION).collect();
                if portion.is_empty() {
                    break;
                }
                catalog.decode_and_collect(&portion, &mut touched);
            }
            catalog.store_packages(touched);
        }
        catalog
    }

    /// Creates a catalog from files without reading their documents.
    pub(super) fn with_files_only(origin: Origin, files: Vec<Arc<SourceFile>>, problems: Problems) -> Self {
        Self {
            openshift: origin.openshift().into_iter().collect(),
            origin,
            revision: 0,
            files,
            packages: BTreeMap::new(),
            others: Vec::new(),
            problems,
            template: None,
            known_bundles: Arc::default(),
            ignore_patterns: Arc::default(),
            template_sources: Arc::default(),
            bundle_sources: Arc::default(),
            missing_part: None,
        }
    }

    /// Reads the template in a file. In a directory opm takes templates for objects of unknown schemas.
    fn read_template(&self) -> Option<(Template, Vec<DecodedDocument>)> {
        let is_file = match &self.origin {
            Origin::File(_) | Origin::Stdin => true,
            Origin::Revision(at) => at.is_file,
            Origin::Directory(_)
            | Origin::Bundles(_)
            | Origin::Demo
            | Origin::Image(_)
            | Origin::Converted(_) => false,
        };
        let [file] = self.files.as_slice() else { return None };
        if !is_file {
            return None;
        }
        let (first, more) = file.template_document()?;
        let node = split::parse_chunk(first.format()?, first.text.as_bytes()).ok()?;
        template::read_template(
            DocId { file: FileId(0), serial: first.serial },
            &node,
            more,
            &self.known_bundles,
        )
    }

    /// Decodes documents on all cores, and adds them to their packages.
    pub(super) fn decode_and_collect(&mut self, documents: &[DocId], touched: &mut ModifiedPackages) {
        for portion in documents.chunks(PORTION) {
            let documents = portion.par_iter().with_max_len(DOCUMENTS_PER_TASK);
            let decoded: Vec<DecodedDocument> = documents.filter_map(|doc| self.decode(*doc)).collect();
            for document in decoded {
                self.add_decoded(document, touched);
            }
        }
    }

    pub(super) fn decode(&self, doc: DocId) -> Option<DecodedDocument> {
        let file = self.file(doc.file)?;
        let segment = file.segment(doc.serial)?;
        let decoded = decode_chunk(doc, segment.kind, segment.text.as_bytes());
        Some(if file.foreign { decoded.unquoted() } else { decoded })
    }

    /// Adds documents to the catalog. The result does not depend on the order and portions.
    pub(super) fn collect_decoded(&mut self, documents: Vec<DecodedDocument>) {
        let mut touched = ModifiedPackages::default();
        for document in documents {
            self.add_decoded(document, &mut touched);
        }
        self.store_packages(touched);
    }

    /// Decodes documents and adds them to the catalog.
    pub(super) fn collect_documents(&mut self, documents: &[DocId]) {
        let mut touched = ModifiedPackages::default();
        self.decode_and_collect(documents, &mut touched);
        self.store_packages(touched);
    }

    /// Adds a document to its package.
    pub(super) fn add_decoded(&mut self, document: DecodedDocument, touched: &mut ModifiedPackages) {
        let DecodedDocument { mut blob, problems } = document;
        if let Some(Blob::Other(other)) = &mut blob {
            touched.share_schema(other);
        }
        if let Some(name) = blob.as_ref().and_then(Blob::package).cloned() {
            let package = self.package_mut(&name, touched);
            package.problems.append(problems);
            if let Some(mut blob) = blob {
                blob.share_package(&package.name);
                package.add_blob(SharedBlob::from(blob));
            }
        } else {
            self.problems.append(problems);
            if let Some(Blob::Other(blob)) = blob {
                self.others.push(blob);
            }
        }
    }

    /// Returns a package for modification.
    pub(super) fn package_mut<'a>(
        &self,
        name: &PackageName,
        touched: &'a mut ModifiedPackages,
    ) -> &'a mut Package {
        touched.packages.entry(name.clone()).or_insert_with(|| match self.packages.get(name) {
            Some(package) => Package::clone(package),
            None => Package::new(name.clone()),
        })
    }

    /// Stores the modified packages, and sorts everything by document.
    pub(super) fn store_packages(&mut self, touched: ModifiedPackages) {
        let files = &self.files;
        let rank = |doc: DocId| {
            let position = files.get(doc.file.0 as usize).and_then(|f| f.position(doc.serial));
            (doc.file.0, position.unwrap_or(usize::MAX))
        };
        // Problems of files stay before those of documents, in the order in which they were found.
        self.problems.sort_by_document(rank);
        self.others.sort_by_key(|blob| rank(blob.doc));
        let settled: Vec<(PackageName, Package)> = touched
            .packages
            .into_par_iter()
            .map(|(name, mut package)| {
                package.sort_and_index(rank);
                (name, package)
            })
            .collect();
        for (name, package) in settled {
            if package.is_empty() {
                self.packages.remove(&name);
            } else {
                self.packages.insert(name, Arc::new(package));
            }
        }
    }
}

/// Modified packages of a catalog before they are stored.
#[derive(Default)]
pub(super) struct ModifiedPackages {
    pub(super) packages: BTreeMap<PackageName, Package>,
    /// Schemas of other blobs: few distinct ones, each used many times.
    schemas: HashSet<Arc<str>>,
}

impl ModifiedPackages {
    /// Makes a blob share the text of its schema with others.
    fn share_schema(&mut self, blob: &mut OtherBlob) {
        match self.schemas.get(&blob.schema) {
            Some(known) => blob.schema = Arc::clone(known),
            None => {
                self.schemas.insert(Arc::clone(&blob.schema));
            }
        }
    }
}

/// Returns every chunk of some files. The first file has the index `first`.
pub(super) fn chunk_ids(first: u32, files: &[Arc<SourceFile>]) -> impl Iterator<Item = DocId> + '_ {
    (first..).map(FileId).zip(files).flat_map(|(file, source)| {
        source.segments().iter().map(move |segment| DocId { file, serial: segment.serial })
    })
}

/// Decodes the text of a chunk.
pub(super) fn decode_chunk(doc: DocId, kind: ChunkKind, text: &[u8]) -> DecodedDocument {
    let unreadable = |error: ReadError| {
        let at = ProblemLocation::Document(doc, error.span);
        let problem = Problem { at, kind: ProblemKind::Syntax(error) };
        DecodedDocument { blob: None, problems: [problem].into_iter().collect() }
    };
    match kind {
        ChunkKind::NoObject => DecodedDocument { blob: None, problems: Problems::default() },
        ChunkKind::Unreadable(start) => unreadable(start.to_error(text)),
        ChunkKind::Document(format) => match parse_for_decoder(format, text) {
            Ok(node) => {
                let mut decoded = decode::decode_document(doc, &node);
                if let Some(span) = yaml::lost_span(text) {
                    let at = ProblemLocation::Document(doc, span);
                    decoded.problems.push(Problem { at, kind: ProblemKind::LostDocuments });
                }
                decoded
            }
            Err(error) => unreadable(error),
        },
    }
}

/// Parses a document, perhaps without parts that the decoder does not use.
fn parse_for_decoder(format: Format, text: &[u8]) -> Result<Node<'_>, ReadError> {
    match format {
        Format::Json => decode::parse_json_document(text),
        Format::Yaml => split::parse_chunk(format, text),
    }
}

/// Schema of a document and its package.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Heading<'a> {
    pub schema: Cow<'a, str>,
    /// The name, for an `olm.package`.
    pub package: Cow<'a, str>,
}

/// Scans for the fields of a heading. `None` if they are absent or not in the usual form.
pub(super) fn scan_heading(format: Format, text: &[u8]) -> Option<Heading<'_>> {
    match format {
        Format::Json => JsonScanner { rest: text }.scan_heading(),
        Format::Yaml => {
            let schema = yaml_field(text, b"schema:")?;
            let key: &[u8] = if schema == "olm.package" { b"name:" } else { b"package:" };
            Some(Heading { schema, package: yaml_field(text, key)? })
        }
    }
}

/// Returns the value of a key at the beginning of a line, where nested keys cannot be.
fn yaml_field<'a>(text: &'a [u8], key: &[u8]) -> Option<Cow<'a, str>> {
    let at = if text.starts_with(key) {
        0
    } else {
        let mut found = memmem::find_iter(text, key);
        found.find(|&at| at.checked_sub(1).and_then(|before| text.get(before)) == Some(&b'\n'))?
    };
    let rest = text.get(at + key.len()..)?;
    let line = rest.get(..memchr::memchr(b'\n', rest).unwrap_or(rest.len()))?;
    let value = std::str::from_utf8(line).ok()?.trim();
    let inner = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    if let Some(quoted) = inner('"').or_else(|| inner('\'')) {
        return (!quoted.contains(['"', '\'', '\\'])).then_some(Cow::Borrowed(quoted));
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '/');
    (!value.is_empty() && value.chars().all(is_name)).then_some(Cow::Borrowed(value))
}

/// Scanner of a JSON object that skips the values of other members.
struct JsonScanner<'a> {
    rest: &'a [u8],
}

impl<'a> JsonScanner<'a> {
    fn scan_heading(mut self) -> Option<Heading<'a>> {
        let (mut schema, mut package, mut name) = (None, None, None);
        self.skip_blanks();
        self.expect_byte(b'{')?;
        loop {
            self.skip_blanks();
            let key = self.scan_string()?;
            self.skip_blanks();
            self.expect_byte(b':')?;
            self.skip_blanks();
            let wanted = match key {
                b"schema" => Some(&mut schema),
                b"package" => Some(&mut package),
                b"name" => Some(&mut name),
                _ => None,
            };
            match wanted {
                Some(field) => *field = Some(self.scan_string()?),
                None => self.skip_value()?,
            }
            let home = match schema {
                Some(b"olm.package") => name,
                Some(_) => package,
                None => None,
            };
            if let Some((schema, home)) = schema.zip(home) {
                return Some(Heading { schema: unescape(schema)?, package: unescape(home)? });
            }
            self.skip_blanks();
            self.expect_byte(b',')?;
        }
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_ascii_start();
    }

    fn expect_byte(&mut self, wanted: u8) -> Option<()> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        (*first == wanted).then_some(())
    }

    /// Returns the source text between the quotes of a string.
    fn scan_string(&mut self) -> Option<&'a [u8]> {
        self.expect_byte(b'"')?;
        let text = self.rest;
        let mut at = 0;
        loop {
            at += memchr::memchr2(b'"', b'\\', text.get(at..)?)?;
            if text.get(at) == Some(&b'"') {
                self.rest = text.get(at + 1..)?;
                return text.get(..at);
            }
            at += 2;
        }
    }

    fn skip_value(&mut self) -> Option<()> {
        let mut depth = 0usize;
        loop {
            let next = self.rest.iter().position(|b| matches!(b, b'"' | b'{' | b'}' | b'[' | b']' | b','))?;
            self.rest = self.rest.get(next..)?;
            match self.rest.first()? {
                b'"' => {
                    self.scan_string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                // End of the enclosing object, or of a sibling.
                b'}' | b']' | b',' if depth == 0 => return Some(()),
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.rest = self.rest.get(1..)?;
        }
    }
}

fn unescape(text: &[u8]) -> Option<Cow<'_, str>> {
    let text = std::str::from_utf8(text).ok()?;
    (!text.contains('\\')).then_some(Cow::Borrowed(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan_pair(format: Format, text: &str) -> Option<(String, String)> {
        scan_heading(format, text.as_bytes()).map(|h| (h.schema.into_owned(), h.package.into_owned()))
    }

    fn pair(schema: &str, package: &str) -> (String, String) {
        (schema.to_owned(), package.to_owned())
    }

    #[test]
    fn reads_yaml_keys_in_any_order() {
        let yaml = |text| scan_pair(Format::Yaml, text);
        assert_eq!(yaml("---\nschema: olm.package\nname: ship\n"), Some(pair("olm.package", "ship")));
        let bundle = "---\nimage: a\nname: ship.v1\npackage: 'ship'\nproperties:\n- type: x\n  value:\n    schema: y\n    package: other\nschema: \"olm.bundle\"\n";
        assert_eq!(yaml(bundle), Some(pair("olm.bundle", "ship")));
        assert_eq!(yaml("package: ship\r\nschema: olm.channel\r\n"), Some(pair("olm.channel", "ship")));
    }

    #[test]
    fn skips_yaml_that_needs_a_parser() {
        for text in [
            "schema: olm.bundle\n",
            "schema: &a olm.bundle\npackage: *a\n",
            "schema: 'a''b'\npackage: c\n",
            "{schema: a, package: b}",
            "",
        ] {
            assert_eq!(scan_pair(Format::Yaml, text), None, "{text}");
        }
    }

    #[test]
    fn reads_json_keys_in_any_order() {
        let json = |text| scan_pair(Format::Json, text);
        assert_eq!(
            json(r#" {"schema": "olm.package", "defaultChannel": "a", "name": "ship"}"#),
            Some(pair("olm.package", "ship"))
        );
        let bundle = r#"{"name":"a\"}","n":-1.5e3,"t":[true,{"schema":"x","package":["]"]}],"package":"ship","schema":"olm.bundle"}"#;
        assert_eq!(json(bundle), Some(pair("olm.bundle", "ship")));
        assert_eq!(
            json(r#"{"schema":"olm.bundle","package":"ship", broken"#),
            Some(pair("olm.bundle", "ship")),
            "a glance"
        );
        for text in
            [r#"{"schema":"a"}"#, r#"{"schema":1,"package":"b"}"#, "[]", "{", r#"{"a":"#, r#"{"a":"\"#, ""]
        {
            assert_eq!(json(text), None, "{text}");
        }
    }
}
