// Makes captures of two hosts of any size, with known truth, by repeating a small sample.
//
// Repetition k of the sample is the same traffic k periods later (repeated_capture.h); clocks go on
// as they were.
// Units: nanoseconds; an added offset is local − global, positive = ahead.
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

#include "syncline/correction.h"
#include "syncline/result.h"

#include "base/file.h"
#include "repeated_capture.h"

namespace syncline {
namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;

struct Options {
  std::string captures[2];
  std::string truth;
  std::string out_dir;
  uint64_t size = 0;           // bytes of the smaller file, at least
  int64_t offset_seconds = 0;  // added to the second capture's clock
  bool between_only = false;
};

// From one repetition to the next, in true time: one that leaves a pause of at least 0.1 s.
int64_t PeriodNs(const RepeatedCapture& a, const RepeatedCapture& b) {
  const int64_t first = std::min(a.TrueNs(a.records.front()), b.TrueNs(b.records.front()));
  const int64_t last = std::max(a.TrueNs(a.records.back()), b.TrueNs(b.records.back()));
  return last - first + kNsPerSecond / 10;
}

Result<void> WriteCapture(const RepeatedCapture& capture, const std::string& path,
                          uint64_t repetitions, int64_t period_ns, int64_t offset_ns) {
  auto file = OutputFile::Create(path, IfExists::kReplace);
  if (!file) return tl::unexpected(file.error());
  std::vector<std::byte> block = capture.header;
  const CaptureRecord& first = capture.records.front();
  for (uint64_t k = 0; k < repetitions; ++k) {
    const int64_t true_ns = capture.TrueNs(first) + static_cast<int64_t>(k) * period_ns;
    const int64_t shift = capture.to_true.Inverse({true_ns}).ticks - first.local_ns + offset_ns;
    for (const CaptureRecord& record : capture.records) {
      AppendRecord(block, record, record.local_ns + shift, static_cast<uint16_t>(k));
    }
    if (auto written = file->Write(block); !written) return written;
    block.clear();
  }
  fmt::print("{}: {} packets, {} repetitions\n", path, repetitions * capture.records.size(),
             repetitions);
  return file->Commit();
}

Result<void> WriteTruth(const RepeatedCapture (&captures)[2], const int64_t (&offsets_ns)[2],
                        const std::string& path) {
  nlohmann::json clocks = nlohmann::json::object();
  for (size_t i = 0; i < 2; ++i) {
    for (const Correction::Knot& knot : captures[i].truth) {
      clocks[captures[i].name].push_back({knot.local.ticks + offsets_ns[i], knot.global.ns});
    }
  }
  auto file = OutputFile::Create(path, IfExists::kReplace);
  if (!file) return tl::unexpected(file.error());
  const nlohmann::json truth = {{"clocks", clocks}};
  if (auto written = file->Write(truth.dump(1) + "\n"); !written) return written;
  return file->Commit();
}

Result<void> Make(const Options& options) {
  auto truth_text = ReadWholeFile(options.truth);
  if (!truth_text) return tl::unexpected(truth_text.error());
  const auto truth = nlohmann::json::parse(*truth_text);
  auto a = ReadCapture(options.captures[0], truth);
  if (!a) return tl::unexpected(a.error());
  auto b = ReadCapture(options.captures[1], truth);
  if (!b) return tl::unexpected(b.error());
  if (options.between_only) {
    *a = Between(std::move(*a), AddressPairs(*b));
    *b = Between(std::move(*b), AddressPairs(*a));
  }
  RepeatedCapture captures[2] = {std::move(*a), std::move(*b)};
  const uint64_t bytes = std::min(captures[0].Bytes(), captures[1].Bytes());
  if (bytes == 0) return Fail(ErrorCode::kUsage, "the captures have no traffic in common");
  const uint64_t repetitions = (options.size + bytes - 1) / bytes;
  if (repetitions > kMaxRepetitions) return Fail(ErrorCode::kUsage, "the size is too large");
  for (const RepeatedCapture& capture : captures) {
    if (auto distinct = CheckNoFlowsMeet(capture, repetitions); !distinct) return distinct;
  }

  const int64_t period = PeriodNs(captures[0], captures[1]);
  const int64_t offsets[2] = {0, options.offset_seconds * kNsPerSecond};
  std::filesystem::create_directories(options.out_dir);
  for (size_t i = 0; i < 2; ++i) {
    const std::string path = options.out_dir + "/" + captures[i].name + ".pcap";
    auto written = WriteCapture(captures[i], path, repetitions, period, offsets[i]);
    if (!written) return written;
  }
  return WriteTruth(captures, offsets, options.out_dir + "/truth.json");
}

}  // namespace
}  // namespace syncline

int main(int argc, char** argv) {
  syncline::Options options;
  CLI::App app("Makes two large captures with known truth from two small ones");
  app.add_option("first", options.captures[0], "Capture of one host")->required();
  app.add_option("second", options.captures[1], "Capture of the other host")->required();
  app.add_option("--truth", options.truth, "Truth file of the two captures")->required();
  app.add_option("-o", options.out_dir, "Folder for the captures and truth.json")->required();
  app.add_option("--size", options.size, "Size of each capture, for example 1GB")
      ->required()
      ->transform(CLI::AsSizeValue(true));
  app.add_option("--offset-s", options.offset_seconds, "Seconds to add to the second clock");
  app.add_flag("--between-only", options.between_only, "Leave out traffic with other hosts");
  CLI11_PARSE(app, argc, argv);
  try {
    const auto made = syncline::Make(options);
    if (made) return 0;
    std::fprintf(stderr, "make_captures: %s\n", made.error().ToString().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_captures: %s\n", error.what());
  }
  return 2;
}
