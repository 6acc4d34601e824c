//! `olmap edit`: one edit of one or several catalogs, shown or written.

mod operation;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::ValueEnum;

use super::{Outcome, explain, failure::Failure, out::Out, source};
use crate::{
    catalog::{Catalog, near, package::Package},
    edit::{self, Edit, save},
    export::{
        Ink, Style,
        edit::{Edited, Fate, Row, diff, text as edit_text},
        json, plain,
    },
    review::{Report, Snapshot},
    upgrade::PackageGraph,
    validate::rules,
};
use operation::Operation;

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    operation: Operation,
}

/// Where an edit is to be made, and how it is told of.
#[derive(Debug, clap::Args)]
pub struct Where {
    /// The catalogs: directories, files, or - for standard input. All of them are edited, or none.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The package; may be left out where the catalog has one, or where only one has the bundle.
    #[arg(long, value_name = "NAME")]
    package: Option<String>,
    /// Leave out catalogs in which the edit cannot be made; one at least must be left.
    #[arg(long = "where-possible")]
    if_possible: bool,
    /// Write nothing, only tell what would be.
    #[arg(long, short = 'n')]
    dry_run: bool,
    /// Write nothing if the edit brings new errors, and exit with 1.
    #[arg(long)]
    deny: bool,
    /// Write the edited catalog to another file or directory, which must not be there yet.
    #[arg(long, short, value_name = "PATH")]
    output: Option<PathBuf>,
    /// How to print.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// What changes, for findings and for users.
    Text,
    /// The changed lines, as git apply and patch -p1 take them.
    Diff,
    /// For programs; the shapes are in docs/cli.md.
    Json,
}

/// A catalog that is edited.
struct Work {
    label: String,
    edit: Edit,
    before: Snapshot,
    after: Snapshot,
    report: Report,
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
    let input = match operation {
        Operation::Apply { file, .. } | Operation::AddBundle { file, .. } => Some((file, read(file)?)),
        _ => None,
    };
    let input = input.as_ref().map(|(file, text)| (file.as_path(), text.as_str()));
    let catalogs = source::all(&place.paths)?;
    if catalogs.len() > 1 && place.output.is_some() {
        return Err(Failure::new("--output takes one catalog").hint("edit them one after the other").into());
    }
    let (mut works, mut refusals) = (Vec::new(), Vec::new());
    for catalog in catalogs {
        source::warn_of_problems(&catalog, out);
        let label = catalog.origin.label();
        match work(catalog, operation, input) {
            Ok(work) => works.push(work),
            Err(refusal) => refusals.push((label, refusal)),
        }
    }
    if works.is_empty() || !(refusals.is_empty() || place.if_possible) {
        return Err(refused(refusals, works.is_empty()).into());
    }
    for (label, refusal) in &refusals {
        let left_out = out.error_style().paint(Ink::Warning, "left out");
        out.error(&format!("{left_out}: {}: {}\n", plain::line(label), plain::line(&refusal.to_string())));
    }
    let errors: usize = works.iter().map(|work| work.edited().new_errors()).sum();
    let fate = match () {
        () if place.deny && errors > 0 => Fate::Denied,
        () if place.dry_run || place.is_stdin() => Fate::Dry,
        () => Fate::Written,
    };
    if fate == Fate::Written {
        write(&works, place.output.as_deref())?;
    }
    tell(&works, place, fate, out)?;
    for work in &works {
        made_again(work, out);
    }
    Ok((fate == Fate::Denied).into())
}

/// Says which template would make the catalog again without the edit.
fn made_again(work: &Work, out: &Out) {
    for package in work.after.touched(&work.before) {
        if let Some(template) = work.before.catalog.made_from(package) {
            let note = out.error_style().paint(Ink::Note, "note");
            let words = format!(
                "{package} of {} is made from {}: edit that too, or this is overwritten when it is used again",
                work.label,
                template.shown.display()
            );
            out.error(&format!("{note}: {}\n", plain::line(&words)));
        }
    }
}

/// Why nothing is edited, of several catalogs by the first that refuses.
fn refused(refusals: Vec<(String, Failure)>, everywhere: bool) -> Failure {
    let several = refusals.len() > 1 || !everywhere;
    match refusals.into_iter().next() {
        Some((_, refusal)) if !several => refusal,
        Some((label, refusal)) => refusal
            .of(&label)
            .also("nothing was written; --where-possible leaves out catalogs in which it cannot be made"),
        None => Failure::new("no catalog was named"),
    }
}

impl Where {
    /// Whether the edited catalog goes where it came from: through.
    fn is_stdin(&self) -> bool {
        self.output.is_none() && self.paths.iter().any(|path| path.as_os_str() == source::STDIN)
    }
}

fn work(catalog: Catalog, operation: &Operation, input: Option<(&Path, &str)>) -> Result<Work, Failure> {
    let before = Snapshot::new(catalog);
    let edit = match (operation, input) {
        (Operation::Apply { .. }, Some((file, text))) => written_down(file, text)?,
        (Operation::Fix { rules, where_ }, _) => fixes(&before, rules, where_.package.as_deref())?,
        _ => {
            let graph = PackageGraph::new(package(&before.catalog, operation)?);
            let text = input.map(|(_, text)| text).unwrap_or_default();
            operation.edit(&graph, text)?.ok_or_else(|| Failure::new("this operation names no package"))?
        }
    };
    let after = edit::apply(&before.catalog, &edit).map_err(|error| Failure::new(error.to_string()))?;
    let label = before.catalog.origin.label();
    let after = before.after(after);
    let report = Report::between(&before, &after);
    Ok(Work { label, edit, before, after, report })
}

/// The package that is meant: the one that is named, the only one, or the only one that has the bundle.
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
                let meant = near::meant(bundle, names).map(|name| format!("is {name} meant?"));
                let hint = meant.unwrap_or_else(|| "a version needs its --package".to_owned());
                return Err(Failure::new(format!("no package has a bundle {bundle}")).hint(hint));
            }
            _ => {}
        }
    }
    source::package(catalog, named)
}

/// The fixes of findings as one edit; where two are in each other's way, the first.
fn fixes(state: &Snapshot, rules: &[String], package: Option<&str>) -> Result<Edit, Failure> {
    if let Some(unknown) = rules.iter().find(|id| rules::by_id(id).is_none()) {
        return Err(explain::no_rule(unknown));
    }
    if let Some(name) = package.filter(|name| state.catalog.package(name).is_none()) {
        return Err(source::no_package(&state.catalog, name));
    }
    let wanted = state.findings().filter(|finding| {
        (rules.is_empty() || rules.iter().any(|id| id == finding.rule.id))
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
        0 => Err(Failure::new("no finding has an edit that mends it")
            .hint("olmap validate says what to do about each")),
        1 => Ok(edits.remove(0)),
        count => Ok(Edit::Several { title: format!("mend {count} findings"), edits }),
    }
}

/// Edits that are written down as JSON.
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
        Err(error) => Err(Failure::new(format!("{}: no edits: {error}", file.display()))
            .hint("docs/cli.md has their shapes; olmap edit --format json prints them")),
    }
}

/// What a file holds, or standard input.
fn read(file: &Path) -> anyhow::Result<String> {
    let bytes = if file.as_os_str() == source::STDIN {
        source::standard_input()?
    } else {
        fs::read(file).map_err(|error| Failure::new(format!("cannot read {}: {error}", file.display())))?
    };
    let text = String::from_utf8(bytes);
    Ok(text.map_err(|_| Failure::new(format!("{} is not UTF-8", file.display())))?)
}

/// Writes all catalogs in one go, or the only one somewhere else.
fn write(works: &[Work], output: Option<&Path>) -> anyhow::Result<()> {
    let saved = if let (Some(path), [only]) = (output, works) {
        save::copy(&only.after.catalog, path)
    } else {
        let states = works.iter().map(|work| (&*work.before.catalog, &*work.after.catalog));
        save::catalogs(&states.collect::<Vec<_>>())
    };
    saved.map_err(|error| Failure::new(error.to_string()).hint(error.hint()).into())
}

fn tell(works: &[Work], place: &Where, fate: Fate, out: &mut Out) -> anyhow::Result<()> {
    let text = |style: &Style| -> String {
        works.iter().map(|work| edit_text(&work.edited(), fate, style)).collect::<Vec<_>>().join("\n")
    };
    match place.format {
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
