// The packets of clock exchanges over UDP: one fixed layout for questions and answers, so that an
// answer is never longer than its question.
//
//     byte  0  4  "SLCX"            byte 32  8  t1: the question left
//           4  1  version, 1            40  8  t2: it arrived (answers)
//           5  1  kind                  48  8  t3: the answer left, at the earliest (answers)
//           6  1  flags                 56  8  number of an earlier answer of the session, 0: none
//           7  1  0                     64  8  t3 of that answer, as the kernel stamped it
//           8  8  session               72 32  HMAC-SHA-256 of bytes 0 to 71; 0 without a key
//          16  8  number, from 1
//          24  8  0
//
// Units: nanoseconds since the epoch of the clock that stamped; integers in network order. t4, the
// answer's arrival, stays where it is measured. Errors: a refusal for each reason why bytes are not
// taken; nothing is read beyond them. Cost: below a microsecond, 6 more with a key.
// Method: the four times of Cristian's exchange as in NTP. An answer leaves before its kernel stamp
// is known, so the next one of the session carries it (NTP's interleaved mode).
// Tested by: exchange_packet_test.cc, fuzz/exchange_packet_fuzz.cc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tl/expected.hpp>

#include "live/exchange/packet_key.h"

namespace syncline {

inline constexpr size_t kExchangePacketBytes = 104;
using ExchangeBytes = std::array<std::byte, kExchangePacketBytes>;

struct ExchangePacket {
  enum class Kind : uint8_t {
    kQuestion = 1,
    kAnswer = 2,
    kGroupQuestion = 3,  // to all receivers of a segment
  };
  Kind kind = Kind::kQuestion;
  bool is_arrival_by_kernel = false;  // t2 is the kernel's stamp
  uint64_t session = 0;
  uint64_t number = 0;
  int64_t t1_ns = 0;
  int64_t t2_ns = 0;
  int64_t t3_ns = 0;
  uint64_t earlier_number = 0;
  int64_t earlier_t3_ns = 0;
  friend bool operator==(const ExchangePacket&, const ExchangePacket&) = default;
};

enum class PacketRefusal {
  kMalformed,       // not of this length, form or version
  kUnauthenticated  // not signed with the key; or signed, where there is none
};

ExchangeBytes EncodeExchange(const ExchangePacket& packet, const PacketKey& key);
tl::expected<ExchangePacket, PacketRefusal> DecodeExchange(std::span<const std::byte> bytes,
                                                           const PacketKey& key);

}  // namespace syncline
