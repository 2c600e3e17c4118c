// Where a command writes, checked before any work begins: an existing output is replaced only with
// --force, and what the command reads never.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "syncline/result.h"

#include "base/file.h"
#include "base/output_folder.h"
#include "trace/inputs.h"
#include "write/ctf_metadata/metadata_trace.h"

namespace syncline {

struct OutputPlan {
  std::vector<std::string> traces;  // by input
  // By input: for CTF traces whose data stays, what their clock blocks are to say. Empty where
  // events are written.
  std::vector<std::optional<std::vector<ctf_metadata::NamedSetting>>> clock_settings;
  std::string summary;
  std::string merged;     // empty: none
  std::string json;       // empty: none; "-": standard output
  std::string report;     // empty: none
  std::string add_field;  // of logs; empty: times are replaced
  IfExists if_exists = IfExists::kFail;
  // Of the traces; gone with the last plan where nothing came to be in it.
  std::shared_ptr<const MadeFolders> folder;
};

struct OutputRequest {
  std::string folder;  // empty: no traces are written
  // Of other files in the folder, instead of traces and a summary.
  std::vector<std::string> names;
  std::string merged;
  std::string json;
  std::string report;
  // A folder that becomes, as a whole, what the command writes. An existing one is replaced only
  // where it holds nothing but CTF traces, one below the other, or an archive called traces.otf2.
  std::string whole_folder;
  std::vector<std::string> also_read;  // files besides the inputs
  IfExists if_exists = IfExists::kFail;
};

// Creates the folder, and finishes what a run that was killed left half replaced in the folders of
// the outputs (base/replace_together.h). Inputs of one file name get the names of their clocks
// instead, numbered where even these repeat. Errors: kUsage where an output exists, is read by the
// command, or would be written twice; kUnreadable where a folder is missing or cannot be made.
Result<OutputPlan> PlanOutputs(std::span<const Input> inputs, const OutputRequest& request);

}  // namespace syncline
