//! Breadth-first search. All subscriptions get their wishes before any dependency is considered.
//!
//! Mandatory bundles are chosen first, and their dependencies go to a queue. The next item of the queue is done
//! if one of its candidates is chosen. Otherwise the search chooses the first candidate without a conflict and
//! appends its dependencies to the queue. If there is none, the search jumps back to the last choice involved
//! in the conflict. Choices in between cannot avoid the conflict, so the first answer is the same as with
//! step-by-step backtracking.

use std::collections::{BTreeSet, VecDeque};

use super::problem::{Problem, VarId};

/// A requirement that can be left out, in order to find the cause of a contradiction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Demand {
    /// A subscription, by the index of its target in the problem.
    Target(usize),
    /// An installed bundle that must stay, by its index in [`Problem::mandatory`].
    Stays(usize),
    /// A dependency: the variable, and the index in [`Variable::needs`](super::problem::Variable::needs).
    Need(VarId, usize),
}

/// Result of the search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SearchResult {
    /// Chosen variables, in the order they were chosen.
    Chosen(Vec<VarId>),
    /// There is no answer. The demands visited on the way contradict each other.
    Nothing(BTreeSet<Demand>),
    /// The step budget is used up.
    OutOfSteps,
}

/// Demands to satisfy, and the order of the first ones.
#[derive(Clone, Debug)]
pub struct Demands {
    /// Subscriptions and bundles that must stay.
    pub first: Vec<Demand>,
    /// Dependencies that count; `None` for all.
    pub needs: Option<BTreeSet<Demand>>,
}

impl Demands {
    /// Returns all demands: subscriptions in their order, then bundles that must stay.
    pub fn for_problem(problem: &Problem<'_>) -> Self {
        let wishes = (0..problem.targets.len()).map(Demand::Target);
        let first = wishes.chain((0..problem.mandatory.len()).map(Demand::Stays)).collect();
        Self { first, needs: None }
    }

    /// Returns only some demands.
    pub fn for_demands(problem: &Problem<'_>, demands: &BTreeSet<Demand>) -> Self {
        let mut all = Self::for_problem(problem);
        all.first.retain(|demand| demands.contains(demand));
        all.needs = Some(demands.clone());
        all
    }

    fn includes(&self, need: Demand) -> bool {
        self.needs.as_ref().is_none_or(|needs| needs.contains(&need))
    }
}

/// Result of the search, with its history.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Result of the search.
    pub result: SearchResult,
    /// True if the search took back a choice.
    pub went_back: bool,
}

#[derive(Clone, Debug)]
struct Choice<'p> {
    demand: Demand,
    /// Frame that added the choice; `None` for a first demand.
    from: Option<usize>,
    candidates: &'p [VarId],
}

#[derive(Debug)]
struct Frame<'p> {
    choice: Choice<'p>,
    /// Index of the chosen candidate; `None` if a candidate was already chosen.
    chosen: Option<usize>,
    /// Number of choices that the frame added.
    children: usize,
    /// Frames that conflict with the tried candidates.
    against: BTreeSet<usize>,
}

/// Number of variables initialized per step.
const VARIABLES_PER_STEP: usize = 16;

struct Search<'p> {
    problem: &'p Problem<'p>,
    demands: &'p Demands,
    queue: VecDeque<Choice<'p>>,
    frames: Vec<Frame<'p>>,
    /// Frame that chose each variable.
    chosen: Vec<Option<usize>>,
    /// Frame whose choice occupies each group.
    owner: Vec<Option<usize>>,
    /// Rivals in both directions, see [`Variable::rivals`](super::problem::Variable::rivals).
    rivals: Vec<Vec<VarId>>,
    seen: BTreeSet<Demand>,
    went_back: bool,
}

/// Takes steps from the budget for an amount of work.
pub(super) fn spend_steps(steps: &mut u64, work: usize) {
    *steps = steps.saturating_sub(work as u64);
}

/// Searches for the first answer. Takes from `steps` for initialized variables, visited candidates, and choices
/// that are made or taken back.
pub fn search(problem: &Problem<'_>, demands: &Demands, steps: &mut u64) -> Outcome {
    spend_steps(
        steps,
        (problem.variables.len() + problem.groups.len() + demands.first.len()) / VARIABLES_PER_STEP,
    );
    let mut rivals = vec![Vec::new(); problem.variables.len()];
    for (var, variable) in problem.variables.iter().enumerate() {
        for &rival in &variable.rivals {
            for (of, other) in [(var, rival), (rival, var)] {
                if let Some(known) = rivals.get_mut(of) {
                    known.push(other);
                }
            }
        }
    }
    let mut search = Search {
        problem,
        demands,
        queue: VecDeque::new(),
        frames: Vec::new(),
        chosen: vec![None; problem.variables.len()],
        owner: vec![None; problem.groups.len()],
        rivals,
        seen: BTreeSet::new(),
        went_back: false,
    };
    let found = search.find_answer(steps);
    Outcome { result: found, went_back: search.went_back }
}

impl<'p> Search<'p> {
    fn find_answer(&mut self, steps: &mut u64) -> SearchResult {
        // Bundles that must stay are chosen before any wish is considered. Both add choices in the given order.
        let stays = self.demands.first.iter().filter_map(|&demand| match demand {
            Demand::Stays(at) => Some(Choice {
                demand,
                from: None,
                candidates: self.problem.mandatory.get(at..=at).unwrap_or_default(),
            }),
            _ => None,
        });
        let stays: Vec<_> = stays.collect();
        for choice in stays {
            if !self.choose_candidate(choice, 0, BTreeSet::new(), steps) {
                return self.end_without_answer(*steps);
            }
        }
        // The queue contains the dependencies of bundles that must stay; the wishes belong between them, in the
        // given order.
        let brought = std::mem::take(&mut self.queue);
        let mut brought = brought.into_iter().peekable();
        for (at, &demand) in self.demands.first.iter().enumerate() {
            if let Demand::Target(wish) = demand {
                let wish = self.problem.targets.get(wish);
                let candidates = wish.map(|wish| wish.candidates.as_slice()).unwrap_or_default();
                self.queue.push_back(Choice { demand, from: None, candidates });
                continue;
            }
            let before = self.demands.first.iter().take(at);
            let frame = before.filter(|demand| matches!(demand, Demand::Stays(_))).count();
            while let Some(choice) = brought.next_if(|choice| choice.from == Some(frame)) {
                self.queue.push_back(choice);
            }
        }
        while let Some(choice) = self.queue.pop_front() {
            self.seen.insert(choice.demand);
            let chosen = choice.candidates.iter().position(|var| self.frame_of(*var).is_some());
            spend_steps(steps, 1 + chosen.unwrap_or(choice.candidates.len()) / VARIABLES_PER_STEP);
            if chosen.is_some() {
                self.frames.push(Frame { choice, chosen: None, children: 0, against: BTreeSet::new() });
            } else if !self.choose_candidate(choice, 0, BTreeSet::new(), steps) {
                return self.end_without_answer(*steps);
            }
            if *steps == 0 {
                return SearchResult::OutOfSteps;
            }
        }
        let mut chosen: Vec<(usize, VarId)> =
            self.chosen.iter().enumerate().filter_map(|(var, frame)| Some(((*frame)?, var))).collect();
        chosen.sort_unstable();
        SearchResult::Chosen(chosen.into_iter().map(|(_, var)| var).collect())
    }

    fn end_without_answer(&mut self, steps: u64) -> SearchResult {
        if steps == 0 {
            SearchResult::OutOfSteps
        } else {
            SearchResult::Nothing(std::mem::take(&mut self.seen))
        }
    }

    fn frame_of(&self, var: VarId) -> Option<usize> {
        self.chosen.get(var).copied().flatten()
    }

    /// Chooses the first candidate from `index` on without a conflict, or backtracks. Returns false if no
    /// choice is left.
    fn choose_candidate(
        &mut self,
        choice: Choice<'p>,
        index: usize,
        against: BTreeSet<usize>,
        steps: &mut u64,
    ) -> bool {
        let (mut choice, mut index, mut against) = (choice, index, against);
        loop {
            self.seen.insert(choice.demand);
            let mut picked = None;
            for (at, &var) in choice.candidates.iter().enumerate().skip(index) {
                *steps = steps.saturating_sub(1);
                if *steps == 0 {
                    return false;
                }
                if self.has_conflict(var, &mut against) {
                    continue;
                }
                picked = Some((at, var));
                break;
            }
            if let Some((at, var)) = picked {
                self.push_frame(choice, at, var, against);
                return true;
            }
            // Without a candidate, the search goes back to the last frame involved.
            self.went_back = true;
            against.extend(choice.from);
            let Some(target) = against.pop_last() else { return false };
            self.queue.push_front(choice);
            spend_steps(steps, self.frames.len().saturating_sub(target));
            while self.frames.len() > target + 1 {
                if let Some(frame) = self.take_back() {
                    self.queue.push_front(frame.choice);
                }
            }
            let Some(frame) = self.take_back() else { return false };
            let Some(chosen) = frame.chosen else { return false };
            choice = frame.choice;
            index = chosen + 1;
            against.extend(frame.against);
        }
    }

    /// Returns true if a variable cannot be chosen, and adds the conflicting frames.
    fn has_conflict(&self, var: VarId, against: &mut BTreeSet<usize>) -> bool {
        let Some(variable) = self.problem.variables.get(var) else { return true };
        if variable.is_deprecated || variable.duplicate_group.is_some() {
            return true;
        }
        let owners = variable.groups.iter().filter_map(|group| self.owner.get(*group).copied().flatten());
        let rivals = self.rivals.get(var).map(Vec::as_slice).unwrap_or_default();
        let rivals = rivals.iter().filter_map(|rival| self.frame_of(*rival));
        // One frame is enough, and the earliest one jumps farthest.
        let first = owners.chain(rivals).min();
        against.extend(first);
        first.is_some()
    }

    fn push_frame(&mut self, choice: Choice<'p>, at: usize, var: VarId, against: BTreeSet<usize>) {
        let frame = self.frames.len();
        if let Some(chosen) = self.chosen.get_mut(var) {
            *chosen = Some(frame);
        }
        let mut children = 0;
        if let Some(variable) = self.problem.variables.get(var) {
            for group in &variable.groups {
                if let Some(owner) = self.owner.get_mut(*group) {
                    *owner = Some(frame);
                }
            }
            for (nth, need) in variable.needs.iter().enumerate() {
                let demand = Demand::Need(var, nth);
                if self.demands.includes(demand) {
                    self.queue.push_back(Choice { demand, from: Some(frame), candidates: &need.candidates });
                    children += 1;
                }
            }
        }
        self.frames.push(Frame { choice, chosen: Some(at), children, against });
    }

    /// Undoes the last frame.
    fn take_back(&mut self) -> Option<Frame<'p>> {
        let frame = self.frames.pop()?;
        if let Some(&var) = frame.chosen.and_then(|at| frame.choice.candidates.get(at)) {
            if let Some(chosen) = self.chosen.get_mut(var) {
                *chosen = None;
            }
            let groups = self.problem.variables.get(var).map(|v| v.groups.as_slice()).unwrap_or_default();
            for group in groups {
                if let Some(owner) = self.owner.get_mut(*group) {
                    *owner = None;
                }
            }
        }
        for _ in 0..frame.children {
            self.queue.pop_back();
        }
        Some(frame)
    }
}
