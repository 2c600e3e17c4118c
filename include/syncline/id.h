// Distinct index types for clocks, processes and messages: dense numbers from 0 in order of
// definition, valid within one trace set.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace syncline {

template <typename Tag, typename Rep>
struct Id {
  Rep value = 0;
  constexpr Id() = default;
  constexpr explicit Id(Rep v) : value(v) {}
  // For indexing a vector that holds one element per id.
  constexpr size_t index() const { return static_cast<size_t>(value); }
  friend constexpr auto operator<=>(Id, Id) = default;
  template <typename H>
  friend H AbslHashValue(H h, Id id) {
    return H::combine(std::move(h), id.value);
  }
};

using ClockId = Id<struct ClockTag, uint32_t>;
using ProcessId = Id<struct ProcessTag, uint32_t>;
using MessageId = Id<struct MessageTag, uint64_t>;

}  // namespace syncline
