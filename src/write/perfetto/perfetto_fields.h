// The numbers of the fields of Perfetto's trace format that are written here, by message.
//
// From Perfetto's documented definitions (protos/perfetto/trace), whose numbers never change
// meaning. Tested by: perfetto_writer_test.cc and testdata/trace.proto, which repeats them.
#pragma once

#include <cstdint>

namespace syncline::perfetto {

// Trace
inline constexpr uint32_t kPacket = 1;

namespace packet {
inline constexpr uint32_t kClockSnapshot = 6;
inline constexpr uint32_t kTimestamp = 8;
inline constexpr uint32_t kSequence = 10;
inline constexpr uint32_t kTrackEvent = 11;
inline constexpr uint32_t kInternedData = 12;
inline constexpr uint32_t kSequenceFlags = 13;
inline constexpr uint32_t kTrackDescriptor = 60;
inline constexpr uint64_t kStateCleared = 1;  // of kSequenceFlags
inline constexpr uint64_t kNeedsState = 2;
}  // namespace packet

namespace clock_snapshot {
inline constexpr uint32_t kClock = 1;
inline constexpr uint32_t kClockId = 1;  // of a clock
inline constexpr uint32_t kClockTimestamp = 2;
inline constexpr uint64_t kRealtime = 1;  // of kClockId
inline constexpr uint64_t kBoottime = 6;
}  // namespace clock_snapshot

namespace track {
inline constexpr uint32_t kUuid = 1;
inline constexpr uint32_t kName = 2;
inline constexpr uint32_t kParent = 5;
}  // namespace track

namespace event {
inline constexpr uint32_t kCategory = 3;  // interned
inline constexpr uint32_t kAnnotation = 4;
inline constexpr uint32_t kType = 9;
inline constexpr uint32_t kName = 10;  // interned
inline constexpr uint32_t kTrack = 11;
inline constexpr uint32_t kFlow = 47;
inline constexpr uint64_t kSliceBegin = 1;  // of kType
inline constexpr uint64_t kSliceEnd = 2;
inline constexpr uint64_t kInstant = 3;
}  // namespace event

namespace annotation {
inline constexpr uint32_t kName = 1;  // interned
inline constexpr uint32_t kUnsigned = 3;
inline constexpr uint32_t kSigned = 4;
inline constexpr uint32_t kText = 6;
}  // namespace annotation

namespace interned {
inline constexpr uint32_t kCategories = 1;
inline constexpr uint32_t kEventNames = 2;
inline constexpr uint32_t kAnnotationNames = 3;
inline constexpr uint32_t kId = 1;  // of an entry of any of them
inline constexpr uint32_t kName = 2;
}  // namespace interned

}  // namespace syncline::perfetto
