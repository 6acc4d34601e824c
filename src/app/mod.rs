//! The explorer's state and its one pure `update`.
