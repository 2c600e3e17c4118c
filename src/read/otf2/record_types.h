// Names of what OTF2 records: the kinds of collectives, and the types of records that are no more
// than marks to this project.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "read/otf2/event_kinds.h"

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
  SYNCLINE_OTF2_OTHER_EVENTS(X)     \
  X(BufferFlush)                    \
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

// What threads of a team do together, besides barriers (match/collective_messages.h).
inline constexpr std::array<std::string_view, 2> kOtf2TeamNames = {"thread fork", "thread join"};
inline constexpr uint32_t kForkName = kFirstMarkName + static_cast<uint32_t>(kOtf2MarkNames.size());
inline constexpr uint32_t kJoinName = kForkName + 1;
inline constexpr uint32_t kBarrierName = kFirstCollectiveName;

}  // namespace syncline
