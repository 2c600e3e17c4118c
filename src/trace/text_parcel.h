// How batches of text events travel between processes of an MPI run: of each event the steps from
// the one before of its process, some 12 bytes, 20 where messages are called by words.
//
// Batches are unpacked in the order in which they were packed. Cost: 20 ns per event, either way.
// Tested by: text_parcel_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "syncline/id.h"
#include "syncline/time.h"

#include "base/parcel.h"
#include "base/varint.h"
#include "trace/found_parcel.h"
#include "trace/text_stream.h"

namespace syncline {

class BatchSteps {
 protected:
  struct Last {
    uint64_t index = 0;
    LocalTime time;
  };
  Last& LastOf(ProcessId process) {
    if (process.index() >= last_.size()) last_.resize(process.index() + 1);
    return last_[process.index()];
  }

 private:
  std::vector<Last> last_;  // by process
};

class BatchPacker : BatchSteps {
 public:
  void Put(const TextBatch& batch, Parcel& parcel);

 private:
  void PutEvent(const TextBatch::NumberedEvent& numbered);

  std::vector<std::byte> steps_;
};

class BatchUnpacker : BatchSteps {
 public:
  TextBatch Take(ParcelReader& parcel);

 private:
  TextBatch::NumberedEvent TakeEvent(VarintReader& steps);
};

}  // namespace syncline
