//! What the repository checks about itself (`tidy`) and what it writes about itself (`docs`).
//!
//! A library beside the thin binary, so that the ordinary tests run the same checks. It ships
//! nothing to users, and it never changes a source file: only pages under `docs/`.

pub mod bench;
pub mod dist;
pub mod docs;
pub mod figures;
pub mod finding;
pub mod full;
pub mod repository;
pub mod requirements;
pub mod soak;
pub mod source;
pub mod tidy;

pub use finding::Finding;
pub use repository::Repository;
