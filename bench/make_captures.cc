// Makes captures of two hosts of any size, with known truth, by repeating a small sample.
//
// Repetition k of the sample is the same traffic k periods later, on ports, IP identifications and
// ICMP identifiers that are k higher, so that no two messages look alike; checksums are adjusted.
// Both files are changed alike, so every message keeps both its copies. Packets without such fields
// (ARP, neighbour discovery) are left out.
// Requires: classic little-endian nanosecond pcap files of Ethernet frames, clocks of constant
// rate. Units: nanoseconds; an added offset is local − global, positive = ahead.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "syncline/correction.h"
#include "syncline/result.h"

#include "base/file.h"
#include "frame_identity.h"

namespace syncline {
namespace {

constexpr size_t kFileHeader = 24;
constexpr size_t kRecordHeader = 16;
constexpr uint32_t kMagicNs = 0xa1b23c4d;
constexpr int64_t kNsPerSecond = 1'000'000'000;
constexpr uint64_t kMaxRepetitions = 0xffff;  // identifiers have 16 bits

struct Options {
  std::string captures[2];
  std::string truth;
  std::string out_dir;
  uint64_t size = 0;           // bytes of the smaller file, at least
  int64_t offset_seconds = 0;  // added to the second capture's clock
  bool between_only = false;
};

struct Record {
  int64_t local_ns = 0;
  uint32_t original_length = 0;
  std::vector<std::byte> frame;
  FrameIdentity identity;
};

struct Capture {
  std::string name;
  std::vector<std::byte> header;
  std::vector<Record> records;
  Correction to_true;
  Correction::Knot truth[2];

  int64_t TrueNs(const Record& record) const { return to_true({record.local_ns}).ns; }
  uint64_t Bytes() const {
    uint64_t bytes = 0;
    for (const Record& record : records) bytes += kRecordHeader + record.frame.size();
    return bytes;
  }
};

uint32_t Load32(std::span<const std::byte> bytes, size_t at) {
  uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

Result<std::vector<Record>> ParseRecords(std::span<const std::byte> bytes,
                                         const std::string& path) {
  std::vector<Record> records;
  size_t at = kFileHeader;
  while (at < bytes.size()) {
    const size_t left = bytes.size() - at;
    const uint32_t length = left < kRecordHeader ? 0 : Load32(bytes, at + 8);
    if (left < kRecordHeader + length) {
      return Fail(ErrorCode::kMalformed, "ends inside a packet", path, ByteOffset{at});
    }
    Record record;
    record.local_ns = Load32(bytes, at) * kNsPerSecond + Load32(bytes, at + 4);
    record.original_length = Load32(bytes, at + 12);
    const auto frame = bytes.subspan(at + kRecordHeader, length);
    record.frame.assign(frame.begin(), frame.end());
    if (const auto identity = IdentityOf(frame)) {
      record.identity = *identity;
      records.push_back(std::move(record));
    }
    at += kRecordHeader + length;
  }
  if (records.empty()) return Fail(ErrorCode::kMalformed, "holds no usable packet", path);
  return records;
}

Result<Capture> ReadCapture(const std::string& path, const nlohmann::json& truth) {
  auto content = ReadWholeFile(path);
  if (!content) return tl::unexpected(content.error());
  const auto bytes = std::as_bytes(std::span(content->data(), content->size()));
  if (bytes.size() < kFileHeader || Load32(bytes, 0) != kMagicNs) {
    return Fail(ErrorCode::kUnsupported, "is no little-endian nanosecond pcap file", path);
  }
  auto records = ParseRecords(bytes, path);
  if (!records) return tl::unexpected(records.error());

  std::string name = std::filesystem::path(path).stem();
  const auto& points = truth.at("clocks").at(name);
  const auto knot = [&](size_t i) {
    return Correction::Knot{{points.at(i).at(0).get<int64_t>()},
                            {points.at(i).at(1).get<int64_t>()}};
  };
  auto to_true = Correction::FromKnots({knot(0), knot(1)});
  if (!to_true) return tl::unexpected(to_true.error());
  const auto header = bytes.first(kFileHeader);
  return Capture{std::move(name),
                 {header.begin(), header.end()},
                 std::move(*records),
                 std::move(*to_true),
                 {knot(0), knot(1)}};
}

std::set<std::string> AddressPairs(const Capture& capture) {
  std::set<std::string> pairs;
  for (const Record& record : capture.records) pairs.insert(record.identity.addresses);
  return pairs;
}

// The traffic of `capture` between the addresses of `pairs`.
Capture Between(Capture capture, const std::set<std::string>& pairs) {
  std::erase_if(capture.records,
                [&](const Record& record) { return !pairs.contains(record.identity.addresses); });
  return capture;
}

// Two flows of one pair of addresses whose identifiers differ alike would meet in some repetition.
Result<void> CheckNoFlowsMeet(const Capture& capture, uint64_t repetitions) {
  std::map<std::tuple<std::string, uint8_t, uint16_t>, std::set<uint16_t>> ports;
  for (const Record& record : capture.records) {
    const FrameIdentity& id = record.identity;
    const auto spread = static_cast<uint16_t>(id.low_port - id.high_port);
    ports[{id.addresses, id.protocol, spread}].insert(id.low_port);
  }
  for (const auto& [key, starts] : ports) {
    for (auto it = starts.begin(); it != starts.end(); ++it) {
      const auto next = std::next(it);
      // The distance upwards, around the end of the 16 bits for the last one.
      const uint16_t other = next == starts.end() ? *starts.begin() : *next;
      const auto distance = static_cast<uint16_t>(other - *it);
      if (distance != 0 && distance < repetitions) {
        return Fail(ErrorCode::kUsage, "flows would meet: choose a smaller size", capture.name);
      }
    }
  }
  return {};
}

// From one repetition to the next, in true time: one that leaves a pause of at least 0.1 s.
int64_t PeriodNs(const Capture& a, const Capture& b) {
  const int64_t first = std::min(a.TrueNs(a.records.front()), b.TrueNs(b.records.front()));
  const int64_t last = std::max(a.TrueNs(a.records.back()), b.TrueNs(b.records.back()));
  return last - first + kNsPerSecond / 10;
}

void AppendRecord(std::vector<std::byte>& out, const Record& record, int64_t local_ns,
                  uint16_t repetition) {
  const uint32_t header[4] = {static_cast<uint32_t>(local_ns / kNsPerSecond),
                              static_cast<uint32_t>(local_ns % kNsPerSecond),
                              static_cast<uint32_t>(record.frame.size()), record.original_length};
  const auto header_bytes = std::as_bytes(std::span(header));
  out.insert(out.end(), header_bytes.begin(), header_bytes.end());
  const size_t at = out.size();
  out.insert(out.end(), record.frame.begin(), record.frame.end());
  MoveIdentity(std::span(out).subspan(at), record.identity, repetition);
}

Result<void> WriteCapture(const Capture& capture, const std::string& path, uint64_t repetitions,
                          int64_t period_ns, int64_t offset_ns) {
  auto file = OutputFile::Create(path, IfExists::kReplace);
  if (!file) return tl::unexpected(file.error());
  std::vector<std::byte> block = capture.header;
  const Record& first = capture.records.front();
  for (uint64_t k = 0; k < repetitions; ++k) {
    const int64_t true_ns = capture.TrueNs(first) + static_cast<int64_t>(k) * period_ns;
    const int64_t shift = capture.to_true.Inverse({true_ns}).ticks - first.local_ns + offset_ns;
    for (const Record& record : capture.records) {
      AppendRecord(block, record, record.local_ns + shift, static_cast<uint16_t>(k));
    }
    if (auto written = file->Write(block); !written) return written;
    block.clear();
  }
  fmt::print("{}: {} packets, {} repetitions\n", path, repetitions * capture.records.size(),
             repetitions);
  return file->Commit();
}

Result<void> WriteTruth(const Capture (&captures)[2], const int64_t (&offsets_ns)[2],
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
  Capture captures[2] = {std::move(*a), std::move(*b)};
  const uint64_t bytes = std::min(captures[0].Bytes(), captures[1].Bytes());
  if (bytes == 0) return Fail(ErrorCode::kUsage, "the captures have no traffic in common");
  const uint64_t repetitions = (options.size + bytes - 1) / bytes;
  if (repetitions > kMaxRepetitions) return Fail(ErrorCode::kUsage, "the size is too large");
  for (const Capture& capture : captures) {
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
