#include "match/stream_packet_matcher.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "match/testing/packet_builder.h"

namespace syncline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Two hosts, a with the streams 0, 1 and 2, b with 3 and 4.
class Hosts {
 public:
  Hosts() {
    traces_.clocks = {{.name = "a"}, {.name = "b"}};
    for (const uint32_t clock : {0, 0, 0, 1, 1}) {
      traces_.processes.push_back({.name = {}, .label = {}, .clock = ClockId(clock)});
    }
    std::vector<ProcessId> streams;
    for (uint32_t p = 0; p < 5; ++p) streams.emplace_back(p);
    matcher_.emplace(traces_, streams);
  }

  Result<void> Add(uint32_t process, uint64_t index, std::string_view device,
                   PacketDirection direction, const PacketSpec& spec, int64_t time = 0) {
    StoredPacket packet = Ethernet(spec, time);
    packet.direction = direction;
    return matcher_->Add(ProcessId(process), device, packet.AsPacket(index));
  }
  void Send(uint32_t process, uint64_t index, std::string_view device, const PacketSpec& spec,
            int64_t time = 0) {
    ASSERT_TRUE(Add(process, index, device, PacketDirection::kOutbound, spec, time).has_value());
  }
  void Receive(uint32_t process, uint64_t index, std::string_view device, const PacketSpec& spec,
               int64_t time = 0) {
    ASSERT_TRUE(Add(process, index, device, PacketDirection::kInbound, spec, time).has_value());
  }
  void Finish() {
    auto counts = matcher_->Finish(found, diagnostics);
    ASSERT_TRUE(counts.has_value());
  }

  struct Sink : CollectingSink {
    void OnMessage(const Message& message) override {
      CollectingSink::OnMessage(message);
      in_order.push_back(message.send.index);
    }
    std::vector<uint64_t> in_order;
  };
  Sink found;
  Diagnostics diagnostics;

 private:
  TraceSet traces_;
  std::optional<StreamPacketMatcher> matcher_;
};

TEST(StreamPacketMatcher, NamesTheStreamsAndTheirEvents) {
  Hosts hosts;
  const PacketSpec request{.ip_id = 1};
  const PacketSpec reply{.from = 2, .to = 1, .ip_id = 2};
  hosts.Send(2, 700, "eth0", request, 10);
  hosts.Receive(4, 30'000'000'000, "eth0", request, 20);
  hosts.Send(3, 5, "eth0", reply, 30);
  hosts.Receive(0, 0, "eth0", reply, 40);
  hosts.Finish();
  EXPECT_THAT(hosts.found.messages,
              ElementsAre(Found{2, 700, 4, 30'000'000'000}, Found{3, 5, 0, 0}));
  EXPECT_TRUE(hosts.diagnostics.all().empty());
}

TEST(StreamPacketMatcher, AHostThatSendsAPacketTwiceOnTwoProcessorsIsAmbiguous) {
  Hosts hosts;
  const PacketSpec twice{.ip_id = 1};
  hosts.Send(0, 0, "eth0", twice, 10);
  hosts.Send(1, 0, "eth0", twice, 20);
  hosts.Receive(3, 0, "eth0", twice, 30);
  hosts.Finish();
  EXPECT_THAT(hosts.found.messages, IsEmpty());
  EXPECT_EQ(hosts.diagnostics.count("ambiguous-packet"), 3);
}

TEST(StreamPacketMatcher, OfSeveralDevicesTheOneNearestToTheWireCounts) {
  Hosts hosts;
  const PacketSpec packet{.ip_id = 1};
  hosts.Send(0, 0, "bond0", packet, 10);
  hosts.Send(0, 1, "eth0", packet, 20);
  hosts.Receive(3, 0, "eth1", packet, 110);
  hosts.Receive(3, 1, "br0", packet, 120);
  hosts.Finish();
  EXPECT_THAT(hosts.found.messages, ElementsAre(Found{0, 1, 3, 0}));
  EXPECT_EQ(hosts.diagnostics.count("same-clock-copies"), 2);
}

TEST(StreamPacketMatcher, NamesHostAndDeviceInFindings) {
  Hosts hosts;
  hosts.Send(0, 0, "eth0", {.ip_id = 1});
  hosts.Receive(3, 0, "", {.ip_id = 2});
  hosts.Finish();
  EXPECT_EQ(hosts.diagnostics.all().at("unmatched-send").example, "a eth0");
  EXPECT_EQ(hosts.diagnostics.all().at("unmatched-receive").example, "b");
}

TEST(StreamPacketMatcher, DeliversInOneOrderWhateverTheOrderOfPackets) {
  const auto deliver = [](uint16_t step) {
    Hosts hosts;
    for (uint16_t i = 0; i < 100; ++i) {
      const auto id = static_cast<uint16_t>(1 + i * step % 100);
      hosts.Send(id % 3, id, "eth0", {.ip_id = id}, 10 * id);
      hosts.Receive(3, id, "eth0", {.ip_id = id}, 10 * id + 5);
    }
    hosts.Finish();
    return hosts.found.in_order;
  };
  const auto expected = deliver(1);
  EXPECT_EQ(expected.size(), 100);
  EXPECT_EQ(deliver(7), expected);
  EXPECT_EQ(deliver(53), expected);
}

TEST(StreamPacketMatcher, RefusesMoreEventsThanItCanNumber) {
  Hosts hosts;
  // Three streams take two of 40 bits.
  const uint64_t limit = uint64_t{1} << 38;
  hosts.Send(2, limit - 1, "eth0", {.ip_id = 1});
  const auto added =
      hosts.Add(2, limit, "eth0", PacketDirection::kOutbound, PacketSpec{.ip_id = 2});
  ASSERT_FALSE(added.has_value());
  EXPECT_EQ(added.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(added.error().message, HasSubstr("2^38"));
}

}  // namespace
}  // namespace syncline
