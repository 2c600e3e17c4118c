#include "pipeline/page/report_trace.h"

#include <algorithm>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "base/int128.h"
#include "base/parse_number.h"
#include "base/try.h"
#include "trace/event_cursor.h"

namespace syncline {
namespace {

constexpr size_t kParts = 2048;  // of the trace, in which events are counted

class TraceCollector {
 public:
  TraceCollector(const LoadedTraces& loaded, const Solution& solution, const Retiming& retiming,
                 const ReportLimits& limits)
      : loaded_(loaded), solution_(solution), retiming_(retiming), limits_(limits) {
    for (const Process& process : loaded.traces.processes) {
      trace_.processes.push_back({.name = process.name,
                                  .label = process.label,
                                  .clock = static_cast<uint32_t>(process.clock.index())});
    }
    // Below this, a difference to the plain correction is rounding.
    rounding_ns_.resize(trace_.processes.size(), 1);
    for (const LoadedInput& input : loaded.inputs) {
      const int64_t reading_ns = Clock::ReadingNs(input.ticks_per_second);
      for (const ProcessId process : input.processes) {
        rounding_ns_[process.index()] = std::max<int64_t>(1, reading_ns);
      }
      trace_.events_total += input.events;
    }
    trace_.messages_total = loaded.messages.messages() + loaded.likely_messages.messages() +
                            loaded.collective_messages.messages();
  }

  Result<ReportTrace> Run(const std::optional<ReportWindow>& wanted) {
    const bool is_too_large =
        trace_.events_total > limits_.events || trace_.messages_total > limits_.messages;
    auto done = FindExtent();
    if (!done) return tl::unexpected(done.error());
    if (wanted || is_too_large) done = ChooseWindow(wanted);
    if (done) done = KeepEventsWithinLimits();
    if (done) done = KeepMessages();
    if (!done) return tl::unexpected(done.error());
    return std::move(trace_);
  }

 private:
  template <typename Visit>
  Result<void> VisitTimes(const Visit& visit) const {
    for (const LoadedInput& input : loaded_.inputs) {
      SYNCLINE_TRY(ForEachEvent(loaded_, input, EventDetail::kTimes, [&](const TraceEvent& event) {
        visit(EventRef{event.event.process, event.index, event.event.time});
      }));
    }
    return {};
  }

  Result<void> FindExtent() {
    bool any = false;
    return VisitTimes([&](const EventRef& event) {
      const int64_t ns = retiming_(event).ns;
      if (!any || ns < trace_.extent.from_ns) trace_.extent.from_ns = ns;
      if (!any || ns > trace_.extent.to_ns) trace_.extent.to_ns = ns;
      any = true;
      ++trace_.processes[event.process.index()].total;
    });
  }

  int64_t StartOf(size_t part) const {
    const Int128 length = static_cast<Int128>(trace_.extent.to_ns) - trace_.extent.from_ns + 1;
    return static_cast<int64_t>(trace_.extent.from_ns +
                                length * static_cast<int64_t>(part) / int64_t{kParts});
  }
  size_t PartOf(int64_t ns) const {
    const Int128 length = static_cast<Int128>(trace_.extent.to_ns) - trace_.extent.from_ns + 1;
    const Int128 since = static_cast<Int128>(ns) - trace_.extent.from_ns;
    return static_cast<size_t>(since * int64_t{kParts} / length);
  }

  Result<void> ChooseWindow(const std::optional<ReportWindow>& wanted) {
    std::vector<uint64_t> events(kParts);
    for (ReportTrace::Process& process : trace_.processes) process.count.resize(kParts);
    SYNCLINE_TRY(VisitTimes([&](const EventRef& event) {
      const size_t part = PartOf(retiming_(event).ns);
      ++trace_.processes[event.process.index()].count[part];
      ++events[part];
    }));
    trace_.window = wanted ? Shifted(*wanted) : MiddleWithinLimits(events);
    trace_.is_window_chosen = !wanted;
    return {};
  }

  ReportTrace::Window Shifted(const ReportWindow& wanted) const {
    const auto at = [&](int64_t since) {
      const Int128 ns = static_cast<Int128>(trace_.extent.from_ns) + since;
      return static_cast<int64_t>(std::min<Int128>(ns, trace_.extent.to_ns));
    };
    return {at(wanted.from_ns), at(wanted.to_ns)};
  }

  // As many parts around the middle as hold no more events than allowed; at least one.
  ReportTrace::Window MiddleWithinLimits(const std::vector<uint64_t>& events) const {
    // Messages are taken to be spread like events.
    const double share =
        std::min(1.0, static_cast<double>(limits_.messages) /
                          std::max<double>(1, static_cast<double>(trace_.messages_total)));
    const auto most =
        static_cast<uint64_t>(std::min(static_cast<double>(limits_.events),
                                       0.9 * share * static_cast<double>(trace_.events_total)));
    size_t first = kParts / 2;
    size_t last = first;  // one after
    uint64_t sum = 0;
    while (first > 0 || last < kParts) {
      const bool takes_first =
          last == kParts || (first > 0 && kParts / 2 - first < last - kParts / 2);
      const uint64_t more = takes_first ? events[first - 1] : events[last];
      if (sum > 0 && sum + more > most) break;
      sum += more;
      takes_first ? --first : ++last;
    }
    return {StartOf(first), StartOf(last) - 1};
  }

  bool IsShown(int64_t ns) const {
    return !trace_.window || (ns >= trace_.window->from_ns && ns <= trace_.window->to_ns);
  }

  // A window that the program has chosen is halved until its events are few enough.
  Result<void> KeepEventsWithinLimits() {
    while (true) {
      SYNCLINE_ASSIGN(auto kept, KeepEvents());
      if (kept <= limits_.events) break;
      if (!trace_.is_window_chosen) {
        return Fail(ErrorCode::kUsage,
                    fmt::format("--report-window holds {} events; a report takes {}", kept,
                                limits_.events));
      }
      trace_.window->to_ns -= (trace_.window->to_ns - trace_.window->from_ns) / 2 + 1;
    }
    for (ReportTrace::Process& process : trace_.processes) SortEvents(process);
    return {};
  }

  // How many events there are to show; beyond the limit they are only counted.
  Result<uint64_t> KeepEvents() {
    uint64_t kept = 0;
    for (ReportTrace::Process& process : trace_.processes) process.events.clear();
    for (const LoadedInput& input : loaded_.inputs) {
      SYNCLINE_TRY(ForEachEvent(loaded_, input, EventDetail::kNames, [&](const TraceEvent& named) {
        const int64_t corrected =
            retiming_({named.event.process, named.index, named.event.time}).ns;
        if (IsShown(corrected) && ++kept <= limits_.events) KeepEvent(named, corrected);
      }));
    }
    return kept;
  }

  void KeepEvent(const TraceEvent& named, int64_t corrected) {
    const LocalTime local = named.event.time;
    const size_t process = named.event.process.index();
    const size_t clock = trace_.processes[process].clock;
    const uint32_t epoch = loaded_.epochs.EpochOf(named.event.process, named.index);
    const int64_t plain = CorrectionOf(solution_.group.clocks[clock], epoch)(local).ns;
    const int64_t advance = (GlobalTime{corrected} - GlobalTime{plain}).ns;
    trace_.processes[process].events.push_back(
        {.recorded_ns = loaded_.traces.clocks[clock].NominalNs(local),
         .corrected_ns = corrected,
         .advance_ns = advance > rounding_ns_[process] ? advance : 0,
         .index = named.index,
         .name = NumberOf(named.name),
         .kind = named.event.kind});
  }

  void SortEvents(ReportTrace::Process& process) {
    std::ranges::stable_sort(process.events, {}, &ReportTrace::Event::corrected_ns);
    auto& places = places_.emplace_back();
    for (uint32_t i = 0; i < process.events.size(); ++i) {
      places.emplace_back(process.events[i].index, i);
    }
    std::ranges::sort(places);
  }

  uint32_t NumberOf(std::string_view name) {
    if (name.empty()) return 0;
    const auto [place, is_new] =
        numbers_.try_emplace(std::string(name), static_cast<uint32_t>(trace_.names.size()));
    if (is_new) trace_.names.emplace_back(name);
    return place->second;
  }

  // Where the event stands among those kept; UINT32_MAX: nowhere.
  uint32_t PlaceOf(const EventRef& event) const {
    const auto& places = places_[event.process.index()];
    const auto at = std::ranges::lower_bound(places, std::pair(event.index, uint32_t{0}));
    return at == places.end() || at->first != event.index ? UINT32_MAX : at->second;
  }

  Result<void> KeepMessages() {
    for (const MessageStore* store :
         {&loaded_.messages, &loaded_.likely_messages, &loaded_.collective_messages}) {
      const bool is_of_collective = store == &loaded_.collective_messages;
      SYNCLINE_TRY(
          store->ForEach([&](const Message& message) { KeepMessage(message, is_of_collective); }));
      // A likely message that did not hold was none.
      if (store == &loaded_.likely_messages) continue;
      for (const Message& message : store->set_aside()) KeepMessage(message, is_of_collective);
    }
    const auto sent = [&](const ReportTrace::Message& message) {
      return trace_.processes[message.from].events[message.send].corrected_ns;
    };
    std::ranges::stable_sort(trace_.messages,
                             [&](const auto& a, const auto& b) { return sent(a) < sent(b); });
    return {};
  }

  void KeepMessage(const Message& message, bool is_of_collective) {
    const uint32_t send = PlaceOf(message.send);
    const uint32_t receive = PlaceOf(message.receive);
    if (send == UINT32_MAX || receive == UINT32_MAX || trace_.messages.size() >= limits_.messages) {
      ++trace_.messages_left_out;
      return;
    }
    const auto from = static_cast<uint32_t>(message.send.process.index());
    const auto to = static_cast<uint32_t>(message.receive.process.index());
    trace_.messages.push_back({from, to, send, receive, is_of_collective});
    Mark(trace_.processes[from].events[send],
         is_of_collective ? EventKind::kCollectiveBegin : EventKind::kSend);
    Mark(trace_.processes[to].events[receive],
         is_of_collective ? EventKind::kCollectiveEnd : EventKind::kReceive);
  }

  // What the reader did not tell, messages do.
  static void Mark(ReportTrace::Event& event, EventKind kind) {
    if (event.kind == EventKind::kMark) event.kind = kind;
  }

  const LoadedTraces& loaded_;
  const Solution& solution_;
  const Retiming& retiming_;
  ReportLimits limits_;
  ReportTrace trace_;
  std::vector<int64_t> rounding_ns_;                                // by process
  std::vector<std::vector<std::pair<uint64_t, uint32_t>>> places_;  // by process: index, place
  absl::flat_hash_map<std::string, uint32_t> numbers_;              // of names
};

}  // namespace

Result<std::optional<ReportWindow>> ParseReportWindow(const std::string& text) {
  if (text.empty()) return std::optional<ReportWindow>();
  const size_t dots = text.find("..");
  const auto seconds = [](const std::string& part) {
    const auto value = ParseNumber<double>(part);
    const bool is_usable = value && *value >= 0 && *value <= 9e9;
    return is_usable ? std::optional(static_cast<int64_t>(*value * 1e9)) : std::nullopt;
  };
  const auto from = dots == std::string::npos ? std::nullopt : seconds(text.substr(0, dots));
  const auto to = dots == std::string::npos ? std::nullopt : seconds(text.substr(dots + 2));
  if (!from || !to || *from >= *to) {
    return Fail(ErrorCode::kUsage,
                fmt::format("--report-window takes FROM..TO in seconds since the "
                            "first event, like 1.5..2; this is {}",
                            text));
  }
  return std::optional(ReportWindow{*from, *to});
}

Result<ReportTrace> MakeReportTrace(const LoadedTraces& loaded, const Solution& solution,
                                    const Retiming& retiming,
                                    const std::optional<ReportWindow>& window,
                                    const ReportLimits& limits) {
  SYNCLINE_ASSIGN(auto trace, TraceCollector(loaded, solution, retiming, limits).Run(window));
  AddReportCurves(loaded, solution, trace);
  AddReportBroadcasts(loaded, solution, trace);
  return trace;
}

}  // namespace syncline
