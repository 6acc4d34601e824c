//! Properties that hold for every edit of every catalog, in any notation.

use std::collections::{HashMap, HashSet};

use olm_catalog::{Catalog, Origin, load};
use olm_edit::{Edit, EditError, rewrite::RewriteError};

use serde_json::Value;

use super::{
    model,
    value_tree::{Doc, comparable_documents, parse_documents},
};

/// Result of an edit.
pub enum EditResult {
    /// The edit succeeded.
    Done(Box<Catalog>),
    /// The edit was refused, and the model requires that.
    Refused,
    /// The edit is valid, but cannot be applied safely to these bytes.
    Unsure(EditError),
}

/// Returns the files of a catalog.
pub fn catalog_files(catalog: &Catalog) -> Vec<(String, Vec<u8>)> {
    let there = catalog.files().iter().filter(|file| file.exists());
    there.map(|file| (file.display_path().display().to_string(), file.current_bytes())).collect()
}

/// Loads the catalog again from its bytes.
pub fn reload_catalog(catalog: &Catalog) -> Catalog {
    let files = catalog_files(catalog).into_iter().map(|(path, bytes)| (path.into(), bytes));
    load::from_texts(catalog.origin.clone(), files)
}

/// Applies an edit and checks its result.
///
/// # Errors
///
/// Describes the violated property.
pub fn apply_and_check(catalog: &Catalog, edit: &Edit) -> Result<EditResult, String> {
    let before = catalog_files(catalog);
    let docs = parse_documents(catalog);
    let wanted = model::documents_after(docs.clone(), edit);
    let made = olm_edit::apply_edit(catalog, edit);
    if catalog_files(catalog) != before {
        return Err("what is kept for undo was changed".to_owned());
    }
    let after = match (made, &wanted) {
        (Ok(after), Some(_)) => after,
        (Err(_), None) => return Ok(EditResult::Refused),
        (Ok(_), None) => return Err("it was made, and should have been refused".to_owned()),
        (Err(error), Some(_)) => {
            return match &error {
                EditError::Rewrite {
                    error: RewriteError::Unsupported { .. } | RewriteError::NotAMap | RewriteError::TooDeep,
                    ..
                }
                | EditError::UnsafeSplit(_) => Ok(EditResult::Unsure(error)),
                _ => Err(format!("it was refused: {error}")),
            };
        }
    };
    let again = reload_catalog(&after);
    if catalog_chunks(&again) != catalog_chunks(&after) {
        return Err("loaded again, it is cut into other documents".to_owned());
    }
    let now = parse_documents(&again);
    let (is, should) = changed_meanings(&docs, &now, &wanted.unwrap_or_default());
    if is != should {
        return Err(format!("it means something else: it should have {should:#?}\nand has {is:#?}"));
    }
    check_views(&after, &again)?;
    check_untouched_by(catalog, edit, (&docs, &now))?;
    Ok(EditResult::Done(Box::new(after)))
}

fn catalog_chunks(catalog: &Catalog) -> Vec<&[u8]> {
    let there = catalog.files().iter().filter(|file| file.exists());
    there.flat_map(|file| file.segments()).map(|segment| segment.text.as_bytes()).collect()
}

/// Returns the meaning of the current and the expected documents, without documents that were and
/// should be unchanged.
fn changed_meanings(before: &[Doc], now: &[Doc], wanted: &[Doc]) -> (Vec<String>, Vec<String>) {
    let said: HashMap<&[u8], &Value> = before.iter().map(|doc| (doc.text.as_slice(), &doc.value)).collect();
    let mut there: HashMap<&[u8], usize> = HashMap::new();
    for doc in now {
        *there.entry(&doc.text).or_default() += 1;
    }
    let mut should = Vec::new();
    for doc in wanted {
        let count = there.get_mut(doc.text.as_slice()).filter(|count| **count > 0);
        match count.filter(|_| said.get(doc.text.as_slice()) == Some(&&doc.value)) {
            Some(count) => *count -= 1,
            None => should.push(doc.clone()),
        }
    }
    let mut is = Vec::new();
    for doc in now {
        if let Some(count) = there.get_mut(doc.text.as_slice()).filter(|count| **count > 0) {
            *count -= 1;
            is.push(doc.clone());
        }
    }
    (comparable_documents(&is), comparable_documents(&should))
}

/// Checks that the edited catalog has the same views as a catalog loaded from its bytes.
fn check_views(edited: &Catalog, loaded: &Catalog) -> Result<(), String> {
    let view = |catalog: &Catalog| -> Vec<String> {
        let packages = catalog.packages().map(|package| {
            let channels = package.channels.iter().map(|channel| {
                let entries = channel.entries.iter().map(|e| format!("{} {:?}", e.name.value, e.to_spec()));
                format!("{} {:?}", channel.name.value, entries.collect::<Vec<_>>())
            });
            let said = package.deprecations.iter().flat_map(|blob| &blob.entries);
            let said = said.map(|item| format!("{:?} {:?}", item.target, item.message.value));
            let bundles = package.bundles.iter().map(|b| format!("{} {:?}", b.name.value, b.version));
            format!(
                "{} {:?} {:?} {:?} {:?} {} problems",
                package.name,
                package.default_channel(),
                channels.collect::<Vec<_>>(),
                bundles.collect::<Vec<_>>(),
                said.collect::<Vec<_>>(),
                package.problems.complete_problems().len(),
            )
        });
        packages.collect()
    };
    // A file that an edit created comes last, until the catalog is loaded again.
    let (edited, mut loaded) = (view(edited), view(loaded));
    loaded.truncate(edited.len());
    if edited == loaded { Ok(()) } else { Err(format!("shown: {edited:#?}\nloaded: {loaded:#?}")) }
}

/// Checks that an edit does not touch other documents, step by step. A document that one step
/// removes and a later step adds again may be written differently.
fn check_untouched_by(catalog: &Catalog, edit: &Edit, whole: (&[Doc], &[Doc])) -> Result<(), String> {
    let Edit::Several { edits, .. } = edit else { return check_untouched(whole.0, whole.1) };
    let mut before = reload_catalog(catalog);
    for edit in edits {
        let after =
            olm_edit::apply_edit(&before, edit).map_err(|error| format!("one step was refused: {error}"))?;
        let after = reload_catalog(&after);
        check_untouched_by(&before, edit, (&parse_documents(&before), &parse_documents(&after)))?;
        before = after;
    }
    Ok(())
}

/// Checks that documents with unchanged meaning keep their bytes and their order.
fn check_untouched(before: &[Doc], after: &[Doc]) -> Result<(), String> {
    let mut rest = after.iter();
    let meant = |doc: &Doc| comparable_documents(std::slice::from_ref(doc));
    let texts = |docs: &[Doc]| -> HashSet<Vec<u8>> { docs.iter().map(|doc| doc.text.clone()).collect() };
    let (old, new) = (texts(before), texts(after));
    let said: Vec<_> = after.iter().filter(|doc| !old.contains(&doc.text)).map(meant).collect();
    for (nth, doc) in before.iter().enumerate() {
        if !new.contains(&doc.text) && !said.contains(&meant(doc)) {
            continue;
        }
        let is_last = before.get(nth + 1).is_none_or(|next| next.file != doc.file);
        // In a file without a final line break, an appended document needs one first.
        let same = |now: &&Doc| {
            now.file == doc.file
                && (now.text == doc.text
                    || (is_last && !doc.text.ends_with(b"\n") && now.text.trim_ascii_end() == doc.text))
        };
        if rest.find(same).is_none() {
            let text = String::from_utf8_lossy(&doc.text);
            return Err(format!("a document that says what it said has moved or changed:\n{text}"));
        }
    }
    Ok(())
}

/// Checks that every existing file keeps its notation: line endings, byte order mark, final
/// newline,
/// JSON lines.
pub fn check_notation(before: &Catalog, after: &Catalog) -> Result<(), String> {
    let (old, new) = (catalog_files(before), catalog_files(after));
    for (path, old) in &old {
        let Some((_, new)) = new.iter().find(|(other, _)| other == path) else {
            // An edit removes a file that an edit created together with its last document.
            if path.ends_with("deprecations.yaml") {
                continue;
            }
            return Err(format!("{path} is gone"));
        };
        if new.is_empty() || old.is_empty() {
            continue;
        }
        let count = |bytes: &[u8], what: &[u8]| bytes.windows(what.len()).filter(|w| *w == what).count();
        let (crlf, lf) = (count(old, b"\r\n"), count(old, b"\n"));
        if (crlf == 0) != (count(new, b"\r\n") == 0) && lf > 0 && count(new, b"\n") > 0 {
            return Err(format!("{path} has other line endings"));
        }
        if crlf == lf && crlf > 0 && count(new, b"\r\n") != count(new, b"\n") {
            return Err(format!("{path} has mixed line endings"));
        }
        if old.starts_with(b"\xef\xbb\xbf") != new.starts_with(b"\xef\xbb\xbf") {
            return Err(format!("{path} has another beginning"));
        }
        if old.ends_with(b"\n") && !new.ends_with(b"\n") {
            return Err(format!("{path} has lost its final newline"));
        }
        let is_in_lines = |bytes: &[u8]| {
            bytes
                .split(|b| *b == b'\n')
                .all(|l| l.is_empty() || (l.starts_with(b"{") && l.trim_ascii_end().ends_with(b"}")))
        };
        if is_in_lines(old) && !is_in_lines(new) {
            return Err(format!("{path} has other lines"));
        }
    }
    Ok(())
}

/// Returns true if an edit of the catalog may create files.
pub fn may_add_files(catalog: &Catalog) -> bool {
    matches!(catalog.origin, Origin::Directory(_))
}

/// Returns the comments that [`super::write`] adds, in order.
pub fn comment_lines(catalog: &Catalog) -> Vec<String> {
    let mut all: Vec<String> = catalog_files(catalog)
        .iter()
        .flat_map(|(_, bytes)| {
            let text = String::from_utf8_lossy(bytes).into_owned();
            let marks = text.lines().filter_map(|line| Some(line.rsplit_once("# c")?.1.to_owned()));
            marks.collect::<Vec<_>>()
        })
        .collect();
    all.sort();
    all
}

/// Returns true if an edit only adds content, so that no comment may be lost.
pub fn only_adds(edit: &Edit) -> bool {
    match edit {
        Edit::AddEntry { .. }
        | Edit::AddChannel { .. }
        | Edit::AddBundle { .. }
        | Edit::RenameChannel { .. }
        | Edit::SetDefaultChannel { .. }
        | Edit::Deprecate { .. } => true,
        Edit::SetDescription { description, .. } => description.is_some(),
        Edit::Several { edits, .. } => edits.iter().all(only_adds),
        _ => false,
    }
}
