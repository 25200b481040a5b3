//! The language: what of jq a query may use, and its values one after another.

use jaq_core::data::JustLut;
use jaq_core::load::parse::Def;
use jaq_core::load::{Arena, File, Loader};
use jaq_core::native::{Fun, bome, run, v};
use jaq_core::{Compiler, Ctx, Error, Vars};
use jaq_json::{Val, read};
use serde_json::value::RawValue;

use super::QueryRequest;
use super::jq_regex::regex_functions;

type QueryData = JustLut<Val>;

/// Definitions of the standard library that want what is not there: the process, its surroundings and
/// clock, formats, and mathematics beyond arithmetic.
const LEFT_OUT: [&str; 21] = [
    "stderr",
    "debug",
    "halt",
    "halt_error",
    "logb",
    "significand",
    "pow10",
    "drem",
    "nexttoward",
    "scalb",
    "gamma",
    "todate",
    "fromdate",
    "@html",
    "@htmld",
    "@uri",
    "@urid",
    "@base64",
    "@base64d",
    "now",
    "env",
];

/// The values that a filter gives for a document, up to so many, and whether there are more.
pub(crate) fn evaluate(
    request: &QueryRequest,
    document: &[u8],
) -> Result<(Vec<Box<RawValue>>, bool), String> {
    let arena = Arena::default();
    let is_there = |def: &Def<&str>| !LEFT_OUT.contains(&def.name);
    let defs = jaq_core::defs().chain(jaq_std::defs().filter(is_there)).chain(jaq_json::defs());
    let file = File { code: request.filter.as_str(), path: () };
    let modules = Loader::new(defs).load(&arena, file);
    let modules = modules.map_err(|_| "the filter cannot be read as jq".to_owned())?;
    let filter = Compiler::default().with_funs(functions()).compile(modules);
    let filter = filter.map_err(|errors| {
        let undefined = errors.into_iter().flat_map(|(_, errors)| errors);
        let names: Vec<String> = undefined
            .map(|(name, kind)| format!("{} `{name}` is not there", kind.as_str()))
            .collect();
        names.join(", ")
    })?;
    let input = read::parse_single(document);
    let input = input.map_err(|error| format!("the artifact is not one JSON document: {error}"))?;
    let context = Ctx::<QueryData>::new(&filter.lut, Vars::new([]));
    let (mut values, mut room) = (Vec::new(), request.most_bytes);
    for value in filter.id.run((context, input)) {
        let value = value.map_err(|trouble| match trouble.get_err() {
            Ok(error) => error.to_string(),
            Err(_) => "it does not end as a query does".to_owned(),
        })?;
        // Not all that it knows is JSON: numbers that are none, and bytes.
        let text = value.to_string();
        let Ok(raw) = RawValue::from_string(text) else {
            return Err("it gives something that is not JSON".to_owned());
        };
        let left = room.checked_sub(raw.get().len());
        match left {
            Some(left) if values.len() < request.most_values => room = left,
            _ => return Ok((values, true)),
        }
        values.push(raw);
    }
    Ok((values, false))
}

fn functions() -> impl Iterator<Item = Fun<QueryData>> {
    let is_there = |(name, ..): &Fun<QueryData>| *name != "halt";
    jaq_core::funs()
        .chain(jaq_std::base_funs().filter(is_there))
        .chain(jaq_json::funs())
        .chain(regex_functions().map(run::<QueryData>))
        .chain([unavailable("input"), unavailable("inputs"), unavailable("env")])
}

/// Better than "undefined": whoever knows jq knows it.
fn unavailable(name: &'static str) -> Fun<QueryData> {
    run((name, v(0), |_| bome(Err(Error::str("a query sees its document and nothing else")))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(filter: &str, document: &str) -> Result<String, String> {
        let filter = filter.to_owned();
        let request = QueryRequest { filter, most_values: 5, most_bytes: 1000 };
        let (values, more) = evaluate(&request, document.as_bytes())?;
        let values: Vec<&str> = values.iter().map(|value| value.get()).collect();
        Ok(values.join(" ") + if more { " …" } else { "" })
    }

    #[test]
    fn what_people_write_in_jq_works() {
        let document = r#"{"items":[{"id":1,"name":"one"},{"id":2,"name":"two"}],"n":1.50}"#;
        for (filter, wanted) in [
            (".items[].name", r#""one" "two""#),
            ("[.items[] | select(.id > 1)] | length", "1"),
            (".items | map({(.name): .id}) | add", r#"{"one":1,"two":2}"#),
            (".items[] | select(.name | test(\"^t\")) | .id", "2"),
            (".items[0].name | gsub(\"o\"; \"0\")", r#""0ne""#),
            (".items[0].name | capture(\"(?<first>.)\")", r#"{"first":"o"}"#),
            ("\"a-b_c\" | [splits(\"[-_]\")]", r#"["a","b","c"]"#),
            (".items | group_by(.id) | keys", "[0,1]"),
            ("to_entries | map(.key)", r#"["items","n"]"#),
            ("def f: . + 1; 1 | f", "2"),
            ("range(100)", "0 1 2 3 4 …"),
            ("[paths] | length", "8"),
        ] {
            assert_eq!(asked(filter, document).as_deref(), Ok(wanted), "{filter}");
        }
    }

    #[test]
    fn nothing_but_the_document_is_there() {
        for filter in ["env", "$ENV", "input", "[inputs]", "env.PATH", "$ENV.PATH"] {
            assert!(asked(filter, "1").is_err(), "{filter}");
        }
        for filter in [
            "halt",
            "halt_error",
            "debug",
            "stderr",
            "now",
            "include \"a\"; .",
            "import \"a\" as a; .",
            "input_filename",
            "$__prog_args",
            "localtime",
            "get_search_list",
        ] {
            assert!(asked(filter, "1").is_err(), "{filter}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(asked(".a |", "1").unwrap_err().contains("jq"));
        assert!(asked("nothing", "1").unwrap_err().contains("`nothing`"));
        assert!(asked(".a", "[1]").is_err());
        assert!(asked(".", "{").unwrap_err().contains("JSON"));
        assert!(asked(".", "1 2").unwrap_err().contains("JSON"));
        assert!(asked("test(\"(\")", "\"a\"").unwrap_err().contains("regex"));
        assert!(asked("nan", "1").is_ok_and(|value| value == "null") || asked("nan", "1").is_err());
    }
}
