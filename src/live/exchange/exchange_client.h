// Asks one server of clock exchanges (`syncline clock serve`) for its time.
//
// Units: nanoseconds. Sign: as clock_exchange.h. Errors: kUnreadable where the system fails; a peer
// that does not answer, or wrongly, is counted. Ownership: `stop` must stay open. Cost: a round
// trip per exchange and some 10 µs; nothing is sent but what is asked for.
// An answer counts when it is signed with the key (if there is one), of this client's session,
// numbered as the question that is waited for, and repeats its t1. Each counts once.
// Tested by: exchange_client_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "syncline/result.h"

#include "live/exchange/clock_exchange.h"
#include "live/exchange/endpoint.h"
#include "live/exchange/exchange_packet.h"
#include "live/exchange/udp_socket.h"

namespace syncline {

struct ClientOptions {
  PacketKey key;
  StampWish stamps = StampWish::kKernel;
  int64_t timeout_ns = 500'000'000;  // for one answer
  int stop = UdpSocket::kNoStop;     // ends a burst when it can be read
};

struct ClientCounts {
  uint64_t asked = 0;
  uint64_t answered = 0;
  uint64_t unanswered = 0;  // within the time
  uint64_t refused = 0;     // of these: nobody at the peer's port
  // Datagrams that are no answer to the question that was waited for.
  uint64_t malformed = 0;
  uint64_t unauthenticated = 0;
  uint64_t unexpected = 0;            // late, repeated, or of another session
  uint64_t contradictory_stamps = 0;  // of the kernels, not used
};

class ExchangeClient {
 public:
  static Result<ExchangeClient> Connect(const Endpoint& peer, ClientOptions options);

  // Exchanges one after the other, the questions at least `spacing_ns` apart: those that were
  // answered, t3 as the peer's kernel stamped it where a later answer of the burst told that. Ends
  // early where `stop` can be read.
  Result<std::vector<ClockExchange>> Burst(uint32_t exchanges, int64_t spacing_ns);

  const ClientCounts& counts() const { return counts_; }
  bool was_stopped() const { return was_stopped_; }

 private:
  struct Answered {
    ClockExchange exchange;
    ExchangePacket answer;
  };
  ExchangeClient(UdpSocket socket, ClientOptions options, uint64_t session)
      : socket_(std::move(socket)), options_(std::move(options)), session_(session) {}
  Result<std::optional<Answered>> AskOnce();
  Result<std::optional<Answered>> AwaitAnswer(const ExchangePacket& question,
                                              const UdpSocket::Sent& sent);

  UdpSocket socket_;
  ClientOptions options_;
  uint64_t session_ = 0;
  uint64_t number_ = 0;
  bool was_stopped_ = false;
  ClientCounts counts_;
};

// What else asks questions does it by the same rules.

// A number that nobody can guess. Errors: kUnreadable.
Result<uint64_t> RandomSession();
// The bytes as an answer to the question; none, and counted, where they are not.
std::optional<ExchangePacket> AcceptAnswer(std::span<const std::byte> bytes, const PacketKey& key,
                                           const ExchangePacket& question, ClientCounts& counts);
// Takes t3 from the peer's kernel where this later answer tells it. The kernel can only have
// stamped after the peer's program did, and before the arrival; else it is counted, not used.
void RefineDeparture(ClockExchange& earlier, const ExchangePacket& later, ClientCounts& counts);

}  // namespace syncline
