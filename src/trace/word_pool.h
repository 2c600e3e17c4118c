// Texts of which there are few, kept once each: who names one holds 16 bytes.
//
// Views stay valid as long as the pool, wherever that moves.
#pragma once

#include <string>
#include <string_view>

#include <absl/container/node_hash_set.h>

namespace syncline {

class WordPool {
 public:
  std::string_view Keep(std::string_view word) { return *words_.emplace(word).first; }

 private:
  absl::node_hash_set<std::string> words_;
};

}  // namespace syncline
