//! A line of text that is asked for.

use crate::app::dialogs::{Press, Then, writing};
use crate::{
    app::{
        dialogs::state::{Overlay, Prompt, Wrong},
        keys::ActionId,
        parts::field,
        session::against,
        shell::model::Model,
        work::{Base, opening::PromptPurpose},
    },
    catalog::load::git::Revision,
    layout::{Floor, Fold, Line},
    upgrade::openshift::OpenShift,
    version::masterminds::Constraint,
};

/// Asks for a line of text that begins as something.
pub(in crate::app) fn open(
    model: &Model,
    title: &'static str,
    purpose: PromptPurpose,
    text: String,
) -> Overlay {
    let remark = remark(model, &purpose, &text);
    Overlay::Prompt(Prompt {
        title,
        purpose,
        input: text.clone().into(),
        before: text,
        remark,
        writing: None,
    })
}

pub(in crate::app) fn key(model: &mut Model, mut prompt: Prompt, press: Press) -> Then {
    match press {
        Press::Action(ActionId::Cancel) => {
            prompt.input = prompt.before.clone().into();
            take(model, &prompt);
            return Then::Close;
        }
        Press::Action(ActionId::Accept) => return answered(model, prompt),
        _ => {}
    }
    if field::type_into(&mut prompt.input, press) {
        match prompt.purpose {
            PromptPurpose::Floor
            | PromptPurpose::SaveAs
            | PromptPurpose::Export(_)
            | PromptPurpose::Expectations
            | PromptPurpose::Revision
            | PromptPurpose::BasePath => {
                prompt.remark = remark(model, &prompt.purpose, prompt.input.value());
            }
            // Live: the table follows what is typed as long as it can be read.
            PromptPurpose::Version | PromptPurpose::OpenShift => {
                prompt.remark = remark(model, &prompt.purpose, prompt.input.value());
                if prompt.remark.is_ok() {
                    take(model, &prompt);
                }
            }
        }
    }
    Then::Stay(Overlay::Prompt(prompt))
}

/// What is to be said of a text, for whatever it is.
fn remark(model: &Model, purpose: &PromptPurpose, text: &str) -> Result<String, Wrong> {
    match purpose {
        PromptPurpose::Version => remark_on_version(model, text),
        PromptPurpose::OpenShift if text.trim().is_empty() => Ok("no cluster is looked at".to_owned()),
        PromptPurpose::OpenShift => {
            let from = OpenShift::parse(text.trim()).map_err(|error| error.to_string())?;
            Ok(format!("which installed bundles block the update {from} -> {}", from.next()))
        }
        PromptPurpose::Floor => Ok(remark_on_floor(model, read_floor(text)?)),
        PromptPurpose::Revision => remark_on_revision(model, text),
        PromptPurpose::BasePath => Ok("the whole of it is read; nothing is written".to_owned()),
        PromptPurpose::SaveAs => Ok(writing::remark_on_copy(model)),
        PromptPurpose::Export(_) => Ok(writing::remark_on_export(model)),
        PromptPurpose::Expectations => Ok(writing::remark_on_expectations(model)),
    }
}

fn remark_on_version(model: &Model, text: &str) -> Result<String, Wrong> {
    let typed = text.trim();
    if typed.is_empty() {
        return Ok("any version".to_owned());
    }
    let before = text.chars().take_while(|c| c.is_whitespace()).count();
    let constraint = Constraint::parse(typed).map_err(|error| Wrong {
        message: error.message,
        column: Some(error.column + before),
        hint: error.hint,
    })?;
    let bundles = model.session.package().map(|p| p.package().bundles.as_slice()).unwrap_or_default();
    let versions = bundles.iter().filter_map(|b| b.version.as_ref());
    let matched = versions.filter(|v| constraint.matches(&v.version)).count();
    Ok(format!("matches {matched} of {} bundles", bundles.len()))
}

/// The lowest version to show; `None` for all.
fn read_floor(text: &str) -> Result<Option<Floor>, String> {
    let text = text.trim();
    let text = text.strip_prefix('v').unwrap_or(text);
    if text.is_empty() {
        return Ok(None);
    }
    Floor::parse(text).map(Some).ok_or_else(|| "one to three numbers, such as 4 or 4.16".to_owned())
}

fn remark_on_floor(model: &Model, floor: Option<Floor>) -> String {
    let Some(layout) = model.derived.layout() else { return String::new() };
    let lines = layout.lines(Fold { floor, ..Fold::default() });
    let shown = lines.iter().filter(|line| matches!(line, Line::Row(_))).count();
    format!("shows {shown} of {} bundles", layout.rows.len())
}

/// Makes a text count at once, where it can be read.
fn take(model: &mut Model, prompt: &Prompt) {
    let typed = prompt.input.value().trim();
    match prompt.purpose {
        PromptPurpose::Version => typed.clone_into(&mut model.session.question.query.version),
        PromptPurpose::OpenShift => model.session.question.openshift = OpenShift::parse(typed).ok(),
        PromptPurpose::Floor => model.graph.floor = read_floor(typed).unwrap_or_default(),
        PromptPurpose::Revision
        | PromptPurpose::BasePath
        | PromptPurpose::SaveAs
        | PromptPurpose::Export(_)
        | PromptPurpose::Expectations => {}
    }
}

fn answered(model: &mut Model, mut prompt: Prompt) -> Then {
    if let PromptPurpose::SaveAs | PromptPurpose::Export(_) | PromptPurpose::Expectations = prompt.purpose {
        return writing::answered(model, prompt);
    }
    prompt.remark = remark(model, &prompt.purpose, prompt.input.value());
    let typed = prompt.input.value().trim();
    if let (PromptPurpose::Revision | PromptPurpose::BasePath, true) = (&prompt.purpose, typed.is_empty()) {
        prompt.remark = Err("a name is needed".to_owned().into());
    }
    if prompt.remark.is_err() {
        return Then::Stay(Overlay::Prompt(prompt));
    }
    let base = match prompt.purpose {
        PromptPurpose::Revision => revision(typed).map(Base::Revision),
        PromptPurpose::BasePath => Some(Base::Path(typed.into())),
        _ => None,
    };
    if base.is_some() {
        return Then::Do(model.with(|cx| against::choose(cx, base)));
    }
    take(model, &prompt);
    Then::Close
}

/// Reads a revision with or without `git:` before it.
fn revision(typed: &str) -> Option<Revision> {
    let typed = typed.strip_prefix("git:").unwrap_or(typed);
    Revision::parse(&format!("git:{typed}"))
}

fn remark_on_revision(model: &Model, text: &str) -> Result<String, Wrong> {
    let typed = text.trim();
    if typed.is_empty() {
        return Ok("such as main, v1.2 or HEAD~1; with :PATH the catalog at another path".to_owned());
    }
    let revision = revision(typed).ok_or_else(|| "a revision is needed before the path".to_owned())?;
    let without = model.session.catalog().map_or(Ok(()), against::repository);
    match (revision.path, without) {
        (None, Err(why)) => Err(format!("{why}; with REV:PATH that of a repository one stands in").into()),
        (None, Ok(())) => Ok("the catalog at the same path, as it was there".to_owned()),
        (Some(path), _) => Ok(format!("the catalog at {} there", path.display())),
    }
}
