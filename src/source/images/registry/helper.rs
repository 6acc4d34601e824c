//! Programs that keep credentials: `docker-credential-NAME`.

use std::{
    io::{Read as _, Write as _},
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use serde_json::Value;

use super::credentials::Secret;

/// How long is waited for one: it may ask somebody.
const PATIENCE: Duration = Duration::from_secs(60);
/// The most bytes that are read of its answer.
const MOST: u64 = 1 << 20;

/// What a helper knows of a host; none where it knows nothing.
///
/// # Errors
///
/// When it is not there or fails. What it printed may be a secret, and is not told.
pub fn ask(name: &str, host: &str) -> Result<Option<Secret>, String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || !name.chars().all(is_name) {
        return Err("the name of its credential helper is not the name of a program".to_owned());
    }
    let program = format!("docker-credential-{name}");
    let failed = |why: &str| format!("the credential helper {program} {why}");
    let mut child = Command::new(&program)
        .arg("get")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| failed(&format!("cannot be started: {error}")))?;
    if let Some(mut input) = child.stdin.take() {
        // A helper may answer without reading.
        let _ = input.write_all(host.as_bytes());
    }
    let output = child.stdout.take();
    let (done, answer) = mpsc::channel();
    thread::spawn(move || {
        let mut text = Vec::new();
        let read = output.map(|output| output.take(MOST).read_to_end(&mut text));
        let _ = done.send(read.map(|read| read.map(|_| text)));
    });
    let Ok(answer) = answer.recv_timeout(PATIENCE) else {
        let _ = child.kill();
        let _ = child.wait();
        return Err(failed("does not answer"));
    };
    let status = child.wait().map_err(|error| failed(&error.to_string()))?;
    let text = answer.and_then(Result::ok).unwrap_or_default();
    if !status.success() {
        let is_none = String::from_utf8_lossy(&text).contains("credentials not found");
        return if is_none { Ok(None) } else { Err(failed("failed")) };
    }
    let answer: Value = serde_json::from_slice(&text).map_err(|_| failed("answers no JSON"))?;
    let field = |key: &str| answer.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok(match (field("Username"), field("Secret")) {
        (_, secret) if secret.is_empty() => None,
        (user, secret) if user == "<token>" => Some(Secret::Identity(secret)),
        (user, secret) => Some(Secret::Basic(user, secret)),
    })
}
