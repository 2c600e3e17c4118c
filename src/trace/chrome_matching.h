// Messages and collectives of Chrome JSON files: of NCCL's kernels, and of flows.
//
// A collective of all kinds is not over for any member before all have begun: each begin → every
// other end, of up to kMostPairs messages; of more members through the first one. Of a broadcast
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

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "syncline/message.h"
#include "syncline/result.h"

#include "base/block_store.h"
#include "base/external_sort.h"
#include "match/group_operations.h"
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

class ChromeMatching {
 public:
  static constexpr size_t kMostPairs = 64;

  // Both must outlive this object. Fills in the traces' groups and, where events are needed, the
  // files' parts.
  ChromeMatching(const LoadRequest& request, std::span<const MatchedChromeFile> files);

  Result<void> Run();

 private:
  using FlowEnds = BlockReader<ChromeFlowEnd>;
  struct FlowRange {
    uint64_t first = 0, size = 0;
    ClockId clock;  // of the first one
    bool is_of_one_clock = true;
    void Include(ClockId clock_of_end, uint64_t place);
  };
  // What a file has of a key.
  struct FlowsOfFile {
    uint32_t file = 0;
    FlowRange begins, ends;
    uint64_t steps = 0;  // among the ends
  };
  // Of a list of parts: a process's of collectives, or of messages.
  struct PlacedPart {
    size_t list = 0;
    ChromePart part;
  };
  struct PartOrder {
    bool operator()(const PlacedPart& a, const PlacedPart& b) const {
      return std::tie(a.list, a.part.index) < std::tie(b.list, b.part.index);
    }
  };
  // Those that came in order.
  struct PartList {
    BlockStore<ChromePart>* kept = nullptr;
    uint64_t next = 0;  // the least index that may follow
  };
  ProcessId ProcessOf(uint32_t file, uint32_t track) const {
    return files_[file].input->processes[track];
  }
  ProcessId ProcessOf(const GroupOperation& o) const { return ProcessOf(o.member, o.track); }
  EventRef BeginOf(const GroupOperation& o) const { return {ProcessOf(o), o.index, o.begin}; }
  EventRef EndOf(const GroupOperation& o) const { return {ProcessOf(o), o.index + 1, o.end}; }
  EventRef RefOf(const ChromeFlowEnd& end) const {
    return {ProcessOf(end.file, end.track), end.index, end.time};
  }
  Result<void> MatchOperations();
  Result<void> AddCollective(std::span<const GroupOperation> members);
  void DeliverCollective(std::span<const GroupOperation> members);
  void Deliver(const GroupOperation& from, const GroupOperation& to);
  uint32_t GroupOf(std::span<const GroupOperation> members);
  uint32_t KindNumber(std::string_view kind);
  Result<void> AddTransfer(const GroupOperation& send, const GroupOperation& receive);
  Result<void> MatchFlows();
  Result<std::vector<FlowsOfFile>> FlowsByFile(const BlockStore<ChromeFlowEnd>& together) const;
  Result<void> MatchFlowsOfKey(const BlockStore<ChromeFlowEnd>& together, bool may_join_files);
  Result<void> MatchFlowsWithin(std::span<const FlowsOfFile> files, FlowEnds& begins,
                                FlowEnds& ends);
  Result<void> MatchFlowsByTime(const FlowRange& begun, const FlowRange& ended, FlowEnds& begins,
                                FlowEnds& ends);
  Result<void> AddFlow(const ChromeFlowEnd& begin, FlowEnds& ends,
                       std::span<const FlowRange> ranges);
  Result<void> AddPart(ProcessId process, const ChromePart& part);
  void Count(std::string_view name, Severity severity, uint64_t count,
             const std::string& example = {});
  Result<void> PutPartsInOrder();

  LoadedTraces& loaded_;
  bool needs_parts_;
  MessageSink& messages_;
  MessageSink& collective_messages_;
  std::span<const MatchedChromeFile> files_;
  GroupOperations operations_;
  std::vector<PartList> parts_;                     // two of each process
  ExternalSort<PlacedPart, PartOrder> late_parts_;  // all others
  std::map<std::pair<std::string, std::vector<ProcessId>>, uint32_t> groups_;
  std::map<std::string, uint32_t, std::less<>> kind_numbers_;
  std::shared_ptr<std::vector<std::string>> kinds_ = std::make_shared<std::vector<std::string>>();
  uint64_t next_message_ = 1;
  uint64_t next_instance_ = 1;
  uint64_t without_root_ = 0, may_leave_out_ = 0, unexplained_ = 0;
  uint64_t to_itself_ = 0, unmatched_begins_ = 0, unmatched_ends_ = 0, ambiguous_ = 0;
};

}  // namespace syncline
