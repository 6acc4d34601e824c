//! Go's `sort.Slice`, for sorts where the order of equal items is visible and must match Go's.
//!
//! Go sorts up to twelve items by insertion and more by a pattern-defeating quicksort (Go 1.19 and later,
//! package `sort`, `pdqsort_func`). Its choices are deterministic, including the pseudorandom ones.

/// Maximum number of items for insertion sort.
const MAX_INSERTION_SORT: usize = 12;
/// Minimum number of items for a median-of-medians pivot, and for finishing nearly sorted parts by moving
/// items.
const MIN_LARGE: usize = 50;
/// Maximum number of misplaced items to move in a nearly sorted part; with more, the part is
/// partitioned.
const MAX_MOVES: usize = 5;

/// Sorts like Go.
pub fn sort_as_go<T>(items: &mut [T], less: impl Fn(&T, &T) -> bool) {
    let bits = usize::BITS - items.len().leading_zeros();
    let end = items.len();
    Sorter { items, less }.sort_range(0, end, bits);
}

/// Order of the range, guessed from the candidates for the pivot.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pattern {
    Unknown,
    Increasing,
    Decreasing,
}

struct Sorter<'s, T, F> {
    items: &'s mut [T],
    less: F,
}

impl<T, F: Fn(&T, &T) -> bool> Sorter<'_, T, F> {
    fn less(&self, a: usize, b: usize) -> bool {
        (self.less)(&self.items[a], &self.items[b])
    }

    /// Sorts a range. After `limit` unbalanced partitions, falls back to heap sort.
    fn sort_range(&mut self, mut from: usize, mut to: usize, mut limit: u32) {
        let (mut balanced, mut partitioned) = (true, true);
        loop {
            let length = to - from;
            if length <= MAX_INSERTION_SORT {
                return self.insertion_sort(from, to);
            }
            if limit == 0 {
                return self.heap_sort(from, to);
            }
            if !balanced {
                self.break_patterns(from, to);
                limit -= 1;
            }
            let (mut pivot, mut looks) = self.choose_pivot(from, to);
            if looks == Pattern::Decreasing {
                self.items[from..to].reverse();
                pivot = (to - 1) - (pivot - from);
                looks = Pattern::Increasing;
            }
            if balanced && partitioned && looks == Pattern::Increasing && self.finish_nearly_sorted(from, to)
            {
                return;
            }
            // No item here is below the previous pivot, so items equal to the pivot are done.
            if from > 0 && !self.less(from - 1, pivot) {
                from = self.partition_equal(from, to, pivot);
                continue;
            }
            let (middle, was_partitioned) = self.partition(from, to, pivot);
            partitioned = was_partitioned;
            let (left, right) = (middle - from, to - middle);
            balanced = left.min(right) >= length / 8;
            if left < right {
                self.sort_range(from, middle, limit);
                from = middle + 1;
            } else {
                self.sort_range(middle + 1, to, limit);
                to = middle;
            }
        }
    }

    fn insertion_sort(&mut self, from: usize, to: usize) {
        for next in from + 1..to {
            let mut at = next;
            while at > from && self.less(at, at - 1) {
                self.items.swap(at, at - 1);
                at -= 1;
            }
        }
    }

    fn heap_sort(&mut self, from: usize, to: usize) {
        let length = to - from;
        for root in (0..=(length - 1) / 2).rev() {
            self.sift_down(root, length, from);
        }
        for end in (0..length).rev() {
            self.items.swap(from, from + end);
            self.sift_down(0, end, from);
        }
    }

    fn sift_down(&mut self, mut root: usize, end: usize, from: usize) {
        loop {
            let mut child = 2 * root + 1;
            if child >= end {
                return;
            }
            if child + 1 < end && self.less(from + child, from + child + 1) {
                child += 1;
            }
            if !self.less(from + root, from + child) {
                return;
            }
            self.items.swap(from + root, from + child);
            root = child;
        }
    }

    /// Scatters three items around the middle, with an xorshift generator seeded by the length.
    fn break_patterns(&mut self, from: usize, to: usize) {
        let length = to - from;
        if length < 8 {
            return;
        }
        let mut random = length as u64;
        let mask = (1_u64 << (u64::BITS - random.leading_zeros())) - 1;
        let middle = from + (length / 4) * 2 - 1;
        for step in 0..3 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let mut other = usize::try_from(random & mask).unwrap_or_default();
            if other >= length {
                other -= length;
            }
            self.items.swap(middle + step, from + other);
        }
    }

    fn choose_pivot(&self, from: usize, to: usize) -> (usize, Pattern) {
        let quarter = (to - from) / 4;
        let mut swaps = 0;
        let mut places = [1, 2, 3].map(|quarters| from + quarter * quarters);
        if to - from >= MIN_LARGE {
            places = places.map(|place| self.median([place - 1, place, place + 1], &mut swaps));
        }
        let pivot = self.median(places, &mut swaps);
        // Four medians need at most three swaps each.
        let looks = match swaps {
            0 => Pattern::Increasing,
            12 => Pattern::Decreasing,
            _ => Pattern::Unknown,
        };
        (pivot, looks)
    }

    fn median(&self, [a, b, c]: [usize; 3], swaps: &mut usize) -> usize {
        let mut ordered = |a, b| {
            if self.less(b, a) {
                *swaps += 1;
                (b, a)
            } else {
                (a, b)
            }
        };
        let (a, b) = ordered(a, b);
        let (b, _) = ordered(b, c);
        ordered(a, b).1
    }

    /// Moves a few misplaced items; returns true if the part is sorted.
    fn finish_nearly_sorted(&mut self, from: usize, to: usize) -> bool {
        let mut at = from + 1;
        for _ in 0..MAX_MOVES {
            while at < to && !self.less(at, at - 1) {
                at += 1;
            }
            if at == to {
                return true;
            }
            if to - from < MIN_LARGE {
                return false;
            }
            self.items.swap(at, at - 1);
            if at - from >= 2 {
                for down in (1..at).rev() {
                    if !self.less(down, down - 1) {
                        break;
                    }
                    self.items.swap(down, down - 1);
                }
            }
            if to - at >= 2 {
                for up in at + 1..to {
                    if !self.less(up, up - 1) {
                        break;
                    }
                    self.items.swap(up, up - 1);
                }
            }
        }
        false
    }

    /// Partitions the items around the pivot; returns its index and whether they were already partitioned.
    fn partition(&mut self, from: usize, to: usize, pivot: usize) -> (usize, bool) {
        self.items.swap(from, pivot);
        let (mut low, mut high) = (from + 1, to - 1);
        let mut was_so = true;
        loop {
            while low <= high && self.less(low, from) {
                low += 1;
            }
            while low <= high && !self.less(high, from) {
                high -= 1;
            }
            if low > high {
                break;
            }
            was_so = false;
            self.items.swap(low, high);
            low += 1;
            high -= 1;
        }
        self.items.swap(high, from);
        (high, was_so)
    }

    /// Moves items equal to the pivot before those above it; returns the index of the latter.
    fn partition_equal(&mut self, from: usize, to: usize, pivot: usize) -> usize {
        self.items.swap(from, pivot);
        let (mut low, mut high) = (from + 1, to - 1);
        loop {
            while low <= high && !self.less(from, low) {
                low += 1;
            }
            while low <= high && self.less(from, high) {
                high -= 1;
            }
            if low > high {
                return low;
            }
            self.items.swap(low, high);
            low += 1;
            high -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sort_as_go;

    /// Returns deterministic pseudorandom numbers, so that the cases are the same everywhere.
    fn random_numbers(seed: u64, count: usize, below: u64) -> Vec<u64> {
        let mut state = seed | 1;
        let next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        std::iter::repeat_with(next).take(count).collect()
    }

    #[test]
    fn sorts_without_losing_items() {
        for (seed, count) in (0..400).map(|at| (at, (at as usize * 7) % 300)) {
            for below in [2, 10, 1000] {
                let mut items = random_numbers(seed, count, below);
                if seed % 3 == 0 {
                    items.sort_unstable_by(|a, b| b.cmp(a));
                }
                let mut expected = items.clone();
                expected.sort_unstable();
                sort_as_go(&mut items, |a, b| a < b);
                assert_eq!(items, expected, "{seed} {count} {below}");
            }
        }
    }

    #[test]
    fn keeps_order_of_up_to_twelve_equal_items() {
        let mut items: Vec<(u64, usize)> = (0..12).map(|at| (at as u64 % 3, at)).collect();
        let mut expected = items.clone();
        sort_as_go(&mut items, |a, b| a.0 < b.0);
        expected.sort_unstable();
        assert_eq!(items, expected);
    }
}
