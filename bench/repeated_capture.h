// A capture with known truth whose packets are written several times, so that no two copies look
// alike.
//
// Copy k has ports, IP identifications and ICMP identifiers that are k higher; checksums are
// adjusted. Captures changed alike keep both ends of every message. Packets without such fields
// (ARP, neighbour discovery) are left out.
// Requires: classic little-endian nanosecond pcap files of Ethernet frames, clocks of constant
// rate. Units: nanoseconds. Errors: kUnsupported, kMalformed, kUsage with the file's name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "syncline/correction.h"
#include "syncline/result.h"

#include "frame_identity.h"

namespace syncline {

inline constexpr uint64_t kMaxRepetitions = 0xffff;  // identifiers have 16 bits

struct CaptureRecord {
  int64_t local_ns = 0;
  uint32_t original_length = 0;
  std::vector<std::byte> frame;
  FrameIdentity identity;
};

struct RepeatedCapture {
  std::string name;
  std::vector<std::byte> header;
  std::vector<CaptureRecord> records;
  Correction to_true;
  Correction::Knot truth[2];

  int64_t TrueNs(const CaptureRecord& record) const { return to_true({record.local_ns}).ns; }
  // Of the records in a file.
  uint64_t Bytes() const;
};

// `truth` is a truth file's content; the capture's name in it is that of the file.
Result<RepeatedCapture> ReadCapture(const std::string& path, const nlohmann::json& truth);

std::set<std::string> AddressPairs(const RepeatedCapture& capture);
// The traffic of `capture` between the addresses of `pairs`.
RepeatedCapture Between(RepeatedCapture capture, const std::set<std::string>& pairs);

// Two flows of one pair of addresses whose identifiers differ alike would meet in some copy: kUsage
// where they do.
Result<void> CheckNoFlowsMeet(const RepeatedCapture& capture, uint64_t copies);

void AppendRecord(std::vector<std::byte>& out, const CaptureRecord& record, int64_t local_ns,
                  uint16_t copy);

}  // namespace syncline
