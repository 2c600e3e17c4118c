// Names of a text trace, and ids of its processes, to dense numbers.
//
// Cost: an array look-up for ids of up to four digits; else a comparison when the id is the same
// as in the call before with the same Role, else a hash look-up. Tested by: text_reader_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <absl/container/flat_hash_map.h>
#include <absl/hash/hash.h>
#include <absl/strings/string_view.h>

namespace syncline {

// Names to dense numbers. Cost: a hash look-up of about 20 ns; the hash is seeded, so chosen names
// cannot make it slow.
class StringIndex {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // kNone when `name` was never inserted.
  uint32_t Find(std::string_view name) const {
    const auto it = numbers_.find(name);
    return it == numbers_.end() ? kNone : it->second;
  }
  void Insert(std::string_view name, uint32_t number) { numbers_.emplace(name, number); }

 private:
  // absl's own string hash takes std::string_view only where absl was built for C++17.
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const {
      return absl::Hash<absl::string_view>{}(absl::string_view(name.data(), name.size()));
    }
  };
  absl::flat_hash_map<std::string, uint32_t, Hash, std::equal_to<>> numbers_;
};

class ProcessTable {
 public:
  static constexpr uint32_t kNone = StringIndex::kNone;
  // Whose id is looked up: the event's process or its peer; each has its own last look-up.
  enum class Role : uint8_t { kProcess, kPeer };

  ProcessTable() { by_number_.fill(kNone); }

  void Insert(std::string_view id, uint32_t process) {
    const size_t number = SmallNumber(id);
    if (number < by_number_.size()) {
      by_number_[number] = process;
    } else {
      by_id_.Insert(id, process);
    }
  }
  // kNone when `id` was never inserted.
  uint32_t Find(std::string_view id, Role role) {
    const size_t number = SmallNumber(id);
    if (number < by_number_.size()) return by_number_[number];
    Last& last = last_[static_cast<size_t>(role)];
    if (last.process != kNone && last.id == id) return last.process;
    const uint32_t process = by_id_.Find(id);
    if (process != kNone) {
      last.id = id;
      last.process = process;
    }
    return process;
  }

 private:
  struct Last {
    std::string id;
    uint32_t process = kNone;
  };

  // The value of a decimal number of up to four digits without leading zeros, else SIZE_MAX.
  static size_t SmallNumber(std::string_view id) {
    if (id.empty() || id.size() > 4 || (id[0] == '0' && id.size() > 1)) return SIZE_MAX;
    size_t value = 0;
    for (const char c : id) {
      const auto digit = static_cast<unsigned char>(c - '0');
      if (digit > 9) return SIZE_MAX;
      value = value * 10 + digit;
    }
    return value;
  }

  std::array<uint32_t, 10'000> by_number_{};
  StringIndex by_id_;
  std::array<Last, 2> last_;
};

}  // namespace syncline
