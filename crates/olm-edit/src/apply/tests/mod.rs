//! Tests of edits by name: the result is as requested, canonical files stay canonical, and others keep their
//! style.

mod additions;
mod bundle;
mod bundle_parts;
mod channel;
mod deprecation;
mod entry;
mod file_splits;
mod layout;
mod new_package;
mod withdrawal;

use crate::{Edit, EditError, apply_edit};
use olm_catalog::{
    Catalog, load,
    text::{canonical, split},
};

fn parse_catalog(text: &str) -> Catalog {
    load::from_bytes(text.as_bytes().to_vec())
}

fn catalog_text(catalog: &Catalog) -> String {
    String::from_utf8(catalog.files()[0].current_bytes()).unwrap()
}

/// Returns the file after an edit. Checks that the given catalog does not change.
fn edit_text(before: &str, edit: &Edit) -> String {
    let start = parse_catalog(before);
    let after = apply_edit(&start, edit).unwrap();
    assert_eq!(catalog_text(&start), before, "what undo goes back to was changed");
    let (read, edited) = (parse_catalog(&catalog_text(&after)), format!("{:?}", after.package("p")));
    assert_eq!(read.documents().count(), after.documents().count(), "{edited}");
    catalog_text(&after)
}

fn edit_error(before: &str, edit: &Edit) -> EditError {
    apply_edit(&parse_catalog(before), edit).unwrap_err()
}

/// Returns the file as opm would render it.
fn render_canonical(text: &str) -> String {
    let docs: Vec<_> = split::split_chunks(text.as_bytes())
        .into_iter()
        .map(|chunk| split::parse_chunk(split::Format::Yaml, &text.as_bytes()[chunk.range]).unwrap())
        .collect();
    canonical::render_documents(&docs, canonical::RenderFormat::Yaml)
}

/// A package with two channels and three bundles as opm renders it, and another package after it.
const CANONICAL: &str = "\
---
defaultChannel: c
name: p
schema: olm.package
---
entries:
- name: p.v1
- name: p.v2
  replaces: p.v1
- name: p.v3
  replaces: p.v2
  skips:
  - p.v1
name: c
package: p
schema: olm.channel
---
entries:
- name: p.v1
name: old
package: p
schema: olm.channel
---
image: example.com/p:1
name: p.v1
package: p
properties:
- type: olm.package
  value:
    packageName: p
    version: 1.0.0
schema: olm.bundle
---
image: example.com/p:2
name: p.v2
package: p
properties:
- type: olm.package
  value:
    packageName: p
    version: 2.0.0
schema: olm.bundle
---
image: example.com/p:3
name: p.v3
package: p
properties:
- type: olm.package
  value:
    packageName: p
    version: 3.0.0
schema: olm.bundle
---
defaultChannel: d
name: q
schema: olm.package
";

/// The package as an author may write it.
const BY_HAND: &str = "\
# The p operator.
schema: olm.package
name: p
defaultChannel: c
---
schema: olm.channel
package: p
name: c   # the one to use
entries:
  # newest first
  - name: p.v3
    replaces: \"p.v2\"
    skips: [p.v1]
  - name: p.v2   # broken on Tuesdays
    replaces: \"p.v1\"
  - name: p.v1
---
# No news here.
schema: olm.channel
package: p
name: old
entries:
  - name: p.v1
---
schema: olm.bundle
package: p
name: p.v1
image: example.com/p:1
properties:
  - {type: olm.package, value: {packageName: p, version: 1.0.0}}
---
schema: olm.bundle
package: p
name: p.v2
image: example.com/p:2
properties:
  - {type: olm.package, value: {packageName: p, version: 2.0.0}}
---
schema: olm.bundle
package: p
name: p.v3
image: example.com/p:3
properties:
  - {type: olm.package, value: {packageName: p, version: 3.0.0}}
";

/// The package in JSON, one object per line.
const JSON: &str = r#"{"schema": "olm.package", "name": "p", "defaultChannel": "c"}
{"schema": "olm.channel", "package": "p", "name": "c", "entries": [{"name": "p.v1"}, {"name": "p.v2", "replaces": "p.v1"}, {"name": "p.v3", "replaces": "p.v2", "skips": ["p.v1"]}]}
{"schema": "olm.channel", "package": "p", "name": "old", "entries": [{"name": "p.v1"}]}
{"schema": "olm.bundle", "package": "p", "name": "p.v1", "image": "example.com/p:1", "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": "1.0.0"}}]}
{"schema": "olm.bundle", "package": "p", "name": "p.v2", "image": "example.com/p:2", "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": "2.0.0"}}]}
{"schema": "olm.bundle", "package": "p", "name": "p.v3", "image": "example.com/p:3", "properties": [{"type": "olm.package", "value": {"packageName": "p", "version": "3.0.0"}}]}
"#;

/// The package in YAML's flow style, as a generator may write it.
const FLOW: &str = r"---
{schema: olm.package, name: p, defaultChannel: c}
---
{schema: olm.channel, package: p, name: c, entries: [{name: p.v1}, {name: p.v2, replaces: p.v1}, {name: p.v3, replaces: p.v2, skips: [p.v1]}]}
---
{schema: olm.channel, package: p, name: old, entries: [{name: p.v1}]}
---
{schema: olm.bundle, package: p, name: p.v1, image: 'example.com/p:1', properties: [{type: olm.package, value: {packageName: p, version: 1.0.0}}]}
---
{schema: olm.bundle, package: p, name: p.v2, image: 'example.com/p:2', properties: [{type: olm.package, value: {packageName: p, version: 2.0.0}}]}
---
{schema: olm.bundle, package: p, name: p.v3, image: 'example.com/p:3', properties: [{type: olm.package, value: {packageName: p, version: 3.0.0}}]}
";

/// Returns the package in JSON as opm renders it.
fn canonical_json() -> String {
    let docs: Vec<_> = split::split_chunks(JSON.as_bytes())
        .into_iter()
        .map(|chunk| split::parse_chunk(split::Format::Json, &JSON.as_bytes()[chunk.range]).unwrap())
        .collect();
    canonical::render_documents(&docs, canonical::RenderFormat::Json)
}

/// Removes the only occurrence of a part from a text.
fn remove_part(text: &str, part: &str) -> String {
    assert_eq!(text.matches(part).count(), 1, "{part}");
    text.replace(part, "")
}

/// Replaces the only occurrence of a part of a text.
fn replace_part(text: &str, part: &str, other: &str) -> String {
    assert_eq!(text.matches(part).count(), 1, "{part}");
    text.replace(part, other)
}
