//! An input's id becomes a variable's name that nothing else uses.

use super::*;

#[test]
fn ids_become_names_of_variables() {
    for (id, name) in [
        ("github-token", "GITHUB_TOKEN"),
        ("githubToken", "GITHUB_TOKEN"),
        ("API key (prod)", "API_KEY_PROD"),
        ("path", "INPUT_PATH"),
        ("1st", "INPUT_1ST"),
        ("é", "INPUT"),
    ] {
        assert_eq!(variable_of(id), name);
        assert!(EnvName::parse(&variable_of(id)).is_ok());
    }
}
