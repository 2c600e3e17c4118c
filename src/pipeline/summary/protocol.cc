#include "pipeline/summary/protocol.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/int128.h"
#include "report/text_parts.h"

namespace syncline {
namespace {

constexpr int64_t FourFifths(int64_t ns) { return ns / 5 * 4 + ns % 5 * 4 / 5; }

class ProtocolMaker {
 public:
  ProtocolMaker(const LogicalReport& report, const LogicalFigures& figures, const TraceSet& traces)
      : report_(report), figures_(figures), traces_(traces) {}

  LogicalProtocol Run(const LogicalOptions& options) {
    AddProcesses();
    AddDirections();
    AddRoundTrips();
    AddDifference();
    if (options.clock == LogicalClockKind::kControlled) AddController(options);
    p_.clock = options.clock == LogicalClockKind::kControlled ? "controlled" : "simple";
    AddAmortization();
    const CollectiveFigures& c = figures_.collectives();
    p_.collectives = {c.ends, c.violated_before, c.violated_after};
    p_.given_up = report_.given_up;
    p_.late_partners = report_.late_partners;
    p_.broken = report_.broken;
    p_.peak_buffered_events = report_.peak_buffered;
    if (options.max_wait_ns >= 0) {
      p_.online = {report_.added_delay.MedianAtMost(), report_.added_delay.largest_ns};
    }
    return std::move(p_);
  }

 private:
  const std::string& NameOf(ProcessId process) const {
    return traces_.processes[process.index()].name;
  }
  const std::string& NameOf(ClockId clock) const { return traces_.clocks[clock.index()].name; }

  void AddProcesses() {
    for (size_t i = 0; i < report_.processes.size(); ++i) {
      const ProcessReport& r = report_.processes[i];
      p_.events += r.events;
      p_.events_moved += r.moved;
      p_.processes.push_back({traces_.processes[i].name, r.events, r.moved, r.last_advance_ns,
                              r.largest_advance_ns, r.least_interval_ns,
                              traces_.processes[i].label});
    }
  }

  void AddDirections() {
    for (const auto& [direction, before] : figures_.before().directions()) {
      const auto& [from, to] = direction;
      p_.directions.push_back({NameOf(from), NameOf(to), before.delays.count(), FiguresOf(before),
                               FiguresOf(figures_.after().direction(from, to))});
    }
  }

  void AddRoundTrips() {
    const auto trips = figures_.FindHalfRoundTrips();
    if (!trips) return;
    p_.half_round_trips = {trips->pairs, trips->min_ns, trips->mean_ns, trips->max_ns};
    if (trips->min_ns > 0) p_.advised_min_delay_ns = FourFifths(trips->min_ns);
  }

  void AddDifference() {
    p_.largest_difference_ns = report_.largest_jump_ns;
    p_.start_difference_ns = report_.start_difference_ns;
    if (!report_.exceeded) return;
    p_.exceeded_at = {NameOf(report_.exceeded->process), report_.exceeded->tag};
    p_.advised_difference_ns = report_.largest_jump_ns;
  }

  void AddController(const LogicalOptions& options) {
    const GammaReport& gamma = report_.gamma;
    p_.controller = options.controller == ControllerKind::kRevised ? "revised" : "original";
    for (size_t i = 0; i < p_.controller_events.size(); ++i) {
      p_.controller_events[i] = gamma.events[i];
    }
    p_.smallest_gamma = gamma.smallest;
    if (gamma.smallest_at) {
      p_.smallest_gamma_at = {NameOf(ProcessId(gamma.smallest_at->process)),
                              gamma.smallest_at->event};
    }
  }

  void AddAmortization() {
    p_.jumps = report_.jumps;
    p_.jumps_amortized = report_.jumps_amortized;
    p_.largest_slope = report_.largest_slope;
    if (report_.largest_slope_tag) {
      p_.largest_slope_at = {NameOf(report_.largest_slope_process), *report_.largest_slope_tag};
    }
  }

  const LogicalReport& report_;
  const LogicalFigures& figures_;
  const TraceSet& traces_;
  LogicalProtocol p_;
};

template <typename Part, typename Bin, typename ToPart>
TimeSeries<Part> SeriesOf(const TimeBins<Bin>& bins, ToPart to_part) {
  TimeSeries<Part> series{bins.start_ns(), static_cast<double>(bins.width_ns()), {}};
  for (const Bin& bin : bins.bins()) series.parts.push_back(to_part(bin));
  return series;
}

int64_t Opposite(Int128 ns) { return Saturate(-ns); }

template <typename Part>
void Mirror(TimeSeries<Part>& series) {
  const auto width = static_cast<Int128>(series.width_ns);
  series.start_ns = Opposite(series.start_ns + width * static_cast<int64_t>(series.parts.size()));
  std::ranges::reverse(series.parts);
}

}  // namespace

void CountCycles(const LogicalReport::Cycles& cycles, const TraceSet& traces,
                 Diagnostics& diagnostics) {
  if (!cycles.first) return;
  const auto name = [&](ProcessId process) { return traces.processes[process.index()].name; };
  const LogicalReport::SetAside& first = *cycles.first;
  diagnostics.Count("cycle-messages", Severity::kWarning, cycles.messages + cycles.ends,
                    DelayText(first.send_tag, name(first.sender), first.receive_tag,
                              name(first.receiver), first.delay_ns));
}

DelayFigures FiguresOf(const DirectionQuality& quality) {
  return {quality.inverted, quality.too_fast, quality.delays.smallest(),
          quality.delays.Quantile(0.5), quality.delays.standard_deviation()};
}

SummaryMessages MessagesOf(const MessageQuality& before, const MessageQuality& after,
                           uint64_t unmatched_sends, uint64_t unmatched_receives) {
  return {.total = before.messages(),
          .unmatched_sends = unmatched_sends,
          .unmatched_receives = unmatched_receives,
          .inverted_before = before.inverted(),
          .inverted_after = after.inverted(),
          .too_fast_before = before.too_fast(),
          .too_fast_after = after.too_fast()};
}

LogicalProtocol MakeProtocol(const LogicalOptions& options, const LogicalReport& report,
                             const LogicalFigures& figures, const TraceSet& traces) {
  return ProtocolMaker(report, figures, traces).Run(options);
}

LogicalTimeline MakeTimeline(const GammaReport& gamma, const ChangeOverTime& changes,
                             const TraceSet& traces) {
  LogicalTimeline timeline;
  timeline.first_ns = changes.first_ns().value_or(0);
  timeline.last_ns = changes.last_ns().value_or(0);
  timeline.gamma = SeriesOf<LogicalTimeline::Gamma>(gamma.over_time, [](const GammaBin& bin) {
    return LogicalTimeline::Gamma{bin.events, bin.smallest};
  });
  timeline.changes = SeriesOf<LogicalTimeline::Changes>(changes.bins(), [&](const ChangeBin& bin) {
    LogicalTimeline::Changes part{
        bin.intervals, bin.changed, bin.largest_advance_ns, bin.largest_change, {}};
    if (bin.where) {
      part.where = {traces.processes[bin.where->process.index()].name, bin.where->index,
                    bin.where->original.ns, bin.where->corrected.ns};
    }
    return part;
  });
  return timeline;
}

LogicalTimeline Mirrored(LogicalTimeline timeline) {
  timeline.first_ns = Opposite(std::exchange(timeline.last_ns, Opposite(timeline.first_ns)));
  Mirror(timeline.gamma);
  Mirror(timeline.changes);
  return timeline;
}

SummaryIntervals SummarizeIntervals(const IntervalChange& change, const TraceSet& traces) {
  const auto class_of = [](const IntervalClass& c) {
    return SummaryIntervals::Class{c.count, c.mean(), c.max};
  };
  SummaryIntervals intervals{.unchanged = change.unchanged(),
                             .up_to_a_thousandth = class_of(change.up_to_a_thousandth()),
                             .above = class_of(change.above()),
                             .mean_change = change.mean(),
                             .max_change = change.max()};
  if (const auto& largest = change.largest()) {
    intervals.largest = {traces.processes[largest->process.index()].name, largest->index,
                         largest->original.ns, largest->corrected.ns};
  }
  return intervals;
}

}  // namespace syncline
