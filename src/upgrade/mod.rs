//! The upgrade graph, the Classic and v1 resolvers, and why an answer is what it is.
