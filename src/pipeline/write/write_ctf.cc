#include "pipeline/write/write_ctf.h"

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "read/ctf/readable_folder.h"
#include "report/table.h"
#include "trace/kept_ctf.h"
#include "write/ctf/trace_writer.h"

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

}  // namespace

Result<CtfEvents> WriteCtfEvents(const LoadedTraces& loaded, const LoadedInput& input,
                                 const GroupEstimate& estimate, const Retiming& retiming,
                                 const Truth* truth, const std::string& new_folder,
                                 IfExists if_exists) {
  std::optional<TraceRetimer> retimer;
  NoRetimer none;
  const std::string& folder = CtfTraceOf(input).readable->path();
  auto written = WriteCtfTrace(folder, new_folder, if_exists, [&]() -> CtfRetimer& {
    if (input.processes.empty()) return none;
    return retimer.emplace(loaded, input, estimate, retiming, truth);
  });
  if (!written) return tl::unexpected(written.error());
  CtfEvents events{.folder = std::move(written->folder)};
  if (retimer) events.figures = retimer->figures();
  if (written->raised > 0) {
    events.diagnostics.Count(
        "events-raised", Severity::kWarning, written->raised,
        input.input.path + ": by up to " + FormatDuration(written->largest_raise_ns));
  }
  return events;
}

}  // namespace syncline
