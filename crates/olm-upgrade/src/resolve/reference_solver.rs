//! Reimplementation of OLM's solver with its incomplete backtracking, to check that it finds the same answer.
//!
//! OLM backtracks one guess at a time. A guess that has tried candidates in an abandoned branch
//! continues from there instead of from its first candidate. If it does not have candidates left,
//! OLM's SAT engine chooses, which olmap does not reimplement. The order of subscriptions is that
//! of Go's maps, which is random. Source: operator-lifecycle-manager `resolver/solver/search.go`.

use std::collections::{BTreeSet, VecDeque};

use super::{
    problem::{Problem, VarId},
    search::{Demand, spend_steps},
};

/// Outcome of OLM's solver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReferenceOutcome {
    /// The solver chooses these variables.
    Chosen(BTreeSet<VarId>),
    /// The SAT engine chooses, or the step budget is used up.
    Unknown,
}

/// Value of a variable; `Open` if it is not assigned yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Value {
    Open,
    Yes,
    No,
}

/// A clause: if the owner is chosen, one of the candidates must be chosen. Without an owner, one of
/// them must be chosen in any case.
struct Clause<'p> {
    owner: Option<VarId>,
    candidates: &'p [VarId],
}

/// Assignment of values to variables, with unit propagation.
struct UnitPropagation<'p> {
    problem: &'p Problem<'p>,
    /// Value of each variable.
    values: Vec<Value>,
    /// Assigned variables in the order of their assignment, to undo it.
    trail: Vec<VarId>,
    clauses: Vec<Clause<'p>>,
    /// Indexes of the clauses that contain each variable.
    clauses_by_variable: Vec<Vec<usize>>,
    /// Variables of each group.
    members: Vec<Vec<VarId>>,
    /// Variables that each variable excludes.
    rivals: Vec<Vec<VarId>>,
}

impl<'p> UnitPropagation<'p> {
    fn new(problem: &'p Problem<'p>) -> Self {
        let count = problem.variables.len();
        let mut engine = Self {
            problem,
            values: vec![Value::Open; count],
            trail: Vec::new(),
            clauses: Vec::new(),
            clauses_by_variable: vec![Vec::new(); count],
            members: vec![Vec::new(); problem.groups.len()],
            rivals: vec![Vec::new(); count],
        };
        for wish in &problem.targets {
            engine.add_clause(None, &wish.candidates);
        }
        for (var, variable) in problem.variables.iter().enumerate() {
            for need in &variable.needs {
                engine.add_clause(Some(var), &need.candidates);
            }
            for group in &variable.groups {
                engine.members[*group].push(var);
            }
            for &rival in &variable.rivals {
                engine.rivals[var].push(rival);
                engine.rivals[rival].push(var);
            }
        }
        engine
    }

    fn add_clause(&mut self, owner: Option<VarId>, candidates: &'p [VarId]) {
        let at = self.clauses.len();
        for &var in candidates.iter().chain(&owner) {
            self.clauses_by_variable[var].push(at);
        }
        self.clauses.push(Clause { owner, candidates });
    }

    /// Assigns a value to a variable. Returns false if it has the other value.
    fn assign_value(&mut self, var: VarId, value: Value) -> bool {
        match self.values[var] {
            Value::Open => {
                self.values[var] = value;
                self.trail.push(var);
                true
            }
            known => known == value,
        }
    }

    /// Undoes assignments until the trail has this length.
    fn undo(&mut self, to: usize) {
        while self.trail.len() > to {
            if let Some(var) = self.trail.pop() {
                self.values[var] = Value::Open;
            }
        }
    }

    /// Propagates assignments from a position of the trail. Returns false on a contradiction.
    fn propagate(&mut self, from: usize, steps: &mut u64) -> bool {
        let mut at = from;
        while let Some(&var) = self.trail.get(at) {
            at += 1;
            *steps = steps.saturating_sub(1);
            if *steps == 0 {
                return false;
            }
            if self.values[var] == Value::Yes {
                let variable = &self.problem.variables[var];
                let rivals = self.rivals[var].clone();
                let others: Vec<VarId> =
                    variable.groups.iter().flat_map(|group| self.members[*group].iter().copied()).collect();
                spend_steps(steps, others.len() + rivals.len());
                for other in others.into_iter().chain(rivals) {
                    if other != var && !self.assign_value(other, Value::No) {
                        return false;
                    }
                }
            }
            for nth in 0..self.clauses_by_variable[var].len() {
                let clause = self.clauses_by_variable[var][nth];
                if !self.check_clause(clause, steps) {
                    return false;
                }
            }
        }
        true
    }

    /// Assigns the value that a clause forces, if any. Returns false on a contradiction.
    fn check_clause(&mut self, clause: usize, steps: &mut u64) -> bool {
        let Clause { owner, candidates } = self.clauses[clause];
        *steps = steps.saturating_sub(candidates.len() as u64);
        if owner.is_some_and(|owner| self.values[owner] == Value::No)
            || candidates.iter().any(|var| self.values[*var] == Value::Yes)
        {
            return true;
        }
        let mut open = candidates.iter().copied().filter(|var| self.values[*var] == Value::Open);
        let (first, second) = (open.next(), open.next());
        let is_asked = owner.is_none_or(|owner| self.values[owner] == Value::Yes);
        match (first, second) {
            (None, _) => match owner {
                None => false,
                Some(owner) => self.assign_value(owner, Value::No),
            },
            (Some(only), None) if is_asked => self.assign_value(only, Value::Yes),
            _ => true,
        }
    }
}

/// A choice among candidates, with the data to undo it.
struct Guess<'p> {
    candidates: &'p [VarId],
    /// Index of the candidate to try.
    index: usize,
    /// Tried candidate; `None` if another choice already satisfies the guess.
    chosen: Option<VarId>,
    /// Number of needs of the chosen variable, which were added to the queue.
    children: usize,
    /// Length of the trail before the guess.
    trail: usize,
}

/// Returns the choice of OLM's solver for demands in this order. The problem must have a solution.
/// Takes from `steps`.
pub fn reference_outcome(problem: &Problem<'_>, demands: &[Demand], steps: &mut u64) -> ReferenceOutcome {
    spend_steps(steps, problem.variables.len() + problem.groups.len());
    if *steps == 0 {
        return ReferenceOutcome::Unknown;
    }
    let mut engine = UnitPropagation::new(problem);
    let start = engine.trail.len();
    for (var, variable) in problem.variables.iter().enumerate() {
        if variable.is_deprecated || variable.duplicate_group.is_some() {
            engine.assign_value(var, Value::No);
        }
    }
    let mut queue: VecDeque<(&[VarId], usize)> = VecDeque::new();
    let mut assumed: BTreeSet<VarId> = BTreeSet::new();
    for &demand in demands {
        match demand {
            Demand::Target(at) => {
                queue.push_back((problem.targets.get(at).map_or(&[][..], |wish| &wish.candidates), 0));
            }
            Demand::Stays(at) => {
                let Some(&var) = problem.mandatory.get(at) else { continue };
                assumed.insert(var);
                engine.assign_value(var, Value::Yes);
                let variable = &problem.variables[var];
                queue.extend(variable.needs.iter().map(|need| (need.candidates.as_slice(), 0)));
            }
            Demand::Need(..) => {}
        }
    }
    let mut is_consistent = engine.propagate(start, steps);
    for clause in 0..engine.clauses.len() {
        is_consistent = is_consistent && engine.check_clause(clause, steps);
    }
    is_consistent = is_consistent && engine.propagate(start, steps);
    let mut guesses: Vec<Guess<'_>> = Vec::new();
    while *steps > 0 {
        if !is_consistent {
            let Some(guess) = guesses.pop() else { return ReferenceOutcome::Unknown };
            spend_steps(steps, 1 + guess.children);
            if let Some(var) = guess.chosen {
                assumed.remove(&var);
                engine.undo(guess.trail);
                is_consistent = true;
            }
            for _ in 0..guess.children {
                queue.pop_back();
            }
            queue.push_front((guess.candidates, guess.index + usize::from(guess.chosen.is_some())));
            continue;
        }
        let Some((candidates, index)) = queue.pop_front() else { return ReferenceOutcome::Chosen(assumed) };
        spend_steps(steps, 1 + candidates.len());
        let is_done = candidates.iter().any(|var| assumed.contains(var));
        let chosen = if is_done { None } else { candidates.get(index).copied() };
        if !is_done && chosen.is_none() {
            // Without a candidate, the SAT engine chooses.
            return ReferenceOutcome::Unknown;
        }
        let mut guess = Guess { candidates, index, chosen, children: 0, trail: engine.trail.len() };
        if let Some(var) = chosen {
            let needs = &problem.variables[var].needs;
            guess.children = needs.len();
            queue.extend(needs.iter().map(|need| (need.candidates.as_slice(), 0)));
            assumed.insert(var);
            is_consistent = engine.assign_value(var, Value::Yes) && engine.propagate(guess.trail, steps);
        }
        guesses.push(guess);
    }
    ReferenceOutcome::Unknown
}
