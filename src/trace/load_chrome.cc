// Reads Chrome JSON files, several at a time: their clocks, tracks, messages and collectives.
//
// A clock for each file, called as that, or with clock_per = "process" for each pid in it, called
// FILE/PID. A process for each thread that has events. Times are kept (trace/kept_chrome.h); only
// names are read again.
#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/stopwatch.h"
#include "base/try.h"
#include "base/utf8.h"
#include "read/chrome/chrome_reader.h"
#include "trace/chrome_contents.h"
#include "trace/chrome_matching.h"
#include "trace/formats.h"
#include "trace/kept_chrome.h"
#include "trace/kept_cursor.h"

namespace syncline {
namespace {

class ChromeLoader {
 public:
  explicit ChromeLoader(const LoadRequest& request)
      : request_(request), loaded_(request.loaded), progress_(request.progress) {}

  Result<void> Run(std::span<LoadedInput* const> inputs) {
    progress_.Begin("reading Chrome JSON", BytesOf(inputs));
    Stopwatch watch;
    std::vector<Result<ChromeContents>> contents(inputs.size());
    auto found = std::make_shared<SpillSpace>(size_t{4} << 20);
    ForEachParallel(inputs.size(),
                    [&](size_t i) { contents[i] = Read(inputs[i]->input.path, i, found); });
    found.reset();
    std::vector<MatchedChromeFile> files;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!contents[i]) return tl::unexpected(contents[i].error());
      files.push_back(Define(*inputs[i], *contents[i]));
    }
    // Parsers leave tens of megabytes, in pieces of which few suit matching.
    GiveBackFreedMemory();
    loaded_.read_s += watch.Restart();
    SYNCLINE_TRY(MatchChrome(request_, files));
    loaded_.match_s += watch.Restart();
    return {};
  }

 private:
  Result<ChromeContents> Read(const std::string& path, size_t number,
                              const std::shared_ptr<SpillSpace>& found) {
    const auto on_bytes = [this](uint64_t bytes) {
      const std::lock_guard lock(progress_mutex_);
      progress_.Advance(bytes);
      return progress_.CheckGoesOn();
    };
    const auto times = request_.asked.needs_events ? space_ : nullptr;
    return ReadChromeContents(path, static_cast<uint32_t>(number), times, found, on_bytes);
  }

  MatchedChromeFile Define(LoadedInput& input, ChromeContents& contents) {
    auto kept = std::make_shared<KeptChrome>();
    kept->base_ns = contents.base_ns;
    kept->decimals = contents.decimals;
    kept->process_names = contents.process_names;
    input.ticks_per_second = kMicroseconds;
    for (int i = 0; i < contents.decimals; ++i) input.ticks_per_second *= 10;
    // Of times that count from a base between two ticks.
    if (contents.base_ns % (kNanoseconds / input.ticks_per_second) != 0) {
      kept->decimals = 3;
      input.ticks_per_second = kNanoseconds;
    }
    loaded_.CountCoarseTimes(input, contents.time_decimals, "microsecond");
    loaded_.CountCoarseTimes(input, contents.duration_decimals, "microsecond");
    const int64_t reading_ns = ReadingNsOf(input, contents);
    for (size_t i = 0; i < contents.tracks.size(); ++i) {
      const ChromeTrack& track = contents.tracks[i];
      const ClockId clock = ClockOf(input, track, reading_ns);
      input.processes.push_back(
          loaded_.AddProcess({fmt::format("{}/{}/{}", input.input.name, PrintableName(track.pid),
                                          PrintableName(track.tid)),
                              LabelOf(contents, track), clock}));
      input.first_event.push_back(0);
      loaded_.spans[clock.index()].Merge(contents.spans[i]);
      input.events += contents.spans[i].events;
      kept->tracks.push_back({std::move(contents.times[i]), BlockStore<ChromePart>(space_),
                              BlockStore<ChromePart>(space_)});
    }
    loaded_.CountIfEmpty(input);
    loaded_.diagnostics.Merge(contents.diagnostics);
    input.kept = kept;
    return {&input, &contents, kept.get()};
  }

  int64_t ReadingNsOf(const LoadedInput& input, const ChromeContents& contents) {
    const auto tick_of = [&](const DecimalCounts& counts) {
      int64_t tick_ns = 1000;
      const int decimals = std::min(contents.decimals, counts.Certain());
      for (int i = 0; i < decimals; ++i) tick_ns /= 10;
      return tick_ns;
    };
    const int64_t tick_ns = loaded_.TickOf(input, contents.begins, tick_of(contents.time_decimals));
    const int64_t duration_tick_ns =
        loaded_.DurationTickOf(input, contents.durations, tick_of(contents.duration_decimals));
    // An end is a begin and a duration, and either is rounded down.
    const int64_t both_ns = tick_ns + std::max(tick_ns, duration_tick_ns);
    return both_ns > 2 ? both_ns : contents.is_finer_than_ns ? 2 : 0;
  }

  ClockId ClockOf(const LoadedInput& input, const ChromeTrack& track, int64_t reading_ns) {
    std::string name = input.input.name;
    if (request_.asked.clock_per == "process") name += "/" + PrintableName(track.pid);
    const ClockId id = loaded_.ClockNamed({.name = std::move(name)});
    Clock& clock = loaded_.traces.clocks[id.index()];
    clock.reading_ns = std::max(clock.reading_ns, reading_ns);
    return id;
  }

  static std::string LabelOf(const ChromeContents& contents, const ChromeTrack& track) {
    const auto process = contents.process_names.find(track.pid);
    const auto thread = contents.thread_names.find({track.pid, track.tid});
    const std::string of_process = process == contents.process_names.end() ? "" : process->second;
    if (thread == contents.thread_names.end() || thread->second.empty()) return of_process;
    return of_process.empty() ? thread->second : of_process + ": " + thread->second;
  }

  // Per second.
  static constexpr int64_t kMicroseconds = 1'000'000;
  static constexpr int64_t kNanoseconds = 1'000'000'000;

  const LoadRequest& request_;
  LoadedTraces& loaded_;
  Progress& progress_;
  std::mutex progress_mutex_;
  std::shared_ptr<SpillSpace> space_ = std::make_shared<SpillSpace>();
};

// What the parts of a track say of its events, which come in order.
class PartsOfTrack {
 public:
  PartsOfTrack(const KeptChrome& kept, const KeptChromeTrack& track)
      : kept_(&kept), lists_{List(track.of_collectives), List(track.of_messages)} {}

  // Index and process are filled in. True where the event has a name by its part.
  Result<bool> Describe(TraceEvent& event) {
    for (List& list : lists_) {
      for (; list.next < list.parts.size(); ++list.next) {
        SYNCLINE_ASSIGN(const ChromePart* part, list.parts.At(list.next));
        if (part->index > event.index) break;
        if (part->index == event.index) return Describe(*part, event);
      }
    }
    return false;
  }

 private:
  bool Describe(const ChromePart& part, TraceEvent& event) const {
    event.event.kind = part.kind;
    event.event.is_root = part.is_root;
    event.event.peer = part.peer;
    event.event.message = part.message;
    event.event.group = part.group;
    event.has_message = true;
    const bool is_of_collective =
        part.kind == EventKind::kCollectiveBegin || part.kind == EventKind::kCollectiveEnd;
    if (is_of_collective) event.name = (*kept_->kinds)[part.name];
    return is_of_collective;
  }

  struct List {
    explicit List(const BlockStore<ChromePart>& store) : parts(store) {}
    BlockReader<ChromePart> parts;
    uint64_t next = 0;
  };

  const KeptChrome* kept_;
  std::array<List, 2> lists_;
};

// The kept times of one track.
class KeptTrackCursor : public KeptTimesCursor {
 public:
  KeptTrackCursor(const LoadedInput& input, size_t number)
      : KeptTimesCursor(input, number, ChromeOf(input).tracks[number].times),
        parts_(ChromeOf(input), ChromeOf(input).tracks[number]) {}

 private:
  void Describe(TraceEvent& event) override {
    if (const auto described = parts_.Describe(event); !described) Stop(described.error());
  }

  PartsOfTrack parts_;
};

// Reads the file again, for names.
class NamedChromeCursor : public EventCursor {
 public:
  NamedChromeCursor(const LoadedInput& input, ChromeReader reader)
      : EventCursor(input.processes), reader_(std::move(reader)) {
    const KeptChrome& kept = ChromeOf(input);
    for (const KeptChromeTrack& track : kept.tracks) {
      parts_.emplace_back(kept, track);
      left_.push_back(track.times.size());
    }
  }

  const TraceEvent* Next() override {
    if (event_ != nullptr && event_->instants == 2 && !is_at_end_of_event_) {
      is_at_end_of_event_ = true;
      return Make(event_->end, event_->index + 1, EventKind::kLeave);
    }
    is_at_end_of_event_ = false;
    do {
      event_ = reader_.Next();
    } while (event_ != nullptr && event_->instants == 0);
    if (reader_.error()) return Stop(*reader_.error());
    if (event_ == nullptr) return HasMore() ? StopChanged(reader_.path()) : nullptr;
    if (event_->track >= left_.size() || left_[event_->track] < event_->instants) {
      return StopChanged(reader_.path());
    }
    left_[event_->track] -= event_->instants;
    name_ = PrintableName(event_->name.text);
    const EventKind kind = event_->instants == 2 || event_->phase == 'B' ? EventKind::kEnter
                           : event_->phase == 'E'                        ? EventKind::kLeave
                                                                         : EventKind::kMark;
    return Make(event_->begin, event_->index, kind);
  }

 private:
  bool HasMore() const {
    return std::ranges::any_of(left_, [](uint64_t left) { return left > 0; });
  }
  const TraceEvent* Make(LocalTime time, uint64_t index, EventKind kind) {
    const uint32_t track = event_->track;
    next_ = {.event = {.time = time, .process = processes()[track], .kind = kind},
             .index = index,
             .number = track};
    const auto is_named = parts_[track].Describe(next_);
    if (!is_named) return Stop(is_named.error());
    if (!*is_named) next_.name = name_;
    return &next_;
  }

  ChromeReader reader_;
  std::vector<PartsOfTrack> parts_;  // by track
  std::vector<uint64_t> left_;       // events by track
  const ChromeEvent* event_ = nullptr;
  bool is_at_end_of_event_ = false;
  std::string name_;
  TraceEvent next_;
};

// An object with a key that such files have, or an array of objects with a phase.
bool LooksLikeChrome(std::span<const std::byte> head) {
  std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  if (text.starts_with('[')) return has("\"ph\"");
  if (!text.starts_with('{') || has("\"resourceSpans\"")) return false;
  constexpr std::string_view kKeys[] = {"\"traceEvents\"",         "\"displayTimeUnit\"",
                                        "\"deviceProperties\"",    "\"distributedInfo\"",
                                        "\"baseTimeNanoseconds\"", "\"record_shapes\""};
  return std::any_of(std::begin(kKeys), std::end(kKeys), has);
}

// One cursor for each track; of names, one for all.
Result<EventCursors> OpenChromeEvents(const LoadedTraces& /*loaded*/, const LoadedInput& input,
                                      EventDetail detail) {
  if (detail != EventDetail::kNames) return CursorsOf<KeptTrackCursor>(input, input);
  SYNCLINE_ASSIGN(auto reader,
                  ChromeReader::Open(input.input.path, {.base_ns = ChromeOf(input).base_ns}));
  return OneCursor(NamedChromeCursor(input, std::move(reader)));
}

}  // namespace

const TraceFormat kChromeFormat{
    .format = Format::kChrome,
    .name = "chrome",
    .recognises = LooksLikeChrome,
    .tells_kinds = true,
    .keeps_times = true,
    .opens_if_needed = true,
    .has_own_resolution = true,
    .load = [](auto inputs,
               const LoadRequest& request) { return ChromeLoader(request).Run(inputs); },
    .open = OpenChromeEvents};

}  // namespace syncline
