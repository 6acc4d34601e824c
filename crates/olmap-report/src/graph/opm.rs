//! Mermaid exactly as `opm alpha render-graph` writes it (operator-registry
//! `alpha/declcfg/write.go`): one graph for the whole catalog. [`super::mermaid`] is better for
//! people; this output is for comparison with other tools.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fmt::Write as _,
};

use olm_bundle::render::sort_as_go;
use olm_catalog::{
    BundleName, DocId, FileId, Node,
    blob::{Blob, ChannelBlob, DeprecationTarget, DeprecationsBlob, Entry},
    decode,
};
use olm_version::Version;

/// Error of opm for a bundle that does not have exactly one valid version.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("opm draws no graph: bundle {0} does not have exactly one version")]
pub struct DrawingError(String);

/// Class names of bundles in the output.
const CLASSES: [&str; 3] = ["deprecated", "skipped", "deprecatedskipped"];

/// Draws the channels of a catalog, given by its objects as `opm render` prints them.
///
/// # Errors
///
/// Fails if a bundle does not have exactly one version.
pub fn render_opm_mermaid(docs: &[Node]) -> Result<String, DrawingError> {
    let mut drawing = Drawing::default();
    let mut channels: Vec<ChannelBlob> = Vec::new();
    for doc in docs {
        match decode::decode_document(DocId { file: FileId(0), serial: 0 }, doc).blob {
            Some(Blob::Bundle(bundle)) => {
                let name = bundle.name.value.clone();
                let version = match bundle.package_properties.as_slice() {
                    [only] => Version::parse(&only.version.value).ok(),
                    _ => None,
                };
                if drawing.versions.contains_key(&name) {
                    continue;
                }
                let version = version.ok_or_else(|| DrawingError(name.to_string()))?;
                drawing.versions.insert(name, version);
            }
            Some(Blob::Channel(channel)) => channels.push(channel),
            Some(Blob::Deprecations(blob)) => drawing.record_deprecations(&blob),
            _ => {}
        }
    }
    sort_as_go(&mut channels, |a, b| a.name.value < b.name.value);
    for channel in &channels {
        drawing.draw_channel(channel);
    }
    Ok(drawing.finish_graph())
}

/// Partial drawing. Like opm, it does not distinguish bundles or channels with the same name in
/// different packages.
#[derive(Default)]
struct Drawing {
    versions: HashMap<BundleName, Version>,
    deprecated_packages: HashSet<String>,
    deprecated_channels: HashSet<String>,
    deprecated_bundles: HashSet<String>,
    packages: BTreeMap<String, String>,
    deprecated_package: Option<String>,
    deprecated_ids: Vec<String>,
    classes: [Vec<String>; 3],
    links: usize,
    skipped_links: Vec<String>,
}

impl Drawing {
    fn record_deprecations(&mut self, blob: &DeprecationsBlob) {
        for entry in &blob.entries {
            match &entry.target {
                Some(DeprecationTarget::Package) => {
                    self.deprecated_packages.insert(blob.package.value.to_string());
                }
                Some(DeprecationTarget::Channel(name)) => {
                    self.deprecated_channels.insert(name.to_string());
                }
                Some(DeprecationTarget::Bundle(name)) => {
                    self.deprecated_bundles.insert(name.to_string());
                }
                None => {}
            }
        }
    }

    fn version_or_zero(&self, entry: &str) -> Version {
        self.versions.get(entry).cloned().unwrap_or_else(|| Version::new(0, 0, 0))
    }

    fn draw_channel(&mut self, channel: &ChannelBlob) {
        let (package, name) = (channel.package.value.as_str(), channel.name.value.as_str());
        let id = format!("{package}-{name}");
        let mut out = self.packages.remove(package).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(out, "    %% channel {}", quote_like_go(name));
        let _ = writeln!(out, "    subgraph {id}[{}]", quote_like_go(name));
        if self.deprecated_packages.contains(package) {
            self.deprecated_package = Some(package.to_owned());
        }
        if self.deprecated_channels.contains(name) {
            self.deprecated_ids.push(id.clone());
        }
        let mut entries: Vec<&Entry> = channel.entries.iter().collect();
        sort_as_go(&mut entries, |a, b| {
            let (a, b) =
                (self.version_or_zero(a.name.value.as_str()), self.version_or_zero(b.name.value.as_str()));
            a.cmp_precedence(&b).is_gt()
        });
        let mut skipped: HashSet<&str> = HashSet::new();
        for entry in entries {
            let to = entry.name.value.as_str();
            let node = |name: &str| format!("{id}-{name}[{}]", quote_like_go(name));
            let _ = writeln!(out, "      {}", node(to));
            let class = match (self.deprecated_bundles.contains(to), skipped.contains(to)) {
                (true, true) => Some(2),
                (false, true) => Some(1),
                (true, false) => Some(0),
                (false, false) => None,
            };
            if let Some(of_class) = class.and_then(|class| self.classes.get_mut(class)) {
                of_class.push(format!("{id}-{to}"));
            }
            let mut edge = |from: &str, label: &str, is_skipped: bool| {
                let _ = writeln!(out, "      {}-- {label} --> {}", node(from), node(to));
                if is_skipped {
                    self.skipped_links.push(self.links.to_string());
                }
                self.links += 1;
            };
            for skip in &entry.skips {
                let from = skip.value.as_str();
                edge(from, "skip", !skipped.insert(from));
            }
            if let Some(range) = &entry.skip_range
                && let Ok(read) = &range.range
            {
                let label = format!("\"skipRange({})\"", range.text.value);
                for from in channel.entries.iter().map(|entry| entry.name.value.as_str()) {
                    let none = Version::new(0, 0, 0);
                    if read.matches(self.versions.get(from).unwrap_or(&none)) {
                        edge(from, &label, skipped.contains(to));
                    }
                }
            }
            if let Some(replaces) = &entry.replaces {
                let from = replaces.value.as_str();
                edge(from, "replace", skipped.contains(to));
            }
        }
        out.push_str("    end\n");
        self.packages.insert(package.to_owned(), out);
    }

    fn finish_graph(mut self) -> String {
        let mut out = String::from(
            "graph LR\n  classDef deprecated fill:#E8960F\n  classDef skipped stroke:#FF0000,stroke-width:4px\n  \
             classDef deprecatedskipped fill:#E8960F,stroke:#FF0000,stroke-width:4px\n",
        );
        for (package, text) in &self.packages {
            let name = quote_like_go(package);
            let _ = write!(out, "  %% package {name}\n  subgraph {name}\n{text}  end\n");
        }
        if let Some(package) = &self.deprecated_package {
            let _ = writeln!(out, "style {package} fill:#989695");
        }
        for id in &self.deprecated_ids {
            let _ = writeln!(out, "style {id} fill:#DCD0FF");
        }
        for (class, ids) in CLASSES.iter().zip(&mut self.classes) {
            if !ids.is_empty() {
                ids.sort();
                let _ = writeln!(out, "class {} {class}", ids.join(","));
            }
        }
        if !self.skipped_links.is_empty() {
            let links = self.skipped_links.join(",");
            let _ = writeln!(out, "linkStyle {links} stroke:#FF0000,stroke-width:3px,stroke-dasharray:5;");
        }
        out
    }
}

/// Quotes a text like `%q` in Go, for characters that occur in names.
fn quote_like_go(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() && u32::from(c) < 0x80 => {
                let _ = write!(out, "\\x{:02x}", u32::from(c));
            }
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::render_opm_mermaid;
    use olm_catalog::{Node, load};

    fn draw_catalog(text: &str) -> String {
        let catalog = load::from_bytes(text.as_bytes().to_vec());
        let docs: Vec<Node> =
            catalog.documents().filter_map(|doc| catalog.parse_document(doc)?.ok()).collect();
        render_opm_mermaid(&docs).unwrap_or_else(|error| error.to_string())
    }

    fn bundle_yaml(version: &str) -> String {
        format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: i\nproperties:\n- type: olm.package\n  value:\n\
             \x20   packageName: p\n    version: {version}\n"
        )
    }

    const CHANNEL: &str = "---\nschema: olm.channel\npackage: p\nname: c\nentries:\n- name: p.v1.0.0\n- name: p.v1.1.0\n\
        \x20 replaces: p.v1.0.0\n- name: p.v1.2.0\n  skips: [p.v1.1.0]\n  skipRange: <1.2.0\n";
    const DEPRECATIONS: &str = "---\nschema: olm.deprecations\npackage: p\nentries:\n- reference: {schema: olm.package}\n\
        \x20 message: m\n- reference: {schema: olm.channel, name: c}\n  message: m\n- reference: {schema: olm.bundle, name: p.v1.1.0}\n\
        \x20 message: m\n- reference: {schema: olm.bundle, name: p.v1.0.0}\n  message: m\n";

    #[test]
    fn one_graph_marks_skipped_and_deprecated_entries() {
        let bundles: String = ["1.0.0", "1.1.0", "1.2.0"].map(bundle_yaml).concat();
        let expected = r#"graph LR
  classDef deprecated fill:#E8960F
  classDef skipped stroke:#FF0000,stroke-width:4px
  classDef deprecatedskipped fill:#E8960F,stroke:#FF0000,stroke-width:4px
  %% package "p"
  subgraph "p"
    %% channel "c"
    subgraph p-c["c"]
      p-c-p.v1.2.0["p.v1.2.0"]
      p-c-p.v1.1.0["p.v1.1.0"]-- skip --> p-c-p.v1.2.0["p.v1.2.0"]
      p-c-p.v1.0.0["p.v1.0.0"]-- "skipRange(<1.2.0)" --> p-c-p.v1.2.0["p.v1.2.0"]
      p-c-p.v1.1.0["p.v1.1.0"]-- "skipRange(<1.2.0)" --> p-c-p.v1.2.0["p.v1.2.0"]
      p-c-p.v1.1.0["p.v1.1.0"]
      p-c-p.v1.0.0["p.v1.0.0"]-- replace --> p-c-p.v1.1.0["p.v1.1.0"]
      p-c-p.v1.0.0["p.v1.0.0"]
    end
  end
style p fill:#989695
style p-c fill:#DCD0FF
class p-c-p.v1.0.0 deprecated
class p-c-p.v1.1.0 deprecatedskipped
linkStyle 3 stroke:#FF0000,stroke-width:3px,stroke-dasharray:5;
"#;
        assert_eq!(draw_catalog(&format!("{CHANNEL}{bundles}{DEPRECATIONS}")), expected);
    }

    #[test]
    fn bundle_without_version_is_not_drawn() {
        let without = "---\nschema: olm.bundle\npackage: p\nname: p.v1\nimage: i\n";
        assert_eq!(
            draw_catalog(without),
            "opm draws no graph: bundle p.v1 does not have exactly one version"
        );
    }
}
