//! Who may speak with whom: callers verified by the tokens they bring, ours ([`callers`]) or an issuer's
//! ([`subjects`]), and logins at servers ([`login`]), whose tokens are shown to those servers and to nobody
//! else.
//!
//! It never shows a caller's token but to the one it is made for, keeps one as its hash, or in memory where
//! it is to be exchanged for another, and never passes it on to a server. What a verified caller may do is the guard's to decide. It dials
//! nobody itself: how the network is reached is handed in ([`login::GuardedFetch`]).

pub mod callers;
pub mod login;
pub mod subjects;
