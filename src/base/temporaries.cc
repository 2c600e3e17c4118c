#include "base/temporaries.h"

#include <array>
#include <csignal>
#include <filesystem>
#include <set>
#include <system_error>
#include <thread>

namespace syncline {
namespace {

struct Temporaries {
  std::recursive_mutex mutex;
  std::set<std::string> paths;
};

// Never destroyed: a signal may come while the program ends.
Temporaries& All() {
  static Temporaries& all = *new Temporaries;
  return all;
}

// Whoever writes into a folder while it is removed can make that fail.
void RemoveWithAttempts(const std::string& path) {
  constexpr int kAttempts = 10;
  std::error_code error;
  for (int i = 0; i < kAttempts; ++i) {
    std::filesystem::remove_all(path, error);
    if (!error) return;
  }
}

void WaitFor(sigset_t signals) {
  int signal = 0;
  if (::sigwait(&signals, &signal) != 0) return;
  // Kept: nobody notes or renames anything any more.
  All().mutex.lock();
  for (const std::string& path : All().paths) RemoveWithAttempts(path);
  std::signal(signal, SIG_DFL);
  ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  ::raise(signal);
}

}  // namespace

void NoteTemporary(const std::string& path) {
  const HeldTemporaries held = HoldTemporaries();
  All().paths.insert(path);
}

void ForgetTemporary(const std::string& path) {
  const HeldTemporaries held = HoldTemporaries();
  All().paths.erase(path);
}

HeldTemporaries HoldTemporaries() { return HeldTemporaries(All().mutex); }

void RemoveTemporariesOnSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : std::array{SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now = {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) {
      sigaddset(&signals, signal);
    }
  }
  // Threads that start later inherit it.
  if (::pthread_sigmask(SIG_BLOCK, &signals, nullptr) != 0) return;
  std::thread(WaitFor, signals).detach();
}

}  // namespace syncline
