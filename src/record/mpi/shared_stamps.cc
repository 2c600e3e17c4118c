#include "record/mpi/shared_stamps.h"

#include <algorithm>

namespace syncline::mpi {
namespace {

enum class Teaching : uint8_t { kAllToAll, kOneToAll, kAllToOne, kLowerRanks, kNothing };

Teaching TeachingOf(Call call) {
  switch (CollectiveOf(call)) {
    case OTF2_COLLECTIVE_OP_BCAST:
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV: return Teaching::kOneToAll;
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV:
    case OTF2_COLLECTIVE_OP_REDUCE: return Teaching::kAllToOne;
    case OTF2_COLLECTIVE_OP_SCAN:
    case OTF2_COLLECTIVE_OP_EXSCAN: return Teaching::kLowerRanks;
    // A pair may exchange nothing.
    case OTF2_COLLECTIVE_OP_ALLTOALLV:
    case OTF2_COLLECTIVE_OP_ALLTOALLW: return Teaching::kNothing;
    default: return Teaching::kAllToAll;
  }
}

bool SizesCount(Call call) {
  switch (CollectiveOf(call)) {
    case OTF2_COLLECTIVE_OP_GATHERV:
    case OTF2_COLLECTIVE_OP_SCATTERV:
    case OTF2_COLLECTIVE_OP_ALLGATHERV: return true;
    default: return false;
  }
}

bool Learns(const SharedCall& call) {
  const bool is_reduced = CollectiveOf(call.call) == OTF2_COLLECTIVE_OP_REDUCE_SCATTER;
  const bool sizes_count = SizesCount(call.call) || (is_reduced && call.bytes.sent > 0);
  if (sizes_count && call.bytes.received == 0) return false;
  switch (TeachingOf(call.call)) {
    case Teaching::kAllToAll: return true;
    case Teaching::kOneToAll: return call.info.rank != call.root;
    case Teaching::kAllToOne: return call.info.rank == call.root;
    case Teaching::kLowerRanks: return call.info.rank > 0;
    case Teaching::kNothing: break;
  }
  return false;
}

bool Gives(const SharedCall& call) {
  if (TeachingOf(call.call) == Teaching::kOneToAll) return true;
  return !SizesCount(call.call) || call.bytes.sent > 0;
}

}  // namespace

SharedStamps::Posted SharedStamps::Prepare(const SharedCall& call, uint32_t given) {
  if (!Gives(call)) std::fill_n(regions_->Slot(given), regions_->words(), 0);
  return {.given = given, .learned = regions_->TakeSlot(), .learns = Learns(call)};
}

void SharedStamps::GiveBack(const Posted& posted) {
  regions_->GiveBack(posted.given);
  regions_->GiveBack(posted.learned);
}

void SharedStamps::Share(const SharedCall& call, uint32_t given, uint64_t time) {
  if (TeachingOf(call.call) == Teaching::kNothing) return regions_->GiveBack(given);
  const Posted posted = Prepare(call, given);
  int64_t* in = regions_->Slot(posted.given);
  int64_t* out = regions_->Slot(posted.learned);
  const auto words = static_cast<int>(regions_->words());
  MPI_Comm comm = call.communicator;
  switch (TeachingOf(call.call)) {
    case Teaching::kAllToAll: PMPI_Allreduce(in, out, words, MPI_INT64_T, MPI_MAX, comm); break;
    case Teaching::kOneToAll:
      PMPI_Bcast(call.info.rank == call.root ? in : out, words, MPI_INT64_T, call.root, comm);
      break;
    case Teaching::kAllToOne:
      PMPI_Reduce(in, out, words, MPI_INT64_T, MPI_MAX, call.root, comm);
      break;
    case Teaching::kLowerRanks: PMPI_Exscan(in, out, words, MPI_INT64_T, MPI_MAX, comm); break;
    case Teaching::kNothing: break;
  }
  if (posted.learns) regions_->Deliver(time, posted.learned);
  GiveBack(posted);
}

uint32_t SharedStamps::Post(const SharedCall& call, uint32_t given) {
  std::erase_if(left_, [this](Posted& posted) { return IsOver(posted); });
  if (TeachingOf(call.call) == Teaching::kNothing) {
    regions_->GiveBack(given);
    return 0;
  }
  while (next_ == 0 || posted_.contains(next_)) ++next_;
  Posted& posted = posted_[next_] = Prepare(call, given);
  int64_t* in = regions_->Slot(posted.given);
  int64_t* out = regions_->Slot(posted.learned);
  const auto words = static_cast<int>(regions_->words());
  MPI_Comm comm = call.communicator;
  MPI_Request* request = &posted.request;
  switch (TeachingOf(call.call)) {
    case Teaching::kAllToAll:
      PMPI_Iallreduce(in, out, words, MPI_INT64_T, MPI_MAX, comm, request);
      break;
    case Teaching::kOneToAll:
      PMPI_Ibcast(call.info.rank == call.root ? in : out, words, MPI_INT64_T, call.root, comm,
                  request);
      break;
    case Teaching::kAllToOne:
      PMPI_Ireduce(in, out, words, MPI_INT64_T, MPI_MAX, call.root, comm, request);
      break;
    case Teaching::kLowerRanks:
      PMPI_Iexscan(in, out, words, MPI_INT64_T, MPI_MAX, comm, request);
      break;
    case Teaching::kNothing: break;
  }
  return next_++;
}

void SharedStamps::Complete(uint32_t number, uint64_t time) {
  const auto found = posted_.find(number);
  if (found == posted_.end()) return;
  Posted& posted = found->second;
  if (posted.learns) {
    PMPI_Wait(&posted.request, MPI_STATUS_IGNORE);
    regions_->Deliver(time, posted.learned);
    GiveBack(posted);
  } else {
    left_.push_back(posted);
  }
  posted_.erase(found);
}

bool SharedStamps::IsOver(Posted& posted) {
  int is_over = 0;
  PMPI_Test(&posted.request, &is_over, MPI_STATUS_IGNORE);
  if (is_over != 0) GiveBack(posted);
  return is_over != 0;
}

void SharedStamps::Finish() {
  for (auto& [number, posted] : posted_) PMPI_Wait(&posted.request, MPI_STATUS_IGNORE);
  for (Posted& posted : left_) PMPI_Wait(&posted.request, MPI_STATUS_IGNORE);
  posted_.clear();
  left_.clear();
}

}  // namespace syncline::mpi
