//! Random user actions decoded from bytes, for the property tests and the fuzz target `app`.

use olmap::{
    app::{
        Msg, Screen,
        keys::ActionId,
        parts::list::ListId,
        shell::table as action,
        work::{
            Opening,
            flow::{Answer, Flow, Jump, Reply},
            opening::{Asked, Purpose},
        },
    },
    catalog::{BundleName, ChannelName, template::semver::List},
};
use ratatui::crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::support::Hand;

/// User action.
#[derive(Clone, Debug)]
pub enum Deed {
    Key(&'static str),
    /// Runs an action from the palette by its name; covers actions without a key.
    Action(&'static str),
    Mouse(MouseEventKind, u16, u16),
    Resize(u16, u16),
    Paste(String),
    /// Requests a command of a screen or dialog in any state.
    Want(Flow),
}

/// Number of bytes that encode one action.
pub const BYTES: usize = 6;

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
pub enum Among {
    Everything,
    WhatHandsDo,
}

/// Decodes actions from bytes; ignores a remainder at the end.
pub fn deeds(bytes: &[u8], among: Among) -> Vec<Deed> {
    bytes.as_chunks::<BYTES>().0.iter().map(|bytes| deed(*bytes, among)).collect()
}

fn of<T: Copy>(all: &[T], number: u8) -> T {
    all[usize::from(number) % all.len()]
}

/// Selects an element with two bytes, for lists with more than 256 elements.
fn of_many<T: Copy>(all: &[T], high: u8, low: u8) -> T {
    all[usize::from(u16::from_be_bytes([high, low])) % all.len()]
}

fn deed([kind, a, b, more @ ..]: [u8; BYTES], among: Among) -> Deed {
    let (column, row) = (u16::from(a) % 130, u16::from(b) % 50);
    // Frequencies out of 22, similar to real use.
    match kind % 22 {
        0..8 => {
            let bound: Vec<&str> =
                action::table().all().flat_map(|spec| spec.default_keys).copied().collect();
            Deed::Key(of_many(&bound, a, b))
        }
        8..12 => Deed::Key(of(&KEYS, a)),
        12..14 => {
            let titles: Vec<&str> = action::table().all().map(|spec| spec.title).collect();
            Deed::Action(of_many(&titles, a, b))
        }
        14 => Deed::Mouse(MouseEventKind::Down(MouseButton::Left), column, row),
        15 => Deed::Mouse(MouseEventKind::Drag(MouseButton::Left), column, row),
        16 => Deed::Mouse(MouseEventKind::ScrollUp, column, row),
        17 => Deed::Mouse(MouseEventKind::ScrollDown, column, row),
        18 => Deed::Resize(1 + column, 1 + row),
        19 => Deed::Resize(20 + column % 40, 3 + row % 11),
        20 => {
            let letter = |high, low| char::from_u32(u32::from(u16::from_be_bytes([high, low])));
            let letters =
                [letter(b, more[0]), letter(more[1], more[2])].into_iter().flatten().filter(|c| *c != '\0');
            Deed::Paste(letters.chain(of(&TEXTS, a).chars()).collect())
        }
        _ if among == Among::WhatHandsDo => Deed::Key(of(&KEYS, a)),
        _ => Deed::Want(want([a, b, more[0], more[1], more[2]])),
    }
}

/// Decodes a command with existing or unknown names.
fn want([kind, a, b, c, d]: [u8; 5]) -> Flow {
    let name = |number: u8| of(&NAMES, number);
    let channel = |number: u8| (number >= 128).then(|| ChannelName::from(name(number)));
    let bundle = |number: u8| (number >= 128).then(|| BundleName::from(name(number)));
    match kind % 15 {
        0..4 => Flow::Open(opening([a, b, c, d])),
        4 => Flow::Go(Jump::Screen(of(Screen::ALL, a))),
        5 | 6 => {
            let catalog = (a % 4).checked_sub(1).map(usize::from);
            Flow::Go(Jump::Catalog {
                catalog,
                package: name(b).into(),
                channel: channel(c),
                bundle: bundle(d),
            })
        }
        7 => {
            let package = (b >= 128).then(|| name(b).into());
            Flow::Go(Jump::Finding { catalog: usize::from(a % 3), package, nth: usize::from(c % 9) })
        }
        8 | 9 => {
            let ids: Vec<ActionId> = action::table().all().map(|spec| spec.id).collect();
            Flow::Run(of_many(&ids, a, b))
        }
        10 => Flow::Select(name(a).into()),
        11 => Flow::SelectChannel(name(a).into()),
        12 => Flow::Answer(Answer::Filtered(of(&LISTS, a))),
        13 => Flow::Answer(if a < 128 { Answer::OneChannel } else { Answer::Floor(None) }),
        _ => Flow::Reply(Reply::Channel(name(a).into())),
    }
}

fn opening([kind, a, b, c]: [u8; 4]) -> Opening {
    let name = |number: u8| of(&NAMES, number);
    match kind % 16 {
        0 => Opening::Filter(of(&LISTS, a)),
        1 => Opening::Finder,
        2 => Opening::Apis { of: None },
        3 => Opening::Log,
        4 => Opening::Commands(None),
        5 => Opening::Legend,
        6 => Opening::Against,
        7 => Opening::OtherCatalogs,
        8 => Opening::Leave,
        9 => Opening::AddBundle { path: None },
        10 => Opening::Configuration,
        11 => Opening::Range(name(a).to_owned()),
        12 => Opening::ChangedOnDisk(name(a).to_owned()),
        13 => Opening::Promote { package: name(a).into(), bundle: name(b).into() },
        _ => Opening::Ask {
            purpose: of(&[Purpose::Suppose, Purpose::Edit], kind),
            package: name(a).into(),
            asked: asked(b, c),
            proposed: name(c).to_owned(),
        },
    }
}

fn asked(kind: u8, number: u8) -> Asked {
    let name = of(&NAMES, number);
    match kind % 7 {
        0 => Asked::Below,
        1 => Asked::Extract,
        2 => Asked::NewChannel,
        3 => Asked::Description,
        4 => Asked::Rename(name.into()),
        5 => Asked::ImageInto(List::Stable),
        _ => Asked::NewEntry(name.into()),
    }
}

/// Runs the actions one after the other.
pub fn lean(hand: &mut Hand, deeds: &[Deed]) {
    for deed in deeds {
        match deed.clone() {
            Deed::Key(key) => {
                hand.press(key);
            }
            Deed::Action(title) => {
                hand.press("esc :");
                hand.send(Msg::Paste(title.to_owned()));
                hand.press("enter");
            }
            Deed::Mouse(kind, column, row) => {
                hand.mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE });
            }
            Deed::Resize(columns, rows) => hand.resize(columns, rows),
            Deed::Paste(text) => hand.send(Msg::Paste(text)),
            Deed::Want(flow) => hand.want(flow),
        }
    }
}

/// Asserts that the selection exists, and that something is selected if possible.
pub fn selection_is_there(hand: &Hand) {
    let selection = hand.model.session.selection();
    let Some(package) = hand.model.session.package() else {
        let packages = hand.model.session.snapshot().map_or(0, |snapshot| snapshot.packages().len());
        assert_eq!((packages, &selection.package), (0, &None), "a package that is there");
        return;
    };
    if let Some(channel) = &selection.channel {
        assert!(package.package().channel(channel.as_str()).is_some(), "{channel} is selected but not there");
    }
}
