//! `olmap edit`: one edit of one or several catalogs, shown or written.

mod icon;
mod new_bundle;
mod operation;
mod place;
mod template;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{explain, failure::Failure, not_checked, out::Out, outcome::Outcome, source};
use crate::{
    bundle::NewBundle,
    catalog::{Catalog, load::regular, near, package::Package},
    edit::{
        self, Edit,
        save::{self, Lock, SaveError, Saved, StateDirectory},
    },
    export::{
        Ink, Style,
        edit::{Edited, Fate, Row, diff, text as edit_text},
        json, plain,
    },
    review::{Report, Snapshot},
    upgrade::PackageGraph,
    validate::rules,
};
use new_bundle::AddBundle;
use operation::Operation;
use place::{Format, Where};

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    operation: Operation,
}

/// Input of an operation besides catalogs.
enum Input<'a> {
    /// No input.
    None,
    /// File with edits as JSON, and its text.
    Text(&'a Path, String),
    /// Bundle to add.
    Bundle(&'a AddBundle, Box<NewBundle>),
}

/// Edited catalog.
struct Work {
    label: String,
    edit: Edit,
    before: Snapshot,
    after: Snapshot,
    report: Report,
    /// Messages about parts of the request that the edit omits.
    left_undone: Vec<String>,
}

impl Work {
    fn edited(&self) -> Edited<'_> {
        Edited {
            label: &self.label,
            edit: &self.edit,
            before: &self.before,
            after: &self.after,
            report: &self.report,
        }
    }
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let operation = &args.operation;
    let place = operation.where_();
    place.check_output(out)?;
    let input = match operation {
        Operation::Apply { file, .. } => Input::Text(file, read(file)?),
        Operation::AddBundle(add) => Input::Bundle(add, Box::new(add.read()?)),
        _ => Input::None,
    };
    // Standard input cannot be read again.
    let mut attempts = if place.has_stdin() { 1 } else { MOST_ATTEMPTS };
    let (made, fate, saved) = loop {
        let mut lock = Lock::usual();
        if place.writes() {
            // From here on, no other olmap process writes to these directories.
            lock.extend(place.roots(operation.kind())?.iter().map(PathBuf::as_path))
                .map_err(|error| not_saved(&error))?;
        }
        let made = Made::by(operation, &input)?;
        let objections: usize = made.works.iter().map(|work| work.edited().objections()).sum();
        let fate = match () {
            () if place.deny && objections > 0 => Fate::Denied,
            () if !place.writes() => Fate::Dry,
            () => Fate::Written,
        };
        attempts -= 1;
        let saved = match fate {
            Fate::Written => made.write(place, &mut lock, out),
            Fate::Dry | Fate::Denied => Ok(None),
        };
        match saved {
            // Another program changed the files: the edit is applied to the new content.
            Err(error) if attempts > 0 && place.target().is_none() && error.is_of_somebody_else() => {}
            saved => break (made, fate, saved.map_err(|error| not_saved(&error))?),
        }
    };
    let Made { works, left_out } = &made;
    for work in works {
        source::warn_of_problems(&work.before.catalog, out);
        work.left_undone.iter().for_each(|words| source::warn(words, None, out));
    }
    for (label, refusal) in left_out {
        let left_out = out.error_style().paint(Ink::Warning, "skipped");
        out.error(&format!("{left_out}: {}: {}\n", plain::line(label), plain::line(&refusal.to_string())));
    }
    if let Some(not_durable) = saved {
        source::warn(&format!("saved, but {not_durable}"), None, out);
    }
    tell(works, place, fate, out).map_err(|error| match fate {
        Fate::Written => Failure::new(format!("the edit is saved, but the report failed: {error:#}")).into(),
        Fate::Dry | Fate::Denied => error,
    })?;
    for work in works {
        made_again(work, out);
        if place.deny {
            not_checked::report_findings(&work.report.consequences.new_findings, out);
        }
    }
    Ok((fate == Fate::Denied).into())
}

/// Maximum number of attempts if other programs change the files at the same time.
const MOST_ATTEMPTS: usize = 20;

/// Edited catalogs in memory.
struct Made {
    works: Vec<Work>,
    /// Skipped catalogs, with the error of the edit; empty unless skipping is allowed.
    left_out: Vec<(String, Failure)>,
}

impl Made {
    fn by(operation: &Operation, input: &Input<'_>) -> anyhow::Result<Self> {
        let place = operation.where_();
        let catalogs = source::all(&place.catalogs(operation.kind())?, &place.images)?;
        if catalogs.len() > 1 && place.target().is_some() {
            return Err(Failure::new("--to takes one catalog").hint("edit them one after the other").into());
        }
        let (mut works, mut refusals) = (Vec::new(), Vec::new());
        for catalog in catalogs {
            let label = catalog.origin.label();
            match work(catalog, operation, input) {
                Ok(work) => works.push(work),
                Err(refusal) => refusals.push((label, refusal)),
            }
        }
        if works.is_empty() || !(refusals.is_empty() || place.if_possible) {
            return Err(refused(refusals, works.is_empty()).into());
        }
        Ok(Self { works, left_out: refusals })
    }

    /// Writes all catalogs at once, or a single one to the path of `--to`.
    fn write(&self, place: &Where, lock: &mut Lock, out: &Out) -> Result<Saved, SaveError> {
        if let (Some(path), [only]) = (place.target(), self.works.as_slice()) {
            return save::copy(&only.after.catalog, path);
        }
        let states = self.works.iter().map(|work| (&*work.before.catalog, &*work.after.catalog));
        let states: Vec<_> = states.collect();
        for loss in save::losses_of(&states, &StateDirectory::usual()) {
            source::warn(&loss.to_string(), None, out);
        }
        save::catalogs(&states, lock)
    }
}

/// Converts an error of saving. The hint says if nothing was written.
pub(super) fn not_saved(error: &SaveError) -> Failure {
    let nothing = if error.wrote_something() { "" } else { " Nothing was written." };
    let hint = match error {
        SaveError::OnNoDisk { .. } => "--to PATH writes the edited catalog elsewhere.",
        error => error.hint(),
    };
    Failure::new(error.to_string()).hint(format!("{hint}{nothing}"))
}

/// Warns of templates that would generate the catalog again without the edit.
fn made_again(work: &Work, out: &Out) {
    for package in work.after.touched(&work.before) {
        if let Some(template) = work.before.catalog.made_from(package) {
            let note = out.error_style().paint(Ink::Note, "note");
            let words = format!(
                "{package} of {} is generated from {}: edit that too, or it will overwrite this edit",
                work.label,
                template.shown.display()
            );
            out.error(&format!("{note}: {}\n", plain::line(&words)));
        }
    }
}

/// Returns the error of the first catalog that refuses the edit.
fn refused(refusals: Vec<(String, Failure)>, everywhere: bool) -> Failure {
    let several = refusals.len() > 1 || !everywhere;
    match refusals.into_iter().next() {
        Some((_, refusal)) if !several => refusal,
        Some((label, refusal)) => refusal
            .of(&label)
            .also("nothing was written; --where-possible skips catalogs where the edit does not apply"),
        None => Failure::new("no catalog given"),
    }
}

fn work(catalog: Catalog, operation: &Operation, input: &Input<'_>) -> Result<Work, Failure> {
    let catalog = match operation {
        Operation::Template(operation) => operation.informed(catalog)?,
        _ => catalog,
    };
    let before = Snapshot::new(catalog);
    let mut left_undone = Vec::new();
    let edit = match (operation, input) {
        (_, Input::Text(file, text)) => written_down(file, text)?,
        (_, Input::Bundle(add, new)) => {
            let (edit, words) = add.edit(new, &before.catalog)?;
            left_undone = words;
            edit
        }
        (Operation::Fix { rules, where_ }, Input::None) => fixes(&before, rules, where_.package.as_deref())?,
        (Operation::Template(operation), Input::None) => operation.edit(&before.catalog)?,
        (_, Input::None) => {
            let graph = PackageGraph::new(package(&before.catalog, operation)?);
            left_undone = operation.left_undone(&graph);
            operation.edit(&graph)?.ok_or_else(|| Failure::new("this operation has no package"))?
        }
    };
    let after = edit::apply(&before.catalog, &edit).map_err(|error| Failure::new(error.to_string()))?;
    let label = before.catalog.origin.label();
    let after = before.after(after);
    let report = Report::between(&before, &after);
    Ok(Work { label, edit, before, after, report, left_undone })
}

/// Returns the package to edit: the given one, the only one, or the only one with the bundle.
fn package<'a>(catalog: &'a Catalog, operation: &Operation) -> Result<&'a Arc<Package>, Failure> {
    let named = operation.where_().package.as_deref();
    if named.is_none()
        && let Some(bundle) = operation.bundle()
    {
        let mut having = source::packages(catalog).filter(|package| package.bundle(bundle).is_some());
        match (having.next(), having.next()) {
            (Some(only), None) => return Ok(only),
            (None, _) if source::packages(catalog).nth(1).is_some() => {
                let names = catalog.packages().flat_map(|p| &p.bundles).map(|b| b.name.value.as_str());
                let meant = near::meant(bundle, names).map(|name| format!("did you mean {name}?"));
                let hint = meant.unwrap_or_else(|| "a version needs --package".to_owned());
                return Err(Failure::new(format!("no package has a bundle {bundle}")).hint(hint));
            }
            _ => {}
        }
    }
    source::package(catalog, named)
}

/// Combines the fixes of findings into one edit. If two fixes conflict, keeps the first.
fn fixes(state: &Snapshot, rules: &[String], package: Option<&str>) -> Result<Edit, Failure> {
    if let Some(unknown) = rules.iter().find(|id| rules::by_id(id).is_none()) {
        return Err(explain::no_rule(unknown));
    }
    if let Some(name) = package.filter(|name| state.catalog.package(name).is_none()) {
        return Err(source::no_package(&state.catalog, name));
    }
    let wanted = state.findings().filter(|finding| {
        let is_called = |id: &String| finding.rules().iter().any(|rule| rule.is_called(id));
        (rules.is_empty() || rules.iter().any(is_called))
            && package.is_none_or(|name| finding.package.as_ref().is_some_and(|about| about == name))
    });
    let (mut edits, mut fixed): (Vec<Edit>, Option<Catalog>) = (Vec::new(), None);
    for fix in wanted.filter_map(|finding| finding.fix.as_ref()) {
        let now = fixed.as_ref().unwrap_or(&state.catalog);
        if !edits.contains(fix)
            && let Ok(next) = edit::apply(now, fix)
        {
            edits.push(fix.clone());
            fixed = Some(next);
        }
    }
    match edits.len() {
        0 => Err(Failure::new("no finding can be fixed automatically")
            .hint("olmap validate says how to fix each one")),
        1 => Ok(edits.remove(0)),
        count => Ok(Edit::Several { title: format!("fix {count} findings"), edits }),
    }
}

/// Parses one edit or a list of edits from JSON.
fn written_down(file: &Path, text: &str) -> Result<Edit, Failure> {
    #[derive(serde::Deserialize)]
    #[serde(untagged)]
    enum Written {
        Several(Vec<Edit>),
        One(Edit),
    }
    match serde_json::from_str(text) {
        Ok(Written::One(edit)) => Ok(edit),
        Ok(Written::Several(edits)) => Ok(Edit::Several { title: format!("{} edits", edits.len()), edits }),
        Err(error) => {
            let failure = Failure::new(format!("{}: not valid edits: {error}", file.display()))
                .hint("docs/cli.md has the format; olmap edit -o json prints it");
            Err(Failure::quoting(file, Some((error.line(), Some(error.column()))), failure))
        }
    }
}

/// Maximum size of a file that an edit reads, in bytes.
const MAX_FILE: u64 = 64 << 20;

/// Reads a file, which may be a pipe, or standard input.
fn read(file: &Path) -> anyhow::Result<String> {
    let bytes = if file.as_os_str() == source::STDIN {
        source::standard_input()?
    } else {
        fs::File::open(file)
            .and_then(|open| regular::at_most(open, MAX_FILE))
            .map_err(|error| Failure::new(format!("cannot read {}: {error}", file.display())))?
    };
    let text = String::from_utf8(bytes);
    Ok(text.map_err(|_| Failure::new(format!("{} is not UTF-8", file.display())))?)
}

fn tell(works: &[Work], place: &Where, fate: Fate, out: &mut Out) -> anyhow::Result<()> {
    let text = |style: &Style| -> String {
        works.iter().map(|work| edit_text(&work.edited(), fate, style)).collect::<Vec<_>>().join("\n")
    };
    match place.format() {
        Format::Json => {
            let rows: Vec<Row<'_>> = works.iter().map(|work| Row::of(&work.edited(), fate)).collect();
            out.print(&json::pretty(&rows))
        }
        Format::Diff => works.iter().try_for_each(|work| out.print_exact(&diff(&work.report))),
        Format::Text if place.is_stdin() => {
            out.error(&text(out.error_style()));
            if fate == Fate::Denied || place.dry_run {
                return Ok(());
            }
            let files = works.iter().flat_map(|work| work.after.catalog.files());
            { files }.try_for_each(|file| out.print_exact(&String::from_utf8_lossy(&file.bytes())))
        }
        Format::Text => {
            let text = text(&out.style);
            out.print(&text)
        }
    }
}
