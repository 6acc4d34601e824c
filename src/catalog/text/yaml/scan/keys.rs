//! Keys are known for keys by the `:` after them. So whatever may be one is noted until it is clear.

use std::collections::VecDeque;

use crate::catalog::text::yaml::cursor::Cursor;

/// How many characters a key may have with all that is before its `:`.
const LONGEST: usize = 1024;

/// A token that is a key if a `:` follows soon.
#[derive(Clone, Copy, Debug)]
pub(super) struct SimpleKey {
    /// How many brackets are open around it.
    pub level: usize,
    /// Its number.
    pub token: usize,
    /// Whether nothing but a key can stand there.
    pub is_required: bool,
    pub column: usize,
    line: usize,
    index: usize,
}

impl SimpleKey {
    pub(super) fn here(cursor: &Cursor<'_>, level: usize, token: usize, is_required: bool) -> Self {
        let Cursor { line, index, .. } = *cursor;
        Self { level, token, is_required, column: cursor.column(), line, index }
    }

    /// Whether its `:` would come too late.
    fn is_stale(&self, cursor: &Cursor<'_>) -> bool {
        self.line < cursor.line || self.index + LONGEST < cursor.index
    }
}

/// What may still be a key: at most one token for each level, those of outer levels first. The oldest goes stale first,
/// so that nobody has to look at all of them.
#[derive(Default)]
pub(super) struct SimpleKeys {
    possible: VecDeque<SimpleKey>,
}

/// A key was required, and there is no `:`.
pub(super) struct NoColon;

impl SimpleKeys {
    /// Forgets those whose `:` would come too late.
    pub(super) fn drop_stale(&mut self, cursor: &Cursor<'_>) -> Result<(), NoColon> {
        while let Some(key) = self.possible.front().filter(|key| key.is_stale(cursor)) {
            if key.is_required {
                return Err(NoColon);
            }
            self.possible.pop_front();
        }
        Ok(())
    }

    /// Whether a token may turn out to be a key. Tokens are given away in order, so it is the oldest or none.
    pub(super) fn may_be(&self, token: usize) -> bool {
        self.possible.front().is_some_and(|key| key.token == token)
    }

    /// Takes out what may be a key on a level.
    pub(super) fn take(&mut self, level: usize) -> Option<SimpleKey> {
        self.possible.back().filter(|key| key.level == level)?;
        self.possible.pop_back()
    }

    /// Notes what may be a key, in place of what may have been one on its level.
    pub(super) fn note(&mut self, key: SimpleKey) -> Result<(), NoColon> {
        self.forget(key.level)?;
        self.possible.push_back(key);
        Ok(())
    }

    /// Forgets what may have been a key on a level.
    pub(super) fn forget(&mut self, level: usize) -> Result<(), NoColon> {
        match self.take(level) {
            Some(key) if key.is_required => Err(NoColon),
            _ => Ok(()),
        }
    }
}
