//! Tests of the release scripts in `packaging/`, on generated files, and of values that must agree
//! with
//! them.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Command, Output},
};

use super::workflows::release_targets;

/// Runs a script of `packaging/` in the root of the repository, without the environment of the
/// test.
fn run_script(name: &str, arguments: &[&str], set: &[(&str, &str)]) -> Output {
    Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging").join(name))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(arguments)
        .env_remove("REPOSITORY")
        .env_remove("OUT")
        .envs(set.iter().copied())
        .output()
        .unwrap()
}

#[track_caller]
fn success_output(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Returns the output of cargo for this package.
#[track_caller]
fn cargo_output(arguments: &[&str]) -> String {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    success_output(
        &Command::new(cargo).current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).output().unwrap(),
    )
}

#[track_caller]
fn failure_message(output: &Output) -> String {
    assert!(!output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stderr.clone()).unwrap()
}

const VERSION: &str = env!("CARGO_PKG_VERSION");
const REPOSITORY: &str = "https://forge.example.com/team/olmap";

/// Returns the name of a release archive, as binstall, krew, Homebrew and actions expect it.
fn archive_name(version: &str, target: &str) -> String {
    let ending = if target.contains("windows") { "zip" } else { "tar.gz" };
    format!("olmap-{version}-{target}.{ending}")
}

#[test]
fn release_notes_are_the_section_of_the_changelog() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("CHANGELOG.md");
    let text = "# Changelog\n\n## [Unreleased]\n\n- Soon.\n\n## [1.2.0] - 2026-01-02\n\n### Added\n\n- `a`, with \\ and $HOME.\n\n\
        ## [1.2.0-rc.1] - 2026-01-01\n\n- Early.\n\n## [1.1.0] - 2025-01-01\n\n## [1.0.0] - 2025-01-01\n\n- First.\n\n\
        [1.2.0]: https://example.com\n";
    fs::write(&file, text).unwrap();
    let notes = |version| run_script("notes.sh", &[version, file.to_str().unwrap()], &[]);
    assert_eq!(success_output(&notes("1.2.0")), "### Added\n\n- `a`, with \\ and $HOME.\n");
    assert_eq!(success_output(&notes("1.2.0-rc.1")), "- Early.\n");
    assert_eq!(success_output(&notes("1.0.0")), "- First.\n");
    assert!(failure_message(&notes("1.1.0")).contains("says nothing of 1.1.0"), "a heading alone is no note");
    assert!(failure_message(&notes("1.2")).contains("says nothing of 1.2"));
    // `.` in a version is not a pattern.
    assert!(failure_message(&notes("1x0x0")).contains("says nothing of"));
}

#[test]
fn release_notes_of_the_built_version_are_found() {
    assert!(
        failure_message(&run_script("notes.sh", &["999.0.0"], &[]))
            .contains(&format!("Cargo.toml says {VERSION}"))
    );
    assert!(
        success_output(&run_script("notes.sh", &["Unreleased", "CHANGELOG.md"], &[])).starts_with("### ")
    );
}

/// Returns checksums in the format of `sha256sum`, a different one for each target.
fn checksum_lines(version: &str, targets: &BTreeSet<String>) -> String {
    let line =
        |(nth, target): (usize, &String)| format!("{:064x}  {}\n", nth + 1, archive_name(version, target));
    let others = format!("{:064x}  olmap-{version}.cdx.json\n{:064x}  olmap_{version}-1_amd64.deb\n", 77, 78);
    targets.iter().enumerate().map(line).collect::<String>() + &others
}

#[test]
fn manifests_get_the_version_repository_and_checksums() {
    let folder = tempfile::tempdir().unwrap();
    let (sums, into) = (folder.path().join("SHA256SUMS"), folder.path().join("filled"));
    let targets = release_targets();
    fs::write(&sums, checksum_lines("1.2.3-rc.1", &targets)).unwrap();
    let arguments = [sums.to_str().unwrap(), into.to_str().unwrap()];
    success_output(&run_script("fill.sh", &arguments, &[("REPOSITORY", &format!("{REPOSITORY}/"))]));

    let filled = |name: &str| fs::read_to_string(into.join(name)).unwrap();
    for name in ["olmap.yaml", "olmap.rb"] {
        let text = filled(name);
        assert!(
            !text.contains("@VERSION@") && !text.contains("@REPOSITORY@") && !text.contains("@SHA256"),
            "{text}"
        );
    }
    let krew: serde_yaml::Value = serde_yaml::from_str(&filled("olmap.yaml")).unwrap();
    assert_eq!(krew["spec"]["version"], "v1.2.3-rc.1");
    let platforms = krew["spec"]["platforms"].as_sequence().unwrap();
    let in_krew: BTreeSet<String> = platforms
        .iter()
        .map(|platform| {
            let address = platform["uri"].as_str().unwrap();
            let target =
                targets.iter().find(|target| address.ends_with(&archive_name("1.2.3-rc.1", target))).unwrap();
            assert_eq!(
                address,
                format!("{REPOSITORY}/releases/download/v1.2.3-rc.1/{}", archive_name("1.2.3-rc.1", target))
            );
            let nth = targets.iter().position(|other| other == target).unwrap();
            assert_eq!(platform["sha256"], format!("{:064x}", nth + 1), "{target}");
            let machine = if target.starts_with("x86_64") { "amd64" } else { "arm64" };
            assert_eq!(platform["selector"]["matchLabels"]["arch"], machine);
            let files = platform["files"].as_sequence().unwrap();
            assert_eq!(files[0]["to"], platform["bin"], "what is started is what was unpacked");
            target.clone()
        })
        .collect();
    assert_eq!(in_krew, targets, "krew has every target that a release has");

    let brew = filled("olmap.rb");
    for (nth, target) in targets.iter().enumerate().filter(|(_, target)| !target.contains("windows")) {
        let (_, rest) =
            brew.split_once(&archive_name("1.2.3-rc.1", target)).unwrap_or_else(|| panic!("{target}"));
        let sum = rest.lines().nth(1).unwrap().trim();
        assert_eq!(sum, format!("sha256 \"{:064x}\"", nth + 1), "{target}");
    }
}

#[test]
fn manifests_are_not_written_if_input_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let (sums, into) = (folder.path().join("SHA256SUMS"), folder.path().join("filled"));
    let arguments = [sums.to_str().unwrap(), into.to_str().unwrap()];
    let mut few = release_targets();
    few.remove("aarch64-apple-darwin");
    fs::write(&sums, checksum_lines("1.2.3", &few)).unwrap();
    let said = failure_message(&run_script("fill.sh", &arguments, &[("REPOSITORY", REPOSITORY)]));
    assert!(said.contains("no archive of 1.2.3 for aarch64-apple-darwin"), "{said}");
    fs::write(&sums, "").unwrap();
    let said = failure_message(&run_script("fill.sh", &arguments, &[("REPOSITORY", REPOSITORY)]));
    assert!(said.contains("has no olmap-VERSION"), "{said}");
    assert!(!into.exists());
}

#[test]
fn binstall_uses_the_names_of_release_archives() {
    let manifest = cargo_output(&["metadata", "--no-deps", "--format-version", "1", "--offline"]);
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let packages = manifest["packages"].as_array().unwrap();
    let program = packages.iter().find(|package| package["name"] == "olmap").unwrap();
    let binstall = &program["metadata"]["binstall"];
    let overrides = binstall["overrides"].as_object().unwrap();
    let of = |target: &str, key: &str| {
        let own = overrides.get(target).and_then(|own| own.get(key));
        own.or_else(|| binstall.get(key)).unwrap().as_str().unwrap()
    };
    let filled = |target: &str, key: &str| {
        let windows = target.contains("windows");
        let suffix = if of(target, "pkg-fmt") == "zip" { ".zip" } else { ".tar.gz" };
        of(target, key)
            .replace("{ repo }", REPOSITORY)
            .replace("{ version }", VERSION)
            .replace("{ target }", target)
            .replace("{ archive-suffix }", suffix)
            .replace("{ bin }", "olmap")
            .replace("{ binary-ext }", if windows { ".exe" } else { "" })
    };
    let mut asked = release_targets();
    // A toolchain for glibc gets the static program.
    asked.extend(["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"].map(str::to_owned));
    for target in asked {
        let from = target.replace("-gnu", "-musl");
        let name = archive_name(VERSION, &from);
        assert_eq!(filled(&target, "pkg-url"), format!("{REPOSITORY}/releases/download/v{VERSION}/{name}"));
        let program = if target.contains("windows") { "olmap.exe" } else { "olmap" };
        assert_eq!(filled(&target, "bin-dir"), format!("olmap-{VERSION}-{from}/{program}"));
    }
    assert!(overrides.keys().all(|target| !target.contains('*')));
}

/// Returns the names of the files in a folder.
fn file_names(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn every_command_has_a_manual_page_and_completions() {
    let folder = tempfile::tempdir().unwrap();
    let stage = folder.path().to_str().unwrap();
    success_output(&run_script("stage.sh", &[env!("CARGO_BIN_EXE_olmap"), stage], &[]));
    let pages = file_names(&folder.path().join("man"));
    let help = Command::new(env!("CARGO_BIN_EXE_olmap")).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let listed = help.lines().skip_while(|line| *line != "Explore:").take_while(|line| *line != "Arguments:");
    let commands: Vec<&str> = listed
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(commands.len() > 30, "{commands:?}");
    for command in commands.iter().filter(|command| **command != "help") {
        assert!(pages.contains(&format!("olmap-{command}.1")), "{command} has a page");
    }
    assert!(pages.contains("olmap.1") && pages.contains("olmap-bundle-show.1"));
    let shells =
        ["_olmap", "_olmap.ps1", "kubectl_complete-olmap", "olmap.bash", "olmap.fish"].map(str::to_owned);
    assert_eq!(file_names(&folder.path().join("completions")), BTreeSet::from(shells));

    let script = folder.path().join("completions/olmap.bash");
    let asked = "source \"$1\"; COMP_WORDS=(olmap val); COMP_CWORD=1; _olmap olmap val olmap; echo \"${COMPREPLY[@]}\"";
    // The script asks the program in the path.
    let program = Path::new(env!("CARGO_BIN_EXE_olmap")).parent().unwrap().display().to_string();
    let path = format!("{program}:{}", std::env::var("PATH").unwrap());
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", asked, "bash"]).arg(script).env("PATH", path);
    let bash = bash.output().unwrap();
    assert_eq!(success_output(&bash), "validate\n");
}

#[test]
fn archive_contains_required_files_and_is_reproducible() {
    let folder = tempfile::tempdir().unwrap();
    let target = "x86_64-unknown-linux-gnu";
    let built = folder.path().join(target).join("dist");
    fs::create_dir_all(&built).unwrap();
    // A small script replaces the program, which is large in test builds.
    let starter = built.join("olmap");
    fs::write(&starter, format!("#!/bin/sh\nexec '{}' \"$@\"\n", env!("CARGO_BIN_EXE_olmap"))).unwrap();
    fs::set_permissions(&starter, fs::Permissions::from_mode(0o755)).unwrap();
    let out = folder.path().join("out");
    let set = [
        ("CARGO_TARGET_DIR", folder.path().to_str().unwrap()),
        ("OUT", out.to_str().unwrap()),
        ("SOURCE_DATE_EPOCH", "1700000000"),
    ];
    success_output(&run_script("archive.sh", &[target], &set));
    let archive = out.join(archive_name(VERSION, target));
    let first = fs::read(&archive).unwrap();
    let mut found = BTreeSet::new();
    let mut licences = String::new();
    for entry in tar::Archive::new(flate2::read::GzDecoder::new(first.as_slice())).entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = entry.path().unwrap().to_str().unwrap().to_owned();
        let (top, rest) = path.split_once('/').unwrap();
        assert_eq!(top, format!("olmap-{VERSION}-{target}"));
        assert_eq!((entry.header().uid().unwrap(), entry.header().mtime().unwrap()), (0, 1_700_000_000));
        if rest == "olmap" {
            assert_eq!(entry.header().mode().unwrap() & 0o777, 0o755);
        }
        if rest.starts_with("THIRD-PARTY") {
            std::io::Read::read_to_string(&mut entry, &mut licences).unwrap();
        }
        found.insert(rest.to_owned());
    }
    for wanted in ["olmap", "LICENSE", "README.md", "CHANGELOG.md", "man/olmap.1", "completions/olmap.bash"] {
        assert!(found.contains(wanted), "{wanted} is in {found:?}");
    }
    // Two targets need this: a C library, and a crate with its own license.
    for crate_ in ["ring v", "unicode-ident v", "ratatui v"] {
        assert!(licences.contains(&format!("    {crate_}")), "{crate_} is named");
    }
    assert!(!licences.contains("    insta v"), "what only tests need is not handed out");
    success_output(&run_script("archive.sh", &[target], &set));
    assert!(fs::read(&archive).unwrap() == first, "made twice, it is the same");
}

#[test]
fn wheel_installs_the_program_and_is_reproducible() {
    let python = |arguments: &[&str]| Command::new("python3").args(arguments).output();
    if python(&["-c", "import venv, ensurepip"]).is_ok_and(|output| !output.status.success()) {
        println!("skipped: no python3 with venv");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let target = "x86_64-unknown-linux-musl";
    let program = folder.path().join(target).join("dist/olmap");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    fs::write(&program, format!("#!/bin/sh\necho olmap {VERSION}\n")).unwrap();
    let build = |out: &str| {
        let out = folder.path().join(out);
        let set = [("CARGO_TARGET_DIR", folder.path().to_str().unwrap()), ("OUT", out.to_str().unwrap())];
        let set = [&set[..], &[("SOURCE_DATE_EPOCH", "1700000000")]].concat();
        success_output(&run_script("wheel.py", &[target], &set)).trim().to_owned()
    };
    let [one, other] = ["one", "other"].map(build);
    assert_eq!(fs::read(&one).unwrap(), fs::read(&other).unwrap());
    assert!(
        one.ends_with(&format!(
            "olmap-{VERSION}-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64.whl"
        )),
        "{one}"
    );
    let environment = folder.path().join("venv");
    success_output(&python(&["-m", "venv", environment.to_str().unwrap()]).unwrap());
    let run = |program: &str, arguments: &[&str]| {
        success_output(&Command::new(environment.join("bin").join(program)).args(arguments).output().unwrap())
    };
    run("python", &["-m", "pip", "install", "--no-index", "--no-deps", &one]);
    assert_eq!(run("olmap", &[]), format!("olmap {VERSION}\n"));
    let shown = run("python", &["-m", "pip", "show", "--files", "olmap"]);
    assert!(shown.contains("licenses/THIRD-PARTY-LICENSES.txt") && shown.contains("bin/olmap"), "{shown}");
    // Every target of a release has a platform.
    for target in release_targets() {
        assert!(
            fs::read_to_string("packaging/wheel.py").unwrap().contains(&format!("\"{target}\": ")),
            "{target}"
        );
    }
}

#[test]
fn crate_contains_only_the_files_it_needs() {
    let listed = cargo_output(&["package", "--list", "--allow-dirty", "--offline", "--package", "olmap"]);
    let listed: Vec<&str> = listed.lines().collect();
    for wanted in
        ["Cargo.lock", "LICENSE", "README.md", "src/main.rs", "demo/catalog/granary-operator/catalog.yaml"]
    {
        assert!(listed.contains(&wanted), "{wanted} is in the crate");
    }
    for path in &listed {
        let path = Path::new(path);
        assert!(
            path.extension().is_none_or(|ending| ending != "snap"),
            "{} is no part of it",
            path.display()
        );
        let left_out = ["benches", "docs", "fuzz", "packaging", ".github", ".ci"];
        assert!(
            left_out.iter().all(|folder| !path.starts_with(folder)),
            "{} is no part of it",
            path.display()
        );
        assert!(!path.starts_with("tests"), "{} is no part of it", path.display());
    }
}
