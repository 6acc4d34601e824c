//! Hints for users of opm: a command of opm that olmap does not have is answered with its equivalent.

use std::{ffi::OsString, fmt::Write as _, path::Path};

use super::failure::Failure;

/// Returns the equivalent of a command of opm; `None` if it is not one, or if it is a file.
pub fn suggest_equivalent(words: &[OsString]) -> Option<Failure> {
    let words: Vec<&str> = words.iter().map_while(|word| word.to_str()).collect();
    let (&first, rest) = words.split_first()?;
    if Path::new(first).exists() {
        return None;
    }
    // `alpha` is a group of commands.
    let (name, rest) = match (first, rest.split_first()) {
        ("alpha", Some((&second, rest))) => (second, rest),
        ("generate" | "init" | "list" | "render" | "serve" | "validate", _) => return None,
        _ => (first, rest),
    };
    let is_alpha = first == "alpha";
    let of_sqlite = "olmap opens SQLite indexes: olmap INDEX.db; olmap IMAGE opens an index image";
    let hint = match (is_alpha, name) {
        (true, "list") => list_equivalent(rest),
        (true, "diff") => "olmap diff OLD NEW".to_owned(),
        (true, "render-graph") => "olmap graph -o mermaid PATH".to_owned(),
        (true, "render-template" | "render-veneer" | "convert-template") => {
            "olmap template render, with the bundles of a catalog in place of images; olmap template convert"
                .to_owned()
        }
        (true, "bundle") if rest.first() == Some(&"generate") => {
            "olmap generate bundle -d DIR -p PACKAGE -c CHANNELS".to_owned()
        }
        (true, "alpha" | "bundle" | "generate") => {
            "use opm for that; olmap --help lists the commands of olmap".to_owned()
        }
        (false, "alpha") => "use olmap list, diff, graph for opm alpha list, diff, render-graph".to_owned(),
        (false, "index" | "registry") => of_sqlite.to_owned(),
        (false, "migrate") => {
            "opm migrate turns an index image into a catalog; olmap opens the catalog".to_owned()
        }
        (false, "version") => "olmap --version".to_owned(),
        (false, "completion") => format!("olmap completions {}", rest.first().unwrap_or(&"SHELL")),
        _ => return None,
    };
    let command = if is_alpha { format!("alpha {name}") } else { name.to_owned() };
    Some(Failure::new(format!("{command} is an opm command, not an olmap command")).with_hint(hint))
}

/// Returns the equivalent of `opm alpha list channels CATALOG PACKAGE`.
fn list_equivalent(words: &[&str]) -> String {
    let mut names = words.iter().filter(|word| !word.starts_with('-'));
    let mut line = format!("olmap list {}", names.next().unwrap_or(&"packages|channels|bundles"));
    if let Some(path) = names.next() {
        let _ = write!(line, " {}", shell_words::quote(path));
    }
    if let Some(package) = names.next() {
        let _ = write!(line, " -p {}", shell_words::quote(package));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::suggest_equivalent;

    #[test]
    fn opm_commands_get_hints_and_olmap_commands_do_not() {
        let asked = |line: &str| suggest_equivalent(&line.split(' ').map(Into::into).collect::<Vec<_>>());
        for line in ["alpha list channels cat ship", "alpha", "index add", "migrate a b", "registry serve"] {
            assert!(asked(line).is_some(), "{line}");
        }
        for line in [
            "generate dockerfile cat",
            "init x",
            "list channels cat",
            "render -o yaml",
            "generate bundle -d x",
            "serve cat",
            "validate",
            "alphabet",
            "--help",
            "src",
            "cat alpha",
        ] {
            assert!(asked(line).is_none(), "{line}");
        }
    }
}
