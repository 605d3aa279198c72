//! The event-driven integrator against closed forms.

mod closed_forms;
mod cycles;
mod misuse;
mod painleve;
mod rocking;
mod stress;
mod systems;
mod woodpecker;
