#include "write/pcap/pcapng_writer.h"

#include <cstring>
#include <limits>

#include "read/pcap/pcapng_option.h"

namespace syncline {
namespace {

constexpr uint32_t kSectionBlock = 0x0a0d0d0a;
constexpr uint32_t kInterfaceBlock = 1;
constexpr uint32_t kEnhancedPacketBlock = 6;
constexpr uint32_t kByteOrderMagic = 0x1a2b3c4d;
constexpr uint64_t kUnknownSectionLength = std::numeric_limits<uint64_t>::max();
constexpr uint8_t kNanosecondResolution = 9;
constexpr size_t kLongestOption = std::numeric_limits<uint16_t>::max();

}  // namespace

template <typename T>
void PcapngWriter::Put(T value) {
  const size_t at = pending_.size();
  pending_.resize(at + sizeof(T));
  std::memcpy(pending_.data() + at, &value, sizeof(T));
}

void PcapngWriter::PutBytes(std::span<const std::byte> bytes) {
  pending_.insert(pending_.end(), bytes.begin(), bytes.end());
  pending_.resize(block_at_ + (pending_.size() - block_at_ + 3) / 4 * 4);
}

void PcapngWriter::PutOption(uint16_t code, std::span<const std::byte> value) {
  Put(code);
  Put(static_cast<uint16_t>(value.size()));
  PutBytes(value);
}

void PcapngWriter::PutText(uint16_t code, std::string_view text) {
  if (text.empty()) return;
  PutOption(code, std::as_bytes(std::span(text.substr(0, kLongestOption))));
}

void PcapngWriter::Begin(uint32_t type) {
  block_at_ = pending_.size();
  Put(type);
  Put(uint32_t{0});  // the length, known at the end
}

void PcapngWriter::End() {
  const auto length = static_cast<uint32_t>(pending_.size() - block_at_ + sizeof(uint32_t));
  Put(length);
  std::memcpy(pending_.data() + block_at_ + sizeof(uint32_t), &length, sizeof(length));
}

void PcapngWriter::WriteSection(std::string_view application) {
  Begin(kSectionBlock);
  Put(kByteOrderMagic);
  Put(uint16_t{1});
  Put(uint16_t{0});
  Put(kUnknownSectionLength);
  PutText(kSectionApplication, application);
  PutOption(kEndOfOptions, {});
  End();
}

void PcapngWriter::WriteInterface(const PcapngInterfaceFields& interface) {
  Begin(kInterfaceBlock);
  Put(interface.link_number);
  Put(uint16_t{0});
  Put(interface.snap_length);
  PutText(kInterfaceName, interface.name);
  PutText(kInterfaceDescription, interface.description);
  PutOption(kInterfaceTimeResolution, std::as_bytes(std::span(&kNanosecondResolution, 1)));
  PutOption(kEndOfOptions, {});
  End();
}

Result<void> PcapngWriter::WritePacket(const PcapngPacketFields& packet) {
  Begin(kEnhancedPacketBlock);
  Put(packet.interface);
  Put(static_cast<uint32_t>(packet.time_ns >> 32));
  Put(static_cast<uint32_t>(packet.time_ns));
  Put(static_cast<uint32_t>(packet.data.size()));
  Put(packet.original_length);
  PutBytes(packet.data);
  for (const auto& [code, value] : packet.options) PutOption(code, value);
  if (!packet.options.empty()) PutOption(kEndOfOptions, {});
  End();
  if (pending_.size() < kFileBlock) return {};
  return Flush();
}

Result<void> PcapngWriter::Flush() {
  auto done = output_.Write(pending_);
  pending_.clear();
  return done;
}

}  // namespace syncline
