// Writes every input again with corrected times, and measures on the way what each event got.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/file.h"
#include "base/output_folder.h"
#include "base/progress.h"
#include "estimate/group.h"
#include "measure/interval_change.h"
#include "measure/retiming.h"
#include "measure/truth.h"
#include "pipeline/write/outputs.h"
#include "pipeline/write/write_otf2.h"
#include "trace/load.h"

namespace syncline {

struct WrittenFigures {
  IntervalChange intervals;
  std::optional<TrueError> truth;
};

struct WrittenTraces {
  // Complete, under temporary names until CommitAll().
  std::vector<std::function<Result<std::vector<Replacement>>()>> archives;
  std::vector<OutputFolder> folders;
  std::vector<OutputFile> files;
  WrittenFigures figures;
  Diagnostics diagnostics;  // "clock-offsets-insufficient", "times-shifted" of OTF2 archives;
                            // "events-raised" of CTF
};

// Writes the traces and, if planned, the merged capture or Chrome JSON; several files at a time.
// `truth` may be null.
Result<WrittenTraces> WriteTraces(const LoadedTraces& loaded, const GroupEstimate& estimate,
                                  const Retiming& retiming, const OutputPlan& plan,
                                  Otf2Writing writing, const Truth* truth, Progress& progress);

// All or none becomes visible (base/replace_together.h).
Result<void> CommitAll(WrittenTraces& written);

}  // namespace syncline
