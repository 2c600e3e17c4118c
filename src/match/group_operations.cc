#include "match/group_operations.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <absl/container/flat_hash_map.h>

namespace syncline {
namespace {

enum class IdentifiedBy : uint8_t { kInstance, kSequence, kOrder };

// Operations of one key may belong together.
struct OperationKey {
  bool is_transfer = false;
  IdentifiedBy by = IdentifiedBy::kOrder;
  std::string_view name;  // of the instance, or of the group
  int64_t sequence = 0;
  int64_t from = 0, to = 0;
  auto Order() const { return std::tie(is_transfer, by, name, sequence, from, to); }
  friend bool operator<(const OperationKey& a, const OperationKey& b) {
    return a.Order() < b.Order();
  }
};

// Longer lists are not shifted against one another.
constexpr size_t kMostShifted = 5'000;

class OperationMatcher {
 public:
  explicit OperationMatcher(std::span<const GroupOperation> operations)
      : operations_(operations), is_matched_(operations.size()) {}

  MatchedOperations Run() {
    std::map<OperationKey, std::vector<size_t>> by_key;
    for (size_t i = 0; i < operations_.size(); ++i) {
      if (const auto key = KeyOf(operations_[i])) by_key[*key].push_back(i);
    }
    for (const auto& [key, together] : by_key) {
      if (key.is_transfer) {
        MatchTransfers(key, together);
      } else {
        MatchCollectives(key, together);
      }
    }
    CountUnmatched();
    return std::move(matched_);
  }

 private:
  static bool IsTransfer(const GroupOperation& o) { return o.kind == "send" || o.kind == "recv"; }

  static std::optional<OperationKey> KeyOf(const GroupOperation& o) {
    OperationKey key{.is_transfer = IsTransfer(o), .name = o.group};
    if (key.is_transfer) {
      if (!o.from || !o.to || *o.from == *o.to) return std::nullopt;
      key.from = *o.from;
      key.to = *o.to;
    }
    if (!o.instance.empty()) {
      key.by = IdentifiedBy::kInstance;
      key.name = o.instance;
    } else if (o.sequence) {
      key.by = IdentifiedBy::kSequence;
      key.sequence = *o.sequence;
    }
    return key;
  }

  // Whether these could be parts of one operation.
  bool Agree(size_t a, size_t b) const {
    const GroupOperation& x = operations_[a];
    const GroupOperation& y = operations_[b];
    if (!IsTransfer(x) && x.kind != y.kind) return false;
    const bool is_of_one_size =
        IsTransfer(x) || x.kind == "allreduce" || x.kind == "bcast" || x.kind == "reduce";
    return !is_of_one_size || x.size == y.size || x.size.empty() || y.size.empty();
  }

  void SetDoubtful(std::span<const size_t> operations) {
    matched_.ambiguous += operations.size();
    for (const size_t o : operations) is_matched_[o] = true;
    if (!matched_.first_ambiguous) matched_.first_ambiguous = operations.front();
  }

  void MatchTransfers(const OperationKey& key, std::span<const size_t> together) {
    std::vector<size_t> sends;
    std::vector<size_t> receives;
    for (const size_t o : together) {
      (operations_[o].kind == "send" ? sends : receives).push_back(o);
    }
    if (sends.empty() || receives.empty()) return;
    bool agree = sends.size() == receives.size();
    for (size_t i = 0; i < sends.size() && agree; ++i) {
      agree = Agree(sends[i], receives[i]) &&
              operations_[sends[i]].member == operations_[sends[0]].member &&
              operations_[receives[i]].member == operations_[receives[0]].member;
    }
    agree = agree && operations_[sends[0]].member != operations_[receives[0]].member;
    if (!agree) return SetDoubtful(together);
    for (size_t i = 0; i < sends.size(); ++i) {
      is_matched_[sends[i]] = is_matched_[receives[i]] = true;
      matched_.transfers.push_back({sends[i], receives[i]});
    }
    if (key.by == IdentifiedBy::kOrder || sends.size() > 1) matched_.by_order += sends.size();
  }

  void MatchCollectives(const OperationKey& key, std::span<const size_t> together) {
    std::map<uint32_t, std::vector<size_t>> by_member;
    for (const size_t o : together) by_member[operations_[o].member].push_back(o);
    if (by_member.size() < 2) return;
    std::vector<std::vector<size_t>> lists;
    for (auto& [member, of_member] : by_member) lists.push_back(std::move(of_member));
    const bool is_one_each =
        std::ranges::all_of(lists, [](const auto& list) { return list.size() == 1; });
    const bool is_by_order = key.by == IdentifiedBy::kOrder;
    // Where the first of each stands in the longest one.
    std::vector<int64_t> shifts;
    const auto longest = std::ranges::max_element(
        lists, [](const auto& a, const auto& b) { return a.size() < b.size(); });
    for (const std::vector<size_t>& list : lists) {
      const auto shift = ShiftOf(list, *longest, is_by_order);
      if (!shift) return SetDoubtful(together);
      shifts.push_back(*shift);
    }
    std::map<int64_t, std::vector<size_t>> instances;
    for (size_t i = 0; i < lists.size(); ++i) {
      for (size_t j = 0; j < lists[i].size(); ++j) {
        instances[shifts[i] + static_cast<int64_t>(j)].push_back(lists[i][j]);
      }
    }
    for (auto& [place, instance] : instances) {
      if (instance.size() < 2) continue;
      for (const size_t o : instance) is_matched_[o] = true;
      matched_.collectives.push_back(std::move(instance));
      if (is_by_order || !is_one_each) ++matched_.by_order;
    }
  }

  // By how much `list` has to be moved so that it agrees with `longest`; none where that is not
  // certain. Of equal lengths no shift is looked for.
  std::optional<int64_t> ShiftOf(std::span<const size_t> list, std::span<const size_t> longest,
                                 bool may_shift) const {
    const auto agrees = [&](int64_t shift) {
      for (size_t j = 0; j < list.size(); ++j) {
        const int64_t place = shift + static_cast<int64_t>(j);
        if (place < 0 || place >= static_cast<int64_t>(longest.size())) continue;
        if (!Agree(list[j], longest[static_cast<size_t>(place)])) return false;
      }
      return true;
    };
    if (list.size() == longest.size()) return agrees(0) ? std::optional<int64_t>(0) : std::nullopt;
    if (!may_shift || longest.size() > kMostShifted) return std::nullopt;
    // At least half of the list stands inside.
    const auto half = static_cast<int64_t>((list.size() + 1) / 2);
    std::optional<int64_t> found;
    for (int64_t shift = half - static_cast<int64_t>(list.size());
         shift + half <= static_cast<int64_t>(longest.size()); ++shift) {
      if (!agrees(shift)) continue;
      if (found) return std::nullopt;
      found = shift;
    }
    return found;
  }

  void CountUnmatched() {
    for (size_t i = 0; i < operations_.size(); ++i) {
      if (is_matched_[i]) continue;
      const std::string_view kind = operations_[i].kind;
      ++(kind == "send"   ? matched_.unmatched_sends
         : kind == "recv" ? matched_.unmatched_receives
                          : matched_.unmatched_collectives);
    }
  }

  std::span<const GroupOperation> operations_;
  std::vector<bool> is_matched_;  // or in doubt
  MatchedOperations matched_;
};

}  // namespace

MatchedOperations MatchGroupOperations(std::span<const GroupOperation> operations) {
  return OperationMatcher(operations).Run();
}

}  // namespace syncline
