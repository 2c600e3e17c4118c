#include "estimate/drift_bounded/agreement.h"

#include <algorithm>
#include <compare>
#include <map>
#include <optional>
#include <utility>

#include "base/try.h"
#include "estimate/drift_bounded/message_works.h"
#include "estimate/drift_bounded/tube.h"

namespace syncline::drift_bounded {
namespace {

// What bounds leave of a reading, in units of the graph; on either side where it is about a step.
struct TimeLeft {
  int64_t earliest = Paths::kNone;
  int64_t latest = -Paths::kNone;
  int64_t Width() const { return latest - earliest; }
};

// A clock, and whether it sends.
struct MessageEnd {
  ClockId clock;
  bool sends = false;
  friend auto operator<=>(const MessageEnd&, const MessageEnd&) = default;
};

// A suspect at one of its ends.
struct SeenSuspect {
  Place at;
  uint64_t message = 0;
  int64_t missing = 0;  // what bounds of the others leave, at least
  int64_t width = 0;    // of these
  bool agrees = false;  // with the next one
};

class Agreeing {
 public:
  Agreeing(const Component& component, const Explanation& explanation, const Collection& collected,
           const Solved& solved)
      : component_(component),
        explanation_(explanation),
        collected_(collected),
        graph_(solved.graph),
        tubes_(TubesOf(graph_, solved.paths)) {}

  // Adds what they show to the cuts of the explanation.
  Result<AgreeingSuspects> Run(std::vector<CutPlace> cuts) {
    found_.cuts = std::move(cuts);
    SYNCLINE_TRY(FindSuspects());
    if (FindAlike()) SYNCLINE_TRY(PartAlike());
    for (const auto& [end, seen] : seen_) AddSteps(end, seen);
    std::ranges::sort(found_.messages);
    const auto twice = std::unique(found_.messages.begin(), found_.messages.end());
    found_.messages.erase(twice, found_.messages.end());
    return std::move(found_);
  }

 private:
  Result<void> FindSuspects() {
    std::vector<uint64_t> ids(explanation_.left_out.begin(), explanation_.left_out.end());
    std::ranges::sort(ids);
    ChosenMessages suspects({.pairs = {}, .about_steps = {}, .ids = std::move(ids)},
                            [this](const RecordedMessage& m) { AddSuspect(m); });
    return component_.pass().Run(suspects);
  }
  void AddSuspect(const RecordedMessage& m) {
    const auto placed = component_.Place(m, explanation_.tracks);
    if (!placed) return;
    const auto sent = TimeOf(placed->from, placed->s);
    const auto received = TimeOf(placed->to, placed->r);
    if (!sent || !received) return;
    const int64_t missing = sent->earliest + LeastDelay(m.from, m.to) - received->latest;
    if (missing <= 0) return;
    const int64_t width = sent->Width() + received->Width();
    seen_[{m.from, true}].push_back({{m.from_epoch, placed->s}, m.id, missing, width});
    seen_[{m.to, false}].push_back({{m.to_epoch, placed->r}, m.id, missing, width});
  }

  std::optional<TimeLeft> TimeOf(uint32_t track, int64_t reading) const {
    const auto is_of_epoch = [&](size_t t) { return explanation_.tracks.AreOfOneEpoch(track, t); };
    uint32_t before = track, behind = track;
    while (!graph_.HasNodes(before) && before > 0 && is_of_epoch(before - 1)) --before;
    while (!graph_.HasNodes(behind) && is_of_epoch(behind + 1)) ++behind;
    std::optional<TimeLeft> left;
    for (const uint32_t t : {before, behind}) {
      if (!graph_.HasNodes(t)) continue;
      const int64_t z = graph_.Units(reading);
      const TimeLeft of{tubes_[t].Earliest(z), tubes_[t].Latest(z)};
      if (of.earliest == Paths::kNone || of.latest == -Paths::kNone) return std::nullopt;
      left =
          left ? TimeLeft{std::min(left->earliest, of.earliest), std::max(left->latest, of.latest)}
               : of;
    }
    return left;
  }
  int64_t LeastDelay(ClockId from, ClockId to) const {
    return graph_.Units(component_.LeastBetweenReadingsNs(from, to));
  }

  // False where no two are.
  bool FindAlike() {
    bool is_any = false;
    for (auto& [end, seen] : seen_) {
      std::ranges::sort(seen, [](const SeenSuspect& a, const SeenSuspect& b) {
        return std::pair(a.at, a.message) < std::pair(b.at, b.message);
      });
      for (size_t i = 0; i + 1 < seen.size(); ++i) {
        const SeenSuspect& next = seen[i + 1];
        seen[i].agrees =
            seen[i].at.epoch == next.at.epoch &&
            AreAlike(seen[i].missing, next.missing, std::max(seen[i].width, next.width));
        is_any = is_any || seen[i].agrees;
      }
    }
    return is_any;
  }
  // Those between which there are messages that were not left out do not agree.
  Result<void> PartAlike() {
    std::map<std::pair<ClockId, uint32_t>, Extent> spans;  // by clock and epoch
    for (const auto& [end, seen] : seen_) {
      for (size_t i = 0; i + 1 < seen.size(); ++i) {
        if (!seen[i].agrees) continue;
        Extent& span = spans[{end.clock, seen[i].at.epoch}];
        span.Include(seen[i].at.reading);
        span.Include(seen[i + 1].at.reading);
      }
    }
    TrackTable between = explanation_.tracks.WithoutSteps();
    for (const auto& [of, span] : spans) {
      const auto& [clock, epoch] = of;
      const int64_t origin_ns = component_.origin_ns(clock);
      between.Cut(clock, epoch, origin_ns + span.first, true);
      between.Cut(clock, epoch, origin_ns + span.last);
    }
    ChosenMessages others({.pairs = {}, .about_steps = between}, [&](const RecordedMessage& m) {
      const auto placed = component_.Place(m, explanation_.tracks);
      if (!placed || explanation_.left_out.contains(m.id)) return;
      Part({m.from, true}, {m.from_epoch, placed->s});
      Part({m.to, false}, {m.to_epoch, placed->r});
    });
    return component_.pass().Run(others);
  }
  void Part(const MessageEnd& end, const Place& at) {
    const auto found = seen_.find(end);
    if (found == seen_.end()) return;
    std::vector<SeenSuspect>& seen = found->second;
    const auto next = std::ranges::lower_bound(seen, at, {}, &SeenSuspect::at);
    if (next == seen.begin() || next == seen.end() || next->at == at) return;
    std::prev(next)->agrees = false;
  }

  // A message the other way at the same clock, and up to which offset, of the sense in which the
  // suspects miss, it allows.
  struct OtherWay {
    int64_t at = 0;
    int64_t allowed = 0;
  };
  std::vector<OtherWay> OtherWayAt(const MessageEnd& end, uint32_t epoch) const {
    const TrackTable& tracks = explanation_.tracks;
    std::vector<OtherWay> others;
    for (const KeptDirection& d : collected_.directions) {
      const TrackTable::Entry& own = tracks[end.sends ? d.to : d.from];
      if (own.clock != end.clock || own.epoch != epoch) continue;
      const int64_t delay = LeastDelay(tracks[d.from].clock, tracks[d.to].clock);
      for (const Constraint& m : d.all) {
        const auto sent = TimeOf(d.from, m.s), received = TimeOf(d.to, m.r);
        if (!sent || !received) continue;
        others.push_back({end.sends ? m.r : m.s, received->latest - sent->earliest - delay});
      }
    }
    std::ranges::sort(others, {}, &OtherWay::at);
    return others;
  }

  void AddSteps(const MessageEnd& end, const std::vector<SeenSuspect>& seen) {
    std::vector<OtherWay> others;
    std::optional<uint32_t> epoch;  // of these
    for (size_t i = 0; i < seen.size(); ++i) {
      if (!seen[i].agrees) continue;
      if (epoch != seen[i].at.epoch) others = OtherWayAt(end, *(epoch = seen[i].at.epoch));
      const size_t first = i;
      while (seen[i].agrees) ++i;
      AddStepsAbout(end, std::span(seen).subspan(first, i + 1 - first), others);
    }
  }
  // One to where these are right, one back. What could be from either is on neither side.
  void AddStepsAbout(const MessageEnd& end, std::span<const SeenSuspect> agreeing,
                     std::span<const OtherWay> others) {
    if (others.empty()) return;
    int64_t offset = 0;
    for (const SeenSuspect& s : agreeing) {
      offset = std::max(offset, s.missing);
      found_.messages.push_back(s.message);
    }
    const Place first = agreeing.front().at, last = agreeing.back().at;
    const auto contradicts = [&](const OtherWay& m) { return m.allowed < offset; };
    const auto middle = std::ranges::lower_bound(others, first.reading, {}, &OtherWay::at);
    const auto before = std::find_if(std::reverse_iterator(middle), others.rend(), contradicts);
    const auto behind =
        std::find_if(std::ranges::upper_bound(others, last.reading, {}, &OtherWay::at),
                     others.end(), contradicts);
    const Jump ahead{graph_.FloorNs(offset), OffsetInterval::kOpen};
    const Jump back{-ahead.most, -ahead.least};
    const int64_t after = before != others.rend() ? before->at : others.front().at;
    const int64_t from = behind != others.end() ? behind->at : others.back().at;
    // Where none go the other way before them, or behind, it was set right there.
    found_.cuts.push_back({end.clock,
                           first,
                           after < first.reading ? Place{first.epoch, after} : Window{}.after,
                           end.sends ? ahead : back,
                           {},
                           true});
    found_.cuts.push_back({end.clock,
                           {last.epoch, std::max(from, last.reading + 1)},
                           last,
                           end.sends ? back : ahead,
                           {},
                           true});
  }

  const Component& component_;
  const Explanation& explanation_;
  const Collection& collected_;
  const Graph& graph_;
  std::vector<TrackTube> tubes_;
  std::map<MessageEnd, std::vector<SeenSuspect>> seen_;
  AgreeingSuspects found_;
};

// But those between whose sides messages contradict both.
std::vector<CutPlace> NotContradicted(const Component& component, const TrackTable& tracks,
                                      const StepSides& sides, std::span<const CutPlace> cuts) {
  std::vector<CutPlace> rest;
  for (const CutPlace& cut : cuts) {
    const uint32_t behind =
        tracks.Of(cut.clock, cut.from.epoch, component.origin_ns(cut.clock) + cut.from.reading);
    if (!sides.is_open_before[behind]) rest.push_back(cut);
  }
  return rest;
}

}  // namespace

Result<AgreeingSuspects> FindAgreement(Component& component, const Explanation& explanation,
                                       const Collection& collected, const Solved& solved,
                                       const StepSides& sides, std::span<const CutPlace> cuts) {
  if (explanation.left_out.size() < 2) return AgreeingSuspects{};
  std::vector<CutPlace> rest = NotContradicted(component, explanation.tracks, sides, cuts);
  if (rest.size() < cuts.size()) {
    Explanation fewer = explanation;
    fewer.tracks = WithSteps(component, explanation.tracks, rest);
    SYNCLINE_ASSIGN(const Collection messages, component.CollectMessages(fewer));
    const Solved by_fewer = component.Solve(fewer, messages, Stamps::kCoarse);
    if (FindContradiction(component, fewer, by_fewer).IsNone()) {
      SYNCLINE_ASSIGN(AgreeingSuspects found,
                      Agreeing(component, fewer, messages, by_fewer).Run(std::move(rest)));
      if (!found.messages.empty()) return found;
    }
  }
  return Agreeing(component, explanation, collected, solved).Run({cuts.begin(), cuts.end()});
}

}  // namespace syncline::drift_bounded
