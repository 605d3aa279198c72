"""Bodies, joints and contacts built from Python."""

import numpy as np
import pytest

import stickslip
from stickslip import Box, Disc, Plane, Simulation, Sphere, World

G = 9.81


def test_a_box_slides_v_squared_over_two_mu_g():
    world = World(gravity=[0, 0, -G])
    box = world.body("box", mass=2.0, shape=Box([0.4, 0.2, 0.1]), position=[0, 0, 0.05], velocity=[1.5, 0, 0])
    world.contact("floor", box["bottom"], world.ground, mu=0.4)
    run = Simulation(world, dt=1e-3).run(0.6)
    assert run["box.x"][-1] == pytest.approx(1.5**2 / (2 * 0.4 * G), rel=1e-3)
    assert run["box.z"][-1] == pytest.approx(0.05, abs=1e-6)


def test_a_pendulum_swings_with_its_period():
    world = World(gravity=[0, 0, -G], model="articulated")
    length, angle = 0.7, 0.05
    at = [length * np.sin(angle), 0, -length * np.cos(angle)]
    bob = world.body("bob", mass=1.0, inertia=[1e-9, 1e-9, 1e-9], position=at)
    world.joint("hinge", "revolute", world.ground, bob, at=[0, 0, 0], axis=[0, 1, 0])
    period = 2 * np.pi * np.sqrt(length / G) * (1 + angle**2 / 16)
    run = Simulation(world, dt=1e-4).run(period)
    assert run["bob.x"][-1] == pytest.approx(at[0], rel=1e-4)
    half = run["bob.x"][np.searchsorted(run.t, period / 2)]
    assert half == pytest.approx(-at[0], rel=1e-3)


def test_a_stack_stands_and_a_ball_bounces():
    world = World(gravity=[0, -G], dimension=2, collision={"mu": 0.5})
    for i in range(4):
        world.body(f"box{i}", mass=1.0 + i, shape=Box([0.3, 0.1]), position=[0, (i + 0.5) * 0.1])
    assert repr(world) == "World(4 bodies, 0 joints, 0 contacts)"
    run = Simulation(world, dt=5e-3).run(0.5)
    assert run["box3.y"][-1] == pytest.approx(0.35, abs=1e-3) and abs(run["box3.x"][-1]) < 1e-6
    world = World(gravity=[0, 0, -G], parameters={"e": 0.5})
    skin = {"skin": {"sphere": {"radius": 0.1}}}
    ball = world.body("ball", mass=0.1, shape=Sphere(0.1), position=[0, 0, 1.1], parts=skin)
    world.contact("floor", ball["skin"], world.ground, eps_n="e")
    sim = Simulation(world, dt=1e-4, e=0.8)
    sim.run(0.6)
    assert sim["ball.vz"] == pytest.approx(0.8 * np.sqrt(2 * G) - G * (0.6 - np.sqrt(2 / G)), rel=1e-2)


def test_a_slope_is_a_half_plane_and_a_material_has_friction():
    world = World(gravity=[0, -G], dimension=2, collision={"ground": False})
    ice = world.material("ice", mu=0.0)
    a = 0.3
    world.body("slope", fixed=True, shape=Plane([-np.sin(a), np.cos(a)]), position=[0, 0], material=ice)
    world.body("puck", mass=1.0, shape=Disc(0.1), position=[-0.1 * np.sin(a), 0.1 * np.cos(a)], material=ice)
    sim = Simulation(world, dt=1e-3)
    sim.run(0.4)
    assert np.hypot(sim.u[0], sim.u[1]) == pytest.approx(G * np.sin(a) * 0.4, rel=1e-2)


def test_errors_are_those_of_scene_files():
    world = World(gravity=[0, 0, -G])
    world.body("ball", mass=1.0, shape=Sphere(0.1), colour="red")
    with pytest.raises(stickslip.Error, match="unknown key `colour`"):
        Simulation(world)
    with pytest.raises(stickslip.Error, match="position is nan"):
        world.body("other", mass=1.0, position=[0, 0, np.nan])
    with pytest.raises(stickslip.Error, match="mass is of type object"):
        world.body("other", mass=object())


def test_shapes_of_every_kind_rest_where_their_centres_are():
    world = stickslip.World(gravity=[0, 0, -10], collision={"mu": 0.5})
    cube = stickslip.Box([0.2, 0.2, 0.2])
    shapes = {
        "cone": (stickslip.Cone(0.3, 0.4), 0.1),
        "hull": (stickslip.Hull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]), 0.25),
        "tower": (stickslip.Compound([(cube, [0, 0, 0.1]), (cube, [0, 0, 0.3], {"axis": [0, 0, 1], "angle": 0.5})]), 0.2),
        "ball": ({"sphere": 0.1}, 0.1),
    }
    for i, (name, (shape, height)) in enumerate(shapes.items()):
        world.body(name, density=500.0, shape=shape, position=[3 * i, 0, height])
    run = stickslip.Simulation(world, dt=1e-3).run(0.1)
    for name, (_, height) in shapes.items():
        assert run[f"{name}.z"][-1] == pytest.approx(height, abs=1e-9)
    ground = stickslip.World(gravity=[0, 0, -10], collision={"mu": 0.5, "ground": False})
    ground.body("hills", fixed=True, shape=stickslip.HeightField("0.1*x^2", [4, 4], [20, 20]))
    ground.body("marble", mass=1.0, shape=Sphere(0.1), position=[0, 0, 0.1])
    ground.table("run", t_end=0.2, dt=1e-3)
    ground.entry("output", name="twice", value="2*marble.z")
    run = stickslip.Simulation(ground).run()
    assert run.t[-1] == 0.2 and run["twice"][-1] == pytest.approx(2 * run["marble.z"][-1])
    # It rests at the bottom of the valley.
    assert run["marble.z"][-1] == pytest.approx(0.1, abs=1e-3)
    with pytest.raises(stickslip.Error, match="a part of a compound is"):
        world.body("odd", mass=1.0, shape=stickslip.Compound([(cube, [0, 0, 0], [1, 0, 0, 0], 3)]))


def test_what_is_no_part_and_no_shape_is_refused_where_it_is_given():
    world = World(gravity=np.array([0, 0, -G]))
    box = world.body("box", mass=1.0, shape=Box(np.array([0.4, 0.2, 0.1])))
    with pytest.raises(stickslip.Error, match=r"first is 'a'; it must be what World.body returns"):
        world.contact("c", "a", "ground")
    with pytest.raises(stickslip.Error, match="second is 'ground'"):
        world.joint("hinge", "revolute", box, "ground", at=[0, 0, 0], axis=[0, 1, 0])
    with pytest.raises(stickslip.Error, match="body is 'box'"):
        world.force("box", force=[1, 0, 0])
    with pytest.raises(stickslip.Error, match=r"shape is 'box'; it must be one of Box, Sphere"):
        world.body("other", mass=1.0, shape="box")
    with pytest.raises(stickslip.Error, match="fixed is 'no'; it must be True or False"):
        world.body("other", mass=1.0, fixed="no")
    assert Simulation(world).coordinates[0] == "box.x"
