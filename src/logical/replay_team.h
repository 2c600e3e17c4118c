// A trace of which several replays each have a share: some of its processes, with the messages that
// begin or end there.
//
// Shares do the same steps at the same time, as processes of an MPI run or as threads, and wait for
// each other in Exchange() alone. Implemented by distributed/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "base/check.h"

namespace syncline {

class ReplayTeam {
 public:
  using Bytes = std::vector<std::byte>;

  virtual ~ReplayTeam() = default;
  virtual size_t shares() const = 0;
  virtual size_t own() const = 0;
  // All shares at once: each gets what the others have for it, by share. `flags` of all become
  // those that any of them has set.
  virtual std::vector<Bytes> Exchange(const std::vector<Bytes>& to_each, uint32_t& flags) = 0;

  template <typename T>
  std::vector<std::vector<T>> ExchangeAll(const std::vector<std::vector<T>>& to_each,
                                          uint32_t& flags) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<Bytes> bytes(to_each.size());
    for (size_t i = 0; i < to_each.size(); ++i) {
      const std::span<const std::byte> of_share = std::as_bytes(std::span(to_each[i]));
      bytes[i].assign(of_share.begin(), of_share.end());
    }
    std::vector<std::vector<T>> received;
    for (const Bytes& from : Exchange(bytes, flags)) {
      SYNCLINE_CHECK(from.size() % sizeof(T) == 0);
      std::vector<T>& values = received.emplace_back(from.size() / sizeof(T));
      if (!from.empty()) std::memcpy(static_cast<void*>(values.data()), from.data(), from.size());
    }
    return received;
  }
  template <typename T>
  std::vector<std::vector<T>> ExchangeAll(const std::vector<std::vector<T>>& to_each) {
    uint32_t no_flags = 0;
    return ExchangeAll(to_each, no_flags);
  }
  // Whether any share says so.
  bool Any(bool here) {
    uint32_t flags = here ? 1 : 0;
    Exchange(std::vector<Bytes>(shares()), flags);
    return flags != 0;
  }
};

}  // namespace syncline
