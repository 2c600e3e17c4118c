// What must hold for any bytes taken as a capture; shared by the targets of both formats.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/check.h"
#include "base/ticks.h"
#include "read/pcap/capture_reader.h"
#include "write/pcap/testing/rewrite_bytes.h"

namespace syncline {

// Reading ends; what can be read can be rewritten; unchanged times reproduce the input, moved times
// read back as QuantizeNs says, with the same packets around them.
inline void CheckCaptureProperties(std::span<const std::byte> input) {
  constexpr int64_t kShift = 1'000'000'123;
  const auto same =
      RewriteCaptureBytes(input, [](uint64_t, LocalTime time) { return GlobalTime{time.ticks}; });
  if (same) SYNCLINE_CHECK(std::ranges::equal(*same, input));
  auto reader = CaptureReader::FromBytes(input, "fuzz");
  if (!reader) {
    SYNCLINE_CHECK(!same);
    return;
  }
  const auto moved = RewriteCaptureBytes(input, [](uint64_t, LocalTime time) {
    return GlobalTime{time.ticks > 0 ? time.ticks - kShift : time.ticks};
  });
  if (moved) {
    auto again = CaptureReader::FromBytes(*moved, "fuzz").value();
    while (const Packet* packet = reader->Next()) {
      const Packet* after = again.Next();
      SYNCLINE_CHECK(after != nullptr && std::ranges::equal(after->bytes, packet->bytes));
      const int64_t ticks_per_second =
          reader->interfaces()[packet->interface].time_scale.ticks_per_second();
      const int64_t before = packet->time.ticks;
      SYNCLINE_CHECK(after->time.ticks ==
                     (before > 0 ? QuantizeNs(before - kShift, ticks_per_second) : before));
    }
    SYNCLINE_CHECK(again.Next() == nullptr && again.truncated() == reader->truncated());
  }
  while (reader->Next() != nullptr) {
  }
  SYNCLINE_CHECK(same.has_value() || reader->error());
}

}  // namespace syncline
