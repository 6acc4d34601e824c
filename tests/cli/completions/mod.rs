//! Completions in bash, zsh and fish, as these shells ask for them.

use std::{
    fs,
    net::TcpListener,
    path::Path,
    process::{Command, Output},
};

use tempfile::TempDir;

use super::run::{command, fixture, run_with_input};

/// Command lines, candidates of each, and words that are not.
const CASES: &[(&str, &[&str], &[&str])] = &[
    ("olmap val", &["validate"], &["valid.yaml"]),
    ("olmap list ", &["packages", "channels", "repository"], &["validate", "dir/"]),
    ("olmap list pack", &["packages"], &[]),
    ("olmap validate --den", &["--deny"], &["--allow"]),
    ("olmap validate --deny w", &["warnings"], &["way-out", "dir/"]),
    ("olmap validate --rule dead", &["dead-end"], &["dir/"]),
    ("olmap explain dead", &["dead-end"], &["deprecations"]),
    ("olmap graph --output=m", &["mermaid"], &["json"]),
    ("olmap graph --format ", &["svg", "mermaid"], &["dir/"]),
    ("olmap edit pro", &["promote"], &["withdraw"]),
    ("olmap edit promote --ch", &["--channel"], &[]),
    ("olmap graph --package ", &["anvil"], &["dir/", "--channel"]),
    ("olmap graph --channel ", &["stable", "edge"], &["dir/"]),
    ("olmap successors -p anvil --installed ", &["anvil.v1.2.0"], &["dir/", "valid.yaml"]),
    ("olmap edit withdraw anvil.v1", &["anvil.v1.2.0", "anvil.v1.1.0"], &["dir/"]),
    ("olmap extract anvil:", &["stable", "edge"], &["dir/"]),
    ("olmap stuck --changed-since ma", &["main"], &["dir/"]),
    ("olmap diff git:ma", &["main"], &["dir/"]),
    ("olmap graph --package ./dir/nothing/", &[], &["anvil"]),
    ("olmap render va", &["valid.yaml"], &[]),
];

/// Returns a git repository with a catalog, which is the current directory of the shells.
fn repository() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("dir")).unwrap();
    fs::copy(Path::new(&fixture("anvil")).join("catalog.yaml"), folder.path().join("valid.yaml")).unwrap();
    let git = |arguments: &[&str]| {
        let names = [("GIT_AUTHOR_NAME", "a"), ("GIT_AUTHOR_EMAIL", "a@example.com")];
        let committer = [("GIT_COMMITTER_NAME", "a"), ("GIT_COMMITTER_EMAIL", "a@example.com")];
        let mut git = Command::new("git");
        git.arg("-C").arg(folder.path()).args(arguments).envs(names).envs(committer);
        assert!(git.output().unwrap().status.success());
    };
    git(&["init", "--quiet", "--initial-branch=main"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "--message=Add the catalog"]);
    folder
}

/// Returns true if a shell is installed; otherwise prints that the test is skipped.
fn has_shell(name: &str) -> bool {
    let is_there = Command::new(name).args(["-c", "exit 0"]).output().is_ok();
    if !is_there {
        eprintln!("skipped: {name} is not installed");
    }
    is_there
}

fn completion_script(shell: &str) -> String {
    run_with_input(command().args(["completions", shell]), b"").exits(0).out
}

/// Runs a shell in a folder, with olmap in its path, for at most a minute.
fn run_shell(folder: &Path, words: &[&str]) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_olmap")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("timeout");
    shell.arg("60").args(words).current_dir(folder).env("PATH", path).env("HOME", folder);
    let Output { status, stdout, stderr } = shell.output().unwrap();
    let stderr = String::from_utf8_lossy(&stderr).into_owned();
    assert!(status.success() && stderr.is_empty(), "{words:?}: {stderr}");
    String::from_utf8_lossy(&stdout).into_owned()
}

/// Checks the candidates of each case in output of the form `line LINE`, then `<CANDIDATE>` lines. A shell that
/// completes only part of a word omits `prefix`.
fn check_cases(shell: &str, output: &str, with_prefix: bool) {
    let mut sections = output.split("line ").skip(1);
    for (line, expected, unexpected) in CASES {
        let (asked, answer) = sections.next().unwrap_or_default().split_once('\n').unwrap_or_default();
        assert_eq!(asked, *line, "{shell}: {output}");
        let word = line.rsplit(' ').next().unwrap();
        let prefix = match word.rfind(['=', ':']) {
            Some(at) if with_prefix => &word[..=at],
            _ => "",
        };
        for name in *expected {
            assert!(answer.contains(&format!("<{prefix}{name}>")), "{shell}: {line}: no {name} in {answer}");
        }
        for name in *unexpected {
            assert!(!answer.contains(&format!("<{prefix}{name}>")), "{shell}: {line}: {name} in {answer}");
        }
    }
}

#[test]
fn bash_gets_candidates_for_every_kind_of_value() {
    if !has_shell("bash") {
        return;
    }
    let folder = repository();
    // As bash does, the words are split at `=` and `:`.
    let ask = r#"
        eval "$1"; shift
        for line in "$@"; do
            COMP_LINE=$line; COMP_POINT=${#line}
            split=${line//=/ = }; split=${split//:/ : }
            read -ra COMP_WORDS <<<"$split"
            [[ $split == *' ' && $line != *[=:] ]] && COMP_WORDS+=('')
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            COMPREPLY=(); _olmap
            echo "line $line"; printf '<%s>\n' "${COMPREPLY[@]}"
        done"#;
    let script = completion_script("bash");
    let mut words = vec!["bash", "--norc", "-c", ask, "bash", &script];
    words.extend(CASES.iter().map(|(line, ..)| *line));
    check_cases("bash", &run_shell(folder.path(), &words), false);
}

#[test]
fn zsh_gets_candidates_for_every_kind_of_value() {
    if !has_shell("zsh") {
        return;
    }
    let (folder, functions) = (repository(), tempfile::tempdir().unwrap());
    fs::write(functions.path().join("_olmap"), completion_script("zsh")).unwrap();
    let capture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/completions/capture.zsh");
    let mut words = vec!["zsh", "-f", capture, functions.path().to_str().unwrap()];
    words.extend(CASES.iter().map(|(line, ..)| *line));
    check_cases("zsh", &run_shell(folder.path(), &words), true);
}

#[test]
fn fish_gets_candidates_for_every_kind_of_value() {
    if !has_shell("fish") {
        return;
    }
    let folder = repository();
    let ask = "eval $argv[1]
        for line in $argv[2..]
            echo \"line $line\"
            complete -C $line | string replace --regex '\\t.*' '' | string replace --regex '(.*)' '<$1>'
        end";
    let script = completion_script("fish");
    let file = folder.path().join("script.fish");
    fs::write(&file, script).unwrap();
    let source = format!("source {}", file.display());
    let mut words = vec!["fish", "--no-config", "-c", ask, &source];
    words.extend(CASES.iter().map(|(line, ..)| *line));
    check_cases("fish", &run_shell(folder.path(), &words), true);
}

/// Asks for candidates as the script of kubectl does.
fn ask_kubectl(words: &[&str]) -> String {
    let mut asked = command();
    asked.env("OLMAP_COMPLETE", "kubectl").args(["--", "olmap"]).args(words);
    let run = run_with_input(&mut asked, b"").exits(0);
    assert_eq!(run.err, "", "{words:?}");
    run.out
}

#[test]
fn kubectl_gets_descriptions_and_a_directive() {
    let anvil = fixture("anvil");
    assert_eq!(ask_kubectl(&["graph", &anvil, "-p", ""]), "anvil\t1.2.0 in stable\n:4\n");
    let channels = ask_kubectl(&["graph", &anvil, "-c", ""]);
    assert!(channels.starts_with("stable\t1.2.0, default\n"), "{channels}");
    let rules = ask_kubectl(&["explain", "dead-e"]);
    assert!(rules.starts_with("dead-end\twarning: Entries that can never upgrade"), "{rules}");
    assert!(ask_kubectl(&["render", "tests/fixtures/cli/anv"]).ends_with("tests/fixtures/cli/anvil/\n:6\n"));
}

#[test]
fn names_come_from_the_catalog_of_the_line_also_behind_the_cursor() {
    let anvil = fixture("anvil");
    let mut asked = command();
    asked.env("OLMAP_COMPLETE", "fish").env("OLMAP_COMPLETE_INDEX", "3");
    asked.args(["--", "olmap", "graph", "-c", "", &anvil]);
    let run = run_with_input(&mut asked, b"").exits(0);
    assert!(run.out.starts_with("stable\t"), "{}", run.out);
}

#[test]
fn catalog_that_cannot_be_read_gives_no_candidates() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("catalog.yaml");
    fs::write(&broken, b"schema: olm.package\nname: [\xff\n").unwrap();
    let missing = folder.path().join("missing");
    for path in [broken.to_str().unwrap(), missing.to_str().unwrap(), "-", "git:no-such-revision:x"] {
        for option in ["--package", "--channel"] {
            assert_eq!(ask_kubectl(&["graph", path, option, ""]), ":4\n", "{path} {option}");
        }
    }
}

#[test]
fn names_with_control_characters_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let text = "schema: olm.package\nname: \"a\\e[31mb\"\n---\nschema: olm.package\nname: good\n\
                ---\nschema: olm.package\nname: \"x\\ny\"\n";
    fs::write(folder.path().join("catalog.yaml"), text).unwrap();
    assert_eq!(ask_kubectl(&["graph", folder.path().to_str().unwrap(), "-p", ""]), "good\n:4\n");
}

#[test]
fn completion_opens_no_connection_and_writes_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let image = format!("{}/ns/catalog:v1", listener.local_addr().unwrap());
    let (folder, home) = (repository(), tempfile::tempdir().unwrap());
    for catalog in [image.as_str(), "valid.yaml", "git:main:valid.yaml"] {
        let mut asked = command();
        asked.current_dir(folder.path()).env("OLMAP_COMPLETE", "fish").env("HOME", home.path());
        for name in ["XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"] {
            asked.env(name, home.path());
        }
        asked.args(["--", "olmap", "graph", catalog, "--use-http", "-p", ""]);
        let run = run_with_input(&mut asked, b"").exits(0);
        assert_eq!(run.out.contains("anvil"), catalog != image, "{catalog}: {}", run.out);
        assert_eq!(run.err, "");
    }
    assert_eq!(listener.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
    let status = Command::new("git").current_dir(folder.path()).args(["status", "--porcelain"]).output();
    assert_eq!(status.unwrap().stdout, b"");
}

#[test]
fn variable_alone_does_not_change_a_run() {
    let run = run_with_input(command().env("OLMAP_COMPLETE", "bash").args(["range", "1.0.0", "1.0.0"]), b"");
    assert!(run.exits(0).out.contains("1.0.0"));
    run_with_input(command().env("OLMAP_COMPLETE", "csh").args(["--", "olmap", ""]), b"").exits(2);
}
