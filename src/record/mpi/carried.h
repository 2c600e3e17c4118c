// The data of a message with a stamp before it, as the arguments of a call.
//
// The stamp comes first, in a derived datatype of its own, so a message may be shorter than what
// it is received into, and nothing is copied. What a status says of its size is put right
// afterwards. Both sides of a message must agree: all calls that send or receive on a communicator
// whose members are all in MPI_COMM_WORLD carry stamps, calls within calls and others do not.
// Method: Schulz, Bronevetsky, de Supinski, On the Performance of Transparent MPI Piggyback
// Messages (EuroPVM/MPI 2008), "datatype". Tested by: recording_test.cc.
#pragma once

#include <cstdint>

#include <mpi.h>

#include "record/mpi/regions.h"

namespace syncline::mpi {

class Carried {
 public:
  // The program's own arguments.
  Carried(const void* buffer, int count, MPI_Datatype type)
      : buffer_(const_cast<void*>(buffer)), count_(count), type_(type) {}
  // With the slot's stamp; the slot is given back at the end, unless it is kept.
  Carried(Regions& regions, uint32_t slot, const void* buffer, int count, MPI_Datatype type);
  // With room for a stamp.
  Carried(Regions& regions, const void* buffer, int count, MPI_Datatype type)
      : Carried(regions, regions.TakeSlot(), buffer, count, type) {}
  Carried(const Carried&) = delete;
  Carried& operator=(const Carried&) = delete;
  ~Carried();

  void* buffer() const { return buffer_; }
  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }
  uint32_t slot() const { return slot_; }
  // Until the operation is complete.
  uint32_t Keep() {
    keeps_ = true;
    return slot_;
  }

 private:
  Regions* regions_ = nullptr;
  void* buffer_;
  int count_;
  MPI_Datatype type_;
  uint32_t slot_ = Regions::kNoSlot;
  bool keeps_ = false;
};

// Takes the stamp off the size that a status tells.
void TakeOffStamp(const Regions& regions, MPI_Status& status);

}  // namespace syncline::mpi
