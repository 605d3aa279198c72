//! What a contact does: open, stick, slip.

/// The direction in which a contact slides: the sign of its tangential velocity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slip {
    /// γ_T > 0.
    Positive,
    /// γ_T < 0.
    Negative,
}

impl Slip {
    /// +1 or −1.
    #[must_use]
    pub fn sign(self) -> f64 {
        match self {
            Self::Positive => 1.0,
            Self::Negative => -1.0,
        }
    }

    /// A velocity in this direction, as [`Law::sliding`](crate::Law::sliding) has it.
    #[must_use]
    pub fn velocity(self) -> [f64; 3] {
        [self.sign(), 0.0, 0.0]
    }

    /// The direction of a velocity that is not zero.
    #[must_use]
    pub fn of(velocity: f64) -> Option<Self> {
        if velocity > 0.0 {
            Some(Self::Positive)
        } else if velocity < 0.0 {
            Some(Self::Negative)
        } else {
            None
        }
    }
}

/// What a contact does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// It transmits nothing.
    #[default]
    Open,
    /// Closed, without slip.
    Stick,
    /// Closed and sliding along the one tangent of a planar contact.
    Slide(Slip),
    /// Closed and sliding or spinning in space; the direction is that of the velocity.
    Slip,
    /// Closed, without tangential components.
    Closed,
    /// A bilateral connection, which cannot open.
    Fixed,
}

impl Mode {
    /// All of them, in the order of their numbers in memories, recordings and arrays.
    pub const ALL: [Self; 7] = [
        Self::Open,
        Self::Stick,
        Self::Slide(Slip::Positive),
        Self::Slide(Slip::Negative),
        Self::Slip,
        Self::Closed,
        Self::Fixed,
    ];

    /// The word used in files: `open`, `stick`, `slip+`, `slip-`, `slip`, `closed`, `fixed`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Stick => "stick",
            Self::Slide(Slip::Positive) => "slip+",
            Self::Slide(Slip::Negative) => "slip-",
            Self::Slip => "slip",
            Self::Closed => "closed",
            Self::Fixed => "fixed",
        }
    }
}
