//! Somebody leans on the keyboard: whatever is pressed, at whatever size, nothing panics, and nothing is written that
//! nobody asked for.

use olmap::{
    app::{
        Effect, Msg, Screen, Settings,
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
use proptest::prelude::*;
use ratatui::crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::{on_cluster, support::Hand, wild};

#[derive(Clone, Debug)]
enum Deed {
    Key(String),
    /// An action by its name, as the palette runs it: those without a key too.
    Action(&'static str),
    Click(u16, u16),
    Drag(u16, u16),
    Wheel(u16, u16, bool),
    Resize(u16, u16),
    Paste(String),
    /// Something that a screen or a dialog could want, at a time when none does.
    Want(Flow),
}

/// What can be wanted of names that are there, and of others.
fn want() -> impl Strategy<Value = Deed> {
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
    let name = || prop::sample::select(NAMES.as_slice());
    let channel = || prop::option::of(name().prop_map(ChannelName::from));
    let bundle = || prop::option::of(name().prop_map(BundleName::from));
    let lists = || prop::sample::select(LISTS.as_slice());
    let ids: Vec<_> = action::table().all().map(|spec| spec.id).collect();
    let asked = prop_oneof![
        Just(Asked::Below),
        Just(Asked::Extract),
        Just(Asked::NewChannel),
        Just(Asked::Description),
        name().prop_map(|name| Asked::Rename(name.into())),
        Just(Asked::ImageInto(List::Stable)),
        name().prop_map(|name| Asked::NewEntry(name.into())),
    ];
    let purpose = prop::sample::select([Purpose::Suppose, Purpose::Edit].as_slice());
    let opening = prop_oneof![
        lists().prop_map(Opening::Filter),
        prop::sample::select(vec![
            Opening::Finder,
            Opening::Apis { of: None },
            Opening::Log,
            Opening::Commands(None),
            Opening::Legend,
            Opening::Against,
            Opening::OtherCatalogs,
            Opening::Leave,
            Opening::AddBundle { path: None },
            Opening::Configuration,
        ]),
        name().prop_map(|text| Opening::Range(text.to_owned())),
        name().prop_map(|text| Opening::ChangedOnDisk(text.to_owned())),
        (name(), name()).prop_map(|(package, bundle)| Opening::Promote {
            package: package.into(),
            bundle: bundle.into()
        }),
        (purpose, name(), asked, name()).prop_map(|(purpose, package, asked, proposed)| Opening::Ask {
            purpose,
            package: package.into(),
            asked,
            proposed: proposed.to_owned(),
        }),
    ];
    prop_oneof![
        4 => opening.prop_map(Flow::Open),
        1 => prop::sample::select(Screen::ALL).prop_map(|screen| Flow::Go(Jump::Screen(screen))),
        2 => (prop::option::of(0usize..3), name(), channel(), bundle()).prop_map(|(catalog, package, channel, bundle)| {
            Flow::Go(Jump::Catalog { catalog, package: package.into(), channel, bundle })
        }),
        1 => (0usize..3, prop::option::of(name()), 0usize..9).prop_map(|(catalog, package, nth)| {
            Flow::Go(Jump::Finding { catalog, package: package.map(Into::into), nth })
        }),
        2 => prop::sample::select(ids).prop_map(Flow::Run),
        1 => name().prop_map(|name| Flow::Select(name.into())),
        1 => name().prop_map(|name| Flow::SelectChannel(name.into())),
        1 => lists().prop_map(|list| Flow::Answer(Answer::Filtered(list))),
        1 => Just(Flow::Answer(Answer::OneChannel)),
        1 => Just(Flow::Answer(Answer::Floor(None))),
        1 => name().prop_map(|name| Flow::Reply(Reply::Channel(name.into()))),
    ]
    .prop_map(Deed::Want)
}

/// A deed or a want.
fn anything() -> impl Strategy<Value = Deed> {
    prop_oneof![9 => deed(), 1 => want()]
}

fn deed() -> impl Strategy<Value = Deed> {
    let bound: Vec<String> =
        action::table().all().flat_map(|spec| spec.default_keys).map(|key| (*key).to_owned()).collect();
    let more = [
        "enter",
        "esc",
        "tab",
        "space",
        "backspace",
        "delete",
        "x",
        "1",
        "<",
        "\u{e9}",
        "\u{5b57}",
        "ctrl-n",
    ];
    let more = more.map(str::to_owned).to_vec();
    let titles: Vec<&str> = action::table().all().map(|spec| spec.title).collect();
    prop_oneof![
        8 => prop::sample::select(bound).prop_map(Deed::Key),
        4 => prop::sample::select(more).prop_map(Deed::Key),
        2 => prop::sample::select(titles).prop_map(Deed::Action),
        1 => (0u16..130, 0u16..50).prop_map(|(x, y)| Deed::Click(x, y)),
        1 => (0u16..130, 0u16..50).prop_map(|(x, y)| Deed::Drag(x, y)),
        1 => (0u16..130, 0u16..50, any::<bool>()).prop_map(|(x, y, up)| Deed::Wheel(x, y, up)),
        1 => (1u16..130, 1u16..50).prop_map(|(w, h)| Deed::Resize(w, h)),
        1 => (20u16..60, 3u16..14).prop_map(|(w, h)| Deed::Resize(w, h)),
        1 => ".{0,12}".prop_map(Deed::Paste),
    ]
}

/// How many times the usual number of cases.
fn times() -> u32 {
    std::env::var("OLMAP_MONKEY").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

fn mouse(kind: MouseEventKind, column: u16, row: u16) -> MouseEvent {
    MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }
}

fn lean(hand: &mut Hand, deeds: &[Deed]) {
    for deed in deeds {
        match deed.clone() {
            Deed::Key(key) => {
                hand.press(&key);
            }
            Deed::Action(title) => {
                hand.press("esc :");
                hand.send(Msg::Paste(title.to_owned()));
                hand.press("enter");
            }
            Deed::Drag(x, y) => hand.mouse(mouse(MouseEventKind::Drag(MouseButton::Left), x, y)),
            Deed::Click(x, y) => hand.mouse(mouse(MouseEventKind::Down(MouseButton::Left), x, y)),
            Deed::Wheel(x, y, true) => hand.mouse(mouse(MouseEventKind::ScrollUp, x, y)),
            Deed::Wheel(x, y, false) => hand.mouse(mouse(MouseEventKind::ScrollDown, x, y)),
            Deed::Resize(columns, rows) => hand.resize(columns, rows),
            Deed::Paste(text) => hand.send(Msg::Paste(text)),
            Deed::Want(flow) => hand.want(flow),
        }
    }
}

/// What is selected is there; where there is anything, something is selected.
fn selection_is_there(hand: &Hand) {
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

#[test]
fn every_screen_fits_every_small_terminal() {
    for screen in ["1", "2", "2 tab", "2 m j tab", "2 z", "2 w", "3", "3 enter", "4", "5", "6"] {
        let mut hand = Hand::demo(100, 30);
        hand.press(screen);
        for rows in 1..18 {
            for columns in [1, 2, 5, 19, 20, 21, 33, 40, 47, 64] {
                hand.resize(columns, rows);
            }
        }
    }
}

proptest! {
    // `OLMAP_MONKEY=10` leans ten times as long.
    #![proptest_config(ProptestConfig { cases: 96 * times(), ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics(deeds in prop::collection::vec(anything(), 1..50)) {
        let mut hand = Hand::demo(100, 30);
        lean(&mut hand, &deeds);
        selection_is_there(&hand);
    }

    #[test]
    fn nothing_panics_beside_a_cluster(deeds in prop::collection::vec(anything(), 1..50)) {
        let mut hand = on_cluster::demo(100, 30);
        lean(&mut hand, &deeds);
        selection_is_there(&hand);
    }

    #[test]
    fn nothing_panics_whatever_is_open(yaml in wild::catalog(), size in (1u16..160, 1u16..60), deeds in prop::collection::vec(anything(), 1..40)) {
        let mut hand = Hand::text(&yaml, size.0, size.1);
        lean(&mut hand, &deeds);
        selection_is_there(&hand);
    }

    #[test]
    fn read_only_writes_nothing(deeds in prop::collection::vec(deed(), 1..50)) {
        let mut hand = Hand::demo(80, 24);
        hand.model.settings = Settings { read_only: Some("a test".to_owned()), ..Settings::default() };
        let before = hand.model.session.snapshot().unwrap().clone();
        lean(&mut hand, &deeds);
        // Writing the graph to a file of its own is no edit.
        let writes = hand.effects.iter().any(|e| matches!(e, Effect::Save { .. } | Effect::SaveAs { .. }));
        prop_assert!(!writes);
        // What is supposed is nowhere: what counts is what could be saved.
        let now = hand.model.session.catalog().unwrap().history.now();
        prop_assert!(now.catalog.files_changed_since(&before.catalog).is_empty());
    }
}
