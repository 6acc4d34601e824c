//! Untrusted repositories: reading a repository must not run, fetch or write anything, whatever its
//! configuration, hooks and attributes request.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use super::{
    git,
    run::{olmap_in, run_with_input},
};

const CATALOG: &str = "schema: olm.package\nname: ship\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: ship\nname: \
                       stable\nentries: [{name: ship.v1.0.0}]\n";

const HOOKS: [&str; 10] = [
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "pre-auto-gc",
    "pre-commit",
    "reference-transaction",
    "fsmonitor-watchman",
    "post-rewrite",
    "proc-receive",
];

/// Settings that name programs. `CMD` is a program that leaves a mark.
const CONFIGURATION: &str = "\
[core]
\tfsmonitor = CMD fsmonitor
\tpager = CMD pager
\teditor = CMD editor
\tsshCommand = CMD ssh
\taskPass = CMD askpass
\tgitProxy = CMD proxy
\talternateRefsCommand = CMD alternate
\thooksPath = HOOKS
[pager]
\tlog = CMD pager-log
\tdiff = CMD pager-diff
[diff]
\texternal = CMD external
\torderFile = /dev/null
[diff \"x\"]
\tcommand = CMD diff
\ttextconv = CMD textconv
[filter \"x\"]
\tclean = CMD clean
\tsmudge = CMD smudge
\tprocess = CMD process
\trequired = true
[merge \"x\"]
\tdriver = CMD merge
[log]
\tshowSignature = true
\tfollow = true
[gpg]
\tprogram = GPG
[credential]
\thelper = !CMD credential
[alias]
\tlog = !CMD alias
\tls-tree = !CMD alias
\tcat-file = !CMD alias
\trev-parse = !CMD alias
[remote \"origin\"]
\turl = ext::CMD remote
\tpromisor = true
\tpartialclonefilter = blob:none
\tuploadpack = CMD uploadpack
[extensions]
\tpartialClone = origin
[uploadpack]
\tpackObjectsHook = CMD pack
";

/// Reads every file below a folder.
fn read_all_files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(path.clone(), fs::read(path).unwrap());
            }
        }
    }
    found
}

/// Writes two programs that leave a mark: one named by its first argument, and one with a fixed
/// name.
fn write_markers(folder: &Path) -> [String; 2] {
    let marks = folder.join("marks");
    fs::create_dir(&marks).unwrap();
    [("mark.sh", "$1"), ("gpg.sh", "gpg")].map(|(program, mark)| {
        let path = folder.join(program);
        fs::write(&path, format!("#!/bin/sh\n: > \"{}/{mark}\"\nexit 1\n", marks.display())).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.display().to_string()
    })
}

/// Adds an invalid signature to the newest commit, so that its verification would run a program.
fn sign_commit(root: &Path) {
    let run = |arguments: &[&str], input: &[u8]| {
        let run = run_with_input(Command::new("git").current_dir(root).args(arguments), input);
        assert_eq!(run.code, 0, "{arguments:?}: {}", run.err);
        run.out
    };
    let commit = run(&["cat-file", "commit", "HEAD"], b"");
    let signature =
        "gpgsig -----BEGIN PGP SIGNATURE-----\n \n AAAA\n -----END PGP SIGNATURE-----\n\n".to_owned();
    let signed = commit.replacen("\n\n", &format!("\n{signature}"), 1);
    let name = run(&["hash-object", "-t", "commit", "-w", "--stdin"], signed.as_bytes());
    run(&["update-ref", "HEAD", name.trim()], b"");
}

#[test]
fn programs_configured_in_a_repository_are_not_run_and_files_stay_unchanged() {
    let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let root = folder.path();
    git::init(root);
    let catalog = root.join("cat/ship/catalog.yaml");
    fs::create_dir_all(catalog.parent().unwrap()).unwrap();
    fs::write(&catalog, CATALOG).unwrap();
    fs::write(root.join(".gitattributes"), "* filter=x diff=x merge=x\n").unwrap();
    git::commit_on("2025-01-01", root);
    fs::write(&catalog, CATALOG.replace("1.0.0", "1.1.0")).unwrap();
    git::commit_on("2025-02-01", root);
    sign_commit(root);
    // A file of the first commit is missing, and the configuration would fetch it.
    let first = run_with_input(
        Command::new("git").current_dir(root).args(["rev-parse", "HEAD~1:cat/ship/catalog.yaml"]),
        b"",
    );
    let (begin, rest) = first.out.trim().split_at(2);
    fs::remove_file(root.join(".git/objects").join(begin).join(rest)).unwrap();
    let [command, gpg] = write_markers(outside.path());
    for hook in HOOKS {
        let path = root.join(".git/hooks").join(hook);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\n{command} hook-{hook}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let configured = CONFIGURATION
        .replace("CMD", &command)
        .replace("GPG", &gpg)
        .replace("HOOKS", &root.join(".git/hooks").display().to_string());
    let config = root.join(".git/config");
    fs::write(&config, fs::read_to_string(&config).unwrap() + &configured).unwrap();
    let before = read_all_files(root);
    let marks = || read_all_files(&outside.path().join("marks"));
    for arguments in [
        &["validate", "cat"][..],
        &["diff", "git:HEAD~1", "cat"],
        &["diff", "git:HEAD", "cat"],
        &["diff", "git:HEAD:cat", "cat", "--fail-on", "all"],
        &["deprecations", "cat", "--since"],
        &["history", "ship", "cat"],
        &["history", "ship", "cat", "--format", "json"],
        &["successors", "cat", "--installed", "1.0.0"],
        &["list", "repository"],
        &["list", "packages"],
    ] {
        let run = olmap_in(root, arguments);
        assert!(!run.err.contains("panicked"), "{arguments:?}: {}", run.err);
        assert_eq!(marks().keys().collect::<Vec<_>>(), [""; 0].map(Path::new).each_ref(), "{arguments:?}");
        assert!(read_all_files(root) == before, "{arguments:?} writes into the repository");
    }
    olmap_in(root, &["diff", "git:HEAD", "cat"]).exits(0);
    let missing = olmap_in(root, &["diff", "git:HEAD~1", "cat"]).exits(2);
    assert!(missing.err.contains("the clone is partial"), "{}", missing.err);
    let history = olmap_in(root, &["history", "ship", "cat"]);
    assert!(history.out.contains("2025-02-01"), "{}{}", history.out, history.err);
    // Checks that git itself runs some of the programs. Their execution fails if another thread
    // forks while the program is open for writing, so there are several attempts.
    let names = || -> Vec<String> {
        marks().keys().map(|path| path.file_name().unwrap().display().to_string()).collect()
    };
    let traps = ["fsmonitor", "gpg"];
    for _ in 0..20 {
        for arguments in [&["status"][..], &["show", "HEAD"], &["show", "HEAD~1"]] {
            let _ = Command::new("git").current_dir(root).args(arguments).output().unwrap();
        }
        if traps.iter().all(|trap| names().iter().any(|name| name == trap)) {
            break;
        }
    }
    let names = names();
    for trap in traps {
        assert!(names.iter().any(|name| name == trap), "{trap}: {names:?}");
    }
}
