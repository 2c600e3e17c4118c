#include "estimate/point_sample.h"

#include <algorithm>

namespace syncline {

void PointSample::MakeRoom() {
  constexpr size_t kFirst = 16;
  if (count_ < kCapacity) {
    buffer_.resize(std::clamp(2 * buffer_.size(), kFirst, kCapacity));
    return;
  }
  while (count_ == kCapacity) {
    limit_ /= 2;
    const auto end = buffer_.begin() + static_cast<ptrdiff_t>(count_);
    const auto kept =
        std::remove_if(buffer_.begin(), end, [this](Point q) { return Hash(q) >= limit_; });
    count_ = static_cast<size_t>(kept - buffer_.begin());
  }
}

}  // namespace syncline
