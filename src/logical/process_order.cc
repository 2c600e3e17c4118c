#include "logical/process_order.h"

#include "syncline/time.h"

namespace syncline {

void ProcessOrder::Resize(size_t count) {
  if (count <= leaves_) return;
  const auto times = Times();
  while (leaves_ < count) leaves_ *= kBranches;
  process_bits_ = std::countr_zero(leaves_);
  base_ = 0;
  most_distance_ = 0;
  Rebuild(times);
}

void ProcessOrder::SetRare(size_t process, int64_t time, bool takes_part) {
  if (!takes_part) return Clear(process);
  if (!is_wide_ && time == INT64_MIN) return Replay(narrow_, process, NarrowKey(process, 0));
  if (!is_wide_) PrepareFor(time);
  if (!is_wide_) return Set(process, time);
  SetWide(process, WideKey(process, time));
}

void ProcessOrder::PrepareFor(int64_t time) {
  if (most_distance_ == 0) {
    const uint64_t quarter = (uint64_t{1} << 61) >> process_bits_;
    base_ = SaturatedDifference(time, static_cast<int64_t>(quarter));
    // Not beyond INT64_MAX, so that earlier times, which lie there modulo 2^64, do not fit.
    most_distance_ = std::min(2 * quarter, Distance(INT64_MAX));
    return;
  }
  const auto times = Times();
  is_wide_ = true;
  most_distance_ = 0;
  Rebuild(times);
}

void ProcessOrder::SetWide(size_t process, UInt128 key) { Replay(wide_, process, key); }

std::vector<std::optional<int64_t>> ProcessOrder::Times() const {
  std::vector<std::optional<int64_t>> times(leaves_);
  for (size_t i = 0; i < leaves_; ++i) {
    const size_t node = leaves_ + i;
    if (is_wide_ && wide_[node] != kNever<UInt128>) {
      times[i] =
          static_cast<int64_t>(static_cast<uint64_t>(wide_[node] >> 64) ^ (uint64_t{1} << 63));
    } else if (!is_wide_ && narrow_[node] != kNever<uint64_t>) {
      const uint64_t distance = narrow_[node] >> process_bits_;
      times[i] =
          distance == 0 ? INT64_MIN : static_cast<int64_t>(static_cast<uint64_t>(base_) + distance);
    }
  }
  return times;
}

void ProcessOrder::Rebuild(const std::vector<std::optional<int64_t>>& times) {
  narrow_.assign(is_wide_ ? 0 : 2 * leaves_, kNever<uint64_t>);
  wide_.assign(is_wide_ ? 2 * leaves_ : 0, kNever<UInt128>);
  for (size_t i = 0; i < times.size(); ++i) {
    if (times[i]) Set(i, *times[i]);
  }
}

}  // namespace syncline
