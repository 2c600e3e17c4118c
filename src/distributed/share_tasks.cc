#include "distributed/share_tasks.h"

#include <fmt/format.h>

#include "estimate/drift_bounded/message_works.h"
#include "estimate/joint/shared_bounds.h"
#include "pipeline/estimate/measure_quality.h"

namespace syncline {
namespace {

Result<void> DoKind(const MessageShare& share, ParcelReader& task, const Communicator& communicator,
                    Parcel& outcome) {
  const auto kind = task.Take<TeamTask>();
  if (kind == TeamTask::kQuality) return MeasureShare(share.held(), task, outcome);
  if (kind == TeamTask::kBounds) {
    FindShareOfBounds(task, static_cast<size_t>(communicator.rank()),
                      static_cast<size_t>(communicator.size()), outcome);
    return {};
  }
  const auto run = [&](MessageWork& work) { return share.Run(task, work); };
  return drift_bounded::DoTask(kind, task, run, outcome);
}

Parcel Failure(const Error& error, const Communicator& communicator) {
  Error named = error;
  named.message += fmt::format(" ({})", communicator.Name());
  Parcel answer;
  answer.Put(true);
  PutError(named, answer);
  return answer;
}

}  // namespace

Parcel DoTask(const MessageShare& share, ParcelReader& task, const Communicator& communicator) {
  Parcel answer;
  answer.Put(false);
  if (auto done = DoKind(share, task, communicator, answer); !done)
    return Failure(done.error(), communicator);
  return answer;
}

Parcel AnswerOf(const Result<std::vector<Message>>& messages, const Communicator& communicator) {
  if (!messages) return Failure(messages.error(), communicator);
  Parcel answer;
  answer.PutEach(false, *messages);
  return answer;
}

Result<ParcelReader> OpenAnswer(ParcelReader answer) {
  if (answer.Take<bool>()) return tl::unexpected(TakeError(answer));
  return answer;
}

void PutError(const Error& error, Parcel& parcel) {
  parcel.PutEach(error.code, error.message, error.file, error.position);
}

Error TakeError(ParcelReader& parcel) {
  Error error;
  parcel.TakeEach(error.code, error.message, error.file, error.position);
  return error;
}

}  // namespace syncline
