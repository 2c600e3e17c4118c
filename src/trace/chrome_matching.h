// Messages and collectives of Chrome JSON files: of NCCL's kernels, and of flows.
//
// A collective of all kinds is not over for any member before all have begun: each begin → every
// other end, of up to kMostPairs messages; of more members through the first one. Of a broadcast
// the root's begin → the other ends, of a reduction the other way round. A transfer's kernels: the
// send's begin → the receive's end. A flow: its begin → every step and its end. An id that was used
// again belongs in order where all begins, and all ends, are of one thread. Flows join files where
// no two files begin one of the same id: ids are then not counted by each file for itself.
// Counted: "unmatched-collective", "unmatched-send", "unmatched-receive", "message-to-itself",
// "collective-without-root", "collective-may-leave-out", "nccl-kernel-unexplained",
// "operations-matched-by-order", "flow-ids-by-file" (info); "ambiguous-collective",
// "ambiguous-message" (warning). Tested by: chrome_command_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "syncline/message.h"

#include "match/group_operations.h"
#include "trace/chrome_contents.h"
#include "trace/kept_chrome.h"
#include "trace/load.h"

namespace syncline {

// A file that was read, and its processes.
struct MatchedChromeFile {
  const LoadedInput* input = nullptr;
  ChromeContents* contents = nullptr;
  KeptChrome* kept = nullptr;
};

class ChromeMatching {
 public:
  static constexpr size_t kMostPairs = 64;

  // All must outlive this object. Fills in the files' parts and the traces' groups.
  ChromeMatching(LoadedTraces& loaded, MessageSink& messages, MessageSink& collective_messages,
                 std::span<const MatchedChromeFile> files)
      : loaded_(loaded),
        messages_(messages),
        collective_messages_(collective_messages),
        files_(files) {}

  void Run();

 private:
  struct FlowPlace {
    uint32_t file = 0;
    const ChromeFlowEnd* end = nullptr;
  };
  ProcessId ProcessOf(uint32_t file, uint32_t track) const {
    return files_[file].input->processes[track];
  }
  EventRef RefOf(const FlowPlace& place) const {
    return {ProcessOf(place.file, place.end->track), place.end->index, place.end->time};
  }
  void GatherOperations();
  bool IsUsable(const ChromeOperation& kernel, uint32_t file);
  GroupOperation Described(const ChromeOperation& kernel, uint32_t file) const;
  void MatchOperations();
  void AddCollective(std::span<const size_t> members);
  void DeliverCollective(std::span<const size_t> members);
  void Deliver(size_t from, size_t to);
  uint32_t GroupOf(std::span<const size_t> members);
  uint32_t KindNumber(std::string_view kind);
  void AddTransfer(const MatchedOperations::Transfer& transfer);
  void MatchFlows();
  void MatchFlowsOfKey(std::span<const FlowPlace> together, bool may_join_files);
  void MatchFlowsWithin(std::span<const FlowPlace> together);
  void AddFlow(const FlowPlace& begin, std::span<const FlowPlace> ends);
  void AddPart(uint32_t file, uint32_t track, const ChromePart& part) {
    files_[file].kept->tracks[track].parts.push_back(part);
  }
  void Count(std::string_view name, Severity severity, uint64_t count,
             const std::string& example = {});
  void SortParts();

  LoadedTraces& loaded_;
  MessageSink& messages_;
  MessageSink& collective_messages_;
  std::span<const MatchedChromeFile> files_;
  std::vector<GroupOperation> operations_;
  std::vector<std::pair<uint32_t, const ChromeOperation*>> kernels_;  // file; by operation
  std::map<std::pair<std::string, std::vector<ProcessId>>, uint32_t> groups_;
  std::map<std::string, uint32_t, std::less<>> kind_numbers_;
  std::shared_ptr<std::vector<std::string>> kinds_ = std::make_shared<std::vector<std::string>>();
  uint64_t next_message_ = 1;
  uint64_t next_instance_ = 1;
  uint64_t without_root_ = 0, may_leave_out_ = 0, unexplained_ = 0;
  uint64_t to_itself_ = 0, unmatched_begins_ = 0, unmatched_ends_ = 0, ambiguous_ = 0;
};

}  // namespace syncline
