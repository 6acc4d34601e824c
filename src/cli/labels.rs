//! Labels of images: `--extra-labels`, parsed as in opm.

use std::collections::BTreeMap;

use super::failure::Failure;
use olmap_report::dockerfile::split_comma_separated;

/// Parses comma-separated `NAME=VALUE` pairs. The last value of a name wins.
pub fn parse_labels(given: &[String]) -> Result<BTreeMap<String, String>, Failure> {
    let mut labels = BTreeMap::new();
    for line in given {
        let fields = split_comma_separated(line)
            .map_err(|why| Failure::new(format!("--extra-labels {line:?}: {why}")))?;
        for field in fields {
            let Some((name, value)) = field.split_once('=') else {
                return Err(Failure::new(format!("--extra-labels: {field:?} is not NAME=VALUE")));
            };
            labels.insert(name.to_owned(), value.to_owned());
        }
    }
    Ok(labels)
}
