//! What happened: one record per call, appended, searched, verified.
//!
//! It keeps no SQL of its own (that is `toolgate-store`) and never holds a secret in clear.
//! Work to come.
