#include "estimate/drift_bounded/paths.h"

#include <algorithm>
#include <deque>
#include <span>
#include <utility>

#include "base/parallel.h"

namespace syncline::drift_bounded {
namespace {

// Backwards, time runs the other way: −U of a node is the longest path to it over reversed edges.
// Only to name a cycle it needs to know by way of which node each value came about.
template <bool kKeepsParents>
class LabelCorrection {
 public:
  LabelCorrection(const Graph& graph, Side side, std::vector<int64_t> unused)
      : graph_(graph),
        is_forward_(side == Side::kEarliest),
        value_(std::move(unused)),
        parent_(kKeepsParents ? graph.nodes() : 0, -1),
        pending_(graph.tracks()) {}

  // Without parents, false where there seems to be a cycle.
  bool Run() {
    value_.assign(graph_.nodes(), Paths::kNone);
    for (uint32_t t = 0; t < graph_.tracks(); ++t) {
      if (graph_.track(t).is_reference) StartAt(t);
    }
    return Settle();
  }
  // From the values that it was given, of which each is one that the node has at least, or kNone
  // for nodes of tracks that are left out. There is no cycle but what rounding can make of one that
  // takes no time, about which values would rise by units for ever.
  void RunOn() {
    goes_on_ = true;
    most_passes_ = 1000;
    for (uint32_t t = 0; t < graph_.tracks(); ++t) {
      const Range all{graph_.first(t), graph_.first(t + 1) - 1};
      if (all.IsEmpty() || value_[all.low] == Paths::kNone) continue;
      if (graph_.track(t).is_reference) {
        Leave(t, all);
      } else if (std::exchange(pending_[t], all).IsEmpty()) {
        queue_.push_back(t);
      }
    }
    Settle();
  }
  Paths Take() { return {std::move(value_), std::move(cycle_), std::move(other_cycles_)}; }

 private:
  bool Settle() {
    while (!queue_.empty() && !is_cyclic_) {
      const uint32_t t = queue_.front();
      queue_.pop_front();
      Carry(t);
      // Nodes are seldom passed over often unless values grow for ever.
      if constexpr (kKeepsParents) {
        if (++visits_ % (graph_.tracks() + 16) == 0) FindLoops();
      } else {
        is_cyclic_ |= passed_ > most_passes_ * (graph_.nodes() + kFewNodes);
      }
    }
    return !is_cyclic_;
  }

  struct Range {
    int32_t low = 0;
    int32_t high = -1;
    bool IsEmpty() const { return high < low; }
    void Include(Range other) {
      low = IsEmpty() ? other.low : std::min(low, other.low);
      high = std::max(high, other.high);
    }
  };

  void StartAt(uint32_t t) {
    for (int32_t n = graph_.first(t); n < graph_.first(t + 1); ++n) {
      value_[n] = is_forward_ ? graph_.readings()[n] : -graph_.readings()[n];
    }
    if (graph_.first(t) < graph_.first(t + 1)) {
      Leave(t, {graph_.first(t), graph_.first(t + 1) - 1});
    }
  }

  // Along the track, then to others.
  void Carry(uint32_t t) {
    Range changed = std::exchange(pending_[t], {});
    const int32_t first = graph_.first(t);
    const int32_t last = graph_.first(t + 1) - 1;
    const auto [slow, fast] = graph_.track(t).rate;
    if (is_forward_) {
      Walk<1>(changed, last, {first, 1, slow});
      Walk<-1>(changed, first, {first, 1, fast});
    } else {
      Walk<1>(changed, last, {first, -1, fast});
      Walk<-1>(changed, first, {first, -1, slow});
    }
    passed_ += static_cast<uint64_t>(changed.high - changed.low + 1);
    Leave(t, changed);
  }

  // What it is worth to be at a node rather than at the track's first: the time in between at a
  // limit.
  struct Worth {
    int32_t first = 0;
    int64_t sign = 1;
    int64_t drift = 0;
  };
  int64_t At(const Worth& worth, int32_t n) const {
    const int64_t span = graph_.readings()[n] - graph_.readings()[worth.first];
    return worth.sign * (span + DriftOver(span, worth.drift));
  }

  // From the changed nodes towards later ones, kStep = 1, or earlier ones, -1, up to `end`, until
  // nothing improves: value(q) ≥ value(p) + worth(q) − worth(p). Widens `changed`. Among the
  // changed ones, which improve cannot be foreseen, so nothing is branched on.
  template <int kStep>
  void Walk(Range& changed, int32_t end, const Worth& worth) {
    int32_t source = kStep > 0 ? changed.low : changed.high;
    int32_t& far = kStep > 0 ? changed.high : changed.low;
    int64_t run = value_[source] - At(worth, source);
    int32_t n = source + kStep;
    for (const int32_t behind = far + kStep; n != behind; n += kStep) {
      const int64_t here = At(worth, n);
      const int64_t own = value_[n] - here;
      if constexpr (kKeepsParents) {
        source = own >= run ? n : source;
        parent_[n] = own >= run ? parent_[n] : source;
      }
      run = std::max(own, run);
      value_[n] = run + here;
    }
    for (; n * kStep <= end * kStep; n += kStep) {
      const int64_t reached = run + At(worth, n);
      if (value_[n] >= reached) break;
      value_[n] = reached;
      if constexpr (kKeepsParents) parent_[n] = source;
    }
    far = n - kStep;
  }

  // Over the messages that the changed nodes begin, all of which have values.
  void Leave(uint32_t t, Range changed) {
    const auto& leaving = is_forward_ ? graph_.outgoing(t) : graph_.incoming(t);
    for (const uint32_t i : leaving) {
      const Graph::Links& links = graph_.links()[i];
      const uint32_t target = is_forward_ ? links.to : links.from;
      const int64_t delay = links.least_delay - 1;  // a unit for the rounding of the walk
      const std::span<const Graph::Link> begun = BegunBy(changed, links.links);
      if (graph_.track(target).is_reference) {
        if (!goes_on_ && ClosesCycle(begun, delay)) return;
        continue;
      }
      if (goes_on_ && !begun.empty() && value_[Target(begun.front())] == Paths::kNone) continue;
      const Range improved = Follow(begun, delay);
      if (improved.IsEmpty()) continue;
      Range& pending = pending_[target];
      if (pending.IsEmpty()) queue_.push_back(target);
      pending.Include(improved);
    }
  }

  int32_t Source(const Graph::Link& l) const { return is_forward_ ? l.send : l.receive; }
  int32_t Target(const Graph::Link& l) const { return is_forward_ ? l.receive : l.send; }

  std::span<const Graph::Link> BegunBy(Range nodes, std::span<const Graph::Link> links) const {
    const auto first_at = [&](int32_t n) {
      return std::partition_point(links.begin(), links.end(),
                                  [&](const Graph::Link& l) { return Source(l) < n; });
    };
    return {first_at(nodes.low), first_at(nodes.high + 1)};
  }

  // Which nodes improve cannot be foreseen here, either.
  Range Follow(std::span<const Graph::Link> links, int64_t delay) {
    Range improved{INT32_MAX, -1};
    for (const Graph::Link& link : links) {
      const int32_t source = Source(link), node = Target(link);
      const int64_t reached = value_[source] + delay, own = value_[node];
      const bool is_better = reached > own;
      value_[node] = is_better ? reached : own;
      if constexpr (kKeepsParents) parent_[node] = is_better ? source : parent_[node];
      improved.low = std::min(improved.low, is_better ? node : INT32_MAX);
      improved.high = is_better ? node : improved.high;
    }
    return improved;
  }

  bool ClosesCycle(std::span<const Graph::Link> links, int64_t delay) {
    const auto closing = std::find_if(links.begin(), links.end(), [&](const Graph::Link& l) {
      return value_[Source(l)] + delay > value_[Target(l)];
    });
    if (closing == links.end()) return false;
    is_cyclic_ = true;
    if constexpr (kKeepsParents) CloseCycle(Source(*closing), Target(*closing));
    return true;
  }

  // The path to `source` leads on to a reading of the reference that is earlier than the path says.
  void CloseCycle(int32_t source, int32_t end) {
    std::vector<bool> is_seen(graph_.nodes());
    std::vector<int32_t> path;
    for (int32_t n = source; n >= 0 && !is_seen[n]; n = parent_[n]) {
      is_seen[n] = true;
      path.push_back(n);
    }
    if (parent_[path.back()] >= 0) return TakeLoop(path.back());
    std::ranges::reverse(path);
    path.push_back(end);
    KeepCycle(std::move(path));
  }

  // A cycle that does not pass through the reference shows where nodes owe their values to
  // themselves.
  void FindLoops() {
    enum : uint8_t { kNew, kOnPath, kDone };
    std::vector<uint8_t> state(graph_.nodes(), kNew);
    std::vector<int32_t> path;
    for (int32_t start = 0; start < static_cast<int32_t>(graph_.nodes()); ++start) {
      path.clear();
      int32_t n = start;
      for (; n >= 0 && state[n] == kNew; n = parent_[n]) {
        state[n] = kOnPath;
        path.push_back(n);
      }
      if (n >= 0 && state[n] == kOnPath) {
        if (cycle_.empty()) {
          TakeLoop(n);
        } else {
          other_cycles_.insert(other_cycles_.end(), std::ranges::find(path, n), path.end());
        }
      }
      for (const int32_t done : path) state[done] = kDone;
    }
  }

  // Follows parents from a node of which some may stand in front of the loop.
  void TakeLoop(int32_t start) {
    std::vector<bool> is_seen(graph_.nodes());
    int32_t n = start;
    for (; !is_seen[n]; n = parent_[n]) is_seen[n] = true;
    std::vector<int32_t> loop;
    for (int32_t k = n; loop.empty() || k != n; k = parent_[k]) loop.push_back(k);
    std::ranges::reverse(loop);
    KeepCycle(std::move(loop));
  }

  void KeepCycle(std::vector<int32_t> nodes) {
    if (!is_forward_) std::ranges::reverse(nodes);
    cycle_ = std::move(nodes);
    is_cyclic_ = true;
  }

  static constexpr uint64_t kFewNodes = 1000;

  const Graph& graph_;
  bool is_forward_;
  std::vector<int64_t> value_;
  std::vector<int32_t> parent_;
  std::vector<Range> pending_;
  std::deque<uint32_t> queue_;
  uint64_t visits_ = 0;  // of tracks
  uint64_t passed_ = 0;  // nodes
  uint64_t most_passes_ = 6;
  bool is_cyclic_ = false;
  bool goes_on_ = false;  // from values that are known
  std::vector<int32_t> cycle_, other_cycles_;
};

}  // namespace

Paths FindPaths(const Graph& graph, Side side, std::vector<int64_t> unused) {
  LabelCorrection<false> quick(graph, side, std::move(unused));
  if (quick.Run()) return quick.Take();
  LabelCorrection<true> thorough(graph, side, quick.Take().value);
  thorough.Run();
  return thorough.Take();
}

std::vector<BothPaths> FindBothPaths(std::span<const Graph> graphs, std::vector<BothPaths> unused) {
  std::vector<BothPaths> paths = std::move(unused);
  paths.resize(graphs.size());
  ForEachParallel(2 * graphs.size(), [&](size_t i) {
    const Side side = i % 2 == 0 ? Side::kEarliest : Side::kLatest;
    Paths& one = side == Side::kEarliest ? paths[i / 2].earliest : paths[i / 2].latest;
    one = FindPaths(graphs[i / 2], side, std::move(one.value));
  });
  return paths;
}

void MakeFeasible(const Graph& graph, std::vector<int64_t>& at, std::vector<int64_t>& room) {
  room = at;
  const auto negate = [](int64_t v) { return v == Paths::kNone ? v : -v; };
  ForEachParallel(2, [&](size_t i) {
    std::vector<int64_t>& values = i == 0 ? room : at;
    if (i == 1) std::ranges::transform(values, values.begin(), negate);
    LabelCorrection<false> correction(graph, i == 0 ? Side::kEarliest : Side::kLatest,
                                      std::move(values));
    correction.RunOn();
    values = correction.Take().value;
  });
  for (size_t n = 0; n < at.size(); ++n) {
    if (at[n] != Paths::kNone) at[n] = room[n] + (-at[n] - room[n]) / 2;
  }
}

}  // namespace syncline::drift_bounded
