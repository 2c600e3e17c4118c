#include "live/exchange/udp_socket.h"

#include <array>
#include <cstring>

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/testing/times.h"
#include "record/counter/counter.h"

namespace syncline {
namespace {

Endpoint Loopback(const std::string& host = "127.0.0.1") {
  const Endpoint any = *ResolveEndpoint({.host = host, .port = 1});
  sockaddr_storage address = {};
  std::memcpy(&address, any.data(), any.size());
  if (any.family() == AF_INET) reinterpret_cast<sockaddr_in&>(address).sin_port = 0;
  if (any.family() == AF_INET6) reinterpret_cast<sockaddr_in6&>(address).sin6_port = 0;
  return {address, any.size()};
}

TEST(Endpoint, IsParsedAndPrinted) {
  struct Case {
    const char* text;
    const char* host;
    uint16_t port;
  };
  for (const Case& c : {Case{"a.example", "a.example", kDefaultExchangePort},
                        Case{"127.0.0.1:5", "127.0.0.1", 5}, Case{"::1", "::1", 24240},
                        Case{"[::1]", "::1", 24240}, Case{"[::1]:65535", "::1", 65535}}) {
    const auto place = ParseHostAndPort(c.text);
    ASSERT_TRUE(place.has_value()) << c.text;
    EXPECT_EQ(place->host, c.host);
    EXPECT_EQ(place->port, c.port);
  }
  for (const char* text :
       {"", ":5", "a:", "a:0", "a:65536", "a:x", "[::1", "[::1]5", "[]:5", "[::1]:", "a:-1"}) {
    EXPECT_FALSE(ParseHostAndPort(text).has_value()) << text;
  }
  const auto v4 = ResolveEndpoint({.host = "127.0.0.1", .port = 5});
  ASSERT_TRUE(v4.has_value());
  EXPECT_EQ(v4->ToString(), "127.0.0.1:5");
  const auto v6 = ResolveEndpoint({.host = "ff02::1", .port = 5});
  ASSERT_TRUE(v6.has_value());
  EXPECT_EQ(v6->ToString(), "[ff02::1]:5");
  EXPECT_TRUE(v6->IsMulticast());
  EXPECT_TRUE(ResolveEndpoint({.host = "239.1.2.3", .port = 5})->IsMulticast());
  EXPECT_FALSE(ResolveEndpoint({.host = "no.such.host.invalid", .port = 5}).has_value());
}

struct Arrived {
  Datagram datagram;
  std::optional<int64_t> departed_ns;
  int64_t before_ns = 0;
  int64_t after_ns = 0;
};

// One datagram of three bytes from a client to a server on this machine.
Arrived SendOne(StampWish stamps) {
  auto server = *UdpSocket::Bind(Loopback(), stamps);
  auto client = *UdpSocket::Connect(*server.Local(), stamps);
  Arrived result = {.before_ns = ReadSystemNs(CLOCK_REALTIME)};
  const std::array<std::byte, 3> bytes = {std::byte{1}, std::byte{2}, std::byte{3}};
  const auto sent = client.Send(bytes);
  EXPECT_TRUE(sent.has_value());
  std::array<std::byte, 10> buffer = {};
  result.datagram = *server.Receive(buffer, kSecond);
  result.departed_ns = client.KernelDeparture(*sent);
  result.after_ns = ReadSystemNs(CLOCK_REALTIME);
  EXPECT_EQ(result.datagram.from, *client.Local());
  EXPECT_EQ(buffer[2], std::byte{3});
  return result;
}

TEST(UdpSocket, StampsLieBetweenSendingAndReceiving) {
  for (const StampWish stamps : {StampWish::kKernel, StampWish::kProgram}) {
    const Arrived r = SendOne(stamps);
    ASSERT_EQ(r.datagram.outcome, Datagram::Outcome::kArrived);
    EXPECT_EQ(r.datagram.size, 3);
    EXPECT_FALSE(r.datagram.was_to_group);
    EXPECT_LE(r.before_ns, r.datagram.arrived.ns);
    EXPECT_LE(r.datagram.arrived.ns, r.after_ns);
    if (r.departed_ns) {
      EXPECT_LE(r.before_ns, *r.departed_ns);
      EXPECT_LE(*r.departed_ns, r.after_ns);
    }
    if (stamps == StampWish::kProgram) {
      EXPECT_FALSE(r.datagram.arrived.by_kernel);
      EXPECT_FALSE(r.departed_ns.has_value());
    }
  }
}

TEST(UdpSocket, TellsWhichStampBelongsToWhichDatagram) {
  auto server = *UdpSocket::Bind(Loopback(), StampWish::kKernel);
  auto client = *UdpSocket::Connect(*server.Local(), StampWish::kKernel);
  if (!client.has_kernel_stamps()) GTEST_SKIP() << "the kernel gives no stamps";
  const std::array<std::byte, 1> bytes = {};
  int64_t last = 0;
  for (int i = 0; i < 50; ++i) {
    const auto sent = client.Send(bytes);
    const auto departed = client.KernelDeparture(*sent);
    if (!departed) continue;
    EXPECT_GE(*departed, sent->before_ns);
    EXPECT_GT(*departed, last);
    last = *departed;
  }
  EXPECT_EQ(client.TakeContradictoryStamps(), 0);
}

TEST(UdpSocket, SaysWhereNobodyListensAndStampsOnAfterwards) {
  std::optional<UdpSocket> server = *UdpSocket::Bind(Loopback(), StampWish::kKernel);
  const Endpoint place = *server->Local();
  server.reset();
  auto client = *UdpSocket::Connect(place, StampWish::kKernel);
  const std::array<std::byte, 1> bytes = {};
  std::array<std::byte, 1> buffer = {};
  ASSERT_FALSE(client.Send(bytes)->refused);
  EXPECT_EQ(client.Receive(buffer, kSecond)->outcome, Datagram::Outcome::kRefused);
  client.Send(bytes);
  EXPECT_TRUE(client.Send(bytes)->refused);  // the second send finds what the first met
  auto again = *UdpSocket::Bind(place, StampWish::kKernel);
  const auto sent = client.Send(bytes);
  EXPECT_EQ(again.Receive(buffer, kSecond)->outcome, Datagram::Outcome::kArrived);
  const auto departed = client.KernelDeparture(*sent);
  EXPECT_TRUE(!departed || *departed >= sent->before_ns);
}

TEST(UdpSocket, KnowsLongerDatagramsAndEndsItsWaits) {
  auto server = *UdpSocket::Bind(Loopback(), StampWish::kKernel);
  auto client = *UdpSocket::Connect(*server.Local(), StampWish::kKernel);
  std::array<std::byte, 10> buffer = {};
  EXPECT_EQ(server.Receive(buffer, 1'000'000)->outcome, Datagram::Outcome::kTimeout);
  const std::array<std::byte, 5000> longer = {};
  client.Send(longer);
  EXPECT_EQ(server.Receive(buffer, kSecond)->size, 5000);
  const FileDescriptor stop(::eventfd(1, 0));
  EXPECT_EQ(server.Receive(buffer, 100 * kSecond, stop.get())->outcome,
            Datagram::Outcome::kStopped);
  EXPECT_TRUE(WaitForStop(stop.get(), 100 * kSecond));
  EXPECT_FALSE(WaitForStop(UdpSocket::kNoStop, 1000));
}

TEST(UdpSocket, TellsWhatWasSentToAGroup) {
  const auto group = ResolveEndpoint({.host = "127.255.255.255", .port = 24'241});
  auto receiver = UdpSocket::BindToGroup(*group, StampWish::kKernel);
  if (!receiver) GTEST_SKIP() << receiver.error().ToString();
  auto second = UdpSocket::BindToGroup(*group, StampWish::kKernel);
  ASSERT_TRUE(second.has_value());
  auto sender = *UdpSocket::Open(AF_INET, StampWish::kKernel);
  const std::array<std::byte, 1> bytes = {};
  if (!sender.Send(bytes, *group)) GTEST_SKIP() << "no broadcasts here";
  std::array<std::byte, 10> buffer = {};
  for (auto* socket : {&*receiver, &*second}) {
    const auto datagram = socket->Receive(buffer, kSecond);
    ASSERT_EQ(datagram->outcome, Datagram::Outcome::kArrived);
    EXPECT_TRUE(datagram->was_to_group);
  }
}

}  // namespace
}  // namespace syncline
