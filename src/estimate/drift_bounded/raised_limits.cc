#include "estimate/drift_bounded/raised_limits.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace syncline::drift_bounded {
namespace {

constexpr int kHalvings = 8;  // on the way to the limit that is needed

// From limits that messages contradict, or that are implausible.
class Raising {
 public:
  enum class By { kCycles, kRoundTrips };

  Raising(const Component& component, Explanation from, const Collection& messages, RateLimits slew,
          By by)
      : component_(component),
        root_(component.root()),
        messages_(messages),
        slew_(slew),
        by_(by),
        from_(from.limits),
        tried_(std::move(from)) {}

  // Raises `limits`, which are those to begin with, and says which.
  void Run(RaisedLimits& found) {
    std::vector<ClockId> raised;
    std::vector<RaisedLimits::Raised> said;
    if (by_ == By::kCycles && IsReferenceAtFault()) {
      for (uint32_t c = 0; c < from_.size(); ++c) {
        if (ClockId(c) != root_) raised.push_back(ClockId(c));
      }
      if (!IsFree()) KeepPlace(root_);
      said.push_back({root_});
    } else {
      raised = ClocksToRaise();
      for (const ClockId c : raised) said.push_back({c});
    }
    if (raised.empty()) return;
    const double needed = NeededPpm(raised);
    for (const ClockId c : raised) {
      found.limits[c.index()] = AtLeast(std::ceil(2 * needed), c);
    }
    for (RaisedLimits::Raised& r : said) {
      r.needed_ppm = needed;
      const ClockId limited = r.clock == root_ ? raised.front() : r.clock;
      r.limit_ppm = found.limits[limited.index()].WidestPpm();
      const auto place = places_.find(r.clock);
      if (place != places_.end()) r.about_ns = place->second;
      const auto trip = round_trips_.find(r.clock);
      if (trip != round_trips_.end()) r.round_trip = trip->second;
      // Once for a clock, by what is proved.
      const auto known =
          std::ranges::find_if(found.raised, [&](const auto& f) { return f.clock == r.clock; });
      if (known != found.raised.end()) {
        known->limit_ppm = r.limit_ppm;
      } else {
        found.raised.push_back(std::move(r));
      }
    }
  }

 private:
  // No less than from the beginning, and no more than S.
  RateLimits AtLeast(double limit_ppm, ClockId c) const {
    return RateLimits::Within(limit_ppm).Or(from_[c.index()]).And(slew_);
  }

  // By the limits tried; if not, what contradicts them is kept.
  bool IsFree() {
    if (by_ == By::kCycles) {
      cycle_ = FindContradiction(component_, tried_,
                                 component_.Solve(tried_, messages_, Stamps::kCoarse));
      return cycle_.IsNone();
    }
    implausible_ = ImplausiblePairs(
        component_, tried_, component_.GraphOf(tried_, messages_, Stamps::kCoarse, root_), slew_);
    return implausible_.empty();
  }

  std::vector<ClockPair> PairsToBlame() const {
    if (by_ == By::kCycles) return ContradictoryPairs(component_, tried_, messages_);
    std::vector<ClockPair> pairs;
    for (const Implausible& i : implausible_) pairs.push_back(i.clocks);
    return pairs;
  }

  // All clocks seem to leave D together where the reference does.
  bool IsReferenceAtFault() const {
    const std::vector<ClockPair> pairs = PairsToBlame();
    return pairs.size() >= 2 && std::ranges::all_of(pairs, [&](const ClockPair& p) {
             return p.first == root_ || p.second == root_;
           });
  }

  // Where what was found last shows the clock to run too fast or too slow.
  void KeepPlace(ClockId clock) {
    for (size_t k = 0; by_ == By::kCycles && k < cycle_.clocks.size(); ++k) {
      if (cycle_.clocks[k] == clock) places_[clock] = cycle_.readings_ns[k];
    }
    for (const Implausible& i : implausible_) {
      const auto& [a, b] = i.clocks;
      if (clock != a && clock != b) continue;
      places_[clock] = clock == a ? i.readings_ns.first : i.readings_ns.second;
      round_trips_[clock] = {clock == a ? b : a, i.least_ns, i.seen_ns};
    }
  }

  // Clocks that have to run faster; their limits are at S from then on.
  std::vector<ClockId> ClocksToRaise() {
    std::vector<ClockId> raised;
    const auto can_rise = [&](ClockId c) {
      return c != root_ && tried_.limits[c.index()] != slew_;
    };
    while (!IsFree()) {
      // The clock of most pairs that contradict by themselves, or else all on the cycle.
      std::map<ClockId, size_t> votes;
      for (const auto& [a, b] : PairsToBlame()) {
        if (can_rise(a)) ++votes[a];
        if (can_rise(b)) ++votes[b];
      }
      std::vector<ClockId> chosen;
      const auto most = std::ranges::max_element(
          votes, [](const auto& x, const auto& y) { return x.second < y.second; });
      if (most != votes.end()) {
        chosen.push_back(most->first);
      } else if (by_ == By::kCycles) {
        for (const ClockId c : cycle_.clocks) {
          const bool is_new = std::ranges::find(chosen, c) == chosen.end();
          if (can_rise(c) && is_new) chosen.push_back(c);
        }
      }
      if (chosen.empty()) break;
      for (const ClockId c : chosen) {
        KeepPlace(c);
        tried_.limits[c.index()] = slew_;
      }
      raised.insert(raised.end(), chosen.begin(), chosen.end());
    }
    return raised;
  }

  double NeededPpm(const std::vector<ClockId>& raised) {
    double low = slew_.WidestPpm();
    for (const ClockId c : raised) low = std::min(low, from_[c.index()].WidestPpm());
    double high = slew_.WidestPpm();
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = (low + high) / 2;
      for (const ClockId c : raised) tried_.limits[c.index()] = AtLeast(middle, c);
      (IsFree() ? high : low) = middle;
    }
    return low;
  }

  const Component& component_;
  ClockId root_;
  const Collection& messages_;
  RateLimits slew_;
  By by_;
  std::vector<RateLimits> from_;  // by clock
  Explanation tried_;
  Contradiction cycle_;
  std::vector<Implausible> implausible_;
  std::map<ClockId, int64_t> places_;  // readings at which limits did not do
  std::map<ClockId, QuickRoundTrip> round_trips_;
};

}  // namespace

RaisedLimits RaiseLimits(const Component& component, const Explanation& from,
                         const Collection& messages, RateLimits slew) {
  RaisedLimits found{from.limits, {}};
  // What is proved first: of what is only likely less may be needed then.
  for (const Raising::By by : {Raising::By::kCycles, Raising::By::kRoundTrips}) {
    Raising(component, {from.tracks, found.limits, {}}, messages, slew, by).Run(found);
  }
  return found;
}

std::vector<RateLimits> LimitsAboutMeans(const Explanation& found, const Solved& bounds,
                                         double wander_ppm) {
  const Graph& graph = bounds.graph;
  const auto span_ns = [&](uint32_t t) {
    const auto readings = graph.OfTrack(t, graph.readings());
    return readings.empty() ? 0 : readings.back() - readings.front();
  };
  const double wander = wander_ppm * 1e-6;
  std::vector<RateLimits> limits = found.limits;
  for (size_t c = 0; c < limits.size(); ++c) {
    uint32_t longest = found.tracks.first(c);
    for (uint32_t t = longest; t < found.tracks.end(c); ++t) {
      if (span_ns(t) > span_ns(longest)) longest = t;
    }
    const int32_t first = graph.first(longest), last = graph.first(longest + 1) - 1;
    if (span_ns(longest) == 0 || !bounds.paths.IsBounded(first)) continue;
    // d(local)/d(global), less 1.
    const auto mean = [&](int64_t advance) {
      return static_cast<double>(span_ns(longest) - advance) / static_cast<double>(advance);
    };
    const BothPaths::Advance advance = bounds.paths.Between(first, last);
    if (advance.least <= 0) continue;
    limits[c] = limits[c].And(
        RateLimits::Between(mean(advance.most) - wander, mean(advance.least) + wander));
  }
  return limits;
}

}  // namespace syncline::drift_bounded
