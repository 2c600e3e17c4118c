#include "estimate/drift_bounded/contradictions.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"
#include "estimate/drift_bounded/agreement.h"
#include "estimate/drift_bounded/attribution.h"
#include "estimate/drift_bounded/message_works.h"
#include "estimate/drift_bounded/pair_messages.h"
#include "estimate/drift_bounded/steps.h"
#include "estimate/drift_bounded/unsettled.h"

namespace syncline::drift_bounded {
namespace {

constexpr int kMostRounds = 6;    // of looking for steps, each of which can uncover more
constexpr double kNearStep = 16;  // messages about a step of which the side is in doubt
constexpr int kMostWidenings = 100;
constexpr size_t kMostSingleTries = 16;   // of leaving out a single step
constexpr size_t kMostWork = 20'000'000;  // messages of graphs searched for cycles, one by one
constexpr double kMostWrong = 0.2;        // of messages that a guess without bounds may leave out

class Explaining {
 public:
  Explaining(Component& component, const DriftBoundedOptions& options)
      : component_(component),
        clocks_(component.clocks()),
        drifts_(LimitsOf(component, options)),
        slew_(LargestOf(drifts_, RateLimits::Within(options.max_slew_ppm.value_or(0)))),
        slews_(options.max_slew_ppm ? std::vector(drifts_.size(), slew_) : drifts_),
        max_suspects_(options.max_suspects),
        found_{.explanation = {TrackTable(EpochsOf(clocks_)), {}, {}}, .messages = {}} {
    slews_[component.root().index()] = {};
  }

  Result<Explained> Run() {
    SYNCLINE_TRY(Find());
    SYNCLINE_TRY(LookBetweenSteps());
    SYNCLINE_TRY(TakeAgreeingForSteps());
    SetAsideWhatIsOutOfRange();
    return std::move(found_);
  }

 private:
  Result<void> Find() {
    found_.explanation.limits = drifts_;
    SYNCLINE_TRY(CollectAgain());
    const bool is_free = IsFree();
    found_.is_plain = is_free && IsPlausible();
    if (found_.is_plain) {
      found_.bounds = std::move(solved_);
      return {};
    }
    found_.explanation.limits = slews_;
    if (is_free) {
      SYNCLINE_TRY(CollectAgain());
    } else {
      SYNCLINE_TRY(ExplainCycles());
    }
    if (found_.reason.empty()) SYNCLINE_TRY(Raise());
    return {};
  }

  // Messages about steps that no side of them allows are wrong, or tell of further steps.
  Result<void> LookBetweenSteps() {
    if (!IsExplained()) return {};
    if (!found_.bounds) found_.bounds = Solve();
    const auto& [graph, paths] = *found_.bounds;
    SYNCLINE_ASSIGN(found_.sides, FindSides(component_, found_.explanation, graph, paths));
    if (found_.sides.contradicting.empty()) return {};
    auto& left_out = found_.explanation.left_out;
    left_out.insert(found_.sides.contradicting.begin(), found_.sides.contradicting.end());
    SYNCLINE_ASSIGN(const uint64_t all, CountMessages());
    LimitSuspects(all);
    return {};
  }

  // Suspects that agree with each other show steps. Where these do not explain them, no bound can
  // be claimed.
  Result<void> TakeAgreeingForSteps() {
    auto& left_out = found_.explanation.left_out;
    for (int round = 0; found_.bounds && agreement_ == Agreement::kIsNoSuspicion; ++round) {
      SYNCLINE_ASSIGN(AgreeingSuspects agreeing,
                      FindAgreement(component_, found_.explanation, found_.messages, *found_.bounds,
                                    found_.sides, cuts_));
      if (agreeing.messages.empty()) return {};
      SYNCLINE_ASSIGN(const uint64_t all, CountMessages());
      // Of so many, some agree by chance; they are too many for bounds anyway.
      if (!AreAllowed(left_out.size() - agreeing.messages.size(), all)) return {};
      found_.bounds.reset();
      found_.raised.clear();
      found_.explanation.limits = slews_;
      std::swap(cuts_, agreeing.cuts);
      for (const uint64_t m : agreeing.messages) left_out.erase(m);
      SYNCLINE_TRY(CutAnew());
      if (round == kMostRounds || !IsFree()) {
        std::swap(cuts_, agreeing.cuts);
        left_out.insert(agreeing.messages.begin(), agreeing.messages.end());
        found_.reason = "messages that contradict the others agree with each other";
        found_.is_guess_possible = true;
        SYNCLINE_TRY(CutAnew());
        return LookBetweenSteps();
      }
      found_.reason.clear();
      found_.is_guess_possible = false;
      SYNCLINE_TRY(DropNeedlessSteps());
      SYNCLINE_TRY(NarrowSteps());
      LimitSuspects(all);
      if (found_.reason.empty()) SYNCLINE_TRY(Raise());
      SYNCLINE_TRY(LookBetweenSteps());
    }
    return {};
  }

  bool AreAllowed(size_t suspects, uint64_t all) const {
    const auto most = std::max(1.0, static_cast<double>(all) * max_suspects_);
    return suspects == 0 || (max_suspects_ > 0 && static_cast<double>(suspects) <= most);
  }
  // Where they are many, no bound can be claimed.
  void LimitSuspects(uint64_t all) {
    const size_t suspects = found_.explanation.left_out.size();
    if (AreAllowed(suspects, all)) return;
    found_.reason =
        fmt::format("{} of its {} messages contradict the others, more than are taken for suspects",
                    suspects, all);
    found_.is_guess_possible = true;
  }

  // Readings so far from the first of their clock that it was set in between, or that are wrong:
  // nothing tells how the others go on from them.
  void SetAsideWhatIsOutOfRange() {
    const std::vector<uint64_t>& beyond = found_.messages.out_of_range;
    if (beyond.empty()) return;
    found_.is_plain = false;
    found_.is_guess_possible = found_.is_guess_possible || found_.reason.empty();
    found_.reason = fmt::format(
        "{} of its messages are stamped more than four and a half years from the first ones of "
        "their clocks",
        beyond.size());
    found_.explanation.left_out.insert(beyond.begin(), beyond.end());
  }

  static std::vector<uint32_t> EpochsOf(std::span<const ClockInput> clocks) {
    std::vector<uint32_t> epochs;
    for (const ClockInput& c : clocks) {
      epochs.push_back(std::max<uint32_t>(1, static_cast<uint32_t>(c.epochs.size())));
    }
    return epochs;
  }

  // By clock; the root's are none.
  static std::vector<RateLimits> LimitsOf(const Component& component,
                                          const DriftBoundedOptions& options) {
    std::vector<RateLimits> limits;
    for (size_t c = 0; c < component.clocks().size(); ++c) {
      const double least = c < options.least_limits_ppm.size() ? options.least_limits_ppm[c] : 0;
      const double drift = options.max_drift_ppm.value_or(RateLimits::kAnyPpm);
      limits.push_back(RateLimits::Within(std::max(drift, least)));
    }
    limits[component.root().index()] = {};
    return limits;
  }
  static RateLimits LargestOf(std::span<const RateLimits> limits, RateLimits largest) {
    for (const RateLimits& l : limits) largest = largest.Or(l);
    return largest;
  }

  Result<void> CollectAgain() {
    solved_.reset();
    SYNCLINE_ASSIGN(found_.messages, component_.CollectMessages(found_.explanation));
    return {};
  }

  std::shared_ptr<const Solved> Solve() const {
    return std::make_shared<const Solved>(
        component_.Solve(found_.explanation, found_.messages, Stamps::kCoarse));
  }

  // Whether what was collected agrees with the limits; if not, the cycle is kept.
  bool IsFree() {
    solved_ = Solve();
    cycle_ = FindContradiction(component_, found_.explanation, *solved_);
    return cycle_.IsNone();
  }
  bool IsPlausible() const {
    return drifts_ == slews_ ||
           ImplausiblePairs(component_, found_.explanation, solved_->graph, slew_).empty();
  }
  std::vector<ClockPair> PairsBeyond(const std::vector<RateLimits>& limits) const {
    return ContradictoryPairs(component_, {found_.explanation.tracks, limits, {}}, found_.messages);
  }

  bool IsExplained() const { return found_.reason.empty() || found_.is_guess_possible; }

  // By steps and suspects, all but what rates within S explain.
  Result<void> ExplainCycles() {
    SYNCLINE_TRY(FindSet());
    if (found_.reason.empty()) SYNCLINE_TRY(BreakCycles());
    if (!IsExplained()) SYNCLINE_TRY(ExplainAllBySuspects());
    if (!IsExplained()) return {};
    SYNCLINE_TRY(DropStepsThatWereNone());
    SYNCLINE_TRY(DropNeedlessSteps());
    return NarrowSteps();
  }

  // Though some of them agree with each other, so that no bound can be claimed.
  Result<void> ExplainAllBySuspects() {
    agreement_ = Agreement::kSaysNothing;
    const std::string why = std::exchange(found_.reason, {});
    cuts_.clear();
    widenings_ = 0;
    found_.explanation.tracks = found_.explanation.tracks.WithoutSteps();
    SYNCLINE_TRY(FindSet());
    const auto wrong = static_cast<double>(found_.explanation.left_out.size());
    const bool are_few_wrong = wrong <= kMostWrong / 10 * static_cast<double>(examined_);
    if (found_.reason.empty() && are_few_wrong) SYNCLINE_TRY(BreakCycles());
    found_.is_guess_possible = found_.is_guess_possible || (found_.reason.empty() && are_few_wrong);
    if (found_.reason.empty()) found_.reason = why;
    return {};
  }

  // Steps and suspects that pairs show by themselves.
  Result<void> FindSet() {
    for (int round = 0; round < kMostRounds; ++round) {
      found_.explanation.left_out.clear();
      SYNCLINE_TRY(CollectAgain());
      const std::vector<ClockPair> pairs = PairsBeyond(drifts_);
      if (pairs.empty()) return {};
      SYNCLINE_ASSIGN(std::vector<SeenStep> seen, Examine(pairs));
      DropTheDoubtful(seen);
      const auto steps = static_cast<uint64_t>(
          std::ranges::count_if(seen, [](const SeenStep& s) { return !s.is_slew; }));
      const auto wrong = static_cast<double>(found_.explanation.left_out.size());
      const bool are_most_wrong = wrong > kMostWrong * static_cast<double>(examined_);
      if (steps == 0 && !are_most_wrong) break;
      if ((cuts_.size() + steps) * kFewestPerStep > examined_ || are_most_wrong) {
        found_.reason =
            "its messages contradict each other all over, and steps would not explain "
            "but excuse them";
        return {};
      }
      const std::vector<CutPlace> cuts =
          AttributeSteps(std::move(seen), found_.messages, found_.explanation.tracks, clocks_,
                         drifts_, component_.root());
      cuts_.insert(cuts_.end(), cuts.begin(), cuts.end());
      found_.explanation.tracks = WithSteps(component_, found_.explanation.tracks, cuts_);
    }
    return CollectAgain();
  }

  PairHistory HistoryOf(const PairOfTracks& pair) const {
    const size_t a = found_.explanation.tracks[pair.a].clock.index();
    const size_t b = found_.explanation.tracks[pair.b].clock.index();
    return FindSteps(pair.messages, RelativeRate(drifts_[a], drifts_[b]),
                     RelativeRate(slews_[a], slews_[b]), agreement_);
  }

  Result<std::vector<SeenStep>> Examine(const std::vector<ClockPair>& pairs) {
    SYNCLINE_ASSIGN(const std::vector<PairOfTracks> by_tracks,
                    MessagesOf(component_, found_.explanation.tracks, pairs));
    std::vector<SeenStep> seen;
    auto& left_out = found_.explanation.left_out;
    const TrackTable& tracks = found_.explanation.tracks;
    const std::vector<ClockPair> beyond_slews = PairsBeyond(slews_);
    examined_ = 0;
    doubtful_.clear();
    for (const PairOfTracks& pair : by_tracks) {
      const PairHistory history = HistoryOf(pair);
      examined_ += pair.messages.size();
      const auto& [a, epoch_a, from_a, between_a] = tracks[pair.a];
      const auto& [b, epoch_b, from_b, between_b] = tracks[pair.b];
      // Where slews explain everything no message is wrong, but a long one can be a step.
      const bool is_slewed = !std::ranges::binary_search(beyond_slews, ClockPair{a, b});
      if (!is_slewed) left_out.insert(history.suspects.begin(), history.suspects.end());
      for (const auto* steps : {&history.steps, &history.slews}) {
        for (const PairStep& step : *steps) {
          if (!is_slewed) doubtful_.insert(step.evidence.begin(), step.evidence.end());
          seen.push_back({{a, b},
                          {{epoch_a, step.before_a}, {epoch_a, step.after_a}},
                          {{epoch_b, step.before_b}, {epoch_b, step.after_b}},
                          step.jump,
                          step.evidence,
                          steps == &history.slews});
        }
      }
    }
    return seen;
  }

  // Where many messages are wrong and few clocks were set, those at the ends of the trace that
  // could be of either kind are wrong, if they contradict anything more.
  void DropTheDoubtful(std::vector<SeenStep>& seen) {
    const auto certain = std::ranges::count_if(
        seen, [](const SeenStep& s) { return !s.is_slew && s.evidence.empty(); });
    if (found_.explanation.left_out.size() <= 2 * static_cast<size_t>(certain)) return;
    std::erase_if(seen, [](const SeenStep& s) { return !s.evidence.empty(); });
    found_.explanation.left_out.insert(doubtful_.begin(), doubtful_.end());
  }

  // Steps seen by messages alone that turned out to be wrong.
  Result<void> DropStepsThatWereNone() {
    const auto& left_out = found_.explanation.left_out;
    const auto is_none = [&](const CutPlace& cut) {
      return !cut.evidence.empty() && std::ranges::all_of(cut.evidence, [&](uint64_t message) {
        return left_out.contains(message);
      });
    };
    if (std::ranges::none_of(cuts_, is_none)) return {};
    std::vector<CutPlace> before = cuts_;
    std::erase_if(cuts_, is_none);
    SYNCLINE_TRY(CutAnew());
    if (IsFree()) return {};
    cuts_ = std::move(before);
    return CutAnew();
  }

  // Of clocks that went on as before, by bounds from both sides, while others were set.
  Result<void> DropNeedlessSteps() {
    if (cuts_.empty()) return {};
    const auto solved = Solve();
    std::vector<CutPlace> kept = cuts_;
    const Explanation explanation = found_.explanation;
    std::erase_if(kept, [&](const CutPlace& cut) {
      return WentOn(component_, found_.explanation, *solved, cut);
    });
    if (kept.size() == cuts_.size()) return {};
    std::swap(kept, cuts_);
    SYNCLINE_TRY(CutAnew());
    if (IsFree()) return {};
    // Not all of them at once; any one, then, as long as there are few.
    for (size_t i = 0, tries = 0; i < kept.size() && tries < kMostSingleTries; ++i) {
      if (!WentOn(component_, explanation, *solved, kept[i])) continue;
      ++tries;
      cuts_ = kept;
      cuts_.erase(cuts_.begin() + static_cast<ptrdiff_t>(i));
      SYNCLINE_TRY(CutAnew());
      if (IsFree()) kept.erase(kept.begin() + static_cast<ptrdiff_t>(i--));
    }
    cuts_ = std::move(kept);
    return CutAnew();
  }

  // What lies between the sides of steps becomes less, as bounds tell.
  Result<void> NarrowSteps() {
    for (int round = 0; round < kMostRounds && !cuts_.empty(); ++round) {
      const auto solved = Solve();
      SYNCLINE_ASSIGN(std::vector<CutPlace> narrowed,
                      NarrowWindows(component_, found_.explanation, *solved, cuts_));
      if (narrowed.empty()) return {};
      std::swap(cuts_, narrowed);
      SYNCLINE_TRY(CutAnew());
      if (IsFree()) continue;
      cuts_ = std::move(narrowed);
      return CutAnew();
    }
    return {};
  }

  Result<void> CutAnew() {
    found_.explanation.tracks = WithSteps(component_, found_.explanation.tracks, cuts_);
    return CollectAgain();
  }

  // A message near a step that contradicts others can as well be from the other side of it: one end
  // of it is on neither side, then. False where no message of the cycle is near a step.
  bool WidenCut() {
    CutPlace* nearest = nullptr;
    int64_t reading = 0;
    double least = kNearStep;
    for (size_t k = 0; k < cycle_.clocks.size(); ++k) {
      const ClockId clock = cycle_.clocks[k];
      const int64_t at = cycle_.readings_ns[k] - component_.origin_ns(clock);
      for (CutPlace& cut : cuts_) {
        if (cut.clock != clock || !cut.IsBounded()) continue;
        const int64_t beyond = std::max(cut.after.reading - at, at - cut.from.reading);
        const double apart = static_cast<double>(beyond) / spacing_ns_[clock.index()];
        if (apart >= least) continue;
        least = apart;
        nearest = &cut;
        reading = at;
      }
    }
    if (nearest == nullptr || widenings_ == kMostWidenings) return false;
    ++widenings_;
    if (reading <= nearest->after.reading) {
      nearest->after.reading = reading - 1;
    } else {
      nearest->from.reading = reading + 1;
    }
    return true;
  }

  // Cycles of more than two clocks: the message on them that takes least is left out.
  Result<void> BreakCycles() {
    if (IsFree() && found_.explanation.left_out.empty()) return {};
    SYNCLINE_ASSIGN(const uint64_t all, CountMessages());
    const auto most_wrong =
        std::max<uint64_t>(8, static_cast<uint64_t>(static_cast<double>(all) * kMostWrong));
    auto& left_out = found_.explanation.left_out;
    bool is_narrowed = false;  // what messages left out implied counts again
    size_t work = 0;
    while (true) {
      if (IsFree()) {
        if (!std::exchange(is_narrowed, false)) break;
        SYNCLINE_TRY(CollectAgain());
      } else if (WidenCut()) {
        is_narrowed = false;
        SYNCLINE_TRY(CutAnew());
      } else if ((work += KeptMessages()) > kMostWork || cycle_.messages.empty() ||
                 left_out.size() > most_wrong) {
        found_.reason =
            "its messages contradict each other, and neither rates nor steps nor "
            "a few wrong messages explain it";
        return {};
      } else {
        LeaveOut(MostUnlikely(found_.messages, cycle_.messages));
        is_narrowed = true;
      }
    }
    LimitSuspects(all);
    return {};
  }

  size_t KeptMessages() const {
    size_t kept = 0;
    for (const KeptDirection& d : found_.messages.directions) kept += d.all.size();
    return kept;
  }

  // Of the component, and how far apart those of each clock are.
  Result<uint64_t> CountMessages() {
    MessageCount count(component_.is_inside());
    SYNCLINE_TRY(component_.pass().Run(count));
    spacing_ns_.assign(clocks_.size(), 1);
    for (size_t c = 0; c < clocks_.size(); ++c) {
      const auto& [messages, readings] = count.clocks()[c];
      if (messages == 0) continue;
      const double span = static_cast<double>(readings.last) - static_cast<double>(readings.first);
      spacing_ns_[c] = std::max(1.0, span / static_cast<double>(messages));
    }
    return count.messages();
  }

  void LeaveOut(uint64_t message) {
    found_.explanation.left_out.insert(message);
    for (KeptDirection& d : found_.messages.directions) {
      std::erase_if(d.all, [&](const Constraint& m) { return m.message == message; });
    }
  }

  // The limits that the messages need, from D up.
  Result<void> Raise() {
    if (drifts_ == slews_) return CollectAgain();
    RaisedLimits raised =
        RaiseLimits(component_, {found_.explanation.tracks, drifts_, {}}, found_.messages, slew_);
    found_.explanation.limits = std::move(raised.limits);
    found_.raised = std::move(raised.raised);
    return CollectAgain();
  }

  Component& component_;
  std::span<const ClockInput> clocks_;
  std::vector<RateLimits> drifts_;  // D, by clock
  RateLimits slew_;                 // S
  std::vector<RateLimits> slews_;   // by clock
  double max_suspects_;
  Explained found_;
  std::shared_ptr<const Solved> solved_;  // of IsFree()
  Contradiction cycle_;
  std::vector<CutPlace> cuts_;
  Agreement agreement_ = Agreement::kIsNoSuspicion;
  absl::flat_hash_set<uint64_t> doubtful_;  // messages that are wrong, or evidence of a step
  std::vector<double> spacing_ns_;          // of messages, by clock
  int widenings_ = 0;
  uint64_t examined_ = 0;  // messages, in the last round
};

}  // namespace

Result<Explained> Explain(Component& component, const DriftBoundedOptions& options) {
  return Explaining(component, options).Run();
}

}  // namespace syncline::drift_bounded
