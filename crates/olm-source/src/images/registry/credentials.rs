//! Credentials in the files of podman and docker and from helper programs (`docker-credential-NAME`), in
//! opm's order. No message contains a secret.

use std::{
    fmt,
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Map, Value};

use super::configuration::MachinePaths;
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
        && let Some(secret) = run_helper(helper, &name.host)?
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
#[cfg(feature = "fuzzing")]
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
            run_helper(store, if is_hub { DOCKER_HUB_KEY } else { &name.host })
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

/// Time limit for the output and the exit of a helper together, because it may ask the user something.
const HELPER_TIMEOUT: Duration = Duration::from_secs(60);

/// Size limit of the output, in bytes.
const MAX_OUTPUT_BYTES: u64 = 1 << 20;

/// Interval between checks whether a helper has exited.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Runs a helper and returns the secret for a host; `None` if it has none.
///
/// # Errors
///
/// If the helper is missing, fails, or exceeds its time limit. Messages do not contain its
/// output, which may be a secret.
fn run_helper(name: &str, host: &str) -> Result<Option<Secret>, String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || !name.chars().all(is_name) {
        return Err("the name of its credential helper is not the name of a program".to_owned());
    }
    let program = format!("docker-credential-{name}");
    run_helper_program(Path::new(&program), host, HELPER_TIMEOUT)
        .map_err(|why| format!("the credential helper {program} {why}"))
}

fn run_helper_program(program: &Path, host: &str, patience: Duration) -> Result<Option<Secret>, String> {
    let end = Instant::now() + patience;
    let mut child = Command::new(program)
        .arg("get")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("cannot be started: {error}"))?;
    let answered = read_output(&mut child, host, end);
    // Nothing waits for the helper after the time limit.
    let status = answered.and_then(|text| Ok((text, wait_for_exit(&mut child, end)?)));
    if status.is_err() {
        let _ = child.kill();
        let _ = child.wait();
    }
    let (text, status) = status?;
    if !status.success() {
        let is_none = String::from_utf8_lossy(&text).contains("credentials not found");
        return if is_none { Ok(None) } else { Err("failed".to_owned()) };
    }
    let answer: Value = serde_json::from_slice(&text).map_err(|_| "answers no JSON".to_owned())?;
    let field = |key: &str| answer.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok(match (field("Username"), field("Secret")) {
        (_, secret) if secret.is_empty() => None,
        (user, secret) if user == "<token>" => Some(Secret::Identity(secret)),
        (user, secret) => Some(Secret::Basic(user, secret)),
    })
}

/// Reads the whole output of a helper.
fn read_output(child: &mut Child, host: &str, end: Instant) -> Result<Vec<u8>, String> {
    if let Some(mut input) = child.stdin.take() {
        // A helper may answer without reading its input.
        let _ = input.write_all(host.as_bytes());
    }
    let output = child.stdout.take();
    let (done, answer) = mpsc::channel();
    // The thread ends with the helper, or when the output exceeds the limit.
    thread::spawn(move || {
        let mut text = Vec::new();
        let read = output.map(|output| output.take(MAX_OUTPUT_BYTES + 1).read_to_end(&mut text));
        let _ = done.send(read.map(|read| read.map(|_| text)));
    });
    let answer = answer.recv_timeout(end.saturating_duration_since(Instant::now()));
    let text = answer.map_err(|_| "does not answer".to_owned())?.and_then(Result::ok).unwrap_or_default();
    if text.len() as u64 > MAX_OUTPUT_BYTES {
        Err(format!("answers with more than {} MiB", MAX_OUTPUT_BYTES >> 20))
    } else {
        Ok(text)
    }
}

/// Waits for the exit of a helper that has answered.
fn wait_for_exit(child: &mut Child, end: Instant) -> Result<ExitStatus, String> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if Instant::now() < end => thread::sleep(POLL_INTERVAL),
            Ok(None) => return Err("does not end".to_owned()),
            Err(error) => return Err(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use super::*;

    /// Runs a shell script as a helper.
    fn run_script(script: &str, patience: Duration) -> Result<Option<Secret>, String> {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("docker-credential-test");
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        run_helper_program(&program, "registry.example", patience)
    }

    #[test]
    fn returns_secret_of_helper() {
        let minute = Duration::from_secs(60);
        let basic = Secret::Basic("registry.example".to_owned(), "x".to_owned());
        let echo = "read host; printf '{\"Username\":\"%s\",\"Secret\":\"x\"}' $host";
        assert_eq!(run_script(echo, minute), Ok(Some(basic)));
        let token = "printf '{\"Username\":\"<token>\",\"Secret\":\"x\"}'";
        assert_eq!(run_script(token, minute), Ok(Some(Secret::Identity("x".to_owned()))));
        assert_eq!(run_script("echo credentials not found; exit 1", minute), Ok(None));
        assert_eq!(run_script("echo s3cret; exit 1", minute), Err("failed".to_owned()));
        assert_eq!(run_script("echo s3cret", minute), Err("answers no JSON".to_owned()));
    }

    #[test]
    fn kills_helper_that_does_not_answer_or_exit() {
        let short = Duration::from_millis(300);
        assert_eq!(run_script("exec tail -f /dev/null", short), Err("does not answer".to_owned()));
        let closed = "exec >/dev/null; exec tail -f /dev/null";
        assert_eq!(run_script(closed, short), Err("does not end".to_owned()));
        let answered =
            "printf '{\"Username\":\"u\",\"Secret\":\"x\"}'; exec >/dev/null; exec tail -f /dev/null";
        assert_eq!(run_script(answered, short), Err("does not end".to_owned()));
    }

    #[test]
    fn refuses_endless_output_of_helper() {
        let outcome = run_script("exec cat /dev/zero", Duration::from_secs(60));
        assert_eq!(outcome, Err("answers with more than 1 MiB".to_owned()));
    }
}
