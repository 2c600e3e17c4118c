#include "simulate/collective.h"

#include <algorithm>

#include "base/check.h"

namespace syncline {

GroupFlow FlowOf(Name kind) {
  switch (kind) {
    case Name::kBcast:
    case Name::kScatter: return GroupFlow::kOneToAll;
    case Name::kReduce:
    case Name::kGather: return GroupFlow::kAllToOne;
    case Name::kScan: return GroupFlow::kPrefix;
    default: return GroupFlow::kAllToAll;
  }
}

std::vector<Collective::End> Collective::Enter(uint32_t member, int64_t begin_ns, int64_t delay_ns,
                                               int64_t least_ns) {
  Member& entering = members_[member];
  SYNCLINE_CHECK(!entering.has_entered);
  entering = {true, begin_ns, delay_ns, begin_ns + least_ns};
  ++entered_;
  last_begin_ns_ = std::max(last_begin_ns_, begin_ns);
  switch (flow_) {
    case GroupFlow::kOneToAll: return EnterOneToAll(member);
    case GroupFlow::kAllToOne: return EnterAllToOne(member);
    case GroupFlow::kAllToAll: return EnterAllToAll();
    case GroupFlow::kPrefix: return EnterPrefix();
  }
  return {};
}

std::vector<Collective::End> Collective::EnterOneToAll(uint32_t member) const {
  const Member& root = members_[root_];
  if (!root.has_entered) return {};
  const auto end_of = [&](uint32_t m) {
    const Member& waiting = members_[m];
    const int64_t arrival = m == root_ ? waiting.own_ns : root.begin_ns + waiting.delay_ns;
    return End{m, std::max(waiting.own_ns, arrival)};
  };
  if (member != root_) return {end_of(member)};
  std::vector<End> ends;
  for (uint32_t m = 0; m < members_.size(); ++m) {
    if (members_[m].has_entered) ends.push_back(end_of(m));
  }
  return ends;
}

std::vector<Collective::End> Collective::EnterAllToOne(uint32_t member) const {
  std::vector<End> ends;
  if (member != root_) ends.push_back({member, members_[member].own_ns});
  if (entered_ == members_.size()) {
    const Member& root = members_[root_];
    ends.push_back({root_, std::max(root.own_ns, last_begin_ns_ + root.delay_ns)});
  }
  return ends;
}

std::vector<Collective::End> Collective::EnterAllToAll() const {
  if (entered_ < members_.size()) return {};
  std::vector<End> ends;
  for (uint32_t m = 0; m < members_.size(); ++m) {
    ends.push_back({m, std::max(members_[m].own_ns, last_begin_ns_ + members_[m].delay_ns)});
  }
  return ends;
}

std::vector<Collective::End> Collective::EnterPrefix() {
  std::vector<End> ends;
  for (; prefix_ < members_.size() && members_[prefix_].has_entered; ++prefix_) {
    const Member& next = members_[prefix_];
    prefix_begin_ns_ = std::max(prefix_begin_ns_, next.begin_ns);
    ends.push_back({prefix_, std::max(next.own_ns, prefix_begin_ns_ + next.delay_ns)});
  }
  return ends;
}

}  // namespace syncline
