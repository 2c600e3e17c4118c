// Client and server in one process, over the loopback.
#include "live/exchange/exchange_client.h"

#include <array>
#include <cstdlib>
#include <thread>
#include <tuple>

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "live/exchange/exchange_server.h"

namespace syncline {
namespace {

// Bound to a port that nobody else has: the first of these that is free.
Result<ExchangeServer> OpenServer(ServerOptions options) {
  for (uint16_t port = 24'300; port < 24'400; ++port) {
    options.listen = *ResolveEndpoint({.host = "127.0.0.1", .port = port});
    auto server = ExchangeServer::Open(options);
    if (server) return server;
  }
  return Fail(ErrorCode::kUnreadable, "no free port");
}

// Serves in a thread until it goes.
class RunningServer {
 public:
  explicit RunningServer(ServerOptions options)
      : server_(*OpenServer(std::move(options))),
        thread_([this] { EXPECT_TRUE(server_.Serve(stop_.get()).has_value()); }) {}
  ~RunningServer() { Stop(); }
  void Stop() {
    if (!thread_.joinable()) return;
    EXPECT_EQ(::eventfd_write(stop_.get(), 1), 0);
    thread_.join();
  }
  const Endpoint& place() const { return server_.local(); }
  // After Stop().
  const AnswererCounts& counts() const { return server_.counts(); }

 private:
  FileDescriptor stop_{::eventfd(0, EFD_NONBLOCK)};
  ExchangeServer server_;
  std::thread thread_;
};

TEST(ExchangeClient, FindsAKnownOffsetWithinEveryExchangesBound) {
  constexpr int64_t kOffset = -1'700'000'000;
  for (const StampWish stamps : {StampWish::kKernel, StampWish::kProgram}) {
    RunningServer server({.stamps = stamps, .answerer = {.distortion = {.offset_ns = kOffset}}});
    auto client =
        *ExchangeClient::Connect(server.place(), {.stamps = stamps, .timeout_ns = 5'000'000'000});
    const auto burst = client.Burst(100, 0);
    ASSERT_TRUE(burst.has_value());
    EXPECT_EQ(burst->size(), 100);
    uint64_t number = 0;
    for (const ClockExchange& e : *burst) {
      EXPECT_EQ(e.number, ++number);
      const auto offset = OffsetOf(e);
      ASSERT_TRUE(offset.has_value());
      EXPECT_LE(std::abs(offset->offset_ns - kOffset), offset->bound_ns);
      if (stamps == StampWish::kProgram) {
        EXPECT_FALSE(e.by_kernel.t1 || e.by_kernel.t2 || e.by_kernel.t3 || e.by_kernel.t4);
      }
    }
    server.Stop();
    EXPECT_EQ(server.counts().answered, 100);
    EXPECT_EQ(client.counts().answered, 100);
    EXPECT_EQ(client.counts().unexpected, 0);
  }
}

TEST(ExchangeClient, TakesAnswersSignedWithTheSameKeyOnly) {
  const PacketKey key("0123456789abcdef");
  RunningServer server({.answerer = {.key = key}});
  auto friendly =
      *ExchangeClient::Connect(server.place(), {.key = key, .timeout_ns = 5'000'000'000});
  EXPECT_TRUE(friendly.Burst(1, 0)->size() == 1);
  auto stranger = *ExchangeClient::Connect(server.place(), {.timeout_ns = 50'000'000});
  EXPECT_TRUE(stranger.Burst(1, 0)->empty());
  EXPECT_EQ(stranger.counts().unanswered, 1);
  server.Stop();
  EXPECT_EQ(server.counts().unauthenticated, 1);
  EXPECT_EQ(server.counts().answered, 1);
}

TEST(ExchangeClient, CountsQuestionsThatNobodyAnswers) {
  // Not a port that some server left: another test's can have it by now.
  const Endpoint nobody = *ResolveEndpoint({.host = "127.0.0.2", .port = 24'298});
  auto client = *ExchangeClient::Connect(nobody, {.timeout_ns = 200'000'000});
  const auto burst = client.Burst(4, 0);
  ASSERT_TRUE(burst.has_value());
  EXPECT_TRUE(burst->empty());
  EXPECT_EQ(client.counts().asked, 4);
  EXPECT_EQ(client.counts().unanswered, 4);
  EXPECT_EQ(client.counts().refused, 4);
}

TEST(ExchangeClient, IgnoresWhatIsNoAnswerToItsQuestion) {
  auto socket = *UdpSocket::Bind(*ResolveEndpoint({.host = "127.0.0.1", .port = 24'299}),
                                 StampWish::kProgram);
  auto client = *ExchangeClient::Connect(*socket.Local(), {.timeout_ns = 2'000'000'000});
  std::thread liar([&] {
    std::array<std::byte, 200> buffer = {};
    const auto asked = *socket.Receive(buffer, 2'000'000'000);
    ExchangePacket answer = *DecodeExchange(std::span(buffer).first(asked.size), {});
    socket.Send(std::span(buffer).first(3), asked.from);  // malformed
    socket.Send(EncodeExchange(answer, {}), asked.from);  // the question itself
    answer.kind = ExchangePacket::Kind::kAnswer;
    socket.Send(EncodeExchange(answer, PacketKey("sixteen bytes of")), asked.from);
    for (const auto& [session, number, t1] : {std::tuple{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}) {
      ExchangePacket wrong = answer;
      wrong.session += session;
      wrong.number += number;
      wrong.t1_ns += t1;
      socket.Send(EncodeExchange(wrong, {}), asked.from);
    }
    answer.t2_ns = 123;
    answer.t3_ns = 456;
    socket.Send(EncodeExchange(answer, {}), asked.from);
  });
  const auto burst = client.Burst(1, 0);
  liar.join();
  ASSERT_TRUE(burst.has_value() && burst->size() == 1);
  EXPECT_EQ(burst->front().t2_ns, 123);
  EXPECT_EQ(client.counts().malformed, 1);
  EXPECT_EQ(client.counts().unauthenticated, 1);
  EXPECT_EQ(client.counts().unexpected, 4);
}

TEST(ExchangeClient, EndsABurstWhenToldTo) {
  RunningServer server({});
  const FileDescriptor stop(::eventfd(1, 0));
  auto client = *ExchangeClient::Connect(server.place(), {.stop = stop.get()});
  EXPECT_LE(client.Burst(1000, 1'000'000'000)->size(), 1);
  EXPECT_TRUE(client.was_stopped());
}

TEST(ExchangeServer, EndsAfterSoManyAnswersOrSoLong) {
  auto limited = *OpenServer({.most_answers = 3});
  std::thread serving([&] { EXPECT_TRUE(limited.Serve(UdpSocket::kNoStop).has_value()); });
  auto client = *ExchangeClient::Connect(limited.local(), {.timeout_ns = 300'000'000});
  EXPECT_EQ(client.Burst(4, 0)->size(), 3);
  serving.join();
  auto brief = *OpenServer({.longest_ns = 1'000'000});
  EXPECT_TRUE(brief.Serve(UdpSocket::kNoStop).has_value());
}

TEST(ExchangeServer, IsHeldToItsRate) {
  RunningServer server({.answerer = {.rate = {.per_second = 1, .at_once = 4}}});
  auto client = *ExchangeClient::Connect(server.place(), {.timeout_ns = 300'000'000});
  EXPECT_EQ(client.Burst(5, 0)->size(), 4);
  server.Stop();
  EXPECT_EQ(server.counts().rate_limited, 1);
}

}  // namespace
}  // namespace syncline
