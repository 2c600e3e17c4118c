// A file that grows beyond what the process may write: the write fails, as on a full disk, and the
// signal that would end the program is taken back.
//
// The recorder's files must not cost a program its life. SIGXFSZ goes to the thread that wrote, so
// it is blocked there, and taken from what is pending before the block ends; what the program
// itself had pending stays. Tested by: event_log_test.cc, recording_faults_test.cc.
#pragma once

#include <cerrno>
#include <csignal>
#include <ctime>

namespace syncline::mpi {

class FileSizeSignalBlock {
 public:
  FileSizeSignalBlock() {
    sigset_t pending;
    ::sigpending(&pending);
    was_pending_ = ::sigismember(&pending, SIGXFSZ) == 1;
    const sigset_t own = Own();
    ::pthread_sigmask(SIG_BLOCK, &own, &before_);
  }
  FileSizeSignalBlock(const FileSizeSignalBlock&) = delete;
  FileSizeSignalBlock& operator=(const FileSizeSignalBlock&) = delete;
  ~FileSizeSignalBlock() {
    const int error = errno;
    const sigset_t own = Own();
    const timespec none = {};
    while (!was_pending_ && (::sigtimedwait(&own, nullptr, &none) == SIGXFSZ || errno == EINTR)) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }

 private:
  static sigset_t Own() {
    sigset_t own;
    ::sigemptyset(&own);
    ::sigaddset(&own, SIGXFSZ);
    return own;
  }

  bool was_pending_ = false;
  sigset_t before_ = {};
};

}  // namespace syncline::mpi
