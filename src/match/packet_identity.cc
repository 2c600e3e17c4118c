#include "match/packet_identity.h"

#include <algorithm>

#include "match/key_hash.h"

namespace syncline {
namespace {

constexpr uint8_t kFin = 0x01;
constexpr uint8_t kSyn = 0x02;
constexpr uint8_t kPsh = 0x08;
constexpr uint8_t kCongestionFlags = 0xc0;  // ECE and CWR, which routers and cards may change

uint64_t Pack(uint64_t high, uint32_t low) { return high << 32 | low; }

// The addresses and the protocol, the same for both keys.
KeyHash Endpoints(const std::byte* network, const DecodedPacket& decoded) {
  KeyHash hash;
  if (decoded.ip_version == 6) {
    hash.AddBytes({network + 8, 32});
  } else {
    hash.Add(decoded.source, decoded.destination);
  }
  return hash;
}

// IPv4 id or IPv6 flow label, with the length: two packets of equal content differ here.
uint64_t IpId(const std::byte* network, const DecodedPacket& decoded) {
  const uint32_t id =
      decoded.ip_version == 6 ? LoadBig32(network) & 0xfffff : LoadBig16(network + 4);
  return Pack(decoded.network_length, id);
}

std::span<const std::byte> HashedPayload(std::span<const std::byte> bytes,
                                         const DecodedPacket& decoded, uint32_t hashed_length) {
  const size_t kept = std::min<size_t>(decoded.network_length, hashed_length);
  const size_t end = std::min(bytes.size(), decoded.network_offset + kept);
  if (end <= decoded.payload_offset) return {};
  return bytes.subspan(decoded.payload_offset, end - decoded.payload_offset);
}

// TSval and TSecr, or 0: the one option that tells segments of equal numbers apart.
uint64_t TcpTimestamps(std::span<const std::byte> options) {
  constexpr std::byte kEnd{0};
  constexpr std::byte kNop{1};
  constexpr std::byte kTimestamps{8};
  while (!options.empty() && options[0] != kEnd) {
    if (options[0] == kNop) {
      options = options.subspan(1);
      continue;
    }
    if (options.size() < 2) break;
    const auto length = std::to_integer<size_t>(options[1]);
    if (length < 2 || length > options.size()) break;
    if (options[0] == kTimestamps && length == 10) {
      return Pack(LoadBig32(options.data() + 2), LoadBig32(options.data() + 6));
    }
    options = options.subspan(length);
  }
  return 0;
}

void AddTcp(KeyHash& hash, std::span<const std::byte> header) {
  const std::byte* p = header.data();
  const uint32_t flags = std::to_integer<uint32_t>(p[13]) & ~uint32_t{kCongestionFlags};
  const uint32_t window = LoadBig16(p + 14);
  const uint32_t urgent = LoadBig16(p + 18);
  hash.Add(Pack(LoadBig32(p), LoadBig32(p + 4)), Pack(LoadBig32(p + 8), flags << 16 | window));
  hash.Add(urgent, header.size());
  if (header.size() > 20) hash.AddBytes(header.subspan(20));
}

uint64_t LooseTcpKey(const std::byte* network, const DecodedPacket& decoded,
                     std::span<const std::byte> header) {
  const std::byte* p = header.data();
  const auto flags = std::to_integer<uint8_t>(p[13]);
  const uint32_t end = LoadBig32(p + 4) + decoded.payload_length() + ((flags & kSyn) != 0 ? 1 : 0) +
                       ((flags & kFin) != 0 ? 1 : 0);
  const uint32_t kept = flags & ~uint32_t{kCongestionFlags | kPsh | kFin};
  KeyHash hash = Endpoints(network, decoded);
  hash.Add(Pack(LoadBig32(p), end), Pack(LoadBig32(p + 8), kept << 16 | LoadBig16(p + 14)));
  hash.Add(TcpTimestamps(header.subspan(20)), decoded.ip_version);
  return hash.First();
}

void AddTransport(KeyHash& hash, std::span<const std::byte> header, Protocol protocol) {
  const std::byte* p = header.data();
  switch (protocol) {
    case Protocol::kTcp: return AddTcp(hash, header);
    case Protocol::kUdp:  // ports, length
      return hash.Add(LoadBig32(p), LoadBig16(p + 4));
    case Protocol::kIcmp:  // type, code, checksum, the rest of the header
      return hash.Add(LoadBig32(p), LoadBig32(p + 4));
    case Protocol::kIcmp6: return hash.Add(LoadBig16(p), LoadBig32(p + 4));
    case Protocol::kArp: return hash.AddBytes(header);
    case Protocol::kNone: return;
  }
}

}  // namespace

PacketIdentity IdentifyPacket(std::span<const std::byte> bytes, const DecodedPacket& decoded,
                              uint32_t hashed_length) {
  const std::byte* network = bytes.data() + decoded.network_offset;
  const auto header =
      bytes.subspan(decoded.transport_offset, decoded.payload_offset - decoded.transport_offset);
  PacketIdentity identity;
  identity.payload_length = decoded.payload_length();
  KeyHash hash = Endpoints(network, decoded);
  hash.Add(decoded.protocol == Protocol::kArp ? 0 : IpId(network, decoded),
           static_cast<uint64_t>(decoded.protocol));
  AddTransport(hash, header, decoded.protocol);
  const auto payload = HashedPayload(bytes, decoded, hashed_length);
  if (!payload.empty()) hash.AddBytes(payload);
  identity.strict = hash.First();
  identity.has_id = decoded.ip_version == 4 && LoadBig16(network + 4) != 0;
  identity.is_mergeable = decoded.protocol == Protocol::kTcp && identity.payload_length > 0;
  identity.loose = identity.is_mergeable ? LooseTcpKey(network, decoded, header) : hash.Second();
  return identity;
}

}  // namespace syncline
