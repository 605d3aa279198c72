//! The event-driven integrator against closed forms.

mod closed_forms;
mod cycles;
mod misuse;
mod painleve;
mod rocking;
mod space;
mod space_cycles;
mod space_mechanisms;
mod space_slip;
mod space_stress;
mod stress;
mod systems;
mod woodpecker;
