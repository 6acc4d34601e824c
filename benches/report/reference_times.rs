//! Reference times: programs that only read the same files, and opm if it is installed.

use std::{
    env, fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use super::measure::{Times, measure_program, time_run};

/// Returns the median time of a program that reads all files.
fn median_time(files: &[PathBuf], name: &str, runs: usize) -> Duration {
    let run = || {
        time_run(|| {
            let mut child = Command::new("xargs")
                .args(["-0", name])
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .spawn()
                .unwrap();
            let mut names = child.stdin.take().unwrap();
            for file in files {
                names.write_all(file.as_os_str().as_encoded_bytes()).unwrap();
                names.write_all(b"\0").unwrap();
            }
            drop(names);
            assert!(child.wait().unwrap().success());
        })
    };
    Times::from_durations((0..runs).map(|_| run())).median()
}

pub fn time_cat(files: &[PathBuf], runs: usize) -> Duration {
    median_time(files, "cat", runs)
}

pub fn time_sha256sum(files: &[PathBuf], runs: usize) -> Duration {
    median_time(files, "sha256sum", runs)
}

/// Measures `opm validate` of a directory once, because it takes seconds. `OLMAP_OPM` is the path of opm;
/// `None` if it is not installed.
pub fn time_opm_validate(directory: &Path) -> Option<Duration> {
    let opm = env::var_os("OLMAP_OPM").unwrap_or_else(|| "opm".into());
    let is_there = Command::new(&opm).arg("version").output().is_ok_and(|output| output.status.success());
    (is_there && directory.is_dir())
        .then(|| measure_program(Command::new(opm).arg("validate").arg(directory)))
}

/// Returns all files below a folder, or the file itself.
pub fn list_files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let mut found = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found
}

pub fn total_size(files: &[PathBuf]) -> u64 {
    files.iter().map(|file| fs::metadata(file).unwrap().len()).sum()
}
