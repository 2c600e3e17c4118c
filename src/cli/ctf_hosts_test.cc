// The whole program on several traces of one host, of the kernel and of programs, and on streams
// and inputs in different orders.
#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/babeltrace_test_util.h"
#include "cli/command_test_util.h"
#include "read/ctf/testing/kernel_trace_builder.h"
#include "read/ctf/testing/tiny_trace.h"

namespace syncline {
namespace {

constexpr uint64_t kStartNs = 1'000'000'000;
constexpr uint64_t kRoundNs = 1'000'000;
constexpr uint64_t kDelayNs = 100'000;
constexpr uint64_t kRounds = 10;
constexpr uint64_t kAheadNs = 5'000'000;  // b's counter
// In every round, in nanoseconds since its start: a program on a asks, its kernel sends, b's kernel
// receives, a program there works, and so back.
constexpr uint64_t kAsk = 0, kSend = 1'000, kArrive = kSend + kDelayNs;
constexpr uint64_t kWork = kArrive + 1'000, kReply = kWork + 1'000, kReturn = kReply + kDelayNs;
constexpr uint64_t kDone = kReturn + 1'000;

HeaderBytes Ipv4(uint8_t from, uint8_t to) {
  return {0x45, 0, 0, 40, 0, 1, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, from, 10, 0, 0, to};
}
HeaderBytes Tcp(uint8_t from, uint8_t to, uint8_t sequence) {
  return {0x10, from, 0x10, to, 0, 0, 0, sequence, 0, 0, 0, 0, 0x50, 0x10, 0, 9, 0, 0, 0, 0};
}

KernelNetworkEvent Packet(const char* event, uint64_t cycles, std::pair<uint8_t, uint8_t> way,
                          uint8_t round) {
  return {.name = event,
          .cycles = cycles,
          .network = Ipv4(way.first, way.second),
          .transport = Tcp(way.first, way.second, round)};
}

std::array<uint8_t, 16> UuidOf(uint8_t digit) {
  std::array<uint8_t, 16> uuid{};
  uuid.fill(digit);
  return uuid;
}

class CtfHosts : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    if (!HasTool("babeltrace2")) GTEST_SKIP() << "babeltrace2 is not installed";
  }

  // A folder per host with a trace of its kernel and one of its programs, whose clocks claim
  // different offsets of one counter. `set_back_ns`: that of b is by so much, after half of the
  // rounds, and the program pauses then.
  void WriteHosts(uint64_t set_back_ns = 0) const {
    KernelTrace a{.hostname = "a", .clock_uuid = UuidOf(0x0a)};
    KernelTrace b{.hostname = "b", .clock_uuid = UuidOf(0x0b)};
    TinyPacket of_a;
    TinyPacket of_b;
    for (uint64_t i = 0; i < kRounds; ++i) {
      const uint64_t start = kStartNs + i * kRoundNs;
      const bool is_set = i >= kRounds / 2;
      const uint64_t start_b = start + kAheadNs - (is_set ? set_back_ns : 0);
      const auto round = static_cast<uint8_t>(i);
      of_a.events.push_back({start + kAsk, 1});
      a.events.push_back(Packet("net_dev_queue", start + kSend, {1, 2}, round));
      b.events.push_back(Packet("net_if_receive_skb", start_b + kArrive, {1, 2}, round));
      const bool pauses = is_set && set_back_ns > 0 && i + 1 < kRounds;
      if (!pauses) of_b.events.push_back({start_b + kWork, 2});
      b.events.push_back(Packet("net_dev_queue", start_b + kReply, {2, 1}, round));
      a.events.push_back(Packet("net_if_receive_skb", start + kReturn, {2, 1}, round));
      of_a.events.push_back({start + kDone, 3});
    }
    for (const std::string host : {"a", "b"}) fs::create_directories(At(host));
    ASSERT_EQ(WriteKernelTrace(a, At("a/kernel")), "");
    ASSERT_EQ(WriteKernelTrace(b, At("b/kernel")), "");
    TinyTraceWriter({.offset = 3'000,
                     .uuid = "0a0a0a0a-0a0a-0a0a-0a0a-0a0a0a0a0a0a",
                     .is_absolute = true,
                     .hostname = "a",
                     .streams = {{of_a}}})
        .Write(At("a/ust"));
    TinyTraceWriter({.offset = 2'000,
                     .uuid = "0b0b0b0b-0b0b-0b0b-0b0b-0b0b0b0b0b0b",
                     .is_absolute = true,
                     .hostname = "b",
                     .streams = {{of_b}}})
        .Write(At("b/ust"));
  }

  // What happened, in the order in which babeltrace2 shows it.
  static std::vector<std::string> NamesIn(const std::string& folders) {
    std::vector<std::string> names;
    for (const TextEvent& event : ReadByBabeltrace(folders)) {
      const std::string before = event.rest.substr(0, event.rest.find(':' + std::string(" {")));
      names.push_back(before.substr(before.find_last_of(" :") + 1));
    }
    return names;
  }
  static std::vector<std::string> TrueNames() {
    std::vector<std::string> names;
    for (uint64_t i = 0; i < kRounds; ++i) {
      for (const char* name : {"work", "net_dev_queue", "net_if_receive_skb", "work",
                               "net_dev_queue", "net_if_receive_skb", "work"}) {
        names.emplace_back(name);
      }
    }
    return names;
  }
};

TEST_F(CtfHosts, ProgramsAreOnTheClockOfTheirKernel) {
  WriteHosts();
  for (const char* write : {"metadata", "events"}) {
    const auto summary = Summary(fmt::format("sync {} {} -o {} --write {} --reference a", At("a"),
                                             At("b"), At(write), write),
                                 0);
    ASSERT_EQ(summary["clocks"].size(), 2U) << write;
    EXPECT_EQ(summary["messages"]["total"], 2 * kRounds);
    EXPECT_EQ(summary["messages"]["inverted_before"], kRounds);
    EXPECT_EQ(DiagnosticCount(summary, "host-clock-offsets-differ"), 2U);
    EXPECT_EQ(DiagnosticCount(summary, "clock-blocks-insufficient"), 0U);
    // As the network took as long both ways, the offset is what it is in the middle.
    const auto b = ByName(summary["clocks"], "b");
    EXPECT_NEAR(b["offset_ns"].get<double>(), double{kAheadNs}, kDelayNs);
    // Whatever is chosen within the bounds: causes come before effects.
    EXPECT_EQ(NamesIn(At(write)), TrueNames()) << write;
  }
  EXPECT_NE(NamesIn(At("a") + " " + At("b")), TrueNames());
}

TEST_F(CtfHosts, CheckFindsTheSetBackThatTheKernelAloneSawAsSyncDoes) {
  WriteHosts(5 * kRoundNs / 2);  // what the program read then may be from either side: exit code 3
  const std::string hosts = At("a") + " " + At("b");
  const auto checked = Summary("check " + hosts, 3);
  const auto synced = Summary("sync -o " + At("out") + " " + hosts, 3);
  EXPECT_EQ(checked["steps"].size(), 1U);
  EXPECT_EQ(checked["steps"], synced["steps"]);
  EXPECT_EQ(checked["clocks"], synced["clocks"]);
}

TEST_F(CtfHosts, ReportsSayWhichTracesWereRead) {
  WriteHosts();
  Summary(fmt::format("sync {} {} -o {} --report {}", At("a"), At("b"), At("out"), At("r.html")),
          0);
  const RunResult digest = Shell("cd " + At("b/ust") + " && sha256sum * | sha256sum");
  EXPECT_THAT(ReadBytes(At("r.html")), testing::HasSubstr(digest.output.substr(0, 64)));
}

// Messages between hosts of several streams, in any order of time within a stream.
std::pair<TinyTrace, TinyTrace> TwoBusyHosts(uint32_t seed) {
  std::mt19937 random(seed);
  constexpr size_t kStreams = 4;
  TinyTrace a{.hostname = "a", .streams = std::vector<std::vector<TinyPacket>>(kStreams)};
  TinyTrace b{.hostname = "b", .streams = a.streams};
  for (TinyTrace* trace : {&a, &b}) {
    for (auto& stream : trace->streams) stream.resize(1);
  }
  uint64_t now = kStartNs;
  for (uint32_t message = 0; message < 400; ++message) {
    now += 1'000 + random() % 100'000;
    const uint64_t arrival = now + 20'000 + random() % 300'000;
    // b is 3 ms ahead and runs 1/30000 fast.
    const auto on_b = [](uint64_t t) { return t + 3'000'000 + (t - kStartNs) / 30'000; };
    const bool from_a = message % 2 == 0;
    const TinyEvent send{from_a ? now : on_b(now), message, "s"};
    const TinyEvent receive{from_a ? on_b(arrival) : arrival, message, "r"};
    (from_a ? a : b).streams[random() % kStreams][0].events.push_back(send);
    (from_a ? b : a).streams[random() % kStreams][0].events.push_back(receive);
  }
  for (TinyTrace* trace : {&a, &b}) {
    for (auto& stream : trace->streams) {
      std::sort(stream[0].events.begin(), stream[0].events.end(),
                [](const TinyEvent& x, const TinyEvent& y) { return x.cycles < y.cycles; });
    }
  }
  return {a, b};
}

struct Slopes {
  double least = 0, largest = 0;
};
Slopes SlopesOf(const nlohmann::json& summary) {
  const auto& corridor = summary["pairs"][0]["corridor"];
  return {corridor["slope_min"].get<double>(), corridor["slope_max"].get<double>()};
}

TEST_F(CtfHosts, ExtremeSlopesDoNotDependOnTheOrderOfReading) {
  const std::string options = std::string(" --method bisector --max-drift-ppm inf") + kTinyRule;
  auto hosts = TwoBusyHosts(5);
  TinyTrace& a = hosts.first;
  TinyTrace& b = hosts.second;
  const auto write = [&] {
    TinyTraceWriter(a).Write(At("a"));
    TinyTraceWriter(b).Write(At("b"));
  };
  write();
  const auto first = Summary("check " + At("a") + " " + At("b") + options, 0);
  ASSERT_EQ(first["pairs"][0]["a"], "a");
  ASSERT_EQ(first["messages"]["total"], 400);
  const Slopes of_first = SlopesOf(first);
  EXPECT_LT(of_first.least, 1 + 1.0 / 30'000);
  EXPECT_GT(of_first.largest, 1 + 1.0 / 30'000);
  for (int order = 0; order < 3; ++order) {
    std::rotate(a.streams.begin(), a.streams.begin() + 1, a.streams.end());
    std::reverse(b.streams.begin(), b.streams.end());
    write();
    const Slopes again = SlopesOf(Summary("check " + At("a") + " " + At("b") + options, 0));
    EXPECT_EQ(again.least, of_first.least) << order;
    EXPECT_EQ(again.largest, of_first.largest) << order;
  }
  // The other way round they are the reciprocals, to 15 digits.
  const auto swapped = Summary("check " + At("b") + " " + At("a") + options, 0);
  ASSERT_EQ(swapped["pairs"][0]["a"], "b");
  EXPECT_NEAR(SlopesOf(swapped).least * of_first.largest, 1, 1e-15);
  EXPECT_NEAR(SlopesOf(swapped).largest * of_first.least, 1, 1e-15);
}

}  // namespace
}  // namespace syncline
