//! What people write, and what is refused.

use super::*;

fn read(line: &str) -> Result<Option<PackageServer>, BadPackageServer> {
    let mut words = line.split(' ').map(|word| ConfigText::Plain(word.to_owned()));
    let command = words.next().unwrap();
    command_words::read(command.expose(), &words.collect::<Vec<_>>()).transpose()
}

/// `packages / program / arguments`.
fn said(line: &str) -> String {
    let server = read(line).unwrap().unwrap();
    let packages: Vec<String> = server.packages.iter().map(ToString::to_string).collect();
    let args: Vec<&str> = server.args.iter().map(ConfigText::expose).collect();
    let program = match server.program {
        PackageProgram::Named(name) => name,
        PackageProgram::OfPackage => "its own".to_owned(),
    };
    let python = server.python.map(|python| format!(" python {python}")).unwrap_or_default();
    format!("{} / {program} / {}{python}", packages.join(" "), args.join(" "))
}

#[test]
fn what_people_write_for_npm() {
    assert_eq!(said("npx -y @ours/server-x . --dry"), "@ours/server-x / its own / . --dry");
    assert_eq!(said("npx server@1.2.3"), "server@1.2.3 / its own / ");
    assert_eq!(said("npx --yes @a/b@latest -y"), "@a/b@latest / its own / -y");
    assert_eq!(said("npx -p @a/b --package=c@^2 run --x=1"), "@a/b c@^2 / run / --x=1");
    assert_eq!(said("npm exec --yes -- name -- a"), "name / its own / a");
    assert_eq!(said("npx name -- a"), "name / its own / -- a");
}

#[test]
fn what_people_write_for_python() {
    assert_eq!(
        said("uvx mcp-server-git --repository ."),
        "mcp-server-git / mcp-server-git / --repository ."
    );
    assert_eq!(said("uvx ruff@0.3.0"), "ruff==0.3.0 / ruff / ");
    assert_eq!(said("uvx ruff@latest"), "ruff / ruff / ");
    assert_eq!(said("uvx --from pkg[cli]>=1 --with a,b prog x"), "pkg[cli]>=1 a b / prog / x");
    assert_eq!(said("uv tool run --python 3.12 x"), "x / x /  python 3.12");
}

#[test]
fn another_command_is_nothing_of_ours() {
    for line in ["node x.js", "npm run serve", "uv run server.py", "/usr/bin/npx x", "bunx x"] {
        assert!(read(line).unwrap().is_none(), "{line}");
    }
}

#[test]
fn what_is_not_of_a_registry_is_refused() {
    for line in [
        "npx git+https://x/y.git",
        "npx github:a/b",
        "npx a/b",
        "npx ./x",
        "npx file:x",
        "npx ../x",
        "npx https://x/y.tgz",
        "npx x@npm:y@1",
        "npx x@file:..",
        "npx .",
        "npx @a",
        "npx -x@",
        "npx -c ls",
        "npx --call=ls",
        "npx --registry=https://evil x",
        "npx -p",
        "npx",
        "npx -p a ../b",
        "npx --prefix . x",
        "npx --userconfig=.npmrc x",
        "npx --script-shell=./x y",
        "npx @a/../b",
        "uvx ./x",
        "uvx git+https://x/y",
        "uvx --from git+https://x/y z",
        "uvx --from . z",
        "uvx --index-url https://evil x",
        "uvx --index=https://evil x",
        "uvx --from x@https://y z",
        "uvx --with-requirements r.txt x",
        "uvx --with-editable . x",
        "uvx --python ./python x",
        "uvx",
        "uvx --from x",
        "uvx --from x ../y",
        "uvx --config-file uv.toml x",
        "uvx x@../y",
        "uvx --with a,./b c",
        "uvx x;y",
        "uvx --env-file .env x",
    ] {
        assert!(read(line).is_err(), "{line}: {:?}", read(line));
    }
}

#[test]
fn a_secret_names_no_package() {
    let secret = ConfigText::masked("***".to_owned(), "name".to_owned());
    let read = command_words::read("npx", &[secret]).unwrap();
    assert_eq!(read.unwrap_err(), BadPackageServer::Secret);
}
