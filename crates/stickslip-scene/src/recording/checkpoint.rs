//! Checkpoints: what a run that was killed needs so that it goes on to the same bits.
//!
//! `checkpoint.bin` holds which run it is, the memory of the run and that of its recording, with a checksum at its end. A new one is written under
//! another name, brought to the disk and then put in its place, and the one before stays as `checkpoint.previous.bin`: whenever the power
//! fails, one of them is whole.

use super::RecordError;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use stickslip::memory::{self, Archive, Archived, Unreadable};

/// The first bytes of a checkpoint; the number is that of the format.
const MAGIC: &[u8] = b"stickslip checkpoint 1\n";

const NEWEST: &str = "checkpoint.bin";
const BEFORE: &str = "checkpoint.previous.bin";
const UNFINISHED: &str = "checkpoint.bin.partial";

/// Which run it is: one that is resumed has to be the same in all of this.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// The version of the program.
    pub version: String,
    /// What was typed, and in which folder.
    pub arguments: Vec<String>,
    /// The folder.
    pub folder: String,
    /// The files of the scene and their texts.
    pub scene: Vec<(String, String)>,
    /// The parameters, as JSON.
    pub parameters: String,
    /// The settings, as JSON.
    pub settings: String,
}

impl Identity {
    /// Refuses a run that is not the one of a checkpoint; says what differs and what to do.
    ///
    /// # Errors
    /// What differs.
    pub fn check(&self, now: &Self) -> Result<(), String> {
        if self.version != now.version {
            return Err(format!(
                "it was written by version {}, and this is {}; resume it with that version, or run the scene anew",
                self.version, now.version
            ));
        }
        for (i, (name, text)) in self.scene.iter().enumerate() {
            // Files may have been moved.
            let found = now.scene.get(i).map(|(_, found)| found);
            if found != Some(text) {
                let (was, is) = (hash(text.as_bytes()), found.map(|t| hash(t.as_bytes())));
                let is = is.map_or("missing".to_owned(), |is| format!("{is:016x}"));
                return Err(format!(
                    "{name} has changed since (its hash was {was:016x} and is {is}); put it back as it was, or run the scene anew"
                ));
            }
        }
        let same = self.scene.len() == now.scene.len();
        for (what, same) in [
            ("the files of the scene", same),
            ("the parameters", self.parameters == now.parameters),
            ("the settings", self.settings == now.settings),
        ] {
            if !same {
                return Err(format!("{what} have changed since; run the scene anew"));
            }
        }
        Ok(())
    }
}

/// A run and its recording between two legs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checkpoint {
    /// Which run it is.
    pub identity: Identity,
    /// The time that it has come to.
    pub t: f64,
    /// What the run remembers.
    pub run: Vec<u8>,
    /// What its recording remembers.
    pub recording: Vec<u8>,
}

impl Checkpoint {
    /// Writes it, in place of the one before.
    ///
    /// # Errors
    /// If it cannot be written; the one before is then still there.
    pub fn write(&mut self, dir: &Path) -> Result<PathBuf, RecordError> {
        let mut bytes = MAGIC.to_vec();
        bytes.append(&mut memory::to_bytes(self));
        let sum = hash(&bytes);
        bytes.extend(sum.to_le_bytes());
        let (path, unfinished) = (dir.join(NEWEST), dir.join(UNFINISHED));
        let put = || -> io::Result<()> {
            let mut file = File::create(&unfinished)?;
            file.write_all(&bytes)?;
            file.sync_all()?;
            match fs::rename(&path, dir.join(BEFORE)) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
                _ => fs::rename(&unfinished, &path),
            }
        };
        put().map_err(|e| {
            // It is of no use, and may be in the way of what is.
            let _ = fs::remove_file(&unfinished);
            RecordError::file(&path, e)
        })?;
        super::whole::sync_directory(&path);
        Ok(path)
    }

    /// The newest one that is whole, and why the newest one is not, if it is not.
    ///
    /// # Errors
    /// If there is none that is whole.
    pub fn read(dir: &Path) -> Result<(Self, Option<String>), RecordError> {
        let newest = match Self::of(&dir.join(NEWEST)) {
            Ok(found) => return Ok((found, None)),
            Err(reason) => reason,
        };
        match Self::of(&dir.join(BEFORE)) {
            Ok(found) => Ok((found, Some(newest))),
            Err(_) if !dir.join(NEWEST).exists() && !dir.join(BEFORE).exists() => {
                let reason = "there is no checkpoint in it; run the scene anew";
                Err(RecordError::checkpoint(dir, reason))
            }
            Err(_) => Err(RecordError::checkpoint(&dir.join(NEWEST), newest)),
        }
    }

    fn of(path: &Path) -> Result<Self, String> {
        let bytes = fs::read(path).map_err(|e| e.to_string())?;
        let other = "it is no checkpoint of this version; run the scene anew";
        let body = bytes.strip_prefix(MAGIC).ok_or_else(|| other.to_owned())?;
        let torn = || "it is torn; run the scene anew".to_owned();
        let (body, sum) = body.split_last_chunk::<8>().ok_or_else(torn)?;
        if hash(&bytes[..bytes.len() - sum.len()]) != u64::from_le_bytes(*sum) {
            return Err(torn());
        }
        memory::from_bytes(body).map_err(|e| e.to_string())
    }

    /// Removes the checkpoints of a directory; says whether there were any.
    ///
    /// # Errors
    /// If one cannot be removed.
    pub fn remove(dir: &Path) -> Result<bool, RecordError> {
        let mut found = false;
        for name in [NEWEST, BEFORE, UNFINISHED] {
            let path = dir.join(name);
            match fs::remove_file(&path) {
                Ok(()) => found |= name != UNFINISHED,
                Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                Err(e) => return Err(RecordError::file(&path, e)),
            }
        }
        Ok(found)
    }
}

impl Archived for Checkpoint {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let Self { identity, t, run, recording } = self;
        let Identity { version, arguments, folder, scene, parameters, settings } = identity;
        version.pass(archive)?;
        arguments.pass(archive)?;
        folder.pass(archive)?;
        scene.pass(archive)?;
        parameters.pass(archive)?;
        settings.pass(archive)?;
        t.pass(archive)?;
        run.pass(archive)?;
        recording.pass(archive)
    }
}

/// The hash of Fowler, Noll and Vo with 64 bits (FNV-1a): tells torn files and changed texts, not forged ones.
fn hash(bytes: &[u8]) -> u64 {
    let (start, prime) = (0xcbf2_9ce4_8422_2325_u64, 0x0000_0100_0000_01b3_u64);
    bytes.iter().fold(start, |h, &b| (h ^ u64::from(b)).wrapping_mul(prime))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("stickslip-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).unwrap();
        dir
    }

    fn at(t: f64) -> Checkpoint {
        let scene = vec![("a.toml".to_owned(), "x = 1".to_owned())];
        let identity = Identity { version: "1".into(), scene, ..Identity::default() };
        Checkpoint { identity, t, run: vec![1, 2], recording: vec![3] }
    }

    #[test]
    fn a_torn_checkpoint_is_known_at_every_byte_and_the_one_before_is_taken() {
        let dir = scratch("torn-checkpoint");
        at(1.0).write(&dir).unwrap();
        at(2.0).write(&dir).unwrap();
        assert_eq!(Checkpoint::read(&dir).unwrap(), (at(2.0), None));
        let whole = fs::read(dir.join(NEWEST)).unwrap();
        for n in 0..whole.len() {
            fs::write(dir.join(NEWEST), &whole[..n]).unwrap();
            let (found, why) = Checkpoint::read(&dir).unwrap();
            assert!(found == at(1.0) && why.is_some(), "{n}");
        }
        let mut other = whole.clone();
        other[MAGIC.len() + 3] ^= 1;
        fs::write(dir.join(NEWEST), other).unwrap();
        assert_eq!(Checkpoint::read(&dir).unwrap().0, at(1.0));
        fs::remove_file(dir.join(BEFORE)).unwrap();
        let error = Checkpoint::read(&dir).unwrap_err().to_string();
        assert!(error.contains("it is torn"), "{error}");
        assert!(Checkpoint::remove(&dir).unwrap());
        let error = Checkpoint::read(&dir).unwrap_err().to_string();
        assert!(error.contains("there is no checkpoint"), "{error}");
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn another_version_scene_or_setting_is_refused_by_name() {
        let kept = at(0.0).identity;
        assert_eq!(kept.check(&kept), Ok(()));
        let version = Identity { version: "2".into(), ..kept.clone() };
        assert!(kept.check(&version).unwrap_err().contains("version 1"));
        let scene = vec![("a.toml".to_owned(), "x = 2".to_owned())];
        let changed = Identity { scene, ..kept.clone() };
        assert!(kept.check(&changed).unwrap_err().contains("a.toml has changed"));
        let settings = Identity { settings: "{}".into(), ..kept.clone() };
        assert!(kept.check(&settings).unwrap_err().contains("the settings"));
    }
}
