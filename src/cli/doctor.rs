//! `olmap doctor`: information for a bug report, without private data.

use std::{env, io, path::Path};

use serde_json::{Map, Value};

use super::{Global, Out, Outcome, TextOrJson, cache, configuration, explore, out::Stream, output};
use crate::runtime;
use crate::tui::Settings;
use crate::tui::parts::theme_settings::{Background, ColorDepth};
use olm_source::cache::Cache;
use olmap_report::escape::{self, display_width};
use olmap_report::{Ink, json};

#[cfg(unix)]
use nix::sys::utsname::uname;

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
The output contains nothing private: no user or host name. For private variables it only says whether they are set.

Examples:
  olmap doctor                                  text
  olmap doctor -o json                          JSON
  olmap doctor --read-only                      without a write test in the state directory

Exit code: 0 ok, 2 failed.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: TextOrJson,
}

/// Titled group of named facts.
struct Section(&'static str, Vec<(&'static str, String)>);

/// Prints all facts.
pub fn run_doctor(args: &Args, global: &Global, out: &mut Out) -> anyhow::Result<Outcome> {
    let sections = build_sections(global);
    match args.format {
        TextOrJson::Json | TextOrJson::Yaml => {
            out.print(&output::encode_json(args.format, json::to_pretty_json(&sections_to_json(&sections))))?;
        }
        TextOrJson::Text => {
            let facts = sections.iter().flat_map(|Section(_, facts)| facts);
            let names = facts.map(|(name, _)| display_width(display_name(name)));
            let column = names.max().unwrap_or_default();
            let mut text = String::new();
            for Section(title, facts) in &sections {
                text.push_str(&out.style.paint(Ink::Bold, display_name(title)));
                text.push('\n');
                for (name, value) in facts {
                    let name = out.style.paint(Ink::Dim, &format!("{:column$}", display_name(name)));
                    text.push_str(&format!("  {name}  {}\n", escape::escape_line(value)));
                }
            }
            out.print(&text)?;
        }
    }
    Ok(Outcome::Fine)
}

/// Returns the displayed name of a key. JSON keeps the key for compatibility.
fn display_name(key: &'static str) -> &'static str {
    match key {
        "within" => "multiplexer",
        "shown" => "colours",
        "because of" => "set by",
        "away" => "clipboard and editor",
        key => key,
    }
}

fn sections_to_json(sections: &[Section]) -> Value {
    let of = |facts: &[(&'static str, String)]| {
        let facts = facts.iter().map(|(name, value)| (name.replace(' ', "_"), value.clone().into()));
        Value::Object(facts.collect::<Map<_, _>>())
    };
    sections
        .iter()
        .map(|Section(title, facts)| ((*title).to_owned(), of(facts)))
        .collect::<Map<_, _>>()
        .into()
}

fn build_sections(global: &Global) -> Vec<Section> {
    let configured = configuration::load(global.config.as_deref());
    let (settings, configuration) = match configured {
        Ok(configured) => {
            let facts = configuration_facts(configured.file.path.as_deref(), configured.file.problems.len());
            (explore::build_settings(global, configured), facts)
        }
        Err(error) => {
            // With `--read-only`, nothing is written even if the configuration is invalid.
            let read_only = global.read_only.then(String::new);
            (Settings { read_only, ..Settings::default() }, vec![("file", error.to_string())])
        }
    };
    vec![
        Section("olmap", program_facts()),
        Section("terminal", terminal_facts()),
        Section("colours", color_facts(&settings)),
        Section("away", clipboard_facts(&settings)),
        Section("configuration", configuration),
        Section("state", state_facts(&settings)),
        Section("cache", cache_section()),
        Section("memory", memory_facts()),
    ]
}

fn program_facts() -> Vec<(&'static str, String)> {
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    vec![
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("built for", format!("{} {} ({build})", env::consts::OS, env::consts::ARCH)),
        ("system", system()),
        ("locale", list_variable_values(&["LC_ALL", "LC_CTYPE", "LANG"])),
        ("threads", rayon::current_num_threads().to_string()),
    ]
}

/// Returns name and release of the system, without the host name.
#[cfg(unix)]
fn system() -> String {
    let Ok(known) = uname() else { return env::consts::OS.to_owned() };
    let [name, release, machine] =
        [known.sysname(), known.release(), known.machine()].map(|text| text.to_string_lossy().into_owned());
    format!("{name} {release} {machine}")
}

#[cfg(not(unix))]
fn system() -> String {
    env::consts::OS.to_owned()
}

fn terminal_facts() -> Vec<(&'static str, String)> {
    let kind = |is_terminal| if is_terminal { "terminal" } else { "not a terminal" }.to_owned();
    let size = ratatui::crossterm::terminal::size();
    let size = size.map_or("unknown".to_owned(), |(columns, rows)| format!("{columns}x{rows}"));
    vec![
        ("input", kind(Stream::Input.is_terminal())),
        ("output", kind(Stream::Output.is_terminal())),
        ("size", size),
        ("name", list_variable_values(&["TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION"])),
        ("within", list_set_variables(&["TMUX", "STY", "SSH_TTY", "SSH_CONNECTION", "WSL_DISTRO_NAME"])),
    ]
}

/// Lists variables without private content, with their values.
fn list_variable_values(names: &[&str]) -> String {
    let value = |name: &&str| Some(format!("{name}={}", env::var_os(name)?.to_string_lossy()));
    join_or_none(&names.iter().filter_map(value).collect::<Vec<_>>())
}

/// Lists the variables that are set, without their values, which may be private.
fn list_set_variables(names: &[&str]) -> String {
    join_or_none(
        &names
            .iter()
            .filter(|name| env::var_os(name).is_some())
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>(),
    )
}

fn join_or_none(texts: &[String]) -> String {
    if texts.is_empty() { "none set".to_owned() } else { texts.join(" ") }
}

fn color_facts(settings: &Settings) -> Vec<(&'static str, String)> {
    let look = settings.theme_settings;
    let colours = match look.color_depth {
        ColorDepth::None => "none",
        ColorDepth::Sixteen => "16",
        ColorDepth::Indexed => "256",
        ColorDepth::TrueColor => "24-bit",
    };
    let background = match look.background {
        Some(Background::Dark) => "dark",
        Some(Background::Light) => "light",
        None => "asked from the terminal",
    };
    vec![
        ("theme", look.theme.name().to_owned()),
        ("shown", colours.to_owned()),
        ("background", background.to_owned()),
        (
            "because of",
            list_variable_values(&[
                "NO_COLOR",
                "CLICOLOR",
                "CLICOLOR_FORCE",
                "FORCE_COLOR",
                "COLORTERM",
                "COLORFGBG",
            ]),
        ),
        ("characters", if settings.ascii { "ASCII" } else { "Unicode" }.to_owned()),
    ]
}

/// Describes the clipboard and the editor.
fn clipboard_facts(settings: &Settings) -> Vec<(&'static str, String)> {
    let ways: Vec<&str> = runtime::available_methods(settings.clipboard)
        .into_iter()
        .map(runtime::ClipboardMethod::label)
        .collect();
    let clipboard = if ways.is_empty() { "off".to_owned() } else { ways.join(", then ") };
    let editor = match runtime::find_editor(settings.editor.as_deref()) {
        // The arguments may be private, so only the program is shown.
        Some(named) => {
            let command = named.command.to_string_lossy().into_owned();
            let words = shell_words::split(&command).unwrap_or_default();
            let program = words.first().map(Path::new).and_then(Path::file_name).unwrap_or_default();
            format!("{} (by {})", program.to_string_lossy(), named.origin)
        }
        None => "none found".to_owned(),
    };
    vec![
        ("clipboard", clipboard),
        ("desktop", list_set_variables(&["WAYLAND_DISPLAY", "DISPLAY"])),
        ("editor", editor),
        ("mouse", if settings.no_mouse { "handled by the terminal" } else { "on" }.to_owned()),
        ("watch", if settings.no_watch { "off" } else { "on" }.to_owned()),
    ]
}

fn configuration_facts(path: Option<&Path>, problems: usize) -> Vec<(&'static str, String)> {
    let Some(path) = path else { return vec![("file", "disabled".to_owned())] };
    let there = if path.exists() { "" } else { " (missing)" };
    let problems = match problems {
        0 => "none".to_owned(),
        count => format!("{count}: see olmap config --check"),
    };
    vec![("file", format!("{}{there}", abbreviate_home(path))), ("problems", problems)]
}

fn state_facts(settings: &Settings) -> Vec<(&'static str, String)> {
    let Ok(folder) = runtime::state_directory() else {
        return vec![("folder", "no home directory".to_owned())];
    };
    let writable = match settings.read_only {
        Some(_) => "not tried".to_owned(),
        None => check_writable(&folder).map_or_else(|error| format!("no: {error}"), |()| "yes".to_owned()),
    };
    vec![("folder", abbreviate_home(&folder)), ("writable", writable)]
}

fn cache_section() -> Vec<(&'static str, String)> {
    let Some(cache) = Cache::default_location() else {
        return vec![("folder", "no home directory".to_owned())];
    };
    let folder = ("folder", abbreviate_home(cache.folder()));
    [folder].into_iter().chain(cache::cache_facts(&cache)).collect()
}

/// Describes the memory of this process, which is not that of the cache on disk.
fn memory_facts() -> Vec<(&'static str, String)> {
    let allocator = if cfg!(target_env = "musl") {
        "mimalloc"
    } else if cfg!(target_env = "gnu") {
        "glibc"
    } else {
        "system"
    };
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let size = |key: &str| read_status_size(&status, key).unwrap_or_else(|| "unknown".to_owned());
    vec![
        ("allocator", allocator.to_owned()),
        ("heap", size("VmData:")),
        ("resident", size("VmRSS:")),
        ("peak", size("VmHWM:")),
    ]
}

/// Returns a size in Linux's description of a process, in MB.
fn read_status_size(status: &str, key: &str) -> Option<String> {
    let line = status.lines().find_map(|line| line.strip_prefix(key))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(format!("{:.1} MB", kibibytes as f64 * 1024.0 / 1e6))
}

/// Checks that a folder, or its nearest existing parent, is writable.
fn check_writable(folder: &Path) -> io::Result<()> {
    let there = folder.ancestors().find(|folder| folder.exists()).unwrap_or(folder);
    tempfile::tempfile_in(there).map(|_| ())
}

/// Replaces the home directory in a path with `~`.
fn abbreviate_home(path: &Path) -> String {
    let home = env::home_dir().filter(|home| !home.as_os_str().is_empty());
    let below = home.and_then(|home| path.strip_prefix(home).ok().map(|rest| Path::new("~").join(rest)));
    below.as_deref().unwrap_or(path).display().to_string()
}
