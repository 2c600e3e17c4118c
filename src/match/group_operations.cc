#include "match/group_operations.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace syncline {
namespace {

using Keyed = GroupOperations::Keyed;
using IdentifiedBy = GroupOperations::IdentifiedBy;

static_assert(sizeof(Keyed) == 112, "as documented");

// Longer lists are not shifted against one another.
constexpr uint64_t kMostShifted = 5'000;

size_t ClassOf(std::string_view kind) { return kind == "send" ? 1 : kind == "recv" ? 2 : 0; }

// Operations of one key may belong together.
auto KeyOf(const Keyed& o) { return std::tie(o.by, o.name, o.numbers[0], o.numbers[1]); }

// Whether these could be parts of one operation.
bool Agree(const Keyed& x, const Keyed& y) {
  if (x.by != IdentifiedBy::kEnds) {
    const std::string_view kind = x.kind();
    if (kind != y.kind()) return false;
    if (kind != "allreduce" && kind != "bcast" && kind != "reduce") return true;
  }
  return x.size == y.size || x.size == 0 || y.size == 0;
}

// Some operations of one key in a row.
struct OperationList {
  BlockReader<Keyed> reader;
  uint32_t member = 0;
  uint64_t first = 0;
  uint64_t size = 0;
  int64_t shift = 0;  // where its first one stands in the longest list

  Result<const Keyed*> At(uint64_t i) { return reader.At(first + i); }
};

class OperationMatcher {
 public:
  OperationMatcher(const GroupOperations::OnCollective& on_collective,
                   const GroupOperations::OnTransfer& on_transfer)
      : on_collective_(on_collective), on_transfer_(on_transfer) {}

  Result<void> Take(const BlockStore<Keyed>& together) {
    BlockReader<Keyed> reader(together);
    SYNCLINE_ASSIGN(const Keyed* first, reader.At(0));
    const Keyed key = *first;
    return key.by == IdentifiedBy::kEnds ? MatchTransfers(together)
                                         : MatchCollectives(key, together);
  }

  // `added` by class, all of them.
  MatchedOperations Matched(const std::array<uint64_t, 3>& added) {
    matched_.unmatched_collectives = added[0] - settled_[0];
    matched_.unmatched_sends = added[1] - settled_[1];
    matched_.unmatched_receives = added[2] - settled_[2];
    return matched_;
  }

 private:
  Result<void> SetDoubtful(const BlockStore<Keyed>& together) {
    return together.ForEach([&](uint64_t /*first*/, std::span<const Keyed> operations) {
      for (const Keyed& o : operations) {
        if (o.only_orders) continue;
        ++matched_.ambiguous;
        ++settled_[ClassOf(o.kind())];
        if (!matched_.first_ambiguous) matched_.first_ambiguous = o.Operation();
      }
    });
  }

  Result<void> MatchTransfers(const BlockStore<Keyed>& together) {
    OperationList sends{BlockReader<Keyed>(together)};
    OperationList receives{BlockReader<Keyed>(together)};
    bool agree = true;
    for (uint64_t i = 0; i < together.size(); ++i) {
      SYNCLINE_ASSIGN(const Keyed* o, sends.reader.At(i));
      OperationList& side = o->kind() == "send" ? sends : receives;
      if (side.size++ == 0) {
        side.first = i;
        side.member = o->member;
      }
      agree = agree && o->member == side.member;
    }
    if (sends.size == 0 || receives.size == 0) return {};
    // Of two members, one list behind the other.
    agree = agree && sends.member != receives.member && sends.size == receives.size;
    for (uint64_t i = 0; i < sends.size && agree; ++i) {
      SYNCLINE_ASSIGN(agree, AgreeAt(sends, i, receives, i));
    }
    if (!agree) return SetDoubtful(together);
    matched_.by_order += sends.size;
    for (uint64_t i = 0; i < sends.size; ++i) {
      SYNCLINE_ASSIGN(const Keyed* send, sends.At(i));
      if (!matched_.first_by_order) matched_.first_by_order = send->Operation();
      SYNCLINE_ASSIGN(const Keyed* receive, receives.At(i));
      SYNCLINE_TRY(on_transfer_(send->Operation(), receive->Operation()));
    }
    settled_[1] += sends.size;
    settled_[2] += receives.size;
    return {};
  }

  Result<void> MatchCollectives(const Keyed& key, const BlockStore<Keyed>& together) {
    SYNCLINE_ASSIGN(std::vector<OperationList> lists, ListsByMember(together));
    if (lists.size() < 2) return {};
    const bool is_by_order = key.by == IdentifiedBy::kOrder;
    const auto longest = std::ranges::max_element(lists, {}, &OperationList::size);
    for (OperationList& list : lists) {
      OperationList beside{BlockReader<Keyed>(together), longest->member, longest->first,
                           longest->size};
      SYNCLINE_ASSIGN(const auto shift, ShiftOf(list, beside, is_by_order));
      if (!shift) return SetDoubtful(together);
      list.shift = *shift;
    }
    const bool is_one_each = longest->size == 1;
    int64_t first = 0;
    int64_t end = 0;
    for (const OperationList& list : lists) {
      first = std::min(first, list.shift);
      end = std::max(end, list.shift + static_cast<int64_t>(list.size));
    }
    for (int64_t place = first; place < end; ++place) {
      SYNCLINE_TRY(HandOn(lists, place));
      if (members_.size() < 2 || (!is_by_order && is_one_each)) continue;
      ++matched_.by_order;
      if (!matched_.first_by_order) matched_.first_by_order = members_.front();
    }
    return {};
  }

  // The operations at this place, where there are several.
  Result<void> HandOn(std::vector<OperationList>& lists, int64_t place) {
    members_.clear();
    for (OperationList& list : lists) {
      const int64_t i = place - list.shift;
      if (i < 0 || i >= static_cast<int64_t>(list.size)) continue;
      SYNCLINE_ASSIGN(const Keyed* o, list.At(static_cast<uint64_t>(i)));
      if (!o->only_orders) members_.push_back(o->Operation());
    }
    if (members_.size() < 2) return {};
    settled_[0] += members_.size();
    return on_collective_(members_);
  }

  static Result<std::vector<OperationList>> ListsByMember(const BlockStore<Keyed>& together) {
    std::vector<OperationList> lists;
    BlockReader<Keyed> reader(together);
    for (uint64_t i = 0; i < together.size(); ++i) {
      SYNCLINE_ASSIGN(const Keyed* keyed, reader.At(i));
      const uint32_t member = keyed->member;
      if (lists.empty() || lists.back().member != member) {
        lists.push_back({BlockReader<Keyed>(together), member, i});
      }
      ++lists.back().size;
    }
    return lists;
  }

  static Result<bool> AgreeAt(OperationList& a, uint64_t i, OperationList& b, uint64_t j) {
    SYNCLINE_ASSIGN(const Keyed* x, a.At(i));
    SYNCLINE_ASSIGN(const Keyed* y, b.At(j));
    return Agree(*x, *y);
  }

  static Result<bool> AgreeShifted(OperationList& list, OperationList& longest, int64_t shift) {
    for (uint64_t j = 0; j < list.size; ++j) {
      const int64_t place = shift + static_cast<int64_t>(j);
      if (place < 0 || place >= static_cast<int64_t>(longest.size)) continue;
      SYNCLINE_ASSIGN(const bool agree, AgreeAt(list, j, longest, static_cast<uint64_t>(place)));
      if (!agree) return false;
    }
    return true;
  }

  // By how much `list` has to be moved so that it agrees with `longest`; none where that is not
  // certain. Of equal lengths no shift is looked for.
  static Result<std::optional<int64_t>> ShiftOf(OperationList& list, OperationList& longest,
                                                bool may_shift) {
    std::optional<int64_t> found;
    if (list.size == longest.size) {
      SYNCLINE_ASSIGN(const bool agrees, AgreeShifted(list, longest, 0));
      if (agrees) found = 0;
      return found;
    }
    if (!may_shift || longest.size > kMostShifted) return found;
    // At least half of the list stands inside.
    const auto half = static_cast<int64_t>((list.size + 1) / 2);
    for (int64_t shift = half - static_cast<int64_t>(list.size);
         shift + half <= static_cast<int64_t>(longest.size); ++shift) {
      SYNCLINE_ASSIGN(const bool agrees, AgreeShifted(list, longest, shift));
      if (!agrees) continue;
      if (found) return std::optional<int64_t>();
      found = shift;
    }
    return found;
  }

  const GroupOperations::OnCollective& on_collective_;
  const GroupOperations::OnTransfer& on_transfer_;
  std::vector<GroupOperation> members_;
  std::array<uint64_t, 3> settled_{};  // by class: matched, or in doubt
  MatchedOperations matched_;
};

}  // namespace

GroupOperation GroupOperations::Keyed::Operation() const {
  return {.member = member,
          .track = track,
          .index = index,
          .begin = begin,
          .end = end,
          .kind = kind(),
          .group = {group_text, group_size},
          .size = size,
          .is_root = is_root,
          .only_orders = only_orders};
}

bool GroupOperations::InOrder::operator()(const Keyed& a, const Keyed& b) const {
  const auto order = KeyOf(a) <=> KeyOf(b);
  if (order != 0) return order < 0;
  return std::tie(a.member, a.begin) < std::tie(b.member, b.begin);
}

Result<void> GroupOperations::Add(const GroupOperation& o) {
  const size_t of_class = ClassOf(o.kind);
  if (!o.only_orders) ++added_[of_class];
  Keyed keyed{.kind_size = static_cast<uint8_t>(o.kind.size()),
              .is_root = o.is_root,
              .only_orders = o.only_orders,
              .group_size = static_cast<uint32_t>(o.group.size()),
              .member = o.member,
              .track = o.track,
              .begin = o.begin,
              .end = o.end,
              .index = o.index,
              .size = o.size,
              .kind_text = o.kind.data(),
              .group_text = o.group.data()};
  if (of_class != 0) {
    if (!o.from || !o.to || o.from == o.to) return {};
    keyed.by = IdentifiedBy::kEnds;
    keyed.numbers[0] = *o.from;
    keyed.numbers[1] = *o.to;
  } else if (!o.instance.empty()) {
    keyed.by = IdentifiedBy::kInstance;
  } else if (o.sequence) {
    keyed.by = IdentifiedBy::kSequence;
    keyed.numbers[0] = *o.sequence;
  }
  if (keyed.by == IdentifiedBy::kInstance) {
    keyed.name = o.instance;
  } else {
    // Views of one group mostly are of one text.
    if (o.group.data() != group_.data() || o.group.size() != group_.size()) {
      group_ = o.group;
      group_key_ = TextKey(group_);
    }
    keyed.name = group_key_;
  }
  return operations_.Add(keyed);
}

Result<void> GroupOperations::Take(GroupOperations other) {
  for (size_t i = 0; i < added_.size(); ++i) added_[i] += other.added_[i];
  return operations_.Take(std::move(other.operations_));
}

Result<MatchedOperations> GroupOperations::Match(const OnCollective& on_collective,
                                                 const OnTransfer& on_transfer) {
  OperationMatcher matcher(on_collective, on_transfer);
  const auto same = [](const Keyed& a, const Keyed& b) { return KeyOf(a) == KeyOf(b); };
  SYNCLINE_TRY(operations_.ForEachGroup(
      same, [&](const BlockStore<Keyed>& together) { return matcher.Take(together); }));
  return matcher.Matched(added_);
}

}  // namespace syncline
