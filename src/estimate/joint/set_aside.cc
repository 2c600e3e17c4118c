#include "estimate/joint/set_aside.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "estimate/joint/clear_contradiction.h"
#include "estimate/joint/joint_component.h"
#include "estimate/joint/suspects.h"

namespace syncline {
namespace {

// A component that no lines fit, and what is suspect in it.
struct Component {
  JointProblem problem;               // with pairs
  std::vector<uint64_t> messages_of;  // by place of a clock
  uint64_t messages = 0;
  std::vector<TimedMessage> suspects;  // by places
  bool is_given_up = false;
};

// A search in a component, or in one pair of it.
struct Search {
  size_t component = 0;
  SuspectSearch search;
  std::vector<size_t> places;  // by the search's own: those of the component
};

using PairKey = std::pair<ClockId, ClockId>;
PairKey KeyOf(ClockId a, ClockId b) { return a < b ? PairKey{a, b} : PairKey{b, a}; }
ClockId IdOf(size_t clock) { return ClockId(static_cast<uint32_t>(clock)); }

// The estimate without suspects, and the usual round trips of the pairs that have some.
struct Attempt {
  SetAside result;
  std::map<PairKey, int64_t> round_trips_ns;
};

class Run {
 public:
  Run(std::span<const ClockInput> clocks, const SetAsideOptions& options, const MessagePass& pass,
      SetAside given)
      : clocks_(clocks), options_(options), pass_(pass), given_(std::move(given)) {}

  Result<SetAside> Go() {
    FindComponents();
    if (components_.empty()) return std::move(given_);
    AddPairSearches();
    if (auto done = RunPasses(); !done) return tl::unexpected(done.error());
    auto attempt = EstimateWithout();
    if (!attempt) return tl::unexpected(attempt.error());
    if (AddComponentSearches(attempt->result.joint)) {
      if (auto done = RunPasses(); !done) return tl::unexpected(done.error());
      attempt = EstimateWithout();
      if (!attempt) return tl::unexpected(attempt.error());
    }
    if (GiveUpWhatIsInDoubt(*attempt)) attempt = EstimateWithout();
    if (!attempt) return tl::unexpected(attempt.error());
    return std::move(attempt->result);
  }

 private:
  void FindComponents() {
    component_of_.resize(clocks_.size());
    place_of_.resize(clocks_.size());
    for (size_t c = 0; c < given_.joint.components.size(); ++c) {
      if (given_.joint.components[c].state != JointFinding::State::kFallback) continue;
      Component component{ClocksOfComponent(clocks_, given_.joint.group, c,
                                            PriorRange(options_.joint.max_drift_ppm))};
      const std::vector<size_t>& members = component.problem.clocks;
      if (component.problem.anchors.size() < members.size()) continue;
      component.messages_of.resize(members.size());
      for (size_t i = 0; i < members.size(); ++i) {
        component_of_[members[i]] = components_.size();
        place_of_[members[i]] = i;
      }
      components_.push_back(std::move(component));
    }
    for (size_t p = 0; p < given_.pairs.size(); ++p) AddPair(p);
  }

  void AddPair(size_t p) {
    const PairInput& pair = given_.pairs[p];
    const std::optional<size_t> of = component_of_[pair.a.index()];
    if (!of || !pair.estimate.line) return;
    Component& component = components_[*of];
    pair_of_[{pair.a, pair.b}] = p;
    const size_t a = place_of_[pair.a.index()];
    const size_t b = place_of_[pair.b.index()];
    component.problem.pairs.push_back({a, b, &pair.estimate});
    const uint64_t messages = pair.estimate.messages_ab + pair.estimate.messages_ba;
    component.messages += messages;
    component.messages_of[a] += messages;
    component.messages_of[b] += messages;
  }

  uint64_t MostOf(uint64_t messages) const {
    return static_cast<uint64_t>(options_.most * static_cast<double>(messages));
  }
  uint64_t MostOfClock(const Component& component, size_t place) const {
    return MostOf(component.messages_of[place]) + 1;
  }

  void AddPairSearches() {
    for (size_t c = 0; c < components_.size(); ++c) {
      Component& component = components_[c];
      const uint64_t most = MostOf(component.messages);
      component.is_given_up = most == 0;
      for (const auto& [a, b, estimate] : component.problem.pairs) {
        if (component.is_given_up || estimate->quality != Quality::kApproximate) continue;
        JointProblem two;
        two.prior = component.problem.prior;
        two.clocks = {component.problem.clocks[a], component.problem.clocks[b]};
        two.anchors = {component.problem.anchors[a], component.problem.anchors[b]};
        two.pairs = {{0, 1, estimate}};
        const uint64_t of_pair =
            std::min({most, MostOfClock(component, a), MostOfClock(component, b)});
        search_of_pair_[KeyOf(IdOf(two.clocks[0]), IdOf(two.clocks[1]))] = searches_.size();
        searches_.push_back({c, SuspectSearch(std::move(two), of_pair), {a, b}});
      }
    }
  }

  // Whether there is any: over components whose pairs, each by itself, leave contradictions.
  bool AddComponentSearches(const JointEstimate& joint) {
    searches_.clear();
    search_of_pair_.clear();
    search_of_component_.assign(components_.size(), std::nullopt);
    for (size_t c = 0; c < components_.size(); ++c) {
      Component& component = components_[c];
      if (component.is_given_up || !Contradicts(component, joint)) continue;
      search_of_component_[c] = searches_.size();
      std::vector<size_t> places;
      for (size_t i = 0; i < component.problem.clocks.size(); ++i) places.push_back(i);
      searches_.push_back(
          {c, SuspectSearch(component.problem, MostOf(component.messages), component.suspects),
           std::move(places)});
      component.suspects.clear();
    }
    return !searches_.empty();
  }

  static bool Contradicts(const Component& component, const JointEstimate& joint) {
    return std::any_of(component.problem.clocks.begin(), component.problem.clocks.end(),
                       [&](size_t clock) {
                         const size_t now = joint.group.clocks[clock].component;
                         return joint.components[now].state == JointFinding::State::kFallback;
                       });
  }

  Result<void> RunPasses() {
    const auto is_searching = [](const Search& s) {
      return s.search.state() == SuspectSearch::State::kSearching;
    };
    while (std::any_of(searches_.begin(), searches_.end(), is_searching)) {
      auto done = pass_([&](const RecordedMessage& message) { Offer(message); });
      if (!done) return done;
      for (Search& search : searches_) search.search.EndPass();
    }
    for (const Search& search : searches_) {
      Component& component = components_[search.component];
      component.is_given_up |= search.search.state() != SuspectSearch::State::kFound;
      for (TimedMessage message : search.search.Suspects()) {
        message.from = search.places[message.from];
        message.to = search.places[message.to];
        component.suspects.push_back(message);
      }
    }
    for (Component& component : components_) CheckShares(component);
    return {};
  }

  void CheckShares(Component& component) const {
    std::vector<uint64_t> of_clock(component.messages_of.size());
    for (const TimedMessage& message : component.suspects) {
      ++of_clock[message.from];
      ++of_clock[message.to];
    }
    for (size_t i = 0; i < of_clock.size(); ++i) {
      component.is_given_up |= of_clock[i] > MostOfClock(component, i);
    }
    component.is_given_up |= component.suspects.size() > MostOf(component.messages);
    if (component.is_given_up) component.suspects.clear();
  }

  void Offer(const RecordedMessage& m) {
    const auto of_pair = search_of_pair_.find(KeyOf(m.from, m.to));
    if (of_pair != search_of_pair_.end()) {
      const size_t from = m.from < m.to ? 0 : 1;
      return OfferTo(searches_[of_pair->second], m, from, 1 - from);
    }
    const std::optional<size_t> component = component_of_[m.from.index()];
    if (!component || search_of_component_.empty() || !search_of_component_[*component]) return;
    OfferTo(searches_[*search_of_component_[*component]], m, place_of_[m.from.index()],
            place_of_[m.to.index()]);
  }

  void OfferTo(Search& search, const RecordedMessage& m, size_t from, size_t to) const {
    if (search.search.state() != SuspectSearch::State::kSearching) return;
    const auto pair = pair_of_.find(KeyOf(m.from, m.to));
    if (pair == pair_of_.end()) return;
    // As in pairs: minimum delays count in the time of the pair's second clock.
    const MinDelays& delays = given_.pairs[pair->second].estimate.min_delays;
    const bool is_a_to_b = m.from < m.to;
    const Int128 send = static_cast<Int128>(m.send_ns) + (is_a_to_b ? 0 : delays.ba_ns);
    const Int128 receive = static_cast<Int128>(m.receive_ns) - (is_a_to_b ? delays.ab_ns : 0) +
                           clocks_[m.to.index()].clock.reading_ns;
    const std::vector<Anchors>& anchors = components_[search.component].problem.anchors;
    if (IsFar(send, anchors[search.places[from]]) || IsFar(receive, anchors[search.places[to]])) {
      return;
    }
    search.search.Offer({from, to, Saturate(send), Saturate(receive), m.id});
  }

  // Pairs do not use such messages.
  static bool IsFar(Int128 time, const Anchors& anchors) {
    constexpr Int128 kReach = Int128{1} << 61;
    return time < anchors.first.x - kReach || time > anchors.first.x + kReach;
  }

  // The estimate again, without the present suspects.
  Result<Attempt> EstimateWithout() const {
    Attempt attempt;
    SetAside& result = attempt.result;
    absl::flat_hash_set<uint64_t> ids;
    std::map<PairKey, PairPoints> points;
    for (const Component& component : components_) {
      for (const TimedMessage& m : component.suspects) {
        result.suspects.push_back(m.id);
        ids.insert(m.id);
        points.try_emplace(
            KeyOf(IdOf(component.problem.clocks[m.from]), IdOf(component.problem.clocks[m.to])));
      }
    }
    if (ids.empty()) return Attempt{given_, {}};
    std::sort(result.suspects.begin(), result.suspects.end());
    auto done = pass_([&](const RecordedMessage& m) {
      const auto pair = points.find(KeyOf(m.from, m.to));
      if (pair == points.end() || ids.contains(m.id)) return;
      m.from < m.to ? pair->second.AddAToB(m.send_ns, m.receive_ns)
                    : pair->second.AddBToA(m.send_ns, m.receive_ns);
    });
    if (!done) return tl::unexpected(done.error());
    result.pairs = given_.pairs;
    for (PairInput& pair : result.pairs) {
      const auto reduced = points.find({pair.a, pair.b});
      if (reduced == points.end()) continue;
      PairEstimate estimate = options_.estimate_pair(pair, reduced->second);
      estimate.messages_ab = pair.estimate.messages_ab;
      estimate.messages_ba = pair.estimate.messages_ba;
      estimate.out_of_range = pair.estimate.out_of_range;
      pair.estimate = std::move(estimate);
    }
    result.joint = EstimateJoint(clocks_, result.pairs, options_.joint);
    for (const PairInput& pair : result.pairs) {
      const auto reduced = points.find({pair.a, pair.b});
      if (reduced == points.end()) continue;
      attempt.round_trips_ns[reduced->first] =
          UsualRoundTripNs(pair, reduced->second, result.joint.group, clocks_);
    }
    return attempt;
  }

  bool AreClear(const Component& component, const Attempt& attempt) const {
    return std::all_of(
        component.suspects.begin(), component.suspects.end(), [&](const TimedMessage& m) {
          const ClockId from = IdOf(component.problem.clocks[m.from]);
          const ClockId to = IdOf(component.problem.clocks[m.to]);
          return CorrectedDelayNs(from, m.send_ns, to, m.receive_ns, attempt.result.joint.group,
                                  clocks_) < -attempt.round_trips_ns.at(KeyOf(from, to));
        });
  }

  // Whether there was any.
  bool GiveUpWhatIsInDoubt(const Attempt& attempt) {
    bool any = false;
    for (Component& component : components_) {
      if (component.suspects.empty()) continue;
      if (!Contradicts(component, attempt.result.joint) && AreClear(component, attempt)) continue;
      component.suspects.clear();
      any = true;
    }
    return any;
  }

  std::span<const ClockInput> clocks_;
  const SetAsideOptions& options_;
  const MessagePass& pass_;
  SetAside given_;
  std::vector<Component> components_;
  // By clock; none for those of components that need nothing.
  std::vector<std::optional<size_t>> component_of_;
  std::vector<size_t> place_of_;
  absl::flat_hash_map<PairKey, size_t> pair_of_;
  std::vector<Search> searches_;
  absl::flat_hash_map<PairKey, size_t> search_of_pair_;
  std::vector<std::optional<size_t>> search_of_component_;
};

}  // namespace

Result<SetAside> SetAsideSuspects(std::span<const ClockInput> clocks, std::vector<PairInput> pairs,
                                  JointEstimate joint, const SetAsideOptions& options,
                                  const MessagePass& pass) {
  return Run(clocks, options, pass, {{}, std::move(pairs), std::move(joint)}).Go();
}

}  // namespace syncline
