//! Links in the files of an operator repository: from `ci.yaml` and `release-config.yaml` to templates and catalogs.

use std::path::{Path, PathBuf};

use gen_lsp_types::{DocumentLink, Range};

use olm_catalog::Spanned;
use olm_source::operator_config::{CI_FILE, CiConfig, RELEASE_FILE, ReleaseConfig};
use olmap_lsp::{Encoding, address};

/// Folder of an operator's templates.
const TEMPLATE_FOLDER: &str = "catalog-templates";

/// Names of the file with the package of an operator, in its folder of a catalog.
const CATALOG_FILES: [&str; 2] = ["catalog.yaml", "catalog.json"];

/// Returns the links of a file of an operator: those whose target exists. `None` for another file.
pub fn config_links(path: &Path, text: &[u8], encoding: Encoding) -> Option<Vec<DocumentLink>> {
    let name = path.file_name()?;
    let folder = path.parent()?;
    let is_operator = |folder: &Path| {
        folder.parent().is_some_and(|parent| parent.file_name().is_some_and(|n| n == "operators"))
    };
    let mut links = LinkWriter { text, encoding, links: Vec::new() };
    if name == CI_FILE && is_operator(folder) {
        let config = CiConfig::parse_ci(path, text).ok().map(|(config, _)| config).unwrap_or_default();
        for mapping in &config.mappings {
            links.push_template(folder, &mapping.template);
            for catalog in &mapping.catalogs {
                links.push_catalog(folder, catalog);
            }
        }
    } else if name == RELEASE_FILE
        && let Some(operator) = folder.parent().filter(|operator| is_operator(operator))
    {
        let release = ReleaseConfig::parse_release(path, text).ok().map(|(release, _)| release);
        for item in release.unwrap_or_default().templates {
            links.push_template(operator, &item.template);
        }
    } else {
        return None;
    }
    Some(links.links)
}

struct LinkWriter<'t> {
    text: &'t [u8],
    encoding: Encoding,
    links: Vec<DocumentLink>,
}

impl LinkWriter<'_> {
    /// Adds a link from the name of a template of an operator.
    fn push_template(&mut self, operator: &Path, template: &Spanned<String>) {
        if is_file_name(&template.value) {
            self.push_link(
                template,
                &[operator.join(TEMPLATE_FOLDER).join(&template.value)],
                "Open the template",
            );
        }
    }

    /// Adds a link from the name of a catalog to the package of an operator in it.
    fn push_catalog(&mut self, operator: &Path, catalog: &Spanned<String>) {
        let Some(root) = operator.parent().and_then(Path::parent) else { return };
        let Some(name) = operator.file_name().filter(|_| is_file_name(&catalog.value)) else { return };
        let package = root.join("catalogs").join(&catalog.value).join(name);
        self.push_link(catalog, &CATALOG_FILES.map(|file| package.join(file)), "Open the catalog");
    }

    /// Adds a link to the first target that exists.
    fn push_link(&mut self, from: &Spanned<String>, targets: &[PathBuf], tooltip: &str) {
        let Some(target) = targets.iter().find(|target| target.is_file()) else { return };
        let at = |byte: u32| self.encoding.position(self.text, byte as usize);
        let range = Range { start: at(from.span.start), end: at(from.span.end) };
        let target = address::path_to_uri(target);
        self.links.push(DocumentLink::new(range, Some(target), Some(tooltip.to_owned()), None));
    }
}

/// Returns true if a name stays in its folder.
fn is_file_name(name: &str) -> bool {
    !name.is_empty() && name != "." && name != ".." && !name.contains(['/', '\\', '\0'])
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn link_lines(root: &Path, file: &str, text: &str) -> Option<Vec<String>> {
        let links = config_links(&root.join(file), text.as_bytes(), Encoding::Utf16)?;
        let describe = |link: &DocumentLink| {
            let target = address::uri_to_path(link.target.as_ref().unwrap()).unwrap();
            let target = target.strip_prefix(root).unwrap().display().to_string();
            format!("{}:{} {target}", link.range.start.line, link.range.start.character)
        };
        Some(links.iter().map(describe).collect())
    }

    #[test]
    fn configurations_link_to_templates_and_catalogs_that_exist() {
        let root = tempfile::tempdir().unwrap();
        for file in [
            "operators/ship/catalog-templates/basic.yaml",
            "catalogs/v4.20/ship/catalog.yaml",
            "catalogs/v4.21/ship/catalog.json",
            "secret.yaml",
        ] {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let ci = "fbc:\n  enabled: true\n  catalog_mapping:\n  - template_name: basic.yaml\n    \
                  catalog_names: [v4.20, 'v4.21', v4.22]\n    type: olm.template.basic\n\
                  \x20 - template_name: ../../../secret.yaml\n    catalog_names: []\n    type: olm.semver\n";
        assert_eq!(
            link_lines(root.path(), "operators/ship/ci.yaml", ci).unwrap(),
            [
                "3:19 operators/ship/catalog-templates/basic.yaml",
                "4:20 catalogs/v4.20/ship/catalog.yaml",
                "4:27 catalogs/v4.21/ship/catalog.json"
            ]
        );
        let release = "catalog_templates:\n- template_name: basic.yaml\n  channels: [stable]\n";
        assert_eq!(
            link_lines(root.path(), "operators/ship/1.0.0/release-config.yaml", release).unwrap(),
            ["1:17 operators/ship/catalog-templates/basic.yaml"]
        );
        assert_eq!(link_lines(root.path(), "operators/ship/ci.yaml", "fbc: ["), Some(Vec::new()));
        assert_eq!(link_lines(root.path(), "other/ci.yaml", ci), None);
    }
}
