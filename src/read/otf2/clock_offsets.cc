#include "read/otf2/clock_offsets.h"

#include <cmath>
#include <utility>

#include "base/int128.h"

namespace syncline {
namespace {

constexpr double kLimit = 9.2e18;  // just inside int64

LocalTime Add(uint64_t time, Int128 offset) {
  return {Saturate(static_cast<Int128>(time) + offset)};
}

}  // namespace

Result<Otf2ClockOffsets> Otf2ClockOffsets::FromRecords(std::vector<Record> records) {
  const auto repeated = std::ranges::adjacent_find(
      records, [](const Record& a, const Record& b) { return a.time >= b.time; });
  if (repeated != records.end())
    return Fail(ErrorCode::kMalformed, "the times of its ClockOffset records do not increase");
  Otf2ClockOffsets offsets;
  offsets.records_ = std::move(records);
  return offsets;
}

LocalTime Otf2ClockOffsets::OnSegment(uint64_t recorded) const {
  // The segment's end: the first record at or after the time, but neither the first nor beyond the
  // last.
  const auto end = std::lower_bound(records_.begin() + 1, records_.end() - 1, recorded,
                                    [](const Record& r, uint64_t time) { return r.time < time; });
  const Record& b = *end;
  const Record& a = *(end - 1);
  const double slope = static_cast<double>(static_cast<Int128>(b.offset) - a.offset) /
                       static_cast<double>(b.time - a.time);
  const double since = recorded >= a.time ? static_cast<double>(recorded - a.time)
                                          : -static_cast<double>(a.time - recorded);
  const double change = std::clamp(std::rint(slope * since), -kLimit, kLimit);
  return Add(recorded, static_cast<Int128>(a.offset) + static_cast<int64_t>(change));
}

std::optional<Correction> Otf2ClockOffsets::ToCorrection(const Clock& clock) const {
  if (!corrects()) return std::nullopt;
  std::vector<Correction::Knot> knots;
  knots.reserve(records_.size());
  for (const Record& record : records_) {
    const LocalTime corrected = Add(record.time, record.offset);
    knots.push_back({Add(record.time, 0), GlobalTime{clock.NominalNs(corrected)}});
  }
  auto correction = Correction::FromKnots(std::move(knots));
  if (!correction) return std::nullopt;
  return *std::move(correction);
}

}  // namespace syncline
