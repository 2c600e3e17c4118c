// Writes the blocks of a pcapng file, in this machine's byte order, to an output in large pieces.
//
// Units: timestamps in nanoseconds since the epoch. Errors: of the output. Cost: one copy.
// Tested by: capture_merger_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "syncline/result.h"

#include "base/file.h"

namespace syncline {

// Texts longer than an option can hold (65535 bytes) are cut.
struct PcapngInterfaceFields {
  uint16_t link_number = 0;
  uint32_t snap_length = 0;  // 0 = unlimited
  std::string_view name;
  std::string_view description;
};

struct PcapngOptionFields {
  uint16_t code = 0;
  std::span<const std::byte> value;
};

struct PcapngPacketFields {
  uint32_t interface = 0;  // in the order of WriteInterface()
  uint64_t time_ns = 0;
  uint32_t original_length = 0;
  std::span<const std::byte> data;
  std::span<const PcapngOptionFields> options;
};

class PcapngWriter {
 public:
  // `output` must outlive the writer.
  explicit PcapngWriter(OutputFile& output) : output_(output) {}

  void WriteSection(std::string_view application);
  void WriteInterface(const PcapngInterfaceFields& interface);
  Result<void> WritePacket(const PcapngPacketFields& packet);
  // Everything up to here is in the output only afterwards.
  Result<void> Flush();

 private:
  void Begin(uint32_t type);
  void End();
  void PutBytes(std::span<const std::byte> bytes);
  void PutOption(uint16_t code, std::span<const std::byte> value);
  void PutText(uint16_t code, std::string_view text);
  template <typename T>
  void Put(T value);

  OutputFile& output_;
  std::vector<std::byte> pending_;
  size_t block_at_ = 0;  // where the block begun last starts in pending_
};

}  // namespace syncline
