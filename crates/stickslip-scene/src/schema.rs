//! The JSON schema of scene files, for editors.

use crate::keys::{Form, Key, Kind, TableKeys, all_tables, all_top};
use serde_json::{Map, Value, json};

/// The JSON schema (draft 7) of scene files. It says which keys there are and what kind of value each takes; that expressions are in
/// order only [`Scene`](crate::Scene) can tell.
#[must_use]
pub fn schema() -> Value {
    let mut properties: Map<String, Value> =
        all_top().map(|key| (key.name.to_owned(), of_key(key))).collect();
    properties.extend(all_tables().map(|table| (table.name.to_owned(), of_table(table))));
    let required = ["coordinates", "energy"];
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A scene of stickslip",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
        // What must be there may stand in an included file.
        "anyOf": [{ "required": required }, { "required": ["body"] }, { "required": ["robot"] }, { "required": ["include"] }],
    })
}

fn of_table(table: &TableKeys) -> Value {
    let described = |mut schema: Value| {
        schema["description"] = json!(table.meaning);
        schema
    };
    described(match table.form {
        Form::One => object(table.keys, false),
        Form::List => {
            let mut items = object(table.keys, true);
            if !table.either.is_empty() {
                let one = |keys: &&[&str]| json!({ "required": keys });
                items["anyOf"] = table.either.iter().map(one).collect();
            }
            json!({ "type": "array", "items": items })
        }
        Form::Named => {
            json!({ "type": "object", "additionalProperties": object(table.keys, true) })
        }
        Form::Values => {
            let plain = table.keys.iter().find(|key| key.name == "value").map(of_key);
            let one = json!({ "anyOf": [plain, object(table.keys, true)] });
            json!({ "type": "object", "additionalProperties": one })
        }
    })
}

fn object(keys: &[Key], repeated: bool) -> Value {
    let mut properties: Map<String, Value> =
        keys.iter().map(|key| (key.name.to_owned(), of_key(key))).collect();
    if repeated {
        let description = "makes one table for every value of the indices, e.g. { i = \"0:n-1\" }";
        let ranges = json!({ "type": "string", "pattern": "^[^:]+:[^:]+$" });
        let repeat =
            json!({ "type": "object", "additionalProperties": ranges, "description": description });
        properties.insert("repeat".to_owned(), repeat);
    }
    let required: Vec<&str> = keys.iter().filter(|key| key.required).map(|key| key.name).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn of_key(key: &Key) -> Value {
    let mut schema = of_kind(&key.kind);
    schema["description"] = json!(key.meaning);
    schema
}

fn of_kind(kind: &Kind) -> Value {
    let number = || json!({ "type": ["number", "string"] });
    match kind {
        Kind::Text | Kind::Condition => json!({ "type": "string" }),
        Kind::Truth => json!({ "type": "boolean" }),
        Kind::Count(least, most) => {
            json!({ "type": "integer", "minimum": least, "maximum": most })
        }
        Kind::Scalar | Kind::Expression => number(),
        Kind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        Kind::Numbers => json!({ "type": "array", "items": number() }),
        Kind::Vector(n) => {
            json!({ "type": "array", "items": number(), "minItems": n, "maxItems": n })
        }
        Kind::List(of) => json!({ "type": "array", "items": of_kind(of) }),
        Kind::Table(keys) => object(keys, false),
        Kind::Single(keys) => {
            let mut schema = object(keys, false);
            (schema["minProperties"], schema["maxProperties"]) = (json!(1), json!(1));
            schema
        }
        Kind::Names(of) => json!({ "type": "object", "additionalProperties": of_kind(of) }),
        Kind::Either(kinds) => json!({ "anyOf": kinds.iter().map(of_kind).collect::<Vec<_>>() }),
        Kind::Word(words) => json!({ "enum": words() }),
    }
}

/// The table of all keys in the book.
#[must_use]
pub fn key_table() -> String {
    let mut lines = vec!["| table | key | meaning |".to_owned(), "|---|---|---|".to_owned()];
    for key in all_top() {
        lines.push(format!("| | `{}` | {} |", key.name, key.meaning));
    }
    for table in all_tables() {
        let name = match table.form {
            Form::List => format!("[[{}]]", table.name),
            _ => format!("[{}]", table.name),
        };
        let any = if matches!(table.form, Form::Named | Form::Values) { "any name" } else { "" };
        lines.push(format!("| `{name}` | {any} | {} |", table.meaning));
        for key in table.keys {
            lines.push(format!("| | `{}` | {} |", key.name, line(key)));
        }
    }
    lines.join("\n") + "\n"
}

fn line(key: &Key) -> String {
    let words = match key.kind {
        Kind::Word(words) => {
            let list: Vec<String> = words().iter().map(|word| format!("`{word}`")).collect();
            format!(": {}", list.join(", "))
        }
        _ => String::new(),
    };
    format!("{}{words}", key.meaning)
}
