// What events of PyTorch's profiler (Kineto) say about communication between ranks.
//
// NCCL's kernels say it themselves in newer traces; in older ones the call that launched them does:
// `record_param_comms` and the annotation `nccl:…`.
// Ownership: values are copied. Tested by: nccl_operation_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "read/chrome/chrome_event.h"

namespace syncline {

// MPI's name in lower case of what PyTorch or NCCL calls an operation ("_allgather_base",
// "ncclDevKernel_AllReduce_Sum_f32"); "send", "recv"; empty where nothing is known of it, as of
// SendRecv, which is several things. Valid for ever.
std::string_view CollectiveKind(std::string_view name);

// Of kinds: whether one member is the source or the destination of all others.
bool HasRoot(std::string_view kind);
bool IsFromRoot(std::string_view kind);

bool IsNcclKernel(const ChromeEvent& event);
// The profiler's own event of a call, or the annotation that names it.
bool IsNcclCall(const ChromeEvent& event);
// A call of CUDA that launches something on the device.
bool IsLaunch(const ChromeEvent& event);

struct NcclArguments {
  std::string collective;  // as PyTorch calls it
  std::string group;       // Process Group Name, with its ranks, as names may repeat
  std::string instance;    // Comms Id
  std::optional<int64_t> sequence, source_rank, destination_rank, correlation;
  // Of broadcast, reduce, gather and scatter: the one at the place in the group that Rank says.
  // Some versions recorded each rank's own there for some of these.
  std::optional<int64_t> root_rank;
  std::string size;            // number and type of elements, or "Input Dims"
  bool may_leave_out = false;  // an all-to-all whose members may exchange nothing
};
// Of "args"; what is not there stays empty.
NcclArguments ParseNcclArguments(std::string_view args);

// "name" of "args", which metadata gives processes and threads.
std::string NameInArguments(std::string_view args);

}  // namespace syncline
