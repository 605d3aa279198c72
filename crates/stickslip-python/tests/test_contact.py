"""Contact problems."""

import json
import pickle
import time

import numpy as np
import pytest
import scipy.sparse as sp

import stickslip
from stickslip import Contact, ContactProblem

W2 = [[1.5, 1.0], [1.0, 0.75]]


def blocks(n, seed=3):
    """n contacts in space on few bodies: W = H M^-1 H^T, singular and coupled."""
    rng = np.random.default_rng(seed)
    h = rng.normal(size=(3 * n, 6 * max(1, n // 2)))
    w = h @ h.T / h.shape[1]
    return w, rng.normal(size=3 * n) - np.tile([1.0, 0.0, 0.0], n)


def test_a_planar_problem_has_the_answer_of_the_library():
    answer = ContactProblem(W2, [-0.5, 0.0], [Contact(mu=2.0)]).solve()
    assert answer.solved and answer.kind == "contact"
    np.testing.assert_allclose(answer.impulse, [3.0, -4.0], atol=1e-12)
    np.testing.assert_allclose(answer.velocity, np.array(W2) @ answer.impulse + [-0.5, 0.0], atol=1e-12)
    assert answer.modes == ["stick"]
    assert answer.certificate["worst"] <= 1e-10 and "cone" in answer.certificate
    assert answer.model is None
    assert answer.components == [["N", "T"]]
    assert "solved" in repr(answer)


@pytest.mark.parametrize("contacts", [[0.5], [{"mu": 0.5}], [Contact(0.5)], [Contact(mu=np.float64(0.5))]])
def test_a_contact_is_a_law_a_mapping_or_a_coefficient(contacts):
    answer = ContactProblem(np.eye(2), [-1.0, -2.0], contacts).solve()
    # Λ_N = 1, and friction at its limit against the slip.
    np.testing.assert_allclose(answer.impulse, [1.0, 0.5], atol=1e-12)


def test_each_contact_has_its_own_law():
    twice = Contact(0.25)
    laws = (law for law in (twice, 0.5, {"mu": 0.75}, twice))
    answer = ContactProblem(np.eye(8), np.tile([-1.0, -2.0], 4), laws).solve()
    np.testing.assert_allclose(answer.impulse[1::2], [0.25, 0.5, 0.75, 0.25], atol=1e-12)


@pytest.mark.parametrize(
    "ask, words",
    [
        (lambda p: p.solve(directions=-1), "directions is negative"),
        (lambda p: p.solve(tol="small"), "tol is 'small'"),
        (lambda p: p.solve(solver=3), "solver is 3; it must be a name"),
        (lambda p: p.solve(rho=[1.0, "a"]), "rho has entries"),
        (lambda p: p.derivative(mu=[1.0, 2.0]), r"mu has the shape \(2,\); it must be a number, or a vector with 1"),
        (lambda p: p.analyze(max_contacts=-1), "max_contacts is negative"),
    ],
)
def test_options_that_cannot_be_are_refused_with_words(ask, words):
    with pytest.raises(stickslip.Error, match=words):
        ask(ContactProblem(W2, [-0.5, 0.0], [Contact(mu=2.0)]))


def test_contacts_in_space_and_sparse_matrices():
    w, b = blocks(6)
    laws = [Contact(mu=0.5, friction="disc")] * 6
    dense = ContactProblem(w, b, laws).solve()
    sparse = ContactProblem(sp.csr_matrix(w), b, laws).solve()
    assert dense.solved and sparse.solved
    np.testing.assert_allclose(sparse.velocity, dense.velocity, atol=1e-7)
    normal = dense.impulse[0::3]
    friction = np.hypot(dense.impulse[1::3], dense.impulse[2::3])
    assert (normal >= -1e-9).all() and (friction <= 0.5 * normal + 1e-7).all()
    same = ContactProblem(w, b, [0.5] * 6, dimension=3).solve()
    np.testing.assert_array_equal(same.impulse, dense.impulse)


@pytest.mark.parametrize("formulation", ["stewart_trinkle", "anitescu_potra", "phantom_inertia", "cone", "convexified_cone"])
def test_a_formulation_that_is_asked_for_is_used_and_its_error_is_reported(formulation):
    problem = ContactProblem(np.eye(3), [-1.0, -2.0, -1.0], [Contact(0.5, "disc")])
    answer = problem.solve(formulation=formulation)
    assert answer.solved and answer.formulation == formulation
    exact = problem.certificate(answer.impulse)["worst"]
    if formulation == "cone":
        assert answer.model is None and exact <= 1e-9
    else:
        assert answer.model["worst"] == pytest.approx(exact)
        assert exact > 1e-6


def test_more_directions_come_nearer_to_the_round_cone():
    problem = ContactProblem(np.eye(3), [-1.0, -2.0, -1.0], [Contact(0.5, "disc")])
    errors = [
        problem.solve(formulation="stewart_trinkle", directions=n).model["worst"] for n in (4, 16, 64)
    ]
    assert errors[0] > errors[1] > errors[2]


def test_a_problem_without_a_solution_is_proved_to_have_none():
    # A rod that slides into its own contact: pushing makes it approach (Painlevé).
    answer = ContactProblem([[-1.0, 0.0], [0.0, 1.0]], [-1.0, 0.0], [Contact(0.0)]).solve()
    assert answer.status == "no_solution" and answer.contradictions >= 1
    assert answer.proof["contradictions"] == answer.contradictions


def test_the_certificate_judges_impulses_of_ones_own():
    problem = ContactProblem(np.eye(2), [-1.0, 0.0], [Contact(0.5)])
    assert problem.certificate([1.0, 0.0])["worst"] == 0.0
    pulls = problem.certificate([-1.0, 0.0])
    assert pulls["tension"]["value"] > 0.0 and pulls["tension"]["contact"] == "0"
    with pytest.raises(stickslip.Error, match="entries"):
        problem.certificate([1.0])


def test_redundant_contacts_and_the_least_impulses():
    # Two contacts at the same place share one load in any way.
    w = np.kron(np.ones((2, 2)), np.eye(2))
    problem = ContactProblem(w, [-1.0, 0.0, -1.0, 0.0], [0.3, 0.3])
    found = problem.redundancy()
    assert found["rank"] == 2 and found["rows"] == 4 and found["dimension"] >= 1
    least = problem.solve(minimum_norm=True)
    np.testing.assert_allclose(least.impulse[[0, 2]], [0.5, 0.5], atol=1e-9)


def test_an_analysis_lists_all_solutions_and_derivatives():
    problem = ContactProblem(np.eye(2), [-1.0, -2.0], [0.5])
    analysis = stickslip.analyze(problem, sensitivity=["mu[0]", "bias[0]"])
    level = analysis.levels[0]
    assert analysis.kind == "contact" and "exactly one solution" in analysis.verdict
    assert level.count == "1" and level.complete and level.rank == 2
    np.testing.assert_allclose(level.solutions[0].impulse, [1.0, 0.5])
    assert stickslip.enumerate_solutions(problem)[0].modes == level.solutions[0].modes
    slopes = {slope["of"]: slope for slope in level.sensitivity}
    # Λ_T = μ Λ_N and Λ_N = -b_N.
    np.testing.assert_allclose(slopes["mu[0]"]["impulse"], [0.0, 1.0], atol=1e-9)
    np.testing.assert_allclose(slopes["bias[0]"]["impulse"], [-1.0, -0.5], atol=1e-9)
    with pytest.raises(stickslip.Error, match=r"mu\[0\] to mu\[0\]"):
        problem.analyze(sensitivity=["mu[3]"])
    with pytest.raises(stickslip.Error, match="ContactProblem or a Simulation"):
        stickslip.analyze(3)


def test_jacobians_agree_with_differences_of_solutions():
    w, b = blocks(3, seed=5)
    w += 0.5 * np.eye(9)
    mus = np.array([0.3, 0.4, 0.5])

    def solve(b, mus):
        answer = ContactProblem(w, b, list(mus), dimension=3).solve(tol=1e-13)
        assert answer.solved
        return answer

    problem = ContactProblem(w, b, list(mus), dimension=3)
    assert set(problem.solve().modes) != {"open"}
    jacobian = problem.jacobian(solve(b, mus).impulse)
    assert jacobian.impulse_b.shape == (9, 9) and jacobian.impulse_mu.shape == (9, 3)
    h = 1e-5
    for i in range(9):
        e = h * np.eye(9)[i]
        high, low = solve(b + e, mus), solve(b - e, mus)
        np.testing.assert_allclose(jacobian.impulse_b[:, i], (high.impulse - low.impulse) / (2 * h), atol=1e-4)
        np.testing.assert_allclose(jacobian.velocity_b[:, i], (high.velocity - low.velocity) / (2 * h), atol=1e-4)
    for i in range(3):
        e = h * np.eye(3)[i]
        slope = (solve(b, mus + e).impulse - solve(b, mus - e).impulse) / (2 * h)
        np.testing.assert_allclose(jacobian.impulse_mu[:, i], slope, atol=1e-4)
    along = problem.derivative(b=np.ones(9), mu=2.0)
    assert along.both_sides and along.at_change == []
    total = jacobian.impulse_b.sum(axis=1) + 2.0 * jacobian.impulse_mu.sum(axis=1)
    np.testing.assert_allclose(along.impulse, total, atol=1e-7)


def test_derivatives_at_a_change_of_mode_are_one_sided_and_refused_where_there_is_none():
    # A contact that just touches: pressing it gives a force, lifting it none.
    problem = ContactProblem(np.eye(2), [0.0, 0.0], [Contact(0.5)])
    pressed = problem.derivative(b=[-1.0, 0.0])
    lifted = problem.derivative(b=[1.0, 0.0])
    assert not pressed.both_sides and pressed.at_change == [0]
    np.testing.assert_allclose(pressed.impulse, [1.0, 0.0])
    np.testing.assert_allclose(lifted.impulse, [0.0, 0.0])
    with pytest.raises(stickslip.Error, match="contact 0 is at a change of mode"):
        problem.jacobian()
    # Pushing such a contact down would need a force that makes it approach.
    ends = ContactProblem([[-1.0, 0.0], [0.0, 1.0]], [0.0, 0.0], [Contact(0.0)])
    with pytest.raises(stickslip.Error, match="no single derivative: the solution ends here"):
        ends.derivative(b=[-1.0, 0.0], impulse=[0.0, 0.0])
    with pytest.raises(stickslip.Error, match="no solution to be differentiated"):
        ContactProblem([[-1.0, 0.0], [0.0, 1.0]], [-1.0, 0.0], [Contact(0.0)]).jacobian()
    with pytest.raises(stickslip.Error, match="only a solution can be differentiated"):
        problem.derivative(b=[1.0, 0.0], impulse=[1.0, 0.0])
    with pytest.raises(stickslip.Error, match="entries|has"):
        problem.derivative(b=[1.0])


def test_problems_are_written_and_read_with_the_same_bits():
    problem = ContactProblem([[1.0 / 3.0, 0.1], [0.1, 0.7]], [-0.1, 1.0 / 7.0], [Contact(0.3, eps_n=0.5)])
    again = ContactProblem.from_json(problem.to_json())
    assert again.to_json() == problem.to_json() and again.components == [["N", "T"]]
    assert json.loads(problem.to_json())["kind"] == "contact"
    assert repr(again) == "ContactProblem(1 contacts, 2 components)"
    sparse = ContactProblem(sp.eye(2), [-1.0, 0.0], [0.5])
    np.testing.assert_array_equal(ContactProblem.from_json(sparse.to_json()).solve().impulse, sparse.solve().impulse)


@pytest.mark.parametrize(
    "arguments, words",
    [
        ((np.eye(2), [0.0, 0.0], [-0.5]), "mu of contact 0 is -0.5"),
        ((np.eye(2), [0.0, 0.0], [np.nan]), "not finite"),
        ((np.eye(2), [0.0, 0.0], ["rough"]), r"contacts\[0\] is a str"),
        ((np.eye(2), [0.0, 0.0], [{"mue": 1.0}]), "unknown field `mue`"),
        ((np.eye(2), [0.0, 0.0], [{"mu": 1.0, "friction": "square"}]), "square"),
        ((np.eye(3), [0.0, 0.0], [0.5]), "entries|rows"),
        ((sp.eye(3), [0.0, 0.0], [0.5]), "3 x 3"),
        ((np.eye(2), [0.0, np.nan], [0.5]), r"b\[1\] is nan"),
        ((np.eye(2), [0.0, 0.0], [{"mu": object()}]), "type object"),
    ],
)
def test_what_is_not_a_problem_is_refused_with_words(arguments, words):
    with pytest.raises(stickslip.Error, match=words):
        ContactProblem(*arguments)


def test_options_that_do_nothing_are_refused():
    problem = ContactProblem(np.eye(2), [-1.0, 0.0], [0.5])
    with pytest.raises(stickslip.Error, match="directions does nothing without the formulation stewart_trinkle"):
        problem.solve(directions=8)
    with pytest.raises(stickslip.Error, match="rho does nothing without the formulation phantom_inertia"):
        problem.solve(rho=0.1)
    with pytest.raises(stickslip.Error, match="conic"):
        problem.solve(formulation="conic")


def test_python_goes_on_while_a_problem_is_solved():
    # A thread that counts gets time while another solves.
    import threading

    w, b = blocks(60)
    problem = ContactProblem(w, b, [0.5] * 60, dimension=3)
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.0005)

    thread = threading.Thread(target=count)
    thread.start()
    time.sleep(0.01)
    before, start = counted[0], time.perf_counter()
    while time.perf_counter() - start < 0.2:
        assert problem.solve().solved
    after = counted[0]
    done.set()
    thread.join()
    assert after - before > 20


def test_a_list_of_solutions_says_whether_it_is_complete():
    both = ContactProblem([[-1.0, 0.0], [0.0, 1.0]], [1.0, 0.0], [Contact(mu=0.1)])
    found = stickslip.enumerate_solutions(both)
    assert found.complete and found.count == "2" and len(found) == len(list(found)) == 2
    assert found[0].modes == found.solutions[0].modes and "complete" in repr(found)
    cut = stickslip.enumerate_solutions(both, max_nodes=1)
    assert not cut.complete and cut.incomplete
    with pytest.raises(stickslip.Error, match="q is for linear"):
        stickslip.enumerate_solutions(both, [1.0])
    with pytest.raises(stickslip.Error, match="max_unknowns is for linear"):
        stickslip.enumerate_solutions(both, max_unknowns=3)
    with pytest.raises(stickslip.Error, match="max_contacts is for contact"):
        stickslip.enumerate_solutions(np.eye(2), [1.0, 1.0], max_contacts=3)


def test_a_solution_says_how_unique_it_is_and_how_symmetric_its_matrix():
    w = np.kron(np.ones((2, 2)), np.eye(2))
    problem = ContactProblem(w, [-1.0, 0.0, -1.0, 0.0], [0.3, 0.3])
    answer = problem.solve()
    assert answer.redundancy == problem.redundancy() and answer.redundancy["dimension"] >= 1
    assert answer.asymmetry == 0.0 and answer.to_dict()["redundancy"] == answer.redundancy
    again = pickle.loads(pickle.dumps(problem.solve()))
    assert again.redundancy == answer.redundancy and again.impulse.tolist() == answer.impulse.tolist()
    skew = ContactProblem([[1.0, 0.5], [0.4, 1.0]], [-1.0, 0.0], [0.0]).solve()
    assert 0.05 < skew.asymmetry < 0.5
    none = ContactProblem([[-1.0, 0.0], [0.0, 1.0]], [-1.0, 0.0], [Contact(0.0)]).solve()
    assert none.redundancy is None


def test_a_wrong_length_of_b_is_named_with_the_dimension():
    with pytest.raises(stickslip.Error, match="b has 3 entries; with dimension=2 the contacts have 2 components"):
        ContactProblem(np.eye(3), [-1.0, 0.0, 0.0], [0.3])
    with pytest.raises(stickslip.Error, match="minimum_norm is 'yes'"):
        ContactProblem(np.eye(2), [-1.0, 0.0], [0.3]).solve(minimum_norm="yes")
    assert len(ContactProblem(np.eye(2), [-1.0, 0.0], [0.3]).analyze(sensitivity="mu[0]").levels[0].sensitivity) == 1
