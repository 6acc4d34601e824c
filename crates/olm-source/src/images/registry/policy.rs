//! `policy.json`: images that this machine accepts. Signatures are not verified, so a policy that
//! requires one refuses the image.

use std::path::Path;

use serde_json::Value;

use super::machine::MachinePaths;
use crate::images::{
    error::ImageError,
    name::{ImageName, ImageVersion},
};
use olm_catalog::load::regular_file;

const MAX_FILE_BYTES: u64 = 4 << 20;

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
    of_text(&text, &path, name)
}

/// Checks an image against the text of a policy.
pub(super) fn of_text(text: &[u8], path: &Path, name: &ImageName) -> Result<(), ImageError> {
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
