"""Solves one spatial friction problem with a solver of Pinocchio, again and again.

Usage: pinocchio_contact.py FILE METHOD, with METHOD one of admm-dense, admm-sparse (each also with
-spectral at the end, for that rule of the penalty) and pgs. File, requests and answers are as in
siconos_fc3d.c. Pinocchio has the normal last in each contact; the time is that of its own clock
within the solve.
"""

import sys
import time

import numpy as np
import pinocchio as pin
import scipy.sparse


def read(path):
    raw = open(path, "rb").read()
    k, blocks = (int(x) for x in np.frombuffer(raw, np.int32, 2))
    at = 8
    starts = np.frombuffer(raw, np.int32, k + 1, at)
    at += 4 * (k + 1)
    columns = np.frombuffer(raw, np.int32, blocks, at)
    at += 4 * blocks
    w = np.frombuffer(raw, np.float64, 9 * blocks, at).reshape(-1, 3, 3)
    at += 72 * blocks
    b = np.frombuffer(raw, np.float64, 3 * k, at)
    mu = np.frombuffer(raw, np.float64, k, at + 24 * k)
    matrix = scipy.sparse.bsr_matrix((w, columns, starts), shape=(3 * k, 3 * k)).tocsc()
    # From (N, T, O) to (T, O, N).
    order = np.arange(3 * k).reshape(-1, 3)[:, [1, 2, 0]].ravel()
    return scipy.sparse.csc_matrix(matrix[order][:, order]), b[order], mu, order


def contacts(mu):
    model = pin.Model()
    body = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "body")
    models, datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
    for m in mu:
        contact = pin.PointContactConstraintModel(model, body)
        contact.setFriction(float(m))
        models.append(pin.ConstraintModel(contact))
    for contact in models:
        datas.append(contact.createData())
    return models, datas


def setup(method, tolerance):
    if method == "pgs":
        settings, result, solver = (
            pin.PGSSolverSettings(), pin.PGSSolverResult(), pin.PGSConstraintSolver())
    else:
        settings, result, solver = (
            pin.ADMMSolverSettings(), pin.ADMMSolverResult(), pin.ADMMConstraintSolver())
        if method.endswith("-spectral"):
            settings.admm_update_rule = pin.ADMMUpdateRule.SPECTRAL
    settings.absolute_feasibility_tol = tolerance
    settings.absolute_complementarity_tol = tolerance
    settings.relative_feasibility_tol = 0.0
    settings.relative_complementarity_tol = 0.0
    settings.max_iterations = 2_000_000_000
    settings.solve_ncp = True
    settings.measure_timings = True
    return settings, result, solver


def main():
    path, method = sys.argv[1:]
    w, g, mu, order = read(path)
    models, datas = contacts(mu)
    dense = None if method.startswith("admm-sparse") else w.toarray()
    print("answer ready", flush=True)
    for line in sys.stdin:
        tolerance, seconds = (float(x) for x in line.split())
        best, spent, converged = float("inf"), 0.0, False
        while True:
            settings, result, solver = setup(method, tolerance)
            if dense is None:
                delassus = pin.DelassusOperatorSparse(w)
            else:
                delassus = pin.DelassusOperatorDense(dense)
            start = time.perf_counter()
            converged = solver.solve(delassus, g, models, datas, settings, result)
            wall = time.perf_counter() - start
            own = 1e-6 * solver.getElapsedTime()
            best = min(best, own if 0.0 < own < wall else wall)
            spent += wall
            if spent >= seconds:
                break
        impulse = np.empty(len(g))
        impulse[order] = result.retrieveConstraintImpulses()
        numbers = " ".join(repr(float(x)) for x in impulse)
        print(f"answer {0 if converged else 1} {best!r} {numbers}", flush=True)


main()
