// The option lists of pcapng blocks.
//
// Requires: a list that starts and ends at a multiple of four bytes in its block.
// Ownership: values point into the list. Tested by: capture_walker_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "read/pcap/capture_frame.h"

namespace syncline {

enum PcapngOptionCode : uint16_t {
  kEndOfOptions = 0,
  kComment = 1,
  kInterfaceName = 2,
  kInterfaceDescription = 3,
  kInterfaceTimeResolution = 9,
  kInterfaceTimeOffset = 14,
  kPacketFlags = 2,
  kStatisticsStart = 2,
  kStatisticsEnd = 3,
  kSectionApplication = 4,
};

struct PcapngOption {
  uint16_t code = 0;
  std::span<std::byte> value;
};

class PcapngOptionList {
 public:
  PcapngOptionList(std::span<std::byte> list, ByteOrder order) : rest_(list), order_(order) {}

  // The next option; nullopt at the end, or at one that is longer than the list (malformed()).
  std::optional<PcapngOption> Next() {
    if (rest_.size() < 4) return std::nullopt;
    const auto code = Load<uint16_t>(rest_.data(), order_);
    const auto length = Load<uint16_t>(rest_.data() + 2, order_);
    const size_t padded = 4 + (size_t{length} + 3) / 4 * 4;
    if (code == kEndOfOptions) return std::nullopt;
    if (padded > rest_.size()) {
      malformed_ = true;
      return std::nullopt;
    }
    const PcapngOption option{code, rest_.subspan(4, length)};
    rest_ = rest_.subspan(padded);
    return option;
  }
  bool malformed() const { return malformed_; }

 private:
  std::span<std::byte> rest_;
  ByteOrder order_ = ByteOrder::kNative;
  bool malformed_ = false;
};

}  // namespace syncline
