#include "simulate/scale.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>

#include "base/int128.h"

namespace syncline {
namespace {

constexpr int64_t kLongestNs = int64_t{1} << 55;
constexpr int64_t kLongestDelayNs = int64_t{1} << 45;
constexpr int64_t kPptPerOne = 1'000'000'000'000;
constexpr int64_t kPpbPerOne = 1'000'000'000;

struct Shape {
  uint64_t rounds = 0;
  uint64_t messages = 0;
  Int128 time_ns = 0;
};

Shape ShapeOf(const ScaleModel& m, GroupStrategy strategy, uint64_t n) {
  const uint64_t k = m.exchanges;
  const Int128 burst_ns = static_cast<Int128>(m.exchange_cost_ns) * k;
  switch (strategy) {
    case GroupStrategy::kRoot: return {n - 1, 2 * k * (n - 1), burst_ns * (n - 1)};
    case GroupStrategy::kTree: {
      const auto rounds = static_cast<uint64_t>(std::bit_width(n - 1));
      return {rounds, 2 * k * (n - 1), burst_ns * rounds};
    }
    case GroupStrategy::kBroadcast: break;
  }
  return {2 * k + 1, 2 * k + 1, static_cast<Int128>(m.broadcast_cost_ns) * (2 * k + 1)};
}

// What is known of a process's offset against that of the process it exchanged with, at the end.
struct Link {
  int64_t error_ns = 0;
  int64_t bound_ns = 0;
};

struct Fastest {
  int64_t there_ns = 0;
  int64_t back_ns = 0;
  uint32_t number = 0;
};

Fastest DrawBurst(const ScaleModel& m, Random& random) {
  const int64_t there = m.least_delay_ns + random.In(m.route_ns);
  const int64_t back = m.least_delay_ns + random.In(m.route_ns);
  Fastest best{kLongestNs, kLongestNs, 0};
  for (uint32_t i = 0; i < m.exchanges; ++i) {
    const int64_t t = there + DrawExponential(random, m.mean_excess_ns);
    const int64_t b = back + DrawExponential(random, m.mean_excess_ns);
    if (t + b < best.there_ns + best.back_ns) best = {t, b, i};
  }
  return best;
}

// A burst in round `round`; the two clocks' drifts differ by `drift_ppt`.
Link DrawLink(const ScaleModel& m, Random& random, uint64_t round, int64_t drift_ppt,
              int64_t end_ns) {
  const Fastest fastest = DrawBurst(m, random);
  const auto before = static_cast<int64_t>(round * m.exchanges + fastest.number);
  const int64_t age_ns = end_ns - before * m.exchange_cost_ns - m.exchange_cost_ns / 2;
  const auto drifted = static_cast<int64_t>(static_cast<Int128>(drift_ppt) * age_ns / kPptPerOne);
  const auto allowed =
      static_cast<int64_t>(CeilDiv(static_cast<Int128>(m.max_drift_ppb) * age_ns, kPpbPerOne));
  const int64_t free_ns = fastest.there_ns + fastest.back_ns - 2 * m.min_delay_ns;
  // Halves and drifts are cut to whole nanoseconds: one more for the bound.
  return {(fastest.there_ns - fastest.back_ns) / 2 - drifted, (free_ns + 1) / 2 + allowed + 1};
}

int64_t DrawDrift(const ScaleModel& m, Random& random) {
  return random.In({-m.drift_ppt, m.drift_ppt});
}

// Adds up over all processes and runs.
class Tally {
 public:
  void AddError(int64_t error_ns) {
    squares_ += static_cast<double>(error_ns) * static_cast<double>(error_ns);
    ++count_;
    largest_ns_ = std::max(largest_ns_, std::abs(error_ns));
  }
  void AddLink(const Link& link) {
    AddError(link.error_ns);
    worst_ns_ = std::max(worst_ns_.value_or(0), link.bound_ns);
    if (std::abs(link.error_ns) > link.bound_ns) ++outside_;
  }

  void Put(ScaleFigures& figures) const {
    figures.rms_error_ns = count_ == 0 ? 0 : std::sqrt(squares_ / static_cast<double>(count_));
    figures.largest_error_ns = largest_ns_;
    figures.worst_bound_ns = worst_ns_;
    figures.outside_bound = outside_;
  }

 private:
  double squares_ = 0;
  uint64_t count_ = 0;
  int64_t largest_ns_ = 0;
  std::optional<int64_t> worst_ns_;
  uint64_t outside_ = 0;
};

void RunRoot(const ScaleModel& m, uint64_t n, int64_t end_ns, Random& random, Tally& tally) {
  for (uint64_t i = 1; i < n; ++i) {
    const Link link = DrawLink(m, random, i - 1, DrawDrift(m, random), end_ns);
    tally.AddLink(link);
  }
}

void RunTree(const ScaleModel& m, uint64_t n, int64_t end_ns, Random& random, Tally& tally) {
  struct Member {
    int64_t drift_ppt = 0;
    Link link;  // against process 0
  };
  std::vector<Member> members(n);
  for (uint64_t i = 1; i < n; ++i) {
    const Member& parent = members[i - std::bit_floor(i)];
    Member& own = members[i];
    own.drift_ppt = DrawDrift(m, random);
    const auto round = static_cast<uint64_t>(std::bit_width(i) - 1);
    own.link = DrawLink(m, random, round, own.drift_ppt - parent.drift_ppt, end_ns);
    own.link.error_ns += parent.link.error_ns;
    own.link.bound_ns += parent.link.bound_ns;
    tally.AddLink(own.link);
  }
}

void RunBroadcast(const ScaleModel& m, uint64_t n, int64_t end_ns, Random& random, Tally& tally) {
  const int64_t transmissions = 2 * int64_t{m.exchanges};
  std::vector<int64_t> at_reference;
  for (int64_t k = 0; k < transmissions; ++k) {
    at_reference.push_back(DrawExponential(random, m.spread_ns));
  }
  for (uint64_t i = 1; i < n; ++i) {
    const int64_t drift_ppt = DrawDrift(m, random);
    Int128 sum_ns = 0;
    Int128 ages_ns = 0;
    int64_t heard = 0;
    for (int64_t k = 0; k < transmissions; ++k) {
      // Processes 1 and 2 do not hear themselves.
      if (i == static_cast<uint64_t>(k % 2 + 1)) continue;
      sum_ns += DrawExponential(random, m.spread_ns) - at_reference[static_cast<size_t>(k)];
      ages_ns += end_ns - k * m.broadcast_cost_ns;
      ++heard;
    }
    const Int128 drifted = drift_ppt * ages_ns / kPptPerOne;
    tally.AddError(static_cast<int64_t>((sum_ns - drifted) / heard));
  }
}

bool IsWithin(int64_t value, int64_t least, int64_t most) {
  return value >= least && value <= most;
}

}  // namespace

const char* NameOf(GroupStrategy strategy) {
  switch (strategy) {
    case GroupStrategy::kRoot: return "root";
    case GroupStrategy::kTree: return "tree";
    case GroupStrategy::kBroadcast: break;
  }
  return "broadcast";
}

Result<void> Check(const ScaleModel& m) {
  const auto wrong = [](const char* what) { return Fail(ErrorCode::kUsage, what); };
  if (!IsWithin(m.exchanges, 1, 1'000'000)) return wrong("a burst has 1 to 1 000 000 exchanges");
  if (!IsWithin(m.runs, 1, 1'000'000)) return wrong("there are 1 to 1 000 000 runs");
  for (const int64_t delay : {m.least_delay_ns, m.mean_excess_ns, m.route_ns.low, m.route_ns.high,
                              m.spread_ns, m.exchange_cost_ns, m.broadcast_cost_ns}) {
    if (!IsWithin(delay, 0, kLongestDelayNs))
      return wrong("delays and costs are 0 to 2^45 ns (9.7 h)");
  }
  if (m.route_ns.low > m.route_ns.high) return wrong("routes need a lower limit first");
  if (!IsWithin(m.drift_ppt, 0, kPptPerOne / 10)) return wrong("drifts are 0 to 100000 ppm");
  if (!IsWithin(m.max_drift_ppb, 0, kPpbPerOne)) {
    return wrong("the limit of drifts is 0 to 1000000 ppm");
  }
  if (2 * m.drift_ppt > m.max_drift_ppb * 1000) {
    return wrong("two clocks could differ by more than bounds allow, twice the drift");
  }
  if (!IsWithin(m.min_delay_ns, 0, m.least_delay_ns + m.route_ns.low)) {
    return wrong("bounds would take a longer delay for granted than messages need");
  }
  if (m.exchange_cost_ns < 2 * (m.least_delay_ns + m.mean_excess_ns)) {
    return wrong("an exchange costs at least the mean delay there and back");
  }
  return {};
}

Result<std::optional<ScaleFigures>> SimulateScale(const ScaleModel& model, GroupStrategy strategy,
                                                  uint64_t processes) {
  if (processes < 2 || processes > kMaxScaleProcesses) {
    return Fail(ErrorCode::kUsage,
                fmt::format("a group has 2 to {} processes", kMaxScaleProcesses));
  }
  if (strategy == GroupStrategy::kBroadcast && processes < 3) return std::nullopt;
  const Shape shape = ShapeOf(model, strategy, processes);
  if (shape.time_ns > kLongestNs) {
    return Fail(ErrorCode::kUsage, fmt::format("{} with {} processes would take more than 417 days",
                                               NameOf(strategy), processes));
  }
  ScaleFigures figures{strategy, processes, shape.rounds, shape.messages,
                       static_cast<int64_t>(shape.time_ns)};
  Tally tally;
  for (uint64_t run = 0; run < model.runs; ++run) {
    Random random(model.seed, (run << 34) ^ (processes << 2) ^ static_cast<uint64_t>(strategy));
    switch (strategy) {
      case GroupStrategy::kRoot: RunRoot(model, processes, figures.time_ns, random, tally); break;
      case GroupStrategy::kTree: RunTree(model, processes, figures.time_ns, random, tally); break;
      case GroupStrategy::kBroadcast:
        RunBroadcast(model, processes, figures.time_ns, random, tally);
        break;
    }
  }
  tally.Put(figures);
  return figures;
}

}  // namespace syncline
