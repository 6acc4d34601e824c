//! Assignment of lines to lanes without overlaps: interval coloring with a limit.

use std::ops::Range;

/// Lanes of a picture, with the rows that are taken.
#[derive(Debug)]
pub(super) struct Lanes {
    rows: usize,
    taken: Vec<Vec<bool>>,
    limit: usize,
}

impl Lanes {
    /// Creates at most `limit` lanes over `rows` rows.
    pub(super) fn new(rows: usize, limit: usize) -> Self {
        Self { rows, taken: Vec::new(), limit }
    }

    /// Returns the number of used lanes.
    pub(super) fn count_used(&self) -> usize {
        self.taken.len()
    }

    fn is_free(&self, lane: usize, rows: &Range<usize>) -> bool {
        self.taken
            .get(lane)
            .is_none_or(|lane| lane.get(rows.clone()).is_some_and(|part| !part.contains(&true)))
    }

    /// Takes rows in the wanted lane if it is free, otherwise in the first free lane. `None` if there is none.
    pub(super) fn assign_rows(&mut self, rows: &Range<usize>, wanted: Option<usize>) -> Option<usize> {
        let rows = rows.start.min(self.rows)..rows.end.min(self.rows);
        let wanted = wanted.filter(|&lane| lane < self.taken.len() && self.is_free(lane, &rows));
        let lane = match wanted {
            Some(lane) => lane,
            None => (0..self.limit).find(|&lane| self.is_free(lane, &rows))?,
        };
        if lane == self.taken.len() {
            self.taken.push(vec![false; self.rows]);
        }
        if let Some(part) = self.taken.get_mut(lane).and_then(|lane| lane.get_mut(rows)) {
            part.fill(true);
        }
        Some(lane)
    }
}

/// Selects the spans, in order of importance, that fit into `limit` lanes together.
pub(super) fn select_spans(spans: &[Range<usize>], rows: usize, limit: usize) -> Vec<bool> {
    let mut load = vec![0_usize; rows];
    let mut admitted = Vec::with_capacity(spans.len());
    for span in spans {
        let part = load.get_mut(span.start.min(rows)..span.end.min(rows)).unwrap_or_default();
        let fits = limit > 0 && part.iter().all(|&n| n < limit);
        if fits {
            for n in part {
                *n += 1;
            }
        }
        admitted.push(fits);
    }
    admitted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_overlapping_spans_get_different_lanes() {
        let mut lanes = Lanes::new(10, 2);
        assert_eq!(lanes.assign_rows(&(0..4), None), Some(0));
        assert_eq!(lanes.assign_rows(&(3..6), None), Some(1));
        assert_eq!(lanes.assign_rows(&(4..8), None), Some(0));
        assert_eq!(lanes.assign_rows(&(5..7), None), None, "both are taken at row 5");
        assert_eq!(lanes.assign_rows(&(6..9), Some(1)), Some(1));
        assert_eq!(lanes.count_used(), 2);
    }

    #[test]
    fn important_spans_are_admitted_first() {
        let spans = [0..10, 2..5, 4..6, 5..9];
        assert_eq!(select_spans(&spans, 10, 2), [true, true, false, true]);
        assert_eq!(select_spans(&spans, 10, 0), [false; 4]);
    }
}
