#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/parallel.h"
#include "base/try.h"
#include "estimate/pair_fit.h"
#include "pipeline/estimate/solvers.h"
#include "trace/message_pass.h"

namespace syncline {
namespace {

using ClockPair = std::pair<ClockId, ClockId>;

MinDelays DelaysOf(const MinimumDelayChoice& choice, const std::string& a, const std::string& b) {
  auto find = [&](const std::string& from, const std::string& to) {
    const auto it = choice.by_direction.find({from, to});
    return it == choice.by_direction.end() ? choice.all_ns.value_or(0) : it->second.fixed_ns;
  };
  return {find(a, b), find(b, a)};
}

// Hands the stored messages to the fits of their pairs.
Result<void> Refeed(const LoadedTraces& loaded, std::map<ClockPair, PairFit>& fits) {
  std::pair<const ClockPair, PairFit>* last = nullptr;  // successive messages are often of one pair
  return PassOver(loaded)([&](const RecordedMessage& m) {
    const ClockPair clocks{std::min(m.from, m.to), std::max(m.from, m.to)};
    if (last == nullptr || last->first != clocks) last = &*fits.find(clocks);
    m.from < m.to ? last->second.AddAToB(m.send_ns, m.receive_ns)
                  : last->second.AddBToA(m.send_ns, m.receive_ns);
  });
}

// The same pairs with the lines of a method that needs more than hulls.
Result<std::vector<PairInput>> WithFittedLines(const LoadedTraces& loaded,
                                               const SolveOptions& options,
                                               std::vector<PairInput> pairs) {
  std::map<ClockPair, PairFit> fits;
  for (PairInput& pair : pairs) {
    const ClockPair clocks{pair.a, pair.b};
    fits.try_emplace(clocks, loaded.pairs.at(clocks), std::move(pair.estimate),
                     PairOptionsOf(loaded, options, clocks.first, clocks.second),
                     options.confidence);
  }
  if (NeedsMessages(options.method)) SYNCLINE_TRY(Refeed(loaded, fits));
  for (PairInput& pair : pairs) pair.estimate = std::move(fits.at({pair.a, pair.b})).Finish();
  return pairs;
}

}  // namespace

PairOptions PairOptionsOf(const LoadedTraces& loaded, const SolveOptions& options, ClockId a,
                          ClockId b) {
  PairOptions pair{.method = options.method, .max_drift_ppm = options.max_drift_ppm};
  pair.min_delays = DelaysOf(options.minimum_delay, loaded.NameOf(a), loaded.NameOf(b));
  // Straight lines multiply it by the distance beyond their messages: the ticks of clocks that
  // count nanoseconds are rounded down, too, and finer ones to nanoseconds.
  const auto reading_ns = [&](ClockId clock) {
    return std::max<int64_t>(1, loaded.traces.clocks[clock.index()].reading_ns);
  };
  pair.reading_a_ns = reading_ns(a);
  pair.reading_b_ns = reading_ns(b);
  if (options.minimum_delay.is_auto) pair.min_delay_source = PairOptions::MinDelaySource::kAuto;
  return pair;
}

Result<std::vector<PairInput>> EstimatePairs(const LoadedTraces& loaded,
                                             const SolveOptions& options) {
  std::vector<const PairPoints*> points;
  std::vector<PairInput> pairs;
  for (const auto& [clocks, of_pair] : loaded.pairs) {
    points.push_back(&of_pair);
    pairs.push_back({clocks.first, clocks.second, {}});
  }
  ForEachParallel(pairs.size(), [&](size_t i) {
    PairInput& pair = pairs[i];
    pair.estimate = EstimatePair(*points[i], PairOptionsOf(loaded, options, pair.a, pair.b));
  });
  if (IsOfHulls(options.method)) return pairs;
  return WithFittedLines(loaded, options, std::move(pairs));
}

}  // namespace syncline
