/* Solves one spatial friction problem with a solver of Siconos, again and again.
 *
 * Usage: siconos_fc3d FILE METHOD. FILE holds, in the machine's byte order, int32 contacts and
 * blocks, int32 starts (contacts + 1) and columns (blocks) of the rows of blocks of W, its entries
 * (9 doubles per block, row by row), b (3 per contact: normal, tangents) and mu (1 per contact).
 * Once that is read the line "answer ready" is written.
 * Each line "TOLERANCE SECONDS" on standard input is one request: solve from zero to this
 * tolerance of Siconos' own error, repeated for about that long.
 * The answer is one line: "answer INFO BEST_SECONDS r_1 ... r_n".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>

static void must(int ok, const char *what) {
  if (!ok) {
    fprintf(stderr, "siconos_fc3d: %s\n", what);
    exit(1);
  }
}

static void *read_all(FILE *f, size_t size, size_t count) {
  void *x = malloc(size * (count ? count : 1));
  must(x && fread(x, size, count, f) == count, "cannot read the problem");
  return x;
}

static NumericsMatrix *sparse(int k, int blocks, const int *starts, const int *columns,
                              const double *w) {
  NumericsMatrix *m = NM_create(NM_SPARSE, 3 * k, 3 * k);
  NM_triplet_alloc(m, 9 * (CS_INT)blocks);
  m->matrix2->origin = NSM_TRIPLET;
  for (int i = 0; i < k; ++i)
    for (int at = starts[i]; at < starts[i + 1]; ++at)
      for (int e = 0; e < 9; ++e)
        NM_entry(m, 3 * i + e / 3, 3 * columns[at] + e % 3, w[9 * (size_t)at + e]);
  NM_csc(m);
  return m;
}

static NumericsMatrix *by_blocks(NumericsMatrix *m) {
  SparseBlockStructuredMatrix *s = SBM_new();
  must(SBM_from_csparse(3, NM_csc(m), s) == 0, "cannot make blocks");
  return NM_new_SBM(m->size0, m->size1, s);
}

/* Name, solver, whether it is given blocks rather than triplets, most iterations, local solver. */
static const struct Method {
  const char *name;
  int id, blocks, iterations, local, mumps;
} methods[] = {
    {"nsgs", SICONOS_FRICTION_3D_NSGS, 1, 10000000, 0, 0},
    {"nsgs-quartic", SICONOS_FRICTION_3D_NSGS, 1, 10000000,
     SICONOS_FRICTION_3D_ONECONTACT_QUARTIC, 0},
    {"nsgs-projection", SICONOS_FRICTION_3D_NSGS, 1, 10000000,
     SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration, 0},
    {"prox", SICONOS_FRICTION_3D_PROX, 0, 10000, 0, 0},
    {"prox-mumps", SICONOS_FRICTION_3D_PROX, 0, 10000, 0, 1},
    {"admm", SICONOS_FRICTION_3D_ADMM, 0, 1000000, 0, 0},
    {"nsn-fb", SICONOS_FRICTION_3D_NSN_FB, 0, 10000, 0, 0},
    {"nsn-fb-mumps", SICONOS_FRICTION_3D_NSN_FB, 0, 10000, 0, 1},
    {"nsn-ac", SICONOS_FRICTION_3D_NSN_AC, 0, 10000, 0, 0},
    {"nsn-ac-mumps", SICONOS_FRICTION_3D_NSN_AC, 0, 10000, 0, 1},
};

static SolverOptions *options_of(const struct Method *m, double tolerance) {
  SolverOptions *o = solver_options_create(m->id);
  o->iparam[SICONOS_IPARAM_MAX_ITER] = m->iterations;
  o->dparam[SICONOS_DPARAM_TOL] = tolerance;
  if (m->local) solver_options_update_internal(o, 0, m->local);
  if (m->mumps) {
    int inner = m->id == SICONOS_FRICTION_3D_PROX;
    (inner ? o->internalSolvers[0] : o)->iparam[SICONOS_FRICTION_3D_NSN_LINEAR_SOLVER] =
        SICONOS_FRICTION_3D_NSN_USE_MUMPS;
  }
  return o;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(int argc, char **argv) {
  must(argc == 3, "a file and a method are needed");
  const struct Method *method = NULL;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i)
    if (!strcmp(methods[i].name, argv[2])) method = &methods[i];
  must(method != NULL, "no such method");
  FILE *f = fopen(argv[1], "rb");
  must(f != NULL, "cannot open the problem");
  int *sizes = read_all(f, sizeof(int), 2), k = sizes[0], blocks = sizes[1];
  int *starts = read_all(f, sizeof(int), k + 1), *columns = read_all(f, sizeof(int), blocks);
  double *w = read_all(f, sizeof(double), 9 * (size_t)blocks);
  double *q = read_all(f, sizeof(double), 3 * (size_t)k), *mu = read_all(f, sizeof(double), k);
  fclose(f);
  NumericsMatrix *m = sparse(k, blocks, starts, columns, w);
  if (method->blocks) m = by_blocks(m);
  FrictionContactProblem problem = {3, k, m, q, mu};
  double *r = calloc(3 * k, sizeof *r), *u = calloc(3 * k, sizeof *u);
  numerics_set_verbose(0);

  printf("\nanswer ready\n");
  fflush(stdout);
  double tolerance, seconds;
  while (scanf("%lf %lf", &tolerance, &seconds) == 2) {
    double best = 1e300, spent = 0;
    int info = 0;
    do {
      SolverOptions *o = options_of(method, tolerance);
      memset(r, 0, 3 * k * sizeof *r);
      memset(u, 0, 3 * k * sizeof *u);
      double start = now();
      info = fc3d_driver(&problem, r, u, o);
      double time = now() - start;
      solver_options_delete(o);
      best = time < best ? time : best;
      spent += time;
    } while (spent < seconds);
    printf("\nanswer %d %.9g", info, best);
    for (int i = 0; i < 3 * k; ++i) printf(" %.17g", r[i]);
    printf("\n");
    fflush(stdout);
  }
  return 0;
}
