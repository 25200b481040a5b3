//! OAuth both ways: tokens for upstream servers, and callers verified downstream.
//!
//! It never shows a token and never passes a caller's token on to a server. Work to come.
