// Classic captures from any bytes: as they are, and behind each of the four sound headers.

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "pcap_property.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr std::array<uint32_t, 2> kMagics = {0xa1b2c3d4, 0xa1b23c4d};
  std::vector<std::byte> input(size);
  if (size > 0) std::memcpy(input.data(), data, size);
  syncline::CheckCaptureProperties(input);
  if (size < 24) return 0;
  // Files whose header is sound reach the records.
  for (const uint32_t magic : kMagics) {
    for (const auto order : {syncline::ByteOrder::kNative, syncline::ByteOrder::kSwapped}) {
      syncline::Store(input.data(), order, magic);
      syncline::Store<uint16_t>(input.data() + 4, order, 2);
      syncline::Store<uint16_t>(input.data() + 6, order, 4);
      syncline::CheckCaptureProperties(input);
    }
  }
  return 0;
}
