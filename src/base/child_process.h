// Work in a process of its own, for libraries that may abort, hang or take all memory: what happens
// to the child is an error here, never more.
//
// The child is a fork without exec, so that it has all that its parent has: no program to find at
// run time, which a library of other programs could not, and nothing to hand over but results. Only
// the calling thread is in it. glibc makes malloc, stdio and the dynamic loader usable there, but
// locks that other threads hold stay locked: the work takes no lock of this program that another
// thread may hold while Start() runs, so programs start children before threads of their own, or
// outside of what those lock. A child that locks up all the same ends as one that hangs.
// It ends by itself when its work returns, without destructors and without writing what stdio
// buffers, and by SIGKILL with the thread that started it, or with this object. It leaves no core
// file and says nothing on standard error.
// Both send each other frames of any bytes through a socket. Limits: memory beyond what the
// process has already (not with the address sanitizer, whose own memory counts), and the time in
// which the child sends nothing while the parent waits for it.
// Errors: kUnreadable where the system gives no process; of Receive() kMalformed, whose message is
// the reason in few words: "signal 6, Aborted", "no progress for 20 s", "more than 64.0 MiB of
// memory", "it ended early".
// Cost: some milliseconds per child, some hundred nanoseconds per KiB sent. Tested by:
// child_process_test.cc.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "syncline/result.h"

#include "base/file.h"

namespace syncline {

struct ChildLimits {
  uint64_t memory_bytes = 0;  // 0: no limit
  std::chrono::milliseconds patience = std::chrono::seconds(20);
};

// The child's end.
class ChildLink {
 public:
  explicit ChildLink(FileDescriptor socket) : socket_(std::move(socket)) {}
  // These end the child where its parent is gone.
  void Send(std::string_view frame);
  void SendJoined(std::span<const std::string_view> parts);  // one frame, of at most four parts
  void SendRaw(std::string_view bytes);                      // that need be no frame: for tests
  std::string Receive();
  // Says that the work goes on; costs little more than a look at the clock.
  void Beat();

 private:
  FileDescriptor socket_;
  std::chrono::steady_clock::time_point last_beat_;
};

// What sends frames, and takes what is sent back.
class FrameChannel {
 public:
  virtual ~FrameChannel() = default;
  virtual void Send(std::string_view frame) = 0;
  // The next frame, valid until the next call.
  virtual Result<std::string_view> Receive() = 0;
};

class ChildProcess : public FrameChannel {
 public:
  static Result<ChildProcess> Start(const ChildLimits& limits,
                                    const std::function<void(ChildLink&)>& work);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess() override;

  // Requires a child that waits for it, where the frame is larger than 64 KiB. Where the child is
  // gone, Receive() says so.
  void Send(std::string_view frame) override;
  // After an error there is no child any more.
  Result<std::string_view> Receive() override;

 private:
  ChildProcess(pid_t pid, FileDescriptor socket, const ChildLimits& limits, uint64_t resident)
      : pid_(pid), socket_(std::move(socket)), limits_(limits), resident_(resident) {}
  // Waits until there is something to read; false where that takes too long.
  bool WaitForBytes() const;
  // Reads what is there; false at the end.
  bool ReadSome();
  tl::unexpected<Error> WhyItEnded();
  void End();

  pid_t pid_ = -1;  // of a child that was not waited for
  FileDescriptor socket_;
  ChildLimits limits_;
  uint64_t resident_ = 0;  // bytes that were resident when it began
  // Bytes that were read, from begin_ to end_, and room for more.
  std::string buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
};

// Which child does which of several pieces of work, whose sizes are given: about the same for each
// of as many children as there are cores. Pieces of a child are in ascending order.
std::vector<std::vector<size_t>> SharesOf(const std::vector<uint64_t>& sizes);

}  // namespace syncline
