// Pcapng captures from any bytes: as they are, and with block lengths repaired.

#include <cstdint>
#include <cstring>
#include <vector>

#include "pcap_property.h"

namespace {

using syncline::ByteOrder;
using syncline::Load;
using syncline::Store;

// Makes each block's length one that walking accepts, so that mutations reach the blocks' content.
void RepairLengths(std::vector<std::byte>& input) {
  constexpr uint32_t kSection = 0x0a0d0d0a;
  constexpr uint32_t kByteOrderMagic = 0x1a2b3c4d;
  ByteOrder order = ByteOrder::kNative;
  size_t at = 0;
  while (input.size() - at >= 12) {
    if (at == 0) Store(input.data(), order, kSection);
    if (Load<uint32_t>(input.data() + at, order) == kSection) {
      order = Load<uint32_t>(input.data() + at + 8, ByteOrder::kNative) % 2 == 0
                  ? ByteOrder::kSwapped
                  : ByteOrder::kNative;
      Store(input.data() + at + 8, order, kByteOrderMagic);
    }
    const uint32_t wanted = Load<uint32_t>(input.data() + at + 4, order) % 256;
    const uint32_t length = (wanted < 12 ? 12 : wanted) / 4 * 4;
    if (length > input.size() - at) return;
    Store(input.data() + at + 4, order, length);
    Store(input.data() + at + length - 4, order, length);
    at += length;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<std::byte> input(size);
  if (size > 0) std::memcpy(input.data(), data, size);
  syncline::CheckCaptureProperties(input);
  RepairLengths(input);
  syncline::CheckCaptureProperties(input);
  return 0;
}
