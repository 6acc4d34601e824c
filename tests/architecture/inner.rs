//! The order inside `app` and inside `ui`: their folders are rooms too, and a room names itself and what stands left.
//!
//! Where everything may name everything, a new screen is a change to all of them. So no screen knows another, no dialog
//! another, and what they want of each other is data that the shell carries out. Tests stand right of everything.

use crate::scan::{Written, from_root, module, paths, tokens};

/// A room with rooms of its own.
struct House {
    /// Its folder below `src/`.
    name: &'static str,
    /// Its rooms from left to right. Those in braces stand side by side, and never name each other.
    order: &'static str,
    /// Folders that are, with the plain files of the house, the room `base`. Where the order has no `base`, every file
    /// belongs into a folder.
    base: &'static [&'static str],
    /// What stands beside `mod.rs`, right of everything.
    last: &'static [&'static str],
    /// Rooms of which each file or folder is by itself, with what all of them may name.
    apart: &'static [(&'static str, &'static [&'static str])],
}

const HOUSES: [House; 2] = [
    House {
        name: "app",
        order: "keys < parts < work < session < { actions | dialogs | screens } < shell",
        base: &[],
        last: &[],
        apart: &[("dialogs", &["dialog", "rows"]), ("screens", &["screen"])],
    },
    House {
        name: "ui",
        order: "base < { dialogs | screens } < shell",
        base: &["parts", "theme"],
        last: &["capture"],
        apart: &[("dialogs", &[]), ("screens", &[])],
    },
];

/// A place where the order is broken.
pub struct Finding {
    /// Which file, and what it names: the same for all the lines on which it does.
    pub arrow: String,
    /// File, line, path and rule, for whoever has to mend it.
    pub text: String,
}

/// Where a module stands in its house.
#[derive(Clone, Copy)]
enum Place<'a> {
    /// Right of everything: `mod.rs` of the house, which puts the rooms together.
    Last,
    /// In none of its rooms.
    Nowhere,
    /// In a room, and there in a file or folder; in none is what its `mod.rs` defines or hands on.
    In { step: usize, room: &'a str, part: Option<&'a str> },
}

impl House {
    /// Where a module stands; `below` is its path from the house on. `files`: all files below `src/`.
    fn place<'a>(&self, below: &[&'a str], files: &[String]) -> Place<'a> {
        let Some(&first) = below.first() else { return Place::Last };
        if self.last.contains(&first) {
            return Place::Last;
        }
        let plain = files.contains(&format!("{}/{first}.rs", self.name));
        let room = if plain || self.base.contains(&first) { "base" } else { first };
        let mut steps = self.order.split('<').map(|step| step.split([' ', '|', '{', '}']));
        let Some(step) = steps.position(|mut rooms| rooms.any(|r| r == room)) else { return Place::Nowhere };
        let stands = |part: &&str| {
            let place = format!("{}/{room}/{part}", self.name);
            let below =
                |file: &String| file.strip_prefix(&place).is_some_and(|f| f == ".rs" || f.starts_with('/'));
            files.iter().any(below)
        };
        Place::In { step, room, part: below.get(1).copied().filter(stands) }
    }

    /// Why what stands at `from` may not name what stands at `to`, if so.
    fn broken(&self, from: Place, to: Place) -> Option<String> {
        let Place::In { step, room, part } = from else { return None };
        let Place::In { step: to_step, room: to_room, part: to_part } = to else {
            return Some(format!("this is in no room of `{}`: name the room", self.name));
        };
        if to_room != room {
            return (to_step >= step).then(|| {
                format!("room `{room}` may name only itself and rooms left of it in {}", self.order)
            });
        }
        let (_, shared) = self.apart.iter().find(|(apart, _)| *apart == room)?;
        let own = part.is_none() || to_part == part || to_part.is_some_and(|to| shared.contains(&to));
        (!own).then(|| match *shared {
            [] => format!("in `{room}` each stands by itself; what they share belongs into `base`"),
            shared => format!(
                "in `{room}` each stands by itself, and names of the others only {}",
                shared.join(", ")
            ),
        })
    }
}

/// What a finding calls the place that is named: its room, and in the same room the part. What is in no room is called
/// by the house.
fn called(house: &House, from: Place, to: Place) -> String {
    match (from, to) {
        (Place::In { room: own, .. }, Place::In { room, part: Some(part), .. }) if own == room => {
            format!("{}::{room}::{part}", house.name)
        }
        (_, Place::In { room, .. }) => format!("{}::{room}", house.name),
        _ => house.name.to_owned(),
    }
}

/// Judges one file; `file` is its path below `src/`, and it is no test. `files`: all files below `src/`.
pub fn judge(file: &str, source: &str, files: &[String]) -> Vec<Finding> {
    let own = module(file);
    let Some(house) = HOUSES.iter().find(|house| own.first() == Some(&house.name)) else { return Vec::new() };
    let from = house.place(&own[1..], files);
    if matches!(from, Place::Nowhere) {
        let text = format!("src/{file}:1: stands in no room of `{}`; rooms are {}", house.name, house.order);
        return vec![Finding { arrow: format!("src/{file}: stands in no room of {}", house.name), text }];
    }
    let mut out = Vec::new();
    for path in paths(&tokens(source)).iter().filter(|path| !path.test && !path.sight) {
        let Some(to) = named(house, path, file, files) else { continue };
        if let Some(why) = house.broken(from, to) {
            let (line, written) = (path.line, path.segments.join("::"));
            out.push(Finding {
                arrow: format!("src/{file} -> {}", called(house, from, to)),
                text: format!("src/{file}:{line}: `{written}`: {why}"),
            });
        }
    }
    out
}

/// Where in the house a path leads, if it does. The house as a whole, all of it (`*`) and what its `mod.rs` hands on
/// under a name of its own are in no room: whoever reads such a path cannot see what it depends on.
fn named<'a>(house: &House, path: &'a Written, file: &'a str, files: &[String]) -> Option<Place<'a>> {
    match from_root(path, file)?.as_slice() {
        [first, below @ ..] if *first == house.name => Some(house.place(below, files)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What else there is in the made-up house.
    const FILES: [&str; 18] = [
        "app/model.rs",
        "app/dialogs/mod.rs",
        "app/dialogs/ask/mod.rs",
        "app/dialogs/dialog.rs",
        "app/dialogs/entry.rs",
        "app/dialogs/rows.rs",
        "app/screens/graph/mod.rs",
        "app/screens/mod.rs",
        "app/screens/problems.rs",
        "app/screens/screen.rs",
        "app/screens/upgrades/mod.rs",
        "ui/canvas.rs",
        "ui/dialogs/ask.rs",
        "ui/dialogs/entry.rs",
        "ui/mod.rs",
        "ui/screens/details.rs",
        "ui/screens/graph/mod.rs",
        "ui/text.rs",
    ];

    /// Judges a snippet, and checks which arrows it is found to draw against the order.
    fn arrows(file: &str, source: &str, expected: &[&str]) {
        let files: Vec<_> = FILES.into_iter().chain([file]).map(String::from).collect();
        let found = judge(file, source, &files);
        let drawn: Vec<_> =
            found.iter().map(|f| f.arrow.strip_prefix(&format!("src/{file}")).unwrap()).collect();
        assert_eq!(drawn, expected, "{file}: {source:?}");
        assert!(found.iter().all(|f| f.text.starts_with(&format!("src/{file}:"))), "{file}: {source:?}");
    }

    #[test]
    fn a_room_may_name_itself_and_the_left() {
        arrows("app/keys/keymap.rs", "use super::Key; use crate::app::keys::judge::clash;", &[]);
        arrows("app/session/loading/growing.rs", "use super::super::{Open, super::work::Msg};", &[]);
        arrows(
            "app/actions/adding.rs",
            "use super::asked; use crate::app::{keys::*, parts, session::Cx};",
            &[],
        );
        arrows(
            "app/shell/update.rs",
            "use crate::app::{actions, dialogs::{self, entry}, screens::graph};",
            &[],
        );
        arrows("app/work/msg.rs", "use crate::{catalog::Catalog, config::Options}; use std::fmt;", &[]);
        arrows("ui/screens/graph/mod.rs", "use crate::{app::Model, ui::{canvas::Canvas, theme::Role}};", &[]);
        arrows("ui/shell/frame.rs", "use crate::ui::{dialogs, screens::graph, text};", &[]);
        arrows("ui/canvas.rs", "use super::{parts::boxes, text::wrap, theme};", &[]);
        arrows("upgrade/graph.rs", "use crate::app::shell::update;", &[]);
    }

    #[test]
    fn a_room_to_the_right_is_a_finding_wherever_it_is_named() {
        arrows("app/keys/key.rs", "use crate::app::parts::list::List;", &[" -> app::parts"]);
        arrows("app/work/msg.rs", "fn f(s: &crate::app::session::Session) {}", &[" -> app::session"]);
        arrows("app/session/mod.rs", "fn f() { olmap::app::shell::update() }", &[" -> app::shell"]);
        arrows("app/parts/list.rs", "macro_rules! m { () => { $crate::app::work::X } }", &[" -> app::work"]);
        arrows("app/screens/graph/mod.rs", "use crate::app::shell::Model;", &[" -> app::shell"]);
        arrows("ui/text.rs", "use super::screens::graph::arrow;", &[" -> ui::screens"]);
        arrows("ui/theme/mod.rs", "use crate::ui::shell;", &[" -> ui::shell"]);
        arrows("ui/parts/boxes.rs", "use crate::ui::dialogs::ask;", &[" -> ui::dialogs"]);
    }

    #[test]
    fn what_stands_side_by_side_never_names_each_other() {
        arrows("app/dialogs/entry.rs", "use crate::app::actions::adding;", &[" -> app::actions"]);
        arrows("app/dialogs/mod.rs", "use crate::app::screens;", &[" -> app::screens"]);
        arrows("app/actions/adding.rs", "use crate::app::dialogs::entry::Entry;", &[" -> app::dialogs"]);
        arrows("app/actions/adding.rs", "use crate::app::screens::screen::Screen;", &[" -> app::screens"]);
        arrows("app/screens/graph/mod.rs", "use crate::app::dialogs::dialog::Dialog;", &[" -> app::dialogs"]);
        arrows("ui/screens/graph/mod.rs", "use crate::ui::dialogs::body;", &[" -> ui::dialogs"]);
        arrows("ui/dialogs/legend.rs", "use crate::ui::screens::graph::ruler;", &[" -> ui::screens"]);
    }

    #[test]
    fn no_screen_names_another() {
        let graph = "use super::super::{screen::Screen, graph::moves}; use super::zoom;";
        arrows("app/screens/graph/picture.rs", graph, &[]);
        let upgrades = " -> app::screens::upgrades";
        arrows("app/screens/graph/mod.rs", "use crate::app::screens::upgrades::Row;", &[upgrades]);
        arrows("app/screens/graph/mod.rs", "use super::upgrades::Row;", &[upgrades]);
        arrows("app/screens/problems.rs", "use super::{screen::Screen, upgrades};", &[upgrades]);
        arrows("app/screens/screen.rs", "use super::upgrades::Row;", &[upgrades]);
        arrows(
            "app/screens/mod.rs",
            "use self::upgrades::Row; use crate::app::screens::{graph, problems};",
            &[],
        );
        arrows(
            "ui/screens/graph/panel.rs",
            "use crate::ui::screens::details;",
            &[" -> ui::screens::details"],
        );
        arrows("ui/screens/mod.rs", "use super::screens::{details, graph};", &[]);
    }

    #[test]
    fn no_screen_names_what_knows_all_screens() {
        arrows(
            "app/screens/graph/mod.rs",
            "use super::{Screens, of};",
            &[" -> app::screens", " -> app::screens"],
        );
        arrows("app/screens/graph/mod.rs", "use crate::app::screens::*;", &[" -> app::screens"]);
        arrows("app/screens/graph/mod.rs", "use crate::app::screens as all;", &[" -> app::screens"]);
        arrows("app/screens/screen.rs", "use crate::app::screens::{self};", &[" -> app::screens"]);
    }

    #[test]
    fn no_dialog_names_another() {
        arrows("app/dialogs/ask/text.rs", "use crate::app::dialogs::{ask::Ask, dialog::Step, rows};", &[]);
        arrows("app/dialogs/dialog.rs", "use super::rows::Rows;", &[]);
        arrows("app/dialogs/entry.rs", "use super::ask::Ask;", &[" -> app::dialogs::ask"]);
        arrows("app/dialogs/ask/text.rs", "use super::super::entry;", &[" -> app::dialogs::entry"]);
        arrows("app/dialogs/rows.rs", "use super::entry::Entry;", &[" -> app::dialogs::entry"]);
        arrows("app/dialogs/mod.rs", "use super::dialogs::{ask, entry}; fn f() { self::entry::open() }", &[]);
        arrows("ui/dialogs/entry.rs", "use super::ask::field;", &[" -> ui::dialogs::ask"]);
    }

    #[test]
    fn a_super_that_climbs_into_another_room_is_seen() {
        arrows("app/parts/list.rs", "use super::super::session::Session;", &[" -> app::session"]);
        arrows("app/parts/list/mod.rs", "use super::super::session::Session;", &[" -> app::session"]);
        arrows("app/parts/list/rows.rs", "use super::super::super::session;", &[" -> app::session"]);
        arrows("app/parts/mod.rs", "fn f() { self::super::session::open() }", &[" -> app::session"]);
        arrows("app/parts/list.rs", "mod a { use super::session; use super::super::session; }", &[]);
        arrows("app/parts/list.rs", "mod a { use super::super::super::session; }", &[" -> app::session"]);
        arrows("app/parts/list.rs", "use super::session;", &[]);
        arrows("ui/theme/own.rs", "use super::super::shell;", &[" -> ui::shell"]);
    }

    #[test]
    fn a_room_in_a_group_is_seen() {
        let source =
            "use crate::{\n app::{\n keys::{Key, judge},\n shell::{self, Model as M},\n },\n layout,\n};";
        arrows("app/parts/list.rs", source, &[" -> app::shell", " -> app::shell"]);
        let found = judge("app/parts/list.rs", source, &[]);
        assert!(found.iter().all(|f| f.text.starts_with("src/app/parts/list.rs:4:")));
        arrows("app/parts/list.rs", "use super::{super::{work::Msg, keys}, field};", &[" -> app::work"]);
    }

    #[test]
    fn what_the_house_hands_on_must_be_named_by_its_room() {
        arrows("app/screens/graph/mod.rs", "use crate::app::Model;", &[" -> app"]);
        arrows("app/screens/graph/mod.rs", "fn f() { crate::app::update() }", &[" -> app"]);
        arrows(
            "app/actions/adding.rs",
            "use super::super::{Effect, keys::Key, Msg};",
            &[" -> app", " -> app"],
        );
        arrows("app/parts/list.rs", "use crate::app::*;", &[" -> app"]);
        arrows("app/parts/list.rs", "use crate::app;", &[" -> app"]);
        arrows("app/parts/list.rs", "use crate::{app::{self as all}};", &[" -> app"]);
        arrows("app/parts/list.rs", "use super::super as all;", &[" -> app"]);
        arrows("ui/screens/problems.rs", "use crate::ui::{Theme, canvas};", &[" -> ui"]);
        arrows("ui/canvas.rs", "use super::{view, text}; use super::*;", &[" -> ui", " -> ui"]);
        arrows("ui/shell/frame.rs", "use crate::ui::capture::svg;", &[" -> ui"]);
    }

    #[test]
    fn who_may_see_an_item_names_nothing() {
        let source =
            "pub(in crate::app) fn f() {} pub(super) fn g() {} pub(in super::super) struct S(pub(super) u8);";
        arrows("app/parts/list.rs", source, &[]);
        arrows("app/parts/mod.rs", source, &[]);
        arrows("app/parts/mod.rs", "struct S(pub (super::Model, u8));", &[" -> app"]);
    }

    #[test]
    fn every_file_of_app_stands_in_a_room() {
        let nowhere = [": stands in no room of app"];
        arrows("app/model.rs", "use super::shell::Model;", &nowhere);
        // Though its module is called like a room.
        arrows("app/keys.rs", "", &nowhere);
        arrows("app/overlays/mod.rs", "", &nowhere);
        arrows("app/parts/list.rs", "use crate::app::model::Pane;", &[" -> app"]);
        arrows("app/base/mod.rs", "", &nowhere);
    }

    #[test]
    fn a_plain_file_of_ui_is_its_base_and_a_folder_must_be_a_room() {
        arrows("ui/overlays/mod.rs", "", &[": stands in no room of ui"]);
        arrows("ui/screens/graph/mod.rs", "use crate::ui::{overlays, text};", &[" -> ui"]);
    }

    #[test]
    fn what_puts_the_rooms_together_may_name_all() {
        arrows(
            "app/mod.rs",
            "pub use shell::update; pub use self::keys::Key; use crate::app::screens::*;",
            &[],
        );
        arrows("ui/mod.rs", "use self::{canvas::Canvas, shell::frame}; use crate::ui::capture;", &[]);
        arrows("ui/capture/svg.rs", "use super::super::{Theme, shell, view};", &[]);
    }

    #[test]
    fn tests_in_a_file_may_name_all() {
        let source = "#[cfg(test)] mod tests { use super::*; use crate::app::{Model, screens::upgrades}; }";
        arrows("app/screens/graph/mod.rs", source, &[]);
        arrows("app/screens/graph/mod.rs", "#[cfg(test)] use crate::app::Model; fn f() {}", &[]);
    }
}
