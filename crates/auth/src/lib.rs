//! Who may speak with whom: callers verified by the tokens they bring, and, to come, OAuth both
//! ways: tokens for upstream servers, and subjects of an issuer downstream.
//!
//! It never shows a token but to the one it is made for, never keeps one but as its hash, and never
//! passes a caller's token on to a server. What a verified caller may do is the guard's to decide.

pub mod callers;
