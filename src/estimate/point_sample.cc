#include "estimate/point_sample.h"

namespace syncline {

void PointSample::Keep(Point p) {
  points_.push_back(p);
  while (points_.size() > kCapacity) {
    limit_ /= 2;
    std::erase_if(points_, [this](Point q) { return Hash(q) >= limit_; });
  }
}

}  // namespace syncline
