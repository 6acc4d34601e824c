//! Layout of a catalog like most published ones: one folder with one file for each package.
//!
//! Documents are written unchanged. If a package has documents in both YAML and JSON, they are written as opm
//! renders them.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
};

use olm_catalog::{
    Catalog, DocId, Node,
    text::{
        canonical::{self, RenderFormat},
        split::{self, ChunkKind, Format},
    },
};

/// Returns the files of a catalog by path: `PACKAGE/catalog.yaml`, or `catalog.json` if all documents of a
/// package are JSON. Documents without a package are in the root folder.
pub fn catalog_files(catalog: &Catalog) -> Vec<(PathBuf, Vec<u8>)> {
    let mut folders: HashMap<DocId, usize> = HashMap::new();
    let mut groups: Vec<(PathBuf, Vec<DocId>)> = vec![(PathBuf::new(), Vec::new())];
    let mut taken: HashSet<String> = HashSet::new();
    for package in catalog.packages() {
        let folder = package_folder(package.name.as_str(), &mut taken);
        folders.extend(package.documents().map(|doc| (doc, groups.len())));
        groups.push((folder, Vec::new()));
    }
    for doc in catalog.documents() {
        let is_object = catalog
            .file(doc.file)
            .and_then(|file| file.segment(doc.serial))
            .is_some_and(|segment| segment.kind != ChunkKind::NoObject);
        let group = groups.get_mut(folders.get(&doc).copied().unwrap_or(0));
        if let Some((_, documents)) = group.filter(|_| is_object) {
            documents.push(doc);
        }
    }
    let groups = groups.into_iter().filter(|(_, documents)| !documents.is_empty());
    groups
        .map(|(folder, documents)| {
            let (name, text) = join_documents(catalog, &documents);
            (folder.join(name), text)
        })
        .collect()
}

/// Returns a unique folder name for a package that is valid on all systems.
fn package_folder(package: &str, taken: &mut HashSet<String>) -> PathBuf {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let plain: String = package.chars().map(|c| if is_plain(c) { c } else { '_' }).take(100).collect();
    let plain = plain.trim_start_matches('.');
    let plain = if plain.is_empty() { "package" } else { plain };
    let mut name = plain.to_owned();
    let mut more = 2;
    while !taken.insert(name.to_lowercase()) {
        name = format!("{plain}-{more}");
        more += 1;
    }
    PathBuf::from(name)
}

/// Joins documents into a single file. Returns its name and content.
fn join_documents(catalog: &Catalog, documents: &[DocId]) -> (&'static Path, Vec<u8>) {
    let is_json = documents.iter().all(|doc| catalog.format(*doc) == Some(Format::Json));
    let is_yaml = documents.iter().all(|doc| catalog.format(*doc) == Some(Format::Yaml));
    let name = Path::new(if is_json { "catalog.json" } else { "catalog.yaml" });
    if is_json || is_yaml {
        let mut bytes = Vec::new();
        for text in documents.iter().filter_map(|doc| catalog.document_text(*doc)) {
            let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
            if is_yaml && !text.starts_with(b"---") {
                bytes.extend_from_slice(b"---\n");
            }
            bytes.extend_from_slice(text);
            if !text.ends_with(b"\n") {
                bytes.push(b'\n');
            }
        }
        let wanted = ChunkKind::Document(if is_json { Format::Json } else { Format::Yaml });
        let chunks = split::split_chunks(&bytes);
        if chunks.len() == documents.len() && chunks.iter().all(|chunk| chunk.kind == wanted) {
            return (name, bytes);
        }
    }
    let trees: Vec<Node<'_>> =
        documents.iter().filter_map(|doc| catalog.parse_document(*doc)?.ok()).collect();
    (Path::new("catalog.yaml"), canonical::render_documents(&trees, RenderFormat::Yaml).into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use olm_catalog::{Origin, load};

    fn file_layout(files: &[(&str, &str)]) -> Vec<(String, String)> {
        let texts = files.iter().map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec()));
        let catalog = load::from_texts(Origin::Stdin, texts);
        let text = |(path, bytes): (PathBuf, Vec<u8>)| {
            (path.display().to_string().replace('\\', "/"), String::from_utf8(bytes).unwrap())
        };
        super::catalog_files(&catalog).into_iter().map(text).collect()
    }

    #[test]
    fn each_package_gets_a_folder_with_unchanged_documents() {
        let a = "schema: olm.package # by hand\nname:   a";
        let b = "---\nschema: olm.package\nname: b\n---\nschema: x\npackage: a\n";
        let all = file_layout(&[
            ("a.yaml", a),
            ("b.yaml", b),
            ("c.yaml", "schema: y\n"),
            ("d.json", "{\"schema\":\"z\", \"package\": \"c\"}"),
        ]);
        let expected = [
            ("catalog.yaml", "---\nschema: y\n".to_owned()),
            ("a/catalog.yaml", format!("---\n{a}\n---\nschema: x\npackage: a\n")),
            ("b/catalog.yaml", "---\nschema: olm.package\nname: b\n".to_owned()),
            ("c/catalog.json", "{\"schema\":\"z\", \"package\": \"c\"}\n".to_owned()),
        ];
        assert_eq!(all, expected.map(|(path, text)| (path.to_owned(), text)));
    }

    #[test]
    fn mixed_formats_become_yaml() {
        let all = file_layout(&[
            ("a.yaml", "schema: olm.package\nname: a\n"),
            ("b.json", "{\"schema\":\"z\", \"package\": \"a\"}"),
        ]);
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].0, "a/catalog.yaml");
        assert_eq!(all[0].1.matches("---\n").count(), 2);
    }

    #[test]
    fn package_names_cannot_leave_the_directory() {
        let mut taken = HashSet::new();
        let mut of = |name: &str| package_folder(name, &mut taken).display().to_string();
        assert_eq!(of("../etc"), "_etc");
        assert_eq!(of(".._etc"), "_etc-2");
        assert_eq!((of("A"), of("a")), ("A".to_owned(), "a-2".to_owned()));
        assert_eq!((of(".."), of("/")), ("package".to_owned(), "_".to_owned()));
        assert_eq!(of("a\u{1b}[2J"), "a__2J");
    }
}
