//! This machine's registry configuration: `registries.conf` version 2 (locations, mirrors and blocks of
//! registries), and `policy.json` (accepted images). Signatures are not verified, so a policy that requires
//! one refuses the image.
//!
//! Source: containers-registries.conf(5).

use std::{
    env,
    path::{Path, PathBuf},
};

use serde_json::Value;
use toml::de::{DeTable, DeValue};

use crate::images::{
    error::ImageError,
    name::{ImageName, ImageVersion},
};
use olm_catalog::load::regular_file;

const MAX_FILE_BYTES: u64 = 4 << 20;

/// A location to request an image from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Endpoint {
    /// Name of the image at this location.
    pub name: ImageName,
    /// True if TLS is not required.
    pub insecure: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct RegistryEntry {
    prefix: String,
    location: Option<String>,
    blocked: bool,
    insecure: bool,
    mirror_by_digest_only: bool,
    mirrors: Vec<Mirror>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Mirror {
    location: String,
    insecure: bool,
    pull: Option<String>,
}

/// Returns the locations of an image with this machine's configuration: mirrors first, then the registry.
///
/// # Errors
///
/// If the configuration cannot be read, or blocks the registry.
pub fn endpoints(machine: &MachinePaths, name: &ImageName) -> Result<Vec<Endpoint>, ImageError> {
    let mut entries: Vec<(RegistryEntry, PathBuf)> = Vec::new();
    for path in registries_conf_files(machine) {
        let text = regular_file::read_regular(&path, MAX_FILE_BYTES)
            .map_err(|source| ImageError::File { path: path.clone(), source })?;
        let wrong = |why| ImageError::Configuration { path: path.clone(), why };
        for entry in parse_registries(&String::from_utf8_lossy(&text)).map_err(wrong)? {
            entries.retain(|(other, _)| other.prefix != entry.prefix);
            entries.push((entry, path.clone()));
        }
    }
    endpoints_for(&entries, name)
}

/// Returns the locations of an image according to a single file.
#[cfg(feature = "fuzzing")]
pub(super) fn parse_endpoints(
    text: &str,
    path: &Path,
    name: &ImageName,
) -> Result<Vec<Endpoint>, ImageError> {
    let wrong = |why| ImageError::Configuration { path: path.to_owned(), why };
    let entries = parse_registries(text).map_err(wrong)?;
    endpoints_for(&entries.into_iter().map(|entry| (entry, path.to_owned())).collect::<Vec<_>>(), name)
}

/// Returns the locations according to the entry with the longest prefix.
fn endpoints_for(
    entries: &[(RegistryEntry, PathBuf)],
    name: &ImageName,
) -> Result<Vec<Endpoint>, ImageError> {
    let full = format!("{}/{}", name.host, name.repository);
    let matching = entries.iter().filter(|(entry, _)| has_prefix(&full, &entry.prefix).is_some());
    let Some((entry, path)) = matching.max_by_key(|(entry, _)| entry.prefix.len()) else {
        return Ok(vec![Endpoint { name: name.clone(), insecure: false }]);
    };
    if entry.blocked {
        return Err(ImageError::Configuration {
            path: path.clone(),
            why: format!("{} is blocked", entry.prefix),
        });
    }
    let is_digest = matches!(name.version, ImageVersion::Digest(_));
    let is_asked = |mirror: &&Mirror| match mirror.pull.as_deref() {
        Some("digest-only") => is_digest,
        Some("tag-only") => !is_digest,
        Some(_) => true,
        None => is_digest || !entry.mirror_by_digest_only,
    };
    let at = |location: &str, insecure| {
        let name = relocate(&full, &entry.prefix, location, name, path)?;
        Ok(Endpoint { name, insecure })
    };
    let mirrors = entry.mirrors.iter().filter(is_asked).map(|mirror| at(&mirror.location, mirror.insecure));
    let own = match &entry.location {
        Some(location) => at(location, entry.insecure),
        None => Ok(Endpoint { name: name.clone(), insecure: entry.insecure }),
    };
    mirrors.chain([own]).collect()
}

/// Returns the rest after a prefix, which must end at a part of the name.
fn has_prefix<'n>(full: &'n str, prefix: &str) -> Option<&'n str> {
    if let Some(domain) = prefix.strip_prefix('*') {
        let host = full.split('/').next()?;
        return host.ends_with(domain).then(|| full.get(host.len()..)).flatten();
    }
    let rest = full.strip_prefix(prefix)?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

fn relocate(
    full: &str,
    prefix: &str,
    location: &str,
    name: &ImageName,
    path: &Path,
) -> Result<ImageName, ImageError> {
    let rest = has_prefix(full, prefix).unwrap_or_default();
    let sign = if matches!(name.version, ImageVersion::Tag(_)) { ':' } else { '@' };
    ImageName::parse(&format!("{location}{rest}{sign}{}", name.version)).map_err(|error| {
        ImageError::Configuration {
            path: path.to_owned(),
            why: format!("the location {location:?} of {prefix} makes no name: {error}"),
        }
    })
}

fn registries_conf_files(machine: &MachinePaths) -> Vec<PathBuf> {
    let folders: Vec<&PathBuf> = machine.config.iter().chain(&machine.system).collect();
    let main = machine
        .registries
        .clone()
        .or_else(|| folders.iter().map(|folder| folder.join("registries.conf")).find(|path| path.exists()));
    let mut files: Vec<PathBuf> = main.into_iter().collect();
    // The user's configuration comes last and wins.
    for folder in folders.iter().rev() {
        let listed = std::fs::read_dir(folder.join("registries.conf.d")).into_iter().flatten().flatten();
        let mut more: Vec<PathBuf> = listed.map(|entry| entry.path()).collect();
        more.retain(|path| path.extension().is_some_and(|extension| extension == "conf"));
        more.sort();
        files.extend(more);
    }
    files
}

fn parse_registries(text: &str) -> Result<Vec<RegistryEntry>, String> {
    let table = DeTable::parse(text).map_err(|error| error.message().to_owned())?;
    let table = table.get_ref();
    if table.contains_key("registries") {
        return Err("it is written in version 1; version 2 has [[registry]]".to_owned());
    }
    table_list(table, "registry")?.into_iter().map(parse_registry).collect()
}

/// Returns the tables of a list. Any other value is an error, because it can be a misspelled block.
fn table_list<'t>(table: &'t DeTable<'t>, key: &str) -> Result<Vec<&'t DeTable<'t>>, String> {
    let Some(value) = table.get(key) else { return Ok(Vec::new()) };
    let wrong = || format!("{key} is not written as [[{key}]]");
    let array = value.get_ref().as_array().ok_or_else(wrong)?;
    array.iter().map(|value| value.get_ref().as_table().ok_or_else(wrong)).collect()
}

fn parse_registry(table: &DeTable<'_>) -> Result<RegistryEntry, String> {
    let text = |table: &DeTable<'_>, key: &str| match table.get(key).map(toml::Spanned::get_ref) {
        Some(DeValue::String(text)) => {
            Ok(Some(text.trim_end_matches('/').to_owned()).filter(|text| !text.is_empty()))
        }
        None => Ok(None),
        Some(_) => Err(format!("{key} of a [[registry]] is not a text")),
    };
    let flag = |table: &DeTable<'_>, key: &str| match table.get(key).map(toml::Spanned::get_ref) {
        Some(DeValue::Boolean(flag)) => Ok(*flag),
        None => Ok(false),
        Some(_) => Err(format!("{key} of a [[registry]] is neither true nor false")),
    };
    let location = text(table, "location")?;
    let prefix = text(table, "prefix")?.or_else(|| location.clone());
    let prefix = prefix.ok_or("a [[registry]] has neither a prefix nor a location")?;
    if location.is_none() && !prefix.starts_with("*.") {
        return Err(format!("the [[registry]] of {prefix} has no location"));
    }
    let mirror = |table: &DeTable<'_>| {
        let location =
            text(table, "location")?.ok_or_else(|| format!("a mirror of {prefix} has no location"))?;
        Ok::<Mirror, String>(Mirror {
            location,
            insecure: flag(table, "insecure")?,
            pull: text(table, "pull-from-mirror")?,
        })
    };
    Ok(RegistryEntry {
        mirrors: table_list(table, "mirror")?.into_iter().map(mirror).collect::<Result<_, _>>()?,
        location,
        blocked: flag(table, "blocked")?,
        insecure: flag(table, "insecure")?,
        mirror_by_digest_only: flag(table, "mirror-by-digest-only")?,
        prefix,
    })
}

/// Folders and files that podman, skopeo and docker read, and opm with them.
#[derive(Clone, Debug, Default)]
pub struct MachinePaths {
    /// Home directory of the user.
    pub home: Option<PathBuf>,
    /// `$XDG_RUNTIME_DIR/containers`, or its replacement.
    pub runtime: Option<PathBuf>,
    /// `$XDG_CONFIG_HOME/containers`.
    pub config: Option<PathBuf>,
    /// `$DOCKER_CONFIG`, or `~/.docker`.
    pub docker: Option<PathBuf>,
    /// `$REGISTRY_AUTH_FILE`.
    pub authfile: Option<PathBuf>,
    /// `$CONTAINERS_REGISTRIES_CONF`.
    pub registries: Option<PathBuf>,
    /// `/etc/containers` and `/usr/share/containers`, in order of priority.
    pub system: Vec<PathBuf>,
    /// Folders with certificates for each registry.
    pub certificates: Vec<PathBuf>,
}

impl MachinePaths {
    /// Returns the locations of this machine.
    pub fn from_environment() -> Self {
        let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = env::home_dir().filter(|home| !home.as_os_str().is_empty());
        let config = variable("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")));
        let config = config.map(|folder| folder.join("containers"));
        let runtime = variable("XDG_RUNTIME_DIR").map(|folder| folder.join("containers"));
        let system = vec![PathBuf::from("/etc/containers"), PathBuf::from("/usr/share/containers")];
        let certificates = config.iter().map(|folder| folder.join("certs.d"));
        let certificates =
            certificates.chain(["/etc/containers/certs.d".into(), "/etc/docker/certs.d".into()]).collect();
        Self {
            runtime: runtime.or_else(user_runtime_dir),
            docker: variable("DOCKER_CONFIG").or_else(|| Some(home.as_ref()?.join(".docker"))),
            authfile: variable("REGISTRY_AUTH_FILE"),
            registries: variable("CONTAINERS_REGISTRIES_CONF"),
            home,
            config,
            system,
            certificates,
        }
    }
}

/// Returns podman's folder for temporary data if `$XDG_RUNTIME_DIR` is not set.
fn user_runtime_dir() -> Option<PathBuf> {
    #[cfg(unix)]
    let folder = Some(PathBuf::from(format!("/run/containers/{}", nix::unistd::getuid())));
    #[cfg(not(unix))]
    let folder = None;
    folder
}

/// # Errors
///
/// If the policy of this machine refuses an image or cannot be read. Without a policy, everything
/// is accepted.
pub fn check_policy(machine: &MachinePaths, name: &ImageName) -> Result<(), ImageError> {
    let folders = machine.config.iter().chain(machine.system.iter().take(1));
    let mut files = folders.map(|folder| folder.join("policy.json"));
    let Some(path) = files.find(|path| path.exists()) else { return Ok(()) };
    let text = regular_file::read_regular(&path, MAX_FILE_BYTES)
        .map_err(|source| ImageError::File { path: path.clone(), source })?;
    check_policy_text(&text, &path, name)
}

/// Checks an image against the text of a policy.
pub(super) fn check_policy_text(text: &[u8], path: &Path, name: &ImageName) -> Result<(), ImageError> {
    let wrong = |why: String| ImageError::Configuration { path: path.to_owned(), why };
    let policy: Value = serde_json::from_slice(text).map_err(|error| wrong(error.to_string()))?;
    let default = policy.get("default").ok_or_else(|| wrong("it has no default".to_owned()))?;
    let scopes = policy.get("transports").and_then(|transports| transports.get("docker"));
    let scopes = scopes.and_then(Value::as_object);
    let requirements = scopes_of(name).iter().find_map(|scope| scopes?.get(scope)).unwrap_or(default);
    check_requirements(requirements, name, path)
}

/// Returns the scopes of an image, most specific first.
fn scopes_of(name: &ImageName) -> Vec<String> {
    let mut scope = format!("{}/{}", name.host, name.repository);
    let mut scopes = vec![match &name.version {
        ImageVersion::Tag(tag) => format!("{scope}:{tag}"),
        ImageVersion::Digest(digest) => format!("{scope}@{digest}"),
    }];
    scopes.push(scope.clone());
    while let Some(slash) = scope.rfind('/') {
        scope.truncate(slash);
        scopes.push(scope.clone());
    }
    let mut host = name.host.as_str();
    while let Some((_, above)) = host.split_once('.') {
        scopes.push(format!("*.{above}"));
        host = above;
    }
    scopes.push(String::new());
    scopes
}

fn check_requirements(requirements: &Value, name: &ImageName, path: &Path) -> Result<(), ImageError> {
    let wrong = |why: String| ImageError::Configuration { path: path.to_owned(), why };
    let list = requirements.as_array().filter(|list| !list.is_empty());
    for requirement in
        list.ok_or_else(|| wrong("it has a list of requirements that is empty or none".to_owned()))?
    {
        match requirement.get("type").and_then(Value::as_str) {
            Some("insecureAcceptAnything") => {}
            Some("reject") => return Err(wrong(format!("this policy rejects {name}"))),
            Some(other) => {
                return Err(wrong(format!(
                    "this policy asks for a signature of {name} ({other}), and olmap verifies none"
                )));
            }
            None => return Err(wrong("a requirement has no type".to_owned())),
        }
    }
    Ok(())
}
