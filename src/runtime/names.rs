//! Path completion: names on disk that start with the typed path.

use std::{fs, path::PathBuf};

use super::place::at_home;
use crate::{
    app::{Refusal, work::outcome::Names},
    source::cache::Cache,
};

/// Maximum number of names in the result.
const TOLD: usize = 200;

/// Maximum number of directory entries that are read.
const MOST: usize = 100_000;

/// Returns the names on disk that continue a path. Hidden names need a typed dot. Names with invalid UTF-8
/// are skipped because they cannot be typed.
pub fn names(typed: &str, cache: Option<&Cache>) -> Result<Names, Refusal> {
    if let Some(begun) = ["docker://", "https://", "http://"].into_iter().find(|sign| typed.starts_with(sign))
    {
        return Ok(of_cache(typed, begun, cache));
    }
    if typed == "~" {
        return Ok(Names::of(vec!["~/".to_owned()], 1));
    }
    let (folder, begun) = typed.rfind('/').map_or(("", typed), |at| typed.split_at(at + 1));
    let place = if folder.is_empty() { PathBuf::from(".") } else { at_home(PathBuf::from(folder)) };
    let entries = fs::read_dir(&place).map_err(|error| Refusal::new(format!("{folder}: {error}")))?;
    let names = entries.take(MOST).filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names
        .filter(|name| name.starts_with(begun) && (begun.starts_with('.') || !name.starts_with('.')))
        .collect();
    names.sort_unstable();
    let shared = Names::shared(&names).len();
    let more = names.len().saturating_sub(TOLD);
    names.truncate(TOLD);
    for name in &mut names {
        if fs::metadata(place.join(&*name)).is_ok_and(|found| found.is_dir()) {
            name.push('/');
        }
    }
    // A single name is completed including its slash.
    let shared = match names.as_slice() {
        [one] => one.len(),
        _ => shared,
    };
    Ok(Names { more, goes_on: shared.saturating_sub(begun.len()), ..Names::of(names, begun.len()) })
}

/// Returns cached images and addresses that continue a reference.
fn of_cache(typed: &str, begun: &str, cache: Option<&Cache>) -> Names {
    let whole = |name: String| if name.contains("://") { name } else { format!("docker://{name}") };
    let all = cache.map(Cache::all_names).unwrap_or_default().into_iter().map(whole);
    let mut names: Vec<String> = all.filter(|name| name.starts_with(typed)).collect();
    let more = names.len().saturating_sub(TOLD);
    names.truncate(TOLD);
    // Only the part after the common beginning is listed.
    let rest = |name: String| name.get(begun.len()..).unwrap_or_default().to_owned();
    Names { more, ..Names::of(names.into_iter().map(rest).collect(), typed.len() - begun.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{Digest, cache::LastSeen};

    #[test]
    fn matching_names_are_listed_with_their_common_prefix() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["catalogs/v4.18", "catalogs/v4.20", "cat.d", ".git"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        fs::write(root.path().join("ci.yaml"), "").unwrap();
        let told = |typed: &str| {
            let names = names(&format!("{}/{typed}", root.path().display()), None).unwrap();
            (names.rest().to_owned(), names.names)
        };
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            told(""),
            ("c".to_owned(), list(&["cat.d/", "catalogs/", "ci.yaml"])),
            "hidden ones are not"
        );
        assert_eq!(told("ca"), ("t".to_owned(), list(&["cat.d/", "catalogs/"])));
        assert_eq!(told("cata"), ("logs/".to_owned(), list(&["catalogs/"])));
        assert_eq!(told("catalogs/"), ("v4.".to_owned(), list(&["v4.18/", "v4.20/"])));
        assert_eq!(told("."), ("git/".to_owned(), list(&[".git/"])));
        assert_eq!(told("x"), (String::new(), Vec::new()));
        let refused = names(&format!("{}/nowhere/", root.path().display()), None).unwrap_err();
        assert!(refused.message.contains("nowhere/: "), "{}", refused.message);
        assert_eq!(names("~", None).unwrap().rest(), "/");
    }

    #[test]
    fn common_prefix_covers_names_beyond_the_limit() {
        let root = tempfile::tempdir().unwrap();
        for at in 0..TOLD {
            fs::write(root.path().join(format!("file-{at:04}")), "").unwrap();
        }
        fs::write(root.path().join("fun"), "").unwrap();
        let names = names(&format!("{}/", root.path().display()), None).unwrap();
        assert_eq!((names.rest(), names.names.len(), names.more), ("f", TOLD, 1));
    }

    #[test]
    fn cached_images_are_proposed() {
        let root = tempfile::tempdir().unwrap();
        let cache = Cache::at(root.path().to_owned());
        let digest = Digest::of(b"x");
        for name in
            ["quay.example/ns/cat:v1", "quay.example/ns/cat:v2", "https://quay.example/catalogs/a/api/v1/all"]
        {
            cache.remember(&LastSeen::now(name, &digest));
        }
        let told = |typed: &str| names(typed, Some(&cache)).unwrap();
        assert_eq!(told("docker://").names, ["quay.example/ns/cat:v1", "quay.example/ns/cat:v2"]);
        assert_eq!(told("docker://quay").rest(), ".example/ns/cat:v");
        assert_eq!(told("https://").names, ["quay.example/catalogs/a/api/v1/all"]);
        assert!(told("docker://other").names.is_empty());
        assert!(names("docker://", None).unwrap().names.is_empty());
    }
}
