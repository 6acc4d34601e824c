//! The keys of every screen, from the press to the finished frame.

use std::time::Duration;

use super::{Measure, median, support::Hand, times};

/// A place where keys are pressed.
struct Where {
    name: &'static str,
    /// Keys that lead there.
    before: &'static str,
    /// Keys that are measured, one after the other.
    keys: &'static [&'static str],
    /// Keys that lead back.
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

/// Presses each key of a place a few times, in a package and its default channel; gives the times of each key.
fn press(hand: &mut Hand, package: &str, place: &Where, rounds: usize) -> Vec<(&'static str, Vec<Duration>)> {
    hand.press("1 h h home");
    while hand.model.session.selection().package.as_ref().is_some_and(|selected| *selected != package) {
        hand.press("j");
    }
    hand.press("l home l home h h").press(place.before);
    let mut found: Vec<(&'static str, Vec<Duration>)> = Vec::new();
    let mut rounds_left = rounds;
    let mut spent = Duration::ZERO;
    while rounds_left > 0 && (rounds_left == rounds || spent < Duration::from_millis(600)) {
        rounds_left -= 1;
        for key in place.keys {
            let time = times(1, || {
                hand.press(key);
            });
            spent += time.iter().sum::<Duration>();
            match found.iter_mut().find(|(known, _)| known == key) {
                Some((_, known)) => known.extend(time),
                None => found.push((key, time)),
            }
        }
    }
    hand.press(place.after);
    found
}

/// The slowest key of every place, by its median.
pub fn all(hand: &mut Hand, package: &str) -> Vec<Measure> {
    let slowest = PLACES.iter().map(|place| {
        let found = press(hand, package, place, 5).into_iter().map(|(key, times)| (median(times), key));
        let (median, key) = found.max().unwrap();
        Measure { what: place.name, median, key: key.to_owned() }
    });
    slowest.collect()
}

/// Every key of every place.
pub fn each(hand: &mut Hand, package: &str) {
    let only = std::env::var("OLMAP_BENCH_WHERE").unwrap_or_default();
    for place in PLACES.iter().filter(|place| place.name.contains(&only)) {
        for (key, mut times) in press(hand, package, place, 40) {
            times.sort_unstable();
            let at = |percent: usize| times[(times.len() * percent).div_ceil(100).saturating_sub(1)];
            let ms = |percent| at(percent).as_secs_f64() * 1e3;
            println!("{:<24} {:>10.2} {:>10.2} {:>6}  {key}", place.name, ms(50), ms(99), times.len());
        }
    }
}
