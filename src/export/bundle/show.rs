//! What is inside a bundle, as JSON and as text.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json, json};

use crate::{
    bundle::{
        classic::{self, InstallMode, TargetNamespaces},
        read,
        registry::{Annotations, Contents, Csv},
        view::{related_images, view},
    },
    catalog::{Node, Number, Value},
    export::{json, plain},
};

/// One object: name, package, channels, the OperatorGroups that are supported, the console's view.
pub fn json(contents: &Contents) -> String {
    let csv = contents.any_csv();
    let annotations = contents.metadata.annotations.as_ref();
    let channels: Vec<&str> = annotations.map(Annotations::channel_list).into_iter().flatten().collect();
    let supports = csv.map(classic::supports).unwrap_or_default();
    let object = json!({
        "name": csv.map(Csv::name).unwrap_or_default(),
        "package": contents.package(),
        "channels": channels,
        "supports": {
            "own": supports.contains(&TargetNamespaces::Own),
            "all": supports.contains(&TargetNamespaces::All),
            "single": supports.contains(&TargetNamespaces::Single),
            "multi": supports.contains(&TargetNamespaces::Multi),
            "multi_with_own": supports.contains(&TargetNamespaces::MultiWithOwn),
        },
        "view": csv.map(|csv| tree(&view(csv))),
    });
    json::pretty(&object)
}

/// A tree as JSON; deeper than serde goes there is nothing.
fn tree(node: &Node) -> Json {
    tree_below(node, 0)
}

/// How deep a description may nest.
const MAX_DEPTH: usize = 100;

fn tree_below(node: &Node, depth: usize) -> Json {
    if depth > MAX_DEPTH {
        return Json::Null;
    }
    match &node.value {
        Value::Null => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        Value::Number(Number(text)) => text.parse().map_or(Json::Null, Json::Number),
        Value::String(text) => Json::String(text.clone().into_owned()),
        Value::List(items) => items.iter().map(|item| tree_below(item, depth + 1)).collect(),
        Value::Map(members) => {
            let members =
                members.iter().map(|m| (m.key.clone().into_owned(), tree_below(&m.value, depth + 1)));
            Json::Object(members.collect::<Map<_, _>>())
        }
    }
}

/// The same for people, and what opm leaves out.
pub fn text(contents: &Contents) -> String {
    let mut page = Page(String::new());
    match contents.any_csv() {
        Some(csv) => describe(contents, csv, &mut page),
        None => page.line("no ClusterServiceVersion"),
    }
    page.section("files that opm ignores");
    for dropped in &contents.dropped {
        page.line(&format!("  {}: {}", dropped.file.path, dropped.reason));
    }
    page.finish()
}

fn describe(contents: &Contents, csv: Csv<'_, '_>, page: &mut Page) {
    let spec = |path: &[&str]| csv.spec().map(|spec| read::text(spec, path).into_owned()).unwrap_or_default();
    let annotations = contents.metadata.annotations.as_ref();
    let channels = annotations.map(|annotations| {
        let named = |channel: &str| {
            let is_default = channel == annotations.default_channel;
            if is_default { format!("{channel} (default)") } else { channel.to_owned() }
        };
        annotations.channel_list().map(named).collect::<Vec<_>>().join(", ")
    });
    let modes = classic::install_modes(csv).unwrap_or_default();
    let modes: Vec<&str> = modes.into_iter().map(InstallMode::name).collect();
    page.row("bundle", csv.name());
    page.row("package", contents.package());
    page.row("channels", &channels.unwrap_or_default());
    page.row("version", &spec(&["version"]));
    page.row("release", &spec(&["release"]));
    page.row("display name", &spec(&["displayName"]));
    page.row("provider", &spec(&["provider", "name"]));
    page.row("maturity", &spec(&["maturity"]));
    page.row("capabilities", csv.annotation("capabilities").unwrap_or_default());
    page.row("min Kube", &spec(&["minKubeVersion"]));
    page.row("install modes", &modes.join(", "));
    page.row("replaces", &spec(&["replaces"]));
    page.row("skipRange", csv.annotation("olm.skipRange").unwrap_or_default());
    apis(csv, page);
    workloads(csv, page);
    page.section("images");
    for image in related_images(csv) {
        page.line(&format!("  {image}"));
    }
}

/// What the bundle owns and requires.
fn apis(csv: Csv<'_, '_>, page: &mut Page) {
    for (key, name) in [("customresourcedefinitions", "CRDs"), ("apiservicedefinitions", "API services")] {
        for list in ["owned", "required"] {
            page.section(&format!("{list} {name}"));
            for api in read::items(csv.node(), &["spec", key, list]) {
                let field = |key| read::text(api, &[key]);
                page.line(&format!("  {} {} {}", field("name"), field("version"), field("kind")));
            }
        }
    }
}

/// What runs, and with which permissions.
fn workloads(csv: Csv<'_, '_>, page: &mut Page) {
    page.section("deployments");
    for deployment in read::items(csv.node(), &["spec", "install", "spec", "deployments"]) {
        page.line(&format!("  {}", read::text(deployment, &["name"])));
        for list in ["initContainers", "containers"] {
            for container in read::items(deployment, &["spec", "template", "spec", list]) {
                let field = |key| read::text(container, &[key]);
                page.line(&format!("    {}  {}", field("name"), field("image")));
            }
        }
    }
    for (list, title) in [("permissions", "permissions"), ("clusterPermissions", "cluster permissions")] {
        page.section(title);
        for permission in read::items(csv.node(), &["spec", "install", "spec", list]) {
            let account = read::text(permission, &["serviceAccountName"]);
            for rule in read::items(permission, &["rules"]) {
                let words = |key: &str| read::texts(rule, &[key]).collect::<Vec<_>>().join(",");
                let groups = read::texts(rule, &["apiGroups"])
                    .map(|group| if group.is_empty() { "core".into() } else { group });
                let groups = groups.collect::<Vec<_>>().join(",");
                let what = if groups.is_empty() {
                    words("nonResourceURLs")
                } else {
                    format!("{}  of {groups}", words("resources"))
                };
                page.line(&format!("  {account}: {}  {what}", words("verbs")));
            }
        }
    }
    page.section("webhooks");
    for webhook in read::items(csv.node(), &["spec", "webhookdefinitions"]) {
        let field = |key| read::text(webhook, &[key]);
        page.line(&format!("  {}  {}", field("type"), field("generateName")));
    }
}

/// Lines of text; catalog text in them is made harmless.
struct Page(String);

impl Page {
    fn line(&mut self, text: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{}", plain::line(text));
    }

    fn row(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            self.line(&format!("{name:<14}{value}"));
        }
    }

    /// A heading, which stays only if something follows.
    fn section(&mut self, title: &str) {
        self.drop_empty_section();
        self.0.push_str(SECTION);
        self.line(title);
    }

    fn drop_empty_section(&mut self) {
        if let Some(at) = self.0.rfind(SECTION) {
            let after = self.0.get(at + SECTION.len()..).unwrap_or_default();
            if after.lines().count() <= 1 {
                self.0.truncate(at);
            } else {
                self.0.replace_range(at..at + SECTION.len(), "\n");
            }
        }
    }

    fn finish(mut self) -> String {
        self.drop_empty_section();
        self.0
    }
}

/// What stands before the heading of a section until it is known that something follows; no text of a bundle has it.
const SECTION: &str = "\0";
