//! Draws the explorer's state; never decides.
