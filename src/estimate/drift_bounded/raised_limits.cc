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
      : component_(component),
        root_(component.root()),
        messages_(messages),
        drift_(drift),
        slew_(slew),
        tried_{tracks, std::vector<RateLimits>(component.clocks().size(), drift), {}} {
    tried_.limits[root_.index()] = {};
  }

  RaisedLimits Run() {
    RaisedLimits found{tried_.limits, {}};
    if (drift_ == slew_) return found;
    std::vector<ClockId> raised;
    if (IsReferenceAtFault()) {
      for (uint32_t c = 0; c < found.limits.size(); ++c) {
        if (ClockId(c) != root_) raised.push_back(ClockId(c));
      }
      if (!IsFree()) KeepPlace(root_);
      found.raised.push_back({root_});
    } else {
      raised = ClocksToRaise();
      for (const ClockId c : raised) found.raised.push_back({c});
    }
    if (raised.empty()) return found;
    const double needed = NeededPpm(raised);
    const double limit =
        std::min(std::max(std::ceil(2 * needed), drift_.WidestPpm()), slew_.WidestPpm());
    for (const ClockId c : raised) found.limits[c.index()] = RateLimits::Within(limit);
    for (RaisedLimits::Raised& r : found.raised) {
      r.needed_ppm = needed;
      r.limit_ppm = limit;
      const auto place = places_.find(r.clock);
      if (place != places_.end()) r.about_ns = place->second;
    }
    return found;
  }

 private:
  // By the limits tried; if not, the cycle is kept.
  bool IsFree() {
    cycle_ = FindContradiction(component_, tried_, messages_);
    return cycle_.IsNone();
  }

  // All clocks seem to leave D together where the reference does.
  bool IsReferenceAtFault() const {
    const std::vector<ClockPair> pairs = ContradictoryPairs(component_, tried_, messages_);
    return pairs.size() >= 2 && std::all_of(pairs.begin(), pairs.end(), [&](const ClockPair& p) {
             return p.first == root_ || p.second == root_;
           });
  }

  // Where the present cycle shows the clock to run too fast or too slow.
  void KeepPlace(ClockId clock) {
    for (size_t k = 0; k < cycle_.clocks.size(); ++k) {
      if (cycle_.clocks[k] == clock) places_[clock] = cycle_.readings_ns[k];
    }
  }

  // Clocks that have to run faster than D; their limits are at S from then on.
  std::vector<ClockId> ClocksToRaise() {
    std::vector<ClockId> raised;
    const auto can_rise = [&](ClockId c) {
      return c != root_ && tried_.limits[c.index()] == drift_;
    };
    while (!IsFree()) {
      // The clock of most pairs that contradict by themselves, or else all on the cycle.
      std::map<ClockId, size_t> votes;
      for (const auto& [a, b] : ContradictoryPairs(component_, tried_, messages_)) {
        if (can_rise(a)) ++votes[a];
        if (can_rise(b)) ++votes[b];
      }
      std::vector<ClockId> chosen;
      const auto most =
          std::max_element(votes.begin(), votes.end(),
                           [](const auto& x, const auto& y) { return x.second < y.second; });
      if (most != votes.end()) {
        chosen.push_back(most->first);
      } else {
        for (const ClockId c : cycle_.clocks) {
          const bool is_new = std::find(chosen.begin(), chosen.end(), c) == chosen.end();
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
    double low = drift_.WidestPpm();
    double high = slew_.WidestPpm();
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = (low + high) / 2;
      for (const ClockId c : raised) tried_.limits[c.index()] = RateLimits::Within(middle);
      (IsFree() ? high : low) = middle;
    }
    return low;
  }

  const Component& component_;
  ClockId root_;
  const Collection& messages_;
  RateLimits drift_, slew_;
  Explanation tried_;
  Contradiction cycle_;
  std::map<ClockId, int64_t> places_;  // readings at which limits did not do
};

}  // namespace

RaisedLimits RaiseLimits(const Component& component, const TrackTable& tracks,
                         const Collection& messages, RateLimits drift, RateLimits slew) {
  return Raising(component, tracks, messages, drift, slew).Run();
}

}  // namespace syncline::drift_bounded
