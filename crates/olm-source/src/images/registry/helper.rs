//! Credential helpers: programs named `docker-credential-NAME`.

use std::{
    io::{Read as _, Write as _},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::credentials::Secret;

/// Time limit for the output and the exit of a helper together, because it may ask the user something.
const TIMEOUT: Duration = Duration::from_secs(60);
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
pub fn run_helper(name: &str, host: &str) -> Result<Option<Secret>, String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || !name.chars().all(is_name) {
        return Err("the name of its credential helper is not the name of a program".to_owned());
    }
    let program = format!("docker-credential-{name}");
    run_helper_program(Path::new(&program), host, TIMEOUT)
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
#[cfg(unix)]
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
