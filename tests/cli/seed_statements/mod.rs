//! Statements of the documents about bundles, catalogs, operators and updates that no other test
//! shows. `docs/seeds.md` lists all statements, each with its test.

mod bundles;
mod catalogs;
mod operators;
mod updates;

use super::run::Run;

/// Returns the messages of findings as JSON.
fn finding_messages(run: &Run) -> Vec<String> {
    let rows = run.json();
    rows.as_array().unwrap().iter().map(|row| row["message"].as_str().unwrap().to_owned()).collect()
}

#[track_caller]
fn assert_message(run: &Run, text: &str) {
    let messages = finding_messages(run);
    assert!(messages.iter().any(|message| message.contains(text)), "{text}: {messages:?}");
}
