#include "frame_identity.h"

#include <utility>

namespace syncline {
namespace {

constexpr size_t kEthernetHeader = 14;
constexpr size_t kIpv4Header = 20;  // without options
constexpr size_t kIpv6Header = 40;
constexpr uint8_t kIcmp = 1;
constexpr uint8_t kTcp = 6;
constexpr uint8_t kUdp = 17;
constexpr uint8_t kIcmp6 = 58;

uint8_t Load8(std::span<const std::byte> bytes, size_t at) {
  return std::to_integer<uint8_t>(bytes[at]);
}

uint16_t Load16(std::span<const std::byte> bytes, size_t at) {
  return static_cast<uint16_t>(Load8(bytes, at) << 8 | Load8(bytes, at + 1));
}

void Store16(std::span<std::byte> bytes, size_t at, uint16_t value) {
  bytes[at] = static_cast<std::byte>(value >> 8);
  bytes[at + 1] = static_cast<std::byte>(value & 0xff);
}

std::string Text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool IsEcho(uint8_t protocol, uint8_t type) {
  return protocol == kIcmp ? type == 0 || type == 8 : type == 128 || type == 129;
}

// `id` with the fields behind the IP header, which ends at `at`; `is_forward` says that the source
// address is the lower one.
std::optional<FrameIdentity> WithFlow(FrameIdentity id, std::span<const std::byte> frame, size_t at,
                                      bool is_forward) {
  const bool is_icmp = id.protocol == kIcmp || id.protocol == kIcmp6;
  if (!is_icmp && id.protocol != kTcp && id.protocol != kUdp) return {};
  id.checksum_at = at + (is_icmp ? 2 : id.protocol == kTcp ? 16 : 6);
  if (frame.size() < id.checksum_at + 2 || frame.size() < at + 8) return {};
  if (is_icmp) {
    if (!IsEcho(id.protocol, Load8(frame, at))) return {};
    id.id_at[0] = at + 4;
    id.low_port = Load16(frame, at + 4);
    return id;
  }
  id.id_at[0] = at;
  id.id_at[1] = at + 2;
  id.low_port = Load16(frame, is_forward ? at : at + 2);
  id.high_port = Load16(frame, is_forward ? at + 2 : at);
  if (id.protocol == kUdp && Load16(frame, id.checksum_at) == 0) id.checksum_at = 0;
  return id;
}

// Raises the number at `at` and adjusts the one's complement checksum over it.
void Raise(std::span<std::byte> frame, size_t at, size_t checksum_at, uint16_t step) {
  const uint16_t before = Load16(frame, at);
  const auto after = static_cast<uint16_t>(before + step);
  Store16(frame, at, after);
  if (checksum_at == 0) return;
  uint32_t sum = static_cast<uint16_t>(~Load16(frame, checksum_at));
  sum += static_cast<uint16_t>(~before);
  sum += after;
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  Store16(frame, checksum_at, static_cast<uint16_t>(~sum));
}

}  // namespace

std::optional<FrameIdentity> IdentityOf(std::span<const std::byte> frame) {
  if (frame.size() < kEthernetHeader + kIpv4Header) return {};
  const uint16_t kind = Load16(frame, 12);
  FrameIdentity id;
  size_t addresses_at = 0;
  size_t address_length = 0;
  size_t payload_at = 0;
  if (kind == 0x0800) {
    id.protocol = Load8(frame, kEthernetHeader + 9);
    id.ip_id_at = kEthernetHeader + 4;
    id.ip_checksum_at = kEthernetHeader + 10;
    addresses_at = kEthernetHeader + 12;
    address_length = 4;
    payload_at = kEthernetHeader + 4 * (Load8(frame, kEthernetHeader) & 0xfU);
  } else if (kind == 0x86dd && frame.size() >= kEthernetHeader + kIpv6Header) {
    id.protocol = Load8(frame, kEthernetHeader + 6);
    addresses_at = kEthernetHeader + 8;
    address_length = 16;
    payload_at = kEthernetHeader + kIpv6Header;
  } else {
    return {};
  }
  std::string from = Text(frame.subspan(addresses_at, address_length));
  std::string to = Text(frame.subspan(addresses_at + address_length, address_length));
  const bool is_forward = from < to;
  if (!is_forward) std::swap(from, to);
  id.addresses = from + to;
  return WithFlow(std::move(id), frame, payload_at, is_forward);
}

void MoveIdentity(std::span<std::byte> frame, const FrameIdentity& identity, uint16_t step) {
  if (identity.ip_id_at != 0) Raise(frame, identity.ip_id_at, identity.ip_checksum_at, step);
  for (const size_t at : identity.id_at) {
    if (at != 0) Raise(frame, at, identity.checksum_at, step);
  }
}

}  // namespace syncline
