// Speed of the text format: reading, reading with matching, and copying with other times.
//
// The trace: 2·10⁶ events of 16 processes, half sends and half receives, epoch nanoseconds,
// numeric ids. The receives of the mixed trace follow their sends after 1000 events; in the trace
// by process every event of a process stands before all of the next.

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "match/named_matcher.h"
#include "read/text/text_reader.h"
#include "write/text/text_rewriter.h"
#include "write/text/text_writer.h"

namespace syncline {
namespace {

constexpr int kEvents = 2'000'000;
constexpr uint64_t kProcesses = 16;

struct Line {
  uint64_t process = 0;
  std::string text;
};

std::vector<Line> MakeLines() {
  std::mt19937_64 random(1);
  std::vector<Line> lines(kEvents + 2000);
  constexpr int kInFlight = 1000;
  for (int i = 0; i < kEvents / 2; ++i) {
    const uint64_t from = random() % kProcesses;
    const uint64_t to = (from + 1 + random() % (kProcesses - 1)) % kProcesses;
    const int64_t time = 1'700'000'000'000'000'000 + int64_t{i} * 1000;
    lines[2 * i] = {from, fmt::format("{} {} send {} {} 1024\n", time, from, to, i)};
    lines[2 * i + kInFlight + 1] = {
        to, fmt::format("{} {} recv {} {} 1024\n", time + kInFlight * 500, to, from, i)};
  }
  return lines;
}

std::string Trace(const std::vector<Line>& lines) {
  std::string text = "clock node 1000000000\n";
  for (uint64_t p = 0; p < kProcesses; ++p) text += fmt::format("process {} node\n", p);
  for (const Line& line : lines) text += line.text;
  return text;
}

const std::string& MixedTrace() {
  static const std::string text = Trace(MakeLines());
  return text;
}

const std::string& TraceByProcess() {
  static const std::string text = [] {
    std::vector<Line> lines = MakeLines();
    std::stable_sort(lines.begin(), lines.end(),
                     [](const Line& a, const Line& b) { return a.process < b.process; });
    return Trace(lines);
  }();
  return text;
}

struct CountingSink : MessageSink {
  void OnMessage(const Message&) override { ++messages; }
  void OnBroadcast(const Broadcast&) override {}
  uint64_t messages = 0;
};

void SetRates(benchmark::State& state, const std::string& text) {
  state.SetItemsProcessed(state.iterations() * kEvents);
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}

void BM_Read(benchmark::State& state) {
  const std::string& text = MixedTrace();
  for (auto _ : state) {
    TextReader reader = TextReader::FromMemory(text);
    int events = 0;
    while (reader.Next() != nullptr) ++events;
    if (events != kEvents) state.SkipWithError("lost events");
  }
  SetRates(state, text);
}
BENCHMARK(BM_Read)->Unit(benchmark::kMillisecond);

void ReadAndMatch(benchmark::State& state, const std::string& text) {
  for (auto _ : state) {
    TextReader reader = TextReader::FromMemory(text);
    CountingSink sink;
    NamedMatcher matcher(sink);
    while (const Event* event = reader.Next()) matcher.Add(*event, reader.index());
    Diagnostics diagnostics;
    matcher.Finish(diagnostics);
    if (sink.messages != kEvents / 2) state.SkipWithError("lost messages");
  }
  SetRates(state, text);
}

void BM_ReadAndMatch(benchmark::State& state) { ReadAndMatch(state, MixedTrace()); }
BENCHMARK(BM_ReadAndMatch)->Unit(benchmark::kMillisecond);

// Up to 10⁶ messages are in flight.
void BM_ReadAndMatchByProcess(benchmark::State& state) { ReadAndMatch(state, TraceByProcess()); }
BENCHMARK(BM_ReadAndMatchByProcess)->Unit(benchmark::kMillisecond);

ByteSink CountInto(uint64_t& bytes) {
  return ByteSink([&bytes](std::string_view block) {
    bytes += block.size();
    return Result<void>();
  });
}

void BM_Rewrite(benchmark::State& state) {
  const std::string& text = MixedTrace();
  for (auto _ : state) {
    TextReader reader = TextReader::FromMemory(text);
    uint64_t bytes = 0;
    const auto done = RewriteText(reader, CountInto(bytes), [](ProcessId, uint64_t, LocalTime t) {
      return GlobalTime{t.ticks + 1};
    });
    if (!done || bytes != text.size()) state.SkipWithError("lost bytes");
  }
  SetRates(state, text);
}
BENCHMARK(BM_Rewrite)->Unit(benchmark::kMillisecond);

void BM_ReadAndWrite(benchmark::State& state) {
  const std::string& text = MixedTrace();
  for (auto _ : state) {
    TextReader reader = TextReader::FromMemory(text);
    uint64_t bytes = 0;
    TextWriter writer(CountInto(bytes));
    while (const Event* event = reader.Next()) {
      if (!writer.Declare(reader.traces()) || !writer.Write(*event, reader.names())) break;
    }
    if (!writer.Finish() || bytes != text.size()) state.SkipWithError("lost bytes");
  }
  SetRates(state, text);
}
BENCHMARK(BM_ReadAndWrite)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace syncline
