// Makes captures of two hosts whose clocks run straight and are set back again and again, with
// known truth, by repeating two small captures.
//
// Copy k is the same traffic k periods later (repeated_capture.h), and both stamps are those of the
// first copy and k periods more: in true time and in local time. So a clock that gains 2.5 ms in a
// period is set back by 2.5 ms at the end of each, in the middle of the silence between two copies.
// Units: nanoseconds. In the truth a clock's knots stand in order of true time; where it is set,
// two of them are a nanosecond apart.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "repeated_capture.h"

namespace syncline {
namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;

struct Options {
  std::string folder;
  std::string out_dir;
  uint64_t copies = 100;
  int64_t period_s = 70;
};

// Of the true times of both captures' first copy.
struct Extent {
  int64_t first_ns = 0;
  int64_t last_ns = 0;
};

Extent ExtentOf(const RepeatedCapture (&captures)[2]) {
  Extent extent{captures[0].TrueNs(captures[0].records.front()),
                captures[0].TrueNs(captures[0].records.front())};
  for (const RepeatedCapture& capture : captures) {
    for (const CaptureRecord& record : capture.records) {
      extent.first_ns = std::min(extent.first_ns, capture.TrueNs(record));
      extent.last_ns = std::max(extent.last_ns, capture.TrueNs(record));
    }
  }
  return extent;
}

Result<void> WriteCapture(const RepeatedCapture& capture, const Options& options) {
  const std::string path = options.out_dir + "/" + capture.name + ".pcap";
  auto file = OutputFile::Create(path, IfExists::kReplace);
  if (!file) return tl::unexpected(file.error());
  std::vector<std::byte> block = capture.header;
  for (uint64_t k = 0; k < options.copies; ++k) {
    const int64_t later = static_cast<int64_t>(k) * options.period_s * kNsPerSecond;
    for (const CaptureRecord& record : capture.records) {
      AppendRecord(block, record, record.local_ns + later, static_cast<uint16_t>(k));
    }
    if (auto written = file->Write(block); !written) return written;
    block.clear();
  }
  fmt::print("{}: {} packets, {} copies\n", path, options.copies * capture.records.size(),
             options.copies);
  return file->Commit();
}

// `set_ns`: when, in true time, the clock would have been set before the first copy.
nlohmann::json KnotsOf(const RepeatedCapture& capture, const Options& options, int64_t set_ns) {
  const int64_t period_ns = options.period_s * kNsPerSecond;
  nlohmann::json knots = nlohmann::json::array();
  for (uint64_t k = 0; k < options.copies; ++k) {
    const int64_t later = static_cast<int64_t>(k) * period_ns;
    for (const int64_t true_ns : {set_ns + 1, set_ns + period_ns}) {
      knots.push_back({capture.to_true.Inverse({true_ns}).ticks + later, true_ns + later});
    }
  }
  return knots;
}

Result<void> WriteTruth(const RepeatedCapture (&captures)[2], const Options& options,
                        int64_t set_ns) {
  nlohmann::json clocks = nlohmann::json::object();
  for (const RepeatedCapture& capture : captures) {
    clocks[capture.name] = KnotsOf(capture, options, set_ns);
  }
  auto file = OutputFile::Create(options.out_dir + "/truth.json", IfExists::kReplace);
  if (!file) return tl::unexpected(file.error());
  const nlohmann::json truth = {{"clocks", clocks}};
  if (auto written = file->Write(truth.dump() + "\n"); !written) return written;
  return file->Commit();
}

Result<void> Make(const Options& options) {
  auto truth_text = ReadWholeFile(options.folder + "/truth.json");
  if (!truth_text) return tl::unexpected(truth_text.error());
  const auto truth = nlohmann::json::parse(*truth_text);
  auto a = ReadCapture(options.folder + "/a.pcap", truth);
  if (!a) return tl::unexpected(a.error());
  auto b = ReadCapture(options.folder + "/b.pcap", truth);
  if (!b) return tl::unexpected(b.error());
  const RepeatedCapture captures[2] = {std::move(*a), std::move(*b)};
  for (const RepeatedCapture& capture : captures) {
    if (auto distinct = CheckNoFlowsMeet(capture, options.copies); !distinct) return distinct;
  }
  const Extent extent = ExtentOf(captures);
  const int64_t silence_ns = options.period_s * kNsPerSecond - (extent.last_ns - extent.first_ns);
  if (silence_ns < kNsPerSecond) {
    return Fail(ErrorCode::kUsage, "the period leaves no second of silence between two copies");
  }
  std::filesystem::create_directories(options.out_dir);
  for (const RepeatedCapture& capture : captures) {
    if (auto written = WriteCapture(capture, options); !written) return written;
  }
  return WriteTruth(captures, options, extent.first_ns - silence_ns / 2);
}

}  // namespace
}  // namespace syncline

int main(int argc, char** argv) {
  syncline::Options options;
  CLI::App app("Makes two captures of clocks that are set back again and again, with known truth");
  app.add_option("folder", options.folder, "Holds a.pcap, b.pcap and truth.json")->required();
  app.add_option("-o", options.out_dir, "Folder for the captures and truth.json")->required();
  app.add_option("--copies", options.copies, "How often the captures are repeated")
      ->check(CLI::Range(uint64_t{1}, syncline::kMaxRepetitions))
      ->capture_default_str();
  app.add_option("--period-s", options.period_s, "Seconds from one copy to the next")
      ->check(CLI::Range(int64_t{1}, int64_t{86400}))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    const auto made = syncline::Make(options);
    if (made) return 0;
    std::fprintf(stderr, "make_sawtooth: %s\n", made.error().ToString().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_sawtooth: %s\n", error.what());
  }
  return 2;
}
