//! Three-way merge of lines.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::{Markers, Versions};

/// Part of a merge: lines that are merged, or the lines of both sides.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Region<'t> {
    Merged(Vec<&'t [u8]>),
    Conflict { base: Vec<&'t [u8]>, ours: Vec<&'t [u8]>, theirs: Vec<&'t [u8]> },
}

/// Merged lines of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct MergedLines<'t> {
    regions: Vec<Region<'t>>,
}

/// Returns the lines of a text, each with its line break.
pub(super) fn split_lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

/// Returns for each line of `old` the line of `new` that it is.
fn match_lines(old: &[&[u8]], new: &[&[u8]]) -> Vec<Option<usize>> {
    let mut matches = vec![None; old.len()];
    for op in capture_diff_slices(Algorithm::Myers, old, new) {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            for offset in 0..len {
                if let Some(slot) = matches.get_mut(old_index + offset) {
                    *slot = Some(new_index + offset);
                }
            }
        }
    }
    matches
}

/// Merges lines. Lines that both sides change, or insert at the same place, are a conflict.
pub(super) fn merge_lines(versions: Versions<'_>) -> MergedLines<'_> {
    let [base, ours, theirs] = [versions.base, versions.ours, versions.theirs].map(split_lines);
    let (in_ours, in_theirs) = (match_lines(&base, &ours), match_lines(&base, &theirs));
    let mut merged = MergedLines { regions: Vec::new() };
    let (mut b, mut o, mut t) = (0, 0, 0);
    loop {
        // The next line of the base that both sides have.
        let next = (b..base.len()).find_map(|at| {
            let (ours, theirs) = (in_ours.get(at).copied().flatten()?, in_theirs.get(at).copied().flatten()?);
            Some((at, ours, theirs))
        });
        let (to_b, to_o, to_t) = next.unwrap_or((base.len(), ours.len(), theirs.len()));
        merged.push_region(
            base.get(b..to_b).unwrap_or_default(),
            ours.get(o..to_o).unwrap_or_default(),
            theirs.get(t..to_t).unwrap_or_default(),
        );
        let Some((at, ..)) = next else { return merged };
        merged.push_lines(base.get(at..=at).unwrap_or_default());
        (b, o, t) = (to_b + 1, to_o + 1, to_t + 1);
    }
}

impl<'t> MergedLines<'t> {
    /// Returns two texts with a conflict for each part that differs.
    pub(super) fn between(ours: &'t [u8], theirs: &'t [u8]) -> Self {
        let [our_lines, their_lines] = [ours, theirs].map(split_lines);
        let mut merged = Self { regions: Vec::new() };
        for op in capture_diff_slices(Algorithm::Myers, &our_lines, &their_lines) {
            let (_, old, new) = op.as_tag_tuple();
            let (ours, theirs) =
                (our_lines.get(old).unwrap_or_default(), their_lines.get(new).unwrap_or_default());
            if matches!(op, DiffOp::Equal { .. }) {
                merged.push_lines(ours);
            } else {
                merged.push_conflict(&[], ours, theirs);
            }
        }
        merged
    }

    /// Adds the lines of the three versions between two common lines.
    fn push_region(&mut self, base: &[&'t [u8]], ours: &[&'t [u8]], theirs: &[&'t [u8]]) {
        if base == ours || ours == theirs {
            self.push_lines(theirs);
        } else if base == theirs {
            self.push_lines(ours);
        } else {
            self.push_conflict(base, ours, theirs);
        }
    }

    fn push_conflict(&mut self, base: &[&'t [u8]], ours: &[&'t [u8]], theirs: &[&'t [u8]]) {
        let (base, ours, theirs) = (base.to_vec(), ours.to_vec(), theirs.to_vec());
        self.regions.push(Region::Conflict { base, ours, theirs });
    }

    fn push_lines(&mut self, lines: &[&'t [u8]]) {
        if lines.is_empty() {
            return;
        }
        match self.regions.last_mut() {
            Some(Region::Merged(before)) => before.extend_from_slice(lines),
            _ => self.regions.push(Region::Merged(lines.to_vec())),
        }
    }

    pub(super) fn has_conflicts(&self) -> bool {
        self.regions.iter().any(|region| matches!(region, Region::Conflict { .. }))
    }

    /// Returns the text. Where both sides only insert lines, those of the current branch come first. `None` if there is
    /// another conflict.
    pub(super) fn resolve(&self) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        for region in &self.regions {
            match region {
                Region::Merged(lines) => lines.iter().for_each(|line| push_line(&mut text, line)),
                Region::Conflict { base, ours, theirs } if base.is_empty() => {
                    ours.iter().chain(theirs).for_each(|line| push_line(&mut text, line));
                }
                Region::Conflict { .. } => return None,
            }
        }
        Some(text)
    }

    /// Returns the text with conflict markers.
    pub(super) fn render(&self, markers: Markers) -> Vec<u8> {
        let mut text = Vec::new();
        let ends_with_return = self.regions.iter().any(|region| match region {
            Region::Merged(lines) => lines.iter().any(|line| line.ends_with(b"\r\n")),
            Region::Conflict { ours, .. } => ours.iter().any(|line| line.ends_with(b"\r\n")),
        });
        let line_break: &[u8] = if ends_with_return { b"\r\n" } else { b"\n" };
        let marker = |text: &mut Vec<u8>, sign: u8, label: &str| {
            if !text.is_empty() && !text.ends_with(b"\n") {
                text.extend_from_slice(line_break);
            }
            text.extend(std::iter::repeat_n(sign, markers.size));
            text.extend_from_slice(label.as_bytes());
            text.extend_from_slice(line_break);
        };
        for region in &self.regions {
            match region {
                Region::Merged(lines) => lines.iter().for_each(|line| push_line(&mut text, line)),
                Region::Conflict { ours, theirs, .. } => {
                    marker(&mut text, b'<', " ours");
                    for line in ours {
                        push_line(&mut text, line);
                    }
                    marker(&mut text, b'=', "");
                    for line in theirs {
                        push_line(&mut text, line);
                    }
                    marker(&mut text, b'>', " theirs");
                }
            }
        }
        text
    }
}

/// Appends a line. The line before may have been the last of its version, without a line break.
fn push_line(text: &mut Vec<u8>, line: &[u8]) {
    if !text.is_empty() && !text.ends_with(b"\n") {
        text.push(b'\n');
    }
    text.extend_from_slice(line);
}
