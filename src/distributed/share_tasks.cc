#include "distributed/share_tasks.h"

#include <memory>
#include <utility>

#include "base/try.h"
#include "estimate/drift_bounded/message_works.h"
#include "estimate/joint/shared_lines.h"
#include "pipeline/concurrency/shared_meter.h"
#include "pipeline/estimate/measure_quality.h"
#include "pipeline/write/shared_events.h"
#include "pipeline/write/shared_fit.h"
#include "trace/found_parcel.h"

namespace syncline {
namespace {

// The archive as passes over events see it.
LoadedTraces OnlyInput(const ShareOfArchive& share) {
  LoadedTraces loaded;
  loaded.traces = share.messages.held().traces;
  loaded.traces.groups = share.archive.archive.traces().groups;
  LoadedInput input;
  input.input.format = Format::kOtf2;
  input.processes = share.archive.processes;
  input.first_event.resize(input.processes.size());
  // It outlives what reads it.
  input.kept = {std::shared_ptr<const void>(), &share.archive};
  loaded.inputs.push_back(std::move(input));
  return loaded;
}

// What takes the archive's events besides its messages.
Result<void> DoWithEvents(TeamTask kind, const ShareOfArchive& share, ParcelReader& task,
                          Communicator& communicator, Parcel& outcome) {
  const LoadedTraces archive = OnlyInput(share);
  const std::vector<uint32_t> shares(share.readers.begin(), share.readers.end());
  const StageShare of_trace{{archive, share.messages.held(), shares, communicator}, share.kept};
  if (kind == TeamTask::kReplay) return RunShareOfStage(of_trace, task, outcome);
  if (kind == TeamTask::kFit) return FitShare(of_trace, share.kept, task, outcome);
  if (kind == TeamTask::kEvents) return WriteShareOfEvents(of_trace, share.kept, task, outcome);
  return RunShareOfMeter(of_trace, task, outcome);
}

Result<void> DoKind(const ShareOfArchive& share, ParcelReader& task, Communicator& communicator,
                    Parcel& outcome) {
  const auto run = [&](MessageWork& work) { return share.messages.Run(task, work); };
  const auto kind = task.Take<TeamTask>();
  switch (kind) {
    case TeamTask::kQuality: return MeasureShare(share.messages.held(), task, outcome);
    case TeamTask::kLines:
      FindShareOfLines(task, static_cast<size_t>(communicator.rank()),
                       static_cast<size_t>(communicator.size()), outcome);
      return {};
    case TeamTask::kReplay:
    case TeamTask::kFit:
    case TeamTask::kEvents:
    case TeamTask::kConcurrency: return DoWithEvents(kind, share, task, communicator, outcome);
    default: return drift_bounded::DoTask(kind, task, run, outcome);
  }
}

Result<void> Named(const Error& error, const Communicator& communicator) {
  return tl::unexpected(InProcess(error, communicator.Name()));
}

}  // namespace

Parcel DoTask(const ShareOfArchive& share, ParcelReader& task, Communicator& communicator) {
  Parcel answer;
  answer.Put(Result<void>());
  if (auto done = DoKind(share, task, communicator, answer); !done) {
    answer = {};
    answer.Put(Named(done.error(), communicator));
  }
  return answer;
}

Parcel AnswerOf(const Result<std::vector<Message>>& messages, const Communicator& communicator) {
  Parcel answer;
  answer.Put(messages ? Result<void>() : Named(messages.error(), communicator));
  if (messages) answer.Put(*messages);
  return answer;
}

Result<ParcelReader> OpenAnswer(ParcelReader answer) {
  SYNCLINE_TRY(answer.Take<Result<void>>());
  return answer;
}

}  // namespace syncline
