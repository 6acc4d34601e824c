//! Parser for the value of `expect:`.

use std::fmt;

use olm_catalog::similar_names;

/// Expected result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExpectedResult {
    /// The next upgrade, or the new installation, is this bundle: its name, or its version if it is unique.
    Pick(String),
    /// The bundle stays, and the resolver does not report an error.
    Stays,
    /// The resolver reports an error.
    Error,
    /// Successive upgrades reach a bundle.
    Reaches {
        /// Bundle: its name, or its version if it is unique.
        to: String,
        /// Maximum number of upgrades; `None` for any number.
        within: Option<usize>,
    },
    /// Successive upgrades never reach a bundle that is only in matching channels (`*`, `?` and classes as in file names).
    /// Bundles that are also in other channels are ignored, and so is the installed one.
    NeverLands(String),
}

/// Reason why a text is not an expectation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ExpectError {
    pub message: String,
    pub hint: String,
}

/// Valid forms.
const VALID_FORMS: &str = "pick NAME, stays, error, reaches NAME within N hops, never lands on CHANNEL";

/// First word of each form.
const FIRST_WORDS: [&str; 5] = ["pick", "stays", "error", "reaches", "never"];

impl ExpectedResult {
    /// Parses a text.
    pub(super) fn parse(text: &str) -> Result<Self, ExpectError> {
        let wrong = |hint: &str| {
            Err(ExpectError { message: format!("{text:?} is not an expectation"), hint: hint.to_owned() })
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
            _ => match similar_names::suggest_closest(first, FIRST_WORDS.into_iter()) {
                Some(meant) => wrong(&format!("did you mean {meant}? Expectations are {VALID_FORMS}")),
                None => wrong(&format!("expectations are {VALID_FORMS}")),
            },
        }
    }
}

impl fmt::Display for ExpectedResult {
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
