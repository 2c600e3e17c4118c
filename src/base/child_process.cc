#include "base/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <numeric>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "base/parallel.h"
#include "base/quantity_text.h"
#include "base/temporaries.h"

namespace syncline {
namespace {

#ifdef SYNCLINE_SANITIZED
constexpr bool kIsSanitized = true;
#else
constexpr bool kIsSanitized = false;
#endif

constexpr int kOutOfMemory = 77;  // exit code
constexpr uint64_t kMostBytesOfFrame = uint64_t{1} << 32;
using FrameSize = uint64_t;
constexpr size_t kMostPartsOfFrame = 4;

// All of it; false where nobody reads it.
bool SendAll(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

// One after the other, at once, lest the other end wakes for each.
bool SendParts(int socket, std::span<const std::string_view> parts) {
  std::array<struct iovec, kMostPartsOfFrame + 1> pieces = {};
  SYNCLINE_CHECK(parts.size() <= pieces.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    pieces[i] = {.iov_base = const_cast<char*>(parts[i].data()), .iov_len = parts[i].size()};
  }
  struct msghdr message = {};
  message.msg_iov = pieces.data();
  message.msg_iovlen = parts.size();
  ssize_t sent = -1;
  do {
    sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent < 0) return false;
  // What a signal cut off.
  auto skipped = static_cast<size_t>(sent);
  for (std::string_view part : parts) {
    const size_t there = std::min(skipped, part.size());
    skipped -= there;
    part.remove_prefix(there);
    if (!SendAll(socket, part)) return false;
  }
  return true;
}

bool SendFrame(int socket, std::span<const std::string_view> parts) {
  FrameSize size = 0;
  for (const std::string_view part : parts) size += part.size();
  std::array<std::string_view, kMostPartsOfFrame + 1> all = {
      std::string_view(reinterpret_cast<const char*>(&size), sizeof size)};
  SYNCLINE_CHECK(parts.size() <= kMostPartsOfFrame);
  std::copy(parts.begin(), parts.end(), all.begin() + 1);
  return SendParts(socket, std::span(all).first(parts.size() + 1));
}

// What the process has of memory; zeros where the system does not say.
struct OwnMemory {
  uint64_t addresses = 0;
  uint64_t resident = 0;
};

OwnMemory MeasureMemory() {
  OwnMemory memory;
  const auto text = ReadWholeFile("/proc/self/statm");
  if (!text) return memory;
  char* rest = nullptr;
  const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  memory.addresses = std::strtoull(text->c_str(), &rest, 10) * page;
  memory.resident = std::strtoull(rest, nullptr, 10) * page;
  return memory;
}

void LimitMemory(uint64_t bytes) {
  const uint64_t now = MeasureMemory().addresses;
  if (bytes == 0 || now == 0 || kIsSanitized) return;
  struct rlimit limit = {};
  if (::getrlimit(RLIMIT_AS, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, now + bytes);
  ::setrlimit(RLIMIT_AS, &limit);
  std::set_new_handler([] { ::_exit(kOutOfMemory); });
}

// Of a program's own handlers, which belong to the parent.
void ResetSignals() {
  for (const int signal : std::array{SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP}) {
    if (!kIsSanitized) std::signal(signal, SIG_DFL);
  }
}

void SilenceStandardError() {
  if (kIsSanitized) return;
  const FileDescriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (nowhere.get() >= 0) ::dup2(nowhere.get(), STDERR_FILENO);
}

[[noreturn]] void RunChild(FileDescriptor socket, pid_t parent, const ChildLimits& limits,
                           const std::function<void(ChildLink&)>& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);
  ::prctl(PR_SET_DUMPABLE, 0);
  ResetSignals();
  SilenceStandardError();
  LimitMemory(limits.memory_bytes);
  ChildLink link(std::move(socket));
  try {
    work(link);
  } catch (const std::bad_alloc&) {
    ::_exit(kOutOfMemory);
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);
}

tl::unexpected<Error> SystemFailure(const char* what) {
  const std::error_code error(errno, std::generic_category());
  return Fail(ErrorCode::kUnreadable,
              fmt::format("cannot start a process: {}: {}", what, error.message()));
}

tl::unexpected<Error> Because(std::string reason) {
  return Fail(ErrorCode::kMalformed, std::move(reason));
}

}  // namespace

void ChildLink::Send(std::string_view frame) { SendJoined({&frame, 1}); }

void ChildLink::SendJoined(std::span<const std::string_view> parts) {
  if (!SendFrame(socket_.get(), parts)) ::_exit(0);
}

void ChildLink::SendRaw(std::string_view bytes) {
  if (!SendAll(socket_.get(), bytes)) ::_exit(0);
}

std::string ChildLink::Receive() {
  const auto receive = [this](char* to, size_t bytes) {
    while (bytes > 0) {
      const ssize_t read = ::recv(socket_.get(), to, bytes, 0);
      if (read < 0 && errno == EINTR) continue;
      if (read <= 0) ::_exit(0);
      to += read;
      bytes -= static_cast<size_t>(read);
    }
  };
  FrameSize size = 0;
  receive(reinterpret_cast<char*>(&size), sizeof size);
  std::string frame(size, '\0');
  receive(frame.data(), frame.size());
  return frame;
}

void ChildLink::Beat() {
  constexpr auto kBetweenBeats = std::chrono::milliseconds(50);
  const auto now = std::chrono::steady_clock::now();
  if (now - last_beat_ < kBetweenBeats) return;
  last_beat_ = now;
  // An empty frame, in one piece or, where nobody reads just now, not at all.
  const FrameSize size = 0;
  ::send(socket_.get(), &size, sizeof size, MSG_NOSIGNAL | MSG_DONTWAIT);
}

Result<ChildProcess> ChildProcess::Start(const ChildLimits& limits,
                                         const std::function<void(ChildLink&)>& work) {
  // Another thread's child would keep this one's end open.
  static std::mutex& mutex = *new std::mutex;
  const std::lock_guard lock(mutex);
  std::array<int, 2> ends = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return SystemFailure("socketpair");
  }
  FileDescriptor own(ends[0]);
  FileDescriptor childs(ends[1]);
  const pid_t parent = ::getpid();
  const uint64_t resident = MeasureMemory().resident;
  const pid_t pid = ::fork();
  if (pid < 0) return SystemFailure("fork");
  if (pid == 0) {
    own = FileDescriptor();
    RunChild(std::move(childs), parent, limits, work);
  }
  NoteWriter(pid);
  return ChildProcess(pid, std::move(own), limits, resident);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      socket_(std::move(other.socket_)),
      limits_(other.limits_),
      resident_(other.resident_),
      buffer_(std::move(other.buffer_)),
      begin_(other.begin_),
      end_(other.end_) {}

ChildProcess::~ChildProcess() { End(); }

void ChildProcess::End() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  ForgetWriter(pid_);  // before its number can be that of another process
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

void ChildProcess::Send(std::string_view frame) { SendFrame(socket_.get(), {&frame, 1}); }

Result<std::string_view> ChildProcess::Receive() {
  for (;;) {
    const std::string_view there = std::string_view(buffer_).substr(begin_, end_ - begin_);
    FrameSize size = 0;
    if (there.size() >= sizeof size) {
      std::memcpy(&size, there.data(), sizeof size);
      if (size > kMostBytesOfFrame) {
        End();
        return Because("garbled results");
      }
      if (size == 0) {
        begin_ += sizeof size;
        continue;
      }
      if (there.size() - sizeof size >= size) {
        begin_ += sizeof size + size;
        return there.substr(sizeof size, size);
      }
    }
    if (pid_ < 0) return Because("it ended early");
    if (!WaitForBytes()) {
      End();
      const auto seconds = std::chrono::duration<double>(limits_.patience).count();
      return Because(fmt::format("no progress for {:.3g} s", seconds));
    }
    if (!ReadSome()) return WhyItEnded();
  }
}

// In slices, lest the time while both processes are stopped counts.
bool ChildProcess::WaitForBytes() const {
  constexpr auto kSlice = std::chrono::milliseconds(500);
  for (auto left = limits_.patience; left.count() > 0; left -= std::min(left, kSlice)) {
    struct pollfd wait = {.fd = socket_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&wait, 1, static_cast<int>(std::min(left, kSlice).count())) > 0) return true;
  }
  return false;
}

bool ChildProcess::ReadSome() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= std::exchange(begin_, 0);
  if (buffer_.size() < end_ + kFileBlock) buffer_.resize(2 * end_ + kFileBlock);
  ssize_t read = -1;
  do {
    read = ::recv(socket_.get(), buffer_.data() + end_, buffer_.size() - end_, 0);
  } while (read < 0 && errno == EINTR);
  end_ += static_cast<size_t>(std::max<ssize_t>(read, 0));
  return read > 0;
}

tl::unexpected<Error> ChildProcess::WhyItEnded() {
  int status = 0;
  struct rusage usage = {};
  pid_t ended = -1;
  do {
    ended = ::wait4(pid_, &status, 0, &usage);
  } while (ended < 0 && errno == EINTR);
  pid_ = -1;
  // Where the program ignores SIGCHLD the system keeps no status.
  if (ended < 0) return Because("it ended early");
  const bool has_exit = WIFEXITED(status);
  // Libraries abort where memory ends, and do not say so.
  const uint64_t taken = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
  const bool is_near_limit =
      limits_.memory_bytes > 0 && taken > resident_ + limits_.memory_bytes / 2;
  if (has_exit ? WEXITSTATUS(status) == kOutOfMemory : is_near_limit) {
    return Because(fmt::format("more than {} of memory", FormatBytes(limits_.memory_bytes)));
  }
  if (has_exit) return Because("it ended early");
  const int signal = WTERMSIG(status);
  return Because(fmt::format("signal {}, {}", signal, ::strsignal(signal)));
}

std::vector<std::vector<size_t>> SharesOf(const std::vector<uint64_t>& sizes) {
  struct Share {
    uint64_t size = 0;
    std::vector<size_t> pieces;
  };
  std::vector<size_t> largest_first(sizes.size());
  std::iota(largest_first.begin(), largest_first.end(), size_t{0});
  std::ranges::stable_sort(largest_first, [&](size_t a, size_t b) { return sizes[a] > sizes[b]; });
  std::vector<Share> shares(ThreadsFor(sizes.size()));
  for (const size_t piece : largest_first) {
    const auto least = std::ranges::min_element(shares, {}, &Share::size);
    least->size += sizes[piece] + 1;
    least->pieces.push_back(piece);
  }
  std::vector<std::vector<size_t>> pieces;
  for (Share& share : shares) {
    std::ranges::sort(share.pieces);
    pieces.push_back(std::move(share.pieces));
  }
  return pieces;
}

}  // namespace syncline
