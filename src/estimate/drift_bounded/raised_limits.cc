#include "estimate/drift_bounded/raised_limits.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace syncline::drift_bounded {
namespace {

constexpr int kHalvings = 8;  // on the way to the limit that is needed

class Raising {
 public:
  Raising(const Component& component, const TrackTable& tracks, const Collection& messages,
          RateLimits drift, RateLimits slew)
      : component_(component), tracks_(tracks), messages_(messages), drift_(drift), slew_(slew) {}

  RaisedLimits Run() {
    std::vector<RateLimits> limits(component_.clocks().size(), drift_);
    limits[component_.root().index()] = {};
    RaisedLimits found{limits, {}};
    if (drift_ == slew_) return found;
    const bool is_reference = IsReferenceAtFault(limits);
    std::vector<size_t> raised;
    if (is_reference) {
      for (size_t c = 0; c < limits.size(); ++c) {
        if (c != component_.root().index()) raised.push_back(c);
      }
      if (!IsFree(limits)) KeepPlace(component_.root());
      found.raised.push_back({component_.root()});
    } else {
      raised = ClocksToRaise(limits);
      for (const size_t c : raised) found.raised.push_back({ClockId(static_cast<uint32_t>(c))});
    }
    if (raised.empty()) return found;
    const double needed = NeededPpm(limits, raised);
    const double limit =
        std::min(std::max(std::ceil(2 * needed), drift_.WidestPpm()), slew_.WidestPpm());
    for (const size_t c : raised) found.limits[c] = RateLimits::Within(limit);
    for (RaisedLimits::Raised& r : found.raised) {
      r.needed_ppm = needed;
      r.limit_ppm = limit;
      const auto place = places_.find(r.clock);
      if (place != places_.end()) r.about_ns = place->second;
    }
    return found;
  }

 private:
  // If not, the cycle is kept.
  bool IsFree(const std::vector<RateLimits>& limits) {
    cycle_ = FindContradiction(component_, tracks_, limits, messages_);
    return cycle_.IsNone();
  }

  // All clocks seem to leave D together where the reference does.
  bool IsReferenceAtFault(const std::vector<RateLimits>& limits) const {
    const std::vector<ClockPair> pairs = ContradictoryPairs(component_, tracks_, limits, messages_);
    const ClockId root = component_.root();
    const bool is_root_in_all = std::all_of(pairs.begin(), pairs.end(), [&](const ClockPair& p) {
      return p.first == root || p.second == root;
    });
    return pairs.size() >= 2 && is_root_in_all;
  }

  // Where the present cycle shows the clock to run too fast or too slow.
  void KeepPlace(ClockId clock) {
    for (size_t k = 0; k < cycle_.clocks.size(); ++k) {
      if (cycle_.clocks[k] == clock) places_[clock] = cycle_.readings_ns[k];
    }
  }

  // Clocks that have to run faster than D; limits of these are raised to S on the way.
  std::vector<size_t> ClocksToRaise(std::vector<RateLimits> limits) {
    std::vector<size_t> raised;
    while (!IsFree(limits)) {
      // The clock of most pairs that contradict by themselves, or else all on the cycle.
      std::map<size_t, size_t> votes;
      const auto can_rise = [&](ClockId c) {
        return c != component_.root() && limits[c.index()] == drift_;
      };
      for (const auto& [a, b] : ContradictoryPairs(component_, tracks_, limits, messages_)) {
        if (can_rise(a)) ++votes[a.index()];
        if (can_rise(b)) ++votes[b.index()];
      }
      std::vector<size_t> chosen;
      const auto most =
          std::max_element(votes.begin(), votes.end(),
                           [](const auto& x, const auto& y) { return x.second < y.second; });
      if (most != votes.end()) {
        chosen.push_back(most->first);
      } else {
        for (const ClockId c : cycle_.clocks) {
          const bool is_new = std::find(chosen.begin(), chosen.end(), c.index()) == chosen.end();
          if (can_rise(c) && is_new) chosen.push_back(c.index());
        }
      }
      if (chosen.empty()) break;
      for (const size_t c : chosen) {
        KeepPlace(ClockId(static_cast<uint32_t>(c)));
        limits[c] = slew_;
        raised.push_back(c);
      }
    }
    return raised;
  }

  double NeededPpm(std::vector<RateLimits> limits, const std::vector<size_t>& raised) {
    double low = drift_.WidestPpm();
    double high = slew_.WidestPpm();
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = (low + high) / 2;
      for (const size_t c : raised) limits[c] = RateLimits::Within(middle);
      (IsFree(limits) ? high : low) = middle;
    }
    return low;
  }

  const Component& component_;
  const TrackTable& tracks_;
  const Collection& messages_;
  RateLimits drift_, slew_;
  Contradiction cycle_;
  std::map<ClockId, int64_t> places_;  // readings at which limits did not do
};

}  // namespace

RaisedLimits RaiseLimits(const Component& component, const TrackTable& tracks,
                         const Collection& messages, RateLimits drift, RateLimits slew) {
  return Raising(component, tracks, messages, drift, slew).Run();
}

}  // namespace syncline::drift_bounded
