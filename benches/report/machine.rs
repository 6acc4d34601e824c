//! Description of the machine, and its load.

use std::{fs, process::Command, thread};

/// Returns the load average of the last minute.
pub fn load_average() -> String {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split_whitespace().next().unwrap_or("not known").to_owned()
}

/// Describes the machine in one sentence.
pub fn describe_machine() -> String {
    let cores = thread::available_parallelism().map_or(0, usize::from);
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kb = memory.lines().find_map(|line| line.strip_prefix("MemTotal:")?.split_whitespace().next());
    let gb = kb.and_then(|kb| kb.parse::<f64>().ok()).map_or(0.0, |kb| kb * 1024.0 / 1e9);
    let said = |program: &str, args: &[&str]| {
        let output = Command::new(program).args(args).output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let rustc = said("rustc", &["--version"]).unwrap_or_else(|| "rustc not found".to_owned());
    let date = said("date", &["-u", "+%Y-%m-%d"]).unwrap_or_default();
    format!("{date}, {cores} cores, {gb:.0} GB, {}, {rustc}, built as benches are", std::env::consts::OS)
}
