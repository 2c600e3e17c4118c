// The logical clock alone over an OTF2 archive: as the filter does with text, but the archive is
// read several times and written as a whole.
//
// Memory: 8 bytes per event, and 32 per message on disk where these take more than 16 MiB.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "syncline/result.h"

#include "base/file.h"
#include "base/output_folder.h"
#include "logical/logical_options.h"
#include "pipeline/write/write_otf2.h"
#include "pipeline/write/write_traces.h"
#include "report/logical_protocol.h"
#include "report/time_series.h"

namespace syncline {

struct FilterArchiveRequest {
  std::string input;  // anchor file
  std::string output_folder;
  std::string clock_per = "process";
  std::string min_delay = "1";  // as --min-delay
  std::string json, report;     // written by the caller; must not be in the way
  LogicalOptions options;
  Otf2Writing writing = Otf2Writing::kMetadata;
  IfExists if_exists = IfExists::kFail;
  ProgressMode progress = ProgressMode::kOff;
};

struct FilteredArchive {
  FilterSummary summary;
  std::optional<LogicalTimeline> timeline;    // where the options ask for what happens over time
  std::shared_ptr<const MadeFolders> folder;  // longer than what is in it
  WrittenTraces written;                      // for CommitAll(), with what else the caller writes
};

// The archive is written under temporary names. Errors: those of reading and writing; kUsage for a
// minimum delay; kMalformed for a cycle.
Result<FilteredArchive> FilterArchive(const FilterArchiveRequest& request);

// Whether the file is the anchor of an OTF2 archive.
bool IsOtf2Anchor(const std::string& path);

}  // namespace syncline
