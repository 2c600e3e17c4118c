#include "estimate/pair_points.h"

#include <limits>

#include "base/check.h"

namespace syncline {
namespace {

constexpr int64_t kReach = (int64_t{1} << 61) - 1;
// Room at the ends of int64 for minimum delays, and for negation in upper hulls. A saturated time
// never becomes the origin.
constexpr int64_t kEnd = std::numeric_limits<int64_t>::max() - (int64_t{1} << 51);

bool IsFarFromEnds(Point p) { return p.x >= -kEnd && p.x <= kEnd && p.y >= -kEnd && p.y <= kEnd; }

int64_t Low(int64_t v) { return v < kReach - kEnd ? -kEnd : v - kReach; }
int64_t High(int64_t v) { return v > kEnd - kReach ? kEnd : v + kReach; }

}  // namespace

bool PairPoints::IsInRange(Point p) {
  if (!has_origin_ && IsFarFromEnds(p)) {
    has_origin_ = true;
    origin_ = p;
    low_ = {Low(p.x), Low(p.y)};
    high_ = {High(p.x), High(p.y)};
  }
  if (p.x >= low_.x && p.x <= high_.x && p.y >= low_.y && p.y <= high_.y) return true;
  ++out_of_range_;
  return false;
}

void PairPoints::AddAToB(int64_t send_a_ns, int64_t receive_b_ns) {
  if (!IsInRange({send_a_ns, receive_b_ns})) return;
  upper_.Add(send_a_ns, receive_b_ns);
  ++sum_ab_.count;
  sum_ab_.x += send_a_ns - origin_.x;
  sample_ab_.Add({send_a_ns, receive_b_ns});
}

void PairPoints::AddBToA(int64_t send_b_ns, int64_t receive_a_ns) {
  if (!IsInRange({receive_a_ns, send_b_ns})) return;
  lower_.Add(receive_a_ns, send_b_ns);
  ++sum_ba_.count;
  sum_ba_.x += receive_a_ns - origin_.x;
  sample_ba_.Add({receive_a_ns, send_b_ns});
}

int64_t PairPoints::Centroid(const Sum& sum) const {
  SYNCLINE_CHECK(sum.count > 0);
  return origin_.x + static_cast<int64_t>(FloorDiv(sum.x, static_cast<Int128>(sum.count)));
}

}  // namespace syncline
