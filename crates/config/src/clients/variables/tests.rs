//! Each client's spellings are found, and nobody else's.

use super::*;

fn names<'t>(text: &'t str, forms: &[Form]) -> Vec<&'t str> {
    let name = |token: &Token<'t>| match token {
        Token::Variable { name, .. } => Some(*name),
        _ => None,
    };
    scan(text, forms).iter().filter_map(name).collect()
}

#[test]
fn a_spelling_counts_only_where_the_client_knows_it() {
    let text = "${A} ${B:-b} ${env:C} $D {env:E}";
    assert_eq!(names(text, &[Form::Braced, Form::Default]), ["A", "B"]);
    assert_eq!(names(text, &[Form::Env]), ["C"]);
    assert_eq!(names(text, &[Form::Bare, Form::Braced]), ["A", "D"]);
    // In the last spelling the `$` before `{env:C}` is text.
    assert_eq!(names(text, &[Form::Curly]), ["C", "E"]);
    assert_eq!(scan(text, &[]), [Token::Text(text)]);
}

#[test]
fn folders_inputs_and_what_only_an_editor_knows() {
    let forms = [Form::Env, Form::Folders, Form::Inputs];
    assert_eq!(
        scan("${userHome}${/}x${input:my key}${config:a.b}${unknown}", &forms),
        [
            Token::Folder(Folder::Home),
            Token::Folder(Folder::Separator),
            Token::Text("x"),
            Token::Input("my key"),
            Token::Elsewhere,
            Token::Text("${unknown}"),
        ]
    );
}

#[test]
fn what_is_no_name_is_text() {
    let forms = [Form::Braced, Form::Default, Form::Env, Form::Bare, Form::Curly];
    for text in ["$", "${", "${}", "${1}", "$5", "{env:}", "${a-b}", "${:-x}", "é${é}", "{"] {
        assert_eq!(scan(text, &forms), [Token::Text(text)], "{text}");
    }
    assert_eq!(scan("", &forms), []);
}
