//! Findings: what `opm validate` rejects, and what hurts users though opm accepts it.
