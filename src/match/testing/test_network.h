// For tests of matching: hosts on a switch, their captures, and the messages that are true.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "match/match_test_util.h"
#include "match/testing/packet_builder.h"

namespace syncline {

class TestNetwork {
 public:
  // Hosts 1 … n; the capture of host h is number h − 1, on clock h − 1.
  explicit TestNetwork(uint32_t hosts) : captures(hosts) {
    for (uint32_t h = 0; h < hosts; ++h) captures[h].clock = h;
  }

  // Appends to a host's capture and returns the packet's number.
  uint64_t Record(uint32_t host, StoredPacket packet) {
    auto& packets = captures[host - 1].packets;
    packets.push_back(std::move(packet));
    return packets.size() - 1;
  }

  // A packet that both ends capture.
  void Deliver(const PacketSpec& spec, int64_t time_ns, int64_t delay_ns = 100'000) {
    const uint64_t sent = Record(spec.from, Ethernet(spec, time_ns));
    const uint64_t received = Record(spec.to, Ethernet(spec, time_ns + delay_ns));
    Expect(spec.from, sent, spec.to, received);
  }

  void Expect(uint32_t from, uint64_t sent, uint32_t to, uint64_t received) {
    truth.emplace(from - 1, sent, to - 1, received);
  }

  // Ten exchanges between each two hosts, so that every host's address is known afterwards (with
  // three hosts or more).
  void Chat() {
    const auto hosts = static_cast<uint32_t>(captures.size());
    for (uint16_t i = 0; i < 10; ++i) {
      for (uint32_t a = 1; a <= hosts; ++a) {
        for (uint32_t b = a + 1; b <= hosts; ++b) Exchange(a, b, i);
      }
    }
  }

  void Exchange(uint32_t a, uint32_t b, uint16_t id) {
    PacketSpec request{.from = a, .to = b, .ip_id = id, .port_from = 7, .port_to = 8};
    PacketSpec reply{.from = b, .to = a, .ip_id = id, .port_from = 8, .port_to = 7};
    Deliver(request, now_ns);
    Deliver(reply, now_ns + 150'001);
    now_ns += 1'000'003;  // not a multiple of a coarse tick
  }

  MatchResult Match(PacketMatchOptions options = {}) const {
    return MatchCaptures(captures, options);
  }

  std::vector<StoredCapture> captures;
  std::set<Found> truth;
  int64_t now_ns = 1'700'000'000'000'000'000;
};

}  // namespace syncline
