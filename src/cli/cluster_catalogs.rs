//! Catalogs of one cluster from the command line: `--catalog NAME=PATH[,OPTION]...`, and `--one-cluster`.

use std::path::{Path, PathBuf};
use std::{collections::BTreeMap, sync::Arc};

use super::{Failure, Out, image, resolve, source};
use olm_catalog::similar_names;
use olm_plan::cluster::ExtensionCatalog;
use olm_upgrade::cluster::{CatalogProperties, ClusterCatalogs, ClusterMember, LabelSelector, MemberContent};
use olm_upgrade::install_blockers::is_dns_label;

/// Options of a catalog.
const OPTIONS: [&str; 3] = ["priority", "label", "unavailable"];

/// Description of the options, for hints.
const SYNTAX: &str = "NAME=PATH[,priority=N][,label=KEY=VALUE]...[,unavailable]";

/// Catalogs of a cluster, and the selector between them.
#[derive(Debug, clap::Args)]
pub struct ClusterCatalogArgs {
    /// v1: a catalog of the cluster, and its options: priority=N, label=KEY=VALUE, unavailable. Can be
    /// repeated: OLM v1 then chooses between the catalogs, as on a cluster.
    #[arg(long = "catalog", value_name = "NAME=PATH[,OPTION]...", value_parser = parse_named_catalog)]
    catalogs: Vec<CatalogWord>,
    /// v1: each PATH is a catalog of one cluster, [NAME=]PATH[,OPTION]..., as with --catalog.
    #[arg(long)]
    one_cluster: bool,
    /// v1: label that the catalogs must have, or a selector as a JSON object, as in
    /// spec.source.catalog.selector. Can be repeated.
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_selector)]
    selector: Vec<LabelSelector>,
}

/// Catalog with the options of its word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogWord {
    name: String,
    path: PathBuf,
    priority: Option<i32>,
    labels: BTreeMap<String, String>,
    is_unavailable: bool,
}

impl CatalogWord {
    /// Returns the properties: those of the options, else those of the `ClusterCatalog` with this name.
    fn to_properties(&self, known: &[ExtensionCatalog]) -> CatalogProperties {
        let known = known.iter().find(|known| known.name == self.name);
        let mut properties =
            known.map_or_else(|| CatalogProperties::from_name(&self.name), ExtensionCatalog::to_properties);
        properties.priority = self.priority.unwrap_or(properties.priority);
        properties.labels.extend(self.labels.clone());
        properties.is_available &= !self.is_unavailable;
        properties
    }
}

impl ClusterCatalogArgs {
    /// Returns true if the catalogs are those of one cluster.
    pub fn is_cluster(&self) -> bool {
        self.one_cluster || !self.catalogs.is_empty()
    }

    /// Returns the selector. All its requirements must hold.
    pub fn selector(&self) -> LabelSelector {
        let mut all = LabelSelector::default();
        for selector in &self.selector {
            all.match_labels.extend(selector.match_labels.clone());
            all.match_expressions.extend(selector.match_expressions.iter().cloned());
        }
        all
    }

    /// Returns the only positional PATH of a command about one catalog. Refuses a selector and several PATHs, because
    /// they need catalogs of one cluster. A command that writes the selector uses it with one catalog too.
    pub fn single_path<'p>(
        &self,
        paths: &'p [PathBuf],
        uses_selector: bool,
    ) -> Result<Option<&'p Path>, Failure> {
        if !self.selector.is_empty() && !uses_selector {
            return Err(Failure::new("--selector selects catalogs of one cluster")
                .with_hint(format!("give them with --catalog {SYNTAX}")));
        }
        if let [_, _, ..] = paths {
            return Err(Failure::new("an answer is about one catalog, or about the catalogs of one cluster")
                .with_hint("--one-cluster takes the PATHs as the catalogs of one cluster"));
        }
        Ok(paths.first().map(PathBuf::as_path))
    }

    /// Opens the catalogs of the cluster. `paths` are the positional arguments, `inputs` other files that
    /// the command reads, and `known` are `ClusterCatalog`s of such a file. The content of those that are not
    /// given is not known.
    pub fn open_members(
        &self,
        paths: &[PathBuf],
        inputs: &[&Path],
        known: &[ExtensionCatalog],
        images: &image::Args,
        out: &Out,
    ) -> anyhow::Result<ClusterCatalogs> {
        let words = self.collect_words(paths)?;
        source::check_stdin(words.iter().map(|word| word.path.as_path()).chain(inputs.iter().copied()))?;
        let others = known.iter().filter(|known| words.iter().all(|word| word.name != known.name));
        let others: Vec<ClusterMember> = others
            .map(|known| ClusterMember { properties: Arc::new(known.to_properties()), content: None })
            .collect();
        let members = words.iter().map(|word| open_member(word, known, images, out));
        let mut members: Vec<ClusterMember> = members.collect::<anyhow::Result<_>>()?;
        members.extend(others);
        let catalogs = ClusterCatalogs::from_members(members);
        Ok(catalogs.map_err(|error| Failure::new(error.to_string()).with_hint("name each one: NAME=PATH"))?)
    }

    fn collect_words(&self, paths: &[PathBuf]) -> Result<Vec<CatalogWord>, Failure> {
        let mut words = self.catalogs.clone();
        match (self.one_cluster, paths) {
            (false, []) => {}
            (false, [..]) => {
                return Err(Failure::new("PATH and --catalog are different ways to give a catalog")
                    .with_hint("--one-cluster takes the PATHs as catalogs of the cluster too"));
            }
            (true, []) if words.is_empty() => {
                return Err(Failure::new("--one-cluster needs the PATHs of the catalogs")
                    .with_hint("--one-cluster redhat=PATH own=PATH,priority=5"));
            }
            (true, paths) => {
                for path in paths {
                    let word = parse_positional_catalog(path);
                    words.push(word.map_err(|reason| Failure::new(reason).with_hint(SYNTAX))?);
                }
            }
        }
        Ok(words)
    }
}

/// Catalog of a cluster that a `PATH` of the command line describes.
pub struct DescribedCatalog {
    pub path: PathBuf,
    pub properties: CatalogProperties,
}

/// Parses the positional arguments as catalogs of one cluster, with the properties of the `ClusterCatalog`s that are
/// already known.
pub fn describe_catalogs(
    paths: &[PathBuf],
    known: &[ExtensionCatalog],
) -> Result<Vec<DescribedCatalog>, Failure> {
    let all = paths.iter().map(|path| {
        let word = parse_positional_catalog(path).map_err(|reason| Failure::new(reason).with_hint(SYNTAX))?;
        Ok(DescribedCatalog { properties: word.to_properties(known), path: word.path })
    });
    let all: Vec<DescribedCatalog> = all.collect::<Result<_, Failure>>()?;
    for (at, one) in all.iter().enumerate() {
        let name = &one.properties.name;
        if all.iter().take(at).any(|other| other.properties.name == *name) {
            return Err(
                Failure::new(format!("two catalogs are called {name}")).with_hint("name each one: NAME=PATH")
            );
        }
    }
    Ok(all)
}

/// Refuses options of a command that are about one catalog, such as OLM Classic. `options` has each option, and
/// whether it is given.
pub fn refuse_single_catalog_options(is_classic: bool, options: &[(bool, &str)]) -> Result<(), Failure> {
    if is_classic {
        return Err(Failure::new("OLM Classic takes a package from one catalog: that of the Subscription")
            .with_hint("leave out --catalog and --one-cluster, and give the PATH of that catalog"));
    }
    match options.iter().find(|(is_given, _)| *is_given) {
        Some((_, option)) => Err(Failure::new(format!("{option} is about one catalog"))
            .with_hint("leave out --catalog and --one-cluster, and give the PATH of the catalog")),
        None => Ok(()),
    }
}

/// Opens a catalog unless it is unavailable, because v1 does not read it then.
fn open_member(
    word: &CatalogWord,
    known: &[ExtensionCatalog],
    images: &image::Args,
    out: &Out,
) -> anyhow::Result<ClusterMember> {
    let properties = Arc::new(word.to_properties(known));
    if !properties.is_available {
        return Ok(ClusterMember { properties, content: None });
    }
    let catalog = source::open_catalog(Some(&word.path), images)?;
    source::refuse_bundles(&catalog)?;
    if catalog.template().is_some() {
        return Err(Failure::new(format!("{} is a template, not a catalog", catalog.origin.label()))
            .with_hint("olmap template render prints its catalog")
            .into());
    }
    source::warn_of_problems(&catalog, out);
    Ok(ClusterMember { properties, content: Some(MemberContent::from_catalog(catalog)) })
}

/// Parses `NAME=PATH[,OPTION]...`.
fn parse_named_catalog(word: &str) -> Result<CatalogWord, String> {
    let Some((name, rest)) = word.split_once('=') else {
        return Err(format!("the name of the catalog is missing: {SYNTAX}"));
    };
    check_name(name)?;
    parse_options(name, rest)
}

/// Parses `[NAME=]PATH[,OPTION]...`. Without a name, it is derived from the path.
fn parse_positional_catalog(word: &Path) -> Result<CatalogWord, String> {
    let Some(text) = word.to_str() else {
        let name = resolve::derive_name(word);
        check_name(&name)?;
        let path = word.to_owned();
        return Ok(CatalogWord {
            name,
            path,
            priority: None,
            labels: BTreeMap::new(),
            is_unavailable: false,
        });
    };
    if let Some((name, rest)) = text.split_once('=').filter(|(name, _)| is_dns_label(name)) {
        return parse_options(name, rest);
    }
    let mut word = parse_options("", text)?;
    word.name = resolve::derive_name(&word.path);
    check_name(&word.name)?;
    Ok(word)
}

fn check_name(name: &str) -> Result<(), String> {
    if is_dns_label(name) {
        return Ok(());
    }
    Err(format!("{name:?} is not a name of a ClusterCatalog: lower case letters, digits, - and ."))
}

/// Parses the options at the end of a word. The rest is the path, which may contain commas.
fn parse_options(name: &str, word: &str) -> Result<CatalogWord, String> {
    let (mut priority, mut labels, mut is_unavailable) = (None, BTreeMap::new(), false);
    let mut path = word;
    while let Some((before, option)) = path.rsplit_once(',') {
        match option.split_once('=') {
            None if option == "unavailable" => is_unavailable = true,
            Some(("priority", text)) => {
                let number = text.parse::<i32>();
                let number =
                    number.map_err(|_| format!("priority={text} is not a whole number of 32 bits"))?;
                // The last of several words wins.
                priority = priority.or(Some(number));
            }
            Some(("label", label)) => {
                let (key, value) =
                    label.split_once('=').ok_or_else(|| format!("label={label} needs KEY=VALUE"))?;
                labels.entry(key.to_owned()).or_insert_with(|| value.to_owned());
            }
            Some((key, _)) if is_option_word(key) => {
                return Err(match similar_names::suggest_closest(key, OPTIONS.into_iter()) {
                    Some(closest) => format!("unknown option {key}; did you mean {closest}?"),
                    None => format!("unknown option {key}; the options are {}", OPTIONS.join(", ")),
                });
            }
            _ => break,
        }
        path = before;
    }
    if path.is_empty() {
        return Err("the path of the catalog is missing".to_owned());
    }
    Ok(CatalogWord { name: name.to_owned(), path: path.into(), priority, labels, is_unavailable })
}

/// Returns true if a word looks like the name of an option, and not like a part of a path.
fn is_option_word(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-')
}

/// Parses `KEY=VALUE`, or a selector as JSON.
fn parse_selector(text: &str) -> Result<LabelSelector, String> {
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text).map_err(|error| error.to_string());
    }
    let (key, value) = text.split_once('=').ok_or("a label needs KEY=VALUE")?;
    let match_labels = BTreeMap::from([(key.to_owned(), value.to_owned())]);
    let selector = LabelSelector { match_labels, ..LabelSelector::default() };
    selector.compile().map_err(|error| error.to_string())?;
    Ok(selector)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_catalog(word: &str) -> CatalogWord {
        parse_named_catalog(word).unwrap()
    }

    #[test]
    fn reads_options_from_the_end() {
        let word =
            parse_catalog("red.hat=a/b,priority=-100,label=example.com/tier=gold,label=empty=,unavailable");
        assert_eq!((word.name.as_str(), word.path.as_path()), ("red.hat", Path::new("a/b")));
        let properties = word.to_properties(&[]);
        assert_eq!((properties.priority, properties.is_available), (-100, false));
        assert_eq!(properties.label_value("example.com/tier"), Some("gold"));
        assert_eq!(properties.label_value("empty"), Some(""));
    }

    #[test]
    fn path_may_contain_commas_and_equals_signs() {
        for path in ["a,b", "a,b/c=d", "a=b", "a,priority/x", "oci:x@sha256:0,1"] {
            assert_eq!(parse_catalog(&format!("n={path}")).path, Path::new(path));
        }
        assert_eq!(parse_catalog("n=a,b,priority=3").path, Path::new("a,b"));
    }

    #[test]
    fn refuses_mistakes_in_options() {
        for (word, part) in [
            ("x", "name of the catalog is missing"),
            ("Red=x", "not a name"),
            ("=x", "not a name"),
            ("n=", "path of the catalog is missing"),
            ("n=,priority=1", "path of the catalog is missing"),
            ("n=x,priority=high", "32 bits"),
            ("n=x,priority=2147483648", "32 bits"),
            ("n=x,prio=3", "unknown option prio"),
            ("n=x,labels=a=b", "did you mean label?"),
            ("n=x,label=a", "needs KEY=VALUE"),
        ] {
            let error = parse_named_catalog(word).unwrap_err();
            assert!(error.contains(part), "{word}: {error}");
        }
    }

    #[test]
    fn positional_catalog_has_the_name_of_its_path() {
        let parse = |word: &str| parse_positional_catalog(Path::new(word));
        assert_eq!(parse("catalogs/own,priority=2").unwrap().name, "own");
        assert_eq!(parse("mine=catalogs/own").unwrap().name, "mine");
        assert_eq!(parse("own/catalog.yaml").unwrap().name, "own");
        assert_eq!(parse("catalogs/v4.20").unwrap().name, "v4.20");
        assert_eq!(parse("catalogs/v4.20/catalog.yaml").unwrap().name, "v4.20");
        assert_eq!(parse("catalogs/v4.20.json").unwrap().name, "v4.20");
        assert!(parse("catalogs/Own").is_err());
    }

    #[test]
    fn reads_labels_and_json_selectors() {
        assert_eq!(parse_selector("a/b=c").unwrap().to_string(), "a/b=c");
        let json = r#"{"matchExpressions": [{"key": "a", "operator": "Exists"}]}"#;
        assert_eq!(parse_selector(json).unwrap().to_string(), "a");
        assert!(parse_selector("a").is_err());
        assert!(parse_selector("a b=c").is_err());
    }
}
