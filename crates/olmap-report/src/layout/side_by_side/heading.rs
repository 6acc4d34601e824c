//! Channel names above the strips: staggered, each with a line down to its strip.

use olm_catalog::escape;

/// Label above a strip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Column, relative to the first column of the first strip.
    pub column: usize,
    /// Index of the strip, relative to the first visible one.
    pub strip: usize,
    /// Channel name, possibly shortened; `None` for a line down to the strip.
    pub name: Option<String>,
}

/// Space for the names.
#[derive(Clone, Copy, Debug)]
pub struct LabelSpace {
    /// Columns from one strip to the next.
    pub pitch: usize,
    /// Columns from the first strip to the limit of the names.
    pub columns: usize,
    /// Maximum number of lines.
    pub lines: usize,
    /// Replacement for omitted letters; one column wide.
    pub cut: &'static str,
}

/// Returns lines of labels from top to bottom, each from left to right. Uses as many lines as needed, up to the limit.
///
/// Names must be safe to print. A name ends before the next line or name on its right; longer names are shortened. If at
/// least one line is available, each strip has exactly one name.
pub fn stagger_labels(names: &[&str], room: LabelSpace) -> Vec<Vec<Label>> {
    if room.lines == 0 {
        return Vec::new();
    }
    // Lines are counted from the bottom here. From right to left: a name must be above all strips that it covers.
    let mut on_line = vec![0_usize; names.len()];
    let mut labels = vec![String::new(); names.len()];
    for (strip, name) in names.iter().enumerate().rev() {
        let wide = escape::display_width(name);
        let passed = |&next: &usize| (next - strip) * room.pitch <= wide;
        let above = (strip + 1..names.len()).take_while(passed).map(|next| on_line[next] + 1).max();
        let line = match above.unwrap_or(0) {
            line if line < room.lines => line,
            // Too many lines: the staircase starts again at the bottom.
            _ => (on_line.get(strip + 1).copied().unwrap_or(0) + 1) % room.lines,
        };
        let end = (strip + 1..names.len()).find(|&next| on_line[next] >= line);
        let columns = room.columns.saturating_sub(strip * room.pitch);
        let columns =
            end.map_or(columns, |next| columns.min(((next - strip) * room.pitch).saturating_sub(1)));
        on_line[strip] = line;
        labels[strip] = shorten_name(name, columns, room.cut);
    }
    let lines = on_line.iter().max().map_or(0, |highest| highest + 1);
    let mut heading = vec![Vec::new(); lines];
    for (from_top, line) in heading.iter_mut().enumerate() {
        let height = lines - 1 - from_top;
        for (strip, name) in labels.iter().enumerate().filter(|&(strip, _)| on_line[strip] >= height) {
            let name = (on_line[strip] == height).then(|| name.clone());
            line.push(Label { column: strip * room.pitch, strip, name });
        }
    }
    heading
}

/// Shortens a name to fit. Channels of a package often differ only in the numbers at their ends, so these are kept if
/// possible.
fn shorten_name(name: &str, columns: usize, cut: &str) -> String {
    // Do not measure the whole name; it may be far longer than the space.
    if escape::fitting_prefix(name, columns).len() == name.len() {
        return name.to_owned();
    }
    let Some(left) = columns.checked_sub(1) else { return String::new() };
    let fits = name.len() - escape::fitting_suffix(name, left).len();
    let last_digit = name.rfind(|c: char| c.is_ascii_digit());
    let mut before = None;
    for (at, c) in name.char_indices() {
        let begins = before.is_some_and(|before: char| {
            c.is_alphanumeric()
                && (!before.is_alphanumeric() || before.is_ascii_digit() != c.is_ascii_digit())
        });
        before = Some(c);
        if begins && at >= fits && last_digit >= Some(at) {
            return format!("{cut}{}", name.get(at..).unwrap_or_default());
        }
    }
    format!("{}{cut}", escape::fitting_prefix(name, left))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn draw_labels(names: &[&str], room: LabelSpace) -> String {
        let mut out = String::from("\n");
        for line in stagger_labels(names, room) {
            let mut text = String::new();
            for label in line {
                let gap = label.column.checked_sub(escape::display_width(&text)).expect("labels overlap");
                assert!(gap > 0 || label.column == 0, "labels touch");
                text += &" ".repeat(gap);
                text += label.name.as_deref().unwrap_or("|");
            }
            out += text.trim_end();
            out.push('\n');
        }
        out
    }

    fn label_space(pitch: usize, columns: usize, lines: usize) -> LabelSpace {
        LabelSpace { pitch, columns, lines, cut: "~" }
    }

    #[test]
    fn short_names_fit_on_one_line() {
        assert_eq!(draw_labels(&["4.10", "4.9", "dev"], label_space(5, 20, 9)), "\n4.10 4.9  dev\n");
    }

    #[test]
    fn long_names_are_staggered() {
        let expected = "
stable-v1.30
|   stable-v1.29
|   |   fast
|   |   |   candidate
";
        assert_eq!(
            draw_labels(&["stable-v1.30", "stable-v1.29", "fast", "candidate"], label_space(4, 80, 6)),
            expected
        );
        let expected = "
stable
|   4.9 4.8 dev
";
        assert_eq!(draw_labels(&["stable", "4.9", "4.8", "dev"], label_space(4, 80, 6)), expected);
    }

    #[test]
    fn shortened_names_keep_the_numbers_at_their_end() {
        let names: Vec<String> = (1..=7).rev().map(|n| format!("stable-v1.{n}0")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let expected = "
    ~v1.60      stable-v1.30
    |   ~v1.50  |   stable-v1.20
~70 |   |   ~40 |   |   stable-v1.10
";
        assert_eq!(draw_labels(&names, label_space(4, 80, 3)), expected);
    }

    #[test]
    fn shortened_words_keep_their_beginning() {
        assert_eq!(shorten_name("candidate", 4, "~"), "can~");
        assert_eq!(shorten_name("1.31-nightly", 7, "~"), "1.31-n~");
        assert_eq!(shorten_name("stable-v1.29", 5, "~"), "~1.29");
        assert_eq!(shorten_name("stable-v1.29", 3, "~"), "~29");
        assert_eq!((shorten_name("ab", 1, "~"), shorten_name("ab", 0, "~")), ("~".to_owned(), String::new()));
    }

    proptest! {
        #[test]
        fn every_strip_has_one_name_with_a_line_down(
            names in proptest::collection::vec("[a-z0-9.-]{0,20}|[å字]{1,5}", 0..20),
            pitch in 4..10_usize,
            columns in 3..120_usize,
            lines in 1..8_usize,
        ) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let heading = stagger_labels(&names, label_space(pitch, columns, lines));
            prop_assert!(heading.len() <= lines);
            for strip in 0..names.len() {
                let mut named = false;
                for line in &heading {
                    let label = line.iter().find(|label| label.strip == strip);
                    prop_assert_eq!(label.is_some_and(|label| label.name.is_none()), named);
                    if let Some(name) = label.and_then(|label| label.name.as_ref()) {
                        prop_assert!(escape::display_width(name) <= columns.saturating_sub(strip * pitch));
                        named = true;
                    }
                }
                prop_assert!(named);
            }
            draw_labels(&names, label_space(pitch, columns, lines));
        }
    }
}
