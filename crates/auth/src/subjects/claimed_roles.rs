//! From a claim to roles. What is not mapped is nothing.

use indexmap::IndexMap;
use serde_json::{Map, Value};
use toolgate_types::RoleId;
use toolgate_types::config::ClaimedRole;

use super::SubjectRoles;

/// Claims that are lists written as one text.
const SPACED: [&str; 2] = ["scope", "scp"];

/// The claim that names roles, and what its values mean.
#[derive(Debug)]
pub(super) struct RoleClaim {
    pub(super) name: String,
    /// Empty where the values are the names of roles.
    pub(super) values: IndexMap<String, ClaimedRole>,
}

impl RoleClaim {
    pub(super) fn roles(&self, claims: &Map<String, Value>) -> SubjectRoles {
        let claimed = self.claimed(claims);
        if self.values.is_empty() {
            let mut roles = Vec::new();
            for role in claimed.iter().filter_map(|value| RoleId::parse(value).ok()) {
                if !roles.contains(&role) {
                    roles.push(role);
                }
            }
            return SubjectRoles::Only(roles);
        }
        let mut roles = Vec::new();
        for (value, role) in &self.values {
            match role {
                _ if !claimed.contains(&value.as_str()) => {}
                ClaimedRole::Every => return SubjectRoles::Every,
                ClaimedRole::Role(role) if roles.contains(role) => {}
                ClaimedRole::Role(role) => roles.push(role.clone()),
            }
        }
        SubjectRoles::Only(roles)
    }

    /// The values of the claim: of the one that is called so, else of what a path with dots leads to.
    fn claimed<'c>(&self, claims: &'c Map<String, Value>) -> Vec<&'c str> {
        let found = claims.get(&self.name).or_else(|| {
            let mut parts = self.name.split('.');
            let first = claims.get(parts.next()?)?;
            parts.try_fold(first, |value, part| value.get(part))
        });
        match found {
            Some(Value::String(text)) if SPACED.contains(&self.name.as_str()) => {
                text.split_ascii_whitespace().collect()
            }
            Some(Value::String(text)) => vec![text],
            Some(Value::Array(values)) => values.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn role(name: &str) -> RoleId {
        RoleId::parse(name).unwrap()
    }

    fn roles(name: &str, values: &[(&str, &str)], claims: Value) -> SubjectRoles {
        let meaning = |written: &str| match written {
            ClaimedRole::EVERY => ClaimedRole::Every,
            written => ClaimedRole::Role(role(written)),
        };
        let values = values.iter().map(|(value, role)| ((*value).to_owned(), meaning(role)));
        let claim = RoleClaim { name: name.to_owned(), values: values.collect() };
        claim.roles(claims.as_object().unwrap())
    }

    fn only(names: &[&str]) -> SubjectRoles {
        SubjectRoles::Only(names.iter().map(|name| role(name)).collect())
    }

    #[test]
    fn what_is_not_mapped_is_nothing() {
        let table = [("eng", "coder")];
        for claims in [
            json!({}),
            json!({"groups": []}),
            json!({"groups": ["ENG", "coder", "en"]}),
            json!({"groups": "sales"}),
            json!({"groups": {"eng": true}}),
            json!({"groups": true}),
            json!({"groups": null}),
            json!({"groups": "eng coder"}),
            json!({"roles": ["eng"]}),
        ] {
            assert_eq!(roles("groups", &table, claims.clone()), only(&[]), "{claims}");
        }
        assert_eq!(roles("groups", &[], json!({"groups": ["a b", "", "../x"]})), only(&[]));
    }

    #[test]
    fn the_table_says_which_role_comes_first() {
        let table = [("admins", "owner"), ("eng", "coder"), ("everybody", "reader")];
        let claims = json!({"groups": ["everybody", "x", "eng", "eng"]});
        assert_eq!(roles("groups", &table, claims), only(&["coder", "reader"]));
        let claims = json!({"groups": ["b", "a", "b"]});
        assert_eq!(roles("groups", &[], claims), only(&["b", "a"]), "as its issuer has them");
    }

    #[test]
    fn a_star_is_every_role() {
        let table = [("eng", "coder"), ("ops", "*")];
        assert_eq!(roles("groups", &table, json!({"groups": ["ops"]})), SubjectRoles::Every);
        assert_eq!(roles("groups", &[], json!({"groups": ["*"]})), only(&[]), "only in the table");
    }

    #[test]
    fn claims_are_found_by_name_by_path_and_in_scopes() {
        let table = [("eng", "coder")];
        let nested = json!({"realm_access": {"roles": ["eng"]}});
        assert_eq!(roles("realm_access.roles", &table, nested), only(&["coder"]));
        let by_name = json!({"https://a.example/roles": ["eng"]});
        assert_eq!(roles("https://a.example/roles", &table, by_name), only(&["coder"]));
        assert_eq!(roles("scope", &table, json!({"scope": "openid eng"})), only(&["coder"]));
        assert_eq!(roles("sub", &table, json!({"sub": "eng"})), only(&["coder"]));
    }
}
