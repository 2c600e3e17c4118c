// Where an event comes among those of its process that have the same reading.
#pragma once

#include <cstdint>

namespace syncline {

enum class ReadingRank : uint8_t { kFirst, kAsItComes, kLast };

}  // namespace syncline
