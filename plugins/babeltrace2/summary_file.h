// The corrections of a summary (syncline.json) by the names of their clocks.
//
// Units: ticks of each clock in, nanoseconds out. Errors: kUnreadable, kMalformed with what is
// missing where. Tested by: summary_file_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "syncline/correction.h"
#include "syncline/result.h"

namespace syncline::babeltrace_plugin {

struct SummaryFile {
  std::string path;
  std::map<std::string, Correction, std::less<>> corrections;
  // How many events the logical clock moved besides, which no correction says.
  uint64_t events_moved = 0;
};

Result<SummaryFile> ReadSummaryFile(const std::string& path);

}  // namespace syncline::babeltrace_plugin
