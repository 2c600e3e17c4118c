#include "estimate/groups/offset_closure.h"

#include <algorithm>

namespace syncline {
namespace {

constexpr int64_t kOpen = OffsetClosure::kOpen;

// Both at most kOpen; far below −kOpen there is no solution anyway.
int64_t Joined(int64_t a, int64_t b) {
  if (a >= kOpen || b >= kOpen) return kOpen;
  return std::clamp(a + b, -kOpen, kOpen);
}

}  // namespace

OffsetClosure::OffsetClosure(size_t clocks) : clocks_(clocks), limits_(clocks * clocks, kOpen) {
  for (size_t i = 0; i < clocks; ++i) At(i, i) = 0;
}

void OffsetClosure::Limit(size_t from, size_t to, int64_t limit) {
  At(from, to) = std::min(At(from, to), std::max(limit, -kOpen));
}

bool OffsetClosure::Close() {
  for (size_t via = 0; via < clocks_; ++via) {
    for (size_t from = 0; from < clocks_; ++from) {
      const int64_t there = At(from, via);
      if (there >= kOpen) continue;
      for (size_t to = 0; to < clocks_; ++to) {
        At(from, to) = std::min(At(from, to), Joined(there, At(via, to)));
      }
      if (At(from, from) < 0) return false;
    }
  }
  return true;
}

int64_t OffsetClosure::LeastHarmless(size_t from, size_t to) const {
  int64_t least = -kOpen;
  for (size_t i = 0; i < clocks_; ++i) {
    if (At(i, from) >= kOpen) continue;
    for (size_t k = 0; k < clocks_; ++k) {
      if (At(i, k) >= kOpen || At(to, k) >= kOpen) continue;
      least = std::max(least, At(i, k) - At(i, from) - At(to, k));
    }
  }
  return least;
}

void OffsetClosure::Supply(size_t from, size_t to, int64_t limit) {
  if (At(from, to) < kOpen) return;
  const int64_t edge = std::max(limit, LeastHarmless(from, to));
  for (size_t i = 0; i < clocks_; ++i) {
    const int64_t start = Joined(At(i, from), edge);
    if (start >= kOpen) continue;
    for (size_t k = 0; k < clocks_; ++k) At(i, k) = std::min(At(i, k), Joined(start, At(to, k)));
  }
}

std::optional<int64_t> OffsetClosure::Upper(size_t from, size_t to) const {
  const int64_t limit = At(from, to);
  return limit >= kOpen ? std::nullopt : std::optional(limit);
}

std::optional<int64_t> OffsetClosure::Lower(size_t from, size_t to) const {
  const int64_t limit = At(to, from);
  return limit >= kOpen ? std::nullopt : std::optional(-limit);
}

int64_t OffsetClosure::Middle(size_t from, size_t to) const {
  // Of differences below 2^60; the shift rounds down.
  return (At(from, to) - At(to, from)) >> 1;
}

double OffsetClosure::HalfWidth(size_t from, size_t to) const {
  return static_cast<double>(At(from, to) + At(to, from)) / 2;
}

}  // namespace syncline
