// From CTF traces to messages: kernel traces written here, and recorded ones.

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "match/rules/rule_matcher.h"
#include "match/stream_packet_matcher.h"
#include "read/ctf/ctf_reader.h"
#include "read/ctf/field_value.h"
#include "read/ctf/kernel_network.h"
#include "read/ctf/testing/kernel_trace_builder.h"
#include "read/ctf/trace_folder.h"

namespace syncline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Recorder : MessageSink {
  void OnMessage(const Message& message) override { messages.push_back(message); }
  void OnBroadcast(const Broadcast& broadcast) override { broadcasts.push_back(broadcast); }
  std::vector<Message> messages;
  std::vector<Broadcast> broadcasts;
};

// Several hosts' traces; a clock per folder, a process per stream.
struct Traces {
  explicit Traces(const std::vector<std::string>& folders) {
    for (const std::string& folder : folders) {
      auto reader = CtfReader::Open(folder);
      EXPECT_TRUE(reader.has_value()) << (reader ? "" : reader.error().ToString());
      if (!reader) continue;
      const ClockId clock(static_cast<uint32_t>(set.clocks.size()));
      set.clocks.push_back((*reader)->clocks().at(0).ToClock((*reader)->hostname()));
      for (const auto& stream : (*reader)->streams()) {
        streams.emplace_back(static_cast<uint32_t>(set.processes.size()));
        set.processes.push_back({stream->channel(), "", clock});
      }
      readers.push_back(std::move(*reader));
    }
  }

  // visit(reader, process, event) for every event.
  template <typename Visit>
  void ForEach(Visit visit) {
    uint32_t process = 0;
    for (const auto& reader : readers) {
      for (const auto& stream : reader->streams()) {
        while (const CtfEvent* event = stream->Next()) visit(*reader, ProcessId(process), *event);
        EXPECT_FALSE(stream->error());
        ++process;
      }
    }
  }

  int64_t NominalNs(const EventRef& event) const {
    const Process& process = set.processes[event.process.index()];
    return set.clocks[process.clock.index()].NominalNs(event.time);
  }
  int64_t DelayNs(const Message& m) const { return NominalNs(m.receive) - NominalNs(m.send); }

  TraceSet set;
  std::vector<ProcessId> streams;
  std::vector<std::unique_ptr<CtfReader>> readers;
};

Recorder MatchPackets(Traces& traces, Diagnostics& diagnostics) {
  StreamPacketMatcher matcher(traces.set, traces.streams);
  traces.ForEach([&](const CtfReader& reader, ProcessId process, const CtfEvent& event) {
    const auto packets = KernelPacketReader::For(reader.event_classes()[event.event_class].handle);
    if (!packets) return;
    const KernelPacket packet = packets->Read(event.handle);
    const auto added = matcher.Add(process, packet.device, packet.At(event.index, event.time));
    EXPECT_TRUE(added.has_value());
  });
  Recorder found;
  EXPECT_TRUE(matcher.Finish(found, diagnostics).has_value());
  return found;
}

void Append16(HeaderBytes& bytes, uint64_t v) {
  bytes.push_back(static_cast<uint8_t>(v >> 8 & 0xff));
  bytes.push_back(static_cast<uint8_t>(v & 0xff));
}
void Append32(HeaderBytes& bytes, uint64_t v) {
  Append16(bytes, v >> 16);
  Append16(bytes, v);
}

// Host n is 10.0.0.n.
HeaderBytes Ipv4(uint32_t from, uint32_t to, uint8_t protocol, uint16_t length, uint16_t id) {
  HeaderBytes bytes = {0x45, 0};
  Append16(bytes, length);
  Append16(bytes, id);
  Append16(bytes, 0x4000);
  bytes.push_back(64);
  bytes.push_back(protocol);
  Append16(bytes, id);  // as a checksum; nobody looks at it
  Append32(bytes, 0x0a000000 | from);
  Append32(bytes, 0x0a000000 | to);
  return bytes;
}

HeaderBytes Tcp(uint32_t seq, uint32_t ack, uint16_t checksum) {
  HeaderBytes bytes;
  Append32(bytes, 0x13880050);
  Append32(bytes, seq);
  Append32(bytes, ack);
  Append16(bytes, 0x8018);
  Append16(bytes, 501);
  Append16(bytes, checksum);
  Append16(bytes, 0);
  return bytes;
}

class KernelTraces : public testing::Test {
 protected:
  ~KernelTraces() override { std::filesystem::remove_all(root_); }
  std::string Write(const KernelTrace& trace) {
    std::string folder = fmt::format("{}/{}", root_, trace.hostname);
    std::filesystem::create_directories(root_);
    EXPECT_EQ(WriteKernelTrace(trace, folder), "");
    return folder;
  }

 private:
  std::string root_ =
      fmt::format("{}ctf_{}_{}", testing::TempDir(),
                  testing::UnitTest::GetInstance()->current_test_info()->name(), getpid());
};

TEST_F(KernelTraces, PacketsOfTwoHostsAreMatchedAcrossProcessors) {
  const HeaderBytes request = Ipv4(1, 2, 6, 52 + 100, 7);
  const HeaderBytes reply = Ipv4(2, 1, 6, 52 + 200, 9);
  const HeaderBytes datagram = Ipv4(1, 2, 17, 28 + 64, 8);
  HeaderBytes udp;
  Append32(udp, 0x04d21633);
  Append16(udp, 8 + 64);
  Append16(udp, 0);
  // b is 5000 ns behind: its receives seem to come before the sends.
  const std::string a =
      Write({.hostname = "a",
             .events = {{.cycles = 10'000, .network = request, .transport = Tcp(1000, 1, 0)},
                        {.cycles = 11'000, .cpu = 1, .network = datagram, .transport = udp},
                        {.name = "net_if_receive_skb",
                         .cycles = 14'000,
                         .cpu = 1,
                         .network = reply,
                         .transport = Tcp(1, 1100, 0x4321)},
                        {.cycles = 15'000, .network = {}}}});
  const std::string b =
      Write({.hostname = "b",
             .events = {{.name = "net_if_receive_skb",
                         .cycles = 6'000,
                         .network = request,
                         .transport = Tcp(1000, 1, 0x1234)},
                        {.cycles = 7'000, .network = reply, .transport = Tcp(1, 1100, 0)},
                        {.name = "net_if_receive_skb",
                         .cycles = 7'500,
                         .network = datagram,
                         .transport = udp}}});
  Traces traces({a, b});
  ASSERT_EQ(traces.streams.size(), 3);
  Diagnostics diagnostics;
  Recorder found = MatchPackets(traces, diagnostics);
  std::sort(found.messages.begin(), found.messages.end(), [](const Message& x, const Message& y) {
    return std::pair(x.send.process, x.send.time) < std::pair(y.send.process, y.send.time);
  });
  std::vector<std::string> messages;
  for (const Message& m : found.messages) {
    messages.push_back(fmt::format("{}#{} > {}#{}: {}", m.send.process.value, m.send.index,
                                   m.receive.process.value, m.receive.index, traces.DelayNs(m)));
  }
  EXPECT_THAT(messages, ElementsAre("0#0 > 2#0: -4000", "1#0 > 2#2: -3500", "2#1 > 1#1: 7000"));
  EXPECT_EQ(diagnostics.count("unsupported-protocol"), 1);
}

TEST_F(KernelTraces, EqualDatagramsAreNeverPaired) {
  HeaderBytes udp;
  Append32(udp, 0x04d21633);
  Append16(udp, 8 + 64);
  Append16(udp, 0);
  const HeaderBytes network = Ipv4(1, 2, 17, 28 + 64, 0);
  const auto event = [&](const std::string& name, uint64_t cycles, uint32_t cpu) {
    return KernelNetworkEvent{
        .name = name, .cycles = cycles, .cpu = cpu, .network = network, .transport = udp};
  };
  const std::string a =
      Write({.hostname = "a",
             .events = {event("net_dev_queue", 10'000, 0), event("net_dev_queue", 20'000, 1)}});
  const std::string b =
      Write({.hostname = "b", .events = {event("net_if_receive_skb", 21'000, 0)}});
  Traces traces({a, b});
  Diagnostics diagnostics;
  EXPECT_THAT(MatchPackets(traces, diagnostics).messages, IsEmpty());
  EXPECT_EQ(diagnostics.count("ambiguous-packet"), 3);
}

std::string Recorded(const std::string& name) {
  const std::string data = SYNCLINE_DATA_DIR;
  const bool exists = !data.empty() && std::filesystem::exists(data + "/" + name);
  return exists ? data + "/" + name : std::string();
}

TEST(RecordedTraces, TcpOfOldKernelTracesIsMatched) {
  const std::string data = Recorded("tracecompass");
  if (data.empty()) GTEST_SKIP() << "no recorded traces";
  Traces traces({data + "/scp_src", data + "/scp_dest"});
  Diagnostics diagnostics;
  const Recorder found = MatchPackets(traces, diagnostics);
  ASSERT_EQ(found.messages.size(), 46);
  std::vector<int64_t> forward;
  std::vector<int64_t> backward;
  for (const Message& m : found.messages) {
    const bool from_source = traces.set.processes[m.send.process.index()].clock == ClockId(0);
    (from_source ? forward : backward).push_back(traces.DelayNs(m));
  }
  EXPECT_EQ(forward.size(), 24);
  EXPECT_THAT(forward,
              testing::Each(testing::AllOf(testing::Gt(-80'431'000), testing::Lt(-79'586'000))));
  EXPECT_THAT(backward,
              testing::Each(testing::AllOf(testing::Gt(80'703'000), testing::Lt(80'838'000))));
}

RuleValue ValueOf(const FieldValue& value) {
  switch (value.kind()) {
    case FieldValue::Kind::kSigned: return value.as_signed();
    case FieldValue::Kind::kUnsigned: return value.as_unsigned();
    case FieldValue::Kind::kReal: return value.as_real();
    case FieldValue::Kind::kText: return value.text();
    case FieldValue::Kind::kNone: break;
  }
  return {};
}

// An event class's binding, and where its fields lie.
struct BoundClass {
  RuleBinding binding;
  std::vector<FieldPlace> places;
};

BoundClass Bind(const std::vector<Rule>& rules, const CtfEventClass& event_class,
                Diagnostics& diagnostics) {
  const auto has_field = [&](std::string_view field) {
    return FieldPlace::Find(event_class.handle, field).has_value();
  };
  BoundClass bound = {BindRules(rules, event_class.name, has_field, diagnostics), {}};
  for (const std::string& field : bound.binding.fields()) {
    bound.places.push_back(*FieldPlace::Find(event_class.handle, field));
  }
  return bound;
}

struct RuleMatches {
  Recorder found;
  std::vector<RuleMatchCounts> counts;
  Diagnostics diagnostics;
};

RuleMatches MatchRules(Traces& traces, const Result<RuleSet>& parsed) {
  RuleMatches matches;
  EXPECT_TRUE(parsed.has_value());
  if (!parsed) return matches;
  const std::vector<Rule>& rules = parsed->rules;
  RuleMatcher matcher(rules);
  std::map<const bt_event_class*, BoundClass> classes;
  traces.ForEach([&](const CtfReader& reader, ProcessId process, const CtfEvent& event) {
    const CtfEventClass& event_class = reader.event_classes()[event.event_class];
    auto bound = classes.find(event_class.handle);
    if (bound == classes.end()) {
      bound =
          classes.emplace(event_class.handle, Bind(rules, event_class, matches.diagnostics)).first;
    }
    std::vector<RuleValue> values;
    for (const FieldPlace& place : bound->second.places) {
      values.push_back(ValueOf(place.Read(event.handle)));
    }
    const EventRef ref = {process, event.index, event.time};
    const ClockId clock = traces.set.processes[process.index()].clock;
    EXPECT_TRUE(matcher.Add(bound->second.binding, values, ref, clock).has_value());
  });
  auto counts = matcher.Finish(matches.found, matches.diagnostics);
  EXPECT_TRUE(counts.has_value());
  if (counts) matches.counts = std::move(*counts);
  return matches;
}

TEST(RecordedTraces, MessagesOfUserEventsAreMatchedByRule) {
  const std::string data = Recorded("lttng/rates");
  if (data.empty()) GTEST_SKIP() << "no recorded traces";
  const auto folders = FindCtfTraces(data);
  ASSERT_TRUE(folders.has_value());
  Traces traces(*folders);
  const RuleMatches matches =
      MatchRules(traces, ReadRules(SYNCLINE_SOURCE_DIR "/examples/rules/msg.rules"));
  EXPECT_THAT(matches.counts, ElementsAre(RuleMatchCounts{.messages = 3224,
                                                          .sends = 3224,
                                                          .receives = 3224,
                                                          .matched_sends = 3224,
                                                          .matched_receives = 3224}));
  EXPECT_EQ(std::count_if(matches.found.messages.begin(), matches.found.messages.end(),
                          [&](const Message& m) { return traces.DelayNs(m) < 0; }),
            1612);
  EXPECT_TRUE(matches.diagnostics.all().empty());
}

// Three datagrams over the loopback device, recorded by perf 6.1 and converted by
// `perf data convert --to-ctf --tod`; the padding is cut off.
const std::string kPerfTrace = SYNCLINE_SOURCE_DIR "/src/match/testdata/perf_net";

TEST(RecordedTraces, EventsOfPerfAreMatchedByRule) {
  Traces traces({kPerfTrace});
  EXPECT_EQ(traces.set.clocks.at(0).name, "node");
  const RuleMatches matches = MatchRules(
      traces, ParseRules("net:net_dev_queue(skbaddr) -> net:netif_receive_skb(skbaddr)", "t"));
  // Both ends are in the stream of one processor.
  EXPECT_THAT(matches.counts,
              ElementsAre(RuleMatchCounts{.sends = 3, .receives = 3, .to_itself = 6}));
}

TEST(RecordedTraces, NetworkEventsOfPerfHoldNoHeaders) {
  Traces traces({kPerfTrace});
  Diagnostics diagnostics;
  EXPECT_THAT(MatchPackets(traces, diagnostics).messages, IsEmpty());
  EXPECT_TRUE(diagnostics.all().empty());
}

}  // namespace
}  // namespace syncline
