//! Everything we print for other programs: Mermaid, DOT, JSON, text.
