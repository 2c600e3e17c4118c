#include "cli/estimate_pairs.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "estimate/pair_fit.h"

namespace syncline {
namespace {

using ClockPair = std::pair<ClockId, ClockId>;

const std::string& NameOf(const LoadedTraces& loaded, ClockId clock) {
  return loaded.traces.clocks[clock.index()].name;
}

MinDelays DelaysOf(const MinimumDelayChoice& choice, const std::string& a, const std::string& b) {
  auto find = [&](const std::string& from, const std::string& to) {
    const auto it = choice.by_direction.find({from, to});
    return it == choice.by_direction.end() ? choice.all_ns.value_or(0) : it->second.fixed_ns;
  };
  return {find(a, b), find(b, a)};
}

PairOptions OptionsOf(const LoadedTraces& loaded, const SolveOptions& options, ClockPair clocks) {
  PairOptions pair{.method = options.method, .max_drift_ppm = options.max_drift_ppm};
  pair.min_delays =
      DelaysOf(options.minimum_delay, NameOf(loaded, clocks.first), NameOf(loaded, clocks.second));
  pair.reading_a_ns = loaded.traces.clocks[clocks.first.index()].reading_ns;
  pair.reading_b_ns = loaded.traces.clocks[clocks.second.index()].reading_ns;
  if (options.minimum_delay.is_auto) pair.min_delay_source = PairOptions::MinDelaySource::kAuto;
  return pair;
}

// Hands the stored messages to the fits of their pairs.
class Refeed {
 public:
  Refeed(const LoadedTraces& loaded, std::map<ClockPair, PairFit>& fits)
      : traces_(loaded.traces), fits_(fits) {}

  Result<void> From(const MessageStore& store) {
    return store.ForEach([this](const Message& m) { Add(m); });
  }

 private:
  void Add(const Message& m) {
    const ClockId from = traces_.processes[m.send.process.index()].clock;
    const ClockId to = traces_.processes[m.receive.process.index()].clock;
    if (from == to) return;
    PairFit& fit = FitOf({std::min(from, to), std::max(from, to)});
    const int64_t send = traces_.clocks[from.index()].NominalNs(m.send.time);
    const int64_t receive = traces_.clocks[to.index()].NominalNs(m.receive.time);
    from < to ? fit.AddAToB(send, receive) : fit.AddBToA(send, receive);
  }

  // Successive messages are often of one pair.
  PairFit& FitOf(ClockPair clocks) {
    if (last_ == nullptr || last_->first != clocks) last_ = &*fits_.find(clocks);
    return last_->second;
  }

  const TraceSet& traces_;
  std::map<ClockPair, PairFit>& fits_;
  std::pair<const ClockPair, PairFit>* last_ = nullptr;
};

// The same pairs with the lines of a method that needs more than hulls.
Result<std::vector<PairInput>> WithFittedLines(const LoadedTraces& loaded,
                                               const SolveOptions& options,
                                               std::vector<PairInput> pairs) {
  std::map<ClockPair, PairFit> fits;
  for (PairInput& pair : pairs) {
    const ClockPair clocks{pair.a, pair.b};
    fits.try_emplace(clocks, loaded.pairs.at(clocks), std::move(pair.estimate),
                     OptionsOf(loaded, options, clocks));
  }
  if (NeedsMessages(options.method)) {
    Refeed refeed(loaded, fits);
    for (const MessageStore* store : {&loaded.messages, &loaded.collective_messages}) {
      if (auto done = refeed.From(*store); !done) return tl::unexpected(done.error());
    }
  }
  for (PairInput& pair : pairs) {
    pair.estimate = std::move(fits.at({pair.a, pair.b})).Finish();
  }
  return pairs;
}

}  // namespace

Result<std::vector<PairInput>> EstimatePairs(const LoadedTraces& loaded,
                                             const SolveOptions& options) {
  std::vector<PairInput> pairs;
  for (const auto& [clocks, points] : loaded.pairs) {
    pairs.push_back(
        {clocks.first, clocks.second, EstimatePair(points, OptionsOf(loaded, options, clocks))});
  }
  if (IsOfHulls(options.method)) return pairs;
  return WithFittedLines(loaded, options, std::move(pairs));
}

}  // namespace syncline
