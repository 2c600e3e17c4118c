#include "live/exchange/exchange_server.h"

#include <algorithm>
#include <array>

#include "base/try.h"
#include "record/counter/counter.h"

namespace syncline {
Result<ExchangeServer> ExchangeServer::Open(ServerOptions options) {
  std::vector<UdpSocket> sockets;
  const auto sharing = options.group ? UdpSocket::Sharing::kShared : UdpSocket::Sharing::kAlone;
  SYNCLINE_ASSIGN(auto own, UdpSocket::Bind(options.listen, options.stamps, sharing));
  SYNCLINE_ASSIGN(const auto local, own.Local());
  sockets.push_back(std::move(own));
  if (options.group) {
    SYNCLINE_ASSIGN(auto group, UdpSocket::BindToGroup(*options.group, options.stamps));
    sockets.push_back(std::move(group));
  }
  return ExchangeServer(std::move(sockets), local, std::move(options));
}

Result<void> ExchangeServer::Serve(int stop) {
  const int64_t began = SteadyNs();
  while (!IsDone()) {
    const int64_t left = options_.longest_ns - (SteadyNs() - began);
    if (left <= 0) return {};
    const Waited waited = WaitForAny(sockets_, left, stop);
    if (waited != Waited::kReady) return {};
    for (UdpSocket& socket : sockets_) {
      SYNCLINE_TRY(Drain(socket));
    }
  }
  return {};
}

// Some of what is there, so that other sockets and the end come to their turn.
Result<void> ExchangeServer::Drain(UdpSocket& socket) {
  constexpr int kInTurn = 64;
  std::array<std::byte, kExchangePacketBytes + 1> buffer = {};
  for (int i = 0; i < kInTurn && !IsDone(); ++i) {
    SYNCLINE_ASSIGN(const auto datagram, socket.Receive(buffer, 0));
    if (datagram.outcome == Datagram::Outcome::kTimeout) break;
    if (datagram.outcome != Datagram::Outcome::kArrived) continue;
    // The group's socket has it, too.
    const bool serves_group = &socket != sockets_.data();
    if (options_.group && datagram.was_to_group && !serves_group) continue;
    const size_t size = std::min(datagram.size, buffer.size());
    SYNCLINE_TRY(AnswerTo({.bytes = std::span(buffer).first(size),
                           .from = datagram.from,
                           .arrived = datagram.arrived,
                           .steady_ns = SteadyNs(),
                           .was_to_group = datagram.was_to_group,
                           .serves_group = serves_group}));
  }
  contradictory_stamps_ += socket.TakeContradictoryStamps();
  return {};
}

Result<void> ExchangeServer::AnswerTo(const ExchangeAnswerer::Arrival& arrival) {
  const auto answer = answerer_.Answer(arrival, [] { return ReadSystemNs(CLOCK_REALTIME); });
  if (!answer) return {};
  UdpSocket& own = sockets_.front();
  // An answer that the system does not send is one that is lost on its way.
  const auto sent = own.Send(*answer, arrival.from);
  if (!sent) return {};
  if (const auto departed = own.KernelDeparture(*sent)) answerer_.NoteDeparture(*departed);
  return {};
}

}  // namespace syncline
