// Copies a capture file and replaces only its timestamps.
//
// Replaced: the times of packets (pcap records, Enhanced and obsolete Packet Blocks), and the times
// in Interface Statistics Blocks, but for those that are zero (unset), or that do not fit. Every
// other byte stays: headers, blocks of any type, options, packet data, even the incomplete end of a
// file that was cut off.
// Units: nanoseconds. A new time is written as the tick of the file's own resolution that readers
// see nearest to it, the later of two equally near; where ticks are finer than a nanosecond, what
// the old time held below the nanosecond stays. So an unchanged time keeps its bytes.
// Errors: as CaptureReader's, except that any link type is copied; and a packet's new time that its
// field cannot hold (before 1970 or the interface's offset; from 2106 on in a pcap file), with the
// packet's number and byte offset.
// Cost: sequential reads and writes, memory of two blocks; about 60 ns per packet with both.
// Tested by: capture_rewriter_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>

#include "syncline/result.h"
#include "syncline/time.h"

#include "base/byte_sink.h"
#include "read/pcap/capture_walker.h"

namespace syncline {

// The corrected time of the packet of this number, counted as Packet::index.
using Retime = std::function<GlobalTime(uint64_t packet_index, LocalTime time)>;

// The number passed for a time that belongs to no packet (Interface Statistics Blocks).
inline constexpr uint64_t kNoPacket = std::numeric_limits<uint64_t>::max();

// `input` must not have been read from yet.
Result<void> RewriteCapture(CaptureWalker input, ByteSink output, const Retime& retime);

}  // namespace syncline
