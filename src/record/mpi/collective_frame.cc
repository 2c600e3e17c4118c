#include <utility>

#include "record/mpi/frame.h"

namespace syncline::mpi {
namespace {

// A buffer that is too small does not keep others from completing; other errors are in the call.
bool HasTakenPart(int error) {
  int kind = MPI_SUCCESS;
  if (error != MPI_SUCCESS) PMPI_Error_class(error, &kind);
  return kind == MPI_SUCCESS || kind == MPI_ERR_TRUNCATE;
}

}  // namespace

void CollectiveFrame::Give(MPI_Comm communicator) {
  if (info_.size < 2) return;
  communicator_ = communicator;
  given_ = TheRecorder().regions().TakeSlot();
  TheRecorder().regions().Send(time(), given_);
}

int CollectiveFrame::Return(int error, CollectiveBytes bytes) {
  Frame::Return(error);
  if (is_recorded_ && error == MPI_SUCCESS) {
    Append({.bytes = bytes.sent,
            .received = bytes.received,
            .communicator = info_.number,
            .peer = root_,
            .kind = RawKind::kCollectiveEnd});
  }
  if (given_ == Regions::kNoSlot) return error;
  if (HasTakenPart(error)) {
    TheRecorder().shared_stamps().Share({call_, communicator_, info_, root_, bytes}, given_,
                                        time());
  } else {
    TheRecorder().regions().GiveBack(given_);
  }
  return error;
}

PostedCollectiveFrame::PostedCollectiveFrame(Call call, MPI_Comm communicator, int root)
    : Frame(call), root_(root) {
  if (!records()) return;
  info_ = Known(communicator);
  if (!info_.is_known() || info_.is_inter) return;
  number_ = TheRecorder().NewRequest();
  Append({.request = number_, .kind = RawKind::kCollectivePosted});
  if (info_.size < 2 || !Carries(communicator)) return;
  communicator_ = communicator;
  given_ = TheRecorder().regions().TakeSlot();
  TheRecorder().regions().Send(time(), given_);
}

int PostedCollectiveFrame::Return(int error, const MPI_Request* request, CollectiveBytes bytes) {
  Frame::Return(error);
  if (error != MPI_SUCCESS) TheRecorder().regions().GiveBack(std::exchange(given_, 0));
  if (number_ == 0 || error != MPI_SUCCESS) {
    if (records() && error == MPI_SUCCESS) Unpend(*request);
    return error;
  }
  Pending pending{.kind = PendingKind::kCollective};
  pending.event = {.bytes = bytes.sent,
                   .received = bytes.received,
                   .communicator = info_.number,
                   .peer = root_,
                   .request = number_,
                   .call = call_,
                   .kind = RawKind::kCollectiveComplete};
  if (given_ != Regions::kNoSlot) {
    pending.stamp =
        TheRecorder().shared_stamps().Post({call_, communicator_, info_, root_, bytes}, given_);
  }
  Pend(*request, pending);
  return error;
}

}  // namespace syncline::mpi
