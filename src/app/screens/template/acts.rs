//! Shared actions with a special implementation on the Template screen: they apply to lists and
//! images.

use super::{Template, rows::ImageRow, semver};
use crate::{
    app::{
        keys::{
            ActionId,
            spec::{Enabled, Reason},
        },
        session::{
            action::How,
            cx::{Cx, See},
        },
        work::{
            Opening,
            opening::{Asked, Leads, Purpose, Way},
        },
    },
    catalog::{
        PackageName, Semver, Spanned,
        template::semver::{ChannelKind, List},
    },
    edit::{Edit, TemplateChange},
};

/// Replacements of shared actions.
pub(super) static INSTEAD: &[How<Template>] = &[
    How { id: ActionId::AddEntry, can: can_add, run: add },
    How { id: ActionId::Promote, can: can_promote, run: promote },
    How { id: ActionId::EditEntry, can: can_change, run: open_ways },
    How { id: ActionId::Remove, can: can_change, run: remove },
    How { id: ActionId::SetDefault, can: can_add, run: settings },
];

/// Returns the lists in order of maturity: most users get the last one.
fn lists() -> impl Iterator<Item = List> {
    List::ALL.into_iter()
}

fn template(see: &See<'_>) -> Result<(), Reason> {
    semver(see).map(drop).ok_or_else(|| "no olm.semver template is open".to_owned())
}

fn can_add(_: &Template, see: &See<'_>) -> Enabled {
    template(see)
}

pub(super) fn can_change(screen: &Template, see: &See<'_>) -> Enabled {
    template(see)?;
    screen.selected().map(drop).ok_or_else(|| "no image is selected".to_owned())
}

fn can_promote(screen: &Template, see: &See<'_>) -> Enabled {
    can_change(screen, see)?;
    match screen.selected().filter(|row| ways_in(row).is_empty()) {
        Some(row) => Err(format!("{} is in every list", row.name())),
        None => Ok(()),
    }
}

fn way(label: String, change: TemplateChange) -> Way {
    Way { label, note: String::new(), then: Leads::Edit(Edit::Template { change }) }
}

/// Returns the edits that add the image to other lists, or move it there.
fn ways_in(row: &ImageRow) -> Vec<Way> {
    let mut ways = Vec::new();
    for list in lists().filter(|list| !row.is_in(*list)) {
        let image = row.image.clone();
        ways.push(way(format!("add to {}", list.name()), TemplateChange::AddImage { list, image }));
    }
    for (from, to) in lists().flat_map(|from| lists().map(move |to| (from, to))) {
        if row.is_in(from) && !row.is_in(to) {
            let label = format!("move from {} to {}", from.name(), to.name());
            ways.push(way(label, TemplateChange::MoveImage { from, to, image: row.image.clone() }));
        }
    }
    ways
}

fn ways_out(row: &ImageRow) -> Vec<Way> {
    let change = |list: &List| {
        let image = row.image.clone();
        way(format!("remove from {}", list.name()), TemplateChange::RemoveImage { list: *list, image })
    };
    row.lists.iter().map(change).collect()
}

fn choose(cx: &mut Cx<'_>, title: String, ways: Vec<Way>) {
    cx.open(Opening::Choose { purpose: Purpose::Edit, title, ways });
}

/// Opens all edits of the selected image.
pub(super) fn open_ways(screen: &mut Template, cx: &mut Cx<'_>) {
    let Some(row) = screen.selected() else { return };
    let ways = ways_in(row).into_iter().chain(ways_out(row)).collect();
    choose(cx, row.name().to_owned(), ways);
}

fn promote(screen: &mut Template, cx: &mut Cx<'_>) {
    let Some(row) = screen.selected() else { return };
    choose(cx, format!("Promote {}", row.name()), ways_in(row));
}

fn remove(screen: &mut Template, cx: &mut Cx<'_>) {
    let Some(row) = screen.selected() else { return };
    choose(cx, format!("Remove {}", row.name()), ways_out(row));
}

/// Asks for a list, then for the image to add.
fn add(_: &mut Template, cx: &mut Cx<'_>) {
    let package = cx.session.selection().package.clone().unwrap_or_else(|| PackageName::from(""));
    let ask = |list: List| Way {
        label: format!("a bundle image to {}", list.name()),
        note: String::new(),
        then: Leads::Ask { package: package.clone(), asked: Asked::ImageInto(list), proposed: String::new() },
    };
    let ways = lists().map(ask).collect();
    choose(cx, "Add".to_owned(), ways);
}

/// Asks which channels are generated, and which of them is the default.
fn settings(_: &mut Template, cx: &mut Cx<'_>) {
    let Some(semver) = semver(&cx.see()).cloned() else { return };
    choose(cx, "Generated channels".to_owned(), settings_of(&semver));
}

fn settings_of(semver: &Semver) -> Vec<Way> {
    let written = &semver.document.written;
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
        ways.push(together(label, changes));
    }
    let both = now == (true, true);
    for kind in [ChannelKind::Major, ChannelKind::Minor] {
        if both && kind.name() != preferred {
            let change = TemplateChange::Prefer { kind: Some(kind) };
            ways.push(way(change.title(), change));
        }
    }
    if !preferred.is_empty() {
        let change = TemplateChange::Prefer { kind: None };
        ways.push(way(change.title(), change));
    }
    ways
}

/// Combines changes into one choice.
fn together(label: &str, changes: Vec<TemplateChange>) -> Way {
    let mut edits: Vec<Edit> = changes.into_iter().map(|change| Edit::Template { change }).collect();
    let title = label.to_owned();
    let edit = if edits.len() == 1 { edits.remove(0) } else { Edit::Several { title, edits } };
    Way { label: label.to_owned(), note: String::new(), then: Leads::Edit(edit) }
}
