// Reads files of spans, OpenTelemetry's and Jaeger's, and relates their spans.
//
// A clock for each machine, told by the attributes of resources; a process for each lane
// (span_lanes.h) of a service's instance in a file. A clock is taken to be read as coarsely as the
// coarsest service on it does (coarse_times.h). Counted: what span_matcher.h says, and
// "machine-unknown" (warning), "hosts-of-one-name", "clock-by-missing", "spans-incomplete",
// "spans-without-id", "coarser-times" (info), "spans-end-before-start", "spans-side-by-side"
// (warning). Memory: 200 bytes per span while loading, then that of kept_spans.h. Tested by:
// load_spans_test.cc.
#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/stopwatch.h"
#include "base/try.h"
#include "base/unique_name.h"
#include "match/span_matcher.h"
#include "read/spans/span_reader.h"
#include "trace/coarse_times.h"
#include "trace/formats.h"
#include "trace/kept_cursor.h"
#include "trace/kept_spans.h"
#include "trace/set_backs.h"
#include "trace/span_lanes.h"
#include "trace/span_machines.h"

namespace syncline {
namespace {

constexpr uint64_t kMostTimes = INT32_MAX;  // of a file and spans of all

// A span while all are read; its places are known only in the end.
struct StoredSpan {
  SpanToMatch match;
  uint32_t unit = 0;
  uint32_t name = 0;
  uint32_t first_time = 0;  // the number of its first time in the file
};

// An end of a span, while its place is not known: 2 · span, and 1 more for its end.
using SpanEnd = uint32_t;

// Keeps messages between ends, which stand in the places of events.
class EndMessages : public MessageSink {
 public:
  using Ends = std::pair<SpanEnd, SpanEnd>;
  void OnMessage(const Message& m) override {
    found_.emplace_back(static_cast<SpanEnd>(m.send.index), static_cast<SpanEnd>(m.receive.index));
  }
  void OnBroadcast(const Broadcast& /*broadcast*/) override {}
  std::span<const Ends> found() const { return found_; }

 private:
  std::vector<Ends> found_;
};

struct StoredMoment {
  uint32_t span = 0;
  uint32_t name = 0;
  uint32_t in_file = 0;
  LocalTime time;
};

// An instance of a service in one file.
struct ServiceUnit {
  LoadedInput* input = nullptr;
  KeptSpans* kept = nullptr;
  ClockId clock;
  std::string service;
  std::string instance;
  std::vector<uint32_t> spans;
  std::vector<StoredMoment> moments;
};

class SpanLoader {
 public:
  explicit SpanLoader(const LoadRequest& request)
      : request_(request),
        loaded_(request.loaded),
        progress_(request.progress),
        machines_(request.loaded, request.asked.clock_by) {}

  Result<void> Run(std::span<LoadedInput* const> inputs) {
    progress_.Begin("reading spans", BytesOf(inputs));
    Stopwatch watch;
    for (LoadedInput* input : inputs) SYNCLINE_TRY(Read(*input));
    SYNCLINE_TRY(machines_.CheckClockBy());
    for (ServiceUnit& unit : units_) {
      Sort(unit);
      int64_t& reading_ns = loaded_.traces.clocks[unit.clock.index()].reading_ns;
      reading_ns = std::max(reading_ns, ReadingNsOf(unit));
    }
    loaded_.read_s += watch.Restart();
    Match();
    for (ServiceUnit& unit : units_) MakeLanes(unit);
    HandOn(certain_, request_.messages);
    HandOn(implied_, request_.implied_messages);
    HandOn(likely_, loaded_.likely_messages);
    loaded_.match_s += watch.Restart();
    return {};
  }

 private:
  int64_t ReadingNsOf(const ServiceUnit& unit) {
    std::array<std::vector<LocalTime>, 3> times;  // of starts, ends and moments
    for (const uint32_t number : unit.spans) {
      const SpanToMatch& match = spans_[number].match;
      if (match.has_start) times[0].push_back(match.start.time);
      if (match.has_end) times[1].push_back(match.end.time);
    }
    for (const StoredMoment& moment : unit.moments) times[2].push_back(moment.time);
    // Of Jaeger the end is the sum of two numbers that were cut off.
    const int64_t form_ns = 2 * Clock::ReadingNs(unit.input->ticks_per_second);
    int64_t reading_ns = 0;
    constexpr std::array<std::string_view, 3> kKinds = {"starts", "ends", "events"};
    for (size_t kind = 0; kind < times.size(); ++kind) {
      std::ranges::sort(times[kind]);
      CoarseTimes coarse;
      for (const LocalTime time : times[kind]) coarse.Add(time.ticks);
      const int64_t of_kind_ns = coarse.ReadingNs(form_ns);
      reading_ns = std::max(reading_ns, of_kind_ns);
      if (of_kind_ns == form_ns) continue;
      loaded_.CountCoarseTimes(
          coarse, of_kind_ns - form_ns,
          fmt::format("{} of {} in {}", kKinds[kind], unit.service, unit.input->input.path));
    }
    return reading_ns;
  }

  Result<void> Read(LoadedInput& input) {
    SYNCLINE_ASSIGN(SpanReader reader, SpanReader::Open(input.input.path, request_.asked.clock_by));
    auto kept = std::make_shared<KeptSpans>();
    kept->form = reader.form();
    kept->names = {""};
    input.ticks_per_second = 1'000'000'000 / reader.tick_ns();
    name_numbers_ = {{"", 0}};
    const size_t first_clock = loaded_.traces.clocks.size();
    const size_t first_span = spans_.size();
    const size_t first_unit = units_.size();
    uint64_t reported = 0;
    for (const SpanPiece* piece; (piece = reader.Next()) != nullptr && !piece->is_rest;) {
      SYNCLINE_TRY(progress_.CheckGoesOn());
      SYNCLINE_TRY(Take(*piece, input, *kept));
      progress_.Advance(reader.bytes_read() - std::exchange(reported, reader.bytes_read()));
    }
    if (reader.error()) return tl::unexpected(*reader.error());
    // It has its spans in any order.
    const std::vector<ClockId> sorted = machines_.SortFrom(first_clock);
    for (size_t i = first_span; i < spans_.size(); ++i) {
      spans_[i].match.clock = sorted[spans_[i].match.clock.index()];
    }
    const auto units = std::span(units_).subspan(first_unit);
    for (ServiceUnit& unit : units) unit.clock = sorted[unit.clock.index()];
    std::ranges::stable_sort(units, {}, [](const ServiceUnit& unit) {
      return std::tie(unit.clock, unit.service, unit.instance);
    });
    loaded_.diagnostics.Merge(reader.diagnostics());
    if (kept->times == 0) {
      loaded_.diagnostics.Count("no-events", Severity::kWarning, 1, input.input.path);
    }
    input.kept = std::move(kept);
    return {};
  }

  Result<void> Take(const SpanPiece& piece, LoadedInput& input, KeptSpans& kept) {
    std::vector<std::optional<uint32_t>> units(piece.resources.size());
    for (const Span& span : piece.spans) {
      std::optional<uint32_t>& unit = units[span.resource];
      if (!unit) {
        SYNCLINE_ASSIGN(unit, UnitOf(piece.resources[span.resource], input, kept));
      }
      const uint64_t most = spans_.size() + kept.times + span.moments.size() + 2;
      if (most > kMostTimes) {
        return Fail(ErrorCode::kUnsupported, "there are more than 2147483647 spans and times",
                    input.input.path);
      }
      StoredSpan& stored = spans_.emplace_back();
      stored.unit = *unit;
      stored.name = NumberOf(span.name, kept);
      stored.first_time = static_cast<uint32_t>(kept.times);
      SpanToMatch& match = stored.match;
      match.key = span.key;
      match.parent = span.parent;
      match.clock = units_[*unit].clock;
      match.kind = span.kind;
      match.is_error = span.is_error;
      match.is_rpc = span.is_rpc;
      match.is_grpc = span.is_grpc;
      match.is_reception = span.is_reception;
      match.http_status = static_cast<int16_t>(std::clamp<int64_t>(span.http_status, 0, 1000));
      match.grpc_status = static_cast<int8_t>(std::clamp<int64_t>(span.grpc_status, -1, 100));
      for (const SpanKey& link : span.links) links_.push_back({spans_.size() - 1, link});
      TakeTimes(span, stored, kept);
      units_[*unit].spans.push_back(static_cast<uint32_t>(spans_.size() - 1));
      if (!span.key.IsValid()) {
        loaded_.diagnostics.Count("spans-without-id", Severity::kInfo, 1, input.input.path);
      }
    }
    return {};
  }

  void TakeTimes(const Span& span, StoredSpan& stored, KeptSpans& kept) {
    SpanToMatch& match = stored.match;
    ServiceUnit& unit = units_[stored.unit];
    if (span.start.IsThere()) {
      match.has_start = true;
      match.start = {{}, 2 * (spans_.size() - 1), {span.start.ns}};
      ++kept.times;
    }
    if (span.end.IsThere()) {
      match.has_end = true;
      match.end = {{}, 2 * (spans_.size() - 1) + 1, {span.end.ns}};
      ++kept.times;
    }
    for (const SpanMoment& moment : span.moments) {
      if (!moment.time.IsThere()) continue;
      unit.moments.push_back({static_cast<uint32_t>(spans_.size() - 1),
                              NumberOf(moment.name, kept),
                              static_cast<uint32_t>(kept.times++),
                              {moment.time.ns}});
    }
  }

  Result<uint32_t> UnitOf(const SpanResource& resource, LoadedInput& input, KeptSpans& kept) {
    SYNCLINE_ASSIGN(const ClockId clock, machines_.ClockOf(resource, input));
    const auto& attributes = resource.attributes;
    const std::string& service = attributes[SpanResource::kService];
    const auto [at, is_new] =
        unit_numbers_.try_emplace({&input, clock, service, attributes[SpanResource::kInstance]},
                                  static_cast<uint32_t>(units_.size()));
    if (is_new) {
      units_.push_back({.input = &input,
                        .kept = &kept,
                        .clock = clock,
                        .service = service,
                        .instance = attributes[SpanResource::kInstance]});
      machines_.NoteClockBy(resource, input);
    }
    return at->second;
  }

  uint32_t NumberOf(const std::string& name, KeptSpans& kept) {
    const auto [at, is_new] =
        name_numbers_.try_emplace(name, static_cast<uint32_t>(kept.names.size()));
    if (is_new) kept.names.push_back(name);
    return at->second;
  }

  // By what they say: files and requests have them in any order.
  void Sort(ServiceUnit& unit) const {
    const auto content_of = [&](uint32_t number) {
      const SpanToMatch& m = spans_[number].match;
      return std::tuple(m.has_start, m.start.time, m.has_end, m.end.time, m.key.trace_high,
                        m.key.trace_low, m.key.span, m.parent.span, m.kind,
                        std::string_view(unit.kept->names[spans_[number].name]));
    };
    std::ranges::stable_sort(unit.spans, {}, content_of);
  }

  void MakeLanes(ServiceUnit& unit) {
    absl::flat_hash_map<uint32_t, uint32_t> place;  // in the unit, of a span
    absl::flat_hash_map<SpanKey, size_t> by_key;    // the same
    for (uint32_t i = 0; i < unit.spans.size(); ++i) {
      const SpanKey& key = spans_[unit.spans[i]].match.key;
      place.emplace(unit.spans[i], i);
      if (key.IsValid()) by_key.try_emplace(key, i);
    }
    std::vector<SpanOfLane> spans;
    for (size_t i = 0; i < unit.spans.size(); ++i) {
      const SpanToMatch& match = spans_[unit.spans[i]].match;
      SpanOfLane& span = spans.emplace_back();
      if (match.has_start) span.start = match.start.time;
      if (match.has_end) span.end = match.end.time;
      const auto parent = match.parent.IsValid() ? by_key.find(match.parent) : by_key.end();
      if (parent != by_key.end() && parent->second != i) span.parent = parent->second;
    }
    const auto place_of = [&](const StoredMoment& moment) { return place.at(moment.span); };
    std::ranges::stable_sort(unit.moments, {}, place_of);
    std::vector<SpanMark> moments;
    for (size_t i = 0; i < unit.moments.size(); ++i) {
      moments.push_back(
          {place_of(unit.moments[i]), static_cast<uint32_t>(i) + 2, unit.moments[i].time});
    }
    const SpanLanes made =
        PutIntoLanes(spans, moments, loaded_.traces.clocks[unit.clock.index()].reading_ns);
    const auto count = [&](std::string_view name, Severity severity, uint64_t number) {
      loaded_.diagnostics.Count(name, severity, number, unit.input->input.path);
    };
    count("spans-end-before-start", Severity::kWarning, made.backward);
    count("spans-incomplete", Severity::kInfo, made.incomplete);
    count("spans-side-by-side", Severity::kInfo, made.crowded);
    std::string base = loaded_.traces.clocks[unit.clock.index()].name;
    if (!unit.service.empty()) base += "/" + unit.service;
    const std::string name = UniqueName(base, process_names_);
    for (size_t lane = 0; lane < made.lanes.size(); ++lane) {
      const std::string number = lane == 0 ? "" : fmt::format("#{}", lane + 1);
      AddLane(unit, made.lanes[lane], name + number,
              unit.service.empty() ? "" : unit.service + number);
    }
    unit.moments = {};
  }

  void AddLane(ServiceUnit& unit, const std::vector<LaneEvent>& events, const std::string& name,
               const std::string& label) {
    LoadedInput& input = *unit.input;
    const ProcessId process = loaded_.AddProcess({name, label, unit.clock});
    input.processes.push_back(process);
    input.first_event.push_back(0);
    process_names_.insert(name);
    std::vector<KeptSpanEvent>& lane = unit.kept->lanes.emplace_back();
    SetBackFinder set_backs(SetBackRuleOf(loaded_.traces.clocks[unit.clock.index()]));
    const auto put = [&](const KeptSpanEvent& event) {
      lane.push_back(event);
      set_backs.Add(event.time);
      loaded_.spans[unit.clock.index()].Include(event.time);
      return EventRef{process, lane.size() - 1, event.time};
    };
    for (const LaneEvent& event : events) {
      const uint32_t number = unit.spans[event.span];
      StoredSpan& stored = spans_[number];
      SpanToMatch& match = stored.match;
      KeptSpanEvent kept{event.time, stored.first_time, stored.name, event.kind};
      if (event.part > 1) {
        const StoredMoment& moment = unit.moments[event.part - 2];
        put({event.time, moment.in_file, moment.name});
        continue;
      }
      const bool is_end = event.part == 1;
      if (is_end && match.has_start) ++kept.in_file;
      const bool is_region = event.kind != EventKind::kMark;
      kept.is_of_call = is_region && match.kind == SpanKind::kClient;
      // What is sent or received within a region is an event of its own.
      const bool has_message = is_region && is_shown_[2 * number + event.part];
      const KeptSpanEvent message{event.time, kept.in_file};
      if (is_end) {
        if (has_message) match.end = put(message);
        const EventRef place = put(kept);
        if (!has_message) match.end = place;
      } else {
        match.start = put(kept);
        if (has_message) match.start = put(message);
      }
    }
    input.events += lane.size();
    loaded_.SetSeen(process, set_backs.Finish());
  }

  void Match() {
    std::vector<SpanToMatch> spans;
    spans.reserve(spans_.size());
    for (const StoredSpan& stored : spans_) spans.push_back(stored.match);
    const SpanMatchCounts counts =
        MatchSpans(spans, links_, {certain_, implied_, likely_}, loaded_.diagnostics);
    loaded_.unmatched_sends += counts.unmatched_sends;
    loaded_.unmatched_receives += counts.unmatched_receives;
    is_shown_.resize(2 * spans_.size());
    for (const EndMessages* messages : {&certain_, &implied_, &likely_}) {
      for (const auto& [send, receive] : messages->found()) {
        is_shown_[send] = is_shown_[receive] = true;
      }
    }
  }

  // In order of receipt, as other formats have them: exporters write spans in any order.
  void HandOn(const EndMessages& messages, MessageSink& sink) const {
    const auto place = [&](SpanEnd end) {
      const SpanToMatch& span = spans_[end / 2].match;
      return end % 2 == 0 ? span.start : span.end;
    };
    std::vector<EndMessages::Ends> found(messages.found().begin(), messages.found().end());
    std::ranges::stable_sort(found, {}, [&](const EndMessages::Ends& ends) {
      return std::pair(place(ends.second).time, place(ends.first).time);
    });
    for (const auto& [send, receive] : found) sink.OnMessage({place(send), place(receive)});
  }

  const LoadRequest& request_;
  LoadedTraces& loaded_;
  Progress& progress_;
  SpanMachines machines_;
  std::vector<StoredSpan> spans_;
  std::vector<SpanLink> links_;
  std::vector<ServiceUnit> units_;
  EndMessages certain_, implied_, likely_;
  std::vector<bool> is_shown_;  // by end: of a message of any kind
  std::map<std::tuple<LoadedInput*, ClockId, std::string, std::string>, uint32_t> unit_numbers_;
  absl::flat_hash_map<std::string, uint32_t> name_numbers_;  // of the input that is read
  std::set<std::string> process_names_;
};

// Of what was kept of one lane.
class LaneCursor : public EventCursor {
 public:
  LaneCursor(const LoadedInput& input, size_t number)
      : EventCursor({input.processes[number]}),
        kept_(SpansOf(input)),
        lane_(kept_.lanes[number]),
        number_(static_cast<uint32_t>(number)) {}

  const TraceEvent* Next() override {
    if (index_ == lane_.size()) return nullptr;
    const KeptSpanEvent& event = lane_[index_];
    next_ = {.event = {.time = event.time, .process = processes()[0], .kind = event.kind},
             .index = index_++,
             .number = number_,
             .name = kept_.names[event.name]};
    return &next_;
  }

  Result<std::vector<LocalTime>> TakeTimes() override {
    std::vector<LocalTime> times;
    times.reserve(lane_.size());
    for (const KeptSpanEvent& event : lane_) times.push_back(event.time);
    index_ = lane_.size();
    return times;
  }

 private:
  const KeptSpans& kept_;
  const std::vector<KeptSpanEvent>& lane_;
  uint32_t number_;
  uint64_t index_ = 0;
  TraceEvent next_;
};

}  // namespace

const TraceFormat kSpanFormat{
    .format = Format::kSpans,
    .name = "spans",
    .recognises = LooksLikeSpans,
    .in_program_order = true,
    .keeps_times = true,
    .has_own_resolution = true,
    .load = [](auto inputs, const LoadRequest& request) { return SpanLoader(request).Run(inputs); },
    .open = [](const LoadedTraces& /*loaded*/, const LoadedInput& input, EventDetail /*detail*/)
        -> Result<EventCursors> { return CursorsOf<LaneCursor>(input, input); }};

}  // namespace syncline
