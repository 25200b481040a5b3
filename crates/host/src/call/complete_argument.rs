//! What a completion is about once what is already known of it is filled in: the names below a folder
//! that is denied are not for anybody to complete.

use std::collections::HashMap;

use serde::Deserialize;
use toolgate_types::Operation;

#[derive(Deserialize)]
struct CompletionReference {
    uri: Option<String>,
}

#[derive(Deserialize)]
struct CompletedArgument {
    name: String,
    value: String,
}

#[derive(Deserialize)]
struct CompletionContext {
    #[serde(default)]
    arguments: HashMap<String, String>,
}

/// The URI that a completion of a template leads towards; what is not known yet stays as it is.
pub(super) fn filled_template(operation: &Operation) -> Option<String> {
    let Operation::Complete { reference, argument, context } = operation else { return None };
    let CompletionReference { uri } = serde_json::from_str(reference.get()).ok()?;
    let context: Option<CompletionContext> =
        context.as_ref().and_then(|context| serde_json::from_str(context.get()).ok());
    let mut values = context.map(|context| context.arguments).unwrap_or_default();
    if let Ok(CompletedArgument { name, value }) = serde_json::from_str(argument.get()) {
        values.insert(name, value);
    }
    uri.map(|template| filled(&template, &values))
}

fn filled(template: &str, values: &HashMap<String, String>) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((fixed, after)) = rest.split_once('{') {
        out.push_str(fixed);
        let Some((expression, after)) = after.split_once('}') else {
            rest = after;
            break;
        };
        out.push_str(&expanded(expression, values).unwrap_or_else(|| format!("{{{expression}}}")));
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The values of an expression such as `{/dir,file*}`, with the sign that stands before and between.
fn expanded(expression: &str, values: &HashMap<String, String>) -> Option<String> {
    let name = expression.trim_start_matches(['+', '#', '.', '/', ';', '?', '&']);
    let sign = &expression[..expression.len() - name.len()];
    let sign = if sign == "+" { "" } else { sign };
    let value = |name: &str| values.get(name.split([':', '*']).next().unwrap_or_default()).cloned();
    let known: Vec<String> = name.split(',').map_while(value).collect();
    let between = if sign.is_empty() { "," } else { sign };
    (!known.is_empty()).then(|| format!("{sign}{}", known.join(between)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_filled_in() {
        let values = [("dir", "etc"), ("x", "se")];
        let values = values.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        for (template, uri) in [
            ("file:///{dir}/{x}", "file:///etc/se"),
            ("file://{/dir,x*}", "file:///etc/se"),
            ("file:///{+dir}/{other}", "file:///etc/{other}"),
            ("x://a{?x}", "x://a?se"),
            ("x://{dir:3}", "x://etc"),
            ("x://{unclosed", "x://unclosed"),
            ("x:1", "x:1"),
        ] {
            assert_eq!(filled(template, &values), uri);
        }
    }
}
