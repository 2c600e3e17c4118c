// The processes that mpirun started, and what they send each other.
//
// Requires: one thread at a time. Errors: a message that cannot be sent ends the whole run, as MPI
// does by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/parcel.h"
#include "match/channel_messages.h"

namespace syncline {

// What a process has sent.
struct Traffic {
  uint64_t messages = 0;
  uint64_t bytes = 0;
};

class Communicator {
 public:
  // MPI from here to the end of this object.
  Communicator(int& argc, char**& argv);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  // How many cores this process may use: those that it is bound to, or its part of them where
  // others of its machine are bound to the same. All processes at once.
  size_t Cores() const;
  // "process 3 of 7 on HOST", for messages.
  std::string Name() const;

  void Send(int to, const Parcel& parcel);
  ParcelReader Receive(int from);
  // All processes at once: each gets what the others have for it. By process.
  std::vector<TransferEnd> Exchange(std::span<const std::vector<TransferEnd>> to_each);
  // All processes at once: whether any says so.
  bool Any(bool here);

  const Traffic& sent() const { return sent_; }
  // Ends all processes, with this exit code.
  [[noreturn]] static void Abort(int exit_code);

 private:
  int rank_ = 0;
  int size_ = 1;
  Traffic sent_;
};

}  // namespace syncline
