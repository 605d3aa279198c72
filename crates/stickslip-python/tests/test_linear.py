"""Linear complementarity problems."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import stickslip

M = np.array([[2.0, 1.0], [1.0, 2.0]])
Q = np.array([-5.0, -6.0])
Z = np.array([4.0, 7.0]) / 3.0

SOLVERS = ["auto", "lemke", "principal_pivoting", "pgs", "newton", "interior_point"]


def is_solution(m, q, z, tol=1e-9):
    w = m @ z + q
    return z.min() > -tol and w.min() > -tol and np.abs(z * w).max() < tol


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver_finds_the_solution_and_says_how(solver):
    answer = stickslip.solve_lcp(M, Q, solver=solver)
    assert answer.solved and answer.status == "solved" and answer.kind == "lcp"
    np.testing.assert_allclose(answer.z, Z, rtol=1e-9)
    assert is_solution(M, Q, answer.z)
    assert answer.certificate["worst"] <= 1e-10
    assert set(answer.certificate) == {"worst", "index", "feasibility", "complementarity", "natural"}
    assert answer.iterations >= 0 and answer.seconds > 0.0
    assert "solved" in repr(answer) and "1.33333" in repr(answer)
    assert "<table>" in answer._repr_html_()


@pytest.mark.parametrize("solver", ["auto", "pgs", "lemke"])
@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csc_matrix, sp.coo_matrix])
def test_sparse_matrices_give_the_answer_of_dense_ones(solver, form):
    rng = np.random.default_rng(7)
    a = rng.normal(size=(12, 12)) * (rng.random((12, 12)) < 0.3)
    m = a @ a.T + np.eye(12)
    q = rng.normal(size=12)
    dense = stickslip.solve_lcp(m, q, solver=solver)
    sparse = stickslip.solve_lcp(form(m), q, solver=solver)
    assert sparse.solved and is_solution(m, q, sparse.z)
    np.testing.assert_allclose(sparse.z, dense.z, atol=1e-9)


def test_entries_of_a_sparse_matrix_that_stand_twice_add_up():
    twice = sp.coo_matrix(([1.0, 1.0, 1.0, 1.0, 2.0], ([0, 0, 0, 1, 1], [0, 0, 1, 0, 1])), shape=(2, 2))
    np.testing.assert_allclose(stickslip.solve_lcp(twice, Q).z, Z)


@pytest.mark.parametrize(
    "m, q",
    [
        (M.tolist(), Q.tolist()),
        (M.astype(np.float32), Q.astype(np.int64)),
        (np.asfortranarray(M), Q),
        (np.kron(M, np.ones((2, 2)))[::2, ::2], np.repeat(Q, 2)[::2]),
        (M[::-1, ::-1][::-1, ::-1], Q[::-1][::-1]),
    ],
)
def test_arrays_of_any_layout_and_real_type_are_taken(m, q):
    np.testing.assert_allclose(stickslip.solve_lcp(m, q).z, Z)


def test_read_only_arrays_are_taken_and_left_alone():
    m, q = M.copy(), Q.copy()
    m.flags.writeable = q.flags.writeable = False
    answer = stickslip.solve_lcp(m, q)
    assert (m == M).all() and (q == Q).all()
    answer.z[0] = 7.0  # The result is the caller's own.


@pytest.mark.parametrize(
    "m, q, words",
    [
        ([[1.0, 2.0]], [1.0], "square"),
        (M, [1.0], "q has 1 entries"),
        (M, [[1.0, 2.0]], "q has 2 dimensions"),
        ([1.0, 2.0], Q, "M has 1 dimensions"),
        ([[1.0, np.nan], [0.0, 1.0]], Q, r"M\[0, 1\] is nan"),
        (M, [np.inf, 0.0], r"q\[0\] is inf"),
        (M.astype(complex), Q, "complex128"),
        ([["a", "b"], ["c", "d"]], Q, "real numbers"),
        ([[1.0, 2.0], [3.0]], Q, "not an array of numbers"),
        (None, Q, "real numbers"),
        (M, [10**400, 1], "too large for a double"),
        (M, np.ma.masked_array(Q, [True, False]), "masked"),
        ([[np.inf, -np.inf], [0.0, 1.0]], Q, r"M\[0, 0\] is inf"),
        (sp.csr_matrix(np.array([[1.0, np.nan], [0.0, 1.0]])), Q, "nan"),
    ],
)
def test_what_is_not_a_problem_is_refused_with_words(m, q, words):
    with warnings.catch_warnings(), pytest.raises(stickslip.Error, match=words):
        warnings.simplefilter("error")
        stickslip.solve_lcp(m, q)


def test_a_sparse_matrix_that_is_too_large_to_be_filled_is_refused_before_it_is():
    n = 200_000
    sparse, q = sp.eye(n, format="csr"), -np.ones(n)
    for ask in (
        lambda: stickslip.solve_lcp(sparse, q),
        lambda: stickslip.solve_mlcp(sparse, q),
        lambda: stickslip.enumerate_solutions(sparse, q),
        lambda: stickslip.classify(sparse),
        lambda: stickslip.ContactProblem(sparse, q, [0.0] * (n // 2)).derivative(b=q, impulse=q),
    ):
        with pytest.raises(stickslip.Error, match="200000 x 200000 with all its entries is too large"):
            ask()
    with pytest.raises(stickslip.Error, match='solver="pgs"'):
        stickslip.solve_lcp(sparse, q)
    np.testing.assert_allclose(stickslip.solve_lcp(sparse, q, solver="pgs").z, 1.0)
    vast = sp.coo_matrix(([1.0], ([0], [0])), shape=(2**40, 2**40))
    with pytest.raises(stickslip.Error, match="q has 1 entries"):
        stickslip.solve_lcp(vast, [1.0], solver="pgs")


def test_errors_are_value_errors_with_the_words_of_the_command():
    with pytest.raises(ValueError, match="nsgs is for contact problems with the formulation cone"):
        stickslip.solve_lcp(M, Q, solver="nsgs")
    with pytest.raises(stickslip.Error, match="simplex"):
        stickslip.solve_lcp(M, Q, solver="simplex")
    with pytest.raises(stickslip.Error, match="tolerance"):
        stickslip.solve_lcp(M, Q, tol=-1.0)
    with pytest.raises(stickslip.Error, match="principal_pivoting is for plain problems"):
        stickslip.solve_mlcp(M, Q, solver="principal_pivoting")


def test_a_problem_without_a_solution_is_proved_to_have_none():
    answer = stickslip.solve_lcp([[-1.0]], [-1.0])
    assert answer.status == "no_solution" and not answer.solved
    y = float(answer.proof["y"][0])
    # w = -z - 1 >= 0 and z >= 0 contradict each other.
    assert answer.proof["kind"] == "infeasible" and y > 0.0


def test_a_mixed_problem_has_bounds_on_both_sides():
    # A free unknown, one at its upper bound, one between its bounds.
    m = np.diag([1.0, 1.0, 2.0])
    answer = stickslip.solve_mlcp(m, [3.0, -5.0, -1.0], [-np.inf, 0.0, 0.0], [np.inf, 2.0, 1.0])
    assert answer.solved and answer.kind == "mlcp"
    np.testing.assert_allclose(answer.z, [-3.0, 2.0, 0.5])
    np.testing.assert_allclose(stickslip.solve_mlcp(M, Q).z, Z)
    np.testing.assert_allclose(stickslip.solve_mlcp(M, Q, upper=1.0).z, [1.0, 1.0])
    with pytest.raises(stickslip.Error, match=r"lower\[1\] is nan"):
        stickslip.solve_mlcp(M, Q, [0.0, np.nan])
    with pytest.raises(stickslip.Error, match="upper"):
        stickslip.solve_mlcp(M, Q, [0.0, 0.0], [1.0, -1.0])


def test_all_solutions_are_listed_once_and_continua_by_their_corners():
    four = stickslip.enumerate_solutions(-np.eye(2), [1.0, 1.0])
    assert four.count == "4" and four.complete and four.incomplete is None
    found = sorted(tuple(face.z) for face in four.solutions)
    assert found == [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)]
    assert all(face.isolated for face in four.solutions)
    ray = stickslip.enumerate_solutions([[1.0, -1.0], [1.0, -1.0]], [0.0, 0.0])
    assert ray.count == "infinite"
    np.testing.assert_allclose(ray.solutions[0].rays, [[1.0, 1.0]])
    none = stickslip.enumerate_solutions([[-1.0]], [-1.0])
    assert none.count == "0" and none.solutions == [] and none.proof is not None
    with pytest.raises(stickslip.Error, match="30 unknowns|unknowns"):
        stickslip.enumerate_solutions(np.eye(31), np.zeros(31))
    with pytest.raises(stickslip.Error, match="q is missing"):
        stickslip.enumerate_solutions(np.eye(2))


def test_classes_have_verdicts_and_reasons():
    found = stickslip.classify(M)
    assert found["symmetric"] and found["positive definite"] and found["P"] and not found["Z"]
    assert found.classes["Z"]["verdict"] == "no"
    assert any("unique" in line or "exactly one" in line for line in found.consequences), found.consequences
    assert "positive definite" in repr(found)
    with pytest.raises(stickslip.Error, match="is not a class"):
        found["nice"]
    with pytest.raises(stickslip.Error, match="2 x 1|square"):
        stickslip.classify([[1.0], [2.0]])
