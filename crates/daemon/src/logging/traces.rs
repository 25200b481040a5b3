//! Traces: each operation that ends becomes a span at a collector of the person's own.
//!
//! There are two of these. One is built with the feature `otel`, and sends nothing either unless a
//! variable of the environment names a collector; the other one knows of no collector at all.

#[cfg(not(feature = "otel"))]
mod absent;
#[cfg(feature = "otel")]
mod collector;
#[cfg(feature = "otel")]
mod spans;

#[cfg(not(feature = "otel"))]
pub(crate) use absent::Traces;
#[cfg(feature = "otel")]
pub(crate) use spans::Traces;
