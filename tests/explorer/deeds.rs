//! Random user actions decoded from bytes, for the property tests and the fuzz target `tui`.

use olm_catalog::{BundleName, ChannelName};
use olmap::tui::{
    Msg, Screen,
    keys::ActionId,
    parts::list::ListId,
    shell::action_table as action,
    work::command::{Command, Jump, ScreenEvent},
};
use ratatui::crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::support::ExplorerDriver;

/// User action.
#[derive(Debug)]
pub enum UserAction {
    Key(&'static str),
    /// Runs an action from the palette by its name; covers actions without a key.
    Action(&'static str),
    Mouse(MouseEventKind, u16, u16),
    Resize(u16, u16),
    Paste(String),
    /// Requests a command of a screen or dialog in any state.
    Command(Command),
}

/// Number of bytes that encode one action.
pub const ACTION_BYTES: usize = 6;

/// Keys that work everywhere or nowhere.
const KEYS: [&str; 12] =
    ["enter", "esc", "tab", "space", "backspace", "delete", "x", "1", "<", "\u{e9}", "\u{5b57}", "ctrl-n"];

const NAMES: [&str; 7] =
    ["granary-operator", "quill-operator", "granary-operator.v3.1.0", "stable", "legacy", "no such", ""];

const LISTS: [ListId; 7] = [
    ListId::Packages,
    ListId::Entries,
    ListId::Graph,
    ListId::SideBySide,
    ListId::Upgrades,
    ListId::Problems,
    ListId::Changes,
];

/// Texts for fields that are more than letters of a name.
const TEXTS: [&str; 10] = [
    "stable",
    "1.0.0",
    ">=1.0.0 <2.0.0",
    "\u{1f469}\u{200d}\u{1f4bb}",
    "e\u{301}",
    "\u{202e}a",
    "\u{1b}[31m",
    "\n",
    "\0",
    "\t",
];

/// Kinds of actions to generate.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ActionKinds {
    All,
    InputOnly,
}

/// Decodes actions from bytes; ignores a remainder at the end.
pub fn decode_actions(bytes: &[u8], among: ActionKinds) -> Vec<UserAction> {
    bytes.as_chunks::<ACTION_BYTES>().0.iter().map(|bytes| decode_action(*bytes, among)).collect()
}

fn select_by_byte<T: Copy>(all: &[T], number: u8) -> T {
    all[usize::from(number) % all.len()]
}

/// Selects an element with two bytes, for lists with more than 256 elements.
fn select_by_two_bytes<T: Copy>(all: &[T], high: u8, low: u8) -> T {
    all[usize::from(u16::from_be_bytes([high, low])) % all.len()]
}

fn decode_action([kind, a, b, more @ ..]: [u8; ACTION_BYTES], among: ActionKinds) -> UserAction {
    let (column, row) = (u16::from(a) % 130, u16::from(b) % 50);
    // Frequencies out of 22, similar to real use.
    match kind % 22 {
        0..8 => {
            let bound: Vec<&str> =
                action::action_table().actions().flat_map(|spec| spec.default_keys).copied().collect();
            UserAction::Key(select_by_two_bytes(&bound, a, b))
        }
        8..12 => UserAction::Key(select_by_byte(&KEYS, a)),
        12..14 => {
            let titles: Vec<&str> = action::action_table().actions().map(|spec| spec.title).collect();
            UserAction::Action(select_by_two_bytes(&titles, a, b))
        }
        14 => UserAction::Mouse(MouseEventKind::Down(MouseButton::Left), column, row),
        15 => UserAction::Mouse(MouseEventKind::Drag(MouseButton::Left), column, row),
        16 => UserAction::Mouse(MouseEventKind::ScrollUp, column, row),
        17 => UserAction::Mouse(MouseEventKind::ScrollDown, column, row),
        18 => UserAction::Resize(1 + column, 1 + row),
        19 => UserAction::Resize(20 + column % 40, 3 + row % 11),
        20 => {
            let letter = |high, low| char::from_u32(u32::from(u16::from_be_bytes([high, low])));
            let letters =
                [letter(b, more[0]), letter(more[1], more[2])].into_iter().flatten().filter(|c| *c != '\0');
            UserAction::Paste(letters.chain(select_by_byte(&TEXTS, a).chars()).collect())
        }
        _ if among == ActionKinds::InputOnly => UserAction::Key(select_by_byte(&KEYS, a)),
        _ => UserAction::Command(decode_command([a, b, more[0], more[1], more[2]])),
    }
}

/// Decodes a command with existing or unknown names.
fn decode_command([kind, a, b, c, d]: [u8; 5]) -> Command {
    let name = |number: u8| select_by_byte(&NAMES, number);
    let channel = |number: u8| (number >= 128).then(|| ChannelName::from(name(number)));
    let bundle = |number: u8| (number >= 128).then(|| BundleName::from(name(number)));
    match kind % 15 {
        4 => Command::Go(Jump::Screen(select_by_byte(Screen::ALL, a))),
        5 | 6 => {
            let catalog = (a % 4).checked_sub(1).map(usize::from);
            Command::Go(Jump::Catalog {
                catalog,
                package: name(b).into(),
                channel: channel(c),
                bundle: bundle(d),
            })
        }
        7 => {
            let package = (b >= 128).then(|| name(b).into());
            Command::Go(Jump::Finding { catalog: usize::from(a % 3), package, nth: usize::from(c % 9) })
        }
        0..4 | 8 | 9 => {
            let ids: Vec<ActionId> = action::action_table().actions().map(|spec| spec.id).collect();
            Command::Run(select_by_two_bytes(&ids, a, b))
        }
        10 => Command::Select(name(a).into()),
        11 => Command::SelectChannel(name(a).into()),
        12 => Command::NotifyScreen(ScreenEvent::Filtered(select_by_byte(&LISTS, a))),
        _ => Command::NotifyScreen(if a < 128 { ScreenEvent::OneChannel } else { ScreenEvent::Floor(None) }),
    }
}

/// Runs the actions one after the other.
pub fn run_actions(hand: &mut ExplorerDriver, deeds: Vec<UserAction>) {
    for deed in deeds {
        match deed {
            UserAction::Key(key) => {
                hand.press(key);
            }
            UserAction::Action(title) => {
                hand.press("esc :");
                hand.send(Msg::Paste(title.to_owned()));
                hand.press("enter");
            }
            UserAction::Mouse(kind, column, row) => {
                hand.mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE });
            }
            UserAction::Resize(columns, rows) => hand.resize(columns, rows),
            UserAction::Paste(text) => hand.send(Msg::Paste(text)),
            UserAction::Command(flow) => hand.run_flow(flow),
        }
    }
}

/// Asserts that the selection exists, and that something is selected if possible.
pub fn assert_selection_exists(hand: &ExplorerDriver) {
    let selection = hand.model.session.selection();
    let Some(package) = hand.model.session.selected_package() else {
        let packages = hand.model.session.snapshot().map_or(0, |snapshot| snapshot.packages().len());
        assert_eq!((packages, &selection.package), (0, &None), "a package that is there");
        return;
    };
    if let Some(channel) = &selection.channel {
        assert!(package.package().channel(channel.as_str()).is_some(), "{channel} is selected but not there");
    }
}
