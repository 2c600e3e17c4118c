// One question to all servers of a segment at once, by broadcast or multicast; each answers, so
// that its arrival there can be compared between them.
//
// Units: nanoseconds. Guarantee: each answer is an exchange with its host, and bounds its clock as
// any other does. Between hosts, arrivals of one question differ by their offset and by how much
// later one of them received it, which nothing bounds but is small on one segment.
// Errors: kUnreadable where the system fails. What is no answer of the round, or comes from more
// than kMostHosts places, is counted. Cost: one datagram out and one in per host.
// Method: Scheuermann et al. (2009) compare receptions. Departure: every host answers every round,
// which bounds its clock, too.
// Tested by: group_probe_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "syncline/result.h"

#include "live/exchange/exchange_client.h"

namespace syncline {

struct GroupAnswer {
  Endpoint from;
  ClockExchange exchange;
};

struct GroupRound {
  int64_t t1_ns = 0;
  uint64_t number = 0;
  std::vector<GroupAnswer> answers;  // as they came
};

class GroupProbe {
 public:
  static constexpr size_t kMostHosts = 256;

  // `options.timeout_ns` is how long answers are waited for.
  static Result<GroupProbe> Open(const Endpoint& group, ClientOptions options);

  // Rounds one after the other, the questions at least `spacing_ns` apart.
  Result<std::vector<GroupRound>> Burst(uint32_t rounds, int64_t spacing_ns);

  // Answers count as answered; rounds without any as unanswered.
  const ClientCounts& counts() const { return counts_; }
  bool was_stopped() const { return was_stopped_; }

 private:
  GroupProbe(UdpSocket socket, const Endpoint& group, ClientOptions options, uint64_t session)
      : socket_(std::move(socket)),
        group_(group),
        options_(std::move(options)),
        session_(session) {}
  Result<GroupRound> AskAll(GroupRound* before);
  Result<void> Collect(const ExchangePacket& question, const UdpSocket::Sent& sent,
                       GroupRound& round, GroupRound* before);
  bool Admit(const Endpoint& place);
  void Take(const Datagram& datagram, std::span<const std::byte> bytes,
            const ExchangePacket& question, GroupRound& round, GroupRound* before);

  UdpSocket socket_;
  Endpoint group_;
  ClientOptions options_;
  uint64_t session_ = 0;
  uint64_t number_ = 0;
  bool was_stopped_ = false;
  std::vector<Endpoint> known_;  // who has answered
  ClientCounts counts_;
};

// How much later than `other` did `host` receive the questions, by their own clocks: the offset
// host − other but for what differs in their reception.
struct ReceptionDifference {
  uint64_t rounds = 0;  // that both answered
  int64_t mean_ns = 0;
  int64_t least_ns = 0;
  int64_t largest_ns = 0;
};
ReceptionDifference CompareReceptions(std::span<const GroupRound> rounds, const Endpoint& host,
                                      const Endpoint& other);

}  // namespace syncline
