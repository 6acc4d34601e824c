//! What must hold of every edit, whatever it is and however the catalog is written.

use olmap::{
    catalog::{Catalog, Origin, load},
    edit::{self, Edit, EditError, rewrite::RewriteError},
};

use super::{
    model,
    plain::{Doc, meaning, read},
};

/// What came of an edit.
pub enum Made {
    /// It was made.
    Done(Catalog),
    /// It cannot be made, and must not be.
    Refused,
    /// It could be made, but not surely in these bytes.
    Unsure(EditError),
}

/// The files of a catalog.
pub fn files(catalog: &Catalog) -> Vec<(String, Vec<u8>)> {
    let there = catalog.files().iter().filter(|file| file.is_there());
    there.map(|file| (file.shown().display().to_string(), file.bytes())).collect()
}

/// The catalog as it is loaded from its bytes.
pub fn loaded(catalog: &Catalog) -> Catalog {
    let files = files(catalog).into_iter().map(|(path, bytes)| (path.into(), bytes));
    load::from_texts(catalog.origin.clone(), files)
}

/// Makes an edit and looks at what came of it.
///
/// # Errors
///
/// What does not hold, in words.
pub fn make(catalog: &Catalog, edit: &Edit) -> Result<Made, String> {
    let before = files(catalog);
    let docs = read(catalog);
    let wanted = model::after(docs.clone(), edit);
    let made = edit::apply(catalog, edit);
    if files(catalog) != before {
        return Err("what is kept for undo was changed".to_owned());
    }
    let after = match (made, &wanted) {
        (Ok(after), Some(_)) => after,
        (Err(_), None) => return Ok(Made::Refused),
        (Ok(_), None) => return Err("it was made, and should have been refused".to_owned()),
        (Err(error), Some(_)) => {
            return match &error {
                EditError::Rewrite {
                    error: RewriteError::Unsupported { .. } | RewriteError::NotAMap | RewriteError::TooDeep,
                    ..
                }
                | EditError::Parting(_) => Ok(Made::Unsure(error)),
                _ => Err(format!("it was refused: {error}")),
            };
        }
    };
    let again = loaded(&after);
    if read(&again).iter().map(|doc| &doc.text).ne(read(&after).iter().map(|doc| &doc.text)) {
        return Err("loaded again, it is cut into other documents".to_owned());
    }
    let (is, should) = (meaning(&read(&again)), meaning(&wanted.unwrap_or_default()));
    if is != should {
        let lacks: Vec<_> = should.iter().filter(|doc| !is.contains(doc)).collect();
        let has: Vec<_> = is.iter().filter(|doc| !should.contains(doc)).collect();
        return Err(format!("it means something else: it lacks {lacks:#?}\nand has {has:#?}"));
    }
    same_views(&after, &again)?;
    untouched(&docs, &read(&after))?;
    Ok(Made::Done(after))
}

/// What is shown of the edited catalog is what would be shown of it, loaded.
fn same_views(edited: &Catalog, loaded: &Catalog) -> Result<(), String> {
    let view = |catalog: &Catalog| -> Vec<String> {
        let packages = catalog.packages().map(|package| {
            let channels = package.channels.iter().map(|channel| {
                let entries = channel.entries.iter().map(|e| format!("{} {:?}", e.name.value, e.spec()));
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
                package.problems.len(),
            )
        });
        packages.collect()
    };
    // A file that an edit made is the last until it is loaded among the others.
    let (edited, mut loaded) = (view(edited), view(loaded));
    loaded.truncate(edited.len());
    if edited == loaded { Ok(()) } else { Err(format!("shown: {edited:#?}\nloaded: {loaded:#?}")) }
}

/// Documents that say what they said are where they were, byte for byte, in their order.
fn untouched(before: &[Doc], after: &[Doc]) -> Result<(), String> {
    let mut rest = after.iter();
    let said: Vec<Vec<String>> = after.iter().map(|doc| meaning(std::slice::from_ref(doc))).collect();
    for (nth, doc) in before.iter().enumerate() {
        if !said.contains(&meaning(std::slice::from_ref(doc))) {
            continue;
        }
        let is_last = before.get(nth + 1).is_none_or(|next| next.file != doc.file);
        // Behind a file without a final line break, one is needed before anything can follow.
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

/// Whether every file but a new one is written as it was: line endings, byte order mark, final newline, lines of JSON.
pub fn same_manners(before: &Catalog, after: &Catalog) -> Result<(), String> {
    let (old, new) = (files(before), files(after));
    for (path, old) in &old {
        let Some((_, new)) = new.iter().find(|(other, _)| other == path) else {
            // One that an edit made goes with its last document.
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

/// Whether a catalog could have a file made beside its own.
pub fn is_tree(catalog: &Catalog) -> bool {
    matches!(catalog.origin, Origin::Directory(_))
}

/// The comments that [`super::write`] puts in, in order.
pub fn comments(catalog: &Catalog) -> Vec<String> {
    let mut all: Vec<String> = files(catalog)
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

/// Whether an edit only adds something: then no comment may go.
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
