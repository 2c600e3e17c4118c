#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/difference.h"
#include "report/filter_summary.h"
#include "report/step_text.h"
#include "report/summary.h"
#include "report/table.h"
#include "report/text_parts.h"

namespace syncline {
namespace {

std::string Change(const Summary& s, uint64_t before, uint64_t after) {
  return s.corrected ? FormatCount(before) + " → " + FormatCount(after) : FormatCount(before);
}

bool HasSeveralReferences(const Summary& s) {
  return std::ranges::any_of(s.clocks,
                             [&](const auto& clock) { return clock.reference != s.reference; });
}

// Which of `count` rows a table shows, in their order: those that `is_before` puts first. All where
// all are asked for.
template <typename IsBefore>
std::vector<size_t> ShownRows(size_t count, size_t most, TextDetail detail, IsBefore is_before) {
  std::vector<size_t> rows(count);
  std::iota(rows.begin(), rows.end(), size_t{0});
  if (detail == TextDetail::kAll || count <= most) return rows;
  std::ranges::stable_sort(rows, is_before);
  rows.resize(most);
  std::ranges::sort(rows);
  return rows;
}

std::string MoreText(size_t count, size_t shown, std::string_view what) {
  if (count == shown) return "";
  return fmt::format("… and {}; --all\n", FormatCount(count - shown, fmt::format("more {}", what)));
}

std::string ClockTable(const Summary& s, const TextStyle& style) {
  Table table({Left("clock"), "offset", "drift", "bounds: best", "mean", "worst", Left("quality"),
               "events"});
  constexpr size_t kMostClocks = 40;
  const auto matters = [&](size_t c) {
    const Summary::Clock& clock = s.clocks[c];
    return clock.name == clock.reference || clock.quality != "accurate";
  };
  const std::vector<size_t> shown =
      ShownRows(s.clocks.size(), kMostClocks, style.detail,
                [&](size_t a, size_t b) { return matters(a) && !matters(b); });
  for (const size_t c : shown) {
    const Summary::Clock& clock = s.clocks[c];
    std::string quality = clock.name == clock.reference ? "reference" : clock.quality;
    if (clock.quality == "absent") quality = "absent";
    if (clock.reference != s.reference && clock.name != clock.reference) {
      quality += " (relative to " + clock.reference + ")";
    }
    table.AddRow({clock.name, clock.offset_ns ? FormatSignedDuration(*clock.offset_ns) : "–",
                  FormatDrift(clock.drift_ppm),
                  FormatBounds(clock.below.best_ns, clock.above.best_ns),
                  FormatBounds(clock.below.mean_ns, clock.above.mean_ns),
                  FormatBounds(clock.below.worst_ns, clock.above.worst_ns), quality,
                  FormatCount(clock.events)});
  }
  return table.ToString(style.columns) + MoreText(s.clocks.size(), shown.size(), "clock");
}

// Where no clock's correction rests on a line between two, that none fits is said, and is no
// defect.
std::string QualityText(const Summary& s, const Summary::Pair& pair) {
  if (s.group_method == "drift-bounded" && pair.quality == "approximate") return pair.reason;
  return pair.reason.empty() ? pair.quality : pair.quality + ": " + pair.reason;
}

bool HasCollectives(const Summary& s) { return s.messages.of_collectives.total > 0; }

bool HasMinimumDelays(const Summary& s) {
  return std::ranges::any_of(s.pairs, [](const Summary::Pair& pair) {
    return pair.ab.minimum_delay_ns > 0 || pair.ba.minimum_delay_ns > 0;
  });
}

// What a row tells of a direction. `check` changes nothing: what was recorded and what corrections
// would make of it stand in tables of their own.
enum class Told { kChange, kRecorded, kCorrected };

// A row per direction.
class PairRows {
 public:
  PairRows(const Summary& s, Told told)
      : s_(s),
        told_(told),
        has_collectives_(HasCollectives(s)),
        has_minimum_(HasMinimumDelays(s)),
        table_(Heads()) {}

  void Add(const Summary::Pair& pair) {
    const std::string quality = QualityText(s_, pair);
    const bool has_ab = pair.ab.messages > 0;
    if (has_ab) Add(pair.a + " → " + pair.b, pair.ab, quality);
    if (pair.ba.messages > 0) Add(pair.b + " → " + pair.a, pair.ba, has_ab ? "" : quality);
  }
  std::string ToString(size_t columns) const { return table_.ToString(columns); }

 private:
  std::vector<Table::Column> Heads() const {
    std::vector<Table::Column> heads = {{"pair", Align::kLeft}};
    if (told_ != Told::kCorrected) {
      heads.insert(heads.end(), {{"messages"}, {"inverted"}});
      if (has_collectives_) heads.insert(heads.end(), {{"by collectives"}, {"of these inverted"}});
      if (has_minimum_) heads.push_back({"too fast"});
    }
    heads.insert(heads.end(), {{"smallest delay"}, {"median delay"}});
    if (told_ != Told::kRecorded) heads.push_back({"quality", Align::kLeft});
    return heads;
  }
  void Add(std::string name, const Summary::Direction& d, const std::string& quality) {
    std::vector<std::string> row = {std::move(name)};
    if (told_ != Told::kCorrected) AddCounts(d, row);
    row.push_back(Delay(d.before.smallest_ns, d.after.smallest_ns));
    row.push_back(Delay(d.before.median_ns, d.after.median_ns));
    if (told_ != Told::kRecorded) row.push_back(quality);
    table_.AddRow(std::move(row));
  }
  void AddCounts(const Summary::Direction& d, std::vector<std::string>& row) const {
    const uint64_t one_by_one = d.messages - std::min(d.messages, d.of_collectives.total);
    const bool is_none = one_by_one == 0;
    row.push_back(is_none ? "none" : FormatCount(one_by_one));
    row.push_back(is_none ? "–" : Change(s_, d.before.inverted, d.after.inverted));
    if (has_collectives_) {
      const CollectiveOrder& c = d.of_collectives;
      row.push_back(FormatCount(c.total));
      row.push_back(Change(s_, c.inverted_before, c.inverted_after));
    }
    if (has_minimum_) row.push_back(Change(s_, d.before.too_fast, d.after.too_fast));
  }
  std::string Delay(std::optional<int64_t> before, std::optional<int64_t> after) const {
    const auto text = [](std::optional<int64_t> ns) { return ns ? FormatDuration(*ns) : "–"; };
    if (told_ == Told::kCorrected) return text(after);
    return told_ == Told::kRecorded || !before ? text(before) : text(before) + " → " + text(after);
  }

  const Summary& s_;
  Told told_;
  bool has_collectives_;
  bool has_minimum_;
  Table table_;
};

std::string PairTable(const Summary& s, const TextStyle& style) {
  constexpr size_t kMostPairs = 16;
  // Those whose messages are still inverted, then those that were, then those of most messages.
  const auto weight = [&](size_t p) {
    const Summary::Pair& pair = s.pairs[p];
    uint64_t before = 0, after = 0;
    for (const Summary::Direction* d : {&pair.ab, &pair.ba}) {
      before += d->before.inverted + d->of_collectives.inverted_before;
      after += d->after.inverted + d->of_collectives.inverted_after;
    }
    return std::tuple(s.corrected ? after : 0, before, pair.ab.messages + pair.ba.messages);
  };
  const std::vector<size_t> shown =
      ShownRows(s.pairs.size(), kMostPairs, style.detail,
                [&](size_t a, size_t b) { return weight(a) > weight(b); });
  const auto table = [&](Told told) {
    PairRows rows(s, told);
    for (const size_t p : shown) rows.Add(s.pairs[p]);
    return rows.ToString(style.columns);
  };
  const std::string more = MoreText(s.pairs.size(), shown.size(), "pair");
  if (s.corrected) return table(Told::kChange) + more;
  return "As recorded:\n" + table(Told::kRecorded) + more + "\nWith these clocks corrected:\n" +
         table(Told::kCorrected) + more;
}

std::string BroadcastTable(const Summary& s, const TextStyle& style) {
  Table table({Left("broadcasts"), "count", "mean difference", "deviation", "smallest", "largest"});
  for (const Summary::BroadcastPair& pair : s.broadcasts) {
    const Summary::BroadcastFigures& f = s.corrected ? pair.after : pair.before;
    table.AddRow({pair.b + " − " + pair.a, FormatCount(pair.count),
                  FormatSignedDuration(NearestInteger(f.mean_ns)),
                  FormatDuration(NearestInteger(f.deviation_ns)),
                  FormatSignedDuration(f.smallest_ns), FormatSignedDuration(f.largest_ns)});
  }
  return fmt::format(
             "Broadcasts that two clocks received, and by how much later the second did, {}:\n",
             s.corrected ? "corrected" : "as recorded") +
         table.ToString(style.columns);
}

// What the bounds hold under, to stand before them if it is more than a prior on clocks.
std::string ConditionText(const Summary& s) {
  std::vector<std::string> conditions;
  if (RestOnOrderOfOperations(s.bounds_assume)) {
    conditions.emplace_back("operations are matched rightly by their order");
  }
  const size_t count = s.CountSuspects(Summary::Suspect::Why::kContradiction);
  if (count > 0) {
    conditions.emplace_back(count == 1 ? "the suspect alone is matched wrongly"
                                       : "the suspects alone are matched wrongly");
  }
  if (s.bounds_assume.starts_with("symmetric minimum delays")) {
    constexpr char kSymmetric[] =
        "Assuming about symmetric paths (both directions take at least 0.9 of half the least round "
        "trip)";
    return fmt::format("{}{}{}, ", kSymmetric, conditions.empty() ? "" : " and that ",
                       fmt::join(conditions, " and that "));
  }
  if (s.bounds_assume.starts_with("given minimum delays")) {
    conditions.push_back(fmt::format("every {}message takes at least its minimum delay",
                                     count == 0 ? "" : "other "));
  }
  return conditions.empty() ? "" : fmt::format("If {}, ", fmt::join(conditions, " and "));
}

// "0.800 % of the time of c1, 1.20 % of the time of c2".
std::string UnboundedTimes(const Summary& s) {
  constexpr size_t kMostNamed = 3;
  std::vector<const Summary::Clock*> partly;
  for (const Summary::Clock& clock : s.clocks) {
    if (clock.unbounded_share > 0 && clock.unbounded_share < 1) partly.push_back(&clock);
  }
  std::string text;
  double most = 0;
  for (const Summary::Clock* clock : partly) {
    text += fmt::format("{}{} of the time of {}", text.empty() ? "" : ", ",
                        FormatPercent(clock->unbounded_share), clock->name);
    most = std::max(most, clock->unbounded_share);
  }
  if (partly.size() <= kMostNamed) return text;
  return fmt::format("up to {} of the time of {} clocks", FormatPercent(most), partly.size());
}

std::string BoundSentence(const Summary& s) {
  std::optional<int64_t> worst;
  std::string widest;
  std::string open;
  // References count where their events were moved by more than that.
  for (const bool are_references : {false, true}) {
    for (const Summary::Clock& clock : s.clocks) {
      if ((clock.name == clock.reference) != are_references || (are_references && !worst)) continue;
      if (const auto known = clock.WorstKnownNs()) {
        if (!worst || *known > *worst) {
          worst = known;
          widest = clock.name;
        }
      } else if (!are_references) {
        open += (open.empty() ? "" : ", ") + clock.name;
      }
    }
  }
  std::string text;
  if (worst) {
    const std::string condition = ConditionText(s);
    text = fmt::format(
        "{} true time lies within the bounds of its clock, at most {} from the corrected one ({}): "
        "guaranteed for {}{}.",
        condition.empty() ? "Every" : condition + "every", FormatDuration(*worst), widest,
        ClockAssumption(s),
        RestOnMinimumDelays(s.bounds_assume) ? "" : ", whatever the network did");
  }
  if (!open.empty()) {
    text += (text.empty() ? "No bound on both sides holds for "
                          : " No such bound on both sides holds for ") +
            open + ".";
  }
  const std::string times = UnboundedTimes(s);
  if (!times.empty()) text += " No such bound holds during " + times + ".";
  if (worst && s.diagnostics.count("clock-epoch-ambiguous") > 0) {
    text += " Excepted are readings about a set-back that can be from either side of it.";
  }
  // Messages tell of differences only.
  if (worst && std::ranges::count(s.steps, s.reference, &Summary::Step::clock) > 0) {
    text += fmt::format(" That {} was set, not all others at once, is assumed.", s.reference);
  }
  return text.empty() ? text : text + "\n";
}

double MedianDrift(std::vector<RateStretch> rates) {
  const auto middle = rates.begin() + static_cast<ptrdiff_t>(rates.size() / 2);
  std::nth_element(rates.begin(), middle, rates.end(),
                   [](const auto& a, const auto& b) { return a.drift_ppm < b.drift_ppm; });
  return middle->drift_ppm;
}

// How fast clocks run whose rates change, since the reference's first event. What matters are the
// stretches furthest from what is usual for the clock.
std::string RateTable(const Summary& s, const TextStyle& style) {
  struct Stretch {
    const Summary::Clock* clock;
    const RateStretch* rate;
    double unusual_ppm;
  };
  std::vector<Stretch> stretches;
  for (const Summary::Clock& clock : s.clocks) {
    if (clock.rates.size() < 2) continue;
    const double usual = MedianDrift(clock.rates);
    for (const RateStretch& rate : clock.rates) {
      stretches.push_back({&clock, &rate, std::abs(rate.drift_ppm - usual)});
    }
  }
  if (stretches.empty()) return "";
  constexpr size_t kMostStretches = 12;
  const std::vector<size_t> shown = ShownRows(
      stretches.size(), kMostStretches, style.detail,
      [&](size_t a, size_t b) { return stretches[a].unusual_ppm > stretches[b].unusual_ppm; });
  Table table({Left("rate of"), "from", "for", "drift"});
  const Summary::Clock* last = nullptr;
  for (const size_t i : shown) {
    const auto& [clock, rate, unusual] = stretches[i];
    table.AddRow({clock == std::exchange(last, clock) ? "" : clock->name,
                  FormatDuration((rate->from - s.extent.first).ns),
                  FormatDuration((rate->to - rate->from).ns), FormatDrift(rate->drift_ppm)});
  }
  return table.ToString(style.columns) + MoreText(stretches.size(), shown.size(), "rate");
}

// Why inversions may be left that are no fault of the corrections.
std::string SuspectSentence(const Summary& s) {
  const size_t count = s.CountSuspects(Summary::Suspect::Why::kContradiction);
  if (count == 0) return "";
  if (count == 1) {
    return "1 message contradicts the others: it is suspected of a wrong match, left out of the "
           "estimation, and counted as it is.\n";
  }
  return fmt::format(
      "{} contradict the others: they are suspected of a wrong match, left out of the estimation, "
      "and counted as they are.\n",
      FormatCount(count, "message"));
}

std::string CycleSentence(const Summary& s) {
  const size_t count = s.CountSuspects(Summary::Suspect::Why::kCycle);
  if (count == 0) return "";
  if (count == 1) {
    return "1 message closes a cycle of messages, which no times satisfy: it is set aside, and "
           "counted as it is.\n";
  }
  return fmt::format(
      "{} close cycles of messages, which no times satisfy: they are set aside, and counted as "
      "they are.\n",
      FormatCount(count, "message"));
}

std::string SymmetryText(const Summary& s) {
  if (s.diagnostics.count("paths-not-symmetric") == 0) return "";
  return "Paths are not symmetric, as --min-delay auto assumes: messages contradict it. What "
         "follows does without it.\n";
}

std::string TruthText(const Summary& s) {
  if (!s.truth) return "";
  return fmt::format(
      "True error over {}: largest {}, root mean square {}; {} outside the reported bounds.\n",
      FormatCount(s.truth->events, "event"), FormatDuration(s.truth->max_error_ns),
      FormatDuration(NearestInteger(s.truth->rms_error_ns)),
      s.truth->outside_bound == 0 ? "none" : FormatCount(s.truth->outside_bound));
}

std::string ComponentText(const Summary& s) {
  if (!HasSeveralReferences(s)) return "";
  std::string text;
  for (const Summary::Clock& clock : s.clocks) {
    if (clock.reference != s.reference && clock.reference == clock.name) {
      text += fmt::format(
          "No message relates {} (and what is relative to it) to {}: their times cannot be "
          "compared.\n",
          clock.name, s.reference);
    }
  }
  return text;
}

bool HadWork(const LogicalProtocol& p) {
  return p.events_moved + p.collectives.violated_before + p.collectives.violated_after +
             p.given_up >
         0;
}

std::string LogicalText(const Summary& s, const TextStyle& style) {
  LogicalProtocol protocol = *s.logical;
  SummaryIntervals intervals = s.intervals.value_or(SummaryIntervals());
  UseTitles(protocol, intervals);
  std::string text =
      "Logical clock, for what the corrections left:\n" + ProtocolText(protocol, style);
  if (s.intervals && style.detail == TextDetail::kAll) text += IntervalText(intervals);
  return text;
}

}  // namespace

std::string VerdictText(const Summary& s) {
  return (s.corrected ? CorrectedInversionSentence(s.messages)
                      : RecordedInversionSentence(s.messages)) +
         SuspectSentence(s) + CycleSentence(s) + StepSentences(s) + SymmetryText(s) +
         BoundSentence(s) + ComponentText(s) + TruthText(s);
}

std::string SummaryToText(const Summary& s, const TextStyle& style) {
  std::string text = VerdictText(s) + "\n" + ClockTable(s, style);
  const std::string rates = RateTable(s, style);
  if (!rates.empty()) text += "\n" + rates;
  if (!s.pairs.empty()) text += "\n" + PairTable(s, style);
  if (!s.broadcasts.empty()) text += "\n" + BroadcastTable(s, style);
  if (s.logical && (style.detail == TextDetail::kAll || HadWork(*s.logical))) {
    text += "\n" + LogicalText(s, style);
  }
  const std::string findings = DiagnosticsText(s.diagnostics);
  if (!findings.empty()) text += "\n" + findings;
  return text + OutputsText(s.outputs);
}

}  // namespace syncline
