// A CTF 1.8 trace again, whose correction lies in the clock blocks of its metadata alone: data
// streams and index files are hard links to the input's, or copies where links are impossible.
//
// The metadata is written as plain text, which readers accept in the place of packets.
// Errors: those of reading the metadata; kUnsupported where it has not exactly one clock block of a
// name; kUsage where the output exists and must not be replaced; kUnreadable where the system
// refuses.
// Tested by: metadata_trace_test.cc, with babeltrace2.
#pragma once

#include <span>
#include <string>

#include "syncline/result.h"

#include "base/file.h"
#include "base/output_folder.h"
#include "write/ctf_metadata/clock_setting.h"

namespace syncline::ctf_metadata {

struct NamedSetting {
  std::string clock;
  ClockSetting setting;
};

// The metadata's text with these settings; blocks of other names stay.
Result<std::string> MetadataWith(const std::string& metadata_path,
                                 std::span<const NamedSetting> settings);

// `input`: the folder that holds `metadata`. `output` appears when the result is committed; the
// folders above it are made at once. What stands there is replaced only where it is a trace itself.
Result<OutputFolder> WriteMetadataTrace(const std::string& input, const std::string& output,
                                        IfExists if_exists, std::span<const NamedSetting> settings);

}  // namespace syncline::ctf_metadata
