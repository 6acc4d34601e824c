//! Layout of a catalog: whether documents of a kind have separate files, and how these are named.

use std::{
    collections::HashMap,
    path::{Component, PathBuf},
};

use olm_catalog::{Catalog, FileId, Origin, file::DocId};

/// A document with the words that its file name may contain, such as its own name and version.
/// The most specific word comes first.
pub(super) struct NamedDocument<'a> {
    pub doc: DocId,
    pub words: [&'a str; 2],
}

/// Path of a new file.
pub(super) struct NewFile {
    pub shown: PathBuf,
    pub disk: Option<PathBuf>,
    /// Existing document of the same kind, in a file that the new file resembles.
    pub sibling: DocId,
}

/// Returns a separate file for a new document, if the `known` documents of its kind have files
/// named after them. `None` if they share files, or if no file name shows how to name a new one.
///
/// `home` is the document that defines the package. Words are not replaced in the name of its
/// directory. `words` are those of the new document, in the order of [`NamedDocument::words`].
pub(super) fn separate_file(
    catalog: &Catalog,
    home: DocId,
    known: &[NamedDocument<'_>],
    words: [&str; 2],
) -> Option<NewFile> {
    if !can_add_files(catalog) {
        return None;
    }
    let home = catalog.file(home.file)?.display_path().parent()?.to_str()?;
    let mut files: Vec<FileId> = known.iter().map(|known| known.doc.file).collect();
    files.sort_unstable();
    if files.is_empty() || files.windows(2).any(|pair| matches!(pair, [a, b] if a == b)) {
        return None;
    }
    // By index of the word and parts of the path around it: number of files, and the last document.
    let mut forms: HashMap<(usize, Vec<String>), (usize, DocId)> = HashMap::new();
    for known in known {
        let Some(path) = catalog.file(known.doc.file).and_then(|file| file.display_path().to_str()) else {
            continue;
        };
        let own = path.strip_prefix(home).unwrap_or(path);
        let above = path.strip_suffix(own).unwrap_or_default();
        let form = known.words.into_iter().enumerate().find_map(|(nth, word)| {
            let mut parts = split_around(own, word)?;
            parts.first_mut()?.insert_str(0, above);
            Some((nth, parts))
        });
        if let Some(form) = form {
            let (count, like) = forms.entry(form).or_insert((0, known.doc));
            *count += 1;
            *like = known.doc.max(*like);
        }
    }
    // The most frequent form wins, then the first by name.
    let most = forms.into_iter().max_by(|(a, (m, _)), (b, (n, _))| m.cmp(n).then_with(|| b.cmp(a)));
    let ((nth, parts), (_, like)) = most?;
    let word = words.get(nth).filter(|word| is_file_word(word))?;
    let shown = PathBuf::from(parts.join(word));
    new_file(catalog, shown, like)
}

/// Returns a new file; it is on disk if the file of the given document is. `None` if the catalog
/// would not read the new file, or already has it.
pub(super) fn new_file(catalog: &Catalog, shown: PathBuf, like: DocId) -> Option<NewFile> {
    let is_plain = shown.components().all(|part| matches!(part, Component::Normal(_)));
    let is_there = catalog.files().iter().any(|file| file.exists() && file.display_path() == shown);
    if !can_add_files(catalog) || !is_plain || is_there || catalog.ignores(&shown) {
        return None;
    }
    let neighbour = catalog.file(like.file)?;
    let disk = match &catalog.origin {
        Origin::Directory(root) if neighbour.disk.is_some() => Some(root.join(&shown)),
        _ => None,
    };
    Some(NewFile { shown, disk, sibling: like })
}

/// Returns true for a catalog in a directory, to which files can be added.
pub(super) fn can_add_files(catalog: &Catalog) -> bool {
    matches!(catalog.origin, Origin::Directory(_) | Origin::Demo)
}

/// Returns the first document in the file that contains most of the documents. Of several such
/// files, the last wins.
pub(super) fn main_file(catalog: &Catalog, documents: impl Iterator<Item = DocId>) -> Option<DocId> {
    let mut counts: HashMap<FileId, Vec<DocId>> = HashMap::new();
    for doc in documents {
        counts.entry(doc.file).or_default().push(doc);
    }
    let (file, documents) = counts.into_iter().max_by_key(|(file, documents)| (documents.len(), *file))?;
    let source = catalog.file(file)?;
    documents.into_iter().min_by_key(|doc| source.position(doc.serial))
}

/// Returns the parts of a path around each occurrence of a word; `None` if there is none.
fn split_around(path: &str, word: &str) -> Option<Vec<String>> {
    if word.is_empty() {
        return None;
    }
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, _) in path.match_indices(word) {
        let (before, after) = (path.get(..at)?, path.get(at + word.len()..)?);
        if at >= from && is_bounded(before, word, after) {
            parts.push(path.get(from..at)?.to_owned());
            from = at + word.len();
        }
    }
    parts.push(path.get(from..)?.to_owned());
    (parts.len() > 1).then_some(parts)
}

/// Returns true if a word is not part of a longer word or version.
fn is_bounded(before: &str, word: &str, after: &str) -> bool {
    let continues = |outside: Option<char>, beyond: Option<char>, edge: Option<char>| {
        let (Some(outside), Some(edge)) = (outside, edge) else { return false };
        let same = |class: fn(&char) -> bool| class(&outside) && class(&edge);
        same(char::is_ascii_digit)
            || same(char::is_ascii_alphabetic)
            || (outside == '.' && edge.is_ascii_digit() && beyond.is_some_and(|c| c.is_ascii_digit()))
    };
    let (mut left, mut right) = (before.chars().rev(), after.chars());
    let starts_late = continues(left.next(), left.next(), word.chars().next());
    let ends_early = continues(right.next(), right.next(), word.chars().next_back());
    !starts_late && !ends_early
}

/// Returns true for a word that is valid in a file name.
fn is_file_word(word: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '+');
    word.chars().next().is_some_and(|c| c.is_ascii_alphanumeric()) && word.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_only_whole_words() {
        let found = |path, word| split_around(path, word).map(|parts| parts.join("*"));
        assert_eq!(found("channels/channel-3.1.yaml", "3.1").as_deref(), Some("channels/channel-*.yaml"));
        assert_eq!(found("channels/channel-3.18.yaml", "3.1"), None);
        assert_eq!(found("channels/channel-1.3.1.yaml", "3.1"), None);
        assert_eq!(found("channel-a.yaml", "a").as_deref(), Some("channel-*.yaml"));
        assert_eq!(found("bundle-v1.2.0.yaml", "1.2.0").as_deref(), Some("bundle-v*.yaml"));
        assert_eq!(found("1.2.0/p-1.2.0.yaml", "1.2.0").as_deref(), Some("*/p-*.yaml"));
        assert_eq!(found("channel.yaml", "stable"), None);
    }
}
