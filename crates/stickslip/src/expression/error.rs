//! What is wrong with an expression or with a definition, and where.

use std::fmt;
use std::ops::Range;

/// A mistake in a [`Definition`](super::Definition).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DefinitionError {
    /// Which part: `coordinates.y`, `parameters.mu`, `definitions.x`, `energy.kinetic`,
    /// `energy.potential`, `forces.y`, `contact[1].gap` (counted from 0), or the name given to
    /// [`Definition::function`](super::Definition::function).
    pub place: String,
    /// The bytes of its text that are meant; none if the part as a whole is meant, or its name.
    pub span: Option<Range<usize>>,
    /// Whether the name of the part is meant, and not its value.
    pub name: bool,
    /// What is wrong.
    pub reason: String,
    /// What would be right, if that can be said.
    pub cure: Option<String>,
}

impl fmt::Display for DefinitionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.place)?;
        if let Some(span) = &self.span {
            write!(f, ", byte {}", span.start)?;
        }
        write!(f, ": {}", self.reason)?;
        self.cure.as_ref().map_or(Ok(()), |cure| write!(f, "; {cure}"))
    }
}

impl std::error::Error for DefinitionError {}

impl DefinitionError {
    /// A mistake that concerns a part as a whole.
    pub(super) fn whole(place: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { place: place.into(), span: None, name: false, reason: reason.into(), cure: None }
    }

    /// A mistake in the name of a part.
    pub(super) fn name(place: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { name: true, ..Self::whole(place, reason) }
    }

    pub(super) fn cure(self, cure: impl Into<String>) -> Self {
        Self { cure: Some(cure.into()), ..self }
    }
}

/// A mistake inside one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    span: Range<usize>,
    reason: String,
    cure: Option<String>,
}

impl Fault {
    pub(super) fn new(span: Range<usize>, reason: impl Into<String>) -> Self {
        Self { span, reason: reason.into(), cure: None }
    }

    pub(super) fn cure(self, cure: impl Into<String>) -> Self {
        Self { cure: Some(cure.into()), ..self }
    }

    /// The same in a longer text, of which this one begins at a byte.
    pub(super) fn shifted(mut self, by: usize) -> Self {
        self.span = self.span.start + by..self.span.end + by;
        self
    }

    /// With a remark that makes clear which of several is meant.
    pub(super) fn with(mut self, remark: &str) -> Self {
        self.reason = format!("{} (with {remark})", self.reason);
        self
    }

    /// A mistake that shows in the body of a function, at the call.
    pub(super) fn inside(mut self, function: &str, call: Range<usize>) -> Self {
        self.reason = format!("in `{function}`: {}", self.reason);
        self.span = call;
        self
    }

    pub(super) fn at(self, place: impl Into<String>) -> DefinitionError {
        let Self { span, reason, cure } = self;
        DefinitionError { place: place.into(), span: Some(span), name: false, reason, cure }
    }
}
