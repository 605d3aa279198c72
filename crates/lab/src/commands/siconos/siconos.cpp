/* A linear system with planar contacts, stepped by Siconos' kernel library.
 *
 * The system comes first on standard input, as numbers between spaces: f, M (f x f), K (f x f), the load
 * (f), q0 (f), u0 (f), the number of contacts, and for each w_N (f), w_T (f), the gap at q = 0, eps_N,
 * eps_T, mu. Then commands:
 *   solver lemke | enum | nsgs     the solver of the contact problem (lemke unless told)
 *   run DT STEPS                   -> STEPS lines, q and u after each step
 *   time DT STEPS                  -> seconds that the steps took, without output
 */
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>
#include <unistd.h>
#include <vector>

#include <SiconosKernel.hpp>
#include <SolverOptions.h>

struct Contact {
  std::vector<double> normal, tangent;
  double gap, eps_n, eps_t, mu;
};

struct Model {
  unsigned f;
  std::vector<double> mass, stiffness, load, q, u;
  std::vector<Contact> contacts;
};

struct Simulated {
  SP::LagrangianLinearTIDS body;
  SP::TimeStepping simulation;
};

static std::vector<double> numbers(size_t count) {
  std::vector<double> x(count);
  for (double &v : x) std::cin >> v;
  return x;
}

static Model read() {
  Model m;
  std::cin >> m.f;
  m.mass = numbers(m.f * m.f);
  m.stiffness = numbers(m.f * m.f);
  m.load = numbers(m.f);
  m.q = numbers(m.f);
  m.u = numbers(m.f);
  size_t contacts;
  std::cin >> contacts;
  for (size_t i = 0; i < contacts; ++i) {
    Contact c;
    c.normal = numbers(m.f);
    c.tangent = numbers(m.f);
    std::cin >> c.gap >> c.eps_n >> c.eps_t >> c.mu;
    m.contacts.push_back(c);
  }
  return m;
}

static SP::SiconosVector vector(const std::vector<double> &x) {
  return std::make_shared<SiconosVector>(x);
}

static SP::SimpleMatrix square(const std::vector<double> &x, unsigned f) {
  auto m = std::make_shared<SimpleMatrix>(f, f);
  for (unsigned i = 0; i < f; ++i)
    for (unsigned j = 0; j < f; ++j) m->setValue(i, j, x[i * f + j]);
  return m;
}

static Simulated build(const Model &m, double dt, size_t steps, int solver) {
  Simulated s;
  s.body = std::make_shared<LagrangianLinearTIDS>(vector(m.q), vector(m.u), square(m.mass, m.f),
                                                  square(m.stiffness, m.f),
                                                  std::make_shared<SimpleMatrix>(m.f, m.f));
  s.body->setFExtPtr(vector(m.load));
  auto system = std::make_shared<NonSmoothDynamicalSystem>(0.0, (steps + 1) * dt);
  system->insertDynamicalSystem(s.body);
  for (const Contact &c : m.contacts) {
    auto rows = std::make_shared<SimpleMatrix>(2, m.f);
    for (unsigned j = 0; j < m.f; ++j) {
      rows->setValue(0, j, c.normal[j]);
      rows->setValue(1, j, c.tangent[j]);
    }
    auto relation = std::make_shared<LagrangianLinearTIR>(rows, vector({c.gap, 0.0}));
    auto law = std::make_shared<NewtonImpactFrictionNSL>(c.eps_n, c.eps_t, c.mu, 2);
    system->link(std::make_shared<Interaction>(law, relation), s.body);
  }
  auto problem = std::make_shared<FrictionContact>(2, solver);
  problem->numericsSolverOptions()->dparam[SICONOS_DPARAM_TOL] = 1e-14;
  problem->numericsSolverOptions()->iparam[SICONOS_IPARAM_MAX_ITER] = 100000;
  s.simulation = std::make_shared<TimeStepping>(
      system, std::make_shared<TimeDiscretisation>(0.0, dt), std::make_shared<MoreauJeanOSI>(0.5), problem);
  s.simulation->setNewtonOptions(SICONOS_TS_LINEAR);
  return s;
}

static void run(Simulated s, size_t steps, FILE *answers) {
  for (size_t i = 0; i < steps; ++i) {
    s.simulation->computeOneStep();
    for (unsigned j = 0; j < s.body->q()->size(); ++j) fprintf(answers, "%.17g ", (*s.body->q())(j));
    for (unsigned j = 0; j < s.body->q()->size(); ++j) fprintf(answers, "%.17g ", (*s.body->velocity())(j));
    fprintf(answers, "\n");
    s.simulation->nextStep();
  }
}

static double time_steps(Simulated s, size_t steps) {
  auto start = std::chrono::steady_clock::now();
  for (size_t i = 0; i < steps; ++i) {
    s.simulation->computeOneStep();
    s.simulation->nextStep();
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int main() {
  /* Siconos writes messages of its own to standard output: they go to standard error. */
  FILE *answers = fdopen(dup(1), "w");
  dup2(2, 1);
  Model m = read();
  int solver = SICONOS_FRICTION_2D_LEMKE;
  std::string word, name;
  while (std::cin >> word) {
    if (word == "solver") {
      std::cin >> name;
      solver = name == "enum"   ? SICONOS_FRICTION_2D_ENUM
               : name == "nsgs" ? SICONOS_FRICTION_2D_NSGS
                                : SICONOS_FRICTION_2D_LEMKE;
      continue;
    }
    double dt;
    size_t steps;
    std::cin >> dt >> steps;
    Simulated s = build(m, dt, steps, solver);
    if (word == "run")
      run(s, steps, answers);
    else
      fprintf(answers, "%.17g\n", time_steps(s, steps));
    fflush(answers);
  }
  return 0;
}
