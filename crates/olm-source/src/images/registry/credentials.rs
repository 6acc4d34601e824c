//! Credentials in the files of podman and docker, in opm's order. No message contains a secret.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Map, Value};

use super::{helper, machine::MachinePaths};
use crate::images::{error::ImageError, name::ImageName};
use olm_catalog::load::regular_file;

/// Size limit of a credentials file, in bytes.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// Secret for a registry.
#[derive(Clone, PartialEq, Eq)]
pub enum Secret {
    /// User and password.
    Basic(String, String),
    /// A token instead of user and password.
    Identity(String),
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(secret)")
    }
}

/// A secret with its source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Credentials {
    /// The secret.
    pub secret: Secret,
    /// The file.
    pub from: PathBuf,
}

/// Format of a credentials file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FileFormat {
    Auths,
    /// `~/.dockercfg`: the entries without an outer object.
    Dockercfg,
}

/// Returns the files to search, in order; the first with credentials wins.
pub fn credential_files(machine: &MachinePaths, authfile: Option<&Path>) -> Vec<PathBuf> {
    if let Some(only) = authfile {
        return vec![only.to_owned()];
    }
    let docker = machine.docker.as_ref().map(|folder| folder.join("config.json"));
    let first = machine.authfile.clone().or_else(|| docker.clone());
    let of_podman = [&machine.runtime, &machine.config].into_iter().flatten().map(|f| f.join("auth.json"));
    let old = machine.home.as_ref().map(|home| home.join(".dockercfg"));
    let mut files: Vec<PathBuf> = Vec::new();
    for file in first.into_iter().chain(of_podman).chain(docker).chain(old) {
        if !files.contains(&file) {
            files.push(file);
        }
    }
    files
}

/// Key of Docker Hub in a credential helper of docker.
const DOCKER_HUB_KEY: &str = "https://index.docker.io/v1/";

/// Returns the credentials for a repository, and errors that may not matter. Skips missing and broken files,
/// except the file in `authfile`.
///
/// # Errors
///
/// If the credentials are unusable, for example without their helper or with invalid base64.
pub fn find_credentials(
    machine: &MachinePaths,
    authfile: Option<&Path>,
    name: &ImageName,
) -> Result<(Option<Credentials>, Vec<String>), ImageError> {
    let mut troubles = Vec::new();
    for path in credential_files(machine, authfile) {
        let is_old = path.file_name().is_some_and(|name| name == ".dockercfg");
        let form = if is_old { FileFormat::Dockercfg } else { FileFormat::Auths };
        let read = regular_file::read_regular(&path, MAX_FILE_BYTES).map_err(|error| error.to_string());
        let parsed =
            read.and_then(|text| serde_json::from_slice(&text).map_err(|_| "it is not JSON".to_owned()));
        let file: Map<String, Value> = match parsed {
            Ok(file) => file,
            Err(why) if authfile.is_some() => return Err(ImageError::Configuration { path, why }),
            Err(_) => continue,
        };
        let wrong = |why: String| ImageError::Configuration { path: path.clone(), why };
        let found = match find_in_file(&file, form, name).map_err(wrong)? {
            // opm does not ask the store, so its failure does not end the search.
            None => find_in_store(&file, form, name).unwrap_or_else(|trouble| {
                troubles.push(trouble);
                None
            }),
            found => found,
        };
        if let Some(secret) = found {
            return Ok((Some(Credentials { secret, from: path }), troubles));
        }
    }
    Ok((None, troubles))
}

fn find_in_file(
    file: &Map<String, Value>,
    form: FileFormat,
    name: &ImageName,
) -> Result<Option<Secret>, String> {
    let empty = Map::new();
    let object = |key: &str| file.get(key).and_then(Value::as_object);
    let auths = if form == FileFormat::Dockercfg { file } else { object("auths").unwrap_or(&empty) };
    let helpers = object("credHelpers");
    let keys = repository_keys(name);
    if let Some(helper) = keys.iter().find_map(|key| helpers?.get(key)?.as_str())
        && let Some(secret) = helper::run_helper(helper, &name.host)?
    {
        return Ok(Some(secret));
    }
    if let Some(entry) = find_auth_entry(auths, form, &keys, name)
        && let Some(secret) = parse_secret(entry)?
    {
        return Ok(Some(secret));
    }
    Ok(None)
}

/// Returns the credentials in one file for a repository, without helpers.
#[cfg(fuzzing)]
pub(super) fn of_text(text: &[u8], name: &ImageName) -> Option<Secret> {
    let mut file: Map<String, Value> = serde_json::from_slice(text).ok()?;
    file.remove("credHelpers");
    [FileFormat::Auths, FileFormat::Dockercfg]
        .into_iter()
        .find_map(|form| find_in_file(&file, form, name).ok().flatten())
}

/// Returns the credentials in the helper for all hosts.
fn find_in_store(
    file: &Map<String, Value>,
    form: FileFormat,
    name: &ImageName,
) -> Result<Option<Secret>, String> {
    match file.get("credsStore").and_then(Value::as_str).filter(|store| !store.is_empty()) {
        Some(store) if form == FileFormat::Auths => {
            let is_hub = plain_host(&name.host) == "docker.io";
            helper::run_helper(store, if is_hub { DOCKER_HUB_KEY } else { &name.host })
        }
        _ => Ok(None),
    }
}

/// Returns the keys of a repository, most specific first: `HOST/ns/cat`, `HOST/ns`, `HOST`.
fn repository_keys(name: &ImageName) -> Vec<String> {
    let mut key = format!("{}/{}", name.host, name.repository);
    let mut keys = vec![key.clone()];
    while let Some(slash) = key.rfind('/') {
        key.truncate(slash);
        keys.push(key.clone());
    }
    keys
}

fn find_auth_entry<'v>(
    auths: &'v Map<String, Value>,
    form: FileFormat,
    keys: &[String],
    name: &ImageName,
) -> Option<&'v Value> {
    let exact = keys.iter().find_map(|key| auths.get(key));
    exact.or_else(|| {
        let host = plain_host(&name.host);
        auths
            .iter()
            .find(|(key, _)| host_of_address(key, form).is_some_and(|of| plain_host(of) == host))
            .map(|(_, v)| v)
    })
}

/// Returns the host of a key in the form of an address: `https://HOST/v1/`.
fn host_of_address(key: &str, form: FileFormat) -> Option<&str> {
    let rest = key.strip_prefix("https://").or_else(|| key.strip_prefix("http://"));
    let rest =
        if form == FileFormat::Dockercfg { Some(rest.unwrap_or(key)) } else { rest }.or_else(|| {
            // docker.io has several names.
            (!key.contains('/')).then_some(key)
        })?;
    rest.split('/').next()
}

fn plain_host(host: &str) -> &str {
    match host {
        "registry-1.docker.io" | "index.docker.io" => "docker.io",
        host => host,
    }
}

fn parse_secret(entry: &Value) -> Result<Option<Secret>, String> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    if let Some(token) = text("identitytoken") {
        return Ok(Some(Secret::Identity(token.to_owned())));
    }
    if let Some(auth) = text("auth") {
        let bytes = STANDARD.decode(auth).map_err(|_| "auth of its entry is not base64".to_owned())?;
        let both = String::from_utf8(bytes).map_err(|_| "auth of its entry is not text".to_owned())?;
        let Some((user, password)) = both.split_once(':') else { return Ok(None) };
        return Ok(Some(Secret::Basic(user.to_owned(), password.trim_matches('\0').to_owned())));
    }
    match (text("username"), text("password")) {
        (Some(user), Some(password)) => Ok(Some(Secret::Basic(user.to_owned(), password.to_owned()))),
        _ => Ok(None),
    }
}
