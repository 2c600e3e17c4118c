#include "live/exchange/exchange_packet.h"

#include <algorithm>

namespace syncline {
namespace {

constexpr uint64_t kMagic = 0x534C4358;  // "SLCX"
constexpr uint8_t kVersion = 1;
constexpr uint8_t kArrivalByKernel = 1;
constexpr uint8_t kSigned = 2;
constexpr size_t kDigestAt = 72;
static_assert(kDigestAt + kDigestBytes == kExchangePacketBytes);

void Put(std::span<std::byte> place, uint64_t value) {
  for (size_t i = place.size(); i-- > 0; value >>= 8) place[i] = static_cast<std::byte>(value);
}

uint64_t Take(std::span<const std::byte> place) {
  uint64_t value = 0;
  for (const std::byte byte : place) value = value << 8 | std::to_integer<uint64_t>(byte);
  return value;
}

int64_t TakeTime(std::span<const std::byte> place) { return static_cast<int64_t>(Take(place)); }

bool IsZero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
}

bool HasForm(std::span<const std::byte> bytes) {
  if (bytes.size() != kExchangePacketBytes || Take(bytes.first(4)) != kMagic) return false;
  const auto kind = std::to_integer<uint8_t>(bytes[5]);
  const auto flags = std::to_integer<uint8_t>(bytes[6]);
  const bool is_signed = (flags & kSigned) != 0;
  return std::to_integer<uint8_t>(bytes[4]) == kVersion && kind >= 1 && kind <= 3 &&
         (flags & ~(kArrivalByKernel | kSigned)) == 0 && bytes[7] == std::byte{0} &&
         IsZero(bytes.subspan(24, 8)) && (is_signed || IsZero(bytes.subspan(kDigestAt)));
}

}  // namespace

ExchangeBytes EncodeExchange(const ExchangePacket& packet, const PacketKey& key) {
  ExchangeBytes bytes = {};
  const std::span all(bytes);
  Put(all.first(4), kMagic);
  Put(all.subspan(4, 1), kVersion);
  Put(all.subspan(5, 1), static_cast<uint8_t>(packet.kind));
  Put(all.subspan(6, 1),
      (packet.is_arrival_by_kernel ? kArrivalByKernel : 0) | (key.is_given() ? kSigned : 0));
  Put(all.subspan(8, 8), packet.session);
  Put(all.subspan(16, 8), packet.number);
  Put(all.subspan(32, 8), static_cast<uint64_t>(packet.t1_ns));
  Put(all.subspan(40, 8), static_cast<uint64_t>(packet.t2_ns));
  Put(all.subspan(48, 8), static_cast<uint64_t>(packet.t3_ns));
  Put(all.subspan(56, 8), packet.earlier_number);
  Put(all.subspan(64, 8), static_cast<uint64_t>(packet.earlier_t3_ns));
  if (key.is_given()) {
    const Digest digest = key.Sign(all.first(kDigestAt));
    std::copy(digest.begin(), digest.end(), bytes.begin() + kDigestAt);
  }
  return bytes;
}

tl::expected<ExchangePacket, PacketRefusal> DecodeExchange(std::span<const std::byte> bytes,
                                                           const PacketKey& key) {
  if (!HasForm(bytes)) return tl::unexpected(PacketRefusal::kMalformed);
  const auto flags = std::to_integer<uint8_t>(bytes[6]);
  const bool is_signed = (flags & kSigned) != 0;
  if (is_signed != key.is_given() ||
      (is_signed && !key.Verifies(bytes.first(kDigestAt), bytes.subspan(kDigestAt)))) {
    return tl::unexpected(PacketRefusal::kUnauthenticated);
  }
  const ExchangePacket packet = {
      .kind = static_cast<ExchangePacket::Kind>(bytes[5]),
      .is_arrival_by_kernel = (flags & kArrivalByKernel) != 0,
      .session = Take(bytes.subspan(8, 8)),
      .number = Take(bytes.subspan(16, 8)),
      .t1_ns = TakeTime(bytes.subspan(32, 8)),
      .t2_ns = TakeTime(bytes.subspan(40, 8)),
      .t3_ns = TakeTime(bytes.subspan(48, 8)),
      .earlier_number = Take(bytes.subspan(56, 8)),
      .earlier_t3_ns = TakeTime(bytes.subspan(64, 8)),
  };
  if (packet.number == 0) return tl::unexpected(PacketRefusal::kMalformed);
  return packet;
}

}  // namespace syncline
