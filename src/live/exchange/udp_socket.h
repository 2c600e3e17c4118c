// A UDP socket that says when datagrams left and arrived, by the kernel's clock stamps where it
// gives them.
//
// Units: nanoseconds of CLOCK_REALTIME; times to wait in nanoseconds. A stamp by the program is
// taken before sending and after receiving, so that a time of travel never looks shorter than it
// was. A kernel stamp that contradicts the program's clock (as when that one is simulated) is not
// used. Ownership: the socket is closed with the object. Errors: kUnreadable with what the system
// said; a peer that refuses is an outcome, not an error.
// Cost: a system call per datagram, two where the kernel stamps what leaves.
// Method: SO_TIMESTAMPING with software stamps (Linux, Documentation/networking/timestamping.rst).
// What leaves is stamped before the first device queues it. The later stamp, by the device's
// driver, is no bound of the departure: of a datagram that a bridge copies to several ports it is
// that of the last copy.
// Tested by: udp_socket_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "syncline/result.h"

#include "base/file.h"
#include "live/exchange/endpoint.h"

namespace syncline {

enum class StampWish {
  kKernel,   // where the socket gives them, else the program's
  kProgram,  // the program's
};

struct SocketStamp {
  int64_t ns = 0;
  bool by_kernel = false;
};

struct Datagram {
  enum class Outcome {
    kArrived,
    kTimeout,  // nothing in time
    kRefused,  // an earlier one found nobody at the peer's port
    kStopped,  // the stop descriptor became readable
  };
  Outcome outcome = Outcome::kTimeout;
  size_t size = 0;  // of the whole datagram; what the buffer did not hold is lost
  Endpoint from;
  SocketStamp arrived;
  bool was_to_group = false;  // sent to a broadcast or multicast address
};

class UdpSocket {
 public:
  static constexpr int kNoStop = -1;

  // Bound to `local`; port 0: any that is free. kShared: beside others on the port.
  enum class Sharing { kAlone, kShared };
  static Result<UdpSocket> Bind(const Endpoint& local, StampWish stamps,
                                Sharing sharing = Sharing::kAlone);
  // Bound beside others to a broadcast or multicast address, of which it takes part.
  static Result<UdpSocket> BindToGroup(const Endpoint& group, StampWish stamps);
  // Sends to and receives from this peer alone.
  static Result<UdpSocket> Connect(const Endpoint& peer, StampWish stamps);
  // Sends to anyone, broadcast addresses included.
  static Result<UdpSocket> Open(int family, StampWish stamps);

  Result<Endpoint> Local() const;

  struct Sent {
    uint32_t id = 0;  // among what this socket sent
    int64_t before_ns = 0;
    bool refused = false;  // not sent, because an earlier one found nobody there
  };
  Result<Sent> Send(std::span<const std::byte> bytes) { return SendTo(bytes, nullptr); }
  Result<Sent> Send(std::span<const std::byte> bytes, const Endpoint& to) {
    return SendTo(bytes, &to);
  }
  // When it left, if the kernel has said so by now.
  std::optional<int64_t> KernelDeparture(const Sent& sent);

  // Waits at most `wait_ns`, or until `stop` can be read.
  Result<Datagram> Receive(std::span<std::byte> buffer, int64_t wait_ns, int stop = kNoStop);

  bool has_kernel_stamps() const { return has_kernel_stamps_; }
  // How many kernel stamps contradicted the program's clock since this was last asked.
  uint64_t TakeContradictoryStamps() { return std::exchange(contradictory_stamps_, 0); }
  int descriptor() const { return fd_.get(); }

 private:
  UdpSocket(FileDescriptor fd, StampWish stamps) : fd_(std::move(fd)), stamps_(stamps) {}
  static Result<UdpSocket> Make(int family, StampWish stamps);
  Result<void> Allow(int level, int option);
  Result<void> BindTo(const Endpoint& local);
  void StartStamping();
  Result<Sent> SendTo(std::span<const std::byte> bytes, const Endpoint* to);
  void ReadDepartures();
  // None where nothing is there.
  Result<std::optional<Datagram>> TakeOne(std::span<std::byte> buffer);
  SocketStamp ArrivalStamp(std::optional<int64_t> kernel_ns);

  struct Departure {
    uint32_t id = 0;
    int64_t ns = 0;
  };

  FileDescriptor fd_;
  StampWish stamps_ = StampWish::kKernel;
  bool has_kernel_stamps_ = false;
  uint32_t next_id_ = 0;
  std::vector<Departure> departures_;  // the latest, oldest first
  int64_t last_empty_ns_ = INT64_MIN;  // when nothing waited to be received
  uint64_t contradictory_stamps_ = 0;
};

// Waits until one of the sockets may have received something, or `stop` can be read.
enum class Waited { kReady, kTimeout, kStopped };
Waited WaitForAny(std::span<const UdpSocket> sockets, int64_t wait_ns, int stop);

// Sleeps; true where `stop` could be read before the time was over.
bool WaitForStop(int stop, int64_t wait_ns);

// SIGINT and SIGTERM no longer end the process but make the descriptor readable. To be called
// before other threads start. Errors: kUnreadable.
Result<FileDescriptor> StopOnSignals();

}  // namespace syncline
