//! Files that grow while a run goes on.

use super::RecordError;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// What is added to the name of a file that is not complete.
const PARTIAL: &str = "partial";

/// A file that is written over a long time, under its name with `.partial` added; [`commit`](Self::commit) takes that away. Others can read it
/// meanwhile, no other run can write to it, and after a crash it is there to be resumed. Dropped before it is complete, it
/// is removed, unless it is to be [kept](Self::keep).
#[derive(Debug)]
pub(super) struct StreamFile {
    path: PathBuf,
    partial: PathBuf,
    writer: BufWriter<File>,
    size: u64,
    keep: bool,
}

/// Where a file is while it grows.
fn partial(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(PARTIAL);
    path.with_file_name(name)
}

impl StreamFile {
    /// An empty one; makes the directory if it is missing.
    pub(super) fn create(dir: &Path, name: &str) -> Result<Self, RecordError> {
        fs::create_dir_all(dir).map_err(|e| RecordError::directory(dir, e))?;
        let mut file = Self::open(dir.join(name), true)?;
        file.truncate(0)?;
        Ok(file)
    }

    /// One that is there, complete or not; it is as it was until [`truncate`](Self::truncate).
    pub(super) fn reopen(dir: &Path, name: &str) -> Result<Self, RecordError> {
        let path = dir.join(name);
        if !partial(&path).exists() && path.exists() {
            fs::rename(&path, partial(&path)).map_err(|e| RecordError::file(&path, e))?;
        }
        let mut file = Self::open(path, false)?;
        file.keep = true;
        Ok(file)
    }

    fn open(path: PathBuf, create: bool) -> Result<Self, RecordError> {
        let partial = partial(&path);
        let mut options = OpenOptions::new();
        let opened = options.read(true).write(true).create(create).truncate(false).open(&partial);
        let file = opened.map_err(|e| RecordError::file(&path, e))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(RecordError::Busy { path }),
            // Where files cannot be locked, nothing keeps two runs apart, as ever.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let writer = BufWriter::with_capacity(1 << 16, file);
        Ok(Self { path, partial, writer, size: 0, keep: false })
    }

    /// Cuts off what comes after this many bytes, and goes on there.
    pub(super) fn truncate(&mut self, size: u64) -> Result<(), RecordError> {
        let cut = |file: &mut File| {
            let found = file.metadata()?.len();
            if found < size {
                let reason = format!("it has {found} bytes where the checkpoint needs {size}");
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, reason));
            }
            file.set_len(size)?;
            file.seek(SeekFrom::Start(size)).map(|_| ())
        };
        cut(self.writer.get_mut()).map_err(|e| RecordError::file(&self.path, e))?;
        self.size = size;
        Ok(())
    }

    /// The first bytes of the file.
    pub(super) fn start(&self, n: usize) -> io::Result<Vec<u8>> {
        use std::io::Read;
        let mut bytes = Vec::new();
        File::open(&self.partial)?.take(n as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// The name that the file will have.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Leaves the file where it is if it is dropped.
    pub(super) fn keep(&mut self) {
        self.keep = true;
    }

    /// Brings every byte to the disk; returns how many there are.
    pub(super) fn sync(&mut self) -> Result<u64, RecordError> {
        let synced = self.writer.flush().and_then(|()| self.writer.get_ref().sync_data());
        synced.map_err(|e| RecordError::file(&self.path, e))?;
        Ok(self.size)
    }

    /// Gives the file its name, in place of an older one. Its bytes are on the disk.
    pub(super) fn commit(mut self) -> Result<PathBuf, RecordError> {
        self.sync()?;
        fs::rename(&self.partial, &self.path).map_err(|e| RecordError::file(&self.path, e))?;
        self.keep = true;
        super::whole::sync_directory(&self.path);
        Ok(self.path.clone())
    }
}

impl Write for StreamFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.writer.write(bytes)?;
        self.size += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl Drop for StreamFile {
    fn drop(&mut self) {
        if !self.keep {
            // Nothing can be done about a file that resists.
            let _ = fs::remove_file(&self.partial);
        }
    }
}
