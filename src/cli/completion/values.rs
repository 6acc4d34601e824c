//! Kinds of values that options and positional arguments take.

use clap::Arg;

/// Kind of a value, which decides its candidates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueKind {
    /// Value that the definition lists.
    Choice,
    /// Package of a catalog.
    Package,
    /// `PACKAGE[:CHANNEL]`.
    PackageAndChannel,
    /// Channel.
    Channel,
    /// Bundle, by its name.
    Bundle,
    /// Bundle, or `head`.
    BundleOrHead,
    /// Bundle if the line has a catalog, otherwise its directory.
    BundleOrPath,
    /// API or package.
    Api,
    /// Package, channel or bundle.
    AnyName,
    /// Rule.
    Rule,
    /// Rule, or all of a severity.
    RuleOrSeverity,
    /// Catalog: path, discovered catalog or revision.
    Catalog,
    /// `[NAME=]CATALOG`.
    NamedCatalog,
    /// Directory of a bundle, or revision.
    BundleDirectory,
    /// Git revision.
    Revision,
    /// `[TYPE] FILE` of a template.
    TemplateOrType,
    /// File or directory.
    Path,
    /// Directory.
    Directory,
    /// Word of a fixed list.
    Words(&'static [&'static str]),
    /// Text without candidates.
    Text,
}

/// Keys of `--where`.
const CONSOLE_KEYS: &[&str] = &[
    "arch=",
    "capability=",
    "category=",
    "feature=",
    "keyword=",
    "name=",
    "os=",
    "provider=",
    "subscription=",
];

/// Lists of a semver template.
const SEMVER_LISTS: &[&str] = &["Candidate", "Fast", "Stable"];

/// Returns the kind of the values of an argument; `None` if it takes no value, or if its kind is not known, which a
/// test refuses. `command` is the name of the command without the program.
pub fn value_kind(command: &str, argument: &Arg) -> Option<ValueKind> {
    if !argument.get_action().takes_values() {
        return None;
    }
    if argument.get_value_parser().possible_values().is_some_and(|mut values| values.next().is_some()) {
        return Some(ValueKind::Choice);
    }
    let name = argument.get_value_names().and_then(|names| names.first()).map_or("", |name| name.as_str());
    match argument.get_long() {
        Some(long) => option_kind(command, long, name),
        None => positional_kind(command, name),
    }
}

fn option_kind(command: &str, long: &str, name: &str) -> Option<ValueKind> {
    use ValueKind as Kind;
    let (group, leaf) = command.split_once(' ').unwrap_or((command, ""));
    Some(match (group, leaf, long) {
        // opm's own commands name what does not exist yet.
        ("generate" | "init", _, "package" | "channels" | "default" | "default-channel") => Kind::Text,
        ("template", "release", "template") => Kind::Text,
        ("template", "release", "replaces" | "skip") => Kind::Bundle,
        ("edit", "add-channel", "from") => Kind::Channel,
        ("edit", "template" | "template add", "from") => Kind::Path,
        (_, _, "package") => Kind::Package,
        (_, _, "channel" | "default") => Kind::Channel,
        (_, _, "default-channel") => Kind::Channel,
        (_, _, "bundle" | "of" | "installed" | "replaces" | "skip" | "unskip") => Kind::Bundle,
        (_, _, "subscribe") => Kind::PackageAndChannel,
        (_, _, "rule") => Kind::Rule,
        (_, _, "allow" | "deny") => Kind::RuleOrSeverity,
        (_, _, "changed-since" | "since") => Kind::Revision,
        (_, _, "against") => Kind::Catalog,
        ("template", "render", "bundles") => Kind::Catalog,
        (_, _, "catalog") if name.contains('=') => Kind::NamedCatalog,
        (_, _, "catalog") => Kind::Catalog,
        (_, _, "where") => Kind::Words(CONSOLE_KEYS),
        _ => match name {
            "LIST" => Kind::Words(SEMVER_LISTS),
            "DIR" => Kind::Directory,
            "FILE" | "PATH" => Kind::Path,
            "4.NN"
            | "APPROVAL"
            | "API"
            | "BUNDLE"
            | "CHANNELS"
            | "FORM"
            | "FORMAT"
            | "FORMAT=FILE"
            | "GLOB"
            | "IMAGE"
            | "KEY=VALUE"
            | "KIND"
            | "LAYOUT"
            | "LEVEL"
            | "MODE"
            | "N"
            | "N|CATALOG"
            | "NAME"
            | "NAME=CHANNEL[,CHANNEL]"
            | "NAME=VALUE"
            | "NAMESPACE"
            | "NAMESPACE/NAME"
            | "OLM"
            | "ORDER"
            | "OS/ARCH"
            | "PLACE"
            | "POLICY"
            | "PORT"
            | "RANGE"
            | "REFERENCE"
            | "SECONDS"
            | "TARGET"
            | "TEMPLATE"
            | "TEXT"
            | "VALUE"
            | "VERSION"
            | "WHAT"
            | "WHEN"
            | "WHO"
            | "YYYY-MM-DD" => Kind::Text,
            _ => return None,
        },
    })
}

fn positional_kind(command: &str, name: &str) -> Option<ValueKind> {
    use ValueKind as Kind;
    let (group, leaf) = command.split_once(' ').unwrap_or((command, ""));
    Some(match (group, leaf, name) {
        ("explain", _, "RULE") => Kind::Rule,
        ("git", "merge", "MARKER_SIZE") => Kind::Text,
        ("git", "merge", _) => Kind::Path,
        ("bundle", "show", "PATH") => Kind::Catalog,
        ("bundle", "validate", "DIR") => Kind::BundleDirectory,
        ("bundle" | "crds", "diff", _) => Kind::BundleOrPath,
        ("crds", "check", _) => Kind::Path,
        ("edit", "add-bundle", "BUNDLE") => Kind::Path,
        ("edit", "add-channel", "CHANNEL") | ("edit", "rename-channel", "TO") => Kind::Text,
        ("path", _, "TO") => Kind::BundleOrHead,
        ("path", _, name) if name.starts_with("FROM") => Kind::Bundle,
        ("apis", _, _) => Kind::Api,
        ("locate", _, "NAME") => Kind::AnyName,
        ("diff", _, "OLD" | "NEW" | "MORE") => Kind::Catalog,
        (_, _, "PACKAGE") => Kind::Package,
        (_, _, name) if name.starts_with("PACKAGE[:CHANNEL") => Kind::PackageAndChannel,
        (_, _, "CHANNEL") => Kind::Channel,
        (_, _, "BUNDLE") => Kind::Bundle,
        (_, _, "PATH" | "CATALOG") => Kind::Catalog,
        (_, _, name) if name.ends_with("=]CATALOG") => Kind::NamedCatalog,
        (_, _, "DIR" | "REPO") => Kind::Directory,
        (_, _, "[TYPE] FILE") => Kind::TemplateOrType,
        (_, _, "FILE" | "TEMPLATE") => Kind::Path,
        (_, _, "API" | "IMAGE" | "NAME" | "RANGE" | "RULE" | "TEXT" | "TYPE" | "VALUE" | "VERSION") => {
            Kind::Text
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{super::super::Cli, *};

    fn collect_unknown(command: &clap::Command, path: &str, unknown: &mut Vec<String>) {
        for argument in command.get_arguments().filter(|argument| argument.get_action().takes_values()) {
            if value_kind(path, argument).is_none() {
                unknown.push(format!("{path}: {} {:?}", argument.get_id(), argument.get_value_names()));
            }
        }
        for below in command.get_subcommands() {
            let path = format!("{path} {}", below.get_name());
            collect_unknown(below, path.trim(), unknown);
        }
    }

    #[test]
    fn every_value_has_a_kind() {
        let mut unknown = Vec::new();
        collect_unknown(&Cli::definition(), "", &mut unknown);
        assert!(unknown.is_empty(), "{unknown:#?}");
    }

    #[test]
    fn names_are_never_completed_as_files() {
        let mut wrong = Vec::new();
        let mut all = vec![(String::new(), Cli::definition())];
        while let Some((path, command)) = all.pop() {
            for argument in command.get_arguments() {
                let is_name = matches!(argument.get_long(), Some("package" | "channel" | "rule" | "deny"));
                let kind = value_kind(&path, argument);
                if is_name
                    && matches!(kind, Some(ValueKind::Path | ValueKind::Directory | ValueKind::Catalog))
                {
                    wrong.push(format!("{path} {}", argument.get_id()));
                }
            }
            let below = command.get_subcommands().cloned();
            all.extend(below.map(|below| (format!("{path} {}", below.get_name()).trim().to_owned(), below)));
        }
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}
