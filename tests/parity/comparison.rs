//! Comparison of two answers.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::Value;

use crate::{corpus::list_folder, programs::Answer};

/// Compared parts of two answers.
#[derive(Clone, Copy)]
pub enum ComparisonKind {
    /// Acceptance. opm exits with 1 if it refuses, olmap with 1 or 2.
    Verdict,
    /// Acceptance, and a finding in the JSON of olmap for each package that opm calls invalid.
    Packages,
    /// Output, byte for byte; a refusal prints nothing.
    Bytes,
    /// Rows of a table that opm prints in columns and olmap as JSON.
    Rows(List),
}

/// Table of `opm alpha list`.
#[derive(Clone, Copy)]
pub enum List {
    Packages,
    Channels,
    Bundles,
}

impl ComparisonKind {
    /// Returns a description of the first difference, if there is one.
    pub fn find_difference(self, opm: &Answer, olmap: &Answer) -> Option<String> {
        // Any other exit code is not an answer, but a crash or wrong arguments.
        if !matches!(olmap.code, Some(0..=2)) || olmap.err.contains("For more information, try") {
            return Some("olmap gives no answer".to_owned());
        }
        if opm.code.is_none() {
            return Some("opm gives no answer".to_owned());
        }
        if opm.is_accepted() != olmap.is_accepted() {
            let words = |answer: &Answer| if answer.is_accepted() { "accepts" } else { "refuses" };
            return Some(format!("opm {} it, olmap {} it", words(opm), words(olmap)));
        }
        match self {
            Self::Verdict => None,
            Self::Packages if opm.is_accepted() => None,
            Self::Packages => unreported_package(opm, olmap),
            Self::Bytes => first_differing_line(&opm.out, &olmap.out),
            Self::Rows(_) if !opm.is_accepted() => None,
            Self::Rows(list) => differing_row(list, opm, olmap),
        }
    }
}

/// Returns a package that opm calls invalid and olmap does not mention. opm stops at the first
/// object that fits nowhere, without naming packages. It reports other errors as a tree.
fn unreported_package(opm: &Answer, olmap: &Answer) -> Option<String> {
    let findings: Vec<Value> = serde_json::from_slice(&olmap.out).unwrap_or_default();
    let said = opm.err.replace("\\\"", "\"");
    let named = said.split("invalid package \"").skip(1).filter_map(|rest| rest.split_once('"'));
    let missed =
        { named }.find(|(package, _)| !findings.iter().any(|finding| finding["package"] == *package));
    missed.map(|(package, _)| format!("opm calls the package {package} invalid, olmap finds nothing in it"))
}

/// Returns the first line that differs.
fn first_differing_line(opm: &[u8], olmap: &[u8]) -> Option<String> {
    if opm == olmap {
        return None;
    }
    let [ours, theirs] =
        [olmap, opm].map(|text| text.split_inclusive(|byte| *byte == b'\n').collect::<Vec<_>>());
    let at = theirs.iter().zip(&ours).take_while(|(theirs, ours)| theirs == ours).count();
    let show = |lines: &[&[u8]]| match lines.get(at) {
        Some(line) => format!("{:?}", String::from_utf8_lossy(line).chars().take(160).collect::<String>()),
        None => "the end".to_owned(),
    };
    Some(format!("line {}: opm has {}, olmap has {}", at + 1, show(&theirs), show(&ours)))
}

/// Returns the first difference between two folders.
pub fn compare_folders(opm: &BTreeMap<String, Vec<u8>>, olmap: &BTreeMap<String, Vec<u8>>) -> Option<String> {
    let names = opm.keys().chain(olmap.keys());
    names.into_iter().find_map(|name| match (opm.get(name), olmap.get(name)) {
        (Some(theirs), Some(ours)) => {
            first_differing_line(theirs, ours).map(|differs| format!("{name}: {differs}"))
        }
        (Some(_), None) => Some(format!("only opm has {name}")),
        (None, _) => Some(format!("only olmap has {name}")),
    })
}

/// Returns the files below a folder.
pub fn read_folder(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for path in list_folder(folder) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            files.extend(
                read_folder(&path).into_iter().map(|(below, bytes)| (format!("{name}/{below}"), bytes)),
            );
        } else {
            files.insert(name, fs::read(&path).unwrap());
        }
    }
    files
}

/// Returns a row that is in only one of the tables.
fn differing_row(list: List, opm: &Answer, olmap: &Answer) -> Option<String> {
    let Ok(answer) = serde_json::from_slice::<Value>(&olmap.out) else {
        return Some("olmap prints no JSON".to_owned());
    };
    let answers = answer.as_array().map_or(&[][..], Vec::as_slice);
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let mut ours: Vec<Vec<String>> = match list {
        List::Packages => {
            { answers.iter() }.map(|r| vec![text(r, "package"), text(r, "defaultChannel")]).collect()
        }
        List::Channels => {
            let row = |r| vec![text(r, "package"), text(r, "channel"), text(r, "head")];
            answers.iter().map(row).collect()
        }
        List::Bundles => answers
            .iter()
            .flat_map(|r| {
                let channels = r["channels"].as_array().map_or(&[][..], Vec::as_slice);
                let name = |channel: &Value| channel.as_str().unwrap_or_default().to_owned();
                let row =
                    |channel| vec![text(r, "package"), name(channel), text(r, "bundle"), text(r, "image")];
                channels.iter().map(row).collect::<Vec<_>>()
            })
            .collect(),
    };
    let columns: &[&str] = match list {
        List::Packages => &["NAME", "DEFAULT CHANNEL"],
        List::Channels => &["PACKAGE", "CHANNEL", "HEAD"],
        List::Bundles => &["PACKAGE", "CHANNEL", "BUNDLE", "IMAGE"],
    };
    let table = String::from_utf8_lossy(&opm.out);
    let Some(mut theirs) = split_columns(&table, columns) else {
        return Some(format!("opm prints no table with {}", columns.join(", ")));
    };
    ours.sort();
    theirs.sort();
    let only = |some: &[Vec<String>], others: &[Vec<String>]| {
        some.iter().find(|row| !others.contains(row)).map(|row| row.join(" | "))
    };
    match (only(&theirs, &ours), only(&ours, &theirs)) {
        (None, None) => (ours != theirs).then(|| "a row is there more than once".to_owned()),
        (Some(row), None) => Some(format!("only opm has the row {row}")),
        (None, Some(row)) => Some(format!("only olmap has the row {row}")),
        (Some(theirs), Some(ours)) => Some(format!("opm has the row {theirs}, olmap has {ours}")),
    }
}

/// Splits a table whose cells are aligned below their headings into columns.
fn split_columns(table: &str, columns: &[&str]) -> Option<Vec<Vec<String>>> {
    let mut lines = table.lines();
    let head = lines.next()?;
    // Two spaces end a heading; a heading may contain one space.
    let (mut starts, mut at) = (vec![0], 0);
    while let Some(gap) = head[at..].find("  ") {
        at += gap + head[at + gap..].len() - head[at + gap..].trim_start().len();
        starts.push(at);
    }
    let cell = |line: &str, column: usize| {
        let end = starts.get(column + 1).copied().unwrap_or(usize::MAX);
        let chars = line.chars().skip(starts[column]).take(end - starts[column]);
        chars.collect::<String>().trim_end().to_owned()
    };
    let heads: Vec<String> = (0..starts.len()).map(|column| cell(head, column)).collect();
    let at = |name: &&str| heads.iter().position(|head| head == name);
    let wanted: Vec<usize> = columns.iter().map(at).collect::<Option<_>>()?;
    Some(lines.map(|line| wanted.iter().map(|column| cell(line, *column)).collect()).collect())
}

#[test]
fn columns_are_split_below_their_headings() {
    let table = "NAME      DISPLAY NAME  DEFAULT CHANNEL\nfolio     Fölio 書       stable\ngranary                 \n";
    let rows = split_columns(table, &["NAME", "DEFAULT CHANNEL"]).unwrap();
    assert_eq!(rows, [["folio", "stable"], ["granary", ""]]);
    assert!(split_columns(table, &["IMAGE"]).is_none());
}

#[test]
fn first_differing_line_is_named() {
    assert_eq!(first_differing_line(b"a\nb\n", b"a\nb\n"), None);
    let told = first_differing_line(b"a\nb\n", b"a\nc\n").unwrap();
    assert_eq!(told, r#"line 2: opm has "b\n", olmap has "c\n""#);
    assert_eq!(first_differing_line(b"a\n", b"").unwrap(), r#"line 1: opm has "a\n", olmap has the end"#);
}
