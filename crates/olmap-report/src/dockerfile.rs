//! Dockerfile of a catalog, as `opm generate dockerfile` writes it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use olm_bundle::generate::{LineError, check_line};

/// Inputs of a catalog's Dockerfile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dockerfile<'a> {
    /// Image whose opm makes the cache.
    pub builder: &'a str,
    /// Image that serves the catalog; `scratch` holds the files only.
    pub base: &'a str,
    /// Directory of the catalog, beside the Dockerfile.
    pub dir: &'a str,
    /// Additional labels.
    pub labels: &'a BTreeMap<String, String>,
}

impl Dockerfile<'_> {
    /// Returns the text of the Dockerfile.
    ///
    /// # Errors
    ///
    /// Fails if a part does not fit on one line.
    pub fn render_dockerfile(&self) -> Result<String, LineError> {
        let Self { builder, base, dir: folder, labels } = self;
        let texts = labels.iter().flat_map(|(name, value)| [name.as_str(), value.as_str()]);
        texts.chain([*builder, *base, *folder]).try_for_each(check_line)?;
        let mut text = format!(
            "# The builder image is expected to contain\n\
             # /bin/opm (with serve subcommand)\n\
             FROM {builder} as builder\n\n\
             # Copy FBC root into image at /configs and pre-populate serve cache\n\
             ADD {folder} /configs\n\
             RUN [\"/bin/opm\", \"serve\", \"/configs\", \"--cache-dir=/tmp/cache\", \"--cache-only\"]\n\n\
             FROM {base}\n"
        );
        if *base == "scratch" {
            // An image without opm does not have a command: the CatalogSource must extract its
            // content.
            text.push_str(
                "# OLMv0 CatalogSources that use binary-less images must set:\n\
                 # spec:\n\
                 #   grpcPodConfig:\n\
                 #     extractContent:\n\
                 #       catalogDir: /configs\n\
                 #       cacheDir: /tmp/cache\n",
            );
        } else {
            text.push_str(
                "# The base image is expected to contain\n\
                 # /bin/opm (with serve subcommand) and /bin/grpc_health_probe\n\n\
                 # Configure the entrypoint and command\n\
                 ENTRYPOINT [\"/bin/opm\"]\n\
                 CMD [\"serve\", \"/configs\", \"--cache-dir=/tmp/cache\"]\n",
            );
        }
        text.push_str(
            "\nCOPY --from=builder /configs /configs\n\
             COPY --from=builder /tmp/cache /tmp/cache\n\n\
             # Set FBC-specific label for the location of the FBC root directory\n\
             # in the image\n\
             LABEL operators.operatorframework.io.index.configs.v1=/configs\n",
        );
        if !labels.is_empty() {
            text.push_str("\n# Set other custom labels\n");
        }
        for (name, value) in *labels {
            let _ = writeln!(text, "LABEL \"{name}\"=\"{value}\"");
        }
        Ok(text)
    }
}

/// Splits a line of comma-separated values as opm reads `--extra-labels`. A quoted value may contain
/// commas.
///
/// # Errors
///
/// Fails if a quote is misplaced or not closed.
pub fn split_comma_separated(line: &str) -> Result<Vec<String>, &'static str> {
    let mut fields = Vec::new();
    let mut rest = line;
    if rest.is_empty() {
        return Ok(fields);
    }
    loop {
        let mut field = String::new();
        if let Some(quoted) = rest.strip_prefix('"') {
            rest = quoted;
            loop {
                let (before, after) = rest.split_once('"').ok_or("a quote is not closed")?;
                field.push_str(before);
                rest = after;
                let Some(more) = rest.strip_prefix('"') else { break };
                field.push('"');
                rest = more;
            }
        } else {
            let end = rest.find(',').unwrap_or(rest.len());
            field.push_str(rest.get(..end).unwrap_or_default());
            rest = rest.get(end..).unwrap_or_default();
            if field.contains('"') {
                return Err("a quote stands inside of a value without quotes around it");
            }
        }
        fields.push(field);
        if rest.is_empty() {
            return Ok(fields);
        }
        rest = rest.strip_prefix(',').ok_or("something stands behind a closed quote")?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scratch_base_has_no_command_and_says_what_a_catalog_source_must_set() {
        let labels = BTreeMap::from([("b".to_owned(), "2".to_owned()), ("a".to_owned(), "x y".to_owned())]);
        let file = Dockerfile { builder: "example.com/opm:1", base: "scratch", dir: "cat", labels: &labels };
        let text = file.render_dockerfile().unwrap();
        let after_base = "FROM scratch\n\
                          # OLMv0 CatalogSources that use binary-less images must set:\n\
                          # spec:\n#   grpcPodConfig:\n#     extractContent:\n\
                          #       catalogDir: /configs\n#       cacheDir: /tmp/cache\n\nCOPY";
        assert!(text.contains(after_base), "{text}");
        assert!(!text.contains("ENTRYPOINT") && !text.contains("CMD"), "{text}");
        assert!(text.ends_with("labels\nLABEL \"a\"=\"x y\"\nLABEL \"b\"=\"2\"\n"), "{text}");
        let text = Dockerfile { base: "example.com/opm:1", ..file }.render_dockerfile().unwrap();
        assert!(text.contains("ENTRYPOINT") && !text.contains("extractContent"), "{text}");
    }

    #[test]
    fn part_that_is_not_one_line_is_refused() {
        let labels = |name: &str, value: &str| BTreeMap::from([(name.to_owned(), value.to_owned())]);
        let (good, wrong) = (labels("a", "b"), "x\nRUN id #");
        let file = Dockerfile { builder: "b", base: "scratch", dir: "cat", labels: &good };
        file.render_dockerfile().unwrap();
        Dockerfile { dir: wrong, ..file.clone() }.render_dockerfile().unwrap_err();
        Dockerfile { builder: wrong, ..file.clone() }.render_dockerfile().unwrap_err();
        Dockerfile { base: wrong, ..file.clone() }.render_dockerfile().unwrap_err();
        Dockerfile { labels: &labels(wrong, "b"), ..file.clone() }.render_dockerfile().unwrap_err();
        Dockerfile { labels: &labels("a", wrong), ..file }.render_dockerfile().unwrap_err();
    }

    #[test]
    fn values_have_commas_only_in_quotes() {
        assert_eq!(split_comma_separated("a=1,b=2").unwrap(), ["a=1", "b=2"]);
        assert_eq!(split_comma_separated("\"a=1,\"\"b\"\"\",c=").unwrap(), ["a=1,\"b\"", "c="]);
        assert_eq!(split_comma_separated("").unwrap(), [""; 0]);
        assert_eq!(split_comma_separated("a,").unwrap(), ["a", ""]);
        for wrong in ["a\"b", "\"a", "\"a\"b"] {
            assert!(split_comma_separated(wrong).is_err(), "{wrong}");
        }
    }
}
