//! Clients that speak in lines over a socket of their own, in both eras.
//!
//! What a message means is shown elsewhere, over HTTP; here is what differs without it.

mod ending;
mod forgetting;
mod modern;
mod neighbours;
mod nonsense;
mod sessions;
mod window;

pub(crate) use window::{Window, attached};
