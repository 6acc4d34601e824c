//! Before and after: which findings and successors an edit changes.
