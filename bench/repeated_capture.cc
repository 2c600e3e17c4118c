#include "repeated_capture.h"

#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/file.h"

namespace syncline {
namespace {

constexpr size_t kFileHeader = 24;
constexpr size_t kRecordHeader = 16;
constexpr uint32_t kMagicNs = 0xa1b23c4d;
constexpr int64_t kNsPerSecond = 1'000'000'000;

uint32_t Load32(std::span<const std::byte> bytes, size_t at) {
  uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

Result<std::vector<CaptureRecord>> ParseRecords(std::span<const std::byte> bytes,
                                                const std::string& path) {
  std::vector<CaptureRecord> records;
  size_t at = kFileHeader;
  while (at < bytes.size()) {
    const size_t left = bytes.size() - at;
    const uint32_t length = left < kRecordHeader ? 0 : Load32(bytes, at + 8);
    if (left < kRecordHeader + length) {
      return Fail(ErrorCode::kMalformed, "ends inside a packet", path, ByteOffset{at});
    }
    CaptureRecord record;
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

}  // namespace

uint64_t RepeatedCapture::Bytes() const {
  uint64_t bytes = 0;
  for (const CaptureRecord& record : records) bytes += kRecordHeader + record.frame.size();
  return bytes;
}

Result<RepeatedCapture> ReadCapture(const std::string& path, const nlohmann::json& truth) {
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
  return RepeatedCapture{std::move(name),
                         {header.begin(), header.end()},
                         std::move(*records),
                         std::move(*to_true),
                         {knot(0), knot(1)}};
}

std::set<std::string> AddressPairs(const RepeatedCapture& capture) {
  std::set<std::string> pairs;
  for (const CaptureRecord& record : capture.records) pairs.insert(record.identity.addresses);
  return pairs;
}

RepeatedCapture Between(RepeatedCapture capture, const std::set<std::string>& pairs) {
  std::erase_if(capture.records, [&](const CaptureRecord& record) {
    return !pairs.contains(record.identity.addresses);
  });
  return capture;
}

Result<void> CheckNoFlowsMeet(const RepeatedCapture& capture, uint64_t copies) {
  std::map<std::tuple<std::string, uint8_t, uint16_t>, std::set<uint16_t>> ports;
  for (const CaptureRecord& record : capture.records) {
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
      if (distance != 0 && distance < copies) {
        return Fail(ErrorCode::kUsage, "flows would meet: choose a smaller size", capture.name);
      }
    }
  }
  return {};
}

void AppendRecord(std::vector<std::byte>& out, const CaptureRecord& record, int64_t local_ns,
                  uint16_t copy) {
  const uint32_t header[4] = {static_cast<uint32_t>(local_ns / kNsPerSecond),
                              static_cast<uint32_t>(local_ns % kNsPerSecond),
                              static_cast<uint32_t>(record.frame.size()), record.original_length};
  const auto header_bytes = std::as_bytes(std::span(header));
  out.insert(out.end(), header_bytes.begin(), header_bytes.end());
  const size_t at = out.size();
  out.insert(out.end(), record.frame.begin(), record.frame.end());
  MoveIdentity(std::span(out).subspan(at), record.identity, copy);
}

}  // namespace syncline
