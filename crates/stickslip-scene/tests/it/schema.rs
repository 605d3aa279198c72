//! The schema of scene files: it is current, it takes every scene of the gallery, and it refuses what the reader refuses for its form.

use serde_json::Value;
use stickslip_scene::{Scene, gallery, key_table, schema};

fn at_root(path: &str) -> String {
    format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"))
}

/// With `STICKSLIP_BLESS=1` the file is written anew.
fn current(path: &str, text: &str) {
    if std::env::var_os("STICKSLIP_BLESS").is_some() {
        std::fs::write(path, text).unwrap();
    }
    assert_eq!(
        std::fs::read_to_string(path).unwrap_or_default(),
        text,
        "{path} is not current: `cargo xtask book-reference`"
    );
}

#[test]
fn schema_in_the_repository_is_current() {
    let text = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    current(&at_root("crates/stickslip-scene/scene.schema.json"), &text);
}

#[test]
fn table_of_keys_in_the_book_is_current() {
    let page = format!(
        "# Keys of scene files\n\n\
         This page is made from the reader of scenes by `cargo xtask book-reference`. How to write a scene is in the [guide](../guide/scenes.md); `stickslip schema`\n\
         prints the same as a JSON schema, with which editors complete and check scenes.\n\n{}",
        key_table()
    );
    current(&at_root("book/src/reference/scene_keys.md"), &page);
}

fn json(text: &str) -> Option<Value> {
    let value: toml::Value = toml::from_str(text).ok()?;
    serde_json::to_value(value).ok()
}

/// What is wrong with a value by a schema, for the words that ours uses.
fn wrong(value: &Value, schema: &Value) -> Option<String> {
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        _ => vec![],
    };
    let is = |kind: &&str| match *kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        other => panic!("{other} is not known to this check"),
    };
    if !types.is_empty() && !types.iter().any(is) {
        return Some(format!("{value} is not {types:?}"));
    }
    if let Some(all) = schema["anyOf"].as_array() {
        let found: Vec<String> = all.iter().filter_map(|one| wrong(value, one)).collect();
        if found.len() == all.len() {
            return Some(found.join("; "));
        }
    }
    if let Some(words) = schema["enum"].as_array()
        && !words.contains(value)
    {
        return Some(format!("{value} is none of {words:?}"));
    }
    let below = |word: &str| schema[word].as_f64().zip(value.as_f64());
    if below("minimum").is_some_and(|(m, x)| x < m) || below("maximum").is_some_and(|(m, x)| x > m)
    {
        return Some(format!("{value} is out of range"));
    }
    let count = value.as_object().map(|o| o.len()).or(value.as_array().map(Vec::len));
    for (word, sign) in
        [("minItems", 1), ("minProperties", 1), ("maxItems", -1), ("maxProperties", -1)]
    {
        let of_list = word.ends_with("Items") == value.is_array();
        if let (Some(bound), Some(found), true) = (schema[word].as_i64(), count, of_list)
            && sign * (found as i64 - bound) < 0
        {
            return Some(format!("{value} has {found} entries, {word} is {bound}"));
        }
    }
    if let Some(object) = value.as_object() {
        let required = schema["required"].as_array().into_iter().flatten();
        if let Some(missing) = required.filter_map(Value::as_str).find(|k| !object.contains_key(*k))
        {
            return Some(format!("`{missing}` is missing"));
        }
        for (key, inner) in object {
            let rule = match &schema["properties"][key] {
                Value::Null => &schema["additionalProperties"],
                known => known,
            };
            match rule {
                Value::Bool(false) => return Some(format!("unknown key `{key}`")),
                Value::Object(_) => {
                    if let Some(found) = wrong(inner, rule) {
                        return Some(format!("{key}: {found}"));
                    }
                }
                _ => {}
            }
        }
    }
    let items = value.as_array().filter(|_| schema["items"].is_object());
    items.into_iter().flatten().find_map(|item| wrong(item, &schema["items"]))
}

#[test]
fn every_scene_of_the_gallery_is_in_order_by_the_schema() {
    let schema = schema();
    for entry in gallery() {
        assert_eq!(wrong(&json(entry.text).unwrap(), &schema), None, "{}", entry.name);
    }
}

/// Mistakes of form among the broken scenes: the schema sees them too. Those of expressions and values it cannot see.
#[test]
fn mistakes_of_form_are_seen_by_the_schema() {
    let (schema, mut seen, mut all) = (schema(), 0, 0);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bad");
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|e| e != "toml") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let Some(value) = json(&text) else { continue };
        let found = wrong(&value, &schema);
        let error = Scene::from_str_in(&text, "scene", folder.as_ref()).unwrap_err();
        let (reason, here) = (error.reason, error.file == "scene");
        let of_form = [
            "unknown key",
            "is missing in",
            "; it must be a table",
            "; it must be a string",
            "; it must be a list",
            "needs one of",
            "a part is one of",
            " numbers; it must have ",
            " expressions; it must have ",
        ];
        // A cycle has a section or a period: that is no matter of single keys.
        // What a joint needs depends on its kind.
        let of_kind = ["at", "to", "axis", "second_axis", "ratio"]
            .map(|key| format!("`{key}` is missing in [[joint]]"));
        let here = here && !reason.ends_with("[cycle]") && !of_kind.contains(&reason);
        if here && of_form.iter().any(|words| reason.contains(words)) {
            all += 1;
            seen += usize::from(found.is_some());
            assert!(found.is_some(), "{}: {reason}", path.display());
        }
    }
    assert!(all > 50 && seen == all, "{seen} of {all}");
}

/// What the reader takes, the schema takes, and every key of the schema is one that the reader knows.
#[test]
fn schema_and_reader_know_the_same_tables() {
    let keys = schema()["properties"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    for key in keys {
        let text = format!(
            "{key}_ = 1\ncoordinates.y = {{ velocity = \"v\" }}\nenergy.kinetic = \"v^2\"\n"
        );
        let message = Scene::from_str(&text, "scene").unwrap_err().to_string();
        assert!(message.contains(&format!("did you mean `{key}`?")), "{key}: {message}");
    }
}
