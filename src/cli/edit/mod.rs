//! `olmap edit`: one edit of one or several catalogs, shown or written.

mod add_bundle;
mod bundle_parts;
mod operation;
mod placement;
mod promote;
mod shared_args;
mod template;
mod withdraw;

use std::path::{Path, PathBuf};
use std::{fs, sync::Arc};

use super::output::{save_failure, warn_if_not_durable};
use super::{Failure, Out, Outcome, findings, join_names, out, output, source};
use add_bundle::AddBundle;
use olm_bundle::NewBundle;
use olm_catalog::{Catalog, load::regular_file, package::Package, similar_names};
use olm_check::review::{ChangeReport, Snapshot};
use olm_check::rules;
use olm_edit::Edit;
use olm_edit::save::{self, DirectoryLock, SaveError, Saved, StateDirectory};
use olm_upgrade::PackageGraph;
use olmap_report::edit::{
    EditOutcome, EditedCatalog, PlacedEntry, Row, render_edit as edit_text, render_unified_diff,
};
use olmap_report::{Ink, Style, escape, json};
use operation::Operation;
use shared_args::{Format, Where};

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap edit promote tide.v1.3.0 -c stable -n catalog
  olmap edit add-bundle tide/1.2.4 --image IMAGE --like-previous v4.20 v4.22
  olmap edit remove-entry tide.v1.2.9 -c stable --repair catalog
  olmap edit deprecate --bundle tide.v1.2.0 --message 'Please upgrade.' catalog
  olmap edit set-property olm.maxOpenShiftVersion 4.21 --where name=tide catalog
  olmap edit fix --deny catalog                 fix what can be fixed automatically
  olmap edit describe --package tide 'A broker.' --all
                                                in all catalogs of the repository

Exit code: 0 ok, 1 refused by --deny, 2 failed.";

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
struct AppliedEdit {
    label: String,
    edit: Edit,
    before: Snapshot,
    after: Snapshot,
    report: ChangeReport,
    /// Places of the bundle that the edit adds to channels.
    placed: Vec<PlacedEntry>,
    messages: Vec<Message>,
}

/// Edit of a catalog, with the places of its bundle and messages for the user.
struct BuiltEdit {
    edit: Edit,
    placed: Vec<PlacedEntry>,
    messages: Vec<Message>,
}

impl From<Edit> for BuiltEdit {
    fn from(edit: Edit) -> Self {
        Self { edit, placed: Vec::new(), messages: Vec::new() }
    }
}

/// Message about the edit of a catalog.
#[derive(Clone, PartialEq, Eq)]
struct Message {
    is_warning: bool,
    text: String,
}

impl Message {
    fn warning(text: String) -> Self {
        Self { is_warning: true, text }
    }

    fn note(text: String) -> Self {
        Self { is_warning: false, text }
    }
}

impl AppliedEdit {
    fn as_edited(&self) -> EditedCatalog<'_> {
        EditedCatalog {
            label: &self.label,
            edit: &self.edit,
            before: &self.before,
            after: &self.after,
            report: &self.report,
            placements: &self.placed,
        }
    }
}

/// Maximum number of attempts if other programs change the files at the same time.
const MAX_ATTEMPTS: usize = 20;

/// Edited catalogs in memory.
struct PreparedEdit {
    works: Vec<AppliedEdit>,
    /// Skipped catalogs, with the error of the edit; empty unless skipping is allowed.
    left_out: Vec<(String, Failure)>,
}

impl PreparedEdit {
    fn prepare(operation: &Operation, input: &Input<'_>) -> anyhow::Result<Self> {
        let place = operation.shared_args();
        let catalogs = source::open_catalogs(&place.catalog_paths(operation.kind())?, &place.images)?;
        if catalogs.len() > 1 && place.target_path().is_some() {
            return Err(Failure::new("--to takes one catalog")
                .with_hint("edit them one after the other")
                .into());
        }
        let (mut works, mut refusals) = (Vec::new(), Vec::new());
        // Catalogs may follow their templates, so templates are edited first.
        let mut catalogs: Vec<(usize, Catalog)> = catalogs.into_iter().enumerate().collect();
        catalogs.sort_by_key(|(at, catalog)| (catalog.template().is_none(), *at));
        for (at, catalog) in catalogs {
            let label = catalog.origin.label();
            let edited = match template::follow_templates(&catalog, &works, operation, input) {
                Ok(Some(built)) => apply_built_edit(Snapshot::new(catalog), built),
                Ok(None) => edit_catalog(catalog, operation, input),
                Err(refusal) => Err(refusal),
            };
            match edited {
                Ok(work) => works.push((at, work)),
                Err(refusal) => refusals.push((at, label, refusal)),
            }
        }
        works.sort_by_key(|(at, _)| *at);
        refusals.sort_by_key(|(at, ..)| *at);
        let works: Vec<AppliedEdit> = works.into_iter().map(|(_, work)| work).collect();
        let refusals: Vec<_> = refusals.into_iter().map(|(_, label, refusal)| (label, refusal)).collect();
        if works.is_empty() || !(refusals.is_empty() || place.if_possible) {
            return Err(edit_failure(refusals, works.is_empty()).into());
        }
        Ok(Self { works, left_out: refusals })
    }

    /// Writes all catalogs at once, or a single one to the path of `--to`.
    fn write_catalogs(&self, place: &Where, lock: &mut DirectoryLock, out: &Out) -> Result<Saved, SaveError> {
        if let (Some(path), [only]) = (place.target_path(), self.works.as_slice()) {
            return save::save_copy(&only.after.catalog, path);
        }
        let states = self.works.iter().map(|work| (&*work.before.catalog, &*work.after.catalog));
        let states: Vec<_> = states.collect();
        for loss in save::catalog_losses(&states, &StateDirectory::default_location()) {
            out.print_warning(&loss.to_string(), None);
        }
        save::save_catalogs(&states, lock)
    }
}

/// Maximum size of a file that an edit reads, in bytes.
const MAX_FILE: u64 = 64 << 20;

pub fn run_edit(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let operation = &args.operation;
    let place = operation.shared_args();
    place.check_output(out)?;
    let input = match operation {
        Operation::Apply { file, .. } => Input::Text(file, read_input_text(file)?),
        Operation::AddBundle(add) => Input::Bundle(add, Box::new(add.load_bundle()?)),
        _ => Input::None,
    };
    // Standard input cannot be read again.
    let mut attempts = if place.has_stdin() { 1 } else { MAX_ATTEMPTS };
    let (made, fate, saved) = loop {
        let mut lock = DirectoryLock::with_default_state();
        if place.writes() {
            // From here on, no other olmap process writes to these directories.
            lock.lock_directories(place.roots(operation.kind())?.iter().map(PathBuf::as_path))
                .map_err(|error| save_failure(&error))?;
        }
        let made = PreparedEdit::prepare(operation, &input)?;
        let objections: usize = made.works.iter().map(|work| work.as_edited().count_objections()).sum();
        let fate = match () {
            () if place.deny && objections > 0 => EditOutcome::Refused,
            () if !place.writes() => EditOutcome::DryRun,
            () => EditOutcome::Written,
        };
        attempts -= 1;
        let saved = match fate {
            EditOutcome::Written => made.write_catalogs(place, &mut lock, out).map(Some),
            EditOutcome::DryRun | EditOutcome::Refused => Ok(None),
        };
        match saved {
            // Another program changed the files: the edit is applied to the new content.
            Err(error) if attempts > 0 && place.target_path().is_none() && error.is_foreign_change() => {}
            saved => break (made, fate, saved.map_err(|error| save_failure(&error))?),
        }
    };
    let PreparedEdit { works, left_out } = &made;
    for work in works {
        source::warn_of_problems(&work.before.catalog, out);
    }
    print_messages(works, out);
    for (label, refusal) in left_out {
        let left_out = out.error_style().paint(Ink::Warning, "skipped");
        out.print_stderr(&format!(
            "{left_out}: {}: {}\n",
            escape::escape_line(label),
            escape::escape_line(&refusal.to_string())
        ));
    }
    if let Some(saved) = saved {
        warn_if_not_durable(&saved, out);
    }
    print_edit(works, place, fate, out).map_err(|error| match fate {
        EditOutcome::Written => {
            Failure::new(format!("the edit is saved, but the report failed: {error:#}")).into()
        }
        EditOutcome::DryRun | EditOutcome::Refused => error,
    })?;
    if fate != EditOutcome::Refused {
        template::report_templates(works, out);
    }
    if place.deny {
        for work in works {
            out::report_findings(&work.report.consequences.new_findings, out);
        }
    }
    Ok((fate == EditOutcome::Refused).into())
}

/// Prints each message once, with the names of its catalogs unless it is about all of them.
fn print_messages(works: &[AppliedEdit], out: &Out) {
    for (at, message) in
        works.iter().enumerate().flat_map(|(at, work)| work.messages.iter().map(move |message| (at, message)))
    {
        let concerned: Vec<usize> = (0..works.len())
            .filter(|work| works.get(*work).is_some_and(|work| work.messages.contains(message)))
            .collect();
        if concerned.first() != Some(&at) {
            continue;
        }
        let labels = concerned.iter().filter_map(|work| Some(&works.get(*work)?.label));
        let text = if concerned.len() == works.len() {
            message.text.clone()
        } else {
            format!("{}: {}", join_names(labels), message.text)
        };
        if message.is_warning {
            out.print_warning(&text, None);
        } else {
            out.print_note(&text);
        }
    }
}

/// Returns the error of the first catalog that refuses the edit.
fn edit_failure(refusals: Vec<(String, Failure)>, everywhere: bool) -> Failure {
    let several = refusals.len() > 1 || !everywhere;
    match refusals.into_iter().next() {
        Some((_, refusal)) if !several => refusal,
        Some((label, refusal)) => refusal
            .with_label(&label)
            .add_hint("nothing was written; --where-possible skips catalogs where the edit does not apply"),
        None => Failure::new("no catalog given"),
    }
}

fn edit_catalog(catalog: Catalog, operation: &Operation, input: &Input<'_>) -> Result<AppliedEdit, Failure> {
    let catalog = match operation {
        Operation::Template(operation) => operation.with_given_bundle(catalog)?,
        _ => catalog,
    };
    let catalog = match input {
        Input::Bundle(_, new) => AddBundle::with_new_bundle(new, catalog),
        _ => catalog,
    };
    let before = Snapshot::new(catalog);
    let built = match (operation, input) {
        (_, Input::Text(file, text)) => parse_edits(file, text)?.into(),
        (_, Input::Bundle(add, new)) => add.build_edit(new, &before.catalog)?,
        (Operation::Promote(promote), Input::None) => promote.build_edit(&before.catalog)?,
        (Operation::Withdraw(withdraw), Input::None) => {
            let graph = PackageGraph::new(select_package_to_edit(&before.catalog, operation)?);
            let (edit, words) = withdraw.build_edit(&before.catalog, &graph)?;
            let messages = words.into_iter().map(Message::warning).collect();
            BuiltEdit { edit, placed: Vec::new(), messages }
        }
        (Operation::SetProperty(set), Input::None) => set.build_edit(&before.catalog)?,
        (Operation::RemoveProperty(remove), Input::None) => remove.build_edit(&before.catalog)?,
        (Operation::SetRelatedImage(set), Input::None) => set.build_edit(&before.catalog)?,
        (Operation::RemoveRelatedImage(remove), Input::None) => remove.build_edit(&before.catalog)?,
        (Operation::Fix { rules, where_ }, Input::None) => {
            combine_fixes(&before, rules, where_.package.as_deref())?.into()
        }
        (Operation::Template(operation), Input::None) => operation.build_edit(&before.catalog)?.into(),
        (_, Input::None) => {
            let graph = PackageGraph::new(select_package_to_edit(&before.catalog, operation)?);
            let edit = operation.build_edit(&graph)?;
            edit.ok_or_else(|| Failure::new("this operation has no package"))?.into()
        }
    };
    apply_built_edit(before, built)
}

fn apply_built_edit(before: Snapshot, built: BuiltEdit) -> Result<AppliedEdit, Failure> {
    let BuiltEdit { edit, placed, messages } = built;
    let after =
        olm_edit::apply_edit(&before.catalog, &edit).map_err(|error| Failure::new(error.to_string()))?;
    let label = before.catalog.origin.label();
    let after = before.after_change(after);
    let report = ChangeReport::compare_files(&before, &after);
    Ok(AppliedEdit { label, edit, before, after, report, placed, messages })
}

/// Returns the package to edit: the given one, the only one, or the only one with the bundle.
fn select_package_to_edit<'a>(
    catalog: &'a Catalog,
    operation: &Operation,
) -> Result<&'a Arc<Package>, Failure> {
    let named = operation.shared_args().package.as_deref();
    match operation.bundle_text() {
        Some(bundle) => select_package_with_bundle(catalog, named, bundle),
        None => source::select_package(catalog, named),
    }
}

/// Returns the package with a name, the only one, or the only one with the bundle.
fn select_package_with_bundle<'a>(
    catalog: &'a Catalog,
    named: Option<&str>,
    bundle: &str,
) -> Result<&'a Arc<Package>, Failure> {
    if named.is_none() {
        let mut having = source::named_packages(catalog).filter(|package| package.bundle(bundle).is_some());
        match (having.next(), having.next()) {
            (Some(only), None) => return Ok(only),
            (None, _) if source::named_packages(catalog).nth(1).is_some() => {
                let names = catalog.packages().flat_map(|p| &p.bundles).map(|b| b.name.value.as_str());
                let meant =
                    similar_names::suggest_closest(bundle, names).map(|name| format!("did you mean {name}?"));
                let hint = meant.unwrap_or_else(|| "a version needs --package".to_owned());
                return Err(Failure::new(format!("no package has a bundle {bundle}")).with_hint(hint));
            }
            _ => {}
        }
    }
    source::select_package(catalog, named)
}

/// Combines the fixes of findings into one edit. If two fixes conflict, keeps the first.
fn combine_fixes(state: &Snapshot, rules: &[String], package: Option<&str>) -> Result<Edit, Failure> {
    if let Some(unknown) = rules.iter().find(|id| rules::by_id(id).is_none()) {
        return Err(findings::no_rule_failure(unknown));
    }
    if let Some(name) = package.filter(|name| state.catalog.package(name).is_none()) {
        return Err(source::no_package_failure(&state.catalog, name));
    }
    let wanted = state.findings().filter(|finding| {
        let is_called = |id: &String| finding.reporting_rules().iter().any(|rule| rule.has_id(id));
        (rules.is_empty() || rules.iter().any(is_called))
            && package.is_none_or(|name| finding.package.as_ref().is_some_and(|about| about == name))
    });
    let (mut edits, mut fixed): (Vec<Edit>, Option<Catalog>) = (Vec::new(), None);
    for fix in wanted.filter_map(|finding| finding.fix.as_ref()) {
        let now = fixed.as_ref().unwrap_or(&state.catalog);
        if !edits.contains(fix)
            && let Ok(next) = olm_edit::apply_edit(now, fix)
        {
            edits.push(fix.clone());
            fixed = Some(next);
        }
    }
    match edits.len() {
        0 => Err(Failure::new("no finding can be fixed automatically")
            .with_hint("olmap validate says how to fix each one")),
        1 => Ok(edits.remove(0)),
        count => Ok(Edit::Several { title: format!("fix {count} findings"), edits }),
    }
}

/// Parses one edit or a list of edits from JSON.
fn parse_edits(file: &Path, text: &str) -> Result<Edit, Failure> {
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
                .with_hint("docs/cli.md has the format; olmap edit -o json prints it");
            Err(Failure::in_file(file, Some((error.line(), Some(error.column()))), failure))
        }
    }
}

/// Reads a file, which may be a pipe, or standard input.
fn read_input_text(file: &Path) -> anyhow::Result<String> {
    let bytes = if source::is_stdin(file) {
        source::read_stdin()?
    } else {
        fs::File::open(file)
            .and_then(|open| regular_file::read_limited(open, MAX_FILE))
            .map_err(|error| Failure::new(format!("cannot read {}: {error}", file.display())))?
    };
    let text = String::from_utf8(bytes);
    Ok(text.map_err(|_| Failure::new(format!("{} is not UTF-8", file.display())))?)
}

fn print_edit(works: &[AppliedEdit], place: &Where, fate: EditOutcome, out: &mut Out) -> anyhow::Result<()> {
    let text = |style: &Style| -> String {
        works.iter().map(|work| edit_text(&work.as_edited(), fate, style)).collect::<Vec<_>>().join("\n")
    };
    match place.format() {
        format @ (Format::Json | Format::Yaml) => {
            let rows: Vec<Row<'_>> =
                works.iter().map(|work| Row::from_edited_catalog(&work.as_edited(), fate)).collect();
            out.print(&output::encode_json(format, json::to_pretty_json(&rows)))
        }
        Format::Diff => works.iter().try_for_each(|work| out.print_exact(&render_unified_diff(&work.report))),
        Format::Text if place.is_stdin() => {
            out.print_stderr(&text(out.error_style()));
            if fate == EditOutcome::Refused || place.dry_run {
                return Ok(());
            }
            let files = works.iter().flat_map(|work| work.after.catalog.files());
            { files }.try_for_each(|file| out.print_exact(&String::from_utf8_lossy(&file.current_bytes())))
        }
        Format::Text => {
            let text = text(&out.style);
            out.print(&text)
        }
    }
}
