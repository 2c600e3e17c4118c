// Meter and server in one process, over the loopback.
#include "live/character/peer_meter.h"

#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include "live/exchange/exchange_server.h"

namespace syncline {
namespace {

Result<ExchangeServer> OpenServer(ServerOptions options) {
  for (uint16_t port = 24'400; port < 24'500; ++port) {
    options.listen = *ResolveEndpoint({.host = "127.0.0.1", .port = port});
    auto server = ExchangeServer::Open(options);
    if (server) return server;
  }
  return Fail(ErrorCode::kUnreadable, "no free port");
}

TEST(PeerMeter, FindsAKnownOffsetWithinEveryBoundAndCountsMessages) {
  constexpr int64_t kOffset = 250'000'000;
  auto server = OpenServer({.answerer = {.distortion = {.offset_ns = kOffset}}});
  ASSERT_TRUE(server);
  const FileDescriptor stop(::eventfd(0, EFD_NONBLOCK));
  std::thread thread([&] { EXPECT_TRUE(server->Serve(stop.get()).has_value()); });
  auto client = ExchangeClient::Connect(server->local(), {});
  ASSERT_TRUE(client);
  PeerMeter meter(std::move(*client), 3);
  for (int i = 0; i < 10; ++i) {
    const auto sample = meter.Measure();
    ASSERT_TRUE(sample);
    EXPECT_LE(std::abs(sample->offset_ns - kOffset), sample->uncertainty_ns);
  }
  EXPECT_EQ(meter.GetEffort().messages, 10U * 3 * 2);
  EXPECT_EQ(meter.GetEffort().readings, 10U * 3 * 2);
  EXPECT_FALSE(meter.error());
  EXPECT_EQ(::eventfd_write(stop.get(), 1), 0);
  thread.join();
}

TEST(PeerMeter, NobodyThereTellsNothing) {
  // A port that was free a moment ago.
  const Endpoint place = [] { return OpenServer({})->local(); }();
  auto client = ExchangeClient::Connect(place, {.timeout_ns = 20'000'000});
  ASSERT_TRUE(client);
  PeerMeter meter(std::move(*client), 2);
  EXPECT_FALSE(meter.Measure());
  EXPECT_EQ(meter.GetEffort().readings, 0U);
}

}  // namespace
}  // namespace syncline
