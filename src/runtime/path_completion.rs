//! Path completion: names on disk that start with the typed path.

use std::{fs, path::PathBuf};

use super::target_path::expand_home;
use crate::tui::{UserError, work::outcome::PathCompletions};
use olm_source::cache::Cache;

/// Maximum number of names in the result.
const MAX_LISTED: usize = 200;

/// Maximum number of directory entries that are read.
const MAX_ENTRIES: usize = 100_000;

/// Returns the names on disk that continue a path. Hidden names need a typed dot. Names with invalid UTF-8
/// are skipped because they cannot be typed.
pub fn complete_path(typed: &str, cache: Option<&Cache>) -> Result<PathCompletions, UserError> {
    if let Some(begun) = ["docker://", "https://", "http://"].into_iter().find(|sign| typed.starts_with(sign))
    {
        return Ok(cached_names(typed, begun, cache));
    }
    if typed == "~" {
        return Ok(PathCompletions::from_names(vec!["~/".to_owned()], 1));
    }
    let (folder, begun) = typed.rfind('/').map_or(("", typed), |at| typed.split_at(at + 1));
    let place = if folder.is_empty() { PathBuf::from(".") } else { expand_home(PathBuf::from(folder)) };
    let entries = fs::read_dir(&place).map_err(|error| UserError::new(format!("{folder}: {error}")))?;
    let names = entries.take(MAX_ENTRIES).filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names
        .filter(|name| name.starts_with(begun) && (begun.starts_with('.') || !name.starts_with('.')))
        .collect();
    names.sort_unstable();
    let shared = PathCompletions::common_prefix(&names).len();
    let more = names.len().saturating_sub(MAX_LISTED);
    names.truncate(MAX_LISTED);
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
    Ok(PathCompletions {
        omitted_count: more,
        common_len: shared.saturating_sub(begun.len()),
        ..PathCompletions::from_names(names, begun.len())
    })
}

/// Returns cached images and addresses that continue a reference.
fn cached_names(typed: &str, begun: &str, cache: Option<&Cache>) -> PathCompletions {
    let whole = |name: String| if name.contains("://") { name } else { format!("docker://{name}") };
    let all = cache.map(Cache::all_names).unwrap_or_default().into_iter().map(whole);
    let mut names: Vec<String> = all.filter(|name| name.starts_with(typed)).collect();
    let more = names.len().saturating_sub(MAX_LISTED);
    names.truncate(MAX_LISTED);
    // Only the part after the common beginning is listed.
    let rest = |name: String| name.get(begun.len()..).unwrap_or_default().to_owned();
    PathCompletions {
        omitted_count: more,
        ..PathCompletions::from_names(names.into_iter().map(rest).collect(), typed.len() - begun.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use olm_source::{Digest, cache::LastDigest};

    #[test]
    fn matching_names_are_listed_with_their_common_prefix() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["catalogs/v4.18", "catalogs/v4.20", "cat.d", ".git"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        fs::write(root.path().join("ci.yaml"), "").unwrap();
        let told = |typed: &str| {
            let names = complete_path(&format!("{}/{typed}", root.path().display()), None).unwrap();
            (names.untyped_prefix().to_owned(), names.names)
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
        let refused = complete_path(&format!("{}/nowhere/", root.path().display()), None).unwrap_err();
        assert!(refused.message.contains("nowhere/: "), "{}", refused.message);
        assert_eq!(complete_path("~", None).unwrap().untyped_prefix(), "/");
    }

    #[test]
    fn common_prefix_covers_names_beyond_the_limit() {
        let root = tempfile::tempdir().unwrap();
        for at in 0..MAX_LISTED {
            fs::write(root.path().join(format!("file-{at:04}")), "").unwrap();
        }
        fs::write(root.path().join("fun"), "").unwrap();
        let names = complete_path(&format!("{}/", root.path().display()), None).unwrap();
        assert_eq!((names.untyped_prefix(), names.names.len(), names.omitted_count), ("f", MAX_LISTED, 1));
    }

    #[test]
    fn cached_images_are_proposed() {
        let root = tempfile::tempdir().unwrap();
        let cache = Cache::in_folder(root.path().to_owned());
        let digest = Digest::sha256(b"x");
        for name in
            ["quay.example/ns/cat:v1", "quay.example/ns/cat:v2", "https://quay.example/catalogs/a/api/v1/all"]
        {
            cache.store_name(&LastDigest::seen_now(name, &digest));
        }
        let told = |typed: &str| complete_path(typed, Some(&cache)).unwrap();
        assert_eq!(told("docker://").names, ["quay.example/ns/cat:v1", "quay.example/ns/cat:v2"]);
        assert_eq!(told("docker://quay").untyped_prefix(), ".example/ns/cat:v");
        assert_eq!(told("https://").names, ["quay.example/catalogs/a/api/v1/all"]);
        assert!(told("docker://other").names.is_empty());
        assert!(complete_path("docker://", None).unwrap().names.is_empty());
    }
}
