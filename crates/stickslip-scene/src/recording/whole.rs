//! Files that appear whole or not at all.

use super::RecordError;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A file under a temporary name in its own directory. [`stage`](Self::stage) brings its bytes to the
/// disk, [`commit`](Self::commit) gives it its name in one step; dropped before that, it is removed.
///
/// ```
/// use std::io::Write;
/// use stickslip_scene::recording::WholeFile;
///
/// let dir = std::env::temp_dir().join(format!("whole-{}", std::process::id()));
/// let mut file = WholeFile::create(&dir, "note.txt")?;
/// file.write_all(b"all of it").unwrap();
/// assert!(!dir.join("note.txt").exists());
/// file.commit()?;
/// assert_eq!(std::fs::read(dir.join("note.txt")).unwrap(), b"all of it");
/// std::fs::remove_dir_all(dir).unwrap();
/// # Ok::<(), stickslip_scene::recording::RecordError>(())
/// ```
#[derive(Debug)]
pub struct WholeFile {
    path: PathBuf,
    temporary: PathBuf,
    /// `None` once the bytes are on the disk.
    writer: Option<BufWriter<File>>,
    committed: bool,
}

/// Tells files of one process apart.
static COUNT: AtomicU64 = AtomicU64::new(0);

impl WholeFile {
    /// Makes the directory if it is missing, and the temporary file in it.
    pub fn create(dir: &Path, name: &str) -> Result<Self, RecordError> {
        fs::create_dir_all(dir).map_err(|e| RecordError::directory(dir, e))?;
        let path = dir.join(name);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let temporary = dir.join(format!(".{name}.{}-{count}.tmp", std::process::id()));
        let file = File::create_new(&temporary).map_err(|e| RecordError::file(&path, e))?;
        let writer = Some(BufWriter::with_capacity(1 << 16, file));
        Ok(Self { path, temporary, writer, committed: false })
    }

    /// A file with these bytes, staged.
    pub fn of(dir: &Path, name: &str, bytes: &[u8]) -> Result<Self, RecordError> {
        let mut file = Self::create(dir, name)?;
        file.write_all(bytes).map_err(|e| RecordError::file(&file.path, e))?;
        file.stage()?;
        Ok(file)
    }

    /// Removes what processes that were killed had begun of files with these names.
    pub(super) fn remove_begun(dir: &Path, names: &[String]) {
        let Ok(entries) = fs::read_dir(dir) else { return };
        for entry in entries.flatten() {
            let found = entry.file_name().to_string_lossy().into_owned();
            let begun = found.strip_prefix('.').and_then(|f| f.strip_suffix(".tmp"));
            let of = begun.and_then(|begun| begun.rsplit_once('.')).map(|(name, _)| name);
            if of.is_some_and(|of| names.iter().any(|name| name == of)) {
                // What cannot be removed is in nobody's way.
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// The name that the file will have.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Brings every byte to the disk; what is written after that is refused.
    pub fn stage(&mut self) -> Result<(), RecordError> {
        let Some(writer) = self.writer.take() else { return Ok(()) };
        let synced = writer.into_inner().map_err(|e| e.into_error()).and_then(|f| f.sync_all());
        synced.map_err(|e| RecordError::file(&self.path, e))
    }

    /// Gives the file its name, in place of an older one.
    pub fn commit(mut self) -> Result<PathBuf, RecordError> {
        self.stage()?;
        fs::rename(&self.temporary, &self.path).map_err(|e| RecordError::file(&self.path, e))?;
        self.committed = true;
        sync_directory(&self.path);
        Ok(self.path.clone())
    }
}

/// Brings the name of a file to the disk, so that it survives a power failure too; not every system can do this.
pub(super) fn sync_directory(path: &Path) {
    if let Some(Ok(dir)) = path.parent().map(File::open) {
        let _ = dir.sync_all();
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.writer {
            Some(writer) => writer.write(bytes),
            None => Err(io::Error::other("the file is complete")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if !self.committed {
            // Nothing can be done about a temporary file that resists.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("stickslip-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        dir
    }

    fn names(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).unwrap();
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_that_is_given_up_leaves_nothing_behind() {
        let dir = scratch("given-up");
        let mut file = WholeFile::create(&dir, "a.csv").unwrap();
        file.write_all(b"half").unwrap();
        assert_eq!(names(&dir).len(), 1);
        drop(file);
        assert!(names(&dir).is_empty());
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn an_older_file_stays_until_the_new_one_is_complete() {
        let dir = scratch("older");
        WholeFile::of(&dir, "a", b"old").unwrap().commit().unwrap();
        let new = WholeFile::of(&dir, "a", b"new").unwrap();
        assert_eq!(fs::read(dir.join("a")).unwrap(), b"old");
        new.commit().unwrap();
        assert_eq!(fs::read(dir.join("a")).unwrap(), b"new");
        assert_eq!(names(&dir), ["a"]);
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn a_place_that_is_no_directory_is_an_error_with_its_path_and_a_cure() {
        let dir = scratch("in-the-way");
        WholeFile::of(&dir, "a", b"").unwrap().commit().unwrap();
        let error = WholeFile::create(&dir.join("a"), "b").unwrap_err().to_string();
        assert!(error.contains(&dir.join("a").display().to_string()), "{error}");
        assert!(error.contains("choose another"), "{error}");
        fs::remove_dir_all(&dir).unwrap();
        fs::create_dir_all(dir.join("taken/x")).unwrap();
        let error = WholeFile::of(&dir, "taken", b"").unwrap().commit().unwrap_err();
        assert!(error.to_string().contains("taken cannot be written"), "{error}");
        assert_eq!(names(&dir), ["taken"]);
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn nothing_is_added_to_a_complete_file() {
        let dir = scratch("complete");
        let mut file = WholeFile::of(&dir, "a", b"x").unwrap();
        assert!(file.write_all(b"y").is_err());
        drop(file);
        fs::remove_dir_all(dir).unwrap();
    }
}
