// Reads the packets of a capture file, pcap or pcapng, in file order.
//
// Units: times in nanoseconds since the epoch of the capturing host's clock, rounded down where the
// file resolves finer; lengths and offsets in bytes.
// Requires: a file or pipe ("-" is standard input).
// Errors: Open() for what is no capture; error() after Next() gave nullptr for a broken record or
// block, or a packet of a link type that LinkType does not know, each with its byte offset. A file
// that was cut off is used up to there.
// Diagnostics (complete once Next() gave nullptr): capture-cut-off, packet-without-time,
// time-steps-back, time-fraction-too-large, captured-longer-than-packet; see docs/formats/pcap.md.
// Cost: sequential reads, memory of about one block; 15 (pcap) to 25 ns (pcapng) per packet.
// Tested by: capture_reader_test.cc, capture_oracle_test.cc (against libpcap).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "syncline/diagnostics.h"
#include "syncline/packet.h"
#include "syncline/result.h"

#include "read/pcap/capture_walker.h"

namespace syncline {

class CaptureReader {
 public:
  static Result<CaptureReader> Open(const std::string& path);
  // Reads a capture that is in memory; `bytes` must outlive the reader, `name` stands for the
  // file's in errors.
  static Result<CaptureReader> FromBytes(std::span<const std::byte> bytes, std::string name);

  // The next packet, valid until the next call; nullptr at the end or on error().
  const Packet* Next();

  const std::optional<Error>& error() const { return error_; }
  // Those described so far; all of them once Next() gave nullptr. Packet::interface indexes them.
  std::span<const CaptureInterface> interfaces() const { return walker_.interfaces(); }
  bool truncated() const { return truncated_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }
  uint64_t bytes_read() const { return walker_.bytes_read(); }
  // The coarsest resolution of interfaces(); a nanosecond when there are none.
  int64_t ticks_per_second() const;

 private:
  // A finding that may be as frequent as packets.
  struct Tally {
    uint64_t count = 0;
    uint64_t first_offset = 0;
    void Add(uint64_t offset) {
      if (count++ == 0) first_offset = offset;
    }
  };

  explicit CaptureReader(CaptureWalker walker) : walker_(std::move(walker)) {}
  void EndEarly(uint64_t offset);
  const Packet* Deliver(const CaptureFrame& frame);
  bool LearnLinkType(const CaptureFrame& frame);
  void CountFindings(const CaptureFrame& frame);
  void Finish();
  void Report(const char* name, Severity severity, const Tally& tally);

  CaptureWalker walker_;
  Packet packet_;
  // By interface; nullopt until its first packet.
  std::vector<std::optional<LinkType>> links_;
  uint64_t next_index_ = 0;
  int64_t previous_ns_ = std::numeric_limits<int64_t>::min();
  bool truncated_ = false;
  bool finished_ = false;
  std::optional<Error> error_;
  Diagnostics diagnostics_;
  Tally cut_off_;
  Tally without_time_;
  Tally steps_back_;
  Tally large_fraction_;
  Tally too_long_;
};

}  // namespace syncline
