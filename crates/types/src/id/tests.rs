//! Ids accept exactly the documented expression.

use super::*;

/// Shows: S1-27, C27.
#[test]
fn ids_match_the_documented_expression() {
    for good in ["a", "Remote-tools_2", &"x".repeat(64)] {
        assert_eq!(ServerId::parse(good).unwrap().as_str(), good);
        assert_eq!(BundleId::parse(good).unwrap().as_str(), good);
    }
    assert_eq!(ServerId::parse(""), Err(IdError::Empty));
    assert_eq!(ServerId::parse(&"x".repeat(65)), Err(IdError::TooLong(65)));
    assert_eq!(ServerId::parse("../etc"), Err(IdError::Character('.')));
    assert_eq!(ServerId::parse("a b"), Err(IdError::Character(' ')));
    assert_eq!(BundleId::parse("naïve"), Err(IdError::Character('ï')));
}

#[test]
fn reserved_names_are_refused_only_where_they_are_reserved() {
    assert_eq!(ServerId::parse("local"), Err(IdError::Reserved("local")));
    assert_eq!(ToolId::parse("codex-reply"), Err(IdError::Reserved("codex-reply")));
    assert_eq!(ToolId::parse("mcp_list"), Err(IdError::Reserved("mcp_*")));
    assert!(ToolId::parse("local").is_ok());
    assert!(ServerId::parse("codex").is_ok());
}
