//! What stays a value, and what can be none.

use toolgate_types::ConfigText;

use super::*;

fn tool(args: &[&str]) -> CommandTool {
    let args = args.iter().map(|arg| ConfigText::Plain((*arg).to_owned())).collect();
    CommandTool { args, ..CommandTool::new(ConfigText::Plain("x".to_owned())) }
}

fn filled(tool: &CommandTool, arguments: &str) -> Result<Vec<String>, String> {
    let arguments = RawValue::from_string(arguments.to_owned()).unwrap();
    let args = fill(tool, Some(&arguments)).map_err(|error| error.told())?;
    Ok(args.iter().map(|arg| arg.expose().to_owned()).collect())
}

#[test]
fn each_item_is_one_argument_whatever_a_value_holds() {
    let tool = tool(&["-r", "{{a}}", "--x={{a}}:{{n}}", "{{b}}"]);
    let odd = r#"{"a":"$(id); rm -rf *\n`x` 'y' \"z\" {{n}} ${HOME}","n":-1.50e3,"b":true}"#;
    let value = "$(id); rm -rf *\n`x` 'y' \"z\" {{n}} ${HOME}";
    let joined = format!("--x={value}:-1.50e3");
    assert_eq!(filled(&tool, odd).unwrap(), ["-r", value, joined.as_str(), "true"]);
}

#[test]
fn what_is_left_out_leaves_its_item_out() {
    let tool = tool(&["{{a}}", "--b={{b}}", "{{a}}{{b}}", "end"]);
    assert_eq!(filled(&tool, r#"{"a":""}"#).unwrap(), ["", "end"]);
    assert_eq!(filled(&tool, r#"{"b":null}"#).unwrap(), ["end"]);
    let none = fill(&tool, None).unwrap();
    assert_eq!(none.len(), 1);
}

#[test]
fn no_value_becomes_a_flag_unless_its_parameter_may() {
    let mut tool = tool(&["{{a}}{{b}}"]);
    let refused = |tool: &CommandTool, arguments| filled(tool, arguments).unwrap_err();
    assert!(refused(&tool, r#"{"a":"-o","b":"x"}"#).contains("`a` begins with `-`"));
    assert!(refused(&tool, r#"{"a":"","b":"--exec=sh"}"#).contains("`b` begins with `-`"));
    // A number is one, and no text that looks like it.
    assert_eq!(filled(&tool, r#"{"a":-5,"b":7}"#).unwrap(), ["-57"]);
    assert!(refused(&tool, r#"{"a":-5,"b":"x"}"#).contains("`b` follows a negative number"));
    assert!(refused(&tool, r#"{"a":"-5","b":"x"}"#).contains("begins with `-`"));
    tool.allow_dash = vec!["a".to_owned()];
    assert_eq!(filled(&tool, r#"{"a":"-o","b":"x"}"#).unwrap(), ["-ox"]);
    assert!(refused(&tool, r#"{"a":"","b":"-o"}"#).contains("`b` begins with `-`"));
}

/// The dash is the entry's, and that it comes first the caller's doing.
#[test]
fn nothing_empty_makes_a_flag_of_what_follows() {
    let tool = tool(&["{{a}}-{{b}}"]);
    assert_eq!(filled(&tool, r#"{"a":"x","b":"y"}"#).unwrap(), ["x-y"]);
    let told = filled(&tool, r#"{"a":"","b":"rf"}"#).unwrap_err();
    assert!(told.contains("`a` is empty, and what follows would be a flag"), "{told}");
    let own = self::tool(&["-{{a}}"]);
    assert_eq!(filled(&own, r#"{"a":""}"#).unwrap(), ["-"], "the entry's own word");
}

#[test]
fn what_can_be_no_argument_is_refused() {
    let tool = tool(&["{{a}}"]);
    for (arguments, why) in [
        (r#"{"a":["x"]}"#, "is an array"),
        (r#"{"a":{"x":1}}"#, "is an object"),
        (r#"{"a":"x\u0000y"}"#, "holds a NUL character"),
        (r#"{"a":1,"a":2}"#, "a"),
    ] {
        let told = filled(&tool, arguments).unwrap_err();
        assert!(told.starts_with("invalid arguments: ") && told.contains(why), "{told}");
    }
}

#[test]
fn a_secret_of_the_entry_is_shown_as_it_is_written_and_a_callers_value_as_it_is() {
    let secret = ConfigText::expanded("${TOKEN}@{{a}}".to_owned(), "hunter2@{{a}}".to_owned());
    let flag = ConfigText::masked("--token=***".to_owned(), "--token={{a}}".to_owned());
    let tool = CommandTool { args: vec![secret, flag], ..tool(&[]) };
    let arguments = RawValue::from_string(r#"{"a":"here"}"#.to_owned()).unwrap();
    let args = fill(&tool, Some(&arguments)).unwrap();
    assert_eq!((args[0].shown(), args[0].expose()), ("${TOKEN}@here", "hunter2@here"));
    assert_eq!(args[1].shown(), "--token=here");
}
