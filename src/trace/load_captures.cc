// Reads captures, several at a time, and matches their packets.
//
// Every capture is read twice: surveyed, then matched (capture_reading.h). Packets reach the
// matcher in an order that does not depend on the timing of threads and processes, so results are
// the same to the last digit. Memory: the matcher's, and a few batches of packets per capture being
// read.
#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "base/parallel.h"
#include "base/stopwatch.h"
#include "base/try.h"
#include "match/packet_decode.h"
#include "match/packet_matcher.h"
#include "read/pcap/capture_reader.h"
#include "trace/capture_reading.h"
#include "trace/file_team.h"
#include "trace/formats.h"
#include "trace/kept_cursor.h"

namespace syncline {
namespace {

// Not the number of processors: the order in which packets reach the matcher depends on it.
constexpr size_t kReadAtOnce = 4;

class CaptureLoader {
 public:
  CaptureLoader(std::span<LoadedInput* const> captures, const LoadRequest& request)
      : captures_(captures),
        loaded_(request.loaded),
        sink_(request.messages),
        progress_(request.progress),
        matcher_(Define()) {}

  Result<void> Run() {
    const uint64_t bytes = BytesOf(captures_);
    Stopwatch watch;
    progress_.Begin("surveying captures", bytes);
    if (FileTeam* team = FileTeamOfThisRun()) Deal(*team);
    auto done = ForGroups([&](size_t first, size_t end) { return Survey(first, end); });
    if (!done) return done;
    matcher_.EndSurvey(loaded_.diagnostics);
    loaded_.read_s += watch.Restart();
    progress_.Begin("matching packets", bytes);
    done = ForGroups([&](size_t first, size_t end) { return Match(first, end); });
    if (!done) return done;
    progress_.Begin("joining packets", 0);
    done = Join();
    loaded_.match_s += watch.Restart();
    return done;
  }

 private:
  std::vector<CaptureOrigin> Define() {
    std::vector<CaptureOrigin> origins;
    for (LoadedInput* input : captures_) {
      const ClockId clock = loaded_.ClockNamed({.name = input->input.name});
      const ProcessId process = loaded_.AddProcess({input->input.name, "", clock});
      input->processes = {process};
      input->first_event = {0};
      origins.push_back({process, clock, input->input.path});
    }
    return origins;
  }

  // The others survey theirs while this process surveys its own.
  void Deal(FileTeam& team) {
    std::vector<const Input*> inputs;
    for (const LoadedInput* input : captures_) inputs.push_back(&input->input);
    elsewhere_.emplace(team, inputs, DealFiles(inputs, team.processes()));
  }
  bool IsElsewhere(size_t capture) const { return elsewhere_ && elsewhere_->Has(capture); }

  ClockId IdOf(const LoadedInput& input) const {
    return loaded_.traces.processes[input.processes[0].index()].clock;
  }
  template <typename Visit>
  Result<void> ForGroups(Visit visit) {
    for (size_t first = 0; first < captures_.size(); first += kReadAtOnce) {
      SYNCLINE_TRY(visit(first, std::min(first + kReadAtOnce, captures_.size())));
    }
    return {};
  }

  Result<void> Advance(uint64_t bytes) {
    const std::lock_guard lock(progress_mutex_);
    progress_.Advance(bytes);
    return progress_.CheckGoesOn();
  }
  OnBytesRead OnBytes() {
    return [this](uint64_t bytes) { return Advance(bytes); };
  }

  Result<void> Survey(size_t first, size_t end) {
    std::vector<Result<SurveyedCapture>> surveyed(end - first);
    ForEachParallel(surveyed.size(), [&](size_t i) {
      const size_t capture = first + i;
      if (IsElsewhere(capture)) return;
      surveyed[i] = SurveyCapture(captures_[capture]->input.path, capture, matcher_, OnBytes());
    });
    for (size_t i = first; i < end; ++i) {
      if (IsElsewhere(i)) surveyed[i - first] = elsewhere_->TakeSurvey(i, matcher_);
      SYNCLINE_ASSIGN(SurveyedCapture found, std::move(surveyed[i - first]));
      if (IsElsewhere(i)) SYNCLINE_TRY(Advance(captures_[i]->input.bytes));
      Adopt(*captures_[i], std::move(found));
    }
    return {};
  }

  void Adopt(LoadedInput& input, SurveyedCapture found) {
    input.events = found.events;
    input.ticks_per_second = found.ticks_per_second;
    loaded_.diagnostics.Merge(found.diagnostics);
    loaded_.spans[IdOf(input).index()].Merge(found.span);
    loaded_.SetSeen(input.processes[0], std::move(found.set_backs));
    Clock& clock = loaded_.traces.clocks[IdOf(input).index()];
    clock.reading_ns = std::max(clock.reading_ns, Clock::ReadingNs(input.ticks_per_second));
    loaded_.CountIfEmpty(input);
  }

  // A batch of each capture in turn, until all have ended.
  Result<void> Match(size_t first, size_t end) {
    std::vector<std::unique_ptr<PreparedCapture>> prepared;
    for (size_t i = first; i < end; ++i) {
      prepared.push_back(IsElsewhere(i)
                             ? elsewhere_->Prepare(i, matcher_)
                             : PrepareCapture(captures_[i]->input.path, i, matcher_, OnBytes()));
    }
    for (bool any = true; any;) {
      any = false;
      for (const auto& capture : prepared) {
        SYNCLINE_ASSIGN(const auto batch, capture->Next());
        if (!batch) continue;
        any = true;
        for (const PacketMatcher::Prepared& packet : *batch) SYNCLINE_TRY(matcher_.Store(packet));
      }
    }
    for (size_t i = first; i < end; ++i) {
      if (IsElsewhere(i)) SYNCLINE_TRY(Advance(captures_[i]->input.bytes));
    }
    return {};
  }

  Result<void> Join() {
    SYNCLINE_ASSIGN(auto counts, matcher_.Finish(sink_, loaded_.diagnostics));
    for (const CaptureMatchCounts& capture : counts.captures) {
      loaded_.unmatched_sends += capture[PacketFate::kUnmatchedSend];
      loaded_.unmatched_receives += capture[PacketFate::kUnmatchedReceive];
    }
    return {};
  }

  std::span<LoadedInput* const> captures_;
  LoadedTraces& loaded_;
  MessageSink& sink_;
  std::mutex progress_mutex_;
  Progress& progress_;
  PacketMatcher matcher_;
  std::optional<CapturesElsewhere> elsewhere_;  // of an MPI run
};

std::string_view PacketName(const Packet& packet) {
  switch (DecodePacket(packet).protocol) {
    case Protocol::kTcp: return "TCP";
    case Protocol::kUdp: return "UDP";
    case Protocol::kIcmp: return "ICMP";
    case Protocol::kIcmp6: return "ICMPv6";
    case Protocol::kArp: return "ARP";
    case Protocol::kNone: return "packet";
  }
  return "packet";
}

class CaptureCursor : public EventCursor {
 public:
  CaptureCursor(const LoadedInput& input, CaptureReader reader, EventDetail detail)
      : EventCursor(input.processes), reader_(std::move(reader)), detail_(detail) {}

  const TraceEvent* Next() override {
    const Packet* packet = reader_.Next();
    if (packet == nullptr) return reader_.error() ? Stop(*reader_.error()) : nullptr;
    next_ = {.event = {.time = packet->time, .process = processes()[0]}, .index = packet->index};
    if (detail_ == EventDetail::kNames) {
      next_.event.bytes = packet->original_length;
      next_.name = PacketName(*packet);
    }
    return &next_;
  }

 private:
  CaptureReader reader_;
  EventDetail detail_;
  TraceEvent next_;
};

// A process for each capture and, by the input's name, a clock.
Result<void> LoadCaptures(std::span<LoadedInput* const> inputs, const LoadRequest& request) {
  return CaptureLoader(inputs, request).Run();
}

// One cursor, in the order of the file. It reads the file again.
Result<EventCursors> OpenCaptureEvents(const LoadedTraces& /*loaded*/, const LoadedInput& input,
                                       EventDetail detail) {
  SYNCLINE_ASSIGN(auto reader, CaptureReader::Open(input.input.path));
  return OneCursor(CaptureCursor(input, std::move(reader), detail));
}

}  // namespace

const TraceFormat kCaptureFormat{.format = Format::kCapture,
                                 .name = "capture",
                                 .recognises = LooksLikeCapture,
                                 .has_own_resolution = true,
                                 .load = LoadCaptures,
                                 .open = OpenCaptureEvents,
                                 .serve = ServeCaptures};

}  // namespace syncline
