// A text trace of 10⁶ messages (2·10⁶ events, 2 clocks) from file to corrections: read, matched,
// estimated.
//
// Clock b is 1.7 s ahead and 35 ppm fast; messages go both ways every 10 µs and take 100 to 300 µs.
// Interleaved: events in order of time, as tracing tools merge them. ByProcess: all of a, then all
// of b.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "pipeline/estimate/solve.h"
#include "trace/load.h"

namespace syncline {
namespace {

constexpr int kMessages = 1'000'000;
constexpr int64_t kEpoch = 1'700'000'000'000'000'000;

struct Line {
  int process = 0;
  int64_t true_ns = 0;
  std::string text;
};

int64_t LocalNs(int process, int64_t true_ns) {
  return kEpoch + true_ns + process * (1'700'000'000 + true_ns / 1'000'000 * 35);
}

std::vector<Line> MakeLines() {
  std::mt19937_64 random(1);
  std::vector<Line> lines;
  for (int i = 0; i < kMessages; ++i) {
    const int from = i % 2;
    const int to = 1 - from;
    const int64_t sent = int64_t{i} * 10'000;
    const int64_t received = sent + 100'000 + static_cast<int64_t>(random() % 200'000);
    lines.push_back(
        {from, sent, fmt::format("{} {} send {} {}\n", LocalNs(from, sent), from, to, i)});
    lines.push_back(
        {to, received, fmt::format("{} {} recv {} {}\n", LocalNs(to, received), to, from, i)});
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return a.true_ns < b.true_ns; });
  return lines;
}

class TraceFile {
 public:
  explicit TraceFile(const std::vector<Line>& lines)
      : path_(std::filesystem::temp_directory_path() / "syncline-load-bench.txt") {
    std::ofstream file(path_);
    file << "clock a 1000000000\nclock b 1000000000\nprocess 0 a\nprocess 1 b\n";
    for (const Line& line : lines) file << line.text;
  }
  ~TraceFile() { std::filesystem::remove(path_); }
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

void LoadAndSolve(benchmark::State& state, const std::vector<Line>& lines) {
  const TraceFile file(lines);
  const ResolvedInputs inputs = ResolveInputs(std::vector{file.path().string()}).value();
  for (auto _ : state) {
    Progress progress(ProgressMode::kOff);
    auto loaded = LoadTraces(inputs, progress);
    if (!loaded || loaded->messages.messages() != kMessages) {
      state.SkipWithError("lost messages");
      break;
    }
    SolveOptions options;
    options.max_drift_ppm = 200;
    auto solution = Solve(*loaded, options);
    if (!solution || solution->pairs[0].estimate.quality != Quality::kAccurate) {
      state.SkipWithError("no accurate line");
      break;
    }
  }
  state.SetItemsProcessed(state.iterations() * kMessages);
}

void BM_LoadAndSolveInterleaved(benchmark::State& state) { LoadAndSolve(state, MakeLines()); }
BENCHMARK(BM_LoadAndSolveInterleaved)->Unit(benchmark::kMillisecond)->UseRealTime();

void BM_LoadAndSolveByProcess(benchmark::State& state) {
  std::vector<Line> lines = MakeLines();
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return a.process < b.process; });
  LoadAndSolve(state, lines);
}
BENCHMARK(BM_LoadAndSolveByProcess)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace syncline
