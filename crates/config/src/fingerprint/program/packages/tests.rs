//! Which versions stay the same.

use super::is_fixed;

#[test]
fn only_a_whole_version_stays_the_same() {
    for fixed in ["a@1.2.3", "@s/a@1.2.3-beta.1", "a==1.2.3", "a@2025.11.25"] {
        assert!(is_fixed(fixed), "{fixed}");
    }
    for moving in ["a", "@s/a", "a@latest", "a@1", "a@^1.2.3", "a@1.x.3", "a>=1.2.3", "a@"] {
        assert!(!is_fixed(moving), "{moving}");
    }
}
