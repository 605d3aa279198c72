//! The event-driven integrator against closed forms.

mod closed_forms;
mod rocking;
mod systems;
mod woodpecker;
