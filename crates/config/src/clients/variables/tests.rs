//! Each client's spellings are found, and nobody else's.

use super::*;

fn names<'t>(text: &'t str, forms: &[VariableForm]) -> Vec<&'t str> {
    let name = |token: &VariableToken<'t>| match token {
        VariableToken::Variable { name, .. } => Some(*name),
        _ => None,
    };
    scan(text, forms).iter().filter_map(name).collect()
}

#[test]
fn a_spelling_counts_only_where_the_client_knows_it() {
    let text = "${A} ${B:-b} ${env:C} $D {env:E}";
    assert_eq!(names(text, &[VariableForm::Braced, VariableForm::Default]), ["A", "B"]);
    assert_eq!(names(text, &[VariableForm::Env]), ["C"]);
    assert_eq!(names(text, &[VariableForm::Bare, VariableForm::Braced]), ["A", "D"]);
    // In the last spelling the `$` before `{env:C}` is text.
    assert_eq!(names(text, &[VariableForm::Curly]), ["C", "E"]);
    assert_eq!(scan(text, &[]), [VariableToken::Text(text)]);
}

#[test]
fn folders_inputs_and_what_only_an_editor_knows() {
    let forms = [VariableForm::Env, VariableForm::Folders, VariableForm::Inputs];
    assert_eq!(
        scan("${userHome}${/}x${input:my key}${config:a.b}${unknown}", &forms),
        [
            VariableToken::Folder(EditorFolder::Home),
            VariableToken::Folder(EditorFolder::Separator),
            VariableToken::Text("x"),
            VariableToken::Input("my key"),
            VariableToken::Elsewhere,
            VariableToken::Text("${unknown}"),
        ]
    );
}

#[test]
fn what_is_no_name_is_text() {
    let forms = [
        VariableForm::Braced,
        VariableForm::Default,
        VariableForm::Env,
        VariableForm::Bare,
        VariableForm::Curly,
    ];
    for text in ["$", "${", "${}", "${1}", "$5", "{env:}", "${a-b}", "${:-x}", "é${é}", "{"] {
        assert_eq!(scan(text, &forms), [VariableToken::Text(text)], "{text}");
    }
    assert_eq!(scan("", &forms), []);
}
