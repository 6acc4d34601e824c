//! Benchmarks of the keys of every screen, from the press to the finished frame.

use std::time::Duration;

use super::{
    measure::{Times, time_run},
    support::ExplorerDriver,
};

/// Times of a key that was pressed several times in a place.
pub struct KeyTimes {
    pub place: &'static str,
    pub name: &'static str,
    pub times: Times,
}

/// Place in which keys are pressed.
struct MeasuredPlace {
    name: &'static str,
    /// Keys that open the place.
    before: &'static str,
    /// Measured keys, in order.
    keys: &'static [&'static str],
    /// Keys that leave the place.
    after: &'static str,
}

const MOVES: &[&str] = &["j", "k", "pgdn", "pgup", "end", "home"];
const TYPED: &[&str] =
    &["o", "p", "1", ".", "2", "backspace", "backspace", "backspace", "backspace", "backspace"];

const fn new_place(
    name: &'static str,
    before: &'static str,
    keys: &'static [&'static str],
    after: &'static str,
) -> MeasuredPlace {
    MeasuredPlace { name, before, keys, after }
}

const PLACES: [MeasuredPlace; 21] = [
    new_place("catalog: packages", "", MOVES, ""),
    new_place("catalog: channels", "l", MOVES, ""),
    new_place("catalog: entries", "l l", MOVES, ""),
    new_place("filter of packages", "/", TYPED, "esc"),
    new_place("filter of entries", "l l /", TYPED, "esc"),
    new_place("finder", "ctrl-p", TYPED, "esc"),
    new_place("graph", "2", MOVES, ""),
    new_place("graph: fold, follow", "2", &["F", "F", "J", "K", "home"], ""),
    new_place("graph: search", "2 /", TYPED, "esc"),
    new_place("graph: mark above", "2 m", &["j", "j", "pgdn", "k"], "home m"),
    new_place("graph: mark below", "2 end m home", &["j", "j", "pgdn", "k"], "end m home"),
    new_place("zoom", "2 j j z", &["j", "j", "J", "k"], "esc"),
    new_place("side by side", "2 w", &["j", "pgdn", "l", "l", "h", "home"], "w"),
    new_place("upgrades", "3", MOVES, ""),
    new_place("upgrades: filter", "3 /", TYPED, "esc"),
    new_place("problems", "4", MOVES, ""),
    new_place("problems: filter", "4 /", TYPED, "esc"),
    new_place("deprecations", "5", MOVES, ""),
    new_place("edit", "l l", &["e", "tab", "tab", ">", "1", ".", "0", ".", "0", "enter", "u"], ""),
    new_place("changes", "l l e tab tab > 1 . 0 . 0 enter 6", &["pgdn", "pgdn", "end", "home"], ""),
    new_place("between screens", "1", &["2", "3", "4", "5", "6", "1"], ""),
];

/// Presses each key of a place `rounds` times, in a package and its default channel. Stops earlier if that
/// takes long.
fn measure_place(
    hand: &mut ExplorerDriver,
    package: &str,
    place: &MeasuredPlace,
    rounds: usize,
) -> Vec<KeyTimes> {
    const MAX_TIME: Duration = Duration::from_millis(600);
    hand.press("1 h h home");
    let mut last = None;
    while hand.model.session.selection().package.as_ref().is_some_and(|selected| *selected != package) {
        let selected = hand.model.session.selection().package.clone();
        assert_ne!(selected, last, "{}: {package} is not in the list:\n{}", place.name, hand.screen());
        last = selected;
        hand.press("j");
    }
    hand.press("l home l home h h").press(place.before);
    let mut found: Vec<(&'static str, Vec<Duration>)> = Vec::new();
    let mut spent = Duration::ZERO;
    for round in 0..rounds {
        if round > 0 && spent > MAX_TIME {
            break;
        }
        for key in place.keys {
            let time = time_run(|| {
                hand.press(key);
            });
            spent += time;
            match found.iter_mut().find(|(known, _)| known == key) {
                Some((_, known)) => known.push(time),
                None => found.push((key, vec![time])),
            }
        }
    }
    hand.press(place.after);
    let pressed = |(name, times)| KeyTimes { place: place.name, name, times: Times::from_durations(times) };
    found.into_iter().map(pressed).collect()
}

/// Returns the slowest key of every place, by its median.
pub fn slowest_keys(hand: &mut ExplorerDriver, package: &str) -> Vec<KeyTimes> {
    let slowest = |place| {
        measure_place(hand, package, place, 5).into_iter().max_by_key(|key| key.times.median()).unwrap()
    };
    PLACES.iter().map(slowest).collect()
}

/// Returns the times of every key of every place.
pub fn all_key_times(hand: &mut ExplorerDriver, package: &str) -> Vec<KeyTimes> {
    PLACES.iter().flat_map(|place| measure_place(hand, package, place, 40)).collect()
}
