//! A table that is written cell by cell, as text and as Apache Arrow.

use super::arrow::ArrowWriter;
use super::column::{Cells, Column, Header};
use super::stream::StreamFile;
use super::{RecordError, text};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use stickslip::contact::solve::choose;
use stickslip::memory::{Archive, Archived, Unreadable};

/// In which format tables are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated text.
    #[default]
    Csv,
    /// The stream format of Apache Arrow's interprocess communication.
    Arrow,
    /// Both.
    Both,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Csv, Self::Arrow, Self::Both];

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Arrow => "arrow",
            Self::Both => "both",
        }
    }
}

impl FromStr for Format {
    type Err = stickslip::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(choose("format", text, &Self::ALL, Self::name)?)
    }
}

/// A table that grows line by line. Each cell is handed over in the order of the columns.
#[derive(Debug)]
pub(super) struct Table {
    csv: Option<StreamFile>,
    arrow: Option<(StreamFile, Option<ArrowWriter>)>,
    line: Vec<u8>,
}

impl Table {
    /// A new one, without its header.
    pub(super) fn create(dir: &Path, stem: &str, format: Format) -> Result<Self, RecordError> {
        Self::with(dir, stem, format, StreamFile::create)
    }

    /// One that is there.
    pub(super) fn reopen(dir: &Path, stem: &str, format: Format) -> Result<Self, RecordError> {
        Self::with(dir, stem, format, StreamFile::reopen)
    }

    fn with(
        dir: &Path,
        stem: &str,
        format: Format,
        open: fn(&Path, &str) -> Result<StreamFile, RecordError>,
    ) -> Result<Self, RecordError> {
        let csv = (format != Format::Arrow).then(|| open(dir, &format!("{stem}.csv")));
        let arrow = (format != Format::Csv).then(|| open(dir, &format!("{stem}.arrows")));
        let arrow = arrow.transpose()?.map(|file| (file, None));
        Ok(Self { csv: csv.transpose()?, arrow, line: Vec::new() })
    }

    /// The first file, by the name that it will have.
    pub(super) fn path(&self) -> &Path {
        let arrow = || self.arrow.as_ref().map(|(file, _)| file.path());
        self.csv.as_ref().map(StreamFile::path).or_else(arrow).unwrap_or(Path::new(""))
    }

    fn files(&mut self) -> impl Iterator<Item = &mut StreamFile> {
        self.csv.iter_mut().chain(self.arrow.iter_mut().map(|(file, _)| file))
    }

    /// Writes what the columns are.
    pub(super) fn begin(&mut self, header: &Header) -> io::Result<()> {
        if let Some(csv) = &mut self.csv {
            csv.write_all(text::header(&header.columns).as_bytes())?;
        }
        if let Some((file, writer)) = &mut self.arrow {
            let (begun, bytes) = ArrowWriter::new(header)?;
            file.write_all(&bytes)?;
            // Others can read what there is from the first line on.
            file.flush()?;
            *writer = Some(begun);
        }
        Ok(())
    }

    /// Goes on after a header that was written before, which has to be the same.
    pub(super) fn go_on(&mut self, header: &Header) -> io::Result<()> {
        let other = || io::Error::new(io::ErrorKind::InvalidData, "its columns are others");
        if let Some(csv) = &self.csv {
            let expected = text::header(&header.columns);
            if csv.start(expected.len())? != expected.as_bytes() {
                return Err(other());
            }
        }
        if let Some((file, writer)) = &mut self.arrow {
            let (begun, bytes) = ArrowWriter::new(header)?;
            if file.start(bytes.len())? != bytes {
                return Err(other());
            }
            *writer = Some(begun);
        }
        Ok(())
    }

    /// The next cell of a column of numbers.
    pub(super) fn number(&mut self, value: f64) {
        if self.csv.is_some() {
            text::number(value, &mut self.line);
            self.line.push(b',');
        }
        if let Some((_, Some(writer))) = &mut self.arrow {
            writer.number(value);
        }
    }

    /// The next cell of a column of words.
    pub(super) fn text(&mut self, value: &str) {
        if self.csv.is_some() {
            self.line.extend(text::cell(value).bytes());
            self.line.push(b',');
        }
        if let Some((_, Some(writer))) = &mut self.arrow {
            writer.text(value);
        }
    }

    /// Ends the line.
    pub(super) fn end_line(&mut self) -> io::Result<()> {
        if let Some(csv) = &mut self.csv {
            if let Some(last) = self.line.last_mut() {
                *last = b'\n';
            }
            csv.write_all(&self.line)?;
            self.line.clear();
        }
        if let Some((file, Some(writer))) = &mut self.arrow {
            let batch = writer.end_line()?;
            if !batch.is_empty() {
                file.write_all(batch)?;
                file.flush()?;
            }
        }
        Ok(())
    }

    /// Leaves the files where they are, whatever happens.
    pub(super) fn keep(&mut self) {
        self.files().for_each(StreamFile::keep);
    }

    /// Brings what was written to the disk.
    pub(super) fn sync(&mut self) -> Result<(), RecordError> {
        self.files().try_for_each(|file| file.sync().map(|_| ()))
    }

    /// Writes the rest, and brings all of it to the disk.
    pub(super) fn finish(&mut self) -> Result<(), RecordError> {
        if let Some((file, Some(writer))) = &mut self.arrow {
            let bytes = writer.finish().and_then(|rest| file.write_all(rest));
            bytes.map_err(|e| RecordError::file(file.path(), e))?;
        }
        self.sync()
    }

    /// Gives the files their names.
    pub(super) fn commit(self) -> Result<Vec<PathBuf>, RecordError> {
        let files = self.csv.into_iter().chain(self.arrow.map(|(file, _)| file));
        files.map(StreamFile::commit).collect()
    }

    /// How far the files have come, with the lines that are in none of them yet; those that are read back cut the files off.
    pub(super) fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), RecordError> {
        for file in self.files() {
            let (mut size, path) = (file.sync()?, file.path().to_owned());
            size.pass(archive).map_err(|e| RecordError::checkpoint(&path, e))?;
            if archive.reads() {
                file.truncate(size)?;
            }
        }
        if let Some((file, Some(writer))) = &mut self.arrow {
            writer.pass(archive).map_err(|e| RecordError::checkpoint(file.path(), e))?;
        }
        Ok(())
    }
}

/// The cells of a column that are not in the file yet.
#[derive(Clone, Debug)]
pub(super) enum Pending {
    Numbers(Vec<f64>),
    Texts(Vec<String>),
}

impl Pending {
    pub(super) fn of(column: &Column) -> Self {
        match column.cells {
            Cells::Numbers => Self::Numbers(Vec::new()),
            Cells::Texts => Self::Texts(Vec::new()),
        }
    }
}

impl Archived for Pending {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        match self {
            Self::Numbers(list) => list.pass(archive),
            Self::Texts(list) => list.pass(archive),
        }
    }
}
