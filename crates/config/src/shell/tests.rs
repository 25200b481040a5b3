//! How scripts are taken apart.

use proptest::prelude::*;

use super::{LONGEST_SCRIPT, ShellScript};

/// The words of each command; `?` before one that is put together at run time.
fn read(text: &str) -> Vec<Vec<String>> {
    let script = ShellScript::read(text);
    let shown = |word: &super::ShellWord| match word.is_made {
        true => format!("?{}", word.text),
        false => word.text.clone(),
    };
    let words = script.commands.iter().map(|command| {
        let redirects = command.redirects.iter().map(|word| format!(">{}", shown(word)));
        command.words.iter().map(shown).chain(redirects).collect()
    });
    words.collect()
}

#[track_caller]
fn is(text: &str, expected: &[&[&str]]) {
    assert_eq!(read(text), expected, "{text}");
}

#[test]
fn quotes_and_escapes_are_undone() {
    is("exec './my run.sh'", &[&["exec", "./my run.sh"]]);
    is("exec ./my\\ run.sh", &[&["exec", "./my run.sh"]]);
    is("\"./my run.sh\" a''b \"\"", &[&["./my run.sh", "ab", ""]]);
    is("./r\\\nun.sh", &[&["./run.sh"]]);
    is("$'./a\\x20b\\t\\'\\u0041\\101' $\"x y\"", &[&["./a b\t'AA", "x y"]]);
    is("\"a\\b\\$c\"", &[&["a\\b$c"]]);
    is("./run@1.sh", &[&["./run@1.sh"]]);
}

#[test]
fn operators_end_commands() {
    is("a&&b||c;d|e&f\n(g;h)", &[&["a"], &["b"], &["c"], &["d"], &["e"], &["f"], &["g"], &["h"]]);
    is("if a; then b; else c; fi", &[&["a"], &["b"], &["c"]]);
    is("! { a; }", &[&["a"]]);
    is("a # b ./c\nd#e", &[&["a"], &["d#e"]]);
    is("sh <in >'o u t' 2>&1 2>>e", &[&["sh", ">in", ">o u t", ">1", ">e"]]);
}

#[test]
fn what_is_put_together_at_run_time_is_marked() {
    is(
        "$RUN ${RUN}/x \"$A b\" ./*.sh ~/x ./{a,b}",
        &[&["?", "?./x", "? b", "?./*.sh", "?~/x", "?./{a,b}"]],
    );
    is("./[ab].sh a[b a\r", &[&["?./[ab].sh", "a[b", "a\r"]]);
    is("[ -f x ]", &[&["[", "-f", "x", "]"]]);
    is("'$RUN' \\$RUN a$", &[&["$RUN", "$RUN", "a$"]]);
    // The folder that it runs in is known.
    is(
        "$PWD/a ${PWD}/b \"$(pwd)/c\" `pwd`/d",
        &[&["pwd"], &["pwd"], &["./a", "./b", "./c", "./d"]],
    );
}

#[test]
fn substitutions_are_commands_of_their_own() {
    is(
        "a $(b 'c d' $(e)) `f \\`g\\``",
        &[&["e"], &["b", "c d", "?"], &["g"], &["f", "?"], &["a", "?", "?"]],
    );
    is("diff <(./a 'x)') b", &[&["./a", "x)"], &["diff", "?", "b"]]);
    is("${X:-'./a b'}", &[&["./a b"], &["?"]]);
}

#[test]
fn what_a_document_holds_is_read_apart() {
    is("cat <<'E'\nit's\nE\nexec './my run.sh'", &[&["cat"], &["its\n"], &["exec", "./my run.sh"]]);
    is("sh <<-E\n\t./a.sh\n\tE\n./b.sh", &[&["sh"], &["./a.sh"], &["./b.sh"]]);
}

#[test]
fn what_cannot_be_read_to_its_end_says_so() {
    for text in ["'a", "\"a", "$(a", "`a", "${a", "$'a"] {
        assert!(ShellScript::read(text).is_cut, "{text}");
    }
    assert!(!ShellScript::read("a 'b' \"$(c)\"").is_cut);
    assert!(ShellScript::read(&"$(".repeat(100)).is_cut);
    assert!(ShellScript::read(&"a".repeat(LONGEST_SCRIPT + 1)).is_cut);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// Another reader of shell words agrees where there is nothing but words and quotes.
    #[test]
    fn words_and_quotes_are_read_as_others_read_them(text in "[ab ./\\\\'\"]{0,24}") {
        if let Some(words) = shlex::split(&text) {
            let script = ShellScript::read(&text);
            let ours: Vec<String> = script.words().map(|word| word.text.clone()).collect();
            prop_assert_eq!(ours, words);
        }
    }
}
