#include "estimate/groups/broadcast_programme.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/int128.h"
#include "estimate/joint/linear_programme.h"

namespace syncline {
namespace {

constexpr double kNsPerUnit = 1000;  // the programme counts in µs

// By clock: what to add to its nominal time so that it agrees with the root's at a broadcast that
// both, or a chain of clocks between them, received.
std::vector<std::optional<Int128>> GuessShifts(std::span<const Receptions> broadcasts,
                                               size_t clocks, size_t root) {
  std::vector<std::optional<Int128>> shifts(clocks);
  shifts[root] = 0;
  for (bool grows = true; grows;) {
    grows = false;
    for (const Receptions& broadcast : broadcasts) {
      const auto known = std::find_if(broadcast.begin(), broadcast.end(), [&](const Reception& r) {
        return shifts[r.clock].has_value();
      });
      if (known == broadcast.end()) continue;
      const Int128 time = known->nominal_ns + *shifts[known->clock];
      for (const Reception& r : broadcast) {
        if (shifts[r.clock]) continue;
        shifts[r.clock] = time - r.nominal_ns;
        grows = true;
      }
    }
  }
  return shifts;
}

// Numbers below `count`, each prefix about evenly spread: their binary digits backwards.
std::vector<size_t> SpreadOrder(size_t count) {
  int bits = 0;
  while ((size_t{1} << bits) < count) ++bits;
  std::vector<size_t> order;
  for (size_t i = 0; i < size_t{1} << bits; ++i) {
    size_t reversed = 0;
    for (int b = 0; b < bits; ++b) reversed |= (i >> b & 1) << (bits - 1 - b);
    if (reversed < count) order.push_back(reversed);
  }
  return order;
}

// A broadcast as the programme sees it.
struct GuessedBroadcast {
  const Receptions* receptions = nullptr;
  Int128 time_ns = 0;  // of its first reception, on the guessed time line
};

// The deviation of a clock's line from its guess is u + v·τ, τ running from 0 to 1 over all times.
class Programme {
 public:
  Programme(std::vector<GuessedBroadcast> broadcasts, std::vector<std::optional<Int128>> shifts,
            const FitOptions& options)
      : shifts_(std::move(shifts)), options_(options), columns_(shifts_.size()) {
    const auto [first, last] =
        std::minmax_element(broadcasts.begin(), broadcasts.end(),
                            [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
    origin_ = first->time_ns;
    span_ = static_cast<double>(std::max<Int128>(last->time_ns - origin_, 1'000'000'000));
    AddClocks();
    for (const GuessedBroadcast& broadcast : broadcasts) Add(broadcast);
  }

  std::optional<BroadcastLines> Solve() {
    LinearSolver solver(programme_);
    if (!solver.Solve(LinearSolver::Method::kDual)) return std::nullopt;
    BroadcastLines fit;
    for (size_t i = 0; i < shifts_.size(); ++i) {
      fit.lines.push_back(LineOf(i, solver.columns()));
      if (shifts_[i] && !fit.lines.back()) return std::nullopt;
    }
    const double sum = solver.objective() + constant_;
    fit.mean_delay_ns = sum * kNsPerUnit / static_cast<double>(programme_.rows.size());
    return fit;
  }

 private:
  double Tau(Int128 guessed) const { return static_cast<double>(guessed - origin_) / span_; }

  void AddClocks() {
    const double low = static_cast<double>(options_.prior.min.Drift()) * span_ / kNsPerUnit;
    const double high = static_cast<double>(options_.prior.max.Drift()) * span_ / kNsPerUnit;
    for (size_t i = 0; i < shifts_.size(); ++i) {
      if (i == options_.root || !shifts_[i]) continue;
      columns_[i] = programme_.AddColumn({}, 0);
      programme_.AddColumn({low, high}, 0);
    }
  }

  void Add(const GuessedBroadcast& broadcast) {
    const auto receptions = static_cast<double>(broadcast.receptions->size());
    const size_t sent = programme_.AddColumn({}, -receptions);
    for (const Reception& r : *broadcast.receptions) {
      const Int128 guessed = r.nominal_ns + *shifts_[r.clock];
      const double since = static_cast<double>(guessed - broadcast.time_ns) / kNsPerUnit;
      constant_ += since;
      std::vector<LinearProgramme::Entry> entries = {{sent, -1}};
      if (columns_[r.clock]) {
        const size_t u = *columns_[r.clock];
        entries.push_back({u, 1});
        entries.push_back({u + 1, Tau(guessed)});
        programme_.columns[u].objective += 1;
        programme_.columns[u + 1].objective += Tau(guessed);
      }
      programme_.AddRow(std::move(entries), {.low = -since});
    }
  }

  // Through its rounded values at both ends of the time.
  std::optional<Line> LineOf(size_t clock, std::span<const double> values) const {
    if (clock == options_.root) return Line{{0, 0}, {1, 1}};
    if (!shifts_[clock]) return std::nullopt;
    const double u = values[*columns_[clock]] * kNsPerUnit;
    const double v = values[*columns_[clock] + 1] * kNsPerUnit;
    constexpr double kMost = 1e17;
    if (!(std::abs(u) < kMost && std::abs(v) < kMost)) return std::nullopt;
    const auto length = static_cast<int64_t>(span_);
    const Int128 x = origin_ - *shifts_[clock];
    const Int128 y = origin_ + std::llround(u);
    const int64_t rise = length + std::llround(v);
    if (Saturate(x) != x || Saturate(y) != y || rise <= 0) return std::nullopt;
    return Line{{static_cast<int64_t>(x), static_cast<int64_t>(y)}, {rise, length}};
  }

  std::vector<std::optional<Int128>> shifts_;
  const FitOptions& options_;
  std::vector<std::optional<size_t>> columns_;  // of u, by clock; v follows
  Int128 origin_ = 0;
  double span_ = 1;
  LinearProgramme programme_;
  double constant_ = 0;  // of the objective
};

// Broadcasts that two of the clocks with a guess received, in order of time; none where their times
// are too far apart.
std::optional<std::vector<GuessedBroadcast>> Guessed(
    std::span<const Receptions> broadcasts, const std::vector<std::optional<Int128>>& shifts) {
  constexpr Int128 kLongest = Int128{1} << 60;
  std::vector<GuessedBroadcast> guessed;
  for (const Receptions& broadcast : broadcasts) {
    if (broadcast.size() < 2 || !shifts[broadcast[0].clock]) continue;
    const Int128 time = broadcast[0].nominal_ns + *shifts[broadcast[0].clock];
    guessed.push_back({&broadcast, time});
    for (const Reception& r : broadcast) {
      const Int128 since = r.nominal_ns + *shifts[r.clock] - guessed.front().time_ns;
      if (since > kLongest || since < -kLongest) return std::nullopt;
    }
  }
  std::stable_sort(guessed.begin(), guessed.end(),
                   [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
  return guessed;
}

std::vector<GuessedBroadcast> Sampled(const std::vector<GuessedBroadcast>& all, size_t clocks,
                                      size_t most) {
  std::vector<size_t> taken(clocks);
  std::vector<GuessedBroadcast> sample;
  for (const size_t m : SpreadOrder(all.size())) {
    const Receptions& receptions = *all[m].receptions;
    const bool is_needed = std::any_of(receptions.begin(), receptions.end(),
                                       [&](const Reception& r) { return taken[r.clock] < most; });
    if (!is_needed) continue;
    for (const Reception& r : receptions) ++taken[r.clock];
    sample.push_back(all[m]);
  }
  return sample;
}

}  // namespace

std::optional<BroadcastLines> FitBroadcasts(std::span<const Receptions> broadcasts, size_t clocks,
                                            const FitOptions& options) {
  std::vector<std::optional<Int128>> shifts = GuessShifts(broadcasts, clocks, options.root);
  const auto guessed = Guessed(broadcasts, shifts);
  if (!guessed || guessed->empty()) return std::nullopt;
  const auto related = static_cast<size_t>(
      std::count_if(shifts.begin(), shifts.end(), [](const auto& s) { return s.has_value(); }));
  const size_t share = std::max<size_t>(options.most_receptions / related, 20);
  std::vector<GuessedBroadcast> sample = Sampled(*guessed, clocks, share);
  const size_t used = sample.size();
  auto fit = Programme(std::move(sample), std::move(shifts), options).Solve();
  if (!fit) return std::nullopt;
  fit->related = guessed->size();
  fit->used = used;
  return fit;
}

}  // namespace syncline
