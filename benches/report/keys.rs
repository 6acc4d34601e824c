//! Benchmarks of the keys of every screen, from the press to the finished frame.

use std::time::Duration;

use super::{
    measure::{Times, timed},
    support::Hand,
};

/// Times of a key that was pressed several times in a place.
pub struct Pressed {
    pub place: &'static str,
    pub name: &'static str,
    pub times: Times,
}

/// Place in which keys are pressed.
struct Where {
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

const fn at(
    name: &'static str,
    before: &'static str,
    keys: &'static [&'static str],
    after: &'static str,
) -> Where {
    Where { name, before, keys, after }
}

const PLACES: [Where; 21] = [
    at("catalog: packages", "", MOVES, ""),
    at("catalog: channels", "l", MOVES, ""),
    at("catalog: entries", "l l", MOVES, ""),
    at("filter of packages", "/", TYPED, "esc"),
    at("filter of entries", "l l /", TYPED, "esc"),
    at("finder", "ctrl-p", TYPED, "esc"),
    at("graph", "2", MOVES, ""),
    at("graph: fold, follow", "2", &["F", "F", "J", "K", "c", "v", "home"], ""),
    at("graph: search", "2 /", TYPED, "esc"),
    at("graph: mark above", "2 m", &["j", "j", "pgdn", "k"], "home m"),
    at("graph: mark below", "2 end m home", &["j", "j", "pgdn", "k"], "end m home"),
    at("zoom", "2 j j z", &["j", "j", "J", "k"], "esc"),
    at("side by side", "2 w", &["j", "pgdn", "l", "l", "h", "home"], "w"),
    at("upgrades", "3", MOVES, ""),
    at("upgrades: filter", "3 /", TYPED, "esc"),
    at("problems", "4", MOVES, ""),
    at("problems: filter", "4 /", TYPED, "esc"),
    at("deprecations", "5", MOVES, ""),
    at("edit", "l l", &["e", "tab", "tab", ">", "1", ".", "0", ".", "0", "enter", "u"], ""),
    at("changes", "l l e tab tab > 1 . 0 . 0 enter 6", &["pgdn", "pgdn", "end", "home"], ""),
    at("between screens", "1", &["2", "3", "4", "5", "6", "1"], ""),
];

/// Presses each key of a place `rounds` times, in a package and its default channel. Stops earlier if that
/// takes long.
fn press(hand: &mut Hand, package: &str, place: &Where, rounds: usize) -> Vec<Pressed> {
    const ENOUGH: Duration = Duration::from_millis(600);
    hand.press("1 h h home");
    while hand.model.session.selection().package.as_ref().is_some_and(|selected| *selected != package) {
        hand.press("j");
    }
    hand.press("l home l home h h").press(place.before);
    let mut found: Vec<(&'static str, Vec<Duration>)> = Vec::new();
    let mut spent = Duration::ZERO;
    for round in 0..rounds {
        if round > 0 && spent > ENOUGH {
            break;
        }
        for key in place.keys {
            let time = timed(|| {
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
    let pressed = |(name, times)| Pressed { place: place.name, name, times: Times::of(times) };
    found.into_iter().map(pressed).collect()
}

/// Returns the slowest key of every place, by its median.
pub fn slowest(hand: &mut Hand, package: &str) -> Vec<Pressed> {
    let slowest =
        |place| press(hand, package, place, 5).into_iter().max_by_key(|key| key.times.median()).unwrap();
    PLACES.iter().map(slowest).collect()
}

/// Returns the times of every key of every place.
pub fn each(hand: &mut Hand, package: &str) -> Vec<Pressed> {
    PLACES.iter().flat_map(|place| press(hand, package, place, 40)).collect()
}
