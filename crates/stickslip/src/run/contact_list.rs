//! What a run knows of the contacts of its last step, and of those since the last sample that are there no longer.

use crate::contact::Mode;
use crate::memory::{Archive, Archived, Unreadable};
use crate::model::{Candidate, ContactPoint, Model};

/// Where a contact was when it last transmitted an impulse.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct LastSeen {
    gap: f64,
    point: Option<ContactPoint>,
}

/// A contact with an impulse since the last sample that is no longer among the candidates of steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Gone {
    identity: u64,
    last: LastSeen,
    impulse: Vec<f64>,
}

/// The candidates of the last step, with what they do and their impulses since the last sample. Those that a model finds itself may be others at
/// every step; what is known of them moves along with their identities.
#[derive(Clone, Debug, Default)]
pub(super) struct ContactList {
    pub(super) identities: Vec<u64>,
    pub(super) modes: Vec<Mode>,
    /// Where the impulses of each begin, and all of them.
    pub(super) starts: Vec<usize>,
    pub(super) impulses: Vec<f64>,
    /// Of models that find contacts; else empty.
    last: Vec<LastSeen>,
    gone: Vec<Gone>,
}

/// The candidates of a sample, and after them contacts that transmitted impulses and are not among them.
#[derive(Debug, Default)]
pub(super) struct Shown {
    pub(super) gaps: Vec<f64>,
    pub(super) modes: Vec<Mode>,
    pub(super) impulses: Vec<f64>,
    pub(super) points: Vec<Option<ContactPoint>>,
}

impl ContactList {
    /// Takes the candidates of a step. New ones were open; the contacts that were closed and are there no longer are listed in `opened`, by their numbers
    /// and bodies.
    pub(super) fn update<M: Model>(
        &mut self,
        model: &M,
        place: &M::Place,
        candidates: &[Candidate],
        opened: &mut Vec<(usize, Option<[usize; 2]>)>,
    ) {
        opened.clear();
        let identities = candidates.iter().map(|c| c.identity);
        if identities.clone().eq(self.identities.iter().copied()) {
            return;
        }
        let mut old = std::mem::take(self);
        let order = order(&old.identities);
        self.gone = std::mem::take(&mut old.gone);
        let mut stays = vec![false; old.identities.len()];
        for (i, identity) in identities.enumerate() {
            let start = self.impulses.len();
            self.starts.push(start);
            self.impulses.resize(start + model.law(place, i).components(), 0.0);
            let (mut mode, mut last) = (Mode::Open, LastSeen::default());
            if let Some(k) = find(&order, identity) {
                stays[k] = true;
                (mode, last) = (old.modes[k], old.last.get(k).copied().unwrap_or_default());
                self.add(start, old.impulse(k));
            } else if let Some(k) = self.gone.iter().position(|gone| gone.identity == identity) {
                let gone = self.gone.swap_remove(k);
                last = gone.last;
                self.add(start, &gone.impulse);
            }
            self.identities.push(identity);
            self.modes.push(mode);
            if model.finds_contacts() {
                self.last.push(last);
            }
        }
        for k in (0..stays.len()).filter(|&k| !stays[k]) {
            let last = old.last.get(k).copied().unwrap_or_default();
            if !matches!(old.modes[k], Mode::Open | Mode::Fixed) {
                opened.push((k, last.point.map(|p| p.bodies)));
            }
            let impulse = old.impulse(k).to_vec();
            if impulse.iter().any(|x| *x != 0.0) {
                self.gone.push(Gone { identity: old.identities[k], last, impulse });
            }
        }
    }

    fn add(&mut self, start: usize, impulse: &[f64]) {
        let to = &mut self.impulses[start..];
        to.iter_mut().zip(impulse).for_each(|(to, from)| *to = *from);
    }

    /// The impulse of one of them.
    fn impulse(&self, k: usize) -> &[f64] {
        let end = self.starts.get(k + 1).copied().unwrap_or(self.impulses.len());
        &self.impulses[self.starts[k]..end]
    }

    /// Keeps where an active contact is.
    pub(super) fn see<M: Model>(&mut self, (model, place): (&M, &M::Place), k: usize, gap: f64) {
        if let Some(last) = self.last.get_mut(k) {
            *last = LastSeen { gap, point: model.contact_point(place, k) };
        }
    }

    /// Lists the candidates of a sample, and what else transmitted impulses; these then begin at zero again.
    pub(super) fn show<M: Model>(
        &mut self,
        (model, place): (&M, &M::Place),
        candidates: &[Candidate],
        shown: &mut Shown,
    ) {
        let Shown { gaps, modes, impulses, points } = shown;
        gaps.clear();
        gaps.extend(candidates.iter().map(|c| c.gap.unwrap_or(0.0)));
        points.clear();
        points.extend((0..candidates.len()).map(|c| model.contact_point(place, c)));
        modes.clear();
        impulses.clear();
        let identities = candidates.iter().map(|c| c.identity);
        if identities.clone().eq(self.identities.iter().copied()) {
            modes.extend_from_slice(&self.modes);
            impulses.extend_from_slice(&self.impulses);
            self.impulses.fill(0.0);
        } else {
            let order = order(&self.identities);
            for (i, identity) in identities.enumerate() {
                let start = impulses.len();
                impulses.resize(start + model.law(place, i).components(), 0.0);
                let k = find(&order, identity);
                modes.push(k.map_or(Mode::Open, |k| self.modes[k]));
                let gone = || self.gone.iter().position(|gone| gone.identity == identity);
                let from = match k {
                    Some(k) => self.impulse(k).to_vec(),
                    None => gone().map(|k| self.gone.swap_remove(k).impulse).unwrap_or_default(),
                };
                impulses[start..].iter_mut().zip(&from).for_each(|(to, from)| *to = *from);
                if let Some(k) = k {
                    let start = self.starts[k];
                    self.impulses[start..start + from.len()].fill(0.0);
                }
            }
            for k in 0..self.identities.len() {
                if self.impulse(k).iter().any(|x| *x != 0.0) {
                    let (identity, impulse) = (self.identities[k], self.impulse(k).to_vec());
                    let last = self.last.get(k).copied().unwrap_or_default();
                    self.gone.push(Gone { identity, last, impulse });
                }
            }
            self.impulses.fill(0.0);
        }
        for gone in self.gone.drain(..) {
            gaps.push(gone.last.gap);
            points.push(gone.last.point);
            modes.push(Mode::Open);
            impulses.extend_from_slice(&gone.impulse);
        }
    }

    /// Whether its lists go together, and the lengths that do not if they do not.
    pub(super) fn mismatch(&self) -> Option<(usize, usize)> {
        let expected = self.identities.len();
        let lengths = [self.modes.len(), self.starts.len()];
        let wrong = lengths.into_iter().find(|&found| found != expected);
        let wrong = wrong.or((self.last.len() > expected).then_some(self.last.len()));
        let start = self.starts.iter().find(|&&start| start > self.impulses.len());
        let sorted = self.starts.is_sorted();
        match (wrong, start) {
            (Some(found), _) => Some((expected, found)),
            (None, Some(&found)) => Some((self.impulses.len(), found)),
            (None, None) => (!sorted).then_some((expected, 0)),
        }
    }
}

/// Identities with their numbers, in order.
fn order(identities: &[u64]) -> Vec<(u64, usize)> {
    let mut order: Vec<(u64, usize)> = identities.iter().copied().zip(0..).collect();
    order.sort_unstable();
    order
}

fn find(order: &[(u64, usize)], identity: u64) -> Option<usize> {
    let at = order.binary_search_by_key(&identity, |known| known.0).ok()?;
    Some(order[at].1)
}

impl Archived for ContactList {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let Self { identities, modes, starts, impulses, last, gone } = self;
        identities.pass(archive)?;
        modes.pass(archive)?;
        starts.pass(archive)?;
        impulses.pass(archive)?;
        last.pass(archive)?;
        gone.pass(archive)
    }
}

impl Archived for LastSeen {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let Self { gap, point } = self;
        gap.pass(archive)?;
        point.pass(archive)
    }
}

impl Archived for Gone {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let Self { identity, last, impulse } = self;
        identity.pass(archive)?;
        last.pass(archive)?;
        impulse.pass(archive)
    }
}

impl Archived for ContactPoint {
    fn pass(&mut self, archive: &mut Archive<'_>) -> Result<(), Unreadable> {
        let Self { bodies, position, normal, tangent, components, normals, mu } = self;
        bodies.pass(archive)?;
        position.pass(archive)?;
        normal.pass(archive)?;
        tangent.pass(archive)?;
        components.pass(archive)?;
        normals.pass(archive)?;
        mu.pass(archive)
    }
}
