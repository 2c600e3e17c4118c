// Names of what OTF2 records: the kinds of collectives, and the types of records that are no more
// than marks to this project.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace syncline {

// By OTF2_CollectiveOp.
inline constexpr std::array<std::string_view, 23> kOtf2CollectiveNames = {
    "barrier",
    "bcast",
    "gather",
    "gatherv",
    "scatter",
    "scatterv",
    "allgather",
    "allgatherv",
    "alltoall",
    "alltoallv",
    "alltoallw",
    "allreduce",
    "reduce",
    "reduce_scatter",
    "scan",
    "exscan",
    "reduce_scatter_block",
    "create_handle",
    "destroy_handle",
    "allocate",
    "deallocate",
    "create_handle_and_allocate",
    "destroy_handle_and_deallocate",
};

// Every type of event record of OTF2 3.0 that becomes a mark.
#define SYNCLINE_OTF2_MARK_TYPES(X) \
  X(BufferFlush)                    \
  X(CallingContextEnter)            \
  X(CallingContextLeave)            \
  X(CallingContextSample)           \
  X(CommCreate)                     \
  X(CommDestroy)                    \
  X(IoAcquireLock)                  \
  X(IoChangeStatusFlags)            \
  X(IoCreateHandle)                 \
  X(IoDeleteFile)                   \
  X(IoDestroyHandle)                \
  X(IoDuplicateHandle)              \
  X(IoOperationBegin)               \
  X(IoOperationCancelled)           \
  X(IoOperationComplete)            \
  X(IoOperationIssued)              \
  X(IoOperationTest)                \
  X(IoReleaseLock)                  \
  X(IoSeek)                         \
  X(IoTryLock)                      \
  X(MeasurementOnOff)               \
  X(Metric)                         \
  X(MpiRequestTest)                 \
  X(OmpAcquireLock)                 \
  X(OmpFork)                        \
  X(OmpJoin)                        \
  X(OmpReleaseLock)                 \
  X(OmpTaskComplete)                \
  X(OmpTaskCreate)                  \
  X(OmpTaskSwitch)                  \
  X(ParameterInt)                   \
  X(ParameterString)                \
  X(ParameterUnsignedInt)           \
  X(ProgramBegin)                   \
  X(ProgramEnd)                     \
  X(RmaAcquireLock)                 \
  X(RmaAtomic)                      \
  X(RmaCollectiveBegin)             \
  X(RmaCollectiveEnd)               \
  X(RmaGet)                         \
  X(RmaGroupSync)                   \
  X(RmaOpCompleteBlocking)          \
  X(RmaOpCompleteNonBlocking)       \
  X(RmaOpCompleteRemote)            \
  X(RmaOpTest)                      \
  X(RmaPut)                         \
  X(RmaReleaseLock)                 \
  X(RmaRequestLock)                 \
  X(RmaSync)                        \
  X(RmaTryLock)                     \
  X(RmaWaitChange)                  \
  X(RmaWinCreate)                   \
  X(RmaWinDestroy)                  \
  X(ThreadAcquireLock)              \
  X(ThreadBegin)                    \
  X(ThreadCreate)                   \
  X(ThreadEnd)                      \
  X(ThreadFork)                     \
  X(ThreadJoin)                     \
  X(ThreadReleaseLock)              \
  X(ThreadTaskComplete)             \
  X(ThreadTaskCreate)               \
  X(ThreadTaskSwitch)               \
  X(ThreadTeamBegin)                \
  X(ThreadTeamEnd)                  \
  X(ThreadWait)                     \
  X(Unknown)

enum class Otf2MarkType : uint8_t {
#define SYNCLINE_OTF2_ENUMERATOR(name) k##name,
  SYNCLINE_OTF2_MARK_TYPES(SYNCLINE_OTF2_ENUMERATOR)
#undef SYNCLINE_OTF2_ENUMERATOR
};

inline constexpr auto kOtf2MarkNames = std::to_array<std::string_view>({
#define SYNCLINE_OTF2_NAME(name) #name,
    SYNCLINE_OTF2_MARK_TYPES(SYNCLINE_OTF2_NAME)
#undef SYNCLINE_OTF2_NAME
});

// Where both stand in an archive's table of names; 0 is the empty name, regions follow.
inline constexpr uint32_t kFirstCollectiveName = 1;
inline constexpr uint32_t kFirstMarkName =
    kFirstCollectiveName + static_cast<uint32_t>(kOtf2CollectiveNames.size());

}  // namespace syncline
