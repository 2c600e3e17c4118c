// What matching costs per packet, in both passes together, for several offsets between the clocks.
//
// Packets: TCP segments of 1000 bytes cut at 96, half of them in each direction, captured on both
// of two hosts beside traffic with a third, one in a hundred lost. Building them is not measured.

#include <cstdint>
#include <cstring>
#include <vector>

#include <benchmark/benchmark.h>

#include "match/packet_matcher.h"

namespace syncline {
namespace {

constexpr size_t kSnapLength = 96;
constexpr uint32_t kWireLength = 1000;

struct SyntheticCapture {
  std::vector<std::byte> bytes;  // kSnapLength per packet
  std::vector<int64_t> times;

  Packet At(size_t i) const {
    Packet p;
    p.index = i;
    p.time = LocalTime{times[i]};
    p.bytes = std::span(bytes).subspan(i * kSnapLength, kSnapLength);
    p.original_length = kWireLength;
    return p;
  }
};

void Append(SyntheticCapture& capture, uint32_t from, uint32_t to, uint32_t number, int64_t time) {
  unsigned char f[kSnapLength] = {2, 0, 0, 0, 0, 0, 2};
  f[5] = static_cast<unsigned char>(to);
  f[11] = static_cast<unsigned char>(from);
  f[12] = 8;
  unsigned char* ip = f + 14;
  ip[0] = 0x45;
  ip[2] = (kWireLength - 14) >> 8;
  ip[3] = (kWireLength - 14) & 0xff;
  std::memcpy(ip + 4, &number, 2);
  ip[8] = 64;
  ip[9] = 6;
  ip[12] = ip[16] = 10;
  ip[15] = f[11];
  ip[19] = f[5];
  unsigned char* tcp = ip + 20;
  std::memcpy(tcp + 4, &number, 4);
  tcp[12] = 0x50;
  tcp[13] = 0x10;
  const auto* begin = reinterpret_cast<const std::byte*>(f);
  capture.bytes.insert(capture.bytes.end(), begin, begin + kSnapLength);
  capture.times.push_back(time);
}

std::vector<SyntheticCapture> MakeCaptures(size_t packets, int64_t offset_ns) {
  std::vector<SyntheticCapture> captures(2);
  constexpr int64_t kEpoch = 1'700'000'000'000'000'000;
  for (uint32_t i = 0; captures[0].times.size() + captures[1].times.size() < packets; ++i) {
    const uint32_t from = 1 + i % 2;
    const uint32_t to = 3 - from;
    const int64_t sent = kEpoch + int64_t{i} * 10'000;
    const auto local = [&](uint32_t host, int64_t t) { return host == 2 ? t + offset_ns : t; };
    Append(captures[from - 1], from, to, i, local(from, sent));
    if (i % 100 != 7) Append(captures[to - 1], from, to, i, local(to, sent + 100'000));
    if (i % 10 == 0) {
      Append(captures[from - 1], from, 3, i, local(from, sent));
      Append(captures[from - 1], 3, from, i, local(from, sent));
    }
  }
  return captures;
}

class CountingSink : public MessageSink {
 public:
  void OnMessage(const Message& m) override { sum_ += m.send.index + 1; }
  void OnBroadcast(const Broadcast&) override {}

 private:
  uint64_t sum_ = 0;
};

void MatchTwoCaptures(benchmark::State& state) {
  const auto packets = static_cast<size_t>(state.range(0));
  const int64_t offset_ns = state.range(1) * 1'000'000'000;
  const PacketMatchOptions options{static_cast<size_t>(state.range(2)) << 20};
  const auto captures = MakeCaptures(packets, offset_ns);
  uint64_t messages = 0;
  for (auto _ : state) {
    PacketMatcher matcher({{ProcessId(0), ClockId(0)}, {ProcessId(1), ClockId(1)}}, options);
    Diagnostics diagnostics;
    CountingSink sink;
    for (size_t c = 0; c < 2; ++c) {
      for (size_t i = 0; i < captures[c].times.size(); ++i) matcher.Survey(c, captures[c].At(i));
    }
    matcher.EndSurvey(diagnostics);
    for (size_t c = 0; c < 2; ++c) {
      for (size_t i = 0; i < captures[c].times.size(); ++i) {
        if (!matcher.Add(c, captures[c].At(i))) return state.SkipWithError("no temporary storage");
      }
    }
    const auto counts = matcher.Finish(sink, diagnostics);
    if (!counts) return state.SkipWithError("no temporary storage");
    messages = counts->messages;
  }
  state.counters["messages"] = static_cast<double>(messages);
  state.counters["time/packet"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(packets),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

constexpr int64_t kTenYearsS = int64_t{10} * 365 * 86400;
BENCHMARK(MatchTwoCaptures)
    ->ArgNames({"packets", "offset_s", "memory_MiB"})
    ->Args({1'000'000, 0, 96})
    ->Args({1'000'000, 60, 96})
    ->Args({1'000'000, kTenYearsS, 96})
    ->Args({4'000'000, 0, 96})
    ->Args({4'000'000, 0, 16})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace syncline

BENCHMARK_MAIN();
