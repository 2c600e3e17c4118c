// The processes that mpirun started, and what they send each other.
//
// Requires: one thread at a time. Errors: a message that cannot be sent ends the whole run, as MPI
// does by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/parcel.h"
#include "logical/replay_team.h"

namespace syncline {

// What a process has sent.
struct Traffic {
  uint64_t messages = 0;
  uint64_t posts = 0;  // of these, by Post()
  uint64_t bytes = 0;
};

class Communicator : public ReplayTeam {
 public:
  // MPI from here to the end of this object.
  Communicator(int& argc, char**& argv);
  ~Communicator() override;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  size_t shares() const override { return static_cast<size_t>(size_); }
  size_t own() const override { return static_cast<size_t>(rank_); }
  // How many cores this process may use: those that it is bound to, or its part of them where
  // others of its machine are bound to the same. All processes at once.
  size_t Cores() const;
  // "process 3 of 7 on HOST", for messages.
  std::string Name() const;

  void Send(int to, const Parcel& parcel);
  // From the first process to all others, each of which has it from Receive(0). What is large is
  // passed on in a binomial tree: no process sends it to more than the logarithm of all.
  void SendToAll(const Parcel& parcel);
  ParcelReader Receive(int from);
  std::vector<Bytes> Exchange(const std::vector<Bytes>& to_each, uint32_t& flags) override;
  void Post(size_t to, Bytes bytes) override;
  std::vector<Arrival> Receive(bool is_done) override;

  const Traffic& sent() const { return sent_; }
  // Ends all processes, with this exit code.
  [[noreturn]] static void Abort(int exit_code);

 private:
  struct Posts;
  void SendBytes(std::span<const std::byte> bytes, int to, int tag);
  std::vector<std::byte> ReceiveBytes(uint64_t size, int from, int tag) const;
  void PassOn(std::span<const std::byte> bytes);
  void WaitFor(int from, int tag) const;
  void ExchangePart(const std::vector<Bytes>& to_each, uint64_t begin, uint64_t end,
                    std::vector<Bytes>& received);

  // MPI's own header stays out of this one.
  template <typename Request>
  void Wait(Request& request) const;

  int rank_ = 0;
  int size_ = 1;
  bool are_cores_shared_ = false;
  Traffic sent_;
  std::unique_ptr<Posts> posts_;
};

}  // namespace syncline
