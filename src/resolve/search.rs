//! The search: breadth first, so that all subscriptions get their wishes before anybody's dependencies are looked at.
//!
//! What must be there is chosen first; its choices stand in a queue. The first of them is taken: it is done if one of its
//! candidates is chosen, otherwise the first candidate without contradiction is chosen, whose dependencies come to the end of
//! the queue. Where none is left, the search goes back to the last choice that has a part in the contradiction: those in
//! between would contradict again whatever they choose, so the first answer is the same as without that leap.

use std::collections::{BTreeSet, VecDeque};

use super::problem::{Problem, VarId};

/// Something that must be satisfied, and that can be left out to find out what is to blame.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Demand {
    /// A subscription, by its place in [`Problem::wishes`].
    Wish(usize),
    /// Something installed that must stay, by its place in [`Problem::mandatory`].
    Stays(usize),
    /// A dependency: whose, and which of [`Variable::needs`](super::problem::Variable::needs).
    Need(VarId, usize),
}

/// What the search found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// What is chosen, in the order in which it was.
    Chosen(Vec<VarId>),
    /// There is no answer; what the search looked at on the way, which has none by itself.
    Nothing(BTreeSet<Demand>),
    /// The budget is used up.
    OutOfSteps,
}

/// What counts, and in which order what must be there comes.
#[derive(Clone, Debug)]
pub struct Demands {
    /// Subscriptions and what must stay.
    pub first: Vec<Demand>,
    /// The dependencies that count; `None` where all do.
    pub needs: Option<BTreeSet<Demand>>,
}

impl Demands {
    /// All of them: subscriptions in their order, then what must stay.
    pub fn all(problem: &Problem<'_>) -> Self {
        let wishes = (0..problem.wishes.len()).map(Demand::Wish);
        let first = wishes.chain((0..problem.mandatory.len()).map(Demand::Stays)).collect();
        Self { first, needs: None }
    }

    /// Only some of them.
    pub fn only(problem: &Problem<'_>, demands: &BTreeSet<Demand>) -> Self {
        let mut all = Self::all(problem);
        all.first.retain(|demand| demands.contains(demand));
        all.needs = Some(demands.clone());
        all
    }

    fn has(&self, need: Demand) -> bool {
        self.needs.as_ref().is_none_or(|needs| needs.contains(&need))
    }
}

/// A result of the search, and how it was come by.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What was found.
    pub found: Found,
    /// Whether a choice was taken back on the way.
    pub went_back: bool,
}

#[derive(Clone, Debug)]
struct Choice<'p> {
    demand: Demand,
    /// The frame that brought it; `None` for what must be there.
    from: Option<usize>,
    candidates: &'p [VarId],
}

#[derive(Debug)]
struct Frame<'p> {
    choice: Choice<'p>,
    /// The candidate that is chosen; `None` where one was already.
    chosen: Option<usize>,
    /// How many choices it brought.
    children: usize,
    /// The frames that stand against the candidates that were tried.
    against: BTreeSet<usize>,
}

/// How many variables are got ready for a search in one step.
const READY: usize = 16;

struct Search<'p> {
    problem: &'p Problem<'p>,
    demands: &'p Demands,
    queue: VecDeque<Choice<'p>>,
    frames: Vec<Frame<'p>>,
    /// The frame that chose a variable.
    chosen: Vec<Option<usize>>,
    /// The frame of which the choice has a group.
    owner: Vec<Option<usize>>,
    /// The other side of [`Variable::rivals`](super::problem::Variable::rivals).
    rivals: Vec<Vec<VarId>>,
    seen: BTreeSet<Demand>,
    went_back: bool,
}

/// Takes from what is left, for so much work.
pub(super) fn spend(steps: &mut u64, work: usize) {
    *steps = steps.saturating_sub(work as u64);
}

/// Looks for the first answer. Takes from `steps`: for each variable that is got ready, each candidate that is looked at, and
/// each choice that is made or taken back.
pub fn search(problem: &Problem<'_>, demands: &Demands, steps: &mut u64) -> Outcome {
    spend(steps, (problem.variables.len() + problem.groups.len() + demands.first.len()) / READY);
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
    let found = search.run(steps);
    Outcome { found, went_back: search.went_back }
}

impl<'p> Search<'p> {
    fn run(&mut self, steps: &mut u64) -> Found {
        // What must stay is chosen before any wish is looked at; both bring choices in the order given.
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
            if !self.choose(choice, 0, BTreeSet::new(), steps) {
                return self.end(*steps);
            }
        }
        // The dependencies of what must stay stand in the queue already, in its order; wishes belong among them.
        let brought = std::mem::take(&mut self.queue);
        let mut brought = brought.into_iter().peekable();
        for (at, &demand) in self.demands.first.iter().enumerate() {
            if let Demand::Wish(wish) = demand {
                let wish = self.problem.wishes.get(wish);
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
            spend(steps, 1 + chosen.unwrap_or(choice.candidates.len()) / READY);
            if chosen.is_some() {
                self.frames.push(Frame { choice, chosen: None, children: 0, against: BTreeSet::new() });
            } else if !self.choose(choice, 0, BTreeSet::new(), steps) {
                return self.end(*steps);
            }
            if *steps == 0 {
                return Found::OutOfSteps;
            }
        }
        let mut chosen: Vec<(usize, VarId)> =
            self.chosen.iter().enumerate().filter_map(|(var, frame)| Some(((*frame)?, var))).collect();
        chosen.sort_unstable();
        Found::Chosen(chosen.into_iter().map(|(_, var)| var).collect())
    }

    fn end(&mut self, steps: u64) -> Found {
        if steps == 0 { Found::OutOfSteps } else { Found::Nothing(std::mem::take(&mut self.seen)) }
    }

    fn frame_of(&self, var: VarId) -> Option<usize> {
        self.chosen.get(var).copied().flatten()
    }

    /// Chooses the first candidate from `index` on that nothing contradicts, or goes back. False where nothing is left.
    fn choose(
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
                if self.stands_against(var, &mut against) {
                    continue;
                }
                picked = Some((at, var));
                break;
            }
            if let Some((at, var)) = picked {
                self.push(choice, at, var, against);
                return true;
            }
            // Nothing left here: back to the last frame that has a part in it.
            self.went_back = true;
            against.extend(choice.from);
            let Some(target) = against.pop_last() else { return false };
            self.queue.push_front(choice);
            spend(steps, self.frames.len().saturating_sub(target));
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

    /// Whether a variable cannot be chosen; the frames that are to blame are added.
    fn stands_against(&self, var: VarId, against: &mut BTreeSet<usize>) -> bool {
        let Some(variable) = self.problem.variables.get(var) else { return true };
        if variable.is_deprecated || variable.twice.is_some() {
            return true;
        }
        let owners = variable.groups.iter().filter_map(|group| self.owner.get(*group).copied().flatten());
        let rivals = self.rivals.get(var).map(Vec::as_slice).unwrap_or_default();
        let rivals = rivals.iter().filter_map(|rival| self.frame_of(*rival));
        // One is enough, and the first that was chosen leaps farthest.
        let first = owners.chain(rivals).min();
        against.extend(first);
        first.is_some()
    }

    fn push(&mut self, choice: Choice<'p>, at: usize, var: VarId, against: BTreeSet<usize>) {
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
                if self.demands.has(demand) {
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
