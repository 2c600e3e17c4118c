// Messages and collectives of Chrome JSON files: of NCCL's kernels, and of flows.
//
// A collective of all kinds is not over for any member before all have begun: each begin → every
// other end, of up to 64 messages; of more members through the first one. Of a broadcast
// the root's begin → the other ends, of a reduction the other way round. A transfer's kernels: the
// send's begin → the receive's end. A flow: its begin → every step and its end. An id that was used
// again has several begins or ends: they belong together by time, where all are of one clock and
// one file, without steps, and begins and ends take turns; else they are in doubt, for recordings
// may begin and end between the ends of a flow. Flows join files where no two files begin one of
// the same id: ids are then not counted by each file for itself.
// Counted: "unmatched-collective", "unmatched-send", "unmatched-receive", "message-to-itself",
// "collective-without-root", "collective-may-leave-out", "nccl-kernel-unexplained",
// "flow-ids-by-file" (info); "operations-matched-by-order", "ambiguous-collective",
// "ambiguous-message" (warning). Memory: kinds, groups, and what external_sort.h takes: all else is
// in temporary disk space. Errors: those of that. Tested by: chrome_command_test.cc,
// chrome_flows_test.cc.
#pragma once

#include <span>

#include "syncline/result.h"

#include "trace/chrome_contents.h"
#include "trace/formats.h"
#include "trace/kept_chrome.h"
#include "trace/load.h"

namespace syncline {

// A file that was read, and its processes.
struct MatchedChromeFile {
  const LoadedInput* input = nullptr;
  ChromeContents* contents = nullptr;
  KeptChrome* kept = nullptr;
};

// Fills in the traces' groups and, where events are needed, the files' parts.
Result<void> MatchChrome(const LoadRequest& request, std::span<const MatchedChromeFile> files);

}  // namespace syncline
