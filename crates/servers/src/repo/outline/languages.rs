//! Languages by the endings of their files, and which nodes of their trees define something.

use std::path::Path;

use tree_sitter::{Language, Node};

/// A kind of node, and what the definition is called.
type DefiningNode = (&'static str, &'static str);

#[derive(Debug)]
pub(super) struct OutlineLanguage {
    pub(super) name: &'static str,
    pub(super) grammar: Language,
    nodes: &'static [DefiningNode],
}

const RUST: &[DefiningNode] = &[
    ("const_item", "const"),
    ("enum_item", "enum"),
    ("function_item", "function"),
    ("function_signature_item", "function"),
    ("impl_item", "impl"),
    ("macro_definition", "macro"),
    ("mod_item", "module"),
    ("static_item", "static"),
    ("struct_item", "struct"),
    ("trait_item", "trait"),
    ("type_item", "type"),
    ("union_item", "union"),
];

const PYTHON: &[DefiningNode] =
    &[("class_definition", "class"), ("function_definition", "function")];

const JAVASCRIPT: &[DefiningNode] = &[
    ("abstract_class_declaration", "class"),
    ("abstract_method_signature", "method"),
    ("class_declaration", "class"),
    ("enum_declaration", "enum"),
    ("function_declaration", "function"),
    ("function_signature", "function"),
    ("generator_function_declaration", "function"),
    ("interface_declaration", "interface"),
    ("internal_module", "namespace"),
    ("method_definition", "method"),
    ("method_signature", "method"),
    ("module", "module"),
    ("type_alias_declaration", "type"),
    ("variable_declarator", "function"),
];

const GO: &[DefiningNode] = &[
    ("const_spec", "const"),
    ("function_declaration", "function"),
    ("method_declaration", "method"),
    ("method_elem", "method"),
    ("type_alias", "type"),
    ("type_spec", "type"),
];

const JAVA: &[DefiningNode] = &[
    ("annotation_type_declaration", "annotation"),
    ("class_declaration", "class"),
    ("compact_constructor_declaration", "constructor"),
    ("constructor_declaration", "constructor"),
    ("enum_declaration", "enum"),
    ("interface_declaration", "interface"),
    ("method_declaration", "method"),
    ("record_declaration", "record"),
];

const C: &[DefiningNode] = &[
    ("enum_specifier", "enum"),
    ("function_definition", "function"),
    ("preproc_function_def", "macro"),
    ("struct_specifier", "struct"),
    ("type_definition", "type"),
    ("union_specifier", "union"),
];

pub(super) fn language_of(path: &Path) -> Option<OutlineLanguage> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    let (name, grammar, nodes): (_, Language, _) = match &*ending {
        "rs" => ("rust", tree_sitter_rust::LANGUAGE.into(), RUST),
        "py" | "pyi" => ("python", tree_sitter_python::LANGUAGE.into(), PYTHON),
        // The widest grammar of the family reads the others too, and each weighs a megabyte. Of TypeScript
        // it does not know casts with `<T>`, and goes on behind one.
        "ts" | "mts" | "cts" => ("typescript", widest(), JAVASCRIPT),
        "tsx" => ("tsx", widest(), JAVASCRIPT),
        "js" | "mjs" | "cjs" | "jsx" => ("javascript", widest(), JAVASCRIPT),
        "go" => ("go", tree_sitter_go::LANGUAGE.into(), GO),
        "java" => ("java", tree_sitter_java::LANGUAGE.into(), JAVA),
        "c" | "h" => ("c", tree_sitter_c::LANGUAGE.into(), C),
        _ => return None,
    };
    Some(OutlineLanguage { name, grammar, nodes })
}

fn widest() -> Language {
    tree_sitter_typescript::LANGUAGE_TSX.into()
}

impl OutlineLanguage {
    /// What a node defines, and under which name.
    pub(super) fn defines(&self, node: Node<'_>, source: &[u8]) -> Option<(&'static str, String)> {
        if !node.is_named() {
            return None;
        }
        let (_, kind) = self.nodes.iter().find(|(known, _)| *known == node.kind())?;
        let text = |node: Node<'_>| {
            String::from_utf8_lossy(source.get(node.byte_range()).unwrap_or_default()).into_owned()
        };
        let field = |name| node.child_by_field_name(name);
        let name = match node.kind() {
            "impl_item" => {
                let of = text(field("type")?);
                field("trait").map_or(of.clone(), |what| format!("{} for {of}", text(what)))
            }
            "method_declaration" if self.name == "go" => {
                let receiver = field("receiver").map(text).unwrap_or_default();
                format!("{receiver} {}", text(field("name")?)).trim().to_owned()
            }
            // Only what holds a function is worth a line.
            "variable_declarator" => {
                let value = field("value")?.kind();
                let is_function = matches!(
                    value,
                    "arrow_function" | "function_expression" | "generator_function" | "class"
                );
                text(field("name").filter(|_| is_function)?)
            }
            "function_definition" | "type_definition" if self.name == "c" => {
                text(declared(field("declarator")?))
            }
            // A mention of one that is defined elsewhere has no body.
            "struct_specifier" | "union_specifier" | "enum_specifier" => {
                field("body")?;
                text(field("name")?)
            }
            _ => text(field("name")?),
        };
        Some((kind, name))
    }
}

/// The name in a declarator of C, which stands inside what it is a pointer to, a function of or an array of.
fn declared(mut node: Node<'_>) -> Node<'_> {
    for _ in 0..32 {
        let inner = node.child_by_field_name("declarator").or_else(|| match node.kind() {
            "parenthesized_declarator" => node.named_child(0),
            _ => None,
        });
        match inner {
            Some(inner) => node = inner,
            None => return node,
        }
    }
    node
}
