//! Addresses for the links of a comment, from the environment of a CI job.

use std::{env, path::Path};

use olm_catalog::load::git::Repository;
use olmap_report::links::{CommentLinks, RepositoryLinks, WebAddress};

/// Address of the page with the rules; the identifier of a rule is its anchor.
const RULES_VARIABLE: &str = "OLMAP_RULES_URL";

/// Address of the HTML report about the same change.
const REPORT_VARIABLE: &str = "OLMAP_REPORT_URL";

/// Repository of this program; empty in builds that do not have one.
const PROGRAM_REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// Returns the addresses that the environment names. GitHub and GitLab set the address of the
/// repository. A commit that git cannot name has no links.
pub fn links_from_environment() -> CommentLinks {
    read_links(|name| env::var(name).ok().filter(|value| !value.is_empty()))
}

fn read_links(variable: impl Fn(&str) -> Option<String>) -> CommentLinks {
    let address = |name: &str| variable(name).and_then(|text| WebAddress::parse_web_address(&text));
    let is_set = |name: &str| variable(name).is_some_and(|value| value == "true");
    let server = if is_set("GITHUB_ACTIONS") {
        let page = variable("GITHUB_SERVER_URL").zip(variable("GITHUB_REPOSITORY"));
        page.map(|(server, name)| (format!("{}/{name}", server.trim_end_matches('/')), ""))
    } else if is_set("GITLAB_CI") {
        variable("CI_PROJECT_URL").map(|page| (page, "-/"))
    } else {
        None
    };
    let repository = server.and_then(|(page, separator)| {
        // Line numbers are those of the files that are checked out.
        let repository = Repository::discover(Path::new(".")).ok()?;
        let commit = repository.resolve_revision("HEAD").ok()?;
        let current = env::current_dir().and_then(|path| path.canonicalize()).ok()?;
        Some(RepositoryLinks {
            address: WebAddress::parse_web_address(&page)?,
            separator,
            commit: commit.as_str().to_owned(),
            root: repository.root().to_owned(),
            current,
        })
    });
    let own_rules = || {
        let page = format!("{PROGRAM_REPOSITORY}/blob/v{}/docs/rules.md", env!("CARGO_PKG_VERSION"));
        (!PROGRAM_REPOSITORY.is_empty()).then(|| WebAddress::parse_web_address(&page)).flatten()
    };
    CommentLinks {
        repository,
        rules: address(RULES_VARIABLE).or_else(own_rules),
        report: address(REPORT_VARIABLE),
    }
}
