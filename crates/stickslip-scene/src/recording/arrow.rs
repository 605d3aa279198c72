//! Tables in the stream format of Apache Arrow's interprocess communication: self-describing, and complete after every batch.
//!
//! A stream is a schema, record batches, and a mark at its end. Lines are gathered into batches of a fixed number, so that the bytes of a file do not
//! depend on when it was written. A stream that is cut anywhere can be read up to its last complete batch.

use super::RecordError;
use super::column::{Cells, Column, Header};
use super::table::Pending;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch, StringArray};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::{IpcWriteOptions, StreamWriter};
use arrow_ipc::{MetadataVersion, root_as_message};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Take};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use stickslip::memory::{Archive, Archived, Unreadable};

/// Lines of a batch: few, so that a file can be followed, and enough that what is said about a batch is a few hundredths of it.
pub(super) const BATCH: usize = 256;

/// Buffers begin at multiples of this many bytes.
const ALIGNMENT: usize = 8;

/// Where a field says its unit and its meaning.
const UNIT: &str = "unit";
const MEANING: &str = "meaning";

/// Turns lines into the bytes of a stream.
pub(super) struct ArrowWriter {
    schema: SchemaRef,
    /// Writes to memory, which is emptied after every batch.
    writer: StreamWriter<Vec<u8>>,
    pending: Vec<Pending>,
    /// The next column, and the lines that wait for their batch.
    column: usize,
    lines: usize,
    bytes: Vec<u8>,
}

impl std::fmt::Debug for ArrowWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ArrowWriter").field("lines", &self.lines).finish_non_exhaustive()
    }
}

impl ArrowWriter {
    /// A stream with these columns, and its first bytes.
    pub(super) fn new(header: &Header) -> io::Result<(Self, Vec<u8>)> {
        let schema = Arc::new(schema(header));
        let options = IpcWriteOptions::try_new(ALIGNMENT, false, MetadataVersion::V5);
        let options = options.map_err(io::Error::other)?;
        let writer = StreamWriter::try_new_with_options(Vec::new(), &schema, options);
        let mut writer = writer.map_err(io::Error::other)?;
        let first = std::mem::take(writer.get_mut());
        let pending = header.columns.iter().map(Pending::of).collect();
        Ok((Self { schema, writer, pending, column: 0, lines: 0, bytes: Vec::new() }, first))
    }

    /// The next cell, of a column of numbers.
    pub(super) fn number(&mut self, value: f64) {
        if let Some(Pending::Numbers(list)) = self.pending.get_mut(self.column) {
            list.push(value);
        }
        self.column += 1;
    }

    /// The next cell, of a column of words.
    pub(super) fn text(&mut self, value: &str) {
        if let Some(Pending::Texts(list)) = self.pending.get_mut(self.column) {
            list.push(value.to_owned());
        }
        self.column += 1;
    }

    /// Ends the line; returns the bytes of a batch if it is full.
    pub(super) fn end_line(&mut self) -> io::Result<&[u8]> {
        (self.column, self.lines) = (0, self.lines + 1);
        self.bytes.clear();
        if self.lines >= BATCH {
            self.flush()?;
        }
        Ok(&self.bytes)
    }

    /// Ends the stream; returns its last bytes.
    pub(super) fn finish(&mut self) -> io::Result<&[u8]> {
        self.bytes.clear();
        if self.lines > 0 {
            self.flush()?;
        }
        self.writer.finish().map_err(io::Error::other)?;
        self.bytes.append(self.writer.get_mut());
        Ok(&self.bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        let columns = self.pending.iter_mut().map(|pending| -> ArrayRef {
            match pending {
                Pending::Numbers(list) => Arc::new(Float64Array::from(std::mem::take(list))),
                Pending::Texts(list) => {
                    let array = StringArray::from_iter_values(list.iter());
                    list.clear();
                    Arc::new(array)
                }
            }
        });
        let batch = RecordBatch::try_new(self.schema.clone(), columns.collect());
        let batch = batch.map_err(io::Error::other)?;
        self.writer.write(&batch).map_err(io::Error::other)?;
        self.bytes.append(self.writer.get_mut());
        self.lines = 0;
        Ok(())
    }
}

/// The lines that wait for their batch.
impl Archived for ArrowWriter {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        self.lines.pass(archive)?;
        self.pending.iter_mut().try_for_each(|pending| pending.pass(archive))
    }
}

fn schema(header: &Header) -> Schema {
    let field = |column: &Column| {
        let kind = match column.cells {
            Cells::Numbers => DataType::Float64,
            Cells::Texts => DataType::Utf8,
        };
        let said = [(UNIT, &column.unit), (MEANING, &column.meaning)];
        let said = said.into_iter().filter(|(_, text)| !text.is_empty());
        let said: HashMap<String, String> =
            said.map(|(key, text)| (key.to_owned(), text.clone())).collect();
        Field::new(&column.name, kind, false).with_metadata(said)
    };
    let fields: Vec<Field> = header.columns.iter().map(field).collect();
    let facts: HashMap<String, String> = header.facts.iter().cloned().collect();
    Schema::new_with_metadata(fields, facts)
}

/// How a file ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// With the mark of its end.
    Complete,
    /// After a complete batch or line: it may still be written.
    Open,
    /// In the middle of a batch or a line, after so many bytes that are complete.
    Torn {
        /// The bytes that are complete.
        complete: u64,
    },
}

/// A table in a stream of Apache Arrow.
pub(super) struct ArrowTable {
    path: PathBuf,
    pub(super) header: Header,
    pub(super) tail: Tail,
    reader: StreamReader<Take<BufReader<File>>>,
}

impl ArrowTable {
    /// Opens a file and finds out how much of it is complete.
    pub(super) fn open(path: &Path) -> Result<Self, RecordError> {
        let unreadable = |e: io::Error| RecordError::read(path, e.to_string());
        let mut file = BufReader::new(File::open(path).map_err(unreadable)?);
        let (tail, complete) = scan(&mut file).map_err(unreadable)?;
        file.seek(SeekFrom::Start(0)).map_err(unreadable)?;
        if complete == 0 {
            let reason = "it is no Apache Arrow stream, or is cut before its columns are said";
            return Err(RecordError::read(path, reason));
        }
        let reader = StreamReader::try_new(file.take(complete), None);
        let reader = reader.map_err(|e| RecordError::read(path, e.to_string()))?;
        let header = header(&reader.schema()).map_err(|e| RecordError::read(path, e))?;
        Ok(Self { path: path.to_owned(), header, tail, reader })
    }

    /// The next batch of lines.
    pub(super) fn next_batch(&mut self) -> Result<Option<RecordBatch>, RecordError> {
        let damaged = |e: ArrowError| RecordError::read(&self.path, format!("it is damaged: {e}"));
        self.reader.next().transpose().map_err(damaged)
    }
}

/// A cell of a batch.
pub(super) enum Cell<'a> {
    Number(f64),
    Text(&'a str),
}

/// The cells of a line of a batch; its columns are those of [`header`].
pub(super) fn cells(batch: &RecordBatch, line: usize) -> impl Iterator<Item = Cell<'_>> {
    batch.columns().iter().map(move |column| match column.as_primitive_opt::<Float64Type>() {
        Some(numbers) => Cell::Number(numbers.value(line)),
        None => Cell::Text(column.as_string_opt::<i32>().map_or("", |texts| texts.value(line))),
    })
}

/// Whether a batch has cells without a value, which tables of ours never have.
pub(super) fn has_nulls(batch: &RecordBatch) -> bool {
    batch.columns().iter().any(|column| column.null_count() > 0)
}

fn header(schema: &Schema) -> Result<Header, String> {
    let column = |field: &Arc<Field>| {
        let said = |key: &str| field.metadata().get(key).cloned().unwrap_or_default();
        let name = field.name().clone();
        let cells = match field.data_type() {
            DataType::Float64 => Cells::Numbers,
            DataType::Utf8 => Cells::Texts,
            other => {
                return Err(format!(
                    "column `{name}` holds {other}; only numbers of 64 bits and UTF-8 texts are known here"
                ));
            }
        };
        Ok(Column { name, cells, unit: said(UNIT), meaning: said(MEANING) })
    };
    let columns: Result<_, _> = schema.fields().iter().map(column).collect();
    let facts = schema.metadata().iter().map(|(k, v)| (k.clone(), v.clone())).collect();
    Ok(Header { columns: columns?, facts })
}

/// Goes through the messages of a stream without reading their bodies: how it ends, and how many bytes of it are complete.
fn scan<R: Read + Seek>(file: &mut R) -> io::Result<(Tail, u64)> {
    let size = file.seek(SeekFrom::End(0))?;
    let (mut at, mut messages) = (0_u64, 0);
    loop {
        let torn = Ok((Tail::Torn { complete: at }, at));
        if at == size {
            return Ok((Tail::Open, at));
        }
        let mut prefix = [0; 8];
        if size - at < 8 {
            return torn;
        }
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(&mut prefix)?;
        let [a, b, c, d, e, f, g, h] = prefix;
        let length = u64::from(u32::from_le_bytes([e, f, g, h]));
        if [a, b, c, d] != [0xff; 4] {
            let what = "it is no Apache Arrow stream";
            let what = if messages == 0 { what } else { "it is damaged between two batches" };
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        if length == 0 {
            return match size - at {
                8 => Ok((Tail::Complete, at + 8)),
                _ => Err(io::Error::new(io::ErrorKind::InvalidData, "something follows its end")),
            };
        }
        if size - at - 8 < length {
            return torn;
        }
        let mut metadata = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        file.read_exact(&mut metadata)?;
        let message = root_as_message(&metadata)
            .map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e.to_string()))?;
        let Ok(body) = u64::try_from(message.bodyLength()) else {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it is damaged"));
        };
        if size - at - 8 - length < body {
            return torn;
        }
        (at, messages) = (at + 8 + length + body, messages + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn header() -> Header {
        let columns = vec![Column::number("t", "s", "time"), Column::text("mode", "")];
        Header { columns, facts: vec![("title".into(), "a test".into())] }
    }

    /// A stream of so many lines, and where its schema and its batches end.
    fn stream(lines: usize) -> (Vec<u8>, Vec<usize>) {
        let (mut writer, mut bytes) = ArrowWriter::new(&header()).unwrap();
        let mut ends = vec![bytes.len()];
        for i in 0..lines {
            writer.number(i as f64 / 3.0);
            writer.text(if i % 2 == 0 { "stick" } else { "slip+" });
            let batch = writer.end_line().unwrap();
            if !batch.is_empty() {
                bytes.extend_from_slice(batch);
                ends.push(bytes.len());
            }
        }
        bytes.extend_from_slice(writer.finish().unwrap());
        ends.push(bytes.len() - 8);
        (bytes, ends)
    }

    fn lines_of(bytes: &[u8]) -> usize {
        let reader = StreamReader::try_new(Cursor::new(bytes), None).unwrap();
        let mut line = 0;
        for batch in reader {
            let batch = batch.unwrap();
            for i in 0..batch.num_rows() {
                let found: Vec<_> = cells(&batch, i).collect();
                assert!(matches!(found[0], Cell::Number(x) if x == line as f64 / 3.0));
                assert!(matches!(found[1], Cell::Text(x) if x.len() == 5));
                line += 1;
            }
        }
        line
    }

    #[test]
    fn a_stream_cut_at_any_byte_is_read_up_to_its_last_complete_batch_and_no_further() {
        let (bytes, ends) = stream(2 * BATCH + 7);
        for n in 0..=bytes.len() {
            let (tail, complete) = scan(&mut Cursor::new(&bytes[..n])).unwrap();
            let batches = ends.iter().filter(|&&end| end <= n).count();
            if n == bytes.len() {
                assert_eq!((tail, complete), (Tail::Complete, n as u64));
                assert_eq!(lines_of(&bytes), 2 * BATCH + 7);
                continue;
            }
            let end = ends[..batches].last().copied().unwrap_or(0);
            assert_eq!(complete, end as u64, "{n}");
            let torn = Tail::Torn { complete: end as u64 };
            assert_eq!(tail, if n == end { Tail::Open } else { torn }, "{n}");
            if batches > 0 {
                let lines = [0, BATCH, 2 * BATCH, 2 * BATCH + 7][batches - 1];
                assert_eq!(lines_of(&bytes[..end]), lines, "{n}");
            }
        }
    }

    #[test]
    fn columns_say_their_units_and_tables_their_facts() {
        let (bytes, _) = stream(3);
        let reader = StreamReader::try_new(Cursor::new(bytes.as_slice()), None).unwrap();
        assert_eq!(super::header(&reader.schema()).unwrap(), header());
    }

    #[test]
    fn foreign_and_damaged_bytes_are_errors() {
        let (mut bytes, ends) = stream(BATCH);
        assert!(scan(&mut Cursor::new(b"t,x,v\n0,1,2\n")).is_err());
        bytes[ends[0]] = 0;
        assert!(scan(&mut Cursor::new(&bytes)).is_err());
    }
}
