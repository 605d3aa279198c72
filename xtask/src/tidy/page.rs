//! A Markdown page as the facts that the checks need.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// Code spans, links, fenced blocks, tables and headings of a page, with line numbers from 1.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) code_spans: Vec<(usize, String)>,
    pub(crate) links: Vec<(usize, String)>,
    pub(crate) fences: Vec<Fence>,
    pub(crate) tables: Vec<Table>,
    /// Headings as plain text.
    pub(crate) headings: Vec<String>,
}

/// A fenced block of code.
#[derive(Debug)]
pub(crate) struct Fence {
    pub(crate) line: usize,
    /// What follows the opening fence: `rust,ignore`, say.
    pub(crate) info: String,
    pub(crate) text: String,
}

/// A table as plain text.
#[derive(Debug, Default)]
pub(crate) struct Table {
    pub(crate) header: Vec<String>,
    pub(crate) rows: Vec<(usize, Vec<String>)>,
}

impl Page {
    pub(crate) fn parse(text: &str) -> Self {
        let mut page = Self::default();
        let mut cell: Option<String> = None;
        let mut row = Vec::new();
        let mut in_fence = false;
        let mut heading: Option<String> = None;
        let events = Parser::new_ext(text, Options::ENABLE_TABLES);
        for (event, range) in events.into_offset_iter() {
            let line = 1 + text[..range.start].matches('\n').count();
            match event {
                Event::Code(code) => {
                    push_to(&mut cell, &code);
                    push_to(&mut heading, &code);
                    page.code_spans.push((line, code.into_string()));
                }
                Event::Text(part) if in_fence => {
                    let fence = page.fences.last_mut();
                    fence.into_iter().for_each(|f| f.text.push_str(&part));
                }
                Event::Text(part) => {
                    push_to(&mut cell, &part);
                    push_to(&mut heading, &part);
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => page.headings.extend(heading.take()),
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push((line, dest_url.into_string()));
                }
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                    in_fence = true;
                    let (info, text) = (info.into_string(), String::new());
                    page.fences.push(Fence { line, info, text });
                }
                Event::End(TagEnd::CodeBlock) => in_fence = false,
                Event::Start(Tag::Table(_)) => page.tables.push(Table::default()),
                Event::Start(Tag::TableCell) => cell = Some(String::new()),
                Event::End(TagEnd::TableCell) => row.extend(cell.take()),
                Event::End(end @ (TagEnd::TableHead | TagEnd::TableRow)) => {
                    let cells = std::mem::take(&mut row);
                    if let Some(table) = page.tables.last_mut() {
                        match end {
                            TagEnd::TableHead => table.header = cells,
                            _ => table.rows.push((line, cells)),
                        }
                    }
                }
                _ => {}
            }
        }
        page
    }
}

fn push_to(cell: &mut Option<String>, part: &str) {
    if let Some(cell) = cell {
        cell.push_str(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_links_fences_and_tables_are_told_apart() {
        let page = Page::parse(
            "See `a/b.rs` and [c](d.md).\n\n```rust\nlet [x](y) = `z`;\n```\n\n\
             | name | why |\n|---|---|\n| `serde` | because [e](f.md) |\n",
        );
        assert_eq!(page.code_spans, [(1, "a/b.rs".to_owned()), (9, "serde".to_owned())]);
        assert_eq!(page.links, [(1, "d.md".to_owned()), (9, "f.md".to_owned())]);
        assert_eq!((page.fences[0].line, &*page.fences[0].info), (3, "rust"));
        assert_eq!(page.fences[0].text, "let [x](y) = `z`;\n");
        assert_eq!(page.tables[0].header, ["name", "why"]);
        let row = vec!["serde".to_owned(), "because e".to_owned()];
        assert_eq!(page.tables[0].rows, [(9, row)]);
        assert_eq!(Page::parse("# The `run` of it\n\nx\n").headings, ["The run of it"]);
    }
}
