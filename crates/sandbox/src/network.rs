//! A network of names for a confined process: it reaches what it was allowed by name, and nothing else.
//!
//! ```text
//! inside the sandbox, no route out                     the gate
//!   program ─ DNS ─▶ 127.0.0.1:53  a name → 198.18.x.y
//!           ─ TCP ─▶ 198.18.x.y:443 ─ the accepted socket and its name ─▶ decides, resolves, dials,
//!           ─ HTTP proxy ─▶ 127.0.0.1:p ─ the accepted socket ──────────▶ checks SNI, copies, tells
//! ```
//!
//! [`InsideNetwork`] is the inside: it answers DNS and accepts. It copies no byte: what
//! it accepts it hands to the gate as a descriptor over one socket ([`link_pair`]), so that no framing
//! stands between the bytes of two connections. [`NetworkGate`] is the other end. It believes nothing of
//! what comes over that socket: it decides by the list, resolves each name once, and dials exactly an
//! address that it has looked at.
//!
//! Left to others: namespaces, addresses and the listeners themselves (`reap::confine`), and what is done
//! with a decision. Not prevented: what TLS hides (a host that serves several names behind one), what a
//! plain HTTP request says in `Host`, and TLS that begins later in a connection (`STARTTLS`).

mod address_pool;
mod client_hello;
mod dialled;
mod dns_answer;
mod gate;
mod guarded_copy;
mod inside;
mod link;
mod passed_socket;
mod proxy_front;
mod proxy_head;

pub use address_pool::AddressPool;
pub use dialled::{NameResolver, ResolvedAddresses, SystemResolver};
pub use gate::NetworkGate;
pub use inside::{InsideListeners, InsideNetwork, proxy_port};
pub use link::link_pair;
pub use proxy_front::serve_proxy;

#[cfg(test)]
mod tests;
