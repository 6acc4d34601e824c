//! The words after `expect:`.

use std::fmt;

use crate::catalog::near;

/// What must happen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expect {
    /// The next upgrade, or the fresh installation, is to this bundle: its name, or its version where only one has it.
    Pick(String),
    /// Nothing comes next, and the resolver reports no error.
    Stays,
    /// The resolver reports an error.
    Error,
    /// Successive upgrades land on a bundle.
    Reaches {
        /// The bundle: its name, or its version where only one has it.
        to: String,
        /// How many upgrades there may be until there; any number where `None`.
        within: Option<usize>,
    },
    /// No upgrade of those that follow one another lands on a bundle that only channels of this name have (`*`, `?` and
    /// classes as in file names). What other channels have too is theirs, and what is installed already counts for nothing.
    NeverLands(String),
}

/// Why words are no expectation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct NoExpect {
    pub message: String,
    pub hint: String,
}

/// The forms there are.
const FORMS: &str = "pick NAME, stays, error, reaches NAME within N hops, never lands on CHANNEL";

/// How each begins.
const FIRST: [&str; 5] = ["pick", "stays", "error", "reaches", "never"];

impl Expect {
    /// Reads the words.
    pub(super) fn parse(text: &str) -> Result<Self, NoExpect> {
        let wrong = |hint: &str| {
            Err(NoExpect { message: format!("{text:?} is not an expectation"), hint: hint.to_owned() })
        };
        let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
        match (first, rest) {
            ("pick", "") => wrong("the name is missing: pick NAME"),
            ("pick", name) => Ok(Self::Pick(name.to_owned())),
            ("stays", "") => Ok(Self::Stays),
            ("error", "") => Ok(Self::Error),
            ("reaches", "") => wrong("the name is missing: reaches NAME within N hops"),
            ("reaches", rest) => {
                let Some((to, bound)) = rest.rsplit_once(" within ") else {
                    return Ok(Self::Reaches { to: rest.to_owned(), within: None });
                };
                let number = bound.strip_suffix(" hops").or_else(|| bound.strip_suffix(" hop"));
                match number.map(str::parse) {
                    Some(Ok(within)) => Ok(Self::Reaches { to: to.to_owned(), within: Some(within) }),
                    _ => wrong("add a number of hops: reaches NAME within 3 hops"),
                }
            }
            ("never", rest) => match rest.strip_prefix("lands on ") {
                Some(channel) if !channel.is_empty() => Ok(Self::NeverLands(channel.to_owned())),
                _ => wrong("write never lands on CHANNEL"),
            },
            ("stays" | "error", _) => wrong(&format!("remove the text after {first}")),
            _ => match near::meant(first, FIRST.into_iter()) {
                Some(meant) => wrong(&format!("did you mean {meant}? Expectations are {FORMS}")),
                None => wrong(&format!("expectations are {FORMS}")),
            },
        }
    }
}

impl fmt::Display for Expect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pick(name) => write!(f, "pick {name}"),
            Self::Stays => f.write_str("stays"),
            Self::Error => f.write_str("error"),
            Self::Reaches { to, within: None } => write!(f, "reaches {to}"),
            Self::Reaches { to, within: Some(1) } => write!(f, "reaches {to} within 1 hop"),
            Self::Reaches { to, within: Some(hops) } => write!(f, "reaches {to} within {hops} hops"),
            Self::NeverLands(channel) => write!(f, "never lands on {channel}"),
        }
    }
}
