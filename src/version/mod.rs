//! Versions, releases and the two range dialects. Pure: no catalog in sight.
