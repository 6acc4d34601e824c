//! Queries as JSON lines, answered in order, for `range --batch` and `successors --queries`.

use std::{
    fs::File,
    io::{self, BufRead as _, BufReader, Read as _},
    path::Path,
};

use anyhow::Context as _;
use serde::{Serialize, de::DeserializeOwned};

use super::{
    failure::{self, Failure},
    out::Out,
    outcome::Outcome,
};
use olmap_report::json;

/// Buffer size for answers. Answers are flushed earlier if the client waits for them.
const BUFFER_SIZE: usize = 1 << 16;

/// Maximum length of a line in bytes: a query with the properties of a large bundle, with reserve.
const MAX_LINE: usize = 16 << 20;

/// Answer to an invalid line.
#[derive(Serialize)]
struct InvalidLine {
    error: String,
    line: usize,
}

/// Reads queries from a file (`-` for standard input) and prints the result of `answer` for each. A client
/// may send a query, wait for its answer and send the next. Blank lines are skipped, and an invalid line is
/// answered with an error.
pub fn run_batch<Q: DeserializeOwned>(
    file: &Path,
    out: &mut Out,
    mut answer: impl FnMut(Q) -> String,
) -> anyhow::Result<Outcome> {
    let mut lines = open_queries(file)?;
    let unquoted = failure::hidden_content_message(file);
    let (mut line, mut number) = (Vec::new(), 0);
    let mut ready = String::new();
    let mut first_bad: Option<(usize, String)> = None;
    loop {
        line.clear();
        let mut rest = lines.by_ref().take(MAX_LINE as u64 + 1);
        if rest.read_until(b'\n', &mut line).with_context(|| format!("cannot read {}", file.display()))? == 0
        {
            break;
        }
        number += 1;
        if line.len() > MAX_LINE {
            out.print(&ready)?;
            let reason =
                format!("{}:{number}: the line is longer than {} MB", file.display(), MAX_LINE >> 20);
            return Err(Failure::new(reason).with_hint("a query is one JSON object on a line").into());
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        match serde_json::from_slice::<Q>(&line) {
            Ok(question) => ready.push_str(&answer(question)),
            Err(error) => {
                let why = match &unquoted {
                    None => error.to_string(),
                    Some(words) => format!("column {}: {words}", error.column()),
                };
                let error = format!("not a valid query: {why}");
                ready.push_str(&json::to_json_line(&InvalidLine { error: error.clone(), line: number }));
                first_bad.get_or_insert((number, error));
            }
        }
        if ready.len() > BUFFER_SIZE || lines.buffer().is_empty() {
            out.print(&ready)?;
            ready.clear();
            if out.is_closed() {
                return Ok(Outcome::Fine);
            }
        }
    }
    out.print(&ready)?;
    match first_bad {
        None => Ok(Outcome::Fine),
        Some((line, error)) => Err(Failure::new(format!("{}:{line}: {error}", file.display())).into()),
    }
}

fn open_queries(file: &Path) -> anyhow::Result<BufReader<Box<dyn io::Read>>> {
    let reader: Box<dyn io::Read> = if file.as_os_str() == "-" {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(file).with_context(|| format!("cannot open {}", file.display()))?)
    };
    Ok(BufReader::with_capacity(BUFFER_SIZE, reader))
}
