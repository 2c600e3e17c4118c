// The collectives of text inputs: what they imply goes to estimation, their groups to the traces.
//
// A group is known by its name in all inputs. Counted: "collective-without-group" (warning), begins
// and ends in a group that nothing declared; "ambiguous-collective" (warning) and
// "unmatched-collective" (info), instances. Cost and memory: as match/collective_messages.h.
// Tested by: text_collectives_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "syncline/event.h"
#include "syncline/message.h"
#include "syncline/result.h"

#include "match/collective_messages.h"
#include "trace/load.h"

namespace syncline {

class TextCollectives {
 public:
  // Both must outlive this object.
  TextCollectives(LoadedTraces& loaded, MessageSink& sink)
      : loaded_(loaded), messages_(loaded.traces.groups, kinds_, sink) {}

  void BeginInput();
  // Takes over the groups that the input has declared since the last call. Requires: all its
  // processes are known. Errors: kMalformed where another input gives a group other members.
  Result<void> AdoptGroups(const LoadedInput& input, const TraceSet& declared);
  // A begin or end; its process is that of the traces; `names`: those of the input so far.
  void Add(Event event, uint64_t index, std::span<const std::string> names);
  void Finish();

 private:
  static constexpr uint32_t kUnknown = UINT32_MAX;

  LoadedTraces& loaded_;
  std::vector<std::string> kinds_;  // in all inputs
  CollectiveMessages messages_;
  std::map<std::string, uint32_t> group_of_;
  std::map<std::string, uint32_t> kind_of_;
  // Of the present input: groups taken over, and by number of a name what it stands for.
  size_t adopted_ = 0;
  std::vector<uint32_t> named_groups_;
  std::vector<uint32_t> named_kinds_;
  uint64_t without_group_ = 0;
  std::string first_without_group_;
};

}  // namespace syncline
