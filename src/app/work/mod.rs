//! What is asked of the world and what comes back, all of it data.

pub mod comparison;
pub mod difference;
pub mod msg;
