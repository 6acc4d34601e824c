//! Candidates for values and list items.

use std::{cmp::Reverse, collections::HashSet};

use gen_lsp_types::CompletionItemKind;

use super::{
    Choice, fields,
    yaml::{Context, Slot},
};
use olm_catalog::{BundleName, Catalog, ChannelName, package::Package};

/// Returns the candidates for the value at the cursor.
pub fn value_choices(context: &Context, catalog: &Catalog) -> Vec<Choice> {
    let (object, path) = context.enclosing_object();
    let schema = object.and_then(|object| object.get("schema")).unwrap_or_default();
    let key = match &context.slot {
        Slot::Value(key) => key.as_str(),
        Slot::Item => "",
        Slot::Key => return Vec::new(),
    };
    let named = if schema == "olm.package" { "name" } else { "package" };
    let package = object.and_then(|object| object.get(named)).filter(|name| !name.is_empty());
    // If the object does not name a package, the only package of the catalog is used.
    let only = || {
        let mut all = catalog.packages();
        all.next().filter(|_| all.next().is_none())
    };
    let package = package.map_or_else(only, |name| catalog.package(name)).map(AsRef::as_ref);
    let own = |key: &str| context.innermost_map().and_then(|map| map.get(key)).unwrap_or_default();
    let channel = || object.and_then(|object| object.get("name"));
    match (schema, path.as_slice(), key) {
        ("olm.deprecations", ["entries", "reference"], "schema") => {
            constant_choices(&fields::SCHEMAS[..3], CompletionItemKind::EnumMember)
        }
        ("olm.deprecations", ["entries", "reference"], "name") => match own("schema") {
            "olm.channel" => channel_choices(package),
            "olm.bundle" => bundle_choices(package, None, |_| true),
            _ => Vec::new(),
        },
        (_, [], "schema") => {
            let templates = fields::TEMPLATES.iter().filter(|_| context.levels.len() == 1).copied();
            let all: Vec<_> = fields::SCHEMAS.iter().copied().chain(templates).collect();
            constant_choices(&all, CompletionItemKind::EnumMember)
        }
        (_, [], "package") => package_choices(catalog),
        ("olm.package", [], "defaultChannel") => channel_choices(package),
        ("olm.channel", ["entries"], "name") => {
            let known = package.zip(channel()).and_then(|(package, name)| package.channel(name));
            let there: HashSet<&str> = known
                .into_iter()
                .flat_map(|channel| &channel.entries)
                .map(|entry| entry.name.value.as_str())
                .collect();
            bundle_choices(package, None, |name| name == own("name") || !there.contains(name))
        }
        ("olm.channel", ["entries"], "replaces") | ("olm.channel", ["entries", "skips"], "") => {
            let listed = own("name");
            bundle_choices(package, channel(), |name| name != listed)
        }
        ("olm.channel", ["entries"], "skipRange") => range_choices(package, own("name")),
        ("olm.bundle", [], "name") => undefined_bundle_choices(package),
        ("olm.bundle", ["properties"], "type") => {
            constant_choices(fields::PROPERTIES, CompletionItemKind::EnumMember)
        }
        ("olm.template.substitutes", ["substitutions"], "name" | "base") => {
            bundle_choices(package, None, |_| true)
        }
        ("olm.semver", [], "generateMajorChannels" | "generateMinorChannels") => {
            constant_choices(&[("true", ""), ("false", "")], CompletionItemKind::Value)
        }
        ("olm.semver", [], "defaultChannelTypePreference") => {
            constant_choices(&[("minor", "as opm does"), ("major", "")], CompletionItemKind::EnumMember)
        }
        _ => Vec::new(),
    }
}

fn new_choice(text: &str, detail: String, kind: CompletionItemKind) -> Choice {
    Choice { text: text.to_owned(), detail, kind, is_deprecated: false, field: None }
}

fn constant_choices(all: &[(&str, &str)], kind: CompletionItemKind) -> Vec<Choice> {
    all.iter().map(|(text, what)| new_choice(text, (*what).to_owned(), kind)).collect()
}

fn package_choices(catalog: &Catalog) -> Vec<Choice> {
    let named = catalog.packages().filter(|package| !package.name.as_str().is_empty());
    named
        .map(|package| new_choice(package.name.as_str(), "package".to_owned(), CompletionItemKind::Module))
        .collect()
}

fn channel_choices(package: Option<&Package>) -> Vec<Choice> {
    let Some(package) = package else { return Vec::new() };
    let mut seen: HashSet<&ChannelName> = HashSet::new();
    let channels = package.channels.iter().filter(|channel| seen.insert(&channel.name.value));
    let told = |name: &ChannelName, heads: Vec<&BundleName>| Choice {
        is_deprecated: package.channel_deprecation(name).is_some(),
        ..new_choice(
            name.as_str(),
            heads
                .first()
                .map(|head| format!("channel, head {}", package.short_name(head)))
                .unwrap_or_default(),
            CompletionItemKind::Enum,
        )
    };
    channels.map(|channel| told(&channel.name.value, channel.heads())).collect()
}

/// Returns bundles, and names that only entries have. Bundles of the channel `first` come first, then higher
/// versions.
fn bundle_choices(
    package: Option<&Package>,
    first: Option<&str>,
    is_wanted: impl Fn(&str) -> bool,
) -> Vec<Choice> {
    let Some(package) = package else { return Vec::new() };
    let mut names: Vec<&BundleName> = package.bundles.iter().map(|bundle| &bundle.name.value).collect();
    names.extend(package.channels.iter().flat_map(|channel| &channel.entries).map(|entry| &entry.name.value));
    let mut seen: HashSet<&BundleName> = HashSet::new();
    names.retain(|name| !name.as_str().is_empty() && is_wanted(name.as_str()) && seen.insert(name));
    let in_first = |name: &BundleName| {
        first.is_some_and(|first| package.channels_with(name).any(|channel| channel.name.value == first))
    };
    names.sort_by(|a, b| {
        let version = |name: &BundleName| package.bundle_version(name.as_str());
        let by_version = match (version(a), version(b)) {
            (Some(a), Some(b)) => b.cmp_precedence(a),
            (a, b) => b.is_some().cmp(&a.is_some()),
        };
        Reverse(in_first(a)).cmp(&Reverse(in_first(b))).then(by_version)
    });
    let told = |name: &BundleName| {
        let mut homes: Vec<&str> =
            package.channels_with(name).take(4).map(|channel| channel.name.value.as_str()).collect();
        if homes.len() == 4 {
            homes[3] = "...";
        }
        let homes =
            if homes.is_empty() { "in no channel".to_owned() } else { format!("in {}", homes.join(", ")) };
        let detail = match package.bundle_version(name.as_str()) {
            Some(version) => format!("{version}, {homes}"),
            None => format!("no bundle, {homes}"),
        };
        let deprecated = package.bundle_deprecation(name).is_some();
        Choice {
            is_deprecated: deprecated,
            ..new_choice(name.as_str(), detail, CompletionItemKind::Reference)
        }
    };
    names.into_iter().map(told).collect()
}

/// Returns the entries without a bundle.
fn undefined_bundle_choices(package: Option<&Package>) -> Vec<Choice> {
    let is_missing = |name: &str| package.is_some_and(|package| package.bundle(name).is_none());
    bundle_choices(package, None, is_missing)
}

/// Returns the range of all versions below an entry.
fn range_choices(package: Option<&Package>, entry: &str) -> Vec<Choice> {
    let version = package.and_then(|package| package.bundle_version(entry));
    let below = version.map(|version| format!("<{}", version.version));
    let told = |text: String| {
        new_choice(&text, "every version before this one".to_owned(), CompletionItemKind::Value)
    };
    below.map(told).into_iter().collect()
}
