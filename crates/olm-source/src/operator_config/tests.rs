//! Tests of the files of an operator.
