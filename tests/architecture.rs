//! Checks of what Cargo cannot enforce: which layers of the program may name which others, use the
//! terminal, or access files and processes, and which parts of the crates have side effects.
//!
//! Each `.rs` file in `src/` and `crates/` is split into tokens without comments and literals, and
//! every path is expanded, including grouped `use` trees. A finding names the file, the line and the
//! rule. The scanner has its own tests at the end, to show that the checks can fail. `tui` has an
//! inner order too: `architecture/inner.rs`.

#![allow(clippy::unwrap_used)]

#[path = "architecture/inner.rs"]
mod inner;
#[path = "architecture/scan.rs"]
mod scan;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use scan::{from_root, paths, test_modules, tokens};

/// Layers of the program in order: a layer may name itself and the layers left of it. The crates in
/// `crates/` are left of all layers; Cargo enforces their order.
const LAYERS: [&str; 4] = ["config", "tui", "runtime", "cli"];

/// Files of the program that are in no layer and that every layer may name.
const SHARED_FILES: [&str; 3] = ["lib.rs", "main.rs", "demo.rs"];

/// Maximum number of lines in a source file.
const MAX_LINES: usize = 600;

/// Files that may be longer than [`MAX_LINES`], with the reason why a split would not help.
const LONG_FILES: &[(&str, &str)] = &[];

/// Locations that may use files, the network, processes, threads and the environment.
const SYSTEM_ACCESS: [&str; 6] =
    ["runtime/", "cli/", "olm-source/", "olm-catalog/load/", "olm-edit/save/", "olmap-testing/"];

/// Locations that may write to standard output and standard error: one file that escapes text
/// first,
/// and the terminal code.
const PRINTERS: [&str; 3] = ["cli/out.rs", "runtime/", "olmap-testing/"];

/// Folders of `tui` with views. Other folders have views in `view.rs` or `view/`.
const VIEW_FOLDERS: [&str; 3] = ["tui/widgets/", "tui/dialogs/", "tui/shell/"];

/// Files with words for other things that are also ids of rules: verdicts and reasons of upgrade
/// steps, and results of comparisons.
const OTHER_ID_SPACES: [&str; 5] = [
    "cli/bundle/mod.rs",
    "olm-bundle/step/reason.rs",
    "olm-upgrade/safety/step_check.rs",
    "olmap-report/template.rs",
    "olmap-testing/",
];

/// Returns the ids of rules that stand as strings in the code of a file, with their lines. Of ids
/// without a hyphen, which are words, only those in lines that also say `rule`.
fn rule_ids_in_strings(source: &str) -> Vec<(usize, &'static str)> {
    let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
    let rule_ids: BTreeSet<&'static str> = olm_check::rules::ALL.iter().map(|rule| rule.id).collect();
    let ids = |line: &str| {
        let is_meant = |id: &&str| id.contains('-') || line.contains("rule");
        let quoted = line.split('"').skip(1).filter_map(|text| rule_ids.get(text));
        quoted.copied().filter(is_meant).collect::<BTreeSet<_>>()
    };
    lines.flat_map(|(at, line)| ids(line).into_iter().map(move |id| (at + 1, id))).collect()
}

/// Returns true if a file may draw.
fn is_view(file: &str) -> bool {
    is_in(file, &VIEW_FOLDERS)
        || (file.starts_with("tui/screens/") && (file.ends_with("/view.rs") || file.contains("/view/")))
}

/// Returns true if a file is in one of the locations. A location that ends with `/` is a folder.
fn is_in<S: AsRef<str>>(file: &str, places: &[S]) -> bool {
    places.iter().map(AsRef::as_ref).any(|p| file == p || (p.ends_with('/') && file.starts_with(p)))
}

/// Returns the files, and folders below them, that a file declares as test code
/// (`#[cfg(test)] mod name;`).
fn declared_test_paths(file: &str, source: &str) -> Vec<String> {
    let folder = file.strip_suffix(".rs").unwrap_or(file);
    let folder = folder.strip_suffix("mod").unwrap_or(folder).trim_end_matches('/');
    let folder = match file.strip_suffix("lib.rs") {
        Some(root) => root.to_owned(),
        None => format!("{folder}/"),
    };
    test_modules(&tokens(source))
        .iter()
        .flat_map(|name| [format!("{folder}{name}.rs"), format!("{folder}{name}/")])
        .collect()
}

/// Returns true if a file is test code, by its name or by `tests`.
fn is_test(file: &str, tests: &[String]) -> bool {
    file.ends_with("/tests.rs") || file.contains("/tests/") || is_in(file, tests)
}

/// Returns the path of a file in the repository. Files of crates are named `CRATE/...` without
/// `crates/` and `src/`, files of the program by their path in `src/`.
fn repository_path(file: &str) -> String {
    match file.split_once('/') {
        Some((name, below)) if name.starts_with("olm") => format!("crates/{name}/src/{below}"),
        _ => format!("src/{file}"),
    }
}

/// Returns true if a file belongs to a crate in `crates/`.
fn is_in_crate(file: &str) -> bool {
    file.starts_with("olm")
}

/// Checks one file. `file` is its path in `src/` with `/`, or `CRATE/...`. `tests` are files and
/// folders with test code.
fn check_layers(file: &str, source: &str, tests: &[String]) -> Vec<String> {
    let layer = file.split_once('/').map_or("", |(layer, _)| layer);
    let in_crate = is_in_crate(file);
    // Files in no layer are right of all layers.
    let own = rank(layer).unwrap_or(LAYERS.len());
    let is_tests = is_test(file, tests);
    let worldly = (own >= LAYERS.len() && !in_crate) || is_in(file, &SYSTEM_ACCESS);
    let location = repository_path(file);
    let mut out = Vec::new();
    if layer.is_empty() && !SHARED_FILES.contains(&file) && !is_tests {
        out.push(format!("{location}:1: is in no layer; layers are folders of src/: {}", LAYERS.join(" < ")));
    } else if !layer.is_empty() && !in_crate && !LAYERS.contains(&layer) {
        out.push(format!("{location}:1: `{layer}` is not a layer; layers are: {}", LAYERS.join(" < ")));
    }
    for path in paths(&tokens(source)) {
        let place = format!("{location}:{}", path.line);
        let written = path.segments.join("::");
        let seg = |i: usize| path.segments.get(i).map_or("", String::as_str);
        match from_root(&path, file).as_deref() {
            Some([]) if path.segments.len() > 1 => {
                out.push(format!(
                    "{place}: `{written}` takes the whole crate by another name; name the layer"
                ));
            }
            Some(["*", ..]) if own < LAYERS.len() => {
                out.push(format!("{place}: `{written}` takes every layer; name the one that is meant"));
            }
            Some([to, ..]) if own < LAYERS.len() && rank(to).is_some_and(|to| to > own) => {
                out.push(format!(
                    "{place}: `{written}`: layer `{layer}` may name only itself and layers left of it in {}",
                    LAYERS.join(" < ")
                ));
            }
            _ => {}
        }
        if names_terminal(&path.segments) && (in_crate || own <= rank("tui").unwrap_or(0)) && !is_view(file) {
            let keys = matches!((seg(0), seg(1)), ("crossterm", "event"))
                || matches!((seg(0), seg(1), seg(2)), ("ratatui", "crossterm", "event"));
            if layer != "tui" {
                out.push(format!("{place}: `{written}`: nothing left of `tui` knows the terminal libraries"));
            } else if !keys && !is_tests && !path.test {
                out.push(format!(
                    "{place}: `{written}`: outside of views, `tui` may name `crossterm::event` and nothing else of them"
                ));
            }
        }
        if !is_tests && !path.test && !is_in(file, &PRINTERS) && prints(&path.segments, source, path.line) {
            out.push(format!("{place}: `{written}`: only {} print", PRINTERS.join(" and ")));
        }
        if !worldly && !is_tests && !path.test && accesses_system(&path.segments) {
            out.push(format!(
                "{place}: `{written}`: only `runtime`, `cli`, `olm_source`, `olm_catalog::load` and `olm_edit::save` have side effects"
            ));
        }
    }
    out
}

/// Returns the position of a layer in the layer rule.
fn rank(layer: &str) -> Option<usize> {
    LAYERS.iter().position(|r| *r == layer)
}

/// Returns true if a path names a terminal library.
fn names_terminal(segments: &[String]) -> bool {
    segments.first().is_some_and(|s| s == "crossterm" || s == "ratatui" || s.starts_with("ratatui_"))
}

/// Returns true if a path names files, the network, processes, threads or the environment.
/// `std::process` itself counts, because it gives access to `Command`; `std::process::ExitCode`
/// does not.
fn accesses_system(segments: &[String]) -> bool {
    let segments: Vec<_> = segments.iter().map(String::as_str).filter(|s| *s != "self").collect();
    match segments.as_slice() {
        ["std", "fs" | "net" | "thread" | "env", ..] | ["std", "*"] => true,
        ["std", "process", rest @ ..] => matches!(rest, [] | ["Command" | "exit" | "abort" | "*", ..]),
        _ => false,
    }
}

/// Returns true if a path names standard output or standard error, or a macro that writes to them.
fn prints(segments: &[String], source: &str, line: usize) -> bool {
    let segments: Vec<_> = segments.iter().map(String::as_str).filter(|s| *s != "self").collect();
    match segments.as_slice() {
        [.., "io", "stdout" | "stderr" | "Stdout" | "Stderr"] => true,
        [.., name @ ("print" | "println" | "eprint" | "eprintln" | "dbg")] => {
            source.lines().nth(line - 1).is_some_and(|text| text.contains(&format!("{name}!")))
        }
        _ => false,
    }
}

fn source_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Returns the path and text of every `.rs` file in `src/` and `crates/`. Paths use `/` and are as in
/// [`repository_path`].
fn sources() -> Vec<(String, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates");
    let mut folders = vec![(String::new(), source_root())];
    for entry in fs::read_dir(crates).unwrap() {
        let entry = entry.unwrap();
        folders.push((format!("{}/", entry.file_name().to_string_lossy()), entry.path().join("src")));
    }
    let mut out = Vec::new();
    for (prefix, root) in folders {
        let mut todo = vec![root.clone()];
        while let Some(dir) = todo.pop() {
            for entry in fs::read_dir(&dir).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    todo.push(path);
                } else if path.extension().is_some_and(|e| e == "rs") {
                    let below = path.strip_prefix(&root).unwrap();
                    let name = below.iter().map(|p| p.to_string_lossy()).collect::<Vec<_>>().join("/");
                    out.push((format!("{prefix}{name}"), fs::read_to_string(&path).unwrap()));
                }
            }
        }
    }
    out.sort();
    assert!(out.len() > LAYERS.len(), "found only {} source files", out.len());
    out
}

/// Returns the files and folders in `src/` that are declared as test code.
fn all_test_paths(sources: &[(String, String)]) -> Vec<String> {
    sources.iter().flat_map(|(file, source)| declared_test_paths(file, source)).collect()
}

fn assert_no_findings(findings: &[String]) {
    assert!(findings.is_empty(), "{} finding(s):\n{}", findings.len(), findings.join("\n"));
}

#[test]
fn every_layer_uses_only_layers_left_of_it() {
    let sources = sources();
    let tests = all_test_paths(&sources);
    assert_no_findings(
        &sources.iter().flat_map(|(file, source)| check_layers(file, source, &tests)).collect::<Vec<_>>(),
    );
}

#[test]
fn inner_layers_of_tui_follow_their_order() {
    let sources = sources();
    let tests = all_test_paths(&sources);
    let files: Vec<_> = sources.iter().map(|(file, _)| file.clone()).collect();
    let findings: Vec<_> = sources
        .iter()
        .filter(|(file, _)| !is_test(file, &tests))
        .flat_map(|(file, source)| inner::check_inner_order(file, source, &files))
        .map(|finding| finding.text)
        .collect();
    assert_no_findings(&findings);
}

#[test]
fn dialogs_name_each_other_without_circle() {
    let mut sources = sources();
    let tests = all_test_paths(&sources);
    sources.retain(|(file, _)| !is_test(file, &tests));
    assert_no_findings(&inner::find_circles(&sources));
}

#[test]
fn source_files_do_not_exceed_the_line_limit() {
    let lines = |source: &String| source.lines().count();
    let (long, files) = (|file: &str| LONG_FILES.iter().any(|(name, _)| *name == file), sources());
    let mut findings: Vec<_> = files
        .iter()
        .filter(|(file, source)| lines(source) > MAX_LINES && !long(file))
        .map(|(file, source)| {
            format!("{}:{}: a file has at most {MAX_LINES} lines", repository_path(file), lines(source))
        })
        .collect();
    for (name, reason) in LONG_FILES {
        assert!(!reason.is_empty(), "{name} is allowed to be long without a reason");
        if !files.iter().any(|(file, source)| file == name && lines(source) > MAX_LINES) {
            findings.push(format!("{name}:1: no longer long; take it off LONG_FILES"));
        }
    }
    assert_no_findings(&findings);
}

#[test]
fn every_layer_has_a_declared_folder() {
    let lib = fs::read_to_string(source_root().join("lib.rs")).unwrap();
    let found = tokens(&lib);
    let mut findings = Vec::new();
    let built: Vec<_> = LAYERS.into_iter().filter(|layer| source_root().join(layer).is_dir()).collect();
    for layer in &built {
        if !source_root().join(layer).join("mod.rs").is_file() {
            findings.push(format!("src/{layer}/mod.rs:1: the layer has no page of its own"));
        }
        if !found.windows(3).any(|w| w[0].text == "mod" && w[1].text == *layer && w[2].text == ";") {
            findings.push(format!("src/lib.rs:1: layer `{layer}` is not declared"));
        }
    }
    if !lib.contains(&format!("`{}`", built.join(" < "))) {
        findings.push(format!("src/lib.rs:1: its page states another order than {}", built.join(" < ")));
    }
    assert_no_findings(&findings);
}

#[test]
fn rule_ids_are_strings_only_in_the_rule_table() {
    let table = ["rules", "console_rules", "bundle_rules"].map(|name| format!("olm-check/{name}.rs"));
    let sources = sources();
    let tests = all_test_paths(&sources);
    let is_checked =
        |file: &str| !is_test(file, &tests) && !is_in(file, &table) && !is_in(file, &OTHER_ID_SPACES);
    let findings: Vec<_> = sources
        .iter()
        .filter(|(file, _)| is_checked(file))
        .flat_map(|(file, source)| rule_ids_in_strings(source).into_iter().map(move |found| (file, found)))
        .map(|(file, (line, id))| {
            format!("{}:{line}: `{id}`: name the rule, or give it a `RuleProperty`", repository_path(file))
        })
        .collect();
    assert_no_findings(&findings);
    assert_eq!(
        rule_ids_in_strings(
            "f(\"dead-end\");\n// \"no-head\"\nif rule == \"stuck\" { \"stuck\" }\nlet s = \"stuck\";"
        ),
        [(1, "dead-end"), (3, "stuck")]
    );
}

mod scanner {
    use super::*;

    /// Checks a snippet. Asserts the number of findings, and that each has file and line.
    fn check_snippet(file: &str, source: &str, expected: usize) -> Vec<String> {
        let found = check_layers(file, source, &["tui/checked.rs".into(), "tui/checked/".into()]);
        assert_eq!(found.len(), expected, "{file}: {source:?} gave {found:#?}");
        assert!(found.iter().all(|f| f.starts_with(&format!("{}:", repository_path(file)))), "{found:#?}");
        found
    }

    #[test]
    fn layer_may_name_itself_and_layers_left_of_it() {
        check_snippet("tui/graph.rs", "use crate::config::Options; use crate::tui::Head;", 0);
        check_snippet("main.rs", "fn main() { olmap::main() }", 0);
        check_snippet("cli/list.rs", "use crate::{tui::Model, runtime, config::*};", 0);
    }

    #[test]
    fn naming_a_layer_to_the_right_is_a_finding() {
        check_snippet("config/mod.rs", "use crate::tui::Node;", 1);
        check_snippet("config/mod.rs", "fn f(n: &crate::tui::Node) {}", 1);
        check_snippet("config/mod.rs", "fn f() { olmap::tui::load() }", 1);
        check_snippet("config/mod.rs", "macro_rules! m { () => { $crate::tui::Node } }", 1);
        check_snippet("config/mod.rs", "pub(in crate::tui) fn f() {}", 1);
        check_snippet("config/mod.rs", "#[cfg(test)] mod tests { use crate::tui::Node; }", 1);
        check_snippet("config/tests.rs", "use crate::tui::Node;", 1);
    }

    #[test]
    fn crates_may_not_use_the_terminal_or_print() {
        check_snippet("olm-edit/lib.rs", "use ratatui::layout::Rect;", 1);
        check_snippet("olm-edit/lib.rs", "fn f() { println!(); }", 1);
        check_snippet("olm-edit/lib.rs", "use olm_catalog::Catalog; use crate::save;", 0);
    }

    #[test]
    fn grouped_imports_are_expanded() {
        let found = check_snippet(
            "tui/mod.rs",
            "use crate::{\n config::{Node, Span},\n runtime::{self, x::Y},\n};",
            2,
        );
        assert!(found.iter().all(|f| f.starts_with("src/tui/mod.rs:3:")), "{found:#?}");
        check_snippet("tui/mod.rs", "use {crate::cli, std::fmt};", 1);
        check_snippet("tui/mod.rs", "use crate::{config, tui as c, cli as u};", 1);
    }

    #[test]
    fn super_is_a_finding_if_it_leaves_the_layer() {
        check_snippet("tui/history.rs", "use super::{apply, Edit}; use super::super::tui::Edit;", 0);
        check_snippet("tui/history.rs", "use super::super::cli::Theme;", 1);
        check_snippet("tui/history.rs", "use super::{super::{cli::Theme, config::Node}};", 1);
        check_snippet("tui/mod.rs", "use super::cli::Theme;", 1);
        check_snippet("tui/mod.rs", "mod tests { use super::ui_text; use super::super::cli::Theme; }", 1);
        check_snippet("tui/mod.rs", "mod a { fn f() {} } fn g() { self::super::cli::h() }", 1);
        check_snippet("tui/mod.rs", "use super::*;", 1);
    }

    #[test]
    fn renamed_crate_is_a_finding() {
        check_snippet("tui/mod.rs", "use crate::*;", 1);
        check_snippet("tui/mod.rs", "use crate::{self as olm};", 1);
        check_snippet("tui/mod.rs", "use crate as olm;", 1);
        check_snippet("tui/mod.rs", "use super as olm;", 1);
        check_snippet(
            "tui/mod.rs",
            "pub(crate) fn f() {} pub(super) fn g() {} pub(in crate::tui) fn h() {}",
            0,
        );
    }

    #[test]
    fn comments_and_literals_are_ignored() {
        check_snippet(
            "config/mod.rs",
            "// crate::cli\n/* a /* crate::cli */ crate::cli */ /// [`crate::cli`]\n",
            0,
        );
        check_snippet(
            "config/mod.rs",
            r##"const A: &str = "\"crate::cli"; const B: &str = r#"" crate::cli"#;"##,
            0,
        );
        check_snippet(
            "config/mod.rs",
            "const A: [char; 2] = ['\"', '\\'']; fn f<'a>(x: &'a str) {} // '\"",
            0,
        );
        check_snippet("config/mod.rs", "const A: char = '\"'; use crate::cli; const B: char = '\"';", 1);
        check_snippet("config/mod.rs", "fn f<'a>(x: &'a crate::cli::T) {}", 1);
        let found = check_snippet("config/mod.rs", "const A: &str = \"\n\n\"; /*\n*/ use crate::cli;", 1);
        assert!(found[0].starts_with("src/config/mod.rs:4:"), "{found:#?}");
    }

    #[test]
    fn only_views_and_layers_right_of_tui_may_use_the_terminal() {
        for view in [
            "tui/widgets/canvas.rs",
            "tui/dialogs/prompt/mod.rs",
            "tui/shell/frame.rs",
            "tui/screens/plan/view.rs",
        ] {
            check_snippet(view, "use ratatui::{Frame, crossterm::style};", 0);
        }
        check_snippet("tui/screens/graph/view/panel.rs", "use ratatui::layout::Rect;", 0);
        check_snippet("runtime/modes.rs", "use ratatui::{Frame, crossterm::style};", 0);
        check_snippet("tui/screens/plan/mod.rs", "use ratatui::layout::Rect;", 1);
        check_snippet("tui/session/view.rs", "use ratatui::layout::Rect;", 1);
        check_snippet("olmap-report/lib.rs", "use ratatui::style::Color;", 1);
        check_snippet("olmap-report/lib.rs", "use ratatui_core::style::Color;", 1);
        check_snippet("config/mod.rs", "fn f(k: crossterm::event::KeyCode) {}", 1);
        check_snippet(
            "tui/keymap.rs",
            "use crossterm::event::{KeyCode, KeyEvent}; use ratatui::crossterm::event;",
            0,
        );
        check_snippet("tui/keymap.rs", "use crossterm::{event::KeyCode, terminal};", 1);
        check_snippet("tui/keymap.rs", "use ratatui::layout::Rect;", 1);
    }

    #[test]
    fn only_listed_locations_may_access_the_system() {
        for touch in
            ["fs::read", "net::TcpStream", "thread::spawn", "env::var", "process::Command", "process"]
        {
            let source = format!("fn f() {{ let _ = std::{touch}; }}");
            check_snippet("olm-check/lib.rs", &source, 1);
            check_snippet("olm-catalog/loader.rs", &source, 1);
            for place in [
                "olm-catalog/load/mod.rs",
                "olm-catalog/load/git/mod.rs",
                "olm-edit/save/mod.rs",
                "runtime/mod.rs",
                "cli/mod.rs",
            ] {
                check_snippet(place, &source, 0);
            }
        }
        check_snippet("olm-source/git.rs", "use std::process::Command;", 0);
        check_snippet("tui/mod.rs", "use std::{fmt, fs::{self, File}, io};", 2);
        check_snippet("tui/mod.rs", "use std::process::{self, ExitCode};", 1);
        check_snippet("tui/mod.rs", "use ::std::fs;", 1);
        check_snippet(
            "tui/mod.rs",
            "use std::process::ExitCode; let env = my::std::fs; let fs = env!(\"A\");",
            0,
        );
    }

    #[test]
    fn only_one_place_prints() {
        for print in ["println!(\"x\")", "eprint!()", "std::eprintln!()", "dbg!(x)", "print!()"] {
            check_snippet("olm-check/lib.rs", &format!("fn f() {{ {print}; }}"), 1);
            check_snippet("cli/list.rs", &format!("fn f() {{ {print}; }}"), 1);
            check_snippet("cli/out.rs", &format!("fn f() {{ {print}; }}"), 0);
        }
        check_snippet("cli/list.rs", "use std::io; fn f() { io::stderr().lock(); }", 1);
        check_snippet("cli/list.rs", "use std::io::{self, stdout};", 1);
        check_snippet("runtime/modes.rs", "fn f() { std::io::stdout(); }", 0);
        check_snippet("cli/list.rs", "fn f(out: &mut Out) { out.print(x); json::print(y); }", 0);
        check_snippet("cli/list.rs", "#[cfg(test)] mod tests { fn f() { println!(); } }", 0);
    }

    #[test]
    fn tests_may_access_the_system() {
        check_snippet("tui/tests.rs", "use std::fs;", 0);
        check_snippet("tui/checked.rs", "use std::fs;", 0);
        check_snippet("tui/checked/data.rs", "use std::fs;", 0);
        check_snippet(
            "tui/mod.rs",
            "#[cfg(test)]\nmod tests { use std::fs; fn f() { std::env::var(\"A\"); } }",
            0,
        );
        check_snippet("tui/mod.rs", "#[cfg(test)] use std::fs; fn f() {}", 0);
        check_snippet(
            "tui/mod.rs",
            "#[cfg(test)] fn f() -> [u8; 1] { std::fs::read(); } fn g() { std::fs::read(); }",
            1,
        );
        check_snippet("tui/mod.rs", "#[cfg(not(test))] use std::fs;", 1);
    }

    #[test]
    fn module_declared_for_tests_is_test_code() {
        let declared = "mod a; #[cfg(test)] mod checked; #[cfg(test)] mod inline { mod b; } mod c;";
        assert_eq!(declared_test_paths("tui/mod.rs", declared), ["tui/checked.rs", "tui/checked/"]);
        assert_eq!(
            declared_test_paths("tui/save.rs", declared),
            ["tui/save/checked.rs", "tui/save/checked/"]
        );
        assert_eq!(declared_test_paths("lib.rs", declared), ["checked.rs", "checked/"]);
    }

    #[test]
    fn every_file_is_in_a_layer() {
        check_snippet("helpers.rs", "", 1);
        check_snippet("util/mod.rs", "", 1);
    }
}
