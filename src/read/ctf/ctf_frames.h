// What a process that reads CTF traces and its parent send each other (ctf_child.h).
//
//   child   for each trace: a result, whose value is what describes the trace
//   parent  for each trace: a request
//   child   for each stream of it: batches of events, and an end
// What is unpacked may be garbled, which the ParcelReader then says.
// Tested by: ctf_child_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "syncline/result.h"

#include "base/parcel.h"
#include "read/ctf/ctf_child.h"

namespace syncline::ctf_frames {

enum class Kind : uint8_t { kBatch, kEnd };

// A batch: its kind, how many events it has and how many of them are wanted; the times of all and,
// where they were asked for, their classes; then of each wanted one how many it is behind the one
// before (PutShort) and, in the bits besides, its class, or kClassFollows (PutShort); its values or
// its packet.
inline constexpr uint8_t kClassFollows = 15;

Result<CtfTraceInfo> UnpackInfo(ParcelReader& reader);

void PackValue(const FieldValue& value, Parcel& parcel);
FieldValue UnpackValue(ParcelReader& reader);  // text points into the bytes

void PackPacket(const KernelPacket& packet, Parcel& parcel);
KernelPacket UnpackPacket(ParcelReader& reader);  // the device's name points into the bytes

// With the error that ended the stream.
std::string PackEnd(const CtfStreamDefects& defects, const std::optional<Error>& error);
Result<CtfStreamDefects> UnpackEnd(ParcelReader& reader);

}  // namespace syncline::ctf_frames
