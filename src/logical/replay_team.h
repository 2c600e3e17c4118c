// A trace of which several replays each have a share: some of its processes, with the messages that
// begin or end there.
//
// Shares do the same steps, as processes of an MPI run or as threads, and wait for each other in
// Exchange() and Receive() alone. Implemented by distributed/.
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

  // Between two exchanges each may also post something, and receives what others have posted, each
  // at its own time. What one posts to another arrives in that order.
  struct Arrival {
    size_t from = 0;
    Bytes bytes;
  };
  virtual void Post(size_t to, Bytes bytes) = 0;
  // What has arrived; waits where nothing has. Nothing once all shares wait and nothing is on the
  // way. `is_done`: this share will post nothing unless something arrives.
  virtual std::vector<Arrival> Receive(bool is_done) = 0;

  template <typename T>
  std::vector<std::vector<T>> ExchangeAll(const std::vector<std::vector<T>>& to_each,
                                          uint32_t& flags) {
    std::vector<Bytes> bytes(to_each.size());
    for (size_t i = 0; i < to_each.size(); ++i) bytes[i] = BytesOf(std::span(to_each[i]));
    std::vector<std::vector<T>> received;
    for (const Bytes& from : Exchange(bytes, flags)) received.push_back(ValuesOf<T>(from));
    return received;
  }
  template <typename T>
  static std::vector<T> ValuesOf(const Bytes& bytes) {
    SYNCLINE_CHECK(bytes.size() % sizeof(T) == 0);
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!bytes.empty()) {
      std::memcpy(static_cast<void*>(values.data()), bytes.data(), bytes.size());
    }
    return values;
  }
  template <typename T>
  static Bytes BytesOf(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::span<const std::byte> bytes = std::as_bytes(values);
    return {bytes.begin(), bytes.end()};
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
