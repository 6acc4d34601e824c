//! Comments, doc comments and names are plain technical English (CONTRIBUTING.md, "Language").
//!
//! Each pattern has a limit. If a count is below its limit, lower the limit.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use regex::Regex;

use super::glossary::collect_files;

/// A pattern of text that plain technical English does not have.
struct Pattern {
    name: &'static str,
    regex: &'static str,
    /// Phrases that match `regex` but are plain English.
    allowed: &'static [&'static str],
    /// True if only the first line of a doc comment is searched.
    is_doc_start: bool,
    /// Maximum number of places.
    limit: usize,
}

const fn doc_start(name: &'static str, regex: &'static str, limit: usize) -> Pattern {
    Pattern { name, regex, allowed: &[], is_doc_start: true, limit }
}

const fn anywhere(name: &'static str, regex: &'static str, limit: usize) -> Pattern {
    Pattern { name, regex, allowed: &[], is_doc_start: false, limit }
}

const PATTERNS: &[Pattern] = &[
    doc_start("question word", r"^(What|Who|Whom|Whose|Why|How|Where|Whoever|Whatever)\b", 0),
    doc_start("the same", r"^The same\b", 0),
    doc_start("pronoun", r"^(It|They|One|Somebody|Nobody|Everybody|Something)\b", 7),
    doc_start("has made", r"^(Has|Have|Is) (it|them|its|their) ", 0),
    anywhere("person", r"\b([Ss]omebody|[Nn]obody|[Ww]hoever|[Ee]verybody|[Ww]homever)\b", 0),
    anywhere(
        "impersonal one",
        r"\b(one|One) (sees|stands|goes|looks|types|waits|knows|has|is|was|does|may|can|would|could|wants|opens|left|went|comes|compares|begins)\b|\bto one\b|\bof one that\b",
        41,
    ),
    anywhere(
        "told",
        r"\b(is|are|was|were|be|been|gets?) told\b|\btells? (of|it|them|what|that|whether)\b|\bsaid of\b|\bsays of\b|\bto be said\b|\bspoken to\b|\bspeaks? of\b",
        0,
    ),
    anywhere(
        "stands",
        r"\b(stands?|stood) (at|in|on|for|by|to|where|there|beside|above|below|among|between|against|before|first|last)\b",
        0,
    ),
    Pattern {
        name: "is no",
        regex: r"\b(is|are|was|were) no \w+",
        allowed: &[
            "there is no ",
            "There is no ",
            "there are no ",
            "There are no ",
            "there was no ",
            "There was no ",
            "there were no ",
            "is no longer",
            "are no longer",
            "was no longer",
            "is no more",
            "are no more",
            "is no different",
            "is no need",
        ],
        is_doc_start: false,
        limit: 0,
    },
    anywhere(
        "looked at",
        r"\b(looked|look|looks) (at|upon) (is|are|was|were)\b|\b(is|are|was|were) being looked at\b|\b(is|are|was|were|that is) looked at\b",
        0,
    ),
    anywhere(
        "comes to",
        r"\bcomes? (to|of) (it|this|that|nothing|be)\b|\bmakes? it true\b|\bworth a word\b|\bin sight\b|\bout of sight\b|\bin store\b|\bbrought about\b",
        0,
    ),
    anywhere(
        "old words",
        r"\b(anew|thereby|thereof|wherein|hereby|shall|mend(s|ed|ing)?|reckon(s|ed)?|slip of the pen|by that,|the like|all the same|at all events|as it were)\b",
        0,
    ),
    anywhere("meant", r"\b(is|are|was|were|be) meant\b", 0),
    Pattern {
        name: "of which",
        regex: r"\b(of|by|from|to|in|with|for) (which|whom) (the|a|an|it|they|no|nothing|all|some|one|there)\b",
        allowed: &["order in which", "order of which"],
        is_doc_start: false,
        limit: 23,
    },
    anywhere(
        "where for if",
        r", where (it|they|there|that|the|no|a|an|one|this|nothing|somebody) [^,.;]{0,60}\b(is|are|was|were|has|have|can|does|do)\b",
        0,
    ),
    anywhere(
        "worked out",
        r"\b(is|are|was|were|be|been|being) (worked out|found out|had|gone|asked for|handed|wanted)\b",
        0,
    ),
];

/// Names of functions, types and modules that do not say what they are.
const VAGUE_NAMES: &str = "of place words told found want look looks meant said asked judged named known kept taken given seen gone left wanted settled standing beside among here also tell say past sight fate ways overlooked overlooking learning learned solving prospects fortune outlook traveller hands paper homes grounds material surroundings shelves plain remark";

/// A function name is crowded if more functions than this have it.
const MAX_SHARED: usize = 12;
/// Maximum number of functions with crowded names: `new`, getters. Implementations of traits do not count.
const MAX_CROWDED_FUNCTIONS: usize = 384;

/// Source files of the repository: program, tests, benches, examples and fuzz targets.
fn sources() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = Vec::new();
    for folder in ["src", "crates", "benches", "examples", "tests", "fuzz/fuzz_targets"] {
        collect_files(&root.join(folder), "rs", &mut sources);
    }
    // This file and the glossary test quote the patterns.
    sources.retain(|path| !path.ends_with("documents/plain_english.rs"));
    sources.sort();
    sources
}

/// Comment lines of a source file with the line number and true for the first line of a doc comment.
fn comment_lines(text: &str) -> impl Iterator<Item = (usize, bool, &str)> {
    let mut is_in_doc = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let line = line.trim();
        let Some(comment) = line.strip_prefix("//") else {
            is_in_doc = false;
            return None;
        };
        let doc = comment.strip_prefix(['/', '!']);
        let starts_doc = doc.is_some() && !is_in_doc;
        is_in_doc = doc.is_some();
        let text = doc.unwrap_or(comment);
        Some((index + 1, starts_doc, text.strip_prefix(' ').unwrap_or(text)))
    })
}

/// Name that a line defines: of a function, or of a type or module.
fn defined_name<'a>(line: &'a str, keywords: &[&str]) -> Option<&'a str> {
    let mut words = line.split_whitespace().peekable();
    while words
        .next_if(|word| word.starts_with("pub") || ["const", "async", "unsafe", "in"].contains(word))
        .is_some()
        || words.next_if(|word| word.ends_with(')') && !word.contains("fn")).is_some()
    {}
    words.next_if(|word| keywords.contains(word))?;
    let rest = words.next()?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    Some(&rest[..end]).filter(|name| !name.is_empty())
}

#[test]
fn comments_are_plain_english() {
    let code = Regex::new("`[^`]*`").unwrap();
    let regexes: Vec<Regex> = PATTERNS.iter().map(|pattern| Regex::new(pattern.regex).unwrap()).collect();
    let mut places = vec![Vec::new(); PATTERNS.len()];
    for path in sources() {
        let text = std::fs::read_to_string(&path).unwrap();
        for (line, starts_doc, comment) in comment_lines(&text) {
            let comment = code.replace_all(comment, "`x`");
            for (index, pattern) in PATTERNS.iter().enumerate() {
                if pattern.is_doc_start && !starts_doc {
                    continue;
                }
                let mut searched = comment.to_string();
                for allowed in pattern.allowed {
                    searched = searched.replace(allowed, "");
                }
                if regexes[index].is_match(&searched) {
                    places[index].push(format!("{}:{line}: {comment}", path.display()));
                }
            }
        }
    }
    let mut report = String::new();
    for (pattern, places) in PATTERNS.iter().zip(&places) {
        if places.len() > pattern.limit {
            report += &format!(
                "{}: {} places, at most {}:\n{}\n",
                pattern.name,
                places.len(),
                pattern.limit,
                places.join("\n")
            );
        }
    }
    assert!(
        report.is_empty(),
        "write these in plain technical English (CONTRIBUTING.md, \"Language\"):\n{report}"
    );
}

#[test]
fn names_are_specific() {
    let vague: Vec<&str> = VAGUE_NAMES.split(' ').collect();
    let mut functions: BTreeMap<String, usize> = BTreeMap::new();
    let mut places = Vec::new();
    for path in sources() {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut trait_impl = None;
        for (index, line) in text.lines().enumerate() {
            let (code, indent) = (line.trim_start(), line.len() - line.trim_start().len());
            if code.starts_with("impl") && code.contains(" for ") && code.ends_with('{') {
                trait_impl = Some(indent);
            } else if code == "}" && trait_impl == Some(indent) {
                trait_impl = None;
            }
            // The trait names the functions of its implementations.
            let function = defined_name(line, &["fn"]).filter(|_| trait_impl.is_none());
            let other =
                defined_name(line, &["struct", "enum", "trait", "mod", "type"]).map(str::to_lowercase);
            if let Some(name) = function {
                *functions.entry(name.to_owned()).or_default() += 1;
            }
            if function.or(other.as_deref()).is_some_and(|name| vague.contains(&name)) {
                places.push(format!("{}:{}: {}", path.display(), index + 1, line.trim()));
            }
        }
    }
    let report = places.join("\n");
    assert!(places.is_empty(), "names that do not say what they are:\n{report}");
    let mut crowds: Vec<(usize, String)> = functions.into_iter().map(|(name, count)| (count, name)).collect();
    crowds.retain(|(count, _)| *count > MAX_SHARED);
    crowds.sort_unstable_by(|a, b| b.cmp(a));
    let crowded: usize = crowds.iter().map(|(count, _)| count).sum();
    assert!(
        crowded <= MAX_CROWDED_FUNCTIONS,
        "{crowded} functions share names, at most {MAX_CROWDED_FUNCTIONS}: {crowds:?}"
    );
}

#[test]
fn finds_comments_and_names() {
    let text = "//! First.\n//! Second.\nuse a;\n/// Third.\npub(in crate::a) const fn told(&self) {} // not read\n    // Fourth.";
    let lines: Vec<_> = comment_lines(text).collect();
    assert_eq!(
        lines,
        [(1, true, "First."), (2, false, "Second."), (4, true, "Third."), (6, false, "Fourth.")]
    );
    assert_eq!(defined_name("    pub(in crate::a) const fn told(&self) {}", &["fn"]), Some("told"));
    assert_eq!(defined_name("pub(crate) struct Shelves<T> {", &["struct"]), Some("Shelves"));
    assert_eq!(defined_name("mod sight;", &["mod"]), Some("sight"));
    assert_eq!(defined_name("let told = 1;", &["fn"]), None);
}
