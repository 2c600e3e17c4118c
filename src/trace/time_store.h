// Recorded times of a stream, for passes after the one that reads them: 8 bytes each, in memory or
// in temporary disk space (base/block_store.h).
#pragma once

#include "syncline/time.h"

#include "base/block_store.h"

namespace syncline {

using TimeStore = BlockStore<LocalTime>;

}  // namespace syncline
