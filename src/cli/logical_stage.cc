#include "cli/logical_stage.h"

#include <memory>
#include <utility>

#include "cli/event_sources.h"
#include "cli/logical_adapter.h"
#include "cli/protocol.h"
#include "logical/logical_filter.h"

namespace syncline {
namespace {

class StageRun : public LogicalSink {
 public:
  StageRun(const LoadedTraces& loaded, const Retiming& retiming, const DelayModel& delays,
           const LogicalOptions& options)
      : loaded_(loaded),
        retiming_(retiming),
        options_(options),
        filter_(options, delays, *this),
        adapter_(filter_) {
    stage_.shifts_ns.resize(loaded.traces.processes.size());
  }

  void OnEvent(const RetimedEvent& event) override {
    std::vector<int64_t>& shifts = stage_.shifts_ns[event.process.index()];
    if (shifts.size() <= event.tag) shifts.resize(event.tag + 1);
    shifts[event.tag] = (event.after - event.before).ns;
  }
  void OnMessage(const RetimedMessage& message) override { figures_.AddMessage(message); }

  Result<LogicalStage> Run() {
    for (const Process& process : loaded_.traces.processes) figures_.AddProcess(process.clock);
    adapter_.Declare(loaded_.traces);
    auto sources = OpenSources(loaded_, adapter_);
    if (!sources) return tl::unexpected(sources.error());
    sources_ = std::move(*sources);
    source_of_.resize(loaded_.traces.processes.size());
    for (const auto& source : sources_) {
      for (const ProcessId process : source->processes()) {
        source_of_[process.index()] = source.get();
      }
    }
    if (auto done = Feed(); !done) return tl::unexpected(done.error());
    if (!filter_.Finish()) {
      return tl::unexpected(CycleErrorOf(filter_.report(), loaded_.traces));
    }
    CountFindings(filter_.report(), stage_.diagnostics);
    stage_.protocol = MakeProtocol(options_, filter_.report(), figures_, loaded_.traces);
    return std::move(stage_);
  }

 private:
  Result<void> Feed() {
    SourcedEvent next;
    while (const std::optional<ProcessId> wanted = filter_.Starving()) {
      EventSource* source = source_of_[wanted->index()];
      auto has_next = source->Next(next);
      if (!has_next) return tl::unexpected(has_next.error());
      if (*has_next) {
        Push(next);
      } else {
        for (const ProcessId process : source->processes()) filter_.End(process);
      }
    }
    return {};
  }

  void Push(SourcedEvent& next) {
    const ProcessId process = next.event.process;
    next.event.time = retiming_({process, next.event.tag, next.local});
    filter_.Push(next.event);
  }

  const LoadedTraces& loaded_;
  const Retiming& retiming_;
  const LogicalOptions& options_;
  LogicalStage stage_;
  LogicalFigures figures_;
  LogicalFilter filter_;
  LogicalAdapter adapter_;
  std::vector<std::unique_ptr<EventSource>> sources_;
  std::vector<EventSource*> source_of_;  // by process
};

}  // namespace

Result<LogicalStage> RunLogicalStage(const LoadedTraces& loaded, const Retiming& retiming,
                                     const DelayModel& delays, const LogicalOptions& options,
                                     Progress& progress) {
  progress.Begin("logical clock", 0);
  return StageRun(loaded, retiming, delays, options).Run();
}

}  // namespace syncline
