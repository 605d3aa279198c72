/* Times Siconos' lcp_lexicolemke on prepared problems.
 *
 * Usage: siconos FILE. FILE holds, in the machine's byte order, an int32 count and for each problem
 * an int32 n, M (n*n doubles, column by column) and q (n doubles). Commands on standard input:
 *   solve I            one solve of problem I     -> "info z_1 ... z_n"
 *   time SECONDS I...  loops over these problems  -> "nanoseconds per solve"
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <NumericsVerbose.h>
#include <lcp_cst.h>

static LinearComplementarityProblem *problems;
static double *z, *w;

static void must(int ok, const char *what) {
  if (!ok) {
    fprintf(stderr, "siconos: %s\n", what);
    exit(1);
  }
}

static double *numbers(FILE *f, size_t count) {
  double *x = malloc(count * sizeof *x);
  must(x && fread(x, sizeof *x, count, f) == count, "cannot read numbers");
  return x;
}

static int load(const char *path) {
  FILE *f = fopen(path, "rb");
  int count, most = 1;
  must(f && fread(&count, sizeof count, 1, f) == 1, "cannot read the file");
  problems = calloc(count, sizeof *problems);
  for (int i = 0; i < count; ++i) {
    int n;
    must(fread(&n, sizeof n, 1, f) == 1, "cannot read a size");
    problems[i].size = n;
    problems[i].M = NM_create_from_data(NM_DENSE, n, n, numbers(f, (size_t)n * n));
    problems[i].q = numbers(f, n);
    most = n > most ? n : most;
  }
  fclose(f);
  z = calloc(most, sizeof *z);
  w = calloc(most, sizeof *w);
  return count;
}

static int solve(int i, SolverOptions *options) {
  int info = -1;
  memset(z, 0, problems[i].size * sizeof *z);
  lcp_lexicolemke(&problems[i], z, w, &info, options);
  return info;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static double time_loop(double seconds, const int *list, int count, SolverOptions *options) {
  long solves = 0, passes = 1;
  double start = now(), elapsed;
  do {
    for (long p = 0; p < passes; ++p)
      for (int k = 0; k < count; ++k) solve(list[k], options);
    solves += passes * count;
    elapsed = now() - start;
    /* The clock is read ever more seldom, or a tiny problem would time the clock. */
    if (elapsed < seconds / 4) passes *= 2;
  } while (elapsed < seconds);
  return 1e9 * elapsed / solves;
}

int main(int argc, char **argv) {
  must(argc == 2, "one file is needed");
  int count = load(argv[1]);
  numerics_set_verbose(0);
  SolverOptions *options = solver_options_create(SICONOS_LCP_LEMKE);
  char line[4096];
  while (fgets(line, sizeof line, stdin)) {
    char *word = strtok(line, " \n");
    if (word && !strcmp(word, "solve")) {
      int i = atoi(strtok(NULL, " \n"));
      must(i >= 0 && i < count, "no such problem");
      printf("%d", solve(i, options));
      for (int k = 0; k < problems[i].size; ++k) printf(" %.17g", z[k]);
      printf("\n");
    } else if (word && !strcmp(word, "time")) {
      double seconds = atof(strtok(NULL, " \n"));
      int list[256], length = 0;
      while (length < 256 && (word = strtok(NULL, " \n"))) {
        list[length] = atoi(word);
        must(list[length] >= 0 && list[length] < count, "no such problem");
        ++length;
      }
      must(length > 0, "nothing to time");
      printf("%.17g\n", time_loop(seconds, list, length, options));
    }
    fflush(stdout);
  }
  return 0;
}
