#include "trace/text_collectives.h"

#include <utility>

#include <fmt/format.h>

namespace syncline {

void TextCollectives::BeginInput() {
  adopted_ = 0;
  named_groups_.clear();
  named_kinds_.clear();
}

Result<void> TextCollectives::AdoptGroups(const LoadedInput& input, const TraceSet& declared) {
  for (; adopted_ < declared.groups.size(); ++adopted_) {
    Group group = declared.groups[adopted_];
    for (ProcessId& member : group.members) member = input.processes[member.index()];
    std::vector<Group>& groups = loaded_.traces.groups;
    const auto [known, is_new] =
        group_of_.emplace(group.name, static_cast<uint32_t>(groups.size()));
    if (is_new) {
      groups.push_back(std::move(group));
    } else if (groups[known->second].members != group.members) {
      return Fail(ErrorCode::kMalformed,
                  fmt::format("group {} has other members in another input", group.name),
                  input.input.path);
    }
  }
  return {};
}

void TextCollectives::Add(Event event, uint64_t index, std::span<const std::string> names) {
  named_groups_.resize(names.size(), kUnknown);
  named_kinds_.resize(names.size(), kUnknown);
  uint32_t& group = named_groups_[event.group];
  if (group == kUnknown) {
    // The reader lets no group be declared after its first event.
    const auto known = group_of_.find(names[event.group]);
    if (known == group_of_.end()) {
      if (without_group_++ == 0) first_without_group_ = names[event.group];
      return;
    }
    group = known->second;
  }
  uint32_t& kind = named_kinds_[event.name];
  if (kind == kUnknown) {
    const auto next = static_cast<uint32_t>(kinds_.size());
    const auto [known, is_new] = kind_of_.emplace(names[event.name], next);
    if (is_new) kinds_.push_back(names[event.name]);
    kind = known->second;
  }
  event.group = group;
  event.name = kind;
  const bool is_end = event.kind == EventKind::kCollectiveEnd;
  const uint64_t received = is_end ? std::exchange(event.bytes, 0) : 0;
  messages_.Add(event, index, received);
}

void TextCollectives::Finish() {
  const CollectiveCounts counts = messages_.Finish(loaded_.diagnostics);
  loaded_.diagnostics.Count("unmatched-collective", Severity::kInfo, counts.incomplete);
  loaded_.diagnostics.Count("collective-without-group", Severity::kWarning, without_group_,
                            first_without_group_);
}

}  // namespace syncline
