// Temporary files and folders that a signal removes before it ends the program.
//
// SIGINT, SIGTERM and SIGHUP are taken by a thread of their own, which waits for whoever holds the
// temporaries, removes those that are noted, and lets the signal do what it does. A signal that is
// ignored stays so. Nothing helps against SIGKILL. Threads: any may call.
// Tested by: temporaries_test.cc.
#pragma once

#include <chrono>
#include <csignal>
#include <initializer_list>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

#include <sys/types.h>

#include "syncline/result.h"

namespace syncline {

// A file, or a folder with all that is in it, from now on until it is forgotten.
void NoteTemporary(const std::string& path);
void ForgetTemporary(const std::string& path);
// Removes it and forgets it. Who still writes into a folder by its name finds none there.
void RemoveTemporary(const std::string& path);

// A folder that was made for outputs: it goes as well where it is empty then.
void NoteMadeFolder(const std::string& path);
void ForgetMadeFolder(const std::string& path);

// A child process that writes into them: it is ended before they are removed.
void NoteWriter(pid_t child);
void ForgetWriter(pid_t child);

// Signals wait for the end of it: for renaming several outputs as one. One thread may have several.
using HeldTemporaries = std::unique_lock<std::recursive_mutex>;
HeldTemporaries HoldTemporaries();

// A temporary folder that disappears with this object.
class TemporaryFolder {
 public:
  using Made = tl::expected<TemporaryFolder, std::error_code>;
  // PLACE.partial-PID-NUMBER.
  static Made Beside(const std::string& place);
  // PREFIX and six characters; others than the user cannot read it.
  static Made Private(const std::string& prefix);

  TemporaryFolder() = default;  // none
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept {
    path_.swap(other.path_);
    return *this;
  }
  ~TemporaryFolder();

  const std::string& path() const { return path_; }  // empty where there is none

 private:
  explicit TemporaryFolder(std::string path);
  std::string path_;
};

// Once, before the program has other threads; without it, signals end the program as ever, as do
// those of the three that are left out.
void RemoveTemporariesOnSignals(std::initializer_list<int> taken = {SIGINT, SIGTERM, SIGHUP});

// The program then lives that much longer after such a signal, for the sake of others that were
// started with it and have more to remove.
void EndLaterOnSignals(std::chrono::milliseconds delay);

}  // namespace syncline
