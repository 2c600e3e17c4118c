// Reading and rewriting a capture of 96-byte packets, in time per packet. The file is in the page
// cache, so that system calls are part of it but no disk is; the "Memory" ones are without calls.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <unistd.h>

#include "base/check.h"
#include "read/pcap/capture_reader.h"
#include "read/pcap/testing/capture_builder.h"
#include "write/pcap/capture_rewriter.h"

namespace syncline {
namespace {

constexpr uint32_t kPackets = 20'000;

enum class Format { kClassic, kPcapng };

std::vector<std::byte> MakeCapture(Format format) {
  const std::string data(96, 'x');
  CaptureBuilder capture;
  if (format == Format::kClassic) {
    capture.FileHeader(0xa1b23c4d);
    for (uint32_t i = 0; i < kPackets; ++i) capture.Record(1'700'000'000 + i / 100'000, i, data);
    return capture.bytes();
  }
  capture.Section().Interface(1, CaptureBuilder().NumberOption<uint8_t>(9, 9));
  for (uint32_t i = 0; i < kPackets; ++i) {
    capture.EnhancedPacket(0, 1'700'000'000'000'000'000 + i * uint64_t{10'000}, data);
  }
  return capture.bytes();
}

// A file that goes away with this object.
class BenchFile {
 public:
  explicit BenchFile(Format format) {
    const int fd = ::mkstemp(path_.data());
    SYNCLINE_CHECK(fd >= 0);
    ::close(fd);
    auto file = OutputFile::Create(path_, IfExists::kReplace).value();
    SYNCLINE_CHECK(file.Write(MakeCapture(format)) && file.Commit());
  }
  ~BenchFile() { ::unlink(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/syncline-bench-XXXXXX";
};

void PerPacket(benchmark::State& state) {
  state.counters["per_packet"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * kPackets,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void ReadAll(CaptureReader reader) {
  int64_t sum = 0;
  while (const Packet* packet = reader.Next()) sum += packet->time.ticks & 0xff;
  SYNCLINE_CHECK(!reader.error());
  benchmark::DoNotOptimize(sum);
}

void BM_Read(benchmark::State& state, Format format) {
  const BenchFile file(format);
  for (auto _ : state) ReadAll(CaptureReader::Open(file.path()).value());
  PerPacket(state);
}

void BM_ReadMemory(benchmark::State& state, Format format) {
  const auto bytes = MakeCapture(format);
  for (auto _ : state) ReadAll(CaptureReader::FromBytes(bytes, "memory").value());
  PerPacket(state);
}

void BM_Rewrite(benchmark::State& state, Format format) {
  const BenchFile file(format);
  const Retime retime = [](uint64_t, LocalTime time) { return GlobalTime{time.ticks + 1234}; };
  for (auto _ : state) {
    auto output = OutputFile::Create(file.path() + ".out", IfExists::kReplace).value();
    SYNCLINE_CHECK(
        RewriteCapture(CaptureWalker::Open(file.path()).value(), ByteSink(output), retime));
  }
  PerPacket(state);
}

BENCHMARK_CAPTURE(BM_Read, pcap, Format::kClassic)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Read, pcapng, Format::kPcapng)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_ReadMemory, pcap, Format::kClassic)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_ReadMemory, pcapng, Format::kPcapng)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Rewrite, pcap, Format::kClassic)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Rewrite, pcapng, Format::kPcapng)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace syncline

BENCHMARK_MAIN();
