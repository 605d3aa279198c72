//! What the columns of a table are.

use stickslip::SystemInfo;
use stickslip::contact::{Kind, Law};

/// What the cells of a column hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cells {
    /// Numbers of 64 bits.
    Numbers,
    /// Words.
    Texts,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// What is in it.
    pub cells: Cells,
    /// The unit; empty where it is not known or there is none.
    pub unit: String,
    /// What it means; empty where nobody said.
    pub meaning: String,
}

impl Column {
    /// A column of numbers.
    #[must_use]
    pub fn number(name: &str, unit: &str, meaning: &str) -> Self {
        let (name, unit, meaning) = (name.to_owned(), unit.to_owned(), meaning.to_owned());
        Self { name, cells: Cells::Numbers, unit, meaning }
    }

    /// A column of words.
    #[must_use]
    pub fn text(name: &str, meaning: &str) -> Self {
        Self { cells: Cells::Texts, ..Self::number(name, "", meaning) }
    }
}

/// The columns of a table, and facts about the whole of it by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// In order.
    pub columns: Vec<Column>,
    /// Title, parameters, settings and the like.
    pub facts: Vec<(String, String)>,
}

/// The unit of an impulse of a force in this unit.
fn over_time(force: &str) -> String {
    if force.is_empty() { String::new() } else { format!("{force} s") }
}

/// The columns of the trajectory, but for outputs.
#[must_use]
pub fn of_samples(info: &SystemInfo, units: &super::Units) -> Vec<Column> {
    let mut columns = vec![Column::number("t", &units.time, "time")];
    let unit = super::Units::of;
    let coordinates = info.coordinates.iter().enumerate();
    columns.extend(
        coordinates.map(|(i, n)| Column::number(n, &unit(&units.coordinates, i), "coordinate")),
    );
    let velocities = info.velocities.iter().enumerate();
    columns.extend(
        velocities.map(|(i, n)| Column::number(n, &unit(&units.velocities, i), "velocity")),
    );
    for (i, contact) in info.contacts.iter().enumerate() {
        let name = |column: &str| format!("{}.{column}", contact.name);
        let of = &contact.name;
        if contact.law.kind.normals() == 1 {
            let meaning = format!("gap of contact {of}");
            columns.push(Column::number(&name("gap"), &unit(&units.gaps, i), &meaning));
        }
        let impulse = over_time(&unit(&units.forces, i));
        for component in impulses(&contact.law) {
            let meaning = format!("impulse of contact {of} since the sample before");
            columns.push(Column::number(&name(&component), &impulse, &meaning));
        }
        columns.push(Column::text(&name("mode"), &format!("what contact {of} does")));
    }
    columns
}

/// The columns of the table of events.
pub(super) fn of_events(units: &super::Units) -> Vec<Column> {
    let force = super::Units::of(&units.forces, 0);
    let same = units.forces.iter().all(|f| *f == force);
    let impulse = if same { over_time(&force) } else { String::new() };
    vec![
        Column::number("t", &units.time, "time"),
        Column::text("contact", "the contact, or the bodies of one that the model found"),
        Column::text("event", "what happened"),
        Column::number("impulse_n", &impulse, "normal impulse of an impact"),
        Column::number("impulse_t", &impulse, "friction of an impact"),
        Column::number("energy", &units.energy, "energy added by an impact"),
    ]
}

/// The columns of the table of contacts that the model found: one line for each of them in each sample.
pub(super) fn of_found_contacts(units: &super::Units) -> Vec<Column> {
    let number = |name: &str, unit: &str, meaning: &str| Column::number(name, unit, meaning);
    let mut columns = vec![
        number("t", &units.time, "time of the sample"),
        Column::text("first", "the first body"),
        Column::text("second", "the second body"),
    ];
    for (axis, unit, meaning) in [
        ("", "m", "position of the contact"),
        ("normal_", "", "unit normal, from the second body to the first"),
        ("tangent_", "", "unit tangent of impulse_t; that of impulse_o is normal x tangent"),
    ] {
        columns.extend(["x", "y", "z"].map(|c| number(&format!("{axis}{c}"), unit, meaning)));
    }
    columns.push(number("gap", "m", "gap"));
    for (name, unit, meaning) in [
        ("impulse_n", "N s", "normal impulse since the sample before"),
        ("impulse_t", "N s", "friction along the tangent since the sample before"),
        ("impulse_o", "N s", "friction along normal x tangent since the sample before"),
        ("impulse_r", "N m s", "friction of spin since the sample before; 0 where there is none"),
    ] {
        columns.push(number(name, unit, meaning));
    }
    columns.push(Column::text("mode", "what the contact does"));
    columns
}

/// The columns of the components of a contact's impulse.
fn impulses(law: &Law) -> Vec<String> {
    let letters = ["n", "t", "o", "r"];
    let from = match law.kind {
        Kind::Bilateral(rows) => return (1..=rows).map(|i| format!("impulse_{i}")).collect(),
        _ => 1 - law.kind.normals(),
    };
    let letters = letters.iter().skip(from).take(law.components());
    letters.map(|letter| format!("impulse_{letter}")).collect()
}
