// Merges captures of several hosts into one pcapng file in the order of corrected time.
//
// Written: one section; one interface per interface of each input, named after its host, with
// nanosecond resolution; one Enhanced Packet Block per packet, with the comments and direction
// flags that pcapng inputs hold. Other blocks and options are not carried over, nor packets without
// a time (Simple Packet Blocks); an input that is cut off is used up to there.
// Order: by corrected time, ties by the inputs' order. Packets of one input stay in its own order:
// where its corrected time steps back, a packet is sorted as if it had the latest time before it,
// but is written with its own.
// Units: nanoseconds since the epoch of the reference clock.
// Requires: inputs that can be read twice (files, not pipes): once for their interfaces, which must
// stand first, and once for their packets.
// Errors: as CaptureReader's, except that any link type is copied; a corrected time before 1970.
// Ownership: the caller commits the output. Cost: O(packets · log inputs) time; one block of memory
// per input. Tested by: capture_merger_test.cc (also with tshark and capinfos).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "syncline/result.h"

#include "base/file.h"
#include "write/pcap/capture_rewriter.h"

namespace syncline {

struct MergeInput {
  std::string path;
  std::string name;         // the host's; becomes "name", or "name/interface" if there are several
  std::string description;  // for people; the input interface's own is used where this is empty
  Retime retime;
  // What is written on a packet besides its own comments; empty: nothing.
  std::function<std::string(uint64_t packet)> comment = {};
};

Result<void> MergeCaptures(std::span<const MergeInput> inputs, OutputFile& output);

}  // namespace syncline
