//! Shared actions with a special implementation on the Template screen: they apply to lists and
//! images.

use crate::tui::{
    dialogs::{
        edit_choice::{ChoiceAction, EditChoice, EditOption},
        edit_question::{EditQuestion, QuestionKind},
    },
    keys::{
        ActionId,
        spec::{Enabled, Reason},
    },
    screens::template::{ImageRow, Template, current_template},
    session::{
        action::ActionHandler,
        context::{Context, ViewContext},
    },
    work::EditPurpose,
};
use olm_catalog::{
    PackageName, Semver, Spanned,
    template::semver::{ChannelKind, List},
};
use olm_edit::{Edit, TemplateChange};

/// Replacements of shared actions.
pub(super) static REPLACEMENTS: &[ActionHandler<Template>] = &[
    ActionHandler { id: ActionId::AddEntry, is_enabled: can_add, run: choose_list_for_image },
    ActionHandler { id: ActionId::Release, is_enabled: can_promote, run: open_promotion_choices },
    ActionHandler { id: ActionId::EditEntry, is_enabled: can_change, run: open_all_choices },
    ActionHandler { id: ActionId::Remove, is_enabled: can_change, run: open_removal_choices },
    ActionHandler { id: ActionId::SetDefault, is_enabled: can_add, run: open_channel_choices },
];

/// Returns the lists in order of maturity: most users get the last one.
fn all_lists() -> impl Iterator<Item = List> {
    List::ALL.into_iter()
}

fn check_template(view_cx: &ViewContext<'_>) -> Result<(), Reason> {
    current_template(view_cx).map(drop).ok_or_else(|| "no olm.semver template is open".to_owned())
}

fn can_add(_: &Template, view_cx: &ViewContext<'_>) -> Enabled {
    check_template(view_cx)
}

pub(super) fn can_change(screen: &Template, view_cx: &ViewContext<'_>) -> Enabled {
    check_template(view_cx)?;
    screen.selected_image().map(drop).ok_or_else(|| "no image is selected".to_owned())
}

fn can_promote(screen: &Template, view_cx: &ViewContext<'_>) -> Enabled {
    can_change(screen, view_cx)?;
    match screen.selected_image().filter(|row| choices_to_add(row).is_empty()) {
        Some(row) => Err(format!("{} is in every list", row.display_name())),
        None => Ok(()),
    }
}

fn edit_choice(label: String, change: TemplateChange) -> EditOption {
    EditOption { label, note: String::new(), action: ChoiceAction::Edit(Edit::Template { change }) }
}

/// Returns the edits that add the image to other lists, or move it there.
fn choices_to_add(row: &ImageRow) -> Vec<EditOption> {
    let mut ways = Vec::new();
    for list in all_lists().filter(|list| !row.is_in(*list)) {
        let image = row.image.clone();
        ways.push(edit_choice(format!("add to {}", list.name()), TemplateChange::AddImage { list, image }));
    }
    for (from, to) in all_lists().flat_map(|from| all_lists().map(move |to| (from, to))) {
        if row.is_in(from) && !row.is_in(to) {
            let label = format!("move from {} to {}", from.name(), to.name());
            ways.push(edit_choice(label, TemplateChange::MoveImage { from, to, image: row.image.clone() }));
        }
    }
    ways
}

fn choices_to_remove(row: &ImageRow) -> Vec<EditOption> {
    let change = |list: &List| {
        let image = row.image.clone();
        edit_choice(
            format!("remove from {}", list.name()),
            TemplateChange::RemoveImage { list: *list, image },
        )
    };
    row.lists.iter().map(change).collect()
}

fn open_choices(cx: &mut Context<'_>, title: String, ways: Vec<EditOption>) {
    cx.open_dialog(EditChoice::new(EditPurpose::Edit, title, ways, cx.session));
}

/// Opens all edits of the selected image.
pub(super) fn open_all_choices(screen: &mut Template, cx: &mut Context<'_>) {
    let Some(row) = screen.selected_image() else { return };
    let ways = choices_to_add(row).into_iter().chain(choices_to_remove(row)).collect();
    open_choices(cx, row.display_name().to_owned(), ways);
}

fn open_promotion_choices(screen: &mut Template, cx: &mut Context<'_>) {
    let Some(row) = screen.selected_image() else { return };
    open_choices(cx, format!("Release {}", row.display_name()), choices_to_add(row));
}

fn open_removal_choices(screen: &mut Template, cx: &mut Context<'_>) {
    let Some(row) = screen.selected_image() else { return };
    open_choices(cx, format!("Remove {}", row.display_name()), choices_to_remove(row));
}

/// Asks for a list, then for the image to add.
fn choose_list_for_image(_: &mut Template, cx: &mut Context<'_>) {
    let package = cx.session.selection().package.clone().unwrap_or_else(|| PackageName::from(""));
    let ask = |list: List| {
        let (package, question) = (package.clone(), QuestionKind::ImageInto(list));
        let question = EditQuestion::new(EditPurpose::Edit, package, question, String::new(), cx.session);
        EditOption {
            label: format!("a bundle image to {}", list.name()),
            note: String::new(),
            action: ChoiceAction::Open(Box::new(question)),
        }
    };
    let ways = all_lists().map(ask).collect();
    open_choices(cx, "Add".to_owned(), ways);
}

/// Asks which channels are generated, and which of them is the default.
fn open_channel_choices(_: &mut Template, cx: &mut Context<'_>) {
    let Some(semver) = current_template(&cx.view()).cloned() else { return };
    open_choices(cx, "Generated channels".to_owned(), channel_choices(&semver));
}

fn channel_choices(semver: &Semver) -> Vec<EditOption> {
    let written = &semver.document.settings_as_written;
    let is_set = |flag: &Option<Spanned<bool>>| flag.as_ref().is_some_and(|flag| flag.value);
    let (major, minor) = (is_set(&written.major), is_set(&written.minor));
    let preferred = written.preference.as_ref().map(|word| word.value.as_str()).unwrap_or_default();
    let mut ways = Vec::new();
    // Channels that are generated now: opm generates minor channels if neither kind is set.
    let now = (major, minor || !major);
    for (label, kinds) in [
        ("generate major and minor channels", (true, true)),
        ("generate minor channels only", (false, true)),
        ("generate major channels only", (true, false)),
    ] {
        if kinds == now {
            continue;
        }
        let mut changes = Vec::new();
        for (kind, is, shall_be) in
            [(ChannelKind::Major, major, kinds.0), (ChannelKind::Minor, minor, kinds.1)]
        {
            if is != shall_be {
                changes.push(TemplateChange::Generate { kind, generate: shall_be });
            }
        }
        // opm rejects a preference for channels that are not generated.
        let is_left = match preferred {
            "major" => kinds.0,
            "minor" => kinds.1,
            other => other.is_empty(),
        };
        if !is_left {
            changes.push(TemplateChange::Prefer { kind: None });
        }
        ways.push(combined_choice(label, changes));
    }
    let both = now == (true, true);
    for kind in [ChannelKind::Major, ChannelKind::Minor] {
        if both && kind.name() != preferred {
            let change = TemplateChange::Prefer { kind: Some(kind) };
            ways.push(edit_choice(change.title(), change));
        }
    }
    if !preferred.is_empty() {
        let change = TemplateChange::Prefer { kind: None };
        ways.push(edit_choice(change.title(), change));
    }
    ways
}

/// Combines changes into one choice.
fn combined_choice(label: &str, changes: Vec<TemplateChange>) -> EditOption {
    let mut edits: Vec<Edit> = changes.into_iter().map(|change| Edit::Template { change }).collect();
    let title = label.to_owned();
    let edit = if edits.len() == 1 { edits.remove(0) } else { Edit::Several { title, edits } };
    EditOption { label: label.to_owned(), note: String::new(), action: ChoiceAction::Edit(edit) }
}
