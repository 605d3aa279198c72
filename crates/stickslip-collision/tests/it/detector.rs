//! The detector: order, filters, determinism, storage, cost.

use crate::support::*;
use glam::{DQuat, DVec3};
use stickslip_collision::{Cache, Collider, Contact, Detector, Error, Geometry, Pose, THROWN};

/// Bodies in a loose pile: on a grid, turned and shifted without a pattern, each touching its neighbours; body 0 is the ground.
fn pile(n: usize, geometry: &Geometry) -> (Detector, Vec<Pose>) {
    let mut detector = Detector::new();
    detector.add(&Collider::new(0, Geometry::HalfSpace)).unwrap();
    detector.fix(0);
    let mut poses = vec![Pose::default()];
    let noise = |k: usize| (12.9898 * k as f64).sin() * 43_758.5 % 1.0;
    for k in 0..n * n * n {
        let (i, j, l) = (k % n, k / n % n, k / (n * n));
        let shake = DVec3::new(noise(3 * k), noise(3 * k + 1), noise(3 * k + 2));
        let place = DVec3::new(i as f64, j as f64, l as f64 + 0.5) + 0.02 * shake;
        let rotation = DQuat::from_scaled_axis(0.05 * DVec3::new(shake.y, shake.z, shake.x));
        poses.push(Pose { position: 0.99 * place, rotation });
        detector.add(&Collider::new(k + 1, geometry.clone())).unwrap();
    }
    (detector, poses)
}

fn detect(detector: &Detector, cache: &mut Cache, poses: &[Pose], reach: f64) -> Vec<Contact> {
    let mut out = Vec::new();
    detector.detect(cache, poses, &vec![reach; poses.len()], &mut out).unwrap();
    out
}

#[test]
fn what_is_detected_does_not_depend_on_what_the_cache_saw() {
    let (detector, poses) = pile(5, &cube(0.5));
    let fresh = detect(&detector, &mut Cache::default(), &poses, 0.005);
    assert!(fresh.len() > 300);
    let mut cache = Cache::default();
    for k in 0..20 {
        let turn = DQuat::from_rotation_x(0.3 * f64::from(k));
        let elsewhere: Vec<Pose> = poses
            .iter()
            .map(|p| Pose { position: turn * p.position * 1.1, rotation: p.rotation * turn })
            .collect();
        detect(&detector, &mut cache, &elsewhere, 0.01);
        assert_eq!(detect(&detector, &mut cache, &poses, 0.005), fresh);
    }
    let (other, elsewhere) = pile(3, &Geometry::Sphere { radius: 0.5 });
    detect(&other, &mut cache, &elsewhere, 0.01);
    assert_eq!(detect(&detector, &mut cache, &poses, 0.005), fresh);
}

#[test]
fn contacts_are_ordered_and_their_identities_differ() {
    let (detector, poses) = pile(5, &cube(0.5));
    let found = detect(&detector, &mut Cache::default(), &poses, 0.005);
    assert!(found.windows(2).all(|w| w[0].colliders <= w[1].colliders));
    let mut identities: Vec<u64> = found.iter().map(|c| c.identity).collect();
    identities.sort_unstable();
    identities.dedup();
    assert_eq!(identities.len(), found.len());
    // One point of each pair is within reach, and the others are as near as impacts may throw them.
    for pair in found.chunk_by(|a, b| a.colliders == b.colliders) {
        let gaps = pair.iter().map(|c| c.proximity(&poses).gap);
        assert!(gaps.clone().fold(f64::INFINITY, f64::min) <= 0.01 + 1e-14);
        assert!(gaps.fold(0.0, f64::max) <= THROWN * 0.01 + 1e-14);
    }
}

#[test]
fn the_broad_phase_loses_no_pair() {
    let ball = Geometry::Sphere { radius: 0.5 };
    let (detector, poses) = pile(5, &ball);
    let found = detect(&detector, &mut Cache::default(), &poses, 0.02);
    let mut count = 0;
    for i in 1..poses.len() {
        count += usize::from(poses[i].position.z - 0.5 <= 0.04);
        for j in i + 1..poses.len() {
            let distance = (poses[i].position - poses[j].position).length();
            count += usize::from(distance - 1.0 <= 0.04);
        }
    }
    assert_eq!(found.len(), count);
}

#[test]
fn a_warm_detection_allocates_nothing() {
    let shapes = [
        cube(0.5),
        Geometry::Sphere { radius: 0.5 },
        Geometry::Capsule { half_length: 0.2, radius: 0.3 },
        Geometry::Cylinder { half_height: 0.5, radius: 0.5 },
    ];
    for geometry in shapes {
        let (detector, poses) = pile(4, &geometry);
        let reach = vec![0.01; poses.len()];
        let (mut cache, mut out) = (Cache::default(), Vec::new());
        for _ in 0..20 {
            detector.detect(&mut cache, &poses, &reach, &mut out).unwrap();
        }
        let counted = allocation_counter::measure(|| {
            detector.detect(&mut cache, &poses, &reach, &mut out).unwrap();
        });
        assert_eq!(counted.count_total, 0, "{}", geometry.name());
    }
}

#[test]
fn filters_keep_bodies_apart() {
    let ball = Geometry::Sphere { radius: 0.5 };
    let poses = [Pose::default(), Pose::at(DVec3::X * 0.5)];
    let count = |change: &dyn Fn(&mut Detector), groups: [(u32, u32); 2]| {
        let mut detector = Detector::new();
        for (body, (membership, filter)) in groups.into_iter().enumerate() {
            let collider = Collider::new(body, ball.clone()).with_groups(membership, filter);
            detector.add(&collider).unwrap();
        }
        change(&mut detector);
        detect(&detector, &mut Cache::default(), &poses, 0.0).len()
    };
    let all = [(1, u32::MAX), (2, u32::MAX)];
    assert_eq!(count(&|_| {}, all), 1);
    assert_eq!(count(&|_| {}, [(1, 1), (2, 2)]), 0);
    assert_eq!(count(&|_| {}, [(1, 2), (2, 2)]), 0, "both must want it");
    assert_eq!(count(&|d| d.exclude(1, 0), all), 0);
    assert_eq!(count(&|d| d.fix(0), all), 1);
    assert_eq!(count(&|d| [0, 1].into_iter().for_each(|b| d.fix(b)), all), 0);
}

#[test]
fn parts_of_a_compound_touch_as_themselves() {
    let parts = vec![
        (Pose::at(DVec3::new(-1.0, 0.0, 0.0)), cube(0.5)),
        (Pose::at(DVec3::new(1.0, 0.0, 0.0)), Geometry::Sphere { radius: 0.5 }),
    ];
    let compound = Geometry::Compound { parts };
    let poses = [Pose::at(DVec3::Z * 0.5), Pose::default()];
    let found = contacts([&compound, &Geometry::HalfSpace], poses, 1e-6);
    assert_eq!(found.len(), 5);
    assert!(found.iter().all(|c| c.1.gap == 0.0));
}

#[test]
fn misuse_is_told() {
    let (detector, poses) = pile(2, &cube(0.5));
    let mut out = Vec::new();
    let mut cache = Cache::default();
    let short = detector.detect(&mut cache, &poses[1..], &[0.0; 9], &mut out);
    assert!(matches!(short, Err(Error::Size { expected: 9, found: 8, .. })));
    let negative = detector.detect(&mut cache, &poses, &[-1.0; 9], &mut out);
    assert!(matches!(negative, Err(Error::Range { .. })));
    let mut wrong = poses.clone();
    wrong[3].position.x = f64::NAN;
    let message = detector.detect(&mut cache, &wrong, &[0.0; 9], &mut out).unwrap_err().to_string();
    assert_eq!(message, "the position of body 3 is NaN; it must be a finite number");
}

/// Seconds that this thread has had a processor, where the system tells; wall time elsewhere.
fn spent() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|t| t.split(' ').next()?.parse::<f64>().ok());
    let wall = || {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.map_or(0.0, |t| t.as_secs_f64())
    };
    nanoseconds.map_or_else(wall, |n| 1e-9 * n)
}

/// How many contacts, and nanoseconds per contact; printed, for it depends on the machine.
#[test]
fn a_contact_costs_less_than_ten_microseconds_without_optimisation() {
    for geometry in [Geometry::Sphere { radius: 0.5 }, cube(0.5)] {
        let (detector, poses) = pile(10, &geometry);
        let reach = vec![0.005; poses.len()];
        let (mut cache, mut out) = (Cache::default(), Vec::new());
        detector.detect(&mut cache, &poses, &reach, &mut out).unwrap();
        // Processor time is counted in ticks: many detections, and their mean.
        let start = spent();
        for _ in 0..30 {
            detector.detect(&mut cache, &poses, &reach, &mut out).unwrap();
        }
        let each = 1e9 * (spent() - start) / (30 * out.len()) as f64;
        println!("{}: {} contacts, {each:.0} ns each", geometry.name(), out.len());
        assert!(out.len() > 1000 && each < 10_000.0);
    }
}
