// For tests of matching: runs a matcher over captures in memory and collects what it finds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "syncline/event.h"
#include "syncline/mpi.h"

#include "match/packet_matcher.h"

namespace syncline {

// A packet with its own bytes.
struct StoredPacket {
  std::vector<std::byte> bytes;
  uint32_t original_length = 0;  // 0: as many as there are bytes
  int64_t time = 0;
  LinkType link = LinkType::kEthernet;
  PacketDirection direction = PacketDirection::kUnknown;
  uint32_t interface = 0;

  Packet AsPacket(uint64_t index) const {
    Packet p;
    p.index = index;
    p.time = LocalTime{time};
    p.bytes = bytes;
    p.original_length =
        original_length != 0 ? original_length : static_cast<uint32_t>(bytes.size());
    p.interface = interface;
    p.link = link;
    p.direction = direction;
    return p;
  }
};

struct StoredCapture {
  uint32_t clock = 0;
  std::vector<StoredPacket> packets;
};

// An event with what MPI knows of it.
struct RecordedOperation {
  Event event;
  MpiOperation operation;
};

// (sending process, packet, receiving process, packet)
using Found = std::tuple<uint32_t, uint64_t, uint32_t, uint64_t>;

class CollectingSink : public MessageSink {
 public:
  void OnMessage(const Message& m) override {
    messages.emplace(m.send.process.value, m.send.index, m.receive.process.value, m.receive.index);
    ++calls;
    for (const EventRef* e : {&m.send, &m.receive}) times.emplace(e->process.value, e->time.ticks);
  }
  void OnBroadcast(const Broadcast& b) override {
    std::vector<std::pair<uint32_t, uint64_t>> receives;
    for (const EventRef& e : b.receives) receives.emplace_back(e.process.value, e.index);
    std::sort(receives.begin(), receives.end());
    broadcasts.insert(std::move(receives));
  }
  std::set<Found> messages;
  std::set<std::vector<std::pair<uint32_t, uint64_t>>> broadcasts;
  std::set<std::pair<uint32_t, int64_t>> times;
  uint64_t calls = 0;
};

struct MatchResult {
  CollectingSink sink;
  PacketMatchCounts counts;
  Diagnostics diagnostics;
  std::vector<uint64_t> own;  // link addresses
  std::string error;
};

// Captures are processes 0, 1, …; packets are handed over in the order of the captures.
inline MatchResult MatchCaptures(std::span<const StoredCapture> captures,
                                 PacketMatchOptions options = {}) {
  MatchResult result;
  std::vector<CaptureOrigin> origins;
  for (uint32_t c = 0; c < captures.size(); ++c) {
    origins.push_back({ProcessId(c), ClockId(captures[c].clock)});
  }
  PacketMatcher matcher(origins, options);
  for (size_t c = 0; c < captures.size(); ++c) {
    uint64_t index = 0;
    for (const StoredPacket& p : captures[c].packets) matcher.Survey(c, p.AsPacket(index++));
  }
  matcher.EndSurvey(result.diagnostics);
  for (size_t c = 0; c < captures.size(); ++c) {
    result.own.push_back(matcher.own_link_address(c));
    uint64_t index = 0;
    for (const StoredPacket& p : captures[c].packets) {
      auto added = matcher.Add(c, p.AsPacket(index++));
      if (!added) result.error = added.error().ToString();
    }
  }
  auto counts = matcher.Finish(result.sink, result.diagnostics);
  if (counts) {
    result.counts = *counts;
  } else {
    result.error = counts.error().ToString();
  }
  return result;
}

inline uint64_t PacketsOf(const CaptureMatchCounts& counts) {
  return std::accumulate(counts.by_fate.begin(), counts.by_fate.end(), uint64_t{0});
}

// Of all captures together.
inline uint64_t CountOf(const MatchResult& result, PacketFate fate) {
  uint64_t sum = 0;
  for (const CaptureMatchCounts& c : result.counts.captures) sum += c[fate];
  return sum;
}

}  // namespace syncline
