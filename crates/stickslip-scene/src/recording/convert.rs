//! From one format of a table to another, with the bits of every number.

use super::arrow::{ArrowTable, ArrowWriter, Cell, Tail, cells, has_nulls};
use super::column::{Cells, Column, Header};
use super::{RecordError, WholeFile, text};
use csv::{Reader, ReaderBuilder, StringRecord};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// What a conversion came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Converted {
    /// Lines written.
    pub lines: u64,
    /// How the file that was read ends.
    pub tail: Tail,
}

/// Writes a table of Apache Arrow as text. Of a torn file the complete batches, if `partial` says so.
///
/// # Errors
/// If the file cannot be read, is another or torn, or the other cannot be written.
pub fn arrow_to_csv(from: &Path, to: &Path, partial: bool) -> Result<Converted, RecordError> {
    let mut table = ArrowTable::open(from)?;
    refuse_torn(from, table.tail, partial)?;
    let mut file = create(to)?;
    let failed = |e: io::Error| RecordError::file(to, e);
    file.write_all(text::header(&table.header.columns).as_bytes()).map_err(failed)?;
    let (mut line, mut lines) = (Vec::new(), 0);
    while let Some(batch) = table.next_batch()? {
        if has_nulls(&batch) {
            return Err(RecordError::read(from, "it has cells without a value: no table of ours"));
        }
        for i in 0..batch.num_rows() {
            line.clear();
            for (j, cell) in cells(&batch, i).enumerate() {
                if j > 0 {
                    line.push(b',');
                }
                match cell {
                    Cell::Number(value) => text::number(value, &mut line),
                    Cell::Text(value) => line.extend(text::cell(value).bytes()),
                }
            }
            line.push(b'\n');
            file.write_all(&line).map_err(failed)?;
            lines += 1;
        }
    }
    file.commit()?;
    Ok(Converted { lines, tail: table.tail })
}

/// Writes a table of text as Apache Arrow. Columns named `contact`, `event`, `mode`, `first`, `second` or `*.mode`, and those with a cell that is no number, are
/// words; text says neither units nor meanings. Of a torn file the complete lines, if `partial` says so.
///
/// # Errors
/// If the file cannot be read, is another or torn, or the other cannot be written.
pub fn csv_to_arrow(from: &Path, to: &Path, partial: bool) -> Result<Converted, RecordError> {
    let (tail, complete) =
        complete_lines(from).map_err(|e| RecordError::read(from, e.to_string()))?;
    refuse_torn(from, tail, partial)?;
    let header = columns(from, complete)?;
    let mut file = create(to)?;
    let failed = |e: io::Error| RecordError::file(to, e);
    let (mut writer, first) = ArrowWriter::new(&header).map_err(failed)?;
    file.write_all(&first).map_err(failed)?;
    let (mut reader, mut lines) = (reader(from, complete)?, 0);
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).map_err(|e| damaged(from, &e))? {
        for (column, cell) in header.columns.iter().zip(&record) {
            match (column.cells, cell.parse()) {
                (Cells::Numbers, Ok(value)) => writer.number(value),
                (Cells::Numbers, Err(_)) => {
                    return Err(RecordError::read(from, "it changed while it was read"));
                }
                (Cells::Texts, _) => writer.text(cell),
            }
        }
        let bytes = writer.end_line().map_err(failed)?;
        file.write_all(bytes).map_err(failed)?;
        lines += 1;
    }
    file.write_all(writer.finish().map_err(failed)?).map_err(failed)?;
    file.commit()?;
    Ok(Converted { lines, tail })
}

fn create(to: &Path) -> Result<WholeFile, RecordError> {
    let dir = to.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    WholeFile::create(dir, &to.file_name().unwrap_or_default().to_string_lossy())
}

fn refuse_torn(from: &Path, tail: Tail, partial: bool) -> Result<(), RecordError> {
    match tail {
        Tail::Torn { complete } if !partial => {
            Err(RecordError::Torn { path: from.to_owned(), complete })
        }
        _ => Ok(()),
    }
}

fn damaged(path: &Path, error: &csv::Error) -> RecordError {
    RecordError::read(path, error.to_string())
}

/// How a file of lines ends, and how many of its bytes are whole lines.
fn complete_lines(path: &Path) -> io::Result<(Tail, u64)> {
    const BLOCK: u64 = 1 << 16;
    let mut file = File::open(path)?;
    let size = file.seek(SeekFrom::End(0))?;
    let mut end = size;
    while end > 0 {
        let start = end.saturating_sub(BLOCK);
        let mut block = vec![0; (end - start) as usize];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut block)?;
        if let Some(i) = block.iter().rposition(|&b| b == b'\n') {
            let complete = start + i as u64 + 1;
            let tail = if complete == size { Tail::Open } else { Tail::Torn { complete } };
            return Ok((tail, complete));
        }
        end = start;
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "it has no line that names columns"))
}

fn reader(path: &Path, complete: u64) -> Result<Reader<io::Take<File>>, RecordError> {
    let file = File::open(path).map_err(|e| RecordError::read(path, e.to_string()))?;
    Ok(ReaderBuilder::new().from_reader(file.take(complete)))
}

/// The columns of a table of text, by their names and by all their cells.
fn columns(path: &Path, complete: u64) -> Result<Header, RecordError> {
    let mut reader = reader(path, complete)?;
    let names = reader.headers().map_err(|e| damaged(path, &e))?.clone();
    let word = |name: &str| {
        ["contact", "event", "mode", "first", "second"].contains(&name) || name.ends_with(".mode")
    };
    let mut numbers: Vec<bool> = names.iter().map(|name| !word(name)).collect();
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).map_err(|e| damaged(path, &e))? {
        for (number, cell) in numbers.iter_mut().zip(&record) {
            *number &= cell.parse::<f64>().is_ok();
        }
    }
    let column = |(name, &number): (&str, &bool)| {
        if number { Column::number(name, "", "") } else { Column::text(name, "") }
    };
    let columns: Vec<Column> = names.iter().zip(&numbers).map(column).collect();
    match columns.first() {
        Some(first) if first.name == "t" && first.cells == Cells::Numbers => {
            Ok(Header { columns, facts: Vec::new() })
        }
        _ => Err(RecordError::read(path, "its first column is no time `t`: no table of a run")),
    }
}
