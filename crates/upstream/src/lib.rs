//! Connects to a server (stdio, HTTP, SSE, built in, command), keeps its raw catalog, makes its calls.
//!
//! It accepts only calls that the guard permitted and never decides anything about them.
//! Work to come; nothing pending is started or dialled because nothing here starts or dials yet.
