#include "record/mpi/call_list.h"

#include <array>

namespace syncline::mpi {
namespace {

struct Described {
  const char* name;
  OTF2_RegionRole role;
};
constexpr std::array kCalls = {
#define SYNCLINE_CALL(name, role) Described{"MPI_" #name, OTF2_REGION_ROLE_##role},
    SYNCLINE_MPI_CALLS(SYNCLINE_CALL)
#undef SYNCLINE_CALL
        Described{"syncline exchanges", OTF2_REGION_ROLE_ARTIFICIAL},
};
static_assert(kCalls.size() == static_cast<size_t>(Call::kCount));

}  // namespace

const char* NameOf(Call call) { return kCalls[static_cast<size_t>(call)].name; }
OTF2_RegionRole RoleOf(Call call) { return kCalls[static_cast<size_t>(call)].role; }

OTF2_CollectiveOp CollectiveOf(Call call) {
  switch (call) {
    case Call::kBcast:
    case Call::kIbcast:
      return OTF2_COLLECTIVE_OP_BCAST;
    case Call::kGather:
    case Call::kIgather:
      return OTF2_COLLECTIVE_OP_GATHER;
    case Call::kGatherv:
    case Call::kIgatherv:
      return OTF2_COLLECTIVE_OP_GATHERV;
    case Call::kScatter:
    case Call::kIscatter:
      return OTF2_COLLECTIVE_OP_SCATTER;
    case Call::kScatterv:
    case Call::kIscatterv:
      return OTF2_COLLECTIVE_OP_SCATTERV;
    case Call::kAllgather:
    case Call::kIallgather:
      return OTF2_COLLECTIVE_OP_ALLGATHER;
    case Call::kAllgatherv:
    case Call::kIallgatherv:
      return OTF2_COLLECTIVE_OP_ALLGATHERV;
    case Call::kAlltoall:
    case Call::kIalltoall:
      return OTF2_COLLECTIVE_OP_ALLTOALL;
    case Call::kAlltoallv:
    case Call::kIalltoallv:
      return OTF2_COLLECTIVE_OP_ALLTOALLV;
    case Call::kAlltoallw:
    case Call::kIalltoallw:
      return OTF2_COLLECTIVE_OP_ALLTOALLW;
    case Call::kReduce:
    case Call::kIreduce:
      return OTF2_COLLECTIVE_OP_REDUCE;
    case Call::kAllreduce:
    case Call::kIallreduce:
      return OTF2_COLLECTIVE_OP_ALLREDUCE;
    case Call::kReduce_scatter:
    case Call::kIreduce_scatter:
      return OTF2_COLLECTIVE_OP_REDUCE_SCATTER;
    case Call::kReduce_scatter_block:
    case Call::kIreduce_scatter_block:
      return OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK;
    case Call::kScan:
    case Call::kIscan:
      return OTF2_COLLECTIVE_OP_SCAN;
    case Call::kExscan:
    case Call::kIexscan:
      return OTF2_COLLECTIVE_OP_EXSCAN;
    default:
      return OTF2_COLLECTIVE_OP_BARRIER;
  }
}

}  // namespace syncline::mpi
