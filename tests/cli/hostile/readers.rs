//! Interpretation of output lines by other programs, modeled on those programs and not on the
//! escaping of olmap.

/// Returns the command as which a CI runner would interpret a line, if any.
pub fn runner_command(line: &str) -> Option<&'static str> {
    let marks = line.contains("section_start:") || line.contains("travis_fold:");
    if marks && (line.contains('\r') || line.contains("\u{1b}[0K")) {
        return Some("a section of GitLab or Travis");
    }
    // Two runners ignore characters without width when they compare text.
    let line: String = line.chars().filter(|c| !is_ignored_by_runner(*c)).collect();
    let trimmed = line.trim_start();
    if let Some(rest) = trimmed.strip_prefix("::")
        && rest.contains("::")
    {
        return Some("a workflow command of GitHub");
    }
    if line.contains("##[") {
        return Some("an old workflow command of GitHub, or a mark of Azure");
    }
    let lower = line.to_lowercase();
    if lower.contains("##vso[") {
        return Some("a command of Azure");
    }
    if lower.contains("##teamcity[") {
        return Some("a message of TeamCity");
    }
    let opens = ["---", "+++", "~~~", "^^^"].iter().find_map(|mark| line.strip_prefix(mark));
    opens
        .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
        .then_some("a group of Buildkite")
}

fn is_ignored_by_runner(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5af}') || is_active(c) || is_invisible(c)
}

/// Removes the color sequences that olmap writes from a line.
pub fn strip_colors(line: &str) -> String {
    ["1;31", "1;33", "1;36", "32", "2", "1", "0"]
        .iter()
        .fold(line.to_owned(), |line, of| line.replace(&format!("\u{1b}[{of}m"), ""))
}

/// Returns true if a character controls a terminal.
pub fn is_active(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
}

/// Returns true if a character is invisible, according to Unicode and known attacks.
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d159}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[test]
fn recognizes_commands_of_ci_runners() {
    for line in [
        "  ::error::x",
        "::stop-commands::tok",
        "\u{a0}::a b=c::",
        ":\u{200b}:error::x",
        "a ##[error]x",
        "a ##VSO[task.x]y",
        "##teamcity[x]",
        "--- a",
        "~~~",
        "section_start:1:x\r\u{1b}[0Kd",
    ] {
        assert!(runner_command(line).is_some(), "{line}");
    }
    for line in [
        "error: ::a::",
        ": :error::x",
        "## [error]x",
        " --- a",
        "|---|---|",
        "---a",
        "##\\u005berror]",
        "::x",
    ] {
        assert_eq!(runner_command(line), None, "{line}");
    }
}
