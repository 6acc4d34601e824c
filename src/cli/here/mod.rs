//! Which catalog is meant where none is named: the one that one stands in, one above, or one below.
//!
//! Nothing is read for that but names and the first bytes of a few files, however large the tree is.

mod folder;
mod found;
mod home;
#[cfg(test)]
mod tests;

use std::{
    collections::BTreeSet,
    env,
    path::{Component, Path, PathBuf},
};

use super::{failure::Failure, repository};
use crate::source::{
    bundles,
    discovery::{STATED_FILE, StatedError},
};
use folder::{Kind, Looker};
use found::Found;

/// How many folders above are looked at.
const MOST_ABOVE: usize = 16;

/// How many catalogs below are opened side by side.
const MOST_BELOW: usize = 16;

/// What is opened where nothing was named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Here {
    /// The catalogs, relative to the current folder.
    pub paths: Vec<PathBuf>,
    /// Catalogs that were found beyond the maximum.
    rest: Vec<PathBuf>,
    why: Why,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Why {
    /// Discovery found it, for this reason.
    Discovered(String),
    /// The folder holds this file.
    Holds(String),
    /// The folders in it are packages.
    Packages,
    /// They are in this folder.
    Catalogs,
    /// One stands in the folder of this operator.
    Operator(String),
    /// The folder is above.
    Above,
    /// They are below.
    Below(usize),
}

impl Here {
    /// Finds what is meant in the current folder.
    ///
    /// # Errors
    ///
    /// If the repository has a `.olmap.toml` with a mistake.
    pub fn find() -> Result<Option<Self>, Failure> {
        let Ok(start) = env::current_dir() else { return Ok(None) };
        Self::from(&start, env::home_dir().as_deref()).map_err(|error| Failure::new(error.to_string()))
    }

    /// Finds what is meant in a folder: what discovery finds in its repository. If that is nothing, or elsewhere in the
    /// repository, names and beginnings of files decide, so that a catalog with missing parts is found where one stands.
    fn from(start: &Path, home: Option<&Path>) -> Result<Option<Self>, StatedError> {
        let by_names = || Self::by_names(start, home);
        let root = root(start).unwrap_or(start);
        if root.parent().is_none() || Some(root) == home {
            return Ok(by_names());
        }
        Ok(match found::find(start, root)? {
            Found::Here { here, is_outside } => {
                let named = by_names()
                    .filter(|named| is_outside || named.paths == here.paths && !named.is_by_nearness());
                Some(named.unwrap_or(here))
            }
            Found::Nothing => by_names(),
            Found::NothingStated => None,
        })
    }

    /// Finds what is meant in a folder, by names and the beginnings of files.
    fn by_names(start: &Path, home: Option<&Path>) -> Option<Self> {
        let mut looker = Looker::new();
        let kind = looker.kind(start);
        let root = root(start);
        // Beside templates lie pieces of catalogs that are none by themselves.
        let is_named_so = kind.as_ref().is_some_and(Kind::is_named_so);
        if !is_named_so && let Some(here) = root.and_then(|root| Self::of_operator(start, root)) {
            return Some(here);
        }
        if let Some(kind) = kind {
            return Some(Self::at(0, kind));
        }
        // Whoever stands there may mean anything.
        let is_nowhere = start.parent().is_none() || Some(start) == home;
        if !is_nowhere {
            let mut paths = looker.below(start);
            if !paths.is_empty() {
                let found = paths.len();
                let rest = paths.split_off(found.min(MOST_BELOW));
                return Some(Self { paths, rest, why: Why::Below(found) });
            }
        }
        // Above the repository everything is somebody else's.
        let root = root?;
        let above = start.ancestors().enumerate().skip(1).take(MOST_ABOVE);
        for (up, folder) in above.take_while(|(_, folder)| folder.starts_with(root)) {
            let up_there = || (1..=up).map(|_| Component::ParentDir).collect::<PathBuf>();
            if let Some(kind) = looker.kind(folder) {
                return Some(Self::at(up, kind));
            }
            if folder == root {
                let below = looker.below(folder);
                let mut paths: Vec<_> = below.iter().map(|path| up_there().join(path)).collect();
                let rest = paths.split_off(paths.len().min(MOST_BELOW));
                return (!paths.is_empty()).then_some(Self { paths, rest, why: Why::Above });
            }
        }
        None
    }

    /// What a folder so many levels up is.
    fn at(up: usize, kind: Kind) -> Self {
        let folder: PathBuf = (0..up).map(|_| Component::ParentDir).collect();
        let itself = || if up == 0 { PathBuf::from(".") } else { folder.clone() };
        let (paths, why) = match kind {
            Kind::Holds(file) => (vec![itself()], Why::Holds(file)),
            Kind::Packages => (vec![itself()], Why::Packages),
            Kind::Catalogs(paths) => (paths.iter().map(|path| folder.join(path)).collect(), Why::Catalogs),
        };
        Self { paths, rest: Vec::new(), why: if up == 0 { why } else { Why::Above } }
    }

    /// The packages of the operator in whose folder one stands, in the layout of community-operators; where it has
    /// none,
    /// all catalogs of the repository. What lies beside operators' templates is no catalog.
    fn of_operator(start: &Path, root: &Path) -> Option<Self> {
        let repository = repository::look(root).filter(|repository| !repository.catalogs.is_empty())?;
        let inside = start.strip_prefix(root).ok()?;
        let mut parts = inside.components();
        if parts.next() != Some(Component::Normal("operators".as_ref())) {
            return None;
        }
        let up: PathBuf = inside.components().map(|_| Component::ParentDir).collect();
        let given = |path: &Path| Some(up.join(path.strip_prefix(root).ok()?));
        let all = || repository.catalogs.iter();
        if let Some(operator) = parts.next() {
            let packages = all().map(|catalog| catalog.join(operator)).filter(|package| package.is_dir());
            let paths: Vec<PathBuf> = packages.filter_map(|package| given(&package)).collect();
            if !paths.is_empty() {
                let name = operator.as_os_str().to_string_lossy().into_owned();
                return Some(Self { paths, rest: Vec::new(), why: Why::Operator(name) });
            }
        }
        let paths = all().filter_map(|catalog| given(catalog)).collect();
        Some(Self { paths, rest: Vec::new(), why: Why::Above })
    }

    /// Returns catalogs that are there and are not among the paths: those beyond the maximum, and those beside catalogs of releases
    /// (`v4.18`) that have other names.
    pub fn omitted(&self) -> Vec<PathBuf> {
        let mut looker = Looker::new();
        let releases = self.paths.iter().filter(|path| repository::is_release(path));
        let parents: BTreeSet<&Path> = releases.filter_map(|path| path.parent()).collect();
        let beside = parents.into_iter().flat_map(|parent| {
            let listed = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
            let mut folders: Vec<PathBuf> = repository::folders(listed)
                .filter_map(|folder| Some(parent.join(folder.file_name()?)))
                .filter(|folder| !self.paths.contains(folder))
                .collect();
            folders.sort();
            folders
        });
        let beside: Vec<PathBuf> = beside.filter(|folder| looker.is_catalog(folder)).collect();
        self.rest.iter().cloned().chain(beside).collect()
    }

    /// Reports whether nothing but its distance speaks for what is opened.
    fn is_by_nearness(&self) -> bool {
        matches!(self.why, Why::Above | Why::Below(_))
    }

    /// Reports whether catalogs are meant, and not bundles or templates.
    pub fn is_catalogs(&self) -> bool {
        let is_other = |path: &PathBuf| {
            let is_template = || path.is_file() && folder::is_template(path);
            is_template() || path.is_dir() && bundles::find(path).is_some()
        };
        !matches!(self.why, Why::Discovered(_)) || !self.paths.iter().any(is_other)
    }

    /// Whether it is the folder one stands in, or one above it: what one does here is done to it.
    pub fn contains_us(&self) -> bool {
        let outwards = |part: Component<'_>| matches!(part, Component::CurDir | Component::ParentDir);
        matches!(self.paths.as_slice(), [only] if only.components().all(outwards))
    }

    /// Whether it is the current folder itself: nobody needs to be told.
    pub fn is_current(&self) -> bool {
        matches!(self.paths.as_slice(), [only] if only == Path::new("."))
    }

    /// What is opened and why, in a line.
    pub fn sentence(&self) -> String {
        let what = match self.paths.as_slice() {
            [only] if only == Path::new(".") => "this folder".to_owned(),
            [only] => only.display().to_string(),
            several => format!("{} catalogs", several.len()),
        };
        let from =
            || self.paths.first().and_then(|path| path.parent()).map(|path| path.display().to_string());
        match &self.why {
            Why::Discovered(reason) => format!("opened {what}: {reason}"),
            Why::Holds(file) => format!("opened {what}: it contains {file}"),
            Why::Packages => format!("opened {what}: the folders in it are packages"),
            Why::Operator(name) => format!("opened {name} in {what}: you are in operators/{name}"),
            Why::Above => match self.paths.as_slice() {
                [_] => format!("opened {what}: the nearest catalog above"),
                _ => format!("opened {what} in {}: the nearest above", from().unwrap_or_default()),
            },
            Why::Catalogs => match from().filter(|from| !from.is_empty()) {
                Some(from) if self.paths.len() > 1 => format!("opened {what}: the catalogs in {from}"),
                _ if self.paths.len() > 1 => format!("opened {what}: the catalogs in this folder"),
                _ => format!("opened {what}: the catalog in this folder"),
            },
            Why::Below(1) => format!("opened {what}: the nearest catalog below"),
            Why::Below(found) if *found > self.paths.len() => {
                format!("opened {what} below, the first of {found}")
            }
            Why::Below(_) => format!("opened {what}: the nearest below"),
        }
    }
}

/// The catalog that a file belongs to: the uppermost folder above it, within its repository, that is one. A file or a folder that
/// is not there any more belongs to what is left above it.
pub fn catalog_of(file: &Path) -> Option<PathBuf> {
    let full = std::path::absolute(file).ok()?;
    let root = root(full.parent()?);
    let mut found = None;
    let mut holds_catalogs = false;
    let mut looker = Looker::new();
    let mut above = full.ancestors().enumerate().skip(1).take(MOST_ABOVE);
    let is_ours = |folder: &Path| root.is_none_or(|root| folder.starts_with(root));
    let given = |up: usize, folder: &Path| file.ancestors().nth(up).unwrap_or(folder).to_owned();
    while let Some((up, folder)) = above.next().filter(|(_, folder)| is_ours(folder)) {
        match looker.kind(folder) {
            Some(Kind::Catalogs(catalogs)) => {
                if let Some(mine) = catalogs.iter().find(|path| full.starts_with(folder.join(path))) {
                    found = Some(given(up, folder).join(mine));
                    break;
                }
                // What holds catalogs is none itself, nor is what that lies in.
                holds_catalogs = true;
            }
            Some(Kind::Holds(_) | Kind::Packages) if !holds_catalogs => found = Some(given(up, folder)),
            Some(Kind::Holds(_) | Kind::Packages) | None => {}
        }
    }
    found.map(|path| if path.as_os_str().is_empty() { PathBuf::from(".") } else { path })
}

/// Greeting of the demo if the user asks for it.
pub const DEMO: &str = "this is the demo; olmap PATH opens yours";

/// What is said where there is nothing.
pub const NOTHING: &str = "no catalog here, above or below, so this is the demo; olmap PATH opens yours";

pub use folder::templates_of;
pub use home::home_of;

/// What is said of a folder that is opened and holds templates of operators and no bundle, as repositories of them have it.
pub fn of_operators(folder: &Path) -> Option<String> {
    let template = folder::operators(folder).filter(|_| bundles::find(folder).is_none())?.template;
    let catalogs = folder.ancestors().skip(1).take(3).map(|above| above.join("catalogs"));
    let words = "templates, not a catalog";
    Some(match ({ catalogs }.find(|path| path.is_dir()), template) {
        (Some(catalogs), _) => format!("{words}: try olmap {}", catalogs.display()),
        (None, Some(template)) => format!("{words}: try olmap {}", template.display()),
        (None, None) => words.to_owned(),
    })
}

/// The root of the repository that a folder is in: of a git repository, or of one with catalogs.
fn root(start: &Path) -> Option<&Path> {
    let is_root = |folder: &&Path| {
        folder.join(".git").exists()
            || folder.join(STATED_FILE).is_file()
            || repository::look(folder).is_some_and(|repository| !repository.catalogs.is_empty())
    };
    start.ancestors().take(MOST_ABOVE).find(is_root)
}
