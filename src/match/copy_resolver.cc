#include "match/copy_resolver.h"

#include <algorithm>
#include <functional>
#include <tuple>

#include "base/try.h"

namespace syncline {

bool CopyResolver::Copy::is_unmatched() const {
  return !waits_for_timing &&
         (fate == PacketFate::kUnmatchedSend || fate == PacketFate::kUnmatchedReceive ||
          fate == PacketFate::kUnmatchedUnknown);
}

PacketFate CopyResolver::Unmatched(CopyDirection direction) {
  switch (direction) {
    case CopyDirection::kOut: return PacketFate::kUnmatchedSend;
    case CopyDirection::kIn: return PacketFate::kUnmatchedReceive;
    case CopyDirection::kUnknown:
    case CopyDirection::kOther: break;
  }
  return PacketFate::kUnmatchedUnknown;
}

Result<void> CopyResolver::Resolve(std::span<const PacketRecord> records) {
  if (records.size() == 1) {
    ledger_.Fate(records[0].capture, Unmatched(records[0].direction()));
    return {};
  }
  if (records.size() == 2 && ResolvePair(records[0], records[1])) return {};
  copies_.clear();
  for (const PacketRecord& r : records) {
    copies_.push_back({r, r.direction(), Unmatched(r.direction())});
  }
  std::ranges::sort(copies_, {}, [](const Copy& copy) {
    const PacketRecord& r = copy.record;
    return std::tuple(r.strict, uint16_t{r.capture}, uint32_t{r.direction_bits}, r.time, r.index());
  });
  if (MayBeMergedOnTheWay()) {
    for (Copy& copy : copies_) copy.fate = PacketFate::kAmbiguous;
  } else {
    SYNCLINE_TRY(ResolveEachKey());
    SYNCLINE_TRY(ResolveMerged());
  }
  for (const Copy& copy : copies_) {
    if (!copy.waits_for_timing) ledger_.Fate(copy.record.capture, copy.fate);
  }
  return {};
}

Result<void> CopyResolver::ResolveEachKey() {
  for (size_t begin = 0; begin < copies_.size();) {
    size_t end = begin + 1;
    while (end < copies_.size() && copies_[end].record.strict == copies_[begin].record.strict) {
      ++end;
    }
    SYNCLINE_TRY(ResolveEqual(std::span(copies_).subspan(begin, end - begin)));
    begin = end;
  }
  return {};
}

// Segments sent again one by one and merged by the receiver's card equal the one captured first
// where nothing numbers the packets.
bool CopyResolver::MayBeMergedOnTheWay() const {
  if (copies_.front().record.strict == copies_.back().record.strict) return false;
  const bool numbered = std::ranges::all_of(
      copies_, [](const Copy& c) { return c.record.is_mergeable == 0 || c.record.has_id != 0; });
  return !numbered && HasRepeats(BySide(copies_));
}

std::vector<CopyResolver::Copy> CopyResolver::BySide(std::vector<Copy> copies) {
  std::ranges::sort(copies, {}, [](const Copy& copy) {
    return std::tuple(uint16_t{copy.record.capture}, copy.direction);
  });
  return copies;
}

// The usual case at once: one copy sent, one received, all else known.
bool CopyResolver::ResolvePair(const PacketRecord& x, const PacketRecord& y) {
  const bool x_sent = x.direction() == CopyDirection::kOut;
  const PacketRecord& send = x_sent ? x : y;
  const PacketRecord& receive = x_sent ? y : x;
  const bool usual = x.strict == y.strict && send.direction() == CopyDirection::kOut &&
                     receive.direction() == CopyDirection::kIn &&
                     send.hop_limit >= receive.hop_limit && ledger_.clock(x) != ledger_.clock(y);
  if (!usual) return false;
  ledger_.Message(send, receive);
  ledger_.Fate(send.capture, PacketFate::kMatched);
  ledger_.Fate(receive.capture, PacketFate::kMatched);
  return true;
}

// Requires copies sorted by capture and direction. A copy of unknown direction repeats any other.
bool CopyResolver::HasRepeats(std::span<const Copy> run) {
  for (size_t i = 1; i < run.size(); ++i) {
    const Copy& x = run[i - 1];
    const Copy& y = run[i];
    if (x.record.capture != y.record.capture) continue;
    if (x.direction == y.direction || x.direction == CopyDirection::kUnknown) return true;
  }
  return false;
}

// Data sent again at once is no case for the clock: what was lost cannot be told from what arrived.
bool CopyResolver::Defer(std::span<Copy> run) {
  if (repeats_ == nullptr || run.front().record.is_mergeable != 0) return false;
  std::vector<PacketRecord> records;
  for (const Copy& copy : run) records.push_back(copy.record);
  if (!repeats_->Defer(records)) return false;
  for (Copy& copy : run) copy.waits_for_timing = true;
  return true;
}

Result<void> CopyResolver::ResolveEqual(std::span<Copy> run) {
  if (run.size() == 1) return {};
  if (HasRepeats(run)) {
    if (Defer(run)) return {};
    for (Copy& copy : run) copy.fate = PacketFate::kAmbiguous;
    return {};
  }
  Copies set;
  for (Copy& copy : run) set.push_back(&copy);
  return ResolveSet(std::move(set), Lengths::kEqual);
}

Result<void> CopyResolver::ResolveMerged() {
  if (copies_.front().record.strict == copies_.back().record.strict) return {};
  for (const Copy& copy : copies_) {
    if (copy.record.is_mergeable == 0) return {};
  }
  if (HasRepeats(BySide(copies_))) return {};
  Copies set;
  for (Copy& copy : copies_) {
    if (copy.is_unmatched()) set.push_back(&copy);
  }
  if (set.size() < 2) return {};
  return ResolveSet(std::move(set), Lengths::kDifferent);
}

CopyResolver::Copies CopyResolver::OnePerClockAndSide(const Copies& set) const {
  const auto better = [](const Copy& x, const Copy& y) {
    const auto key = [](const PacketRecord& r) { return std::tuple(r.hop_limit, ~r.time); };
    return x.direction == CopyDirection::kOut ? key(x.record) < key(y.record)
                                              : key(x.record) > key(y.record);
  };
  Copies kept;
  for (Copy* copy : set) {
    const auto same = std::ranges::find_if(kept, [&](const Copy* other) {
      return ledger_.clock(other->record) == ledger_.clock(copy->record) &&
             (other->direction == copy->direction || other->direction == CopyDirection::kUnknown ||
              copy->direction == CopyDirection::kUnknown);
    });
    if (same == kept.end()) {
      kept.push_back(copy);
      continue;
    }
    const bool is_known =
        (*same)->direction == CopyDirection::kUnknown && copy->direction != (*same)->direction;
    const bool replace =
        is_known || (copy->direction == (*same)->direction && better(*copy, **same));
    if (replace) std::swap(copy, *same);
    copy->fate = PacketFate::kSameClock;
  }
  return kept;
}

Result<void> CopyResolver::ResolveSet(Copies set, Lengths lengths) {
  if (set.size() > 2 || ledger_.clock(set[0]->record) == ledger_.clock(set[1]->record)) {
    set = OnePerClockAndSide(set);
    if (set.size() == 1) return {};
  }
  const bool is_group =
      std::ranges::any_of(set, [](const Copy* c) { return c->record.is_group != 0; });
  if (is_group) {
    for (Copy* copy : set) copy->record.is_group = 1;
  }
  SYNCLINE_TRY(SettleUnknown(set, lengths));
  Copies outs;
  Copies ins;
  for (Copy* copy : set) {
    if (copy->direction == CopyDirection::kOut) outs.push_back(copy);
    if (copy->direction == CopyDirection::kIn) ins.push_back(copy);
  }
  MarkSameHost(outs);
  if (is_group) {
    JoinBroadcasts(ins);
  } else {
    MarkSameHost(ins);
  }
  Pair(outs, ins, lengths);
  return {};
}

Result<void> CopyResolver::SettleUnknown(const Copies& set, Lengths lengths) {
  Copies unknown;
  Copies known;
  for (Copy* copy : set) {
    (copy->direction == CopyDirection::kUnknown ? unknown : known).push_back(copy);
  }
  if (unknown.empty()) return {};
  const bool two = set.size() == 2;
  const bool comparable =
      lengths == Lengths::kEqual || set[0]->record.payload_length != set[1]->record.payload_length;
  if (two && !comparable) return {};
  if (set[0]->record.is_group != 0 && !known.empty()) {
    SettleGroup(set);
  } else if (two && unknown.size() == 2) {
    return SettleTwo(*unknown[0], *unknown[1]);
  } else if (two) {
    SettleOpposite(*unknown[0], *known[0]);
  }
  for (Copy* copy : unknown) {
    if (copy->direction == CopyDirection::kUnknown) copy->fate = PacketFate::kDirectionUnknown;
  }
  return {};
}

// With the one sender known, all others have received.
void CopyResolver::SettleGroup(const Copies& set) {
  const auto is_out = [](const Copy* c) { return c->direction == CopyDirection::kOut; };
  const auto out = std::ranges::find_if(set, is_out);
  if (out == set.end() || std::ranges::count_if(set, is_out) != 1) return;
  for (Copy* copy : set) {
    const bool follows = copy->record.hop_limit <= (*out)->record.hop_limit;
    if (copy->direction == CopyDirection::kUnknown && follows) SettleOpposite(*copy, **out);
  }
}

// A copy whose host may not be concerned at all can have followed a sent copy, but not stand for
// the one that was sent.
void CopyResolver::SettleOpposite(Copy& unknown, const Copy& known) {
  const int hops = unknown.record.hop_limit - known.record.hop_limit;
  if (known.direction == CopyDirection::kOut && hops <= 0) {
    unknown.direction = CopyDirection::kIn;
  } else if (known.direction == CopyDirection::kIn &&
             (hops > 0 || (hops == 0 && unknown.record.concerns_host != 0))) {
    unknown.direction = CopyDirection::kOut;
  }
  unknown.fate = Unmatched(unknown.direction);
}

Result<void> CopyResolver::SettleTwo(Copy& x, Copy& y) {
  const bool decided = x.record.is_group == 0 && x.record.hop_limit != y.record.hop_limit;
  if (decided) {
    const bool x_first = x.record.hop_limit > y.record.hop_limit;
    (x_first ? x : y).direction = CopyDirection::kOut;
    (x_first ? y : x).direction = CopyDirection::kIn;
    x.fate = Unmatched(x.direction);
    y.fate = Unmatched(y.direction);
    return {};
  }
  x.waits_for_timing = y.waits_for_timing = true;
  return timing_.Add(x.record, y.record);
}

void CopyResolver::MarkSameHost(const Copies& side) {
  for (size_t i = 0; i < side.size(); ++i) {
    for (size_t j = i + 1; j < side.size(); ++j) {
      if (side[i]->record.hop_limit != side[j]->record.hop_limit) continue;
      side[i]->fate = side[j]->fate = PacketFate::kSameHost;
    }
  }
}

void CopyResolver::Pair(const Copies& outs, const Copies& ins, Lengths lengths) {
  for (Copy* in : ins) {
    if (in->fate == PacketFate::kSameHost) continue;
    Copy* sender = nullptr;
    for (Copy* out : outs) {
      const bool before = out->record.hop_limit >= in->record.hop_limit &&
                          ledger_.clock(out->record) != ledger_.clock(in->record);
      const bool nearer = sender == nullptr || out->record.hop_limit < sender->record.hop_limit;
      if (before && nearer) sender = out;
    }
    if (sender == nullptr || sender->fate == PacketFate::kSameHost) continue;
    const bool comparable =
        lengths == Lengths::kEqual || sender->record.payload_length != in->record.payload_length;
    if (!comparable) continue;
    ledger_.Message(sender->record, in->record);
    sender->fate = in->fate = PacketFate::kMatched;
  }
}

// Copies of one hop limit were received from one transmission.
void CopyResolver::JoinBroadcasts(const Copies& ins) {
  Copies sorted = ins;
  std::ranges::stable_sort(sorted, std::ranges::greater{},
                           [](const Copy* copy) { return copy->record.hop_limit; });
  for (auto begin = sorted.begin(); begin != sorted.end();) {
    const auto end = std::find_if(begin, sorted.end(), [&](const Copy* c) {
      return c->record.hop_limit != (*begin)->record.hop_limit;
    });
    if (end - begin >= 2) {
      std::vector<PacketRecord> receives;
      for (auto copy = begin; copy != end; ++copy) {
        receives.push_back((*copy)->record);
        (*copy)->fate = PacketFate::kBroadcastOnly;
      }
      ledger_.Broadcast(receives);
    }
    begin = end;
  }
}

}  // namespace syncline
