// Random traffic with loss, duplication, reordering, retransmission, flooding, broadcasts, and
// network cards that merge and split segments: never a wrong pair, and few missed.

#include <map>
#include <random>

#include <gtest/gtest.h>

#include "match/testing/test_network.h"

namespace syncline {
namespace {

class Traffic {
 public:
  explicit Traffic(uint64_t seed) : random_(seed), net_(4) {}

  TestNetwork Run(int steps) {
    net_.Chat();
    for (int i = 0; i < steps; ++i) {
      now_ += 1 + Below(200'000);
      switch (Below(4)) {
        case 0: Datagram(); break;
        case 1: Repeated(); break;
        case 2: Segments(); break;
        default: Broadcast();
      }
    }
    SetClocks();
    return std::move(net_);
  }

 private:
  uint32_t Below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  bool Chance(uint32_t percent) { return Below(100) < percent; }
  int64_t Delay() { return 50'000 + Below(500'000); }

  PacketSpec Between() {
    PacketSpec s;
    s.from = 1 + Below(4);
    s.to = 1 + (s.from + Below(3)) % 4;
    s.ip_id = Chance(50) ? 0 : static_cast<uint16_t>(Below(65536));
    s.ipv6 = Chance(30);
    return s;
  }

  // One transmission: lost, delivered or duplicated; sometimes flooded to others.
  void Transmit(const PacketSpec& s) {
    const uint64_t sent = net_.Record(s.from, Ethernet(s, now_));
    const uint32_t copies = Chance(10) ? 0 : Chance(3) ? 2 : 1;
    for (uint32_t i = 0; i < copies; ++i) {
      net_.Expect(s.from, sent, s.to, net_.Record(s.to, Ethernet(s, now_ + Delay())));
    }
    for (uint32_t host = 1; host <= 4; ++host) {
      if (host != s.from && host != s.to && Chance(1)) {
        net_.Record(host, Ethernet(s, now_ + Delay()));
      }
    }
  }

  void Datagram() {
    PacketSpec s = Between();
    s.payload = Text(std::to_string(random_()));
    Transmit(s);
  }

  // The same bytes several times, as requests that are sent again without answer.
  void Repeated() {
    PacketSpec s = Between();
    s.protocol = 6;
    s.seq = Below(50);
    const uint32_t times = 1 + Below(3);
    for (uint32_t i = 0; i < times; ++i, now_ += 1'000'000) Transmit(s);
  }

  struct Segment {
    uint32_t begin = 0;
    uint32_t end = 0;
    bool is_last = false;  // of what was captured as `sent`
    uint64_t sent = 0;
    PacketSpec spec;
  };

  PacketSpec Data(PacketSpec s, uint32_t begin, uint32_t end) {
    s.seq = begin;
    s.payload = Bytes(end - begin, std::byte{'d'});
    return s;
  }

  // The sender captures runs of up to four segments as one; lost ones are sent again one by one;
  // the receiver's card merges neighbours.
  void Segments() {
    constexpr uint32_t kSize = 10;
    PacketSpec flow = Between();
    flow.protocol = 6;
    flow.port_from = static_cast<uint16_t>(random_());
    std::vector<Segment> arrived;
    std::vector<Segment> lost;
    for (uint32_t at = 0; at < 20 * kSize;) {
      const uint32_t end = at + kSize * (1 + Below(4));
      flow.ip_id = static_cast<uint16_t>(at);
      const PacketSpec run = Data(flow, at, end);
      const uint64_t sent = net_.Record(flow.from, Ethernet(run, now_));
      for (; at < end; at += kSize) {
        Segment segment{at, at + kSize, at + kSize == end, sent, run};
        (Chance(10) ? lost : arrived).push_back(segment);
      }
    }
    Receive(flow, arrived);
    for (Segment& segment : lost) {
      flow.ip_id = static_cast<uint16_t>(segment.begin + 1000);
      const PacketSpec again = Data(flow, segment.begin, segment.end);
      segment.sent = net_.Record(flow.from, Ethernet(again, now_ += 300'000));
      segment.is_last = true;
      segment.spec = again;
    }
    Receive(flow, lost);
  }

  void Receive(PacketSpec flow, const std::vector<Segment>& segments) {
    for (size_t first = 0; first < segments.size();) {
      size_t last = first;
      while (last + 1 < segments.size() && segments[last + 1].begin == segments[last].end &&
             Chance(60)) {
        ++last;
      }
      flow.ip_id = segments[first].spec.ip_id;
      const PacketSpec merged = Data(flow, segments[first].begin, segments[last].end);
      const uint64_t received = net_.Record(flow.to, Ethernet(merged, now_ + Delay()));
      if (segments[last].is_last) net_.Expect(flow.from, segments[last].sent, flow.to, received);
      first = last + 1;
    }
  }

  void Broadcast() {
    PacketSpec s = Between();
    s.ipv6 = false;
    s.link_to = kBroadcastLink;
    s.ipv4_to = 0xffffffff;
    s.payload = Text(std::to_string(Below(1000)));
    const uint64_t sent = net_.Record(s.from, Ethernet(s, now_));
    for (uint32_t host = 1; host <= 4; ++host) {
      if (host == s.from || Chance(5)) continue;
      net_.Expect(s.from, sent, host, net_.Record(host, Ethernet(s, now_ + Delay())));
    }
  }

  // Every capture is on a clock of its own.
  void SetClocks() {
    for (auto& capture : net_.captures) {
      const int64_t offset = static_cast<int64_t>(random_() % 1'000'000'000'000) - 500'000'000'000;
      for (auto& packet : capture.packets) packet.time += offset;
    }
  }

  std::mt19937_64 random_;
  TestNetwork net_;
  int64_t now_ = 1'700'000'000'000'000'000;
};

TEST(MatchSimulation, NoPairIsWrongAndFewAreMissed) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Traffic traffic(seed);
    const TestNetwork net = traffic.Run(400);
    const MatchResult result = net.Match();
    ASSERT_EQ(result.error, "");
    for (const Found& m : result.sink.messages) ASSERT_TRUE(net.truth.contains(m));
    EXPECT_EQ(result.sink.calls, result.sink.messages.size());
    EXPECT_GE(result.sink.messages.size(), net.truth.size() * 6 / 10);
    for (size_t c = 0; c < net.captures.size(); ++c) {
      EXPECT_EQ(PacketsOf(result.counts.captures[c]), net.captures[c].packets.size());
    }
  }
}

// Receivers of one broadcast are receivers of one transmission.
TEST(MatchSimulation, BroadcastsHaveOneSender) {
  for (uint64_t seed = 21; seed <= 25; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Traffic traffic(seed);
    const TestNetwork net = traffic.Run(400);
    std::map<std::pair<uint32_t, uint64_t>, std::pair<uint32_t, uint64_t>> sender;
    for (const auto& [from, sent, to, received] : net.truth) sender[{to, received}] = {from, sent};
    const MatchResult result = net.Match();
    EXPECT_FALSE(result.sink.broadcasts.empty());
    for (const auto& receives : result.sink.broadcasts) {
      for (const auto& r : receives) EXPECT_EQ(sender.at(r), sender.at(receives[0]));
    }
  }
}

}  // namespace
}  // namespace syncline
