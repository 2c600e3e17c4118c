#include "pipeline/write/write_ctf.h"

#include <optional>
#include <string_view>
#include <utility>

#include "base/child_process.h"
#include "base/parcel.h"
#include "base/try.h"
#include "read/ctf/ctf_child.h"
#include "read/ctf/library.h"
#include "report/table.h"
#include "trace/kept_ctf.h"
#include "write/ctf/trace_writer.h"
#include "write/ctf/written_result.h"

namespace syncline {
namespace {

// The processes of one trace, which are its streams.
class TraceRetimer : public CtfRetimer {
 public:
  TraceRetimer(const LoadedTraces& loaded, const LoadedInput& input, const GroupEstimate& estimate,
               const Retiming& retiming, const Truth* truth)
      : trace_(CtfTraceOf(input)), streams_(input.processes.size()) {
    for (size_t i = 0; i < input.processes.size(); ++i) {
      streams_[i].retimer.emplace(loaded, input, i, estimate, retiming, truth);
    }
  }

  void BeginStream(std::string_view file) override {
    // A stream that was left out has no events; its packets go by the clock of the first.
    current_ = 0;
    const std::string own_name = trace_.readable->OriginalOf(file);
    for (size_t i = 0; i < streams_.size(); ++i) {
      if (trace_.streams[i].file == own_name) current_ = i;
    }
  }

  void Retime(uint64_t first, std::span<const uint64_t> cycles,
              std::span<GlobalTime> corrected) override {
    local_.clear();
    for (const uint64_t value : cycles) local_.push_back(clock().FromCycles(value));
    Stream& stream = streams_[current_];
    stream.retimer->Retime(first, local_, corrected, stream.figures);
  }

  GlobalTime Plain(uint64_t cycles) override {
    return streams_[current_].retimer->Plain(clock().FromCycles(cycles));
  }

  // In order of processes, so that sums are the same in every run.
  ProcessRetimer::Figures figures() const {
    ProcessRetimer::Figures sum;
    for (const Stream& stream : streams_) {
      sum.intervals.Merge(stream.figures.intervals);
      sum.error.Merge(stream.figures.error);
    }
    return sum;
  }

 private:
  struct Stream {
    std::optional<ProcessRetimer> retimer;
    ProcessRetimer::Figures figures;
  };
  const CtfClock& clock() const {
    return trace_.clocks[trace_.streams[current_].clock.value_or(0)];
  }

  const KeptCtfTrace& trace_;
  std::vector<Stream> streams_;
  size_t current_ = 0;
  std::vector<LocalTime> local_;
};

// A trace without any process has no time that could be corrected.
class NoRetimer : public CtfRetimer {
 public:
  void BeginStream(std::string_view /*file*/) override {}
  void Retime(uint64_t /*first*/, std::span<const uint64_t> /*cycles*/,
              std::span<GlobalTime> /*corrected*/) override {}
  GlobalTime Plain(uint64_t /*cycles*/) override { return {}; }
};

// What the process that wrote a trace sends.
struct Written {
  WrittenCtf trace;
  ProcessRetimer::Figures figures;
};

class EventsWriter {
 public:
  EventsWriter(const LoadedTraces& loaded, const GroupEstimate& estimate, const Retiming& retiming,
               const Truth* truth, std::span<const CtfOutput> outputs)
      : loaded_(loaded),
        estimate_(estimate),
        retiming_(retiming),
        truth_(truth),
        outputs_(outputs) {}

  Result<std::vector<CtfEvents>> Run(IfExists if_exists) {
    SYNCLINE_TRY(MakeFolders(if_exists));
    std::vector<uint64_t> sizes;
    for (const CtfOutput& output : outputs_)
      sizes.push_back(CtfTraceOf(*output.input).readable->bytes());
    const auto shares = SharesOf(sizes);
    std::vector<ChildProcess> children;
    for (const std::vector<size_t>& share : shares) {
      SYNCLINE_ASSIGN(auto child, Start(share));
      children.push_back(std::move(child));
    }
    for (size_t c = 0; c < shares.size(); ++c) {
      for (const size_t i : shares[c]) SYNCLINE_TRY(Take(i, children[c]));
    }
    return std::move(events_);
  }

 private:
  Result<void> MakeFolders(IfExists if_exists) {
    // The last one makes the folders above, because it goes last where they are to go again.
    std::vector<CtfEvents> backwards;
    for (size_t i = outputs_.size(); i-- > 0;) {
      SYNCLINE_ASSIGN(auto folder, OutputFolder::Create(outputs_[i].folder, if_exists));
      backwards.push_back({.folder = std::move(folder)});
    }
    for (; !backwards.empty(); backwards.pop_back()) events_.push_back(std::move(backwards.back()));
    return {};
  }

  Result<ChildProcess> Start(const std::vector<size_t>& share) const {
    SYNCLINE_TRY(CtfPlugin());
    ReadableFolders folders;
    for (const size_t i : share) folders.push_back(CtfTraceOf(*outputs_[i].input).readable);
    // The traces have been read within the limit on memory.
    const ChildLimits limits = {.patience = CtfChildLimits(folders, 1).patience};
    return ChildProcess::Start(limits, [&](ChildLink& parent) {
      for (const size_t i : share) parent.Send(FrameWith(Write(i, parent)));
    });
  }

  // In a process of its own.
  Result<Written> Write(size_t number, ChildLink& parent) const {
    const LoadedInput& input = *outputs_[number].input;
    std::optional<TraceRetimer> retimer;
    NoRetimer none;
    SYNCLINE_ASSIGN(auto written,
                    WriteCtfTrace(
                        CtfTraceOf(input).readable->path(), events_[number].folder.place(),
                        [&]() -> CtfRetimer& {
                          if (input.processes.empty()) return none;
                          return retimer.emplace(loaded_, input, estimate_, retiming_, truth_);
                        },
                        [&] { parent.Beat(); }));
    return Written{.trace = written, .figures = retimer ? retimer->figures() : Figures()};
  }

  Result<void> Take(size_t number, ChildProcess& child) {
    const CtfOutput& output = outputs_[number];
    CtfEvents& events = events_[number];
    auto written = ReceiveWritten<Written>(child, events.folder.place());
    if (!written) {
      Error error = written.error();
      if (error.file.starts_with(events.folder.place())) error.file = output.folder;
      return tl::unexpected(error);
    }
    events.figures = written->figures;
    if (written->trace.raised > 0) {
      events.diagnostics.Count("events-raised", Severity::kWarning, written->trace.raised,
                               output.input->input.path + ": by up to " +
                                   FormatDuration(written->trace.largest_raise_ns));
    }
    return {};
  }

  using Figures = ProcessRetimer::Figures;
  const LoadedTraces& loaded_;
  const GroupEstimate& estimate_;
  const Retiming& retiming_;
  const Truth* truth_;
  std::span<const CtfOutput> outputs_;
  std::vector<CtfEvents> events_;
};

}  // namespace

Result<std::vector<CtfEvents>> WriteCtfEvents(const LoadedTraces& loaded,
                                              const GroupEstimate& estimate,
                                              const Retiming& retiming, const Truth* truth,
                                              std::span<const CtfOutput> outputs,
                                              IfExists if_exists) {
  return EventsWriter(loaded, estimate, retiming, truth, outputs).Run(if_exists);
}

}  // namespace syncline
