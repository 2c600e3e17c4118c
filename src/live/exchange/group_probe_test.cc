// One prober and two servers of a broadcast address, in one process.
#include "live/exchange/group_probe.h"

#include <optional>
#include <thread>

#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include "live/exchange/exchange_server.h"

namespace syncline {
namespace {

constexpr uint16_t kPort = 24'290;

Endpoint ResolvedAt(const std::string& host) {
  return *ResolveEndpoint({.host = host, .port = kPort});
}

class GroupMember {
 public:
  explicit GroupMember(ExchangeServer server)
      : server_(std::move(server)),
        thread_([this] { EXPECT_TRUE(server_.Serve(stop_.get()).has_value()); }) {}
  ~GroupMember() {
    EXPECT_EQ(::eventfd_write(stop_.get(), 1), 0);
    thread_.join();
  }

 private:
  FileDescriptor stop_{::eventfd(0, EFD_NONBLOCK)};
  ExchangeServer server_;
  std::thread thread_;
};

Result<ExchangeServer> OpenMember(const std::string& host, int64_t offset_ns) {
  return ExchangeServer::Open({.listen = ResolvedAt(host),
                               .group = ResolvedAt("127.255.255.255"),
                               .answerer = {.distortion = {.offset_ns = offset_ns}}});
}

TEST(GroupProbe, ComparesWhenHostsReceivedTheSameQuestion) {
  auto first = OpenMember("127.0.0.2", 1'000'000'000);
  auto second = OpenMember("127.0.0.3", -2'000'000'000);
  if (!first || !second) GTEST_SKIP() << "no broadcasts on this loopback";
  const GroupMember running_first(std::move(*first));
  const GroupMember running_second(std::move(*second));
  auto probe = *GroupProbe::Open(ResolvedAt("127.255.255.255"), {.timeout_ns = 300'000'000});
  const auto rounds = probe.Burst(2, 0);
  if (!rounds) GTEST_SKIP() << rounds.error().ToString();
  ASSERT_EQ(rounds->size(), 2);
  for (const GroupRound& round : *rounds) {
    ASSERT_EQ(round.answers.size(), 2);
    for (const GroupAnswer& answer : round.answers) {
      const int64_t truth = answer.from == ResolvedAt("127.0.0.2") ? 1'000'000'000 : -2'000'000'000;
      const auto offset = OffsetOf(answer.exchange);
      ASSERT_TRUE(offset.has_value());
      EXPECT_LE(std::abs(offset->offset_ns - truth), offset->bound_ns);
    }
  }
  const auto difference =
      CompareReceptions(*rounds, ResolvedAt("127.0.0.2"), ResolvedAt("127.0.0.3"));
  EXPECT_EQ(difference.rounds, 2);
  // Both received within the rounds, which took less than a second together.
  EXPECT_LT(std::abs(difference.mean_ns - 3'000'000'000), 1'000'000'000);
  EXPECT_EQ(probe.counts().answered, 4);
  EXPECT_EQ(probe.counts().unexpected, 0);
}

GroupRound Round(std::optional<int64_t> a_ns, std::optional<int64_t> b_ns) {
  GroupRound round;
  if (a_ns) round.answers.push_back({ResolvedAt("127.0.0.2"), {.t2_ns = *a_ns}});
  if (b_ns) round.answers.push_back({ResolvedAt("127.0.0.3"), {.t2_ns = *b_ns}});
  return round;
}

TEST(CompareReceptions, TakesRoundsThatBothAnswered) {
  const std::vector<GroupRound> rounds = {Round(110, 10), Round(std::nullopt, 5), Round(7, {}),
                                          Round(220, 100), Round(INT64_MAX, INT64_MAX)};
  const auto difference =
      CompareReceptions(rounds, ResolvedAt("127.0.0.2"), ResolvedAt("127.0.0.3"));
  EXPECT_EQ(difference.rounds, 3);
  EXPECT_EQ(difference.mean_ns, (100 + 120 + 0) / 3);
  EXPECT_EQ(difference.least_ns, 0);
  EXPECT_EQ(difference.largest_ns, 120);
  EXPECT_EQ(CompareReceptions(rounds, ResolvedAt("127.0.0.2"), ResolvedAt("127.0.0.4")).rounds, 0);
}

}  // namespace
}  // namespace syncline
