// Copies a capture file and replaces only its timestamps.
//
// Replaced: the times of packets (pcap records, Enhanced and obsolete Packet Blocks), and the times
// in Interface Statistics Blocks. Every other byte stays: headers, blocks of any type, options,
// packet data, even the incomplete end of a file that was cut off.
// Units: nanoseconds. A new time is written as the tick of the file's own resolution that readers
// see nearest to it, the later of two equally near; where ticks are finer than a nanosecond, what
// the old time held below the nanosecond stays. So an unchanged time keeps its bytes.
// Errors: as CaptureReader's, except that any link type is copied; and a packet's new time that its
// field cannot hold (before 1970 or the interface's offset; from 2106 on in a pcap file), with the
// packet's number and byte offset. Ownership: the caller commits the output.
// Cost: sequential reads and writes, memory of two blocks; about 60 ns per packet with both.
// Tested by: capture_rewriter_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "syncline/result.h"
#include "syncline/time.h"

#include "base/file.h"
#include "read/pcap/time_scale.h"

namespace syncline {

// The corrected time of the packet of this number, counted as Packet::index.
using Retime = std::function<GlobalTime(uint64_t packet_index, LocalTime time)>;

// The number passed for a time that belongs to no packet (Interface Statistics Blocks).
inline constexpr uint64_t kNoPacket = std::numeric_limits<uint64_t>::max();

struct CaptureRewriteCounts {
  uint64_t packets = 0;          // with a time
  uint64_t changed = 0;          // of these, those whose timestamp field is different now
  uint64_t untimed_packets = 0;  // Simple Packet Blocks, copied
  // Times in statistics blocks that were replaced, and those left because they are zero (unset) or
  // they or their new times do not fit.
  uint64_t statistics_times = 0;
  uint64_t statistics_times_kept = 0;
  uint64_t cut_off_bytes = 0;  // copied from an incomplete end
};

Result<CaptureRewriteCounts> RewriteCapture(const std::string& input, OutputFile& output,
                                            const Retime& retime);

// The same for a capture in memory; `name` stands for the file's in errors.
Result<std::vector<std::byte>> RewriteCaptureBytes(std::span<const std::byte> input,
                                                   const std::string& name, const Retime& retime);

}  // namespace syncline
