//! Listeners for agents (HTTP and socket), the protocol eras and their bridge, control RPC, console.
//!
//! It knows the protocol and the credentials, and leaves every decision to the host. Work to come.
