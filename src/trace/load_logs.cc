// Reads logs and matches their records by rules.
//
// A clock for each host that lines name, else for each file; a process for each host in a file,
// whose events are the moments of its records. A send that may have been stamped late (`late <=`)
// has an event of its own, as early as it may have been, which does not count: at a tick of the
// stamps, so that whatever of its clock may have come after it has no earlier reading. To know
// ticks before, files are read twice where a rule says `late`; their first lines, where sources
// tell how long things took. Errors: those of the reader; kUsage where clocks of different files
// would have one name; where messages are needed, kUsage where no rule is given, and kNoCorrection,
// with the reason, where logs are all there is and make no message. Memory: kept_logs.h, and 40
// bytes of each event that a rule names. Tested by: logs_command_test.cc.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "base/int128.h"
#include "base/stopwatch.h"
#include "base/try.h"
#include "base/unique_name.h"
#include "base/utf8.h"
#include "match/rules/rule_matcher.h"
#include "trace/formats.h"
#include "trace/kept_cursor.h"
#include "trace/kept_logs.h"

namespace syncline {
namespace {

constexpr std::string_view kHostField = "@host";

// What records of one kind have to do with rules.
struct BoundKind {
  static constexpr size_t kHost = SIZE_MAX;
  RuleBinding binding;
  std::vector<size_t> places;  // of the binding's fields among those that were read
};

// A computed receive while it is not known how coarse stamps are.
struct Computed {
  ProcessId process;
  size_t number = 0;  // among those of the process
  uint32_t source = 0;
  LocalTime time;
  int64_t took_tick_ns = 0;
  LocalTime own_end;
};
constexpr LocalTime kNoEnd{INT64_MAX};

// A host in the file that is being read.
struct HostInFile {
  ProcessId process;
  ClockId clock;
};

class LogLoader {
 public:
  explicit LogLoader(const LoadRequest& request)
      : request_(request),
        loaded_(request.loaded),
        progress_(request.progress),
        rules_(request.asked.rules),
        matcher_(rules_),
        sources_(std::make_shared<const std::vector<LogSource>>(request.asked.sources)) {
    for (std::string& field : FieldsOfRules(rules_)) {
      if (field != kHostField) fields_.push_back(std::move(field));
    }
  }

  Result<void> Run(std::span<LoadedInput* const> inputs) {
    progress_.Begin("reading logs", BytesOf(inputs));
    Stopwatch watch;
    for (LoadedInput* input : inputs) SYNCLINE_TRY(Read(*input));
    loaded_.read_s += watch.Restart();
    SYNCLINE_TRY(Match());
    loaded_.match_s += watch.Restart();
    return {};
  }

 private:
  static constexpr uint64_t kLinesBetweenReports = 8192;

  Result<void> Read(LoadedInput& input) {
    auto kept = std::make_shared<KeptLog>();
    kept->sources = sources_;
    kept->reading = {.fields = fields_, .is_of_one_host = input.input.is_named};
    hosts_.clear();
    stamps_.assign(sources_->size(), {});
    SYNCLINE_TRY(FindTicks(input, kept->reading));
    SYNCLINE_ASSIGN(auto reader, LogReader::Open(input.input.path, *sources_, kept->reading));
    uint64_t reported = 0;
    while (const LogLine* line = reader.Next()) {
      if (line->is_record) {
        if (line->host == hosts_.size()) {
          SYNCLINE_TRY(AddHost(reader.hosts()[line->host], input, *kept));
        }
        SYNCLINE_TRY(Take(*line, *kept));
      }
      if (line->number % kLinesBetweenReports != 0) continue;
      SYNCLINE_TRY(progress_.CheckGoesOn());
      progress_.Advance(reader.bytes_read() - std::exchange(reported, reader.bytes_read()));
    }
    if (reader.error()) return tl::unexpected(*reader.error());
    Finish(reader, input, *kept);
    input.kept = std::move(kept);
    return {};
  }

  // Reads as much as is needed.
  Result<void> FindTicks(const LoadedInput& input, LogReaderOptions& reading) {
    constexpr uint64_t kMostDurations = 4096;
    const auto is_late = [](const Rule& rule) { return rule.send.late_ns > 0; };
    const bool needs_stamps = std::ranges::any_of(rules_, is_late);
    const auto has_took = [](const LogSource& source) { return source.moment != LogMoment::kAll; };
    if (!needs_stamps && std::ranges::none_of(*sources_, has_took)) return {};
    SYNCLINE_ASSIGN(auto reader, LogReader::Open(input.input.path, *sources_, reading));
    std::vector<CoarseTimes> stamps(sources_->size());
    std::vector<CoarseTimes> durations(sources_->size());
    while (const LogLine* line = reader.Next()) {
      if (line->is_record) {
        stamps[line->source].Add(line->time.ns);
        if (line->took_ns > 0) durations[line->source].Add(line->took_ns);
      }
      if (!needs_stamps && line->number == kMostDurations) break;
      if (line->number % kLinesBetweenReports == 0) SYNCLINE_TRY(progress_.CheckGoesOn());
    }
    if (reader.error()) return tl::unexpected(*reader.error());
    ticks_ns_.clear();
    for (size_t i = 0; i < stamps.size(); ++i) {
      const LogPrecision& precision = reader.precisions()[i];
      ticks_ns_.push_back(stamps[i].TickNs(precision.CertainTickNs()));
      const int64_t took_ns = precision.took_tick_ns;
      reading.took_ticks_ns.push_back(
          took_ns > 0 ? loaded_.DurationTickOf(input, durations[i], took_ns) : 0);
    }
    return {};
  }

  Result<void> Take(const LogLine& line, KeptLog& kept) {
    stamps_[line.source].Add(line.time.ns);
    for (size_t i = 0; i < line.moment_count; ++i) {
      SYNCLINE_TRY(TakeMoment(line, i, kept.hosts[line.host]));
    }
    return {};
  }

  Result<void> TakeMoment(const LogLine& line, size_t number, KeptLogHost& host) {
    const LogMomentName& moment = line.moments[number];
    const ProcessId process = hosts_[line.host].process;
    const ClockId clock = hosts_[line.host].clock;
    kind_.assign(line.kind);
    kind_ += moment.suffix;
    const BoundKind& bound = BindingOf(kind_);
    loaded_.spans[clock.index()].Include(moment.time);
    if (bound.binding.empty()) return host.times.Add(moment.time);
    values_.clear();
    for (const size_t field : bound.places) {
      if (field == BoundKind::kHost) {
        values_.emplace_back(std::string_view(loaded_.traces.clocks[clock.index()].name));
      } else if (line.fields[field].is_there) {
        values_.push_back(ValueOf(line.fields[field], (*sources_)[line.source].form));
      } else {
        values_.emplace_back();
      }
    }
    std::optional<EventRef> earliest;
    if (const int64_t late_ns = bound.binding.LateNs(values_); late_ns > 0) {
      const int64_t tick_ns = ticks_ns_[line.source];
      const Int128 before = FloorDiv(SaturatedDifference(moment.time.ticks, late_ns), tick_ns);
      const LocalTime time{Saturate(before * tick_ns)};
      earliest = EventRef{process, host.times.size(), time};
      loaded_.spans[clock.index()].Reach(time);
      host.earliest.push_back(earliest->index);
      AddFirst(*earliest);
      SYNCLINE_TRY(host.times.Add(earliest->time));
    }
    const EventRef event{process, host.times.size(), moment.time};
    SYNCLINE_TRY(host.times.Add(moment.time));
    if (earliest) return matcher_.Add(bound.binding, values_, event, clock, earliest);
    if (moment.suffix == ":begin" && IsOnly(RuleSideKind::kSend, bound.binding)) AddFirst(event);
    if (number != line.written_moment && IsOnly(RuleSideKind::kReceive, bound.binding)) {
      AddComputed(event, line);
    }
    return matcher_.Add(bound.binding, values_, event, clock, earliest);
  }

  // Lines stand where they were written: what lasted, at its end.
  void AddFirst(const EventRef& send) {
    const size_t process = send.process.index();
    if (loaded_.first_of_reading.size() <= process) loaded_.first_of_reading.resize(process + 1);
    loaded_.first_of_reading[process].push_back(send.index);
  }

  void AddComputed(const EventRef& receive, const LogLine& line) {
    const size_t process = receive.process.index();
    if (loaded_.computed_receives.size() <= process) loaded_.computed_receives.resize(process + 1);
    auto& computed = loaded_.computed_receives[process];
    const LocalTime own_end = line.moments[1].time;
    computed_.push_back({receive.process, computed.size(), line.source, receive.time,
                         line.took_tick_ns, line.written_moment == 1 ? own_end : kNoEnd});
    computed.push_back({receive.index});
  }

  // Once it is known how coarse stamps are.
  void PlaceComputed(std::span<const int64_t> ticks_ns) {
    for (const Computed& c : std::exchange(computed_, {})) {
      LoadedTraces::ComputedReceive& receive =
          loaded_.computed_receives[c.process.index()][c.number];
      const int64_t late_ns = SaturatedSum(c.took_tick_ns, ticks_ns[c.source] - 1);
      receive.latest = {SaturatedSum(c.time.ticks, late_ns)};
      receive.is_before_own_end = receive.latest >= c.own_end;
      if (receive.is_before_own_end) receive.latest = c.own_end;
    }
  }

  static bool IsOnly(RuleSideKind kind, const RuleBinding& binding) {
    return std::ranges::all_of(binding.sides(),
                               [&](const BoundSide& side) { return side.side == kind; });
  }

  // Of CSV and text, digits with a point may be anything, as a version.
  static RuleValue ValueOf(const LogField& field, LogForm form) {
    const bool is_number = form == LogForm::kJson && !field.is_quoted;
    return is_number ? ValueOfJsonNumber(field.text) : RuleValue(field.text);
  }

  void Finish(const LogReader& reader, LoadedInput& input, KeptLog& kept) {
    loaded_.diagnostics.Merge(reader.diagnostics());
    kept.precisions = reader.precisions();
    int64_t tick_ns = 0;
    int64_t reading_ns = 0;
    std::vector<int64_t> certain_ns(kept.precisions.size(), 0);
    int64_t coarsest_ns = 0;
    bool has_took = false;
    for (size_t i = 0; i < kept.precisions.size(); ++i) {
      const LogPrecision& precision = kept.precisions[i];
      if (precision.records == 0) continue;
      tick_ns = tick_ns == 0 ? precision.tick_ns : std::min(tick_ns, precision.tick_ns);
      loaded_.CountCoarseTimes(input, precision.decimals, "second");
      certain_ns[i] = loaded_.TickOf(input, stamps_[i], precision.CertainTickNs());
      coarsest_ns = std::max(coarsest_ns, certain_ns[i]);
      reading_ns = std::max(reading_ns, precision.ReadingNs(certain_ns[i]));
      has_took = has_took || precision.took_tick_ns > 0;
    }
    PlaceComputed(certain_ns);
    if (has_took || tick_ns < coarsest_ns) {
      loaded_.uneven_ticks_ns.resize(loaded_.traces.processes.size(), 1);
      for (const HostInFile& host : hosts_) {
        loaded_.uneven_ticks_ns[host.process.index()] = coarsest_ns;
      }
    }
    if (tick_ns > 0) input.ticks_per_second = 1'000'000'000 / tick_ns;
    for (const HostInFile& host : hosts_) {
      int64_t& of_clock = loaded_.traces.clocks[host.clock.index()].reading_ns;
      of_clock = std::max(of_clock, reading_ns);
    }
    for (const KeptLogHost& host : kept.hosts) {
      input.events += host.times.size() - host.earliest.size();
    }
    loaded_.CountIfEmpty(input);
  }

  Result<void> AddHost(const std::string& host, LoadedInput& input, KeptLog& kept) {
    SYNCLINE_ASSIGN(const std::string clock_name, ClockName(host, input.input));
    const ClockId clock = loaded_.ClockNamed({.name = clock_name});
    matcher_.NameHost(clock, clock_name);
    const std::string stem = StemOf(input.input.path);
    const std::string base = stem == clock_name ? stem : clock_name + "/" + stem;
    const ProcessId process = loaded_.AddProcess({UniqueName(base, process_names_), {}, clock});
    input.processes.push_back(process);
    input.first_event.push_back(0);
    hosts_.push_back({process, clock});
    kept.hosts.push_back({TimeStore(space_)});
    return {};
  }

  // A name that a file has lent its clock must not be that of another's.
  Result<std::string> ClockName(const std::string& host, const Input& input) {
    const bool is_by_file = !input.is_named && host.empty();
    std::string name = input.is_named ? input.name : is_by_file ? StemOf(input.path) : host;
    const auto other = named_by_file_.find(name);
    const bool is_taken = is_by_file
                              ? other != named_by_file_.end() || named_by_host_.contains(name)
                              : other != named_by_file_.end() && other->second != input.path;
    if (is_taken) {
      return Fail(
          ErrorCode::kUsage,
          fmt::format("its clock would be called \"{}\" like that of {}; name them as "
                      "NAME=PATH (the same NAME if they come from one host)",
                      name, other != named_by_file_.end() ? other->second : "another file's host"),
          input.path);
    }
    if (is_by_file) {
      named_by_file_.emplace(name, input.path);
    } else {
      named_by_host_.insert(name);
    }
    return name;
  }

  // Kinds may be as many as lines: those seen last are kept.
  const BoundKind& BindingOf(const std::string& kind) {
    constexpr size_t kMostKinds = 4096;
    constexpr size_t kShownKinds = 12;
    const auto known = kinds_.find(kind);
    if (known != kinds_.end()) return known->second;
    if (kinds_.size() == kMostKinds) kinds_.clear();
    if (kinds_seen_.size() <= kShownKinds) kinds_seen_.insert(PrintableName(kind));
    BoundKind& bound = kinds_[kind];
    bound.binding = BindRules(
        rules_, kind, [](std::string_view) { return true; }, loaded_.diagnostics);
    matcher_.Note(bound.binding);
    for (const std::string& field : bound.binding.fields()) {
      const auto found = std::ranges::find(fields_, field);
      bound.places.push_back(field == kHostField ? BoundKind::kHost
                                                 : static_cast<size_t>(found - fields_.begin()));
    }
    return bound;
  }

  Result<void> Match() {
    if (rules_.empty()) {
      if (!request_.asked.needs_messages) return {};
      return Fail(ErrorCode::kUsage,
                  fmt::format("no rule says which records of the logs are messages: give one as "
                              "--match 'SENT(id) -> RECEIVED(id)'. Kinds of records are: {}",
                              KindsSeen()));
    }
    SYNCLINE_ASSIGN(const auto counts, matcher_.Finish(request_.messages, loaded_.diagnostics));
    uint64_t messages = 0;
    for (const RuleMatchCounts& rule : counts) {
      messages += rule.messages + rule.broadcasts;
      loaded_.unmatched_sends += rule.unmatched_sends;
      loaded_.unmatched_receives += rule.unmatched_receives;
    }
    const bool is_all = std::ranges::all_of(
        loaded_.inputs, [](const auto& i) { return i.input.format == Format::kLog; });
    if (messages > 0 || !is_all || !request_.asked.needs_messages) return {};
    const auto& findings = loaded_.diagnostics.all();
    const auto finding = findings.find("rule-without-messages");
    return Fail(ErrorCode::kNoCorrection,
                fmt::format("no records of the logs make a message{}{}. Kinds of records are: {}",
                            finding == findings.end() ? "" : ": ",
                            finding == findings.end() ? "" : finding->second.example, KindsSeen()));
  }

  std::string KindsSeen() const {
    std::string kinds;
    for (const std::string& kind : kinds_seen_) {
      if (!kinds.empty()) kinds += ", ";
      kinds += kind;
    }
    return kinds;
  }

  const LoadRequest& request_;
  LoadedTraces& loaded_;
  Progress& progress_;
  std::span<const Rule> rules_;
  RuleMatcher matcher_;
  std::shared_ptr<const std::vector<LogSource>> sources_;
  std::vector<std::string> fields_;  // that rules name
  std::shared_ptr<SpillSpace> space_ = std::make_shared<SpillSpace>();
  std::vector<HostInFile> hosts_;    // of the file at hand
  std::vector<CoarseTimes> stamps_;  // in it, by source
  std::vector<Computed> computed_;   // in it
  std::vector<int64_t> ticks_ns_;    // of these; where a rule says `late`
  absl::flat_hash_map<std::string, BoundKind> kinds_;
  std::set<std::string> kinds_seen_;
  std::map<std::string, std::string> named_by_file_;  // clocks, and the file
  std::set<std::string> named_by_host_;
  std::set<std::string> process_names_;
  std::string kind_;
  std::vector<RuleValue> values_;
};

// The kept times of one host.
class KeptLogCursor : public KeptTimesCursor {
 public:
  KeptLogCursor(const LoadedInput& input, size_t number)
      : KeptTimesCursor(input, number, LogOf(input).hosts[number].times) {}
};

// Reads the file again, for the kinds of records.
class NamedLogCursor : public EventCursor {
 public:
  NamedLogCursor(const LoadedInput& input, LogReader reader)
      : EventCursor(input.processes), path_(input.input.path), reader_(std::move(reader)) {
    for (size_t i = 0; i < input.processes.size(); ++i) {
      kept_.emplace_back(input, i);
      numbers_.emplace_back(LogOf(input).hosts[i]);
    }
  }

  const TraceEvent* Next() override {
    while (line_ == nullptr || moment_ == line_->moment_count) {
      line_ = reader_.Next();
      moment_ = 0;
      if (reader_.error()) return Stop(*reader_.error());
      if (line_ == nullptr) return nullptr;
      if (!line_->is_record) line_ = nullptr;
    }
    if (line_->host >= kept_.size()) return StopChanged(path_);
    const bool is_earliest = numbers_[line_->host].HasEarliest();
    numbers_[line_->host].Take();
    const TraceEvent* kept = kept_[line_->host].Next();
    if (kept_[line_->host].error()) return Stop(*kept_[line_->host].error());
    const LogMomentName& moment = line_->moments[moment_];
    const bool is_same = kept != nullptr && (is_earliest || kept->event.time == moment.time);
    if (!is_same) return StopChanged(path_);
    name_ = PrintableName(line_->kind);
    name_ += moment.suffix;
    if (!is_earliest) ++moment_;
    next_ = *kept;
    next_.name = name_;
    next_.is_limit = is_earliest;
    return &next_;
  }

 private:
  std::string path_;
  LogReader reader_;
  std::vector<KeptLogCursor> kept_;
  std::vector<LogEventNumbers> numbers_;
  const LogLine* line_ = nullptr;
  size_t moment_ = 0;
  std::string name_;
  TraceEvent next_;
};

// A cursor for each host; one for all, which reads the file again, for names.
Result<EventCursors> OpenLogEvents(const LoadedTraces& /*loaded*/, const LoadedInput& input,
                                   EventDetail detail) {
  if (detail != EventDetail::kNames) return CursorsOf<KeptLogCursor>(input, input);
  const KeptLog& kept = LogOf(input);
  SYNCLINE_ASSIGN(auto reader, LogReader::Open(input.input.path, *kept.sources, kept.reading));
  return OneCursor(NamedLogCursor(input, std::move(reader)));
}

}  // namespace

const TraceFormat kLogFormat{
    .format = Format::kLog,
    .name = "log",
    .keeps_times = true,
    .has_own_resolution = true,
    .load = [](auto inputs, const LoadRequest& request) { return LogLoader(request).Run(inputs); },
    .open = OpenLogEvents};

}  // namespace syncline
