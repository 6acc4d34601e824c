//! Whether the reference would answer the same: its search as it is, with what it forgets.
//!
//! It goes back step by step, and a choice that ran through candidates in a branch that was given up goes on where it was
//! instead of from its first candidate; where it has none left, the SAT engine chooses. The order of subscriptions is that of
//! Go's maps, so any. Source: operator-lifecycle-manager `resolver/solver/search.go`.

use std::collections::{BTreeSet, VecDeque};

use super::{
    problem::{Problem, VarId},
    search::{Demand, spend},
};

/// What the reference does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Settled {
    /// It chooses these.
    Chosen(BTreeSet<VarId>),
    /// Its SAT engine chooses, or there are more steps than were allowed.
    Unknown,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Value {
    Open,
    Yes,
    No,
}

/// One of the candidates must be chosen, where the owner is.
struct Clause<'p> {
    owner: Option<VarId>,
    candidates: &'p [VarId],
}

struct Engine<'p> {
    problem: &'p Problem<'p>,
    values: Vec<Value>,
    trail: Vec<VarId>,
    clauses: Vec<Clause<'p>>,
    /// The clauses that a variable is in.
    within: Vec<Vec<usize>>,
    members: Vec<Vec<VarId>>,
    rivals: Vec<Vec<VarId>>,
}

impl<'p> Engine<'p> {
    fn new(problem: &'p Problem<'p>) -> Self {
        let count = problem.variables.len();
        let mut engine = Self {
            problem,
            values: vec![Value::Open; count],
            trail: Vec::new(),
            clauses: Vec::new(),
            within: vec![Vec::new(); count],
            members: vec![Vec::new(); problem.groups.len()],
            rivals: vec![Vec::new(); count],
        };
        for wish in &problem.wishes {
            engine.clause(None, &wish.candidates);
        }
        for (var, variable) in problem.variables.iter().enumerate() {
            for need in &variable.needs {
                engine.clause(Some(var), &need.candidates);
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

    fn clause(&mut self, owner: Option<VarId>, candidates: &'p [VarId]) {
        let at = self.clauses.len();
        for &var in candidates.iter().chain(&owner) {
            self.within[var].push(at);
        }
        self.clauses.push(Clause { owner, candidates });
    }

    /// Gives a variable a value. False where it has the other one.
    fn set(&mut self, var: VarId, value: Value) -> bool {
        match self.values[var] {
            Value::Open => {
                self.values[var] = value;
                self.trail.push(var);
                true
            }
            known => known == value,
        }
    }

    /// Takes values back.
    fn undo(&mut self, to: usize) {
        while self.trail.len() > to {
            if let Some(var) = self.trail.pop() {
                self.values[var] = Value::Open;
            }
        }
    }

    /// Finds what follows from the trail from `from` on. False where that is a contradiction.
    fn follow(&mut self, from: usize, steps: &mut u64) -> bool {
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
                spend(steps, others.len() + rivals.len());
                for other in others.into_iter().chain(rivals) {
                    if other != var && !self.set(other, Value::No) {
                        return false;
                    }
                }
            }
            for nth in 0..self.within[var].len() {
                let clause = self.within[var][nth];
                if !self.look_at(clause, steps) {
                    return false;
                }
            }
        }
        true
    }

    fn look_at(&mut self, clause: usize, steps: &mut u64) -> bool {
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
                Some(owner) => self.set(owner, Value::No),
            },
            (Some(only), None) if is_asked => self.set(only, Value::Yes),
            _ => true,
        }
    }
}

struct Guess<'p> {
    candidates: &'p [VarId],
    index: usize,
    chosen: Option<VarId>,
    children: usize,
    trail: usize,
}

/// What the reference chooses for these demands in this order; there must be an answer. Takes from `steps`.
pub fn settled(problem: &Problem<'_>, first: &[Demand], steps: &mut u64) -> Settled {
    spend(steps, problem.variables.len() + problem.groups.len());
    if *steps == 0 {
        return Settled::Unknown;
    }
    let mut engine = Engine::new(problem);
    let start = engine.trail.len();
    for (var, variable) in problem.variables.iter().enumerate() {
        if variable.is_deprecated || variable.twice.is_some() {
            engine.set(var, Value::No);
        }
    }
    let mut queue: VecDeque<(&[VarId], usize)> = VecDeque::new();
    let mut assumed: BTreeSet<VarId> = BTreeSet::new();
    for &demand in first {
        match demand {
            Demand::Wish(at) => {
                queue.push_back((problem.wishes.get(at).map_or(&[][..], |wish| &wish.candidates), 0));
            }
            Demand::Stays(at) => {
                let Some(&var) = problem.mandatory.get(at) else { continue };
                assumed.insert(var);
                engine.set(var, Value::Yes);
                let variable = &problem.variables[var];
                queue.extend(variable.needs.iter().map(|need| (need.candidates.as_slice(), 0)));
            }
            Demand::Need(..) => {}
        }
    }
    let mut is_open = engine.follow(start, steps);
    for clause in 0..engine.clauses.len() {
        is_open = is_open && engine.look_at(clause, steps);
    }
    is_open = is_open && engine.follow(start, steps);
    let mut guesses: Vec<Guess<'_>> = Vec::new();
    while *steps > 0 {
        if !is_open {
            let Some(guess) = guesses.pop() else { return Settled::Unknown };
            spend(steps, 1 + guess.children);
            if let Some(var) = guess.chosen {
                assumed.remove(&var);
                engine.undo(guess.trail);
                is_open = true;
            }
            for _ in 0..guess.children {
                queue.pop_back();
            }
            queue.push_front((guess.candidates, guess.index + usize::from(guess.chosen.is_some())));
            continue;
        }
        let Some((candidates, index)) = queue.pop_front() else { return Settled::Chosen(assumed) };
        spend(steps, 1 + candidates.len());
        let is_done = candidates.iter().any(|var| assumed.contains(var));
        let chosen = if is_done { None } else { candidates.get(index).copied() };
        if !is_done && chosen.is_none() {
            // None left: the engine chooses.
            return Settled::Unknown;
        }
        let mut guess = Guess { candidates, index, chosen, children: 0, trail: engine.trail.len() };
        if let Some(var) = chosen {
            let needs = &problem.variables[var].needs;
            guess.children = needs.len();
            queue.extend(needs.iter().map(|need| (need.candidates.as_slice(), 0)));
            assumed.insert(var);
            is_open = engine.set(var, Value::Yes) && engine.follow(guess.trail, steps);
        }
        guesses.push(guess);
    }
    Settled::Unknown
}
