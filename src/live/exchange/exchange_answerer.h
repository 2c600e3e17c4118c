// What a server of clock exchanges answers to a datagram, and what it ignores: the rules, without
// sockets and clocks.
//
// Units: nanoseconds. `Arrival::steady_ns` comes from a clock that is never set; all other times
// from the one that is served, before its distortion.
// Guarantee: at most one answer per question, of the same length, to where it came from; at most
// as many as the rate says per address, whatever the bytes. What is ignored is counted once, by
// reason. Memory: bounded, some 700 KB; a peer that gives way to others may have a
// question answered again, and starts with its whole rate.
// Cost: about a microsecond per datagram, 12 more with a key.
// Tested by: exchange_answerer_test.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "live/exchange/distortion.h"
#include "live/exchange/endpoint.h"
#include "live/exchange/exchange_packet.h"
#include "live/exchange/peer_table.h"
#include "live/exchange/udp_socket.h"

namespace syncline {

// How much of a rate a peer has used: so many a second on average, and so many at once. Units:
// nanoseconds of a clock that is never set. Requires: times below 2^62 that do not fall. Cost:
// O(1), 8 bytes. Method: the generic cell rate algorithm (ITU-T I.371, annex A). Tested by:
// rate_limit_test.cc.
struct Rate {
  int64_t per_second = 1000;  // 1 to 10^9
  int64_t at_once = 1000;     // 1 to 10^6
};

class RateLimit {
 public:
  // Whether one more is within the rate; only then it counts.
  bool Take(const Rate& rate, int64_t now_ns) {
    const int64_t interval_ns = 1'000'000'000 / rate.per_second;
    const int64_t due_ns = std::max(due_ns_, now_ns);
    if (due_ns - now_ns > interval_ns * (rate.at_once - 1)) return false;
    due_ns_ = due_ns + interval_ns;
    return true;
  }

 private:
  int64_t due_ns_ = INT64_MIN;  // when the next one would come if all kept the average
};

struct AnswererOptions {
  PacketKey key;
  Rate rate;              // per address
  Distortion distortion;  // of what is told
};

struct AnswererCounts {
  uint64_t received = 0;  // all; each of those that follow once
  uint64_t answered = 0;
  uint64_t malformed = 0;
  uint64_t unauthenticated = 0;
  uint64_t repeated = 0;      // answered before, or too old to tell
  uint64_t misplaced = 0;     // no question, or not to the address that is served
  uint64_t rate_limited = 0;  // sound questions beyond the rate
  // Of the answered: arrivals and departures that the kernel stamped.
  uint64_t arrivals_by_kernel = 0;
  uint64_t departures_by_kernel = 0;
};

// Which numbers of a session were seen: of the latest 64, each; of older ones, all.
class SeenNumbers {
 public:
  // Whether the number is new; from now on it is not.
  bool Add(uint64_t number);

 private:
  uint64_t highest_ = 0;
  uint64_t seen_ = 0;  // bit i: highest − i
};

class ExchangeAnswerer {
 public:
  explicit ExchangeAnswerer(AnswererOptions options);

  struct Arrival {
    std::span<const std::byte> bytes;
    Endpoint from;
    SocketStamp arrived;
    int64_t steady_ns = 0;
    // Sent to a broadcast or multicast address, or to this host alone; and what the socket is for.
    bool was_to_group = false;
    bool serves_group = false;
  };
  // The answer, stamped `now_ns` as its departure; none: ignored. `now` is called late.
  template <typename Now>
  std::optional<ExchangeBytes> Answer(const Arrival& arrival, const Now& now) {
    auto answer = Prepare(arrival);
    if (!answer) return std::nullopt;
    answer->t3_ns = options_.distortion.Shown(now());
    return EncodeExchange(*answer, options_.key);
  }
  // The kernel's stamp of the latest answer, which the session's next one tells.
  void NoteDeparture(int64_t kernel_ns);

  const AnswererCounts& counts() const { return counts_; }

 private:
  struct Session {
    SeenNumbers seen;
    uint64_t answered_number = 0;  // of the latest answer whose departure is known; 0: none
    int64_t departed_ns = 0;       // as told
  };
  using SessionKey = std::pair<Endpoint, uint64_t>;
  struct HostKey {
    Endpoint endpoint;
    friend bool operator==(const HostKey& a, const HostKey& b) {
      return a.endpoint.host_bytes() == b.endpoint.host_bytes();
    }
    template <typename H>
    friend H AbslHashValue(H hash, const HostKey& key) {
      return H::combine(std::move(hash), key.endpoint.host_bytes());
    }
  };

  std::optional<ExchangePacket> Prepare(const Arrival& arrival);

  AnswererOptions options_;
  AnswererCounts counts_;
  PeerTable<HostKey, RateLimit> rates_;
  PeerTable<SessionKey, Session> sessions_;
  SessionKey latest_;  // session of the latest answer
  uint64_t latest_number_ = 0;
};

}  // namespace syncline
