// Serves this machine's system clock to whoever asks (exchange_client.h), until it is told to stop.
//
// Units: nanoseconds. Errors: kUnreadable where an address cannot be served or the system fails.
// What it answers, and how often: exchange_answerer.h. Cost: two or three system calls per answer;
// a machine that asks as fast as it can is held to its rate by a few hundred ns per datagram.
// Tested by: exchange_client_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "syncline/result.h"

#include "live/exchange/exchange_answerer.h"

namespace syncline {

struct ServerOptions {
  Endpoint listen;
  std::optional<Endpoint> group;  // a broadcast or multicast address whose questions count, too
  StampWish stamps = StampWish::kKernel;
  AnswererOptions answerer;
  uint64_t most_answers = UINT64_MAX;
  int64_t longest_ns = INT64_MAX;
};

class ExchangeServer {
 public:
  static Result<ExchangeServer> Open(ServerOptions options);

  const Endpoint& local() const { return local_; }
  // Until `stop` can be read, or the options' limits are reached.
  Result<void> Serve(int stop);
  const AnswererCounts& counts() const { return answerer_.counts(); }
  uint64_t contradictory_stamps() const { return contradictory_stamps_; }

 private:
  ExchangeServer(std::vector<UdpSocket> sockets, const Endpoint& local, ServerOptions options)
      : sockets_(std::move(sockets)),
        local_(local),
        options_(std::move(options)),
        answerer_(options_.answerer) {}
  bool IsDone() const { return answerer_.counts().answered >= options_.most_answers; }
  Result<void> Drain(UdpSocket& socket);
  Result<void> AnswerTo(const ExchangeAnswerer::Arrival& arrival);

  std::vector<UdpSocket> sockets_;  // the one for this host alone, which also answers; the group's
  Endpoint local_;
  ServerOptions options_;
  ExchangeAnswerer answerer_;
  uint64_t contradictory_stamps_ = 0;
};

}  // namespace syncline
