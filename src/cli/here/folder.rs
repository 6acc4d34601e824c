//! Whether a folder holds a catalog, without reading it: a few names, and the first bytes of a few files.

use std::{
    ffi::OsString,
    fs,
    io::Read as _,
    path::{Path, PathBuf},
};

use crate::{catalog::load::regular, cli::repository};

/// The folder of an operator's templates.
const CATALOG_TEMPLATES: &str = "catalog-templates";

/// Names that make a file a catalog whatever is in it.
const CATALOG_FILES: [&str; 4] = ["catalog.yaml", "catalog.json", "index.yaml", ".indexignore"];

/// Endings of other files that are looked into.
const ENDINGS: [&str; 3] = ["yaml", "yml", "json"];

/// What file-based catalogs begin with. Templates begin with others.
const SCHEMAS: [&str; 4] = ["olm.package", "olm.channel", "olm.bundle", "olm.deprecations"];
const TEMPLATES: [&str; 3] = ["olm.template.", "olm.semver", "olm.composite"];

/// Folders that are full of what others wrote.
const NOT_OURS: [&str; 3] = ["node_modules", "vendor", "target"];

/// How many folders are listed in all.
const MOST_FOLDERS: usize = 400;
/// How many names of a folder are read.
const MOST_NAMES: usize = 2_000;
/// How many files of a folder are looked into.
const MOST_FILES: usize = 16;
/// How many bytes of each.
const HEAD: u64 = 4_096;
/// How many folders of a folder are asked whether they are packages.
const SAMPLE: usize = 16;

/// What a folder is. Paths are relative to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A catalog, or a package of one: it holds this file.
    Holds(String),
    /// A catalog with a folder for each package.
    Packages,
    /// No catalog, but these are, in a folder of it.
    Catalogs(Vec<PathBuf>),
}

impl Kind {
    /// Whether a file is called so that the folder is meant to be a catalog.
    pub fn is_named_so(&self) -> bool {
        matches!(self, Self::Holds(file) if CATALOG_FILES.contains(&file.as_str()))
    }
}

/// Looks at folders, at most so many.
pub struct Looker {
    left: usize,
}

/// What is in a folder, in the order of names. What is hidden is left out.
#[derive(Default)]
struct Names {
    files: Vec<OsString>,
    folders: Vec<OsString>,
}

impl Looker {
    pub fn new() -> Self {
        Self { left: MOST_FOLDERS }
    }

    /// What a folder is, if it is a catalog, or a repository of catalogs.
    pub fn kind(&mut self, folder: &Path) -> Option<Kind> {
        let names = self.names(folder);
        if let Some(repository) = repository::look(folder).filter(|found| !found.catalogs.is_empty()) {
            let within = |path: &PathBuf| Some(path.strip_prefix(folder).ok()?.to_owned());
            return Some(Kind::Catalogs(repository.catalogs.iter().filter_map(within).collect()));
        }
        if let Some(file) = holds(folder, &names) {
            return Some(Kind::Holds(file));
        }
        let releases: Vec<PathBuf> = repository::releases(folder)
            .iter()
            .filter(|path| self.is_catalog(path))
            .filter_map(|path| Some(PathBuf::from(path.file_name()?)))
            .collect();
        if !releases.is_empty() {
            return Some(Kind::Catalogs(releases));
        }
        if self.is_of_packages(folder, &names) {
            return Some(Kind::Packages);
        }
        let named = Path::new("catalogs");
        let inside = if names.folders.iter().any(|name| name == "catalogs") {
            let path = folder.join(named);
            if self.is_catalog(&path) { vec![named.to_owned()] } else { self.catalogs_in(&path, named) }
        } else {
            Vec::new()
        };
        (!inside.is_empty()).then_some(Kind::Catalogs(inside))
    }

    /// The nearest catalogs in the folders of a folder: one level down, otherwise two.
    pub fn below(&mut self, folder: &Path) -> Vec<PathBuf> {
        let mut level: Vec<PathBuf> = self.names(folder).folders.into_iter().map(PathBuf::from).collect();
        for _ in 0..2 {
            let mut found = Vec::new();
            for within in &level {
                match self.kind(&folder.join(within)) {
                    Some(Kind::Catalogs(catalogs)) => {
                        found.extend(catalogs.iter().map(|path| within.join(path)));
                    }
                    Some(_) => found.push(within.clone()),
                    None => {}
                }
            }
            if !found.is_empty() {
                return found;
            }
            let deeper = |within: &PathBuf| {
                let folders = self.names(&folder.join(within)).folders;
                folders.into_iter().map(|name| within.join(name)).collect::<Vec<_>>()
            };
            level = level.iter().flat_map(deeper).collect();
        }
        Vec::new()
    }

    fn catalogs_in(&mut self, folder: &Path, within: &Path) -> Vec<PathBuf> {
        let folders = self.names(folder).folders;
        let are = folders.into_iter().filter(|name| self.is_catalog(&folder.join(name)));
        are.map(|name| within.join(name)).collect()
    }

    /// Reports whether a folder is a catalog.
    pub fn is_catalog(&mut self, folder: &Path) -> bool {
        let names = self.names(folder);
        holds(folder, &names).is_some() || self.is_of_packages(folder, &names)
    }

    /// Whether most folders in a folder are packages: in a tree of something else one may be, too.
    fn is_of_packages(&mut self, folder: &Path, names: &Names) -> bool {
        let sample: Vec<&OsString> = names.folders.iter().take(SAMPLE).collect();
        let packages = sample.iter().filter(|name| {
            let path = folder.join(name);
            let names = self.names(&path);
            holds(&path, &names).is_some()
        });
        packages.count() * 2 > sample.len()
    }

    /// Whether a folder is what bundles and templates of an operator are kept in.
    fn is_operator(&mut self, folder: &Path) -> bool {
        let versions = self.names(folder).folders;
        let mut all = versions.iter().take(SAMPLE).map(|version| folder.join(version));
        versions.iter().any(|name| name == CATALOG_TEMPLATES)
            || all.any(|version| version.join("manifests").is_dir() && version.join("metadata").is_dir())
    }

    fn names(&mut self, folder: &Path) -> Names {
        let mut names = Names::default();
        let Some(left) = self.left.checked_sub(1) else { return names };
        self.left = left;
        for entry in fs::read_dir(folder).into_iter().flatten().flatten().take(MOST_NAMES) {
            let name = entry.file_name();
            let is_left_out =
                name.to_str().is_some_and(|name| name.starts_with('.') || NOT_OURS.contains(&name));
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !is_left_out => names.folders.push(name),
                Ok(kind) if !kind.is_dir() => names.files.push(name),
                _ => {}
            }
        }
        names.files.sort_unstable();
        names.folders.sort_unstable();
        names
    }
}

/// The file that makes a folder a catalog.
fn holds(folder: &Path, names: &Names) -> Option<String> {
    if let Some(name) = CATALOG_FILES.into_iter().find(|name| folder.join(name).is_file()) {
        return Some(name.to_owned());
    }
    let mut files = names.files.iter().filter(|name| is_looked_into(name)).take(MOST_FILES);
    let found = files.find(|name| begins_as_catalog(&folder.join(name)))?;
    Some(found.to_string_lossy().into_owned())
}

fn begins_as_catalog(path: &Path) -> bool {
    head(path).is_some_and(|head| says_catalog(&head))
}

/// The templates in a folder that holds templates and no catalog, by name.
pub fn templates(folder: &Path) -> Vec<PathBuf> {
    let names = Looker::new().names(folder);
    if !names.folders.is_empty() || holds(folder, &names).is_some() {
        return Vec::new();
    }
    let files = names.files.iter().filter(|name| is_looked_into(name)).take(MOST_FILES);
    let paths = files.map(|name| folder.join(name));
    paths.filter(|path| head(path).is_some_and(|head| says(&head, &TEMPLATES))).collect()
}

/// The templates of an operator, whose folder or whose folder of templates this is.
pub fn templates_of(folder: &Path) -> Vec<PathBuf> {
    let own = templates(folder);
    if own.is_empty() { templates(&folder.join(CATALOG_TEMPLATES)) } else { own }
}

/// Operators as a repository of them has them.
pub struct Operators {
    /// A template, where they have one.
    pub template: Option<PathBuf>,
}

/// The operators in a folder, or the one it is: each has templates, or a folder of manifests for each version.
pub fn operators(folder: &Path) -> Option<Operators> {
    let mut looker = Looker::new();
    let names = looker.names(folder);
    if holds(folder, &names).is_some() {
        return None;
    }
    let within = names.folders.iter().take(SAMPLE).map(|name| folder.join(name));
    let operators: Vec<PathBuf> =
        [folder.to_owned()].into_iter().chain(within).filter(|folder| looker.is_operator(folder)).collect();
    let templates = operators.iter().map(|operator| operator.join(CATALOG_TEMPLATES));
    let mut of_templates = templates.filter_map(|folder| self::templates(&folder).into_iter().next());
    (!operators.is_empty()).then(|| Operators { template: of_templates.next() })
}

fn is_looked_into(name: &OsString) -> bool {
    let ending = Path::new(name).extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| ENDINGS.contains(&ending))
}

/// The beginning of a file.
fn head(path: &Path) -> Option<String> {
    let mut head = Vec::new();
    regular::open(path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
    Some(String::from_utf8_lossy(&head).into_owned())
}

/// Whether the beginning of a file names a schema of catalogs, and none of templates.
pub fn says_catalog(head: &str) -> bool {
    says(head, &SCHEMAS) && !says(head, &TEMPLATES)
}

/// Reports whether a file begins as a template.
pub fn is_template(path: &Path) -> bool {
    head(path).is_some_and(|head| says_template(&head))
}

/// Whether it names a schema of templates.
pub fn says_template(head: &str) -> bool {
    says(head, &TEMPLATES)
}

/// Whether one of these schemas is named. opm does not mind the case of a key.
fn says(head: &str, names: &[&str]) -> bool {
    let head = head.to_ascii_lowercase();
    let schemas = head.match_indices("schema").filter_map(|(at, word)| head.get(at + word.len()..));
    let mut schemas = schemas.map(|rest| rest.trim_start_matches(['"', '\'', ':', ' ', '\t']));
    schemas.any(|rest| names.iter().any(|name| rest.starts_with(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_catalog_is_known_by_its_first_schema() {
        for head in
            ["---\nschema: olm.package\n", "{\"schema\":\"olm.bundle\"}", "name: a\nschema: 'olm.channel'"]
        {
            assert!(says_catalog(head), "{head}");
        }
        for head in [
            "",
            "apiVersion: v1\nkind: List\n",
            "properties:\n- type: olm.package\n",
            "openAPIV3Schema: {}\nschema: string",
            "schema: olm.semver\n",
            "Schema: olm.semver\n",
            "schema: olm.template.basic\nentries:\n- schema: olm.package\n",
        ] {
            assert!(!says_catalog(head), "{head}");
        }
    }
}
