#include "match/repeats_by_time.h"

#include <algorithm>
#include <tuple>

#include "base/int128.h"
#include "base/try.h"
#include "match/copy_resolver.h"

namespace syncline {

bool RepeatsByTime::Defer(std::span<const PacketRecord> copies) {
  if (copies_.size() + copies.size() > kMaxCopies) return false;
  copies_.insert(copies_.end(), copies.begin(), copies.end());
  return true;
}

Result<void> RepeatsByTime::Finish(MatchLedger& ledger, DirectionByTiming& timing) {
  const auto key = [](const PacketRecord& r) {
    return std::tuple(r.loose, r.strict, uint16_t{r.capture}, r.index());
  };
  std::ranges::sort(copies_,
                    [&](const PacketRecord& x, const PacketRecord& y) { return key(x) < key(y); });
  for (size_t begin = 0, end = 0; begin < copies_.size(); begin = end) {
    while (end < copies_.size() && copies_[end].loose == copies_[begin].loose &&
           copies_[end].strict == copies_[begin].strict) {
      ++end;
    }
    SYNCLINE_TRY(ResolveGroup(std::span(copies_).subspan(begin, end - begin), ledger, timing));
  }
  copies_.clear();
  return {};
}

// Empty when some copy cannot be placed.
std::vector<RepeatsByTime::Timed> RepeatsByTime::OnOneClock(std::span<const PacketRecord> copies,
                                                            MatchLedger& ledger) {
  std::vector<Timed> timed;
  const ClockId base = ledger.clock(copies.front());
  for (const PacketRecord& record : copies) {
    const auto time = ledger.tracks().Convert(ledger.clock(record), record.time, base);
    if (!time) return {};
    timed.push_back({*time, record});
  }
  std::ranges::sort(timed, {}, [](const Timed& t) {
    return std::tuple(t.time, uint16_t{t.record.capture}, t.record.index());
  });
  return timed;
}

Result<void> RepeatsByTime::ResolveGroup(std::span<const PacketRecord> copies, MatchLedger& ledger,
                                         DirectionByTiming& timing) {
  const std::vector<Timed> timed = OnOneClock(copies, ledger);
  if (timed.empty()) {
    for (const PacketRecord& copy : copies) ledger.Fate(copy.capture, PacketFate::kAmbiguous);
    return {};
  }
  CopyResolver resolver(ledger, timing);
  std::vector<PacketRecord> transmission;
  for (size_t i = 0; i < timed.size(); ++i) {
    transmission.push_back(timed[i].record);
    const bool is_last =
        i + 1 == timed.size() || static_cast<Int128>(timed[i + 1].time) - timed[i].time > kWindowNs;
    if (!is_last) continue;
    SYNCLINE_TRY(resolver.Resolve(transmission));
    transmission.clear();
  }
  return {};
}

}  // namespace syncline
