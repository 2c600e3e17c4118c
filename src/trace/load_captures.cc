// Reads captures, several at a time, and matches their packets.
//
// Every capture is read twice: surveyed, then matched. Packets reach the matcher in an order that
// does not depend on the threads' timing, so results are the same to the last digit. Memory: the
// matcher's, and a few batches of packets per capture being read.
#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "base/parallel.h"
#include "base/producer.h"
#include "base/stopwatch.h"
#include "base/try.h"
#include "match/packet_decode.h"
#include "match/packet_matcher.h"
#include "read/pcap/capture_reader.h"
#include "trace/clock_epochs.h"
#include "trace/formats.h"
#include "trace/kept_cursor.h"
#include "trace/set_backs.h"

namespace syncline {
namespace {

// Not the number of processors: the order in which packets reach the matcher depends on it.
constexpr size_t kReadAtOnce = 4;
constexpr size_t kBatchPackets = 4096;
constexpr size_t kBatchesAhead = 4;

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
  using Prepared = PacketMatcher::Prepared;
  using Batch = std::vector<Prepared>;

  // One capture while it is prepared for matching in a thread of its own.
  struct Stream {
    Result<Diagnostics> found = Diagnostics();
    Producer<Batch> batches{kBatchesAhead};
  };

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

  ClockId IdOf(const LoadedInput& input) const {
    return loaded_.traces.processes[input.processes[0].index()].clock;
  }
  ClockSpan& SpanOf(const LoadedInput& input) { return loaded_.spans[IdOf(input).index()]; }
  Clock& ClockOf(const LoadedInput& input) { return loaded_.traces.clocks[IdOf(input).index()]; }
  template <typename Visit>
  Result<void> ForGroups(Visit visit) {
    for (size_t first = 0; first < captures_.size(); first += kReadAtOnce) {
      SYNCLINE_TRY(visit(first, std::min(first + kReadAtOnce, captures_.size())));
    }
    return {};
  }

  // Calls on_packet for every packet, and returns what the reader found on the way.
  template <typename OnPacket>
  Result<Diagnostics> ReadCapture(LoadedInput& input, OnPacket on_packet) {
    SYNCLINE_ASSIGN(auto reader, CaptureReader::Open(input.input.path));
    uint64_t reported = 0;
    const auto report = [&] {
      const std::lock_guard lock(progress_mutex_);
      progress_.Advance(reader.bytes_read() - std::exchange(reported, reader.bytes_read()));
    };
    while (const Packet* packet = reader.Next()) {
      SYNCLINE_TRY(on_packet(*packet));
      if (packet->index % kBatchPackets != 0) continue;
      report();
      SYNCLINE_TRY(progress_.CheckGoesOn());
    }
    report();
    if (reader.error()) return tl::unexpected(*reader.error());
    input.ticks_per_second = reader.ticks_per_second();
    return reader.diagnostics();
  }

  Result<void> Survey(size_t first, size_t end) {
    std::vector<Surveyed> surveyed(end - first);
    ForEachParallel(surveyed.size(), [&](size_t i) { SurveyOne(first + i, surveyed[i]); });
    for (size_t i = first; i < end; ++i) {
      auto& [span, set_backs, found] = surveyed[i - first];
      if (!found) return tl::unexpected(found.error());
      loaded_.diagnostics.Merge(*found);
      SpanOf(*captures_[i]).Merge(span);
      loaded_.SetSeen(captures_[i]->processes[0], std::move(set_backs));
      Clock& clock = ClockOf(*captures_[i]);
      clock.reading_ns =
          std::max(clock.reading_ns, Clock::ReadingNs(captures_[i]->ticks_per_second));
      loaded_.CountIfEmpty(*captures_[i]);
    }
    return {};
  }

  // What one thread finds of one capture.
  struct Surveyed {
    ClockSpan span;
    SeenSetBacks set_backs;
    Result<Diagnostics> found = Diagnostics();
  };

  void SurveyOne(size_t capture, Surveyed& surveyed) {
    LoadedInput& input = *captures_[capture];
    // Each interface hands on its packets in bunches of its own.
    std::vector<SetBackFinder> set_backs;
    surveyed.found = ReadCapture(input, [&](const Packet& packet) -> Result<void> {
      surveyed.span.Include(packet.time);
      ++input.events;
      if (packet.interface >= set_backs.size()) {
        set_backs.resize(packet.interface + 1, SetBackFinder(kCaptureSetBacks));
      }
      set_backs[packet.interface].Add(packet.index, packet.time);
      matcher_.Survey(capture, packet);
      return {};
    });
    std::vector<SeenSetBacks> seen;
    for (const SetBackFinder& of_interface : set_backs) seen.push_back(of_interface.Finish());
    if (!seen.empty()) surveyed.set_backs = JoinSeen(seen);
  }

  Result<void> Match(size_t first, size_t end) {
    std::vector<std::unique_ptr<Stream>> streams;
    for (size_t i = first; i < end; ++i) {
      streams.push_back(std::make_unique<Stream>());
      Stream& stream = *streams.back();
      stream.batches.Start([this, i, &stream] { PrepareOne(i, stream); });
    }
    Result<void> done = StoreInTurn(streams);
    for (const auto& stream : streams) {
      stream->batches.Stop();
      if (done && !stream->found) done = tl::unexpected(stream->found.error());
    }
    return done;
  }

  void PrepareOne(size_t capture, Stream& stream) {
    Batch batch;
    const auto on_packet = [&](const Packet& packet) -> Result<void> {
      SYNCLINE_ASSIGN(auto prepared, matcher_.Prepare(capture, packet));
      if (prepared) batch.push_back(*prepared);
      if (batch.size() == kBatchPackets) {
        stream.batches.Push(std::exchange(batch, {}));
        batch.reserve(kBatchPackets);
      }
      return {};
    };
    stream.found = ReadCapture(*captures_[capture], on_packet);
    stream.batches.Push(std::move(batch));
  }

  // A batch of each capture in turn, until all have ended.
  Result<void> StoreInTurn(std::span<const std::unique_ptr<Stream>> streams) {
    for (bool any = true; any;) {
      any = false;
      for (const auto& stream : streams) {
        const std::optional<Batch> batch = stream->batches.Take();
        if (!batch) continue;
        any = true;
        for (const Prepared& prepared : *batch) SYNCLINE_TRY(matcher_.Store(prepared));
      }
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
                                 .open = OpenCaptureEvents};

}  // namespace syncline
