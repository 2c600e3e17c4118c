#include "base/replace_together.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/parse_number.h"
#include "base/temporaries.h"
#include "base/try.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHeader = "syncline journal 1";
constexpr std::string_view kMark = ".partial-";

tl::unexpected<Error> SystemError(const char* what, int error, const std::string& path) {
  return Fail(ErrorCode::kUnreadable, fmt::format("{}: {}", what, std::strerror(error)), path);
}

// A change, and what tells whether it has been made.
struct Step {
  std::string temporary;
  std::string place;
  uint64_t after = 0;   // the identity of what is to stand in the place; 0: nothing
  uint64_t before = 0;  // the one that stood there
  IfExists if_exists = IfExists::kReplace;

  // The temporary file or folder, beside the place, that all belongs to; empty: there is none.
  std::string Holder() const {
    const std::string folder = fs::path(place).parent_path().string() + '/';
    if (!temporary.starts_with(folder)) return {};
    std::string holder = temporary.substr(0, temporary.find('/', folder.size()));
    return holder.find(kMark, folder.size()) == std::string::npos ? std::string() : holder;
  }
  // Where the system cannot exchange two names, what stood in the place is here in between.
  std::string Aside() const { return temporary + ".aside"; }
};

Result<void> Rename(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return {};
  return SystemError("cannot create", errno, to);
}

// The error, or 0. File systems lack the one or the other way.
int RenameIfFree(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  return ::link(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

Result<void> Exchange(const Step& step) {
  const auto exchange = [&](unsigned flags) {
    return ::renameat2(AT_FDCWD, step.temporary.c_str(), AT_FDCWD, step.place.c_str(), flags);
  };
  if (exchange(RENAME_EXCHANGE) == 0) return {};
  if (errno != EINVAL && errno != ENOSYS) return SystemError("cannot replace", errno, step.place);
  SYNCLINE_TRY(Rename(step.place, step.Aside()));
  if (auto done = Rename(step.temporary, step.place); !done) {
    (void)Rename(step.Aside(), step.place);
    return done;
  }
  return Rename(step.Aside(), step.temporary);
}

// Nothing happens where the step was made before. `now`, `then`: the inodes in its place before and
// after.
Result<void> Make(const Step& step, uint64_t now, uint64_t then) {
  const uint64_t stands = IdentityOf(step.place);
  if (stands == then) return {};
  if (stands != now && stands != 0) {
    return Fail(ErrorCode::kUnreadable, "was changed by others meanwhile", step.place);
  }
  if (then == 0) return Rename(step.place, step.temporary);
  if (IdentityOf(step.temporary) != then) {
    return Fail(ErrorCode::kUnreadable, "is gone", step.temporary);
  }
  return stands == 0 ? Rename(step.temporary, step.place) : Exchange(step);
}

Result<void> MakeAll(std::span<const Step> steps) {
  for (size_t i = 0; i < steps.size(); ++i) {
    auto made = Make(steps[i], steps[i].before, steps[i].after);
    if (made) continue;
    while (i > 0) {
      --i;
      SYNCLINE_TRY(Make(steps[i], steps[i].after, steps[i].before));
    }
    return made;
  }
  return {};
}

bool AreAll(std::span<const Step> steps, uint64_t Step::*state) {
  return std::ranges::all_of(
      steps, [&](const Step& step) { return IdentityOf(step.place) == step.*state; });
}

// Whether others have put something else there, or taken away what belongs there.
bool IsLost(const Step& step) {
  const uint64_t stands = IdentityOf(step.place);
  if (stands == step.after) return false;
  const bool is_there = step.after == 0 || IdentityOf(step.temporary) == step.after;
  return !is_there || (stands != step.before && stands != 0);
}

// What is not needed any more, the old contents above all.
void RemoveHolders(std::span<const Step> steps) {
  std::error_code ignored;
  for (const Step& step : steps) {
    fs::remove_all(step.Aside(), ignored);
    fs::remove_all(step.Holder(), ignored);
  }
}

void FlushOne(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file.get() >= 0) ::fsync(file.get());
}

// File systems that cannot do so are taken as they are.
void Flush(const std::string& path) {
  FlushOne(path);
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(path, error)) {
    FlushOne(entry.path().string());
  }
}

// The journal of one folder, locked while this object lives.
class Journal {
 public:
  static Result<Journal> Create(const std::string& folder, std::span<const Step> steps,
                                bool is_flushed) {
    Journal journal(folder, (fs::path(folder) / kJournalName).string());
    const std::string draft = fmt::format("{}{}{}", journal.path_, kMark, ::getpid());
    journal.file_ =
        FileDescriptor(::open(draft.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (journal.file_.get() < 0) return SystemError("cannot create", errno, draft);
    const std::string text = journal.Text(steps);
    const bool is_written =
        ::flock(journal.file_.get(), LOCK_EX) == 0 &&
        ::write(journal.file_.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
    int error = is_written ? 0 : errno;
    if (is_written && is_flushed) ::fsync(journal.file_.get());
    // Another one that stands there belongs to a run at this very moment.
    constexpr int kAttempts = 100;
    for (int i = 0; is_written && i < kAttempts; ++i) {
      error = RenameIfFree(draft, journal.path_);
      if (error != EEXIST) break;
      (void)Open(folder);
    }
    ::unlink(draft.c_str());
    if (error != 0) return SystemError("cannot create", error, journal.path_);
    if (is_flushed) FlushOne(folder);
    return journal;
  }

  // None where there is none, or only one of others' or of another form. Waits for whoever has it.
  static std::optional<Journal> Open(const std::string& folder) {
    Journal journal(folder, (fs::path(folder) / kJournalName).string());
    journal.file_ = FileDescriptor(::open(journal.path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    if (journal.file_.get() < 0 || ::flock(journal.file_.get(), LOCK_EX) != 0) return std::nullopt;
    struct stat status = {};
    const bool is_own = ::fstat(journal.file_.get(), &status) == 0 && S_ISREG(status.st_mode) &&
                        status.st_uid == ::geteuid() && status.st_nlink > 0;
    return is_own ? std::optional(std::move(journal)) : std::nullopt;
  }

  Result<std::vector<Step>> Read() const {
    SYNCLINE_ASSIGN(const std::string text, ReadWholeFile(path_));
    const auto damaged = Fail(ErrorCode::kMalformed, "is no journal of this program", path_);
    std::vector<std::string> words;
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find('\0', at);
      if (end == std::string::npos) return damaged;
      words.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    if (words.size() < 2 || words[0] != kHeader) return damaged;
    if (ParseNumber<size_t>(words[1]) != (words.size() - 2) / 4 || words.size() % 4 != 2) {
      return damaged;
    }
    std::vector<Step> steps;
    for (size_t i = 2; i < words.size(); i += 4) {
      const auto after = ParseNumber<uint64_t>(words[i + 2]);
      const auto before = ParseNumber<uint64_t>(words[i + 3]);
      Step step{At(words[i]), At(words[i + 1]), after.value_or(0), before.value_or(0)};
      // Whoever planted a journal could name anything.
      if (!after || !before || step.Holder().empty()) return damaged;
      steps.push_back(std::move(step));
    }
    return steps;
  }

  void Remove() const { ::unlink(path_.c_str()); }

 private:
  Journal(std::string folder, std::string path)
      : folder_(std::move(folder)), path_(std::move(path)) {}

  std::string Text(std::span<const Step> steps) const {
    std::string text(kHeader);
    const auto add = [&](const std::string& word) { (text += '\0') += word; };
    add(std::to_string(steps.size()));
    for (const Step& step : steps) {
      add(Relative(step.temporary));
      add(Relative(step.place));
      add(std::to_string(step.after));
      add(std::to_string(step.before));
    }
    return text + '\0';
  }
  std::string Relative(const std::string& path) const {
    return fs::path(path).lexically_relative(folder_).string();
  }
  std::string At(const std::string& path) const {
    return (fs::path(folder_) / path).lexically_normal().string();
  }

  std::string folder_;
  std::string path_;
  FileDescriptor file_;
};

// By absolute paths whose folders are no links, so that relative ones lead from one to the other.
std::string Resolved(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error).lexically_normal();
  const fs::path folder = fs::canonical(absolute.parent_path(), error);
  return error ? absolute.string() : (folder / absolute.filename()).string();
}

Result<std::vector<Step>> StepsOf(std::span<const Replacement> changes) {
  std::vector<Step> steps;
  for (const Replacement& change : changes) {
    Step step{Resolved(change.temporary), Resolved(change.place)};
    step.before = IdentityOf(step.place);
    if (!change.is_removal) step.after = IdentityOf(step.temporary);
    if (!change.is_removal && step.after == 0) {
      return Fail(ErrorCode::kUnreadable, "is gone", change.temporary);
    }
    if (step.before != 0 && change.if_exists == IfExists::kFail) {
      return Fail(ErrorCode::kUsage, "already exists (--force replaces it)", change.place);
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace

uint64_t IdentityOf(const std::string& path) {
  struct stat status = {};
  if (::lstat(path.c_str(), &status) != 0) return 0;
  constexpr uint64_t kSpread = 0x9E3779B97F4A7C15;
  const auto written = static_cast<uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000 +
                       static_cast<uint64_t>(status.st_mtim.tv_nsec);
  return (status.st_ino * kSpread ^ written) | 1;
}

Result<void> ReplaceTogether(std::span<const Replacement> changes) {
  if (changes.empty()) return {};
  const HeldTemporaries held = HoldTemporaries();
  const std::string folder = fs::path(Resolved(changes.front().place)).parent_path().string();
  SYNCLINE_TRY(FinishReplacing(folder));
  SYNCLINE_ASSIGN(const std::vector<Step> steps, StepsOf(changes));
  bool replaces = false;
  for (const Step& step : steps) replaces = replaces || step.before != 0;
  if (replaces) {
    for (const Step& step : steps) Flush(step.temporary);
  }
  std::optional<Journal> journal;
  // A single name changes in one step anyway.
  if (steps.size() > 1) {
    SYNCLINE_ASSIGN(journal, Journal::Create(folder, steps, replaces));
  }
  auto made = MakeAll(steps);
  if (!made && !AreAll(steps, &Step::before)) return made;  // the journal tells the rest
  RemoveHolders(steps);
  if (journal) journal->Remove();
  return made;
}

Result<void> CommitTogether(std::span<OutputFile> files) {
  std::vector<Replacement> changes;
  for (OutputFile& file : files) {
    SYNCLINE_ASSIGN(const std::optional<Replacement> change, file.Finish());
    if (change) changes.push_back(*change);
  }
  return ReplaceTogether(changes);
}

Result<size_t> FinishReplacing(const std::string& folder) {
  const auto journal = Journal::Open(Resolved((fs::path(folder) / "").string()));
  if (!journal) return 0;
  SYNCLINE_ASSIGN(const std::vector<Step> steps, journal->Read());
  const bool is_lost = std::ranges::any_of(steps, IsLost);
  if (!is_lost) SYNCLINE_TRY(MakeAll(steps));
  RemoveHolders(steps);
  journal->Remove();
  return is_lost ? 0 : steps.size();
}

}  // namespace syncline
