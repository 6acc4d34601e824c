//! Tests with marked positions in small catalogs, and with arbitrary text and positions.

mod answers;
mod edits;
mod hints;
mod refactors;
mod typing;

use std::{path::PathBuf, sync::Arc};

use gen_lsp_types::{DocumentChange, Edit, Position, Range, TextEdit, WorkspaceEdit};

use super::{DraftCatalog, Encoding, TextDocument, changes::Client, location};
use olm_catalog::{Catalog, FileId, Origin, SourceFile};

/// Mark of the cursor position.
const CURSOR_MARK: &str = "<|>";

/// Files of a catalog, and a cursor in one of them.
struct Fixture {
    draft: DraftCatalog,
    file: FileId,
    document: TextDocument,
    at: Position,
}

/// Parses files, each after a line `#- name`, or a single file.
fn fixture(text: &str) -> Fixture {
    fixture_in(text, Encoding::Utf16)
}

fn fixture_in(text: &str, encoding: Encoding) -> Fixture {
    let parts: Vec<(String, String)> = match text.strip_prefix("#- ") {
        None => vec![("catalog.yaml".to_owned(), text.to_owned())],
        Some(rest) => rest
            .split("\n#- ")
            .map(|part| part.split_once('\n').unwrap())
            .map(|(name, text)| (name.to_owned(), format!("{}\n", text.trim_end_matches('\n'))))
            .collect(),
    };
    let file = parts.iter().position(|(_, text)| text.contains(CURSOR_MARK)).expect("a mark");
    let at = parts[file].1.find(CURSOR_MARK).unwrap();
    let texts: Vec<(String, String)> =
        parts.iter().map(|(name, text)| (name.clone(), text.replacen(CURSOR_MARK, "", 1))).collect();
    let source = |(name, text): &(String, String)| {
        SourceFile::new(name.into(), Some(PathBuf::from("/cat").join(name)), text.clone().into_bytes())
    };
    let origin = if parts.len() == 1 {
        Origin::File(PathBuf::from("/cat").join(&parts[0].0))
    } else {
        Origin::Directory("/cat".into())
    };
    let catalog = Catalog::new(origin, texts.iter().map(source).collect(), Vec::new());
    let paper = TextDocument::new(&texts[file].1);
    let at = paper.position(encoding, at);
    Fixture { draft: DraftCatalog::new(Arc::new(catalog)), file: FileId(file as u32), document: paper, at }
}

impl Fixture {
    fn file_and_document(&self) -> (FileId, &TextDocument) {
        (self.file, &self.document)
    }

    /// Returns the text of all files after an edit.
    fn files_after(&self, edit: &WorkspaceEdit) -> Vec<String> {
        let catalog = self.draft.current();
        let edits_of = |uri: &gen_lsp_types::Uri| -> Vec<TextEdit> {
            let changes = edit.document_changes.iter().flatten();
            let of_versions = changes.filter_map(|change| match change {
                DocumentChange::TextDocumentEdit(edit) => Some(edit),
                _ => None,
            });
            let of_versions =
                of_versions.filter(|edit| edit.text_document.text_document_identifier.uri == *uri);
            let of_versions = of_versions.flat_map(|edit| &edit.edits).filter_map(|edit| match edit {
                Edit::TextEdit(edit) => Some(edit.clone()),
                _ => None,
            });
            let of_changes = edit.changes.iter().flatten().filter(|(of, _)| *of == uri);
            of_versions.chain(of_changes.flat_map(|(_, edits)| edits.clone())).collect()
        };
        (0..catalog.files().len())
            .map(|file| {
                let uri = location::file_uri(catalog, FileId(file as u32)).unwrap();
                let text = String::from_utf8(catalog.files()[file].current_bytes()).unwrap();
                apply_edits(&text, edits_of(&uri))
            })
            .collect()
    }
}

/// Applies edits to a text as a client does.
fn apply_edits(text: &str, mut edits: Vec<TextEdit>) -> String {
    let paper = TextDocument::new(text);
    edits.sort_by_key(|edit| edit.range.start);
    let mut text = text.to_owned();
    for edit in edits.iter().rev() {
        let byte = |at| paper.byte_at(Encoding::Utf16, at);
        text.replace_range(byte(edit.range.start)..byte(edit.range.end), &edit.new_text);
    }
    text
}

fn format_range(range: Range) -> String {
    let at = |at: Position| format!("{}:{}", at.line, at.character);
    format!("{}-{}", at(range.start), at(range.end))
}

fn sample_client() -> Client {
    Client::default()
}

/// Package with two channels, in two files.
const SHIP: &str = "\
#- catalog.yaml
schema: olm.package
name: ship
defaultChannel: stable
---
schema: olm.channel
package: ship
name: stable
entries:
- name: ship.v1.0.0
- name: ship.v1.1.0
  replaces: ship.v1.0.0 # the first
  skips: ['ship.v1.0.1']
---
schema: olm.channel
package: ship
name: fast
entries:
- name: ship.v1.1.0
  skipRange: '<1.1.0'
---
schema: olm.deprecations
package: ship
entries:
- reference:
    schema: olm.channel
    name: fast
  message: Use stable.
- reference:
    schema: olm.bundle
    name: ship.v1.0.0
  message: '[old](https://example.com)'
#- bundles.yaml
schema: olm.bundle
package: ship
name: ship.v1.0.0
image: example.com/ship@sha256:0000000000000000000000000000000000000000000000000000000000000000
properties:
- type: olm.package
  value: {packageName: ship, version: 1.0.0}
---
schema: olm.bundle
package: ship
name: ship.v1.1.0
image: example.com/ship@sha256:1111111111111111111111111111111111111111111111111111111111111111
properties:
- type: olm.package
  value: {packageName: ship, version: 1.1.0}
";

/// Returns the package with the cursor after the n-th occurrence of `behind`.
fn ship_fixture(behind: &str, nth: usize) -> Fixture {
    let at = SHIP.match_indices(behind).nth(nth).expect("it is there").0 + behind.len();
    let mut text = SHIP.to_owned();
    text.insert_str(at, CURSOR_MARK);
    fixture(&text)
}
