//! Conversion between paths and the `file:` URIs of editors.

use std::path::{Component, Path, PathBuf};

use gen_lsp_types::Uri;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str};

/// Bytes that are percent-encoded in the path of a URI.
const PATH_CHARACTERS: AsciiSet =
    NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Returns the path of a URI; `None` if it does not name a file.
pub fn uri_to_path(uri: &Uri) -> Option<PathBuf> {
    let rest = uri
        .0
        .strip_prefix("file://")
        .or_else(|| uri.0.strip_prefix("file:").filter(|rest| rest.starts_with('/')))?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    if !rest.starts_with('/') {
        return None;
    }
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let bytes: Vec<u8> = percent_decode_str(rest).collect();
    let path = of_bytes(bytes)?;
    // On Windows, the path of `file:///c:/x` is `c:/x`.
    #[cfg(windows)]
    let path = path
        .to_str()
        .and_then(|p| p.strip_prefix('/'))
        .filter(|p| p.contains(':'))
        .map_or_else(|| path.clone(), PathBuf::from);
    Some(normalize_dots(&path))
}

/// Returns the URI of an absolute path.
pub fn path_to_uri(path: &Path) -> Uri {
    #[cfg(unix)]
    let text = {
        use std::os::unix::ffi::OsStrExt as _;
        percent_encoding::percent_encode(path.as_os_str().as_bytes(), &PATH_CHARACTERS).to_string()
    };
    #[cfg(not(unix))]
    let text = {
        let text = path.to_string_lossy().replace('\\', "/");
        let text = percent_encoding::utf8_percent_encode(&text, &PATH_CHARACTERS).to_string();
        if text.starts_with('/') { text } else { format!("/{text}") }
    };
    Uri(format!("file://{text}"))
}

/// Converts decoded bytes to a path; `None` if no file can have such a name.
#[cfg(unix)]
fn of_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;
    // No system allows a zero byte in a file name.
    (!bytes.contains(&0)).then(|| std::ffi::OsString::from_vec(bytes).into())
}

#[cfg(not(unix))]
fn of_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

/// Removes `.` and `..` from a path, so that each file has one path.
pub fn normalize_dots(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                tidy.pop();
            }
            part => tidy.push(part),
        }
    }
    tidy
}

/// Returns the path that identifies the document of a URI. For a URI that does not name a file, it
/// is the text of the URI.
pub fn document_key(uri: &Uri) -> PathBuf {
    uri_to_path(uri).unwrap_or_else(|| PathBuf::from(&uri.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn paths_and_uris_convert_both_ways() {
        for (text, uri_text) in [
            ("/a/b c.yaml", "file:///a/b%20c.yaml"),
            ("/a/ü#?.yaml", "file:///a/%C3%BC%23%3F.yaml"),
            ("/", "file:///"),
        ] {
            assert_eq!(path_to_uri(Path::new(text)).0, uri_text);
            assert_eq!(uri_to_path(&Uri(uri_text.into())).as_deref(), Some(Path::new(text)));
        }
        let same = |text: &str| uri_to_path(&Uri(text.into()));
        assert_eq!(same("file://localhost/a/./b/../c"), Some("/a/c".into()));
        assert_eq!(same("file:/a%2Fb"), Some("/a/b".into()));
        for nothing in
            ["untitled:1", "file://host/a", "https://example.com/a", "", "file://", "file:///a%00b"]
        {
            assert_eq!(same(nothing), None, "{nothing}");
        }
    }
}
