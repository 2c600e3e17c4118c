#include "base/temporaries.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <system_error>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

namespace syncline {
namespace {

struct Temporaries {
  std::recursive_mutex mutex;
  std::set<std::string> paths;
  std::set<std::string> made_folders;
  std::set<pid_t> writers;
  std::chrono::milliseconds delay{0};
};

// Never destroyed: a signal may come while the program ends.
Temporaries& All() {
  static Temporaries& all = *new Temporaries;
  return all;
}

// Whoever writes into a folder while it is removed can make that fail: processes of other machines,
// too. So it gets another name first.
void RemoveWithAttempts(const std::string& path) {
  constexpr int kAttempts = 10;
  std::error_code error;
  std::string now = path;
  if (std::filesystem::is_directory(std::filesystem::symlink_status(path, error))) {
    std::filesystem::rename(path, path + "-removed", error);
    if (!error) now = path + "-removed";
  }
  for (int i = 0; i < kAttempts; ++i) {
    std::filesystem::remove_all(now, error);
    if (!error) return;
  }
}

// Whose child it is takes its exit code.
void EndAndWait(pid_t child) {
  ::kill(child, SIGKILL);
  siginfo_t ended;
  while (::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) != 0 &&
         errno == EINTR) {
  }
}

void WaitFor(sigset_t signals) {
  int signal = 0;
  if (::sigwait(&signals, &signal) != 0) return;
  // Kept: nobody notes or renames anything any more.
  All().mutex.lock();
  for (const pid_t child : All().writers) EndAndWait(child);
  for (const std::string& path : All().paths) RemoveWithAttempts(path);
  // Those within others come behind them.
  const std::set<std::string>& made = All().made_folders;
  for (auto folder = made.rbegin(); folder != made.rend(); ++folder) ::rmdir(folder->c_str());
  std::this_thread::sleep_for(All().delay);
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

void RemoveTemporary(const std::string& path) {
  const HeldTemporaries held = HoldTemporaries();
  RemoveWithAttempts(path);
  All().paths.erase(path);
}

void NoteMadeFolder(const std::string& path) {
  const HeldTemporaries held = HoldTemporaries();
  All().made_folders.insert(path);
}

void ForgetMadeFolder(const std::string& path) {
  const HeldTemporaries held = HoldTemporaries();
  All().made_folders.erase(path);
}

void NoteWriter(pid_t child) {
  const HeldTemporaries held = HoldTemporaries();
  All().writers.insert(child);
}

void ForgetWriter(pid_t child) {
  const HeldTemporaries held = HoldTemporaries();
  All().writers.erase(child);
}

HeldTemporaries HoldTemporaries() { return HeldTemporaries(All().mutex); }

TemporaryFolder::TemporaryFolder(std::string path) : path_(std::move(path)) {
  NoteTemporary(path_);
}

TemporaryFolder::~TemporaryFolder() {
  if (!path_.empty()) RemoveTemporary(path_);
}

TemporaryFolder::Made TemporaryFolder::Beside(const std::string& place) {
  std::error_code error;
  for (unsigned attempt = 0; attempt < 1000; ++attempt) {
    std::string path =
        place + ".partial-" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
    const HeldTemporaries held = HoldTemporaries();
    if (std::filesystem::create_directory(path, error)) return TemporaryFolder(std::move(path));
    if (error) break;  // else it exists
  }
  return tl::unexpected(error);
}

TemporaryFolder::Made TemporaryFolder::Private(const std::string& prefix) {
  std::string path = prefix + std::string(6, 'X');  // mkdtemp() replaces these
  const HeldTemporaries held = HoldTemporaries();
  if (::mkdtemp(path.data()) != nullptr) return TemporaryFolder(std::move(path));
  return tl::unexpected(std::error_code(errno, std::generic_category()));
}

void EndLaterOnSignals(std::chrono::milliseconds delay) {
  const HeldTemporaries held = HoldTemporaries();
  All().delay = delay;
}

void RemoveTemporariesOnSignals(std::initializer_list<int> taken) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : taken) {
    struct sigaction now = {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) {
      sigaddset(&signals, signal);
    }
  }
  // The thread takes none of the others, which whoever blocks them elsewhere is to get.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  if (::pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return;
  std::thread(WaitFor, signals).detach();
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  // Threads that start later inherit it.
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace syncline
