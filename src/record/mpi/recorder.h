// The one recorder of a process: its threads' logs, its communicators and pending operations.
//
// A wrapper makes a Frame (frame.h) and nothing else; what happens before and after the program's
// own calls is in session.h. Nothing is recorded of calls within calls. Programs with
// MPI_THREAD_MULTIPLE are locked where threads share something; a thread's log is its own.
// Ownership: threads and tables live until the process ends.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <mpi.h>
#include <sys/types.h>

#include "record/mpi/clock_source.h"
#include "record/mpi/communicators.h"
#include "record/mpi/definitions.h"
#include "record/mpi/event_log.h"
#include "record/mpi/options.h"
#include "record/mpi/regions.h"
#include "record/mpi/request_table.h"
#include "record/mpi/shared_stamps.h"

namespace syncline::mpi {

// What MPI's handles, pointers or integers, are called in tables.
template <typename T>
RequestTable::Handle HandleOf(T* handle) {
  return reinterpret_cast<RequestTable::Handle>(handle);
}
inline RequestTable::Handle HandleOf(int handle) {
  return static_cast<RequestTable::Handle>(static_cast<unsigned>(handle));
}

// An operation that a waiting or testing call may complete, as it was before the call.
struct Watched {
  RequestTable::Handle handle = RequestTable::kNone;
  bool is_known = false;
  Pending pending;
};

struct ThreadState {
  EventLog log;
  bool is_inside = false;  // a recorded call
  MPI_Comm cached_handle = MPI_COMM_NULL;
  uint64_t cached_generation = UINT64_MAX;
  CommunicatorInfo cached;
  uint64_t unknown_communicator = 0;  // calls
  // Reused by waiting calls.
  std::vector<Watched> watched;
  std::vector<MPI_Status> statuses;
};

class Recorder {
 public:
  bool is_on() const { return is_on_.load(std::memory_order_relaxed); }
  uint64_t Now() const { return clock_.Now(); }
  // The calling thread's, never null; its events are lost, and counted, when there can be no log.
  ThreadState* Thread();
  CommunicatorInfo CommunicatorOf(ThreadState& thread, MPI_Comm handle);
  uint32_t NewRequest();

  // Whether a send or collective that was just posted is complete, so that its handle may be
  // others'.
  bool IsOverAtOnce(MPI_Request request, PendingKind kind) const;

  // Under a lock where the program has several threads in MPI at once.
  template <typename Function>
  auto WithPending(const Function& function) {
    const std::unique_lock<std::mutex> lock = Lock();
    return function(requests_);
  }
  template <typename Function>
  auto WithMatched(const Function& function) {  // messages of MPI_Mprobe
    const std::unique_lock<std::mutex> lock = Lock();
    return function(matched_);
  }
  CommunicatorInfo AddCommunicator(MPI_Comm handle, const char* name);
  // One made by all members of `parent`; MPI_COMM_NULL where this process is none of its members.
  void AddCommunicatorOf(MPI_Comm parent, MPI_Comm handle);
  // One made by its own members alone.
  void AddCommunicatorOfGroup(MPI_Comm parent, int tag, MPI_Comm handle);
  // One whose members are those of its parent, and which cannot be asked yet.
  void AddCommunicatorLike(MPI_Comm handle, MPI_Comm parent);
  void ForgetCommunicator(MPI_Comm handle);

  // The thread ends: its log takes no memory any more.
  void Detach(ThreadState& thread);

  Regions& regions() { return regions_; }
  const Regions& regions() const { return regions_; }
  SharedStamps& shared_stamps() { return shared_stamps_; }

  // Session.
  Result<void> Begin(const Options& options, std::string log_folder, int thread_level);
  void TurnOn() { is_on_.store(true); }
  void TurnOff() { is_on_.store(false); }
  void AddLine(const std::string& line);
  // Closes the logs; the text of definitions is then complete.
  Result<std::string> End();
  const Options& options() const { return options_; }
  const ClockReader& clock() const { return clock_; }
  const std::vector<std::unique_ptr<ThreadState>>& threads() const { return threads_; }
  const std::string& problem() const { return problem_; }

 private:
  std::unique_lock<std::mutex> Lock() {
    return is_shared_ ? std::unique_lock(mutex_) : std::unique_lock(mutex_, std::defer_lock);
  }
  ThreadState* Attach();
  Result<EventLog> NewLog();
  void Add(const CommunicatorDefinition& definition);

  std::atomic<bool> is_on_ = false;
  bool is_shared_ = false;
  Options options_;
  ClockReader clock_;
  std::string log_folder_;
  int definitions_fd_ = -1;
  std::mutex text_mutex_;
  std::string text_;  // of definitions, as written
  uint32_t rank_ = 0;
  std::mutex mutex_;
  RequestTable requests_;
  RequestTable matched_;
  Communicators communicators_;
  std::atomic<uint32_t> next_request_ = 1;
  // Of sends and collectives that were over at once.
  RequestTable::Handle common_send_ = RequestTable::kNone;
  RequestTable::Handle common_collective_ = RequestTable::kNone;
  Regions regions_;
  SharedStamps shared_stamps_{regions_};
  std::mutex threads_mutex_;
  std::vector<std::unique_ptr<ThreadState>> threads_;
  size_t logs_ = 0;  // of threads_
  pid_t process_ = 0;
  std::string problem_;  // of logs that could not be created
};

Recorder& TheRecorder();

}  // namespace syncline::mpi
