//! `stickslip study`: each in a short form against known figures, and what is refused.

use crate::common::{Scratch, stdout, stickslip};
use serde_json::Value;
use std::fs;

fn study(args: &[&str]) -> Value {
    let out = stickslip(&[&["study"], args, &["--json"]].concat());
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_str(&stdout(&out)).unwrap()
}

/// The rows of a table that have these texts or numbers.
fn rows<'a>(facts: &'a Value, table: &str, wanted: &[(&str, Value)]) -> Vec<&'a Value> {
    let all = facts[table].as_array().unwrap_or_else(|| panic!("{table} of {facts}"));
    all.iter().filter(|row| wanted.iter().all(|(key, value)| row[key] == *value)).collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

fn near(found: &Value, wanted: f64, tolerance: f64) {
    assert!((number(found) - wanted).abs() <= tolerance, "{found} {wanted}");
}

#[test]
fn the_list_names_every_study_with_what_it_shows() {
    let list = stdout(&stickslip(&["study", "--list"]));
    assert_eq!(list, stdout(&stickslip(&["study"])));
    for name in ["rank", "rho", "polygons", "limit-surfaces", "tumble", "woodpecker"] {
        let line = list.lines().find(|line| line.trim_start().starts_with(&format!("{name} ")));
        assert!(line.is_some_and(|line| line.contains('?')), "{name}: {list}");
        let help = stdout(&stickslip(&["study", name, "--help"]));
        assert!(help.contains(&format!("stickslip study {name}")), "{help}");
    }
}

#[test]
fn ranks_are_those_of_the_table_and_one_is_lost_at_a_singular_rho() {
    let facts = study(&["rank", "--k", "2"]);
    let rank = |facts: &Value, system: &str, matrix: &str| {
        let wanted = [("system", system.into()), ("matrix", matrix.into())];
        let row = rows(facts, "matrices", &wanted)[0].clone();
        (row["rank"].as_u64(), row["size"].as_u64())
    };
    let schur = "phantom inertia, Schur form";
    assert_eq!(rank(&facts, "particle", schur), (Some(5), Some(5)));
    assert_eq!(rank(&facts, "particle", "the same with ρ = 0, Schur form"), (Some(3), Some(5)));
    assert_eq!(rank(&facts, "particle", "Stewart-Trinkle, Anitescu-Potra"), (Some(5), Some(6)));
    assert_eq!(rank(&facts, "block on four corners", schur), (None, None));
    // A particle of mass m has a singular matrix at ρ = k m alone, in both directions of its plane.
    let scratch = Scratch::new("study-rank");
    let (path, m) = (scratch.file("mass.json"), 0.25);
    let w = 1.0 / m;
    let text = format!(
        r#"{{"kind":"contact","delassus":[[{w},0,0],[0,{w},0],[0,0,{w}]],"bias":[-1,0.8,0.3],
        "contacts":[{{"mu":0.5,"friction":"disc"}}]}}"#
    );
    fs::write(&path, text).unwrap();
    let file = path.to_str().unwrap();
    for (rho, wanted) in [("0.4", 5), ("0.5", 3), ("0.6", 5)] {
        let facts = study(&["rank", "--k", "2", "--rho", rho, "--problem", file]);
        assert_eq!(rank(&facts, "mass", schur), (Some(wanted), Some(5)), "{rho}");
    }
}

#[test]
fn answers_do_not_depend_on_rho_and_a_particle_is_singular_at_k_times_its_mass() {
    let facts =
        study(&["rho", "--k", "2", "--count", "2", "--contacts", "1", "--factors", "0,1,1e4"]);
    for row in rows(&facts, "factors", &[]) {
        assert_eq!(row["certified"], row["problems"], "{row}");
        assert!(number(&row["velocity"]) < 1e-9, "{row}");
    }
    let particle = rows(&facts, "singular", &[("system", "particle".into())])[0];
    near(&particle["rhos"][0], 2.0, 1e-12);
    near(&particle["dips"][0], 2.0, 1e-6);
}

#[test]
fn polygons_are_weakest_and_strongest_where_their_formula_says() {
    let facts = study(&["polygons", "--k", "2", "--headings", "8"]);
    let polygons = rows(&facts, "polygons", &[]);
    let root = 2.0_f64.sqrt();
    for (row, ends) in polygons.into_iter().zip([[1.0, root], [root.recip(), 1.0]]) {
        for (i, end) in ends.into_iter().enumerate() {
            near(&row["sliding"][i], end, 1e-6);
            near(&row["formula"][i], end, 1e-12);
        }
    }
}

#[test]
fn a_disc_stops_when_closed_forms_say() {
    let g = 9.81;
    let facts = study(&["limit-surfaces", "--part", "mixed", "--mu", "0.2"]);
    for row in rows(&facts, "mixed", &[]) {
        // Sliding ends after v/(μ g), spinning after ω J/(μ m g e_r), with J = e_r = 1/2.
        let wanted = [1.0 / (0.2 * g), number(&row["omega"]) / (0.2 * g)];
        for (i, wanted) in wanted.into_iter().enumerate() {
            near(&row["stops"][i], wanted, 1e-12);
            near(&row["stops_steps"][i], wanted, 1e-9);
        }
    }
    let disc = ["--disc", "0.25:0.5", "--steps", "8,16", "--omega", "1.5"];
    let facts = study(&[&["limit-surfaces", "--part", "ellipsoid"][..], &disc].concat());
    // J = e_r²: friction keeps its direction, and steps make no error.
    let row = rows(&facts, "ellipsoids", &[("power", 1.0.into())])[0];
    near(&row["stop_steps"], 1.25 / (0.3 * g), 1e-11);
    assert_eq!(row["order"], Value::Null);
}

#[test]
fn the_midpoint_rule_tumbles_with_second_order_and_a_fall_is_certified() {
    let options = ["--omega", "-0.01,6,0.01", "--duration", "1", "--steps", "64", "--sizes", "3"];
    let facts = study(&[&["tumble", "--part", "rotation", "--no-cost"][..], &options].concat());
    let rows_of = |model: &str| rows(&facts, "rotations", &[("model", model.into())]);
    let midpoint = rows_of("rigid, implicit_midpoint");
    assert_eq!(midpoint.len(), 3);
    for pair in midpoint.windows(2) {
        let ratio = number(&pair[0]["angle"]) / number(&pair[1]["angle"]);
        assert!((3.5..4.5).contains(&ratio), "{ratio}");
    }
    for row in midpoint {
        assert!(number(&row["energy"]) < 1e-11, "{row}");
    }
    assert_eq!(rows_of("masses, as_printed").len(), 3);
    let options = ["--mu", "0.3", "--duration", "0.12", "--sizes", "2", "--shifts", "1"];
    let facts = study(&[&["tumble", "--part", "fall"][..], &options].concat());
    assert!(number(&facts["fall_ends"][0]["worst_certificate"]) < 1e-9);
    assert_eq!(rows(&facts, "falls", &[("mu", 0.3.into())]).len(), 2);
}

/// The flip of the page is that of the scene, with every model that a scene can choose.
#[test]
fn the_box_of_the_scene_flips_in_every_model() {
    let text = stickslip_scene::gallery_entry("tumbling_box").unwrap().text;
    for line in ["w = 10.0 ", "e = 0.1 ", "box = [0.3, 0.2, 0.1]", "t_end = 2.0", "dt = 1e-3"] {
        assert!(text.contains(line), "{line}");
    }
    let facts = study(&["tumble", "--part", "scene"]);
    let angle =
        |model: &str| number(&rows(&facts, "scene", &[("model", model.into())])[0]["angle"]);
    assert!(angle("rigid, implicit_midpoint") < 1e-4);
    assert!(angle("masses, as_printed") > 1.0);
    assert!(angle("masses, half") < 1e-3 && angle("masses, shake") < 1e-3);
    assert_eq!(facts.get("rotations"), None);
}

#[test]
fn the_woodpecker_is_drawn_with_the_gaps_of_its_paper() {
    let facts = study(&["woodpecker", "--phi-s", "0.12"]);
    let gaps = |row: usize, contact: usize| &facts["gaps"][row]["gaps"][contact];
    // Glocker and Studer's eq. (15) with their Table I: upright, then with the sleeve on its lower edge.
    near(gaps(0, 0), 0.0024, 1e-15);
    near(gaps(0, 1), 0.0006, 1e-15);
    near(gaps(1, 0), 0.0, 1e-15);
    near(gaps(1, 1), 0.0006 - 0.0058 * 0.1036, 1e-15);
}

#[test]
fn tables_and_plots_go_into_a_directory_or_onto_a_page() {
    let scratch = Scratch::new("study-out");
    let page = scratch.file("page.md");
    fs::write(
        &page,
        "# A\n<!-- phantom_strength:begin -->\nold\n<!-- phantom_strength:end -->\nB\n",
    )
    .unwrap();
    let dir = scratch.file("files");
    let (dir, page_name) = (dir.to_str().unwrap(), page.to_str().unwrap());
    let short = ["study", "polygons", "--k", "2", "--headings", "4", "--quiet"];
    let out = stickslip(&[&short[..], &["--out", dir, "--write", page_name]].concat());
    assert_eq!((out.status.code(), stdout(&out).as_str()), (Some(0), ""));
    let table = fs::read_to_string(scratch.file("files/tables.md")).unwrap();
    assert!(table.starts_with("| polygon | k |"), "{table}");
    let written = fs::read_to_string(&page).unwrap();
    assert!(written.starts_with("# A\n") && written.ends_with("-->\nB\n"), "{written}");
    assert!(written.contains(table.trim()) && !written.contains("\nold\n"), "{written}");
    let picture = |name| fs::read_to_string(scratch.file(name)).unwrap();
    let svg = picture("phantom_inertia_strength.svg");
    assert!(svg.starts_with("<svg") && svg == picture("files/phantom_inertia_strength.svg"));
    let facts: Value = serde_json::from_str(&picture("files/findings.json")).unwrap();
    assert_eq!(facts["study"], "polygons");
}

#[test]
fn options_out_of_range_or_without_effect_are_refused_before_any_work() {
    let scratch = Scratch::new("study-bad");
    let lcp = scratch.file("lcp.json");
    fs::write(&lcp, r#"{"kind":"lcp","m":[[2]],"q":[-1]}"#).unwrap();
    let lcp = lcp.to_str().unwrap();
    for (args, message) in [
        (&["rank", "--k", "1"][..], "--k: 1 is not between 2 and 500"),
        (&["rank", "--rho", "-1"], "--rho: -1 is not a positive number"),
        (&["rank", "--problem", lcp], "is no contact problem"),
        (&["rank", "--write", "/nowhere/page.md"], "is no page"),
        (&["rho", "--count", "0"], "--count: 0 is not between"),
        (&["rho", "--factors", "1,-2"], "--factors: -2 is not a factor"),
        (&["polygons", "--headings", "3"], "--headings: 3 is not between 4"),
        (&["limit-surfaces", "--part", "round"], "dragged"),
        (&["limit-surfaces", "--axes", "1,2"], "three numbers"),
        (&["limit-surfaces", "--facets", "5"], "--facets: 5 is not between 64 and 4096"),
        (&["limit-surfaces", "--part", "mixed", "--facets", "99"], "--facets does nothing"),
        (&["limit-surfaces", "--v", "0"], "--v: 0 is not a positive number"),
        (&["tumble", "--moments", "1,1,2"], "not all different"),
        (&["tumble", "--moments", "1,2,9"], "larger than the sum"),
        (&["tumble", "--omega", "0,1,0"], "no tumble"),
        (&["tumble", "--steps", "100"], "--steps: 100 is not a multiple of 16"),
        (&["tumble", "--part", "fall", "--omega", "1,2,3"], "--omega does nothing"),
        (&["woodpecker", "--phi-m", "2"], "--phi-m: 2 is not an angle"),
        (&["--list", "rank"], "cannot be used"),
    ] {
        let out = stickslip(&[&["study"], args].concat());
        let error = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains(message), "{args:?}: {error}");
        assert_eq!(stdout(&out), "", "{args:?}");
    }
}
