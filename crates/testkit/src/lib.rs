//! Scripted servers, a fake identity provider, an agent client, a paused clock: for tests only.
//!
//! Never a dependency of anything that ships. Work to come with the first transport.
