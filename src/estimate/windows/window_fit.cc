#include "estimate/windows/window_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "base/int128.h"
#include "estimate/windows/envelope_system.h"
#include "estimate/windows/window_centres.h"

namespace syncline {
namespace {

using Entry = EnvelopeSystem::Entry;

constexpr int kRounds = 4;
// How much a rate usually changes at a border; the likeliest of these counts.
constexpr std::array kBendsPpm = {0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0};
constexpr double kFirstBendPpm = 10;

// Numbers of the unknowns, those near in time near to each other; the root has none.
class Unknowns {
 public:
  explicit Unknowns(const WindowProblem& problem) {
    std::vector<std::tuple<int64_t, size_t, size_t>> order;
    for (size_t i = 0; i < problem.knotted.size(); ++i) {
      numbers_.emplace_back(problem.knotted[i].knots.size(), kNone);
      for (size_t k = 0; i > 0 && k < numbers_[i].size(); ++k) {
        order.emplace_back(problem.knotted[i].knots[k].y, i, k);
      }
    }
    std::sort(order.begin(), order.end());
    count_ = order.size();
    for (size_t n = 0; n < order.size(); ++n) {
      numbers_[std::get<1>(order[n])][std::get<2>(order[n])] = n;
    }
  }

  static constexpr size_t kNone = SIZE_MAX;
  size_t count() const { return count_; }
  size_t Of(size_t clock, size_t knot) const { return numbers_[clock][knot]; }

 private:
  std::vector<std::vector<size_t>> numbers_;
  size_t count_ = 0;
};

struct Equation {
  std::vector<Entry> entries;  // each unknown once
  double value = 0;
  double importance = 0;
  size_t pair = 0;  // of centres
};

void Add(Entry entry, std::vector<Entry>& entries) {
  if (entry.unknown == Unknowns::kNone) return;
  for (Entry& known : entries) {
    if (known.unknown != entry.unknown) continue;
    known.weight += entry.weight;
    return;
  }
  entries.push_back(entry);
}

// (f_b there + f_b back − f_a there − f_a back)/2 = centre.
Equation EquationOf(const WindowProblem& problem, const Unknowns& unknowns,
                    const WindowCentre& centre) {
  Equation equation{.value = centre.centre_us, .pair = centre.pair};
  for (size_t i = 0; i < centre.times.size(); ++i) {
    const KnotTime& t = centre.times[i];
    const double sign = i % 2 == 0 ? -0.5 : 0.5;  // a, then b
    const auto weights = problem.WeightsAt(t);
    Add({unknowns.Of(t.clock, t.segment), sign * weights[0]}, equation.entries);
    Add({unknowns.Of(t.clock, t.segment + 1), sign * weights[1]}, equation.entries);
  }
  return equation;
}

// The change of rate at an inner knot should be 0; one that wanders changes it the more, the longer
// the pieces are.
Equation BendOf(const WindowProblem& problem, const Unknowns& unknowns, size_t clock, size_t k) {
  const KnottedClock& knotted = problem.knotted[clock];
  const std::vector<Point>& knots = knotted.knots;
  const double left_s = static_cast<double>(knots[k].x - knots[k - 1].x) / 1e9;
  const double right_s = static_cast<double>(knots[k + 1].x - knots[k].x) / 1e9;
  const long double bend =
      knotted.SegmentLine(k).slope.Drift() - knotted.SegmentLine(k - 1).slope.Drift();
  const double window_s =
      static_cast<double>(problem.part_ns) * static_cast<double>(WindowHulls::kParts) / 1e9;
  Equation equation{.value = -static_cast<double>(bend * 1e6L),
                    .importance = 2 * window_s / (left_s + right_s)};
  Add({unknowns.Of(clock, k - 1), 1 / left_s}, equation.entries);
  Add({unknowns.Of(clock, k), -1 / left_s - 1 / right_s}, equation.entries);
  Add({unknowns.Of(clock, k + 1), 1 / right_s}, equation.entries);
  return equation;
}

struct Equations {
  std::vector<Equation> centres;
  std::vector<Equation> bends;  // importances for a usual change of 1 ppm
};

struct Fit {
  std::vector<double> moves_us;  // by unknown
  double surprise = 0;           // −2 log of the likelihood of the centres, and a constant
};

double RestOf(const Equation& equation, std::span<const double> solution) {
  double rest = equation.value;
  for (const Entry& e : equation.entries) rest -= e.weight * solution[e.unknown];
  return rest;
}

std::vector<size_t> EnvelopeOf(const Equations& equations, size_t unknowns) {
  std::vector<size_t> first(unknowns);
  for (size_t i = 0; i < unknowns; ++i) first[i] = i;
  for (const auto* kind : {&equations.centres, &equations.bends}) {
    for (const Equation& equation : *kind) {
      size_t least = unknowns;
      for (const Entry& e : equation.entries) least = std::min(least, e.unknown);
      for (const Entry& e : equation.entries) first[e.unknown] = std::min(first[e.unknown], least);
    }
  }
  return first;
}

Fit FitWith(double bend_ppm, const Equations& equations, size_t unknowns) {
  const double of_bends = 1 / (bend_ppm * bend_ppm);
  EnvelopeSystem system(EnvelopeOf(equations, unknowns));
  for (const Equation& e : equations.centres) system.AddEquation(e.entries, e.value, e.importance);
  for (const Equation& e : equations.bends) {
    system.AddEquation(e.entries, e.value, of_bends * e.importance);
  }
  auto [moves_us, log_determinant] = std::move(system).Solve();
  Fit fit{.moves_us = std::move(moves_us), .surprise = log_determinant};
  fit.surprise += 2 * static_cast<double>(equations.bends.size()) * std::log(bend_ppm);
  for (const Equation& e : equations.centres) {
    fit.surprise += e.importance * std::pow(RestOf(e, fit.moves_us), 2);
  }
  for (const Equation& e : equations.bends) {
    fit.surprise += of_bends * e.importance * std::pow(RestOf(e, fit.moves_us), 2);
  }
  return fit;
}

double LikeliestBendPpm(const Equations& equations, size_t unknowns) {
  double likeliest = kFirstBendPpm;
  double least = std::numeric_limits<double>::infinity();
  for (const double bend_ppm : kBendsPpm) {
    const double surprise = FitWith(bend_ppm, equations, unknowns).surprise;
    if (surprise >= least) continue;
    least = surprise;
    likeliest = bend_ppm;
  }
  return likeliest;
}

// What the ways of each pair differ by, as a move of its centres.
class Disagreements {
 public:
  explicit Disagreements(size_t pairs) : mean_us_(pairs), is_known_(pairs) {}

  bool IsKnown(size_t pair) const { return is_known_[pair]; }
  double Of(size_t pair) const { return mean_us_[pair]; }
  // From what the solution leaves of the centres.
  void Learn(std::span<const Equation> equations, std::span<const double> solution) {
    std::vector<double> sums(mean_us_.size());
    std::vector<double> weights(mean_us_.size());
    for (const Equation& equation : equations) {
      sums[equation.pair] += equation.importance * RestOf(equation, solution);
      weights[equation.pair] += equation.importance;
    }
    for (size_t p = 0; p < sums.size(); ++p) {
      if (weights[p] > 0) mean_us_[p] += sums[p] / weights[p];
      is_known_[p] = true;
    }
  }

 private:
  std::vector<double> mean_us_;
  std::vector<bool> is_known_;
};

Equations EquationsOf(const WindowProblem& problem, const Unknowns& unknowns,
                      const Disagreements& disagreements) {
  const WindowCentres found = FindCentres(problem);
  Equations equations;
  for (const WindowCentre& centre : found.centres) {
    const PairUsual& usual = found.usual[centre.pair];
    const double excess_us = centre.half_width_us - usual.half_width_us;
    const double own_us =
        disagreements.IsKnown(centre.pair) ? usual.scatter_us : usual.half_width_us;
    Equation equation = EquationOf(problem, unknowns, centre);
    equation.value -= disagreements.Of(centre.pair);
    equation.importance = 1 / (own_us * own_us + excess_us * excess_us);
    equations.centres.push_back(std::move(equation));
  }
  for (size_t i = 1; i < problem.knotted.size(); ++i) {
    for (size_t k = 1; k + 1 < problem.knotted[i].knots.size(); ++k) {
      equations.bends.push_back(BendOf(problem, unknowns, i, k));
    }
  }
  return equations;
}

}  // namespace

bool MoveKnots(std::vector<std::vector<double>> moves_us, WindowProblem& problem) {
  std::vector<KnottedClock> moved = problem.knotted;
  for (size_t i = 0; i < moved.size(); ++i) {
    for (size_t k = 0; k < moved[i].knots.size(); ++k) {
      const double move = std::clamp(moves_us[i][k] * 1e3, -0x1p60, 0x1p60);
      int64_t& y = moved[i].knots[k].y;
      y = Saturate(static_cast<Int128>(y) + std::llround(move));
      if (k > 0 && y <= moved[i].knots[k - 1].y) return false;
    }
  }
  problem.knotted = std::move(moved);
  return true;
}

std::vector<std::vector<double>> MisfitsOf(const WindowProblem& problem) {
  const WindowCentres found = FindCentres(problem);
  const auto importance = [&](const WindowCentre& centre) {
    const PairUsual& usual = found.usual[centre.pair];
    const double excess_us = centre.half_width_us - usual.half_width_us;
    return 1 / (usual.scatter_us * usual.scatter_us + excess_us * excess_us);
  };
  std::vector<double> sums(problem.pairs.size());
  std::vector<double> weights(problem.pairs.size());
  for (const WindowCentre& centre : found.centres) {
    sums[centre.pair] += importance(centre) * centre.centre_us;
    weights[centre.pair] += importance(centre);
  }
  std::vector<std::vector<std::vector<double>>> squares;
  for (const KnottedClock& clock : problem.knotted) squares.emplace_back(clock.knots.size() - 1);
  for (const WindowCentre& centre : found.centres) {
    const double rest = centre.centre_us - sums[centre.pair] / weights[centre.pair];
    const double square = importance(centre) * rest * rest;
    for (const KnotTime& t : centre.times) squares[t.clock][t.segment].push_back(square);
  }
  std::vector<std::vector<double>> misfits;
  for (auto& segments : squares) {
    std::vector<double>& of_clock = misfits.emplace_back();
    for (std::vector<double>& all : segments) {
      const auto middle = all.begin() + static_cast<ptrdiff_t>(all.size() / 2);
      if (!all.empty()) std::nth_element(all.begin(), middle, all.end());
      of_clock.push_back(all.empty() ? 0 : *middle);
    }
  }
  return misfits;
}

bool FitKnots(WindowProblem& problem) {
  Disagreements disagreements(problem.pairs.size());
  const Unknowns unknowns(problem);
  double bend_ppm = kFirstBendPpm;
  for (int round = 0; round < kRounds; ++round) {
    const Equations equations = EquationsOf(problem, unknowns, disagreements);
    if (round == 1) bend_ppm = LikeliestBendPpm(equations, unknowns.count());
    const std::vector<double> solution = FitWith(bend_ppm, equations, unknowns.count()).moves_us;
    disagreements.Learn(equations.centres, solution);
    std::vector<std::vector<double>> moves_us;
    for (size_t i = 0; i < problem.knotted.size(); ++i) {
      moves_us.emplace_back(problem.knotted[i].knots.size());
      for (size_t k = 0; i > 0 && k < moves_us[i].size(); ++k) {
        moves_us[i][k] = solution[unknowns.Of(i, k)];
      }
    }
    if (!MoveKnots(std::move(moves_us), problem)) return false;
  }
  return true;
}

}  // namespace syncline
