//! Tables that a command writes into a page of the book, between markers.

use std::io;
use std::path::Path;

/// Replaces what stands between `<!-- name:begin -->` and `<!-- name:end -->` in a file.
///
/// # Errors
/// If the file cannot be read or written, or lacks the markers, or has them in the wrong order.
pub fn write_between_markers(path: &Path, name: &str, text: &str) -> io::Result<()> {
    let explained = |e: io::Error| io::Error::new(e.kind(), format!("{}: {e}", path.display()));
    let page = std::fs::read_to_string(path).map_err(explained)?;
    match between_markers(&page, name, text) {
        Some(page) => std::fs::write(path, page).map_err(explained),
        None => Err(io::Error::other(format!(
            "{} lacks the markers <!-- {name}:begin --> and <!-- {name}:end -->",
            path.display()
        ))),
    }
}

fn between_markers(page: &str, name: &str, text: &str) -> Option<String> {
    let begin = format!("<!-- {name}:begin -->");
    let from = page.find(&begin)? + begin.len();
    let to = from + page[from..].find(&format!("<!-- {name}:end -->"))?;
    Some(format!("{}\n\n{}\n\n{}", &page[..from], text.trim(), &page[to..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_between_the_markers_is_replaced() {
        let page = "# A\n<!-- a:begin -->\nold\n<!-- a:end -->\n<!-- b:begin --><!-- b:end -->\n";
        let once = between_markers(page, "a", "| new |\n").unwrap();
        let wanted =
            "# A\n<!-- a:begin -->\n\n| new |\n\n<!-- a:end -->\n<!-- b:begin --><!-- b:end -->\n";
        assert_eq!(once, wanted);
        assert_eq!(between_markers(&once, "a", "| new |").unwrap(), once);
    }

    #[test]
    fn missing_and_reversed_markers_are_refused() {
        assert_eq!(between_markers("no markers", "a", ""), None);
        assert_eq!(between_markers("<!-- a:end --><!-- a:begin -->", "a", ""), None);
        assert_eq!(between_markers("<!-- b:begin --><!-- b:end -->", "a", ""), None);
    }
}
