//! Tables of numbers from CSV files.

use crate::document::{Entry, Problem, Table};
use crate::include::Document;
use crate::keys::{INTERPOLATIONS, OUTSIDES, known};
use stickslip::expression::{Between, Interpolation, Outside, TableError, TableFunction, nearest};

/// The largest file, in bytes.
const LARGEST: u64 = 16 << 20;

/// Reads one of `[tables]`.
pub(crate) fn table_function(
    entry: &Entry<'_>,
    document: &Document,
) -> Result<TableFunction, Problem> {
    let table = entry.table("[tables.torque]")?;
    table.refuse_others(&known("tables"))?;
    let file = table.need("file", "file = \"torque.csv\"")?;
    let path = file.text("a path in quotes")?;
    let (x, y) = (column(&table, "x")?, column(&table, "y")?);
    let word = |key: &str, words| table.get(key).map(|e| e.choice(words)).transpose();
    let between = match word("interpolation", INTERPOLATIONS)? {
        Some("cubic") => Between::Cubic,
        _ => Between::Linear,
    };
    let outside = match word("outside", OUTSIDES)? {
        Some("hold") => Outside::Hold,
        _ => Outside::Error,
    };
    let rows = Rows::read(file, path, document)?;
    let [xs, ys] = [rows.column(x)?, rows.column(y)?];
    let points = Interpolation::new(&xs, &ys, between, outside).map_err(|error| {
        let line = match error {
            TableError::NotFinite(i) | TableError::NotIncreasing(i) | TableError::TooSteep(i) => {
                rows.lines.get(i).map_or(String::new(), |line| format!(", line {line}"))
            }
            _ => String::new(),
        };
        Problem::at(file.span(), format!("{path}{line}: {error}"))
    })?;
    Ok(TableFunction { name: entry.key.to_owned(), points })
}

/// The name of a column, and where it stands.
fn column<'t, 'a>(table: &'t Table<'a>, key: &'static str) -> Result<&'t Entry<'a>, Problem> {
    let entry = table.need(key, &format!("{key} = \"NAME OF THE COLUMN\""))?;
    entry.text("the name of a column in quotes")?;
    Ok(entry)
}

struct Rows<'a> {
    path: &'a str,
    file: &'a Entry<'a>,
    header: Vec<String>,
    cells: Vec<csv::StringRecord>,
    /// The line of each row.
    lines: Vec<u64>,
}

impl<'a> Rows<'a> {
    fn read(file: &'a Entry<'a>, path: &'a str, document: &Document) -> Result<Self, Problem> {
        let wrong = |reason: String| Problem::at(file.span(), reason);
        let Some(full) = document.path(file.file(), path) else {
            let problem = wrong("a scene that is no file cannot read tables".into());
            return Err(problem.cure("save it, and name the file"));
        };
        let cannot = |kind: std::io::ErrorKind| {
            wrong(format!("`{path}` cannot be read: {kind}"))
                .cure("the path is relative to the file in which it stands")
        };
        let size = std::fs::metadata(&full).map_err(|e| cannot(e.kind()))?.len();
        if size > LARGEST {
            return Err(wrong(format!("`{path}` has {size} bytes; {LARGEST} is the most")));
        }
        let text = std::fs::read(&full).map_err(|e| cannot(e.kind()))?;
        let mut reader = csv::ReaderBuilder::new()
            .comment(Some(b'#'))
            .trim(csv::Trim::All)
            .from_reader(text.as_slice());
        let unreadable = |e: csv::Error| wrong(format!("`{path}` is not a CSV file: {e}"));
        let header = reader.headers().map_err(unreadable)?.iter().map(String::from).collect();
        let (mut cells, mut lines) = (vec![], vec![]);
        for row in reader.records() {
            let row = row.map_err(unreadable)?;
            lines.push(row.position().map_or(0, csv::Position::line));
            cells.push(row);
        }
        Ok(Self { path, file, header, cells, lines })
    }

    fn column(&self, name: &Entry<'_>) -> Result<Vec<f64>, Problem> {
        let text = name.text("the name of a column in quotes")?;
        let Some(k) = self.header.iter().position(|column| column == text) else {
            let problem =
                Problem::at(name.span(), format!("`{}` has no column `{text}`", self.path));
            return Err(match nearest(text, self.header.iter().map(String::as_str)) {
                Some(near) => problem.cure(format!("did you mean `{near}`?")),
                None => problem.cure(format!("its first line has {}", self.header.join(", "))),
            });
        };
        let number = |(row, line): (&csv::StringRecord, &u64)| {
            let cell = row.get(k).unwrap_or("");
            cell.parse::<f64>().map_err(|_| {
                let reason = format!(
                    "{}, line {line}: `{cell}` in the column `{text}` is not a number",
                    self.path
                );
                Problem::at(self.file.span(), reason)
            })
        };
        self.cells.iter().zip(&self.lines).map(number).collect()
    }
}
