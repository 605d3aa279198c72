//! The event-driven integrator against closed forms.

mod closed_forms;
mod constant_friction;
mod cycles;
pub(crate) mod joined;
mod jumps;
mod linkages;
mod misuse;
mod painleve;
mod rocking;
mod space;
mod space_classics;
mod space_cycles;
mod space_mechanisms;
mod space_slip;
mod space_stress;
mod starts;
mod stress;
mod systems;
mod woodpecker;
mod woodpecker_constant;
