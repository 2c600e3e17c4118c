// One recorded call of MPI: enters its region when made, leaves it when destroyed.
//
//   Frame frame(Call::kSend);
//   frame.Send(count, type, peer, tag, communicator);   // stamped with the entry
//   return frame.Return(PMPI_Send(…));                                 // stamps the return
//
// Sends and postings carry the time of entry, deliveries and completions the time of return: so a
// message seems to travel longer than it did, never shorter, and bounds hold.
// Cost: two readings of the clock and 10 ns per event. Inside another frame of the thread, and
// while the recorder is off, nothing is done.
#pragma once

#include <cstdint>

#include <mpi.h>

#include "record/mpi/call_list.h"
#include "record/mpi/raw_event.h"
#include "record/mpi/recorder.h"
#include "record/mpi/regions.h"

namespace syncline::mpi {

// The data of a message with a stamp before it, as the arguments of a call. The stamp comes first,
// in a derived datatype of its own, so a message may be shorter than what it is received into, and
// nothing is copied. What a status says of its size is put right afterwards. Both sides of a
// message must agree: all calls that send or receive on a communicator whose members are all in
// MPI_COMM_WORLD carry stamps, calls within calls and others do not. Method: Schulz, Bronevetsky,
// de Supinski, On the Performance of Transparent MPI Piggyback Messages (EuroPVM/MPI 2008),
// "datatype". Tested by: recording_test.cc.
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

inline uint64_t BytesOf(int64_t count, MPI_Datatype type) {
  MPI_Count size = 0;
  if (count <= 0 || PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0) return 0;
  return static_cast<uint64_t>(count) * static_cast<uint64_t>(size);
}

// Whether a receive that returned `error` took a message: also one that was too long.
bool HasReceived(int error);

class Frame {
 public:
  explicit Frame(Call call) : call_(call) {
    Recorder& recorder = TheRecorder();
    if (!recorder.is_on()) return;
    thread_ = recorder.Thread();
    if (thread_ == nullptr || thread_->is_inside) {
      thread_ = nullptr;
      return;
    }
    thread_->is_inside = true;
    first_ = thread_->log.size();
    time_ = recorder.Now();
    Append({.kind = RawKind::kEnter});
    if (recorder.regions().is_on()) recorder.regions().Enter(call, time_);
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  ~Frame() {
    if (thread_ == nullptr) return;
    if (!has_returned_) time_ = TheRecorder().Now();
    if (!is_forgotten_) {
      Append({.kind = RawKind::kLeave});
      if (TheRecorder().regions().is_on()) TheRecorder().regions().Leave(call_, time_);
    }
    thread_->is_inside = false;
  }

  bool records() const { return thread_ != nullptr; }
  // Events appended later happen now. Returns its argument.
  int Return(int error) {
    if (thread_ != nullptr) time_ = TheRecorder().Now();
    has_returned_ = true;
    return error;
  }
  // The call found nothing and leaves no trace.
  void Forget() {
    if (thread_ == nullptr) return;
    thread_->log.Rewind(first_);
    is_forgotten_ = thread_->log.size() == first_;
    if (is_forgotten_ && first_ == 0) TheRecorder().regions().Restart();
  }

  // Before the call. PostSend and PostReceive return the operation's number, 0 where it is not
  // recorded.
  void Send(int count, MPI_Datatype type, int peer, int tag, MPI_Comm communicator);
  uint32_t PostSend(int count, MPI_Datatype type, int peer, int tag, MPI_Comm communicator);
  uint32_t PostReceive(int peer, MPI_Comm communicator);
  void Start(MPI_Request request);
  // The data with room for a stamp, where region clocks are kept; a send's is stamped.
  Carried Carry(const void* buffer, int count, MPI_Datatype type, int peer, MPI_Comm communicator);
  Carried CarrySend(const void* buffer, int count, MPI_Datatype type, int peer,
                    MPI_Comm communicator);
  Carried CarryMatched(const void* buffer, int count, MPI_Datatype type, const Pending& matched);
  void Watch(const MPI_Request* requests, int count);

  // After the call. Stamps are taken off what statuses say.
  void Received(MPI_Comm communicator, MPI_Status& status, const Carried& carried);
  void Pend(MPI_Request request, PendingKind kind, uint32_t number, MPI_Comm communicator,
            Carried& carried);
  // Nobody will see it complete: a send is taken for complete now.
  void Free(MPI_Request request);
  // The i-th of those watched is complete.
  void Completed(int i, MPI_Status& status);
  // A probe found a message.
  void Found(MPI_Comm communicator, MPI_Status* status);
  // A message that a probe took out of the queue, and what received it.
  void Matched(MPI_Message message, MPI_Comm communicator);
  Pending TakeMatched(MPI_Message message);
  void ReceivedMatched(const Pending& matched, MPI_Status& status, const Carried& carried);
  void PendMatched(MPI_Request request, const Pending& matched, Carried& carried);

  ThreadState* thread() { return thread_; }

 protected:
  void Append(RawEvent event) {
    event.time = time_;
    event.call = call_;
    thread_->log.Append(event);
  }
  CommunicatorInfo Known(MPI_Comm communicator) {
    const CommunicatorInfo info = TheRecorder().CommunicatorOf(*thread_, communicator);
    if (!info.is_known()) ++thread_->unknown_communicator;
    return info;
  }
  void Pend(MPI_Request request, const Pending& pending);
  // Nothing is known of it. What the table has was another thread's, whose call is not back yet.
  void Unpend(MPI_Request request);
  // Whether messages on it carry stamps.
  bool Carries(MPI_Comm communicator) const {
    return thread_ != nullptr && TheRecorder().regions().is_on() &&
           TheRecorder().CommunicatorOf(*thread_, communicator).is_of_world;
  }
  uint64_t time() const { return time_; }

  Call call_;
  ThreadState* thread_ = nullptr;

 private:
  void Complete(const Pending& pending, MPI_Status& status);
  void Record(const Pending& pending, MPI_Status& status);
  void Deliver(const Pending& pending, MPI_Status& status);
  uint64_t first_ = 0;  // size of the log before
  uint64_t time_ = 0;
  bool has_returned_ = false;
  bool is_forgotten_ = false;
};

// A status to look at, also where the program ignores it.
class StatusFor {
 public:
  explicit StatusFor(MPI_Status* wanted) : used_(wanted == MPI_STATUS_IGNORE ? &own_ : wanted) {}
  MPI_Status* get() { return used_; }
  MPI_Status& operator*() const { return *used_; }

 private:
  MPI_Status own_ = {};
  MPI_Status* used_;
};

// What blocking and posted collectives have in common.
class AnyCollectiveFrame : public Frame {
 public:
  // What the sizes are computed from; only where they are asked for.
  bool wants_bytes() const { return is_recorded_; }
  const CommunicatorInfo& info() const { return info_; }

 protected:
  AnyCollectiveFrame(Call call, MPI_Comm communicator, int root, RawKind beginning)
      : Frame(call), communicator_(communicator), root_(root) {
    if (!records()) return;
    info_ = Known(communicator);
    is_recorded_ = info_.is_known() && !info_.is_inter;
    if (!is_recorded_) return;
    if (beginning == RawKind::kCollectivePosted) number_ = TheRecorder().NewRequest();
    Append({.request = number_, .kind = beginning});
    if (info_.size > 1 && Carries(communicator)) Give();
  }
  void Give();
  SharedCall SharedWith(CollectiveBytes bytes) const {
    return {call_, communicator_, info_, root_, bytes};
  }

  MPI_Comm communicator_;
  int root_;
  CommunicatorInfo info_;
  bool is_recorded_ = false;
  uint32_t number_ = 0;                // of those that are posted
  uint32_t given_ = Regions::kNoSlot;  // where region clocks are kept
};

// A blocking collective: begins with the frame, ends with Return.
class CollectiveFrame : public AnyCollectiveFrame {
 public:
  CollectiveFrame(Call call, MPI_Comm communicator, int root = kNoRoot)
      : AnyCollectiveFrame(call, communicator, root, RawKind::kCollectiveBegin) {}
  int Return(int error, CollectiveBytes bytes);
};

// A non-blocking collective: Return keeps the request.
class PostedCollectiveFrame : public AnyCollectiveFrame {
 public:
  PostedCollectiveFrame(Call call, MPI_Comm communicator, int root = kNoRoot)
      : AnyCollectiveFrame(call, communicator, root, RawKind::kCollectivePosted) {}
  int Return(int error, const MPI_Request* request, CollectiveBytes bytes);
};

// Of a request that is asked for without being completed.
void TakeOffStampOf(MPI_Request request, MPI_Status& status);

}  // namespace syncline::mpi
