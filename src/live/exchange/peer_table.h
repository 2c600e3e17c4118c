// What a server remembers of its peers, in bounded memory: a value per key, of which the one that
// was used longest ago gives way.
//
// Requires: `Key` can be hashed by absl::Hash, whose seed differs between processes, so that nobody
// can choose keys that meet. Ownership: a reference from At() holds until the next At().
// Cost: O(1), 8 places are looked at; memory of all places from the start.
// Tested by: peer_table_test.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <absl/hash/hash.h>

namespace syncline {

template <typename Key, typename Value>
class PeerTable {
 public:
  static constexpr size_t kPlacesPerSet = 8;

  explicit PeerTable(size_t sets) : places_(std::max<size_t>(sets, 1) * kPlacesPerSet) {}

  // The value of the key: a new one where it has none, or has given way.
  Value& At(const Key& key) {
    const std::span set = SetOf(key);
    ++uses_;
    auto place =
        std::ranges::find_if(set, [&](const Place& p) { return p.used_at != 0 && p.key == key; });
    if (place == set.end()) {
      place = std::ranges::min_element(set, {}, &Place::used_at);
      if (place->used_at != 0) ++displaced_;
      *place = {key, Value{}, 0};
    }
    place->used_at = uses_;
    return place->value;
  }
  // Those that gave way to others.
  uint64_t displaced() const { return displaced_; }

 private:
  struct Place {
    Key key = {};
    Value value = {};
    uint64_t used_at = 0;  // 0: free
  };

  std::span<Place> SetOf(const Key& key) {
    const size_t set = absl::Hash<Key>()(key) % (places_.size() / kPlacesPerSet);
    return std::span(places_).subspan(set * kPlacesPerSet, kPlacesPerSet);
  }

  std::vector<Place> places_;
  uint64_t uses_ = 0;
  uint64_t displaced_ = 0;
};

}  // namespace syncline
