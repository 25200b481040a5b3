//! Toolgate as a library: audience views, public names, meta tools, `Host::list_tools`, `Host::call`.
//!
//! For people who write agents. It listens on nothing and prints nothing; the protocol of MCP does
//! not appear in its types. Work to come.
