//! The tree that links and joints form.

use crate::error::{Error, Problem};
use crate::names::Names;
use crate::xml::Element;

/// Links in an order in which parents come first, each with the joint above it.
pub(super) struct Tree<'a> {
    /// Links with the joint that leads to them (none for the root) and the number of their parent in this list.
    pub(super) order: Vec<(&'a Element, Option<&'a Element>, Option<usize>)>,
}

impl<'a> Tree<'a> {
    pub(super) fn new(root: &'a Element, names: &mut Names) -> Result<Self, Error> {
        let links: Vec<&Element> = root.children_named("link").collect();
        for (index, link) in links.iter().enumerate() {
            let name = link.required("name")?;
            names.insert(&name.value, index, &name.place)?;
        }
        if links.is_empty() {
            let (element, parent) = ("link", "robot".to_owned());
            return Err(root.error(Problem::MissingElement { element, parent }));
        }
        let mut above: Vec<Option<(&Element, usize)>> = vec![None; links.len()];
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); links.len()];
        for joint in root.children_named("joint") {
            let parent = names.find(joint.required_child("parent")?.required("link")?)?;
            let attribute = joint.required_child("child")?.required("link")?;
            let child = names.find(attribute)?;
            if let Some((first, _)) = above[child] {
                let (link, joint) =
                    (attribute.value.clone(), first.required("name")?.value.clone());
                return Err(attribute.place.error(Problem::TwoParents { link, joint }));
            }
            above[child] = Some((joint, parent));
            below[parent].push(child);
        }
        let start = single_root(&links, &above)?;
        let order = descend(&links, &above, &below, start);
        if order.len() < links.len() {
            let mut reached = vec![false; links.len()];
            for (link, _, _) in &order {
                if let Some(k) = names.get(&name(link)) {
                    reached[k] = true;
                }
            }
            return Err(find_loop(&links, &above, &reached));
        }
        Ok(Self { order })
    }
}

fn single_root(links: &[&Element], above: &[Option<(&Element, usize)>]) -> Result<usize, Error> {
    let roots: Vec<usize> = (0..links.len()).filter(|&k| above[k].is_none()).collect();
    match roots[..] {
        [root] => Ok(root),
        [] => Err(find_loop(links, above, &vec![false; links.len()])),
        _ => {
            let names = roots.iter().map(|&k| name(links[k])).collect();
            Err(links[roots[1]].error(Problem::Roots(names)))
        }
    }
}

/// Parents before children, otherwise in the order of the file.
fn descend<'a>(
    links: &[&'a Element],
    above: &[Option<(&'a Element, usize)>],
    below: &[Vec<usize>],
    start: usize,
) -> Vec<(&'a Element, Option<&'a Element>, Option<usize>)> {
    let mut order = Vec::with_capacity(links.len());
    let mut waiting = vec![(start, None)];
    while let Some((k, parent)) = waiting.pop() {
        let here = order.len();
        order.push((links[k], above[k].map(|(joint, _)| joint), parent));
        waiting.extend(below[k].iter().rev().map(|&child| (child, Some(here))));
    }
    order
}

/// Goes up from a link that the root does not reach until one comes again.
fn find_loop(links: &[&Element], above: &[Option<(&Element, usize)>], reached: &[bool]) -> Error {
    let first = reached.iter().position(|reached| !reached).unwrap_or(0);
    let (mut seen, mut here) = (vec![first], first);
    let mut order = vec![None; links.len()];
    order[first] = Some(0);
    while let Some((_, parent)) = above[here] {
        if let Some(start) = order[parent] {
            let names = seen[start..].iter().map(|&k| name(links[k])).collect();
            let place = above[parent].map_or(&links[parent].place, |(joint, _)| &joint.place);
            return place.error(Problem::Loop(names));
        }
        order[parent] = Some(seen.len());
        seen.push(parent);
        here = parent;
    }
    links[first].error(Problem::Loop(vec![name(links[first])]))
}

fn name(link: &Element) -> String {
    link.attribute("name").map_or(String::new(), |name| name.value.clone())
}
