//! Links of a comment: to the lines of files, to the rules, to commits and to the report.
//!
//! The caller knows the addresses, for example from the environment of a CI job. Without them, a
//! comment does not have links.

use std::{
    fmt::Write as _,
    path::{Component, Path, PathBuf},
};

use super::markdown::escape_markdown;
use olm_catalog::{Location, model::abbreviate_commit};

/// Addresses for the links of a comment.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CommentLinks {
    /// Repository with the files of the new catalogs.
    pub repository: Option<RepositoryLinks>,
    /// Page with the rules; each rule has an anchor with its identifier.
    pub rules: Option<WebAddress>,
    /// HTML report on the same change.
    pub report: Option<WebAddress>,
}

/// Address of a repository on a web server, and the commit that is checked out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RepositoryLinks {
    /// Address of the repository.
    pub address: WebAddress,
    /// Path segment between the repository and the kind of page: `-/` on GitLab.
    pub separator: &'static str,
    /// Full name of the commit.
    pub commit: String,
    /// Root of the working tree.
    pub root: PathBuf,
    /// Current directory, to which paths are relative.
    pub current: PathBuf,
}

/// Address of a web page, safe inside of Markdown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WebAddress(String);

impl WebAddress {
    /// Parses an address that begins with `https://` or `http://`. `None` if it contains a character
    /// that could end a link in Markdown.
    pub fn parse_web_address(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
        let is_safe = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#@!$&*+,;=%".contains(c);
        (!rest.is_empty() && rest.chars().all(is_safe)).then(|| Self(text.to_owned()))
    }

    /// Returns the address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl CommentLinks {
    /// Returns the name of a rule, with a link if the address of the rules is known.
    pub fn rule_markdown(&self, rule: &str) -> String {
        match &self.rules {
            Some(page) => format!("[{rule}]({}#{rule})", page.as_str()),
            None => rule.to_owned(),
        }
    }

    /// Returns a link to a line. `None` if the file is not in a known repository.
    pub fn line_markdown(&self, location: &Location) -> Option<String> {
        let page = self.line_address(location)?;
        let name = location.path.file_name()?.to_string_lossy();
        let line = if location.is_whole_file { String::new() } else { format!(":{}", location.line) };
        Some(format!("[{}{line}]({})", escape_markdown(&name), page.as_str()))
    }

    /// Returns the address of a line. `None` if the file is not in a known repository.
    pub fn line_address(&self, location: &Location) -> Option<WebAddress> {
        let page = self.repository.as_ref()?.file_address(&location.path)?;
        let line = if location.is_whole_file { String::new() } else { format!("#L{}", location.line) };
        WebAddress::parse_web_address(&format!("{page}{line}"))
    }

    /// Returns the abbreviated name of a commit, with a link if the repository is known.
    pub fn commit_markdown(&self, commit: &str) -> String {
        let short = escape_markdown(abbreviate_commit(commit));
        match self.commit_address(commit) {
            Some(address) => format!("[{short}]({})", address.as_str()),
            None => short,
        }
    }

    /// Returns the address of a commit. `None` if the repository is not known.
    pub fn commit_address(&self, commit: &str) -> Option<WebAddress> {
        let links = self.repository.as_ref()?;
        let page =
            format!("{}/{}commit/{}", links.repository_address(), links.separator, encode_segment(commit));
        WebAddress::parse_web_address(&page)
    }
}

impl RepositoryLinks {
    /// Returns the address without a slash at the end.
    fn repository_address(&self) -> &str {
        self.address.as_str().trim_end_matches('/')
    }

    /// Returns the address of a file at the commit. `None` if the path is outside of the repository.
    fn file_address(&self, path: &Path) -> Option<String> {
        let mut full = PathBuf::new();
        for part in self.current.join(path).components() {
            match part {
                Component::CurDir => {}
                Component::ParentDir => {
                    full.pop();
                }
                part => full.push(part),
            }
        }
        let inside = full.strip_prefix(&self.root).ok()?;
        let segments = inside.components().map(|part| part.as_os_str().to_str().map(encode_segment));
        let segments = segments.collect::<Option<Vec<String>>>()?;
        let commit = encode_segment(&self.commit);
        Some(format!("{}/{}blob/{commit}/{}", self.repository_address(), self.separator, segments.join("/")))
    }
}

/// Percent-encodes a segment of a path.
fn encode_segment(segment: &str) -> String {
    let mut out = String::with_capacity(segment.len());
    for byte in segment.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn github_links() -> CommentLinks {
        let address = WebAddress::parse_web_address("https://git.example/o/r");
        CommentLinks {
            repository: address.map(|address| RepositoryLinks {
                address,
                separator: "",
                commit: "0123456789abcdef".to_owned(),
                root: "/work/r".into(),
                current: "/work/r/sub".into(),
            }),
            rules: WebAddress::parse_web_address("https://git.example/rules.md"),
            report: None,
        }
    }

    fn sample_location(path: &str) -> Location {
        Location { path: path.into(), line: 7, column: 3, bytes: 0..0, is_whole_file: false }
    }

    #[test]
    fn paths_are_relative_to_the_root_and_encoded() {
        let link = |path: &str| github_links().line_markdown(&sample_location(path));
        let base = "https://git.example/o/r/blob/0123456789abcdef";
        assert_eq!(link("a b/c.yaml"), Some(format!("[c.yaml:7]({base}/sub/a%20b/c.yaml#L7)")));
        assert_eq!(link("../x)y.yaml"), Some(format!("[x\\)y.yaml:7]({base}/x%29y.yaml#L7)")));
        assert_eq!(link("/work/r/z.yaml"), Some(format!("[z.yaml:7]({base}/z.yaml#L7)")));
        assert_eq!(link("../../elsewhere.yaml"), None);
        assert_eq!(CommentLinks::default().line_markdown(&sample_location("a.yaml")), None);
    }

    #[test]
    fn address_cannot_end_the_link() {
        for wrong in ["javascript:x", "https://", "https://e)x", "https://e x", "https://e\">", "//e"] {
            assert_eq!(WebAddress::parse_web_address(wrong), None, "{wrong}");
        }
        assert_eq!(github_links().rule_markdown("stuck"), "[stuck](https://git.example/rules.md#stuck)");
        assert_eq!(
            github_links().commit_markdown("0123456789abcdef"),
            "[0123456789ab](https://git.example/o/r/commit/0123456789abcdef)"
        );
    }
}
