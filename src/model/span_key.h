// What relates the spans of distributed traces, whichever format they come from.
#pragma once

#include <cstdint>
#include <utility>

namespace syncline {

// What relates spans. Ids that are no hexadecimal numbers stand for hashes of them.
struct SpanKey {
  uint64_t trace_high = 0;
  uint64_t trace_low = 0;
  uint64_t span = 0;
  bool IsValid() const { return (trace_high != 0 || trace_low != 0) && span != 0; }
  friend bool operator==(const SpanKey&, const SpanKey&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const SpanKey& key) {
    return H::combine(std::move(h), key.trace_high, key.trace_low, key.span);
  }
};

enum class SpanKind : uint8_t { kUnknown, kInternal, kServer, kClient, kProducer, kConsumer };

}  // namespace syncline
