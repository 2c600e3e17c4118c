// Names to dense numbers.
//
// Cost: a hash look-up of about 20 ns; the hash is seeded, so chosen names cannot make it slow.
// Tested by: text_reader_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <absl/container/flat_hash_map.h>
#include <absl/hash/hash.h>
#include <absl/strings/string_view.h>

namespace syncline {

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

}  // namespace syncline
