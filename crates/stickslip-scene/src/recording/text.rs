//! Tables as comma-separated text: numbers as the shortest text that reads as the same bits.

use super::column::Column;

/// The first line, which names the columns.
pub(super) fn header(columns: &[Column]) -> String {
    let cells: Vec<String> = columns.iter().map(|column| cell(&column.name)).collect();
    cells.join(",") + "\n"
}

/// The shortest text that reads as the same number.
pub(super) fn number(v: f64, line: &mut Vec<u8>) {
    line.extend(zmij::Buffer::new().format(v).bytes());
}

/// A cell of a table: in quotes where a comma, a quote or a line end would split it.
pub(super) fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
