// Reads any bytes as the stamp of a message, and holds what is read to:
// - encoding it gives the same bytes;
// - a clock takes it, or refuses it and stays as it was; what it sends on is read as it was sent.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "syncline/region_clock.h"

#include "base/check.h"

namespace syncline {
namespace {

constexpr size_t kProcesses = 200;

void CheckDelivery(const RegionStamp& stamp) {
  RegionClock clock(3, kProcesses, 0);
  clock.Block(10);
  const std::vector<int64_t> before(clock.computed_ns().begin(), clock.computed_ns().end());
  if (!clock.Deliver(25, stamp)) {
    SYNCLINE_CHECK(std::equal(before.begin(), before.end(), clock.computed_ns().begin()));
    return;
  }
  const RegionStamp sent = clock.Send(30);
  const auto read = DecodeStamp(EncodeStamp(sent), kProcesses);
  SYNCLINE_CHECK(read.has_value() && *read == sent);
}

}  // namespace
}  // namespace syncline

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto stamp = syncline::DecodeStamp(bytes, syncline::kProcesses);
  if (!stamp) return 0;
  const std::vector<std::byte> again = syncline::EncodeStamp(*stamp);
  SYNCLINE_CHECK(std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()));
  syncline::CheckDelivery(*stamp);
  return 0;
}
