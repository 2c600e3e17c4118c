#include "record/mpi/event_log.h"

#include <csignal>
#include <filesystem>

#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "record/mpi/testing/test_folder.h"

namespace syncline::mpi {
namespace {

RawEvent At(uint64_t time) { return {.time = time, .kind = RawKind::kEnter}; }

TEST(EventLog, KeepsEventsOfSeveralWindowsInOrder) {
  const TestFolder folder;
  const std::string path = folder / "log";
  constexpr uint64_t kEvents = 2 * EventLog::kWindowEvents + 5;
  auto log = EventLog::Create(path, 0);
  ASSERT_TRUE(log) << log.error().ToString();
  for (uint64_t i = 0; i < kEvents; ++i) log->Append(At(i));
  EXPECT_EQ(log->size(), kEvents);
  log->Close();
  EXPECT_EQ(std::filesystem::file_size(path), kEvents * sizeof(RawEvent));
  const auto reader = EventLogReader::Open(path);
  ASSERT_TRUE(reader) << reader.error().ToString();
  ASSERT_EQ(reader->size(), kEvents);
  uint64_t expected = 0;
  for (const RawEvent& event : *reader) ASSERT_EQ(event.time, expected++);
}

TEST(EventLog, OfAKilledProcessHoldsWhatWasAppended) {
  const TestFolder folder;
  const std::string path = folder / "log";
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto log = EventLog::Create(path, 0);
    for (uint64_t i = 0; log && i < 100; ++i) log->Append(At(i));
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  const auto reader = EventLogReader::Open(path);
  ASSERT_TRUE(reader) << reader.error().ToString();
  ASSERT_EQ(reader->size(), 100U);
  EXPECT_EQ((reader->end() - 1)->time, 99U);
}

TEST(EventLog, ForgetsWhatIsRewound) {
  const TestFolder folder;
  const std::string path = folder / "log";
  auto log = EventLog::Create(path, 0);
  ASSERT_TRUE(log) << log.error().ToString();
  log->Append(At(1));
  log->Append(At(2));
  log->Rewind(1);
  log->Append(At(3));
  log->Append(At(4));
  log->Rewind(2);
  log->Close();
  const auto reader = EventLogReader::Open(path);
  ASSERT_TRUE(reader) << reader.error().ToString();
  ASSERT_EQ(reader->size(), 2U);
  EXPECT_EQ(reader->begin()[0].time, 1U);
  EXPECT_EQ(reader->begin()[1].time, 3U);
}

TEST(EventLog, GoesOnAfterItWasReleased) {
  const TestFolder folder;
  const std::string path = folder / "log";
  auto log = EventLog::Create(path, 0);
  ASSERT_TRUE(log) << log.error().ToString();
  // Released in the first window, at its end, and in the second.
  uint64_t next = 0;
  for (const uint64_t until :
       {uint64_t{3}, uint64_t{EventLog::kWindowEvents}, uint64_t{EventLog::kWindowEvents + 2}}) {
    while (next < until) log->Append(At(next++));
    log->Release();
    EXPECT_EQ(log->size(), until);
    EXPECT_EQ(std::filesystem::file_size(path), until * sizeof(RawEvent));
  }
  log->Append(At(next++));
  log->Close();
  log->Append(At(next));
  EXPECT_EQ(log->lost(), 1U);
  const auto reader = EventLogReader::Open(path);
  ASSERT_TRUE(reader) << reader.error().ToString();
  ASSERT_EQ(reader->size(), EventLog::kWindowEvents + 3);
  uint64_t expected = 0;
  for (const RawEvent& event : *reader) ASSERT_EQ(event.time, expected++);
}

TEST(EventLog, WithoutAFileCountsWhatIsLost) {
  EventLog log = EventLog::Without("no file");
  for (uint64_t i = 0; i < 3; ++i) log.Append(At(i));
  log.Release();
  log.Rewind(0);
  EXPECT_EQ(log.size(), 0U);
  EXPECT_EQ(log.lost(), 3U);
  EXPECT_EQ(log.problem(), "no file");
}

// A timer that interrupts every system call that can be.
TEST(EventLog, GrowsWhileATimerInterrupts) {
  const TestFolder folder;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::signal(SIGALRM, [](int) {});
    const itimerval often = {.it_interval = {0, 30}, .it_value = {0, 30}};
    ::setitimer(ITIMER_REAL, &often, nullptr);
    auto log = EventLog::Create(folder / "log", 0);
    for (uint64_t i = 0; log && i < 2 * EventLog::kWindowEvents; ++i) log->Append(At(i));
    ::_exit(log && log->lost() == 0 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(EventLog, CountsWhatItsLimitDoesNotAllow) {
  const TestFolder folder;
  auto log = EventLog::Create(folder / "log", 1);  // less than a window: one window
  ASSERT_TRUE(log) << log.error().ToString();
  for (uint64_t i = 0; i < EventLog::kWindowEvents + 7; ++i) log->Append(At(i));
  EXPECT_EQ(log->size(), EventLog::kWindowEvents);
  EXPECT_EQ(log->lost(), 7U);
  EXPECT_EQ(log->problem(), "SYNCLINE_MPI_MAX_BYTES is reached");
}

// A limit of the file's size stands for a full disk: the process must not die of it, nor does its
// own signal get lost.
TEST(EventLog, CountsWhatAFullDiskDoesNotTake) {
  const TestFolder folder;
  const std::string path = folder / "log";
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    constexpr rlim_t kBytes = EventLog::kWindowEvents * sizeof(RawEvent) * 3 / 2;
    const rlimit limit = {kBytes, kBytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    auto log = EventLog::Create(path, 0);
    for (uint64_t i = 0; log && i < EventLog::kWindowEvents + 7; ++i) log->Append(At(i));
    ::_exit(log && log->lost() == 7 && !log->problem().empty() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(EventLog, SaysWhyAFileCannotBe) {
  const TestFolder folder;
  EXPECT_EQ(EventLog::Create(folder / "no/log", 0).error().code, ErrorCode::kUnreadable);
  EXPECT_EQ(EventLogReader::Open(folder / "none").error().code, ErrorCode::kUnreadable);
}

}  // namespace
}  // namespace syncline::mpi
