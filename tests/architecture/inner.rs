//! Layer order inside `tui`. Its folders are layers too: a layer may name itself and the layers left
//! of it.
//!
//! The order keeps a new screen from changing all others. Screens do not name each other; they
//! communicate through data that the shell handles. Dialogs may open each other, but not in a circle.
//! Tests are right of all layers.

use std::collections::BTreeSet;

use crate::scan::{Written, from_root, module, paths, tokens};

/// Folder of `src/` with an inner order of layers.
struct LayeredFolder {
    /// Folder name in `src/`.
    name: &'static str,
    /// Layers from left to right. Layers in braces are on the same level and never name each other.
    order: &'static str,
    /// Layers whose files and folders must not name each other, with the parts that all of them may
    /// name.
    apart: &'static [(&'static str, &'static [&'static str])],
    /// Layers whose files and folders must not name each other in a circle.
    acyclic: &'static [&'static str],
}

const LAYERED_FOLDERS: [LayeredFolder; 1] = [LayeredFolder {
    name: "tui",
    order: "keys < parts < work < session < widgets < dialogs < { actions | screens } < shell",
    apart: &[("screens", &["screen"])],
    acyclic: &["dialogs"],
}];

/// Violation of the order.
pub struct Finding {
    /// File and named layer; equal for all lines of the file that name the layer.
    pub arrow: String,
    /// File, line, path and rule.
    pub text: String,
}

/// Position of a module in its folder.
#[derive(Clone, Copy)]
enum Position<'a> {
    /// Right of all layers: `mod.rs` of the folder, which combines the layers.
    Last,
    /// In no layer.
    Nowhere,
    /// In a layer, and in a file or folder of it. `part` is `None` for items of its `mod.rs`.
    In { step: usize, layer: &'a str, part: Option<&'a str> },
}

impl LayeredFolder {
    /// Returns the position of a module. `below` is its path inside the folder, `files` are all
    /// files in
    /// `src/`.
    fn find_position<'a>(&self, below: &[&'a str], files: &[String]) -> Position<'a> {
        let Some(&first) = below.first() else { return Position::Last };
        // Every file is in a folder.
        if files.contains(&format!("{}/{first}.rs", self.name)) {
            return Position::Nowhere;
        }
        let layer = first;
        let mut steps = self.order.split('<').map(|step| step.split([' ', '|', '{', '}']));
        let Some(step) = steps.position(|mut layers| layers.any(|r| r == layer)) else {
            return Position::Nowhere;
        };
        let stands = |part: &&str| {
            let place = format!("{}/{layer}/{part}", self.name);
            let below =
                |file: &String| file.strip_prefix(&place).is_some_and(|f| f == ".rs" || f.starts_with('/'));
            files.iter().any(below)
        };
        Position::In { step, layer, part: below.get(1).copied().filter(stands) }
    }

    /// Returns the reason why the module at `from` must not name the module at `to`.
    fn order_violation(&self, from: Position, to: Position) -> Option<String> {
        let Position::In { step, layer, part } = from else { return None };
        let Position::In { step: to_step, layer: to_layer, part: to_part } = to else {
            return Some(format!("this is in no layer of `{}`: name the layer", self.name));
        };
        if to_layer != layer {
            return (to_step >= step).then(|| {
                format!("layer `{layer}` may name only itself and layers left of it in {}", self.order)
            });
        }
        let (_, shared) = self.apart.iter().find(|(apart, _)| *apart == layer)?;
        let own = part.is_none() || to_part == part || to_part.is_some_and(|to| shared.contains(&to));
        (!own).then(|| {
            format!("in `{layer}` each is independent, and names of the others only {}", shared.join(", "))
        })
    }
}

/// Returns the name of a module in a finding: its layer, and its part if both are in the same layer.
/// A module in no layer is named by the folder.
fn display_name(folder: &LayeredFolder, from: Position, to: Position) -> String {
    match (from, to) {
        (Position::In { layer: own, .. }, Position::In { layer, part: Some(part), .. }) if own == layer => {
            format!("{}::{layer}::{part}", folder.name)
        }
        (_, Position::In { layer, .. }) => format!("{}::{layer}", folder.name),
        _ => folder.name.to_owned(),
    }
}

/// Checks one source file, which is not a test. `file` is its path in `src/`, `files` are all files
/// in `src/`.
pub fn check_inner_order(file: &str, source: &str, files: &[String]) -> Vec<Finding> {
    let own = module(file);
    let Some(folder) = LAYERED_FOLDERS.iter().find(|folder| own.first() == Some(&folder.name)) else {
        return Vec::new();
    };
    let from = folder.find_position(&own[1..], files);
    if matches!(from, Position::Nowhere) {
        let text = format!("src/{file}:1: is in no layer of `{}`; layers are {}", folder.name, folder.order);
        return vec![Finding { arrow: format!("src/{file}: is in no layer of {}", folder.name), text }];
    }
    let mut out = Vec::new();
    for path in paths(&tokens(source)).iter().filter(|path| !path.test && !path.sight) {
        let Some(to) = resolve_position(folder, path, file, files) else { continue };
        if let Some(why) = folder.order_violation(from, to) {
            let (line, written) = (path.line, path.segments.join("::"));
            out.push(Finding {
                arrow: format!("src/{file} -> {}", display_name(folder, from, to)),
                text: format!("src/{file}:{line}: `{written}`: {why}"),
            });
        }
    }
    out
}

/// Returns the parts of a layer that name each other in a circle, and the parts that lead into one.
/// `sources` are all files in `src/` with their texts, without tests.
pub fn find_circles(sources: &[(String, String)]) -> Vec<String> {
    let files: Vec<_> = sources.iter().map(|(file, _)| file.clone()).collect();
    let mut found = Vec::new();
    for (folder, layer) in LAYERED_FOLDERS.iter().flat_map(|f| f.acyclic.iter().map(move |layer| (f, *layer)))
    {
        let mut arrows: BTreeSet<(String, String)> = BTreeSet::new();
        for (file, source) in sources {
            let own = module(file);
            let Some(Position::In { layer: from_layer, part: Some(from), .. }) = own
                .first()
                .filter(|first| **first == folder.name)
                .map(|_| folder.find_position(&own[1..], &files))
            else {
                continue;
            };
            for path in paths(&tokens(source)).iter().filter(|path| !path.test && from_layer == layer) {
                if let Some(Position::In { layer: to_layer, part: Some(to), .. }) =
                    resolve_position(folder, path, file, &files)
                    && to_layer == layer
                    && to != from
                {
                    arrows.insert((from.to_owned(), to.to_owned()));
                }
            }
        }
        // Removes parts that name no other part, until only circles and what leads to them are left.
        loop {
            let open: BTreeSet<String> = arrows.iter().map(|(from, _)| from.clone()).collect();
            let before = arrows.len();
            arrows.retain(|(_, to)| open.contains(to));
            if arrows.len() == before {
                break;
            }
        }
        found
            .extend(arrows.into_iter().map(|(from, to)| format!("{}::{layer}: {from} -> {to}", folder.name)));
    }
    found
}

/// Returns the position that a path leads to; `None` if it leads out of the folder.
///
/// The folder itself, a glob of it (`*`), and re-exports of its `mod.rs` are in no layer, because
/// such a path does not show the dependency.
fn resolve_position<'a>(
    folder: &LayeredFolder,
    path: &'a Written,
    file: &'a str,
    files: &[String],
) -> Option<Position<'a>> {
    match from_root(path, file)?.as_slice() {
        [first, below @ ..] if *first == folder.name => Some(folder.find_position(below, files)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Other files in the test folder.
    const FILES: [&str; 12] = [
        "tui/model.rs",
        "tui/dialogs/mod.rs",
        "tui/dialogs/ask/mod.rs",
        "tui/dialogs/dialog.rs",
        "tui/dialogs/entry.rs",
        "tui/screens/graph/mod.rs",
        "tui/screens/mod.rs",
        "tui/screens/problems.rs",
        "tui/screens/screen.rs",
        "tui/screens/upgrades/mod.rs",
        "tui/widgets/canvas.rs",
        "tui/widgets/text.rs",
    ];

    /// Checks a snippet, and asserts which arrows violate the order.
    fn assert_arrows(file: &str, source: &str, expected: &[&str]) {
        let files: Vec<_> = FILES.into_iter().chain([file]).map(String::from).collect();
        let found = check_inner_order(file, source, &files);
        let drawn: Vec<_> =
            found.iter().map(|f| f.arrow.strip_prefix(&format!("src/{file}")).unwrap()).collect();
        assert_eq!(drawn, expected, "{file}: {source:?}");
        assert!(found.iter().all(|f| f.text.starts_with(&format!("src/{file}:"))), "{file}: {source:?}");
    }

    #[test]
    fn layer_may_name_itself_and_layers_left_of_it() {
        assert_arrows("tui/keys/keymap.rs", "use super::Key; use crate::tui::keys::judge::clash;", &[]);
        assert_arrows("tui/session/loading/growing.rs", "use super::super::{Open, super::work::Msg};", &[]);
        assert_arrows(
            "tui/actions/adding.rs",
            "use super::asked; use crate::tui::{keys::*, parts, session::Cx};",
            &[],
        );
        assert_arrows(
            "tui/shell/update.rs",
            "use crate::tui::{actions, dialogs::{self, entry}, screens::graph};",
            &[],
        );
        assert_arrows(
            "tui/work/msg.rs",
            "use crate::{catalog::Catalog, config::Options}; use std::fmt;",
            &[],
        );
        assert_arrows(
            "tui/screens/graph/view.rs",
            "use crate::tui::{session::Session, widgets::{canvas::Canvas, theme::Ink}};",
            &[],
        );
        assert_arrows("tui/shell/frame.rs", "use crate::tui::{dialogs, screens::graph, widgets::text};", &[]);
        assert_arrows("tui/widgets/canvas.rs", "use super::{super::parts::list, text::wrap, theme};", &[]);
        assert_arrows("upgrade/graph.rs", "use crate::tui::shell::update;", &[]);
    }

    #[test]
    fn naming_a_layer_to_the_right_is_a_finding() {
        assert_arrows("tui/keys/key.rs", "use crate::tui::parts::list::List;", &[" -> tui::parts"]);
        assert_arrows("tui/work/msg.rs", "fn f(s: &crate::tui::session::Session) {}", &[" -> tui::session"]);
        assert_arrows("tui/session/mod.rs", "fn f() { olmap::tui::shell::update() }", &[" -> tui::shell"]);
        assert_arrows(
            "tui/parts/list.rs",
            "macro_rules! m { () => { $crate::tui::work::X } }",
            &[" -> tui::work"],
        );
        assert_arrows("tui/screens/graph/mod.rs", "use crate::tui::shell::Model;", &[" -> tui::shell"]);
        assert_arrows("tui/widgets/text.rs", "use super::super::screens::graph::x;", &[" -> tui::screens"]);
        assert_arrows("tui/widgets/theme/mod.rs", "use crate::tui::shell;", &[" -> tui::shell"]);
        assert_arrows("tui/widgets/boxes.rs", "use crate::tui::dialogs::ask;", &[" -> tui::dialogs"]);
        assert_arrows("tui/session/mod.rs", "use crate::tui::widgets::canvas;", &[" -> tui::widgets"]);
        assert_arrows("tui/dialogs/entry.rs", "use crate::tui::actions::adding;", &[" -> tui::actions"]);
        assert_arrows("tui/dialogs/mod.rs", "use crate::tui::screens;", &[" -> tui::screens"]);
    }

    #[test]
    fn layers_on_the_same_level_must_not_name_each_other() {
        assert_arrows(
            "tui/actions/adding.rs",
            "use crate::tui::screens::screen::Screen;",
            &[" -> tui::screens"],
        );
        assert_arrows("tui/screens/graph/mod.rs", "use crate::tui::actions::adding;", &[" -> tui::actions"]);
    }

    #[test]
    fn screens_must_not_name_each_other() {
        let graph = "use super::super::{screen::Screen, graph::moves}; use super::zoom;";
        assert_arrows("tui/screens/graph/picture.rs", graph, &[]);
        let upgrades = " -> tui::screens::upgrades";
        assert_arrows("tui/screens/graph/mod.rs", "use crate::tui::screens::upgrades::Row;", &[upgrades]);
        assert_arrows("tui/screens/graph/mod.rs", "use super::upgrades::Row;", &[upgrades]);
        assert_arrows("tui/screens/problems.rs", "use super::{screen::Screen, upgrades};", &[upgrades]);
        assert_arrows("tui/screens/screen.rs", "use super::upgrades::Row;", &[upgrades]);
        assert_arrows(
            "tui/screens/mod.rs",
            "use self::upgrades::Row; use crate::tui::screens::{graph, problems};",
            &[],
        );
        assert_arrows(
            "tui/screens/graph/view/panel.rs",
            "use crate::tui::screens::{graph::view, problems};",
            &[" -> tui::screens::problems"],
        );
    }

    #[test]
    fn screens_must_not_name_the_list_of_screens() {
        assert_arrows(
            "tui/screens/graph/mod.rs",
            "use super::{Screens, of};",
            &[" -> tui::screens", " -> tui::screens"],
        );
        assert_arrows("tui/screens/graph/mod.rs", "use crate::tui::screens::*;", &[" -> tui::screens"]);
        assert_arrows("tui/screens/graph/mod.rs", "use crate::tui::screens as all;", &[" -> tui::screens"]);
        assert_arrows("tui/screens/screen.rs", "use crate::tui::screens::{self};", &[" -> tui::screens"]);
    }

    #[test]
    fn dialogs_name_each_other_without_circle() {
        let source = |file: &str, text: &str| (format!("tui/dialogs/{file}.rs"), text.to_owned());
        let entry = source("entry", "use crate::tui::dialogs::{ask::Ask, dialog::Step};");
        let choice = source("choice", "use super::entry;");
        let ask = source("ask/mod", "mod text; use crate::tui::dialogs::dialog::Step;");
        let text = source("ask/text", "use super::Ask;");
        let table = source("mod", "use entry::Entry; fn f() { self::ask::open() }");
        let dialog = source("dialog", "");
        let mut files = vec![entry, choice, ask, text, table, dialog];
        assert_eq!(find_circles(&files), [""; 0]);
        files.push(source("ask/view", "use crate::tui::dialogs::entry::Entry;"));
        let circle = ["ask -> entry", "choice -> entry", "entry -> ask"];
        assert_eq!(find_circles(&files), circle.map(|arrow| format!("tui::dialogs: {arrow}")));
        files.pop();
        files.push(source("dialog/tests", "#[cfg(test)] mod a { use super::super::entry; }"));
        assert_eq!(find_circles(&files), [""; 0]);
    }

    #[test]
    fn super_into_another_layer_is_a_finding() {
        assert_arrows("tui/parts/list.rs", "use super::super::session::Session;", &[" -> tui::session"]);
        assert_arrows("tui/parts/list/mod.rs", "use super::super::session::Session;", &[" -> tui::session"]);
        assert_arrows("tui/parts/list/rows.rs", "use super::super::super::session;", &[" -> tui::session"]);
        assert_arrows("tui/parts/mod.rs", "fn f() { self::super::session::open() }", &[" -> tui::session"]);
        assert_arrows("tui/parts/list.rs", "mod a { use super::session; use super::super::session; }", &[]);
        assert_arrows(
            "tui/parts/list.rs",
            "mod a { use super::super::super::session; }",
            &[" -> tui::session"],
        );
        assert_arrows("tui/parts/list.rs", "use super::session;", &[]);
        assert_arrows("tui/widgets/theme/own.rs", "use super::super::super::shell;", &[" -> tui::shell"]);
    }

    #[test]
    fn layer_in_a_use_group_is_a_finding() {
        let source =
            "use crate::{\n tui::{\n keys::{Key, judge},\n shell::{self, Model as M},\n },\n layout,\n};";
        assert_arrows("tui/parts/list.rs", source, &[" -> tui::shell", " -> tui::shell"]);
        let found = check_inner_order("tui/parts/list.rs", source, &[]);
        assert!(found.iter().all(|f| f.text.starts_with("src/tui/parts/list.rs:4:")));
        assert_arrows(
            "tui/parts/list.rs",
            "use super::{super::{work::Msg, keys}, field};",
            &[" -> tui::work"],
        );
    }

    #[test]
    fn reexports_of_the_folder_must_be_named_by_their_layer() {
        assert_arrows("tui/screens/graph/mod.rs", "use crate::tui::Model;", &[" -> tui"]);
        assert_arrows("tui/screens/graph/mod.rs", "fn f() { crate::tui::update() }", &[" -> tui"]);
        assert_arrows(
            "tui/actions/adding.rs",
            "use super::super::{Effect, keys::Key, Msg};",
            &[" -> tui", " -> tui"],
        );
        assert_arrows("tui/parts/list.rs", "use crate::tui::*;", &[" -> tui"]);
        assert_arrows("tui/parts/list.rs", "use crate::tui;", &[" -> tui"]);
        assert_arrows("tui/parts/list.rs", "use crate::{tui::{self as all}};", &[" -> tui"]);
        assert_arrows("tui/parts/list.rs", "use super::super as all;", &[" -> tui"]);
        assert_arrows("tui/screens/problems.rs", "use crate::tui::{Theme, widgets::canvas};", &[" -> tui"]);
        assert_arrows("tui/widgets/canvas.rs", "use super::super::view;", &[" -> tui"]);
    }

    #[test]
    fn visibility_paths_are_ignored() {
        let source =
            "pub(in crate::tui) fn f() {} pub(super) fn g() {} pub(in super::super) struct S(pub(super) u8);";
        assert_arrows("tui/parts/list.rs", source, &[]);
        assert_arrows("tui/parts/mod.rs", source, &[]);
        assert_arrows("tui/parts/mod.rs", "struct S(pub (super::Model, u8));", &[" -> tui"]);
    }

    #[test]
    fn files_of_tui_must_be_in_a_layer() {
        let nowhere = [": is in no layer of tui"];
        assert_arrows("tui/model.rs", "use super::shell::Model;", &nowhere);
        // Even if its module has the name of a layer.
        assert_arrows("tui/keys.rs", "", &nowhere);
        assert_arrows("tui/overlays/mod.rs", "", &nowhere);
        assert_arrows("tui/parts/list.rs", "use crate::tui::model::Pane;", &[" -> tui"]);
        assert_arrows("tui/base/mod.rs", "", &nowhere);
    }

    #[test]
    fn mod_file_of_the_folder_may_name_all_layers() {
        assert_arrows(
            "tui/mod.rs",
            "pub use shell::update; pub use self::keys::Key; use crate::tui::screens::*;",
            &[],
        );
    }

    #[test]
    fn inline_tests_may_name_all_layers() {
        let source = "#[cfg(test)] mod tests { use super::*; use crate::tui::{Model, screens::upgrades}; }";
        assert_arrows("tui/screens/graph/mod.rs", source, &[]);
        assert_arrows("tui/screens/graph/mod.rs", "#[cfg(test)] use crate::tui::Model; fn f() {}", &[]);
    }
}
