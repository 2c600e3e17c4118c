// What convert writes: the formats by their names.
//
// Tested by: convert_command_test.cc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "syncline/diagnostics.h"
#include "syncline/result.h"

#include "base/byte_sink.h"
#include "pipeline/convert/convert_events.h"
#include "write/exported_trace.h"

namespace syncline {

// One of `write` and `write_folder` is set, or neither: the inputs themselves are put together.
struct ConvertTarget {
  std::string_view name;
  Result<void> (*write)(const ExportedTrace&, ByteSink) = nullptr;
  // Into an empty folder. Without the format's library it fails with kUnsupported.
  Result<ExportFindings> (*write_folder)(const ExportedTrace&, const std::string& folder) = nullptr;
  // What Syncline reads again, and then takes all messages for facts.
  ExportedMessages messages = ExportedMessages::kShown;
};

std::vector<std::string> ConvertTargetNames();
// nullptr: there is no such format.
const ConvertTarget* FindConvertTarget(std::string_view name);

// Counts "times-shifted", "events-raised" and "collectives-as-regions".
void CountFindings(const ExportFindings& findings, std::string_view format,
                   Diagnostics& diagnostics);

}  // namespace syncline
