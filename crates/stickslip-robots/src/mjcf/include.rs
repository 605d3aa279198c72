//! `<include file="…"/>`: the contents of another file in place of the element.

use crate::error::{Error, Problem};
use crate::files::{Files, read_at};
use crate::xml::{self, DEEPEST, Element};

/// The most files of a model.
const MOST_FILES: usize = 1000;

/// The most elements of a model with all that it includes.
const MOST_ELEMENTS: usize = 1_000_000;

/// Puts included files in place. Names are relative to the folder of the model, wherever the including file is.
pub(super) fn expand(root: &mut Element, file: &str, files: &dyn Files) -> Result<(), Error> {
    let mut seen = vec![file.to_owned()];
    let mut elements = 1 + root.count_inside();
    expand_children(root, 0, files, &mut seen, &mut elements)
}

fn expand_children(
    element: &mut Element,
    depth: usize,
    files: &dyn Files,
    seen: &mut Vec<String>,
    elements: &mut usize,
) -> Result<(), Error> {
    if depth > DEEPEST {
        return Err(element.error(Problem::TooDeep { limit: DEEPEST }));
    }
    let mut expanded = Vec::with_capacity(element.children.len());
    for child in std::mem::take(&mut element.children) {
        if child.name != "include" {
            expanded.push(child);
            continue;
        }
        let mut included = load(&child, files, seen)?;
        *elements += included.count_inside();
        if *elements > MOST_ELEMENTS || seen.len() > MOST_FILES {
            return Err(child.error(Problem::TooMany { limit: MOST_ELEMENTS }));
        }
        // What is included may include more; it stands where the element stood.
        let mut inner = Element { children: std::mem::take(&mut included.children), ..included };
        expand_children(&mut inner, depth, files, seen, elements)?;
        expanded.append(&mut inner.children);
    }
    for child in &mut expanded {
        expand_children(child, depth + 1, files, seen, elements)?;
    }
    element.children = expanded;
    Ok(())
}

fn load(include: &Element, files: &dyn Files, seen: &mut Vec<String>) -> Result<Element, Error> {
    let file = include.required("file")?;
    if let Some(other) = include.attributes.iter().find(|attribute| attribute.name != "file") {
        return Err(other.place.error(Problem::UnknownAttribute {
            attribute: other.name.clone(),
            element: "include".to_owned(),
            nearest: crate::nearest::nearest(&other.name, ["file"]),
            known: "file".to_owned(),
        }));
    }
    if seen.contains(&file.value) {
        return Err(file.place.error(Problem::IncludedTwice(file.value.clone())));
    }
    seen.push(file.value.clone());
    let bytes = read_at(files, &file.value, &file.place)?;
    let root = xml::parse(&bytes, &file.value)?;
    match root.name.as_str() {
        "mujoco" | "mujocoinclude" => Ok(root),
        _ => Err(root.error(Problem::WrongRoot {
            found: root.name.clone(),
            expected: "mujocoinclude",
            format: "an included file",
        })),
    }
}
