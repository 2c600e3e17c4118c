#include "record/mpi/session.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "base/try.h"
#include "record/mpi/archive_writer.h"
#include "record/mpi/file_size_signal.h"
#include "record/mpi/partial_folder.h"
#include "record/mpi/raw_event.h"

namespace syncline::mpi {
namespace {

void Say(const std::string& text) {
  const std::string line = fmt::format("syncline: {}\n", text);
  std::fputs(line.c_str(), stderr);
}

std::string WhereToGoOn(const std::string& folder) {
  std::error_code error;
  const std::string near = std::filesystem::proximate(folder, error).string();
  return fmt::format("recorded {0}/traces.otf2; next: syncline sync {0}/traces.otf2 -o corrected",
                     error ? folder : near);
}

std::string HostName() {
  std::array<char, 256> name = {};
  ::gethostname(name.data(), name.size() - 1);
  std::string host(name.data());
  std::ranges::replace(host, ' ', '-');
  return host.empty() ? "host" : host;
}

Result<std::vector<RankDefinitions>> ParseAll(const std::vector<std::string>& texts) try {
  if (texts.empty()) return Fail(ErrorCode::kUnreadable, "no memory is left");
  std::vector<RankDefinitions> processes;
  for (size_t rank = 0; rank < texts.size(); ++rank) {
    SYNCLINE_ASSIGN(auto parsed,
                    ParseDefinitions(texts[rank], DefinitionsName(static_cast<uint32_t>(rank))));
    processes.push_back(std::move(parsed));
  }
  return processes;
} catch (const std::bad_alloc&) {
  return Fail(ErrorCode::kUnreadable, "no memory is left");
}

// As it is now: the program may change its working directory.
std::string AbsolutePath(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.string();
}

// What recording costs here and now, in ns: the time of frames without a call in them, the fastest
// of several rounds.
struct Overhead {
  double clock_ns = 0;  // to read the clock once
  double call_ns = 0;   // a send: entered, sent, left
  double event_ns = 0;  // the same, for each of its three events
};

constexpr int kOverheadRounds = 20;
constexpr int kMeasuredCalls = 5000;
constexpr double kEventsPerCall = 3;

template <typename Function>
double FastestNs(const Function& function) {
  uint64_t fastest = UINT64_MAX;
  for (int round = 0; round < kOverheadRounds; ++round) {
    const uint64_t begin = ReadSystemClock(CLOCK_MONOTONIC_RAW);
    for (int i = 0; i < kMeasuredCalls; ++i) function(static_cast<size_t>(i));
    fastest = std::min(fastest, ReadSystemClock(CLOCK_MONOTONIC_RAW) - begin);
  }
  return static_cast<double>(fastest) / kMeasuredCalls;
}

// In a scratch log; nothing is added to the recording.
Overhead MeasureOverhead(const ClockReader& clock) {
  std::vector<RawEvent> log(3 * kMeasuredCalls);
  volatile uint64_t sum = 0;
  Overhead overhead;
  overhead.clock_ns = FastestNs([&](size_t) { sum = sum + clock.Now(); });
  overhead.call_ns = FastestNs([&](size_t i) {
    const uint64_t entered = clock.Now();
    log[3 * i] = {.time = entered, .kind = RawKind::kEnter};
    log[3 * i + 1] = {.time = entered, .bytes = i, .kind = RawKind::kSend};
    log[3 * i + 2] = {.time = clock.Now(), .kind = RawKind::kLeave};
  });
  overhead.event_ns = overhead.call_ns / kEventsPerCall;
  return overhead;
}

}  // namespace

Session& TheSession() {
  // Never destroyed, as the recorder.
  static auto* session = new Session;
  return *session;
}

bool Session::AllAgree(bool is_fine) const {
  int fine = is_fine ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &fine, 1, MPI_INT, MPI_MIN, communicator_);
  return fine != 0;
}

void Session::Begin(int thread_level) {
  const FileSizeSignalBlock too_large;
  process_ = ::getpid();
  PMPI_Comm_dup(MPI_COMM_WORLD, &communicator_);
  PMPI_Comm_rank(communicator_, &rank_);
  PMPI_Comm_size(communicator_, &size_);
  const std::string problem = Start(thread_level);
  if (!problem.empty()) Say(fmt::format("{}; nothing is recorded", problem));
  if (state_ == State::kRecording) {
    std::atexit([] { TheSession().Lose("the program ended without MPI_Finalize"); });
    Burst();
  }
}

// All processes must have the same options, or they would wait for each other.
std::string Session::VariablesOfFirst() const {
  const std::string own = VariablesIn(environ);
  const std::string first = TextOfFirst(own, communicator_);
  int differing = own == first ? 0 : 1;
  PMPI_Allreduce(MPI_IN_PLACE, &differing, 1, MPI_INT, MPI_SUM, communicator_);
  if (differing > 0 && rank_ == 0) {
    Say(fmt::format("variables SYNCLINE_MPI_* are other than rank 0's in {} ranks; rank 0's hold",
                    differing));
  }
  return first;
}

// Returns what this process has to say; recording has begun if all are fine.
std::string Session::Start(int thread_level) {
  std::string problem;
  const Result<Options> options = OptionsOf(VariablesOfFirst());
  if (options) {
    options_ = *options;
  } else {
    problem = options.error().message;
  }
  int first_refusing = problem.empty() ? size_ : rank_;
  PMPI_Allreduce(MPI_IN_PLACE, &first_refusing, 1, MPI_INT, MPI_MIN, communicator_);
  if (first_refusing < size_) return rank_ == first_refusing ? problem : "";
  if (rank_ == 0) {
    const Result<std::string> made = MakePartialFolder(options_.folder);
    if (made) {
      options_.folder = *made;
    } else {
      problem = made.error().ToString();
    }
  }
  if (!AllAgree(problem.empty())) return problem;
  options_.folder = AbsolutePath(TextOfFirst(options_.folder, communicator_));
  Recorder& recorder = TheRecorder();
  if (auto begun = recorder.Begin(options_, LogFolderOf(options_.folder), thread_level); !begun)
    problem = begun.error().ToString();
  if (!AllAgree(problem.empty())) {
    if (rank_ == 0) RemovePartialFolder(options_.folder);
    return problem;
  }
  recorder.AddLine(FirstLines({.rank = static_cast<uint32_t>(rank_),
                               .ranks = static_cast<uint32_t>(size_),
                               .host = HostName(),
                               .clock = NameOf(options_.clock)}));
  NoteTime();
  if (recorder.clock().is_counter()) {
    // A first rate, should the program never get to its end.
    const timespec pause = {.tv_sec = 0, .tv_nsec = 10'000'000};
    ::nanosleep(&pause, nullptr);
    NoteTime();
  }
  recorder.AddCommunicator(MPI_COMM_WORLD, "MPI_COMM_WORLD");
  const CommunicatorInfo own = recorder.AddCommunicator(communicator_, "syncline");
  recorder.AddCommunicator(MPI_COMM_SELF, "MPI_COMM_SELF");
  bursts_.emplace(communicator_, own.number);
  if (const std::string why =
          BeginRegions(recorder, options_.keeps_regions, thread_level, communicator_);
      !why.empty()) {
    Say(fmt::format("rank {}: {}", rank_, why));
  }
  has_regions_ = recorder.regions().is_on();
  recorder.TurnOn();
  state_ = State::kRecording;
  return "";
}

void Session::NoteTime() {
  TheRecorder().AddLine(LineOf(TimePoint{.ticks = TheRecorder().Now(),
                                         .epoch_ns = ReadSystemClock(CLOCK_REALTIME),
                                         .steady_ns = ReadSystemClock(CLOCK_MONOTONIC_RAW)}));
}

void Session::Burst() {
  const std::optional<OffsetPoint> point = bursts_->Run(TheRecorder());
  if (point) TheRecorder().AddLine(LineOf(*point));
}

void Session::AfterBarrier() {
  if (state_ != State::kRecording || options_.burst_every == 0) return;
  if (++barriers_ % options_.burst_every == 0) Burst();
}

void Session::Lose(const char* why) {
  if (::getpid() != process_) return;  // a forked child's end
  State recording = State::kRecording;
  if (!state_.compare_exchange_strong(recording, State::kOver)) return;
  TheRecorder().TurnOff();
  Say(
      fmt::format("rank {}: {}; no archive is written. What was recorded is in {}, and "
                  "syncline_mpi_rescue {} makes the archive of it",
                  rank_, why, PartialFolderOf(options_.folder), options_.folder));
}

void Session::End() {
  if (state_ != State::kRecording) return;
  const FileSizeSignalBlock too_large;
  Burst();
  NoteTime();
  TheRecorder().TurnOff();
  if (has_regions_) EndRegions(TheRecorder());
  state_ = State::kOver;
  WriteAll();
  PMPI_Comm_free(&communicator_);
}

void Session::WriteAll() {
  Recorder& recorder = TheRecorder();
  const Result<std::string> text = recorder.End();
  std::string problem = WriteTogether(text ? *text : "");
  if (!text) problem = text.error().ToString();
  const bool is_fine = AllAgree(problem.empty());
  if (!problem.empty()) Say(problem);
  if (is_fine && has_regions_) {
    const std::string said =
        WriteRegions(recorder, ArchiveFolderOf(options_.folder), communicator_);
    if (!said.empty()) Say(said);
  }
  if (rank_ == 0) {
    if (is_fine) {
      const auto moved = CompletePartialFolder(options_.folder);
      Say(moved ? WhereToGoOn(options_.folder) : moved.error().ToString());
    } else {
      Say(
          fmt::format("no archive is written. What was recorded is in {}, and "
                      "syncline_mpi_rescue {} makes the archive of it",
                      PartialFolderOf(options_.folder), options_.folder));
    }
  }
  for (const auto& thread : recorder.threads()) {
    if (thread->log.lost() > 0) {
      Say(fmt::format("rank {}: {} events at the end are lost: {}", rank_, thread->log.lost(),
                      thread->log.problem()));
    }
    left_out_ += thread->unknown_communicator;
  }
  if (!recorder.problem().empty())
    Say(fmt::format("rank {}: a thread is not recorded: {}", rank_, recorder.problem()));
  constexpr size_t kCounts = 5;
  const std::array<uint64_t, kCounts> counts = {events_written_, steps_back_, left_out_, one_sided_,
                                                on_files_};
  std::array<uint64_t, kCounts> sums = {};
  PMPI_Reduce(counts.data(), sums.data(), kCounts, MPI_UINT64_T, MPI_SUM, 0, communicator_);
  if (rank_ != 0) return;
  if (sums[1] > 0)
    Say(fmt::format("{} times stepped back and were raised to the one before", sums[1]));
  if (sums[2] > 0)
    Say(fmt::format("{} calls on communicators of unknown members are recorded as regions only",
                    sums[2]));
  if (sums[3] > 0)
    Say(fmt::format("{} one-sided operations are recorded as regions only", sums[3]));
  if (sums[4] > 0 && options_.is_verbose)
    Say(fmt::format("{} calls on files are recorded as regions only", sums[4]));
  if (options_.is_verbose && is_fine) Report(sums[0]);
}

std::string Session::WriteTogether(const std::string& text) {
  const std::vector<std::string> texts = ShareTexts(text, communicator_);
  auto processes = ParseAll(texts);
  std::string problem = processes ? "" : processes.error().ToString();
  const std::string folder = ArchiveFolderOf(options_.folder);
  if (rank_ == 0 && processes) {
    std::error_code error;
    std::filesystem::create_directory(folder, error);
    if (error) problem = fmt::format("{}: {}", folder, error.message());
  }
  if (!AllAgree(problem.empty())) return problem;
  const ArchivePlan plan{.folder = folder,
                         .log_folder = LogFolderOf(options_.folder),
                         .processes = *processes,
                         .own_ranks = {static_cast<uint32_t>(rank_)},
                         .is_master = rank_ == 0,
                         .all_agree = [this](bool is_fine) { return AllAgree(is_fine); },
                         .set_collectives = CollectivesOf(communicator_)};
  auto written = WriteArchive(plan);
  if (!written) return written.error().ToString();
  events_written_ = written->events;
  steps_back_ = written->steps_back;
  left_out_ = written->left_out;
  one_sided_ = written->one_sided;
  on_files_ = written->on_files;
  return "";
}

void Session::Report(uint64_t events) {
  const Overhead overhead = MeasureOverhead(TheRecorder().clock());
  Say(fmt::format(
      "{} events of {} ranks in {}; recording takes {:.0f} ns per call, {:.0f} ns per "
      "event, {:.0f} ns of a call to read the clock twice",
      events, size_, options_.folder, overhead.call_ns, overhead.event_ns, 2 * overhead.clock_ns));
}

}  // namespace syncline::mpi

using syncline::mpi::TheSession;

// NOLINTBEGIN(readability-identifier-naming): the names are MPI's
#pragma GCC visibility push(default)
extern "C" {

int MPI_Init(int* argc, char*** argv) {
  const int error = PMPI_Init(argc, argv);
  if (error == MPI_SUCCESS) TheSession().Begin(MPI_THREAD_SINGLE);
  return error;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int error = PMPI_Init_thread(argc, argv, required, provided);
  if (error == MPI_SUCCESS) TheSession().Begin(*provided);
  return error;
}

int MPI_Finalize() {
  TheSession().End();
  return PMPI_Finalize();
}

int MPI_Abort(MPI_Comm communicator, int code) {
  TheSession().Lose("MPI_Abort was called");
  return PMPI_Abort(communicator, code);
}

}  // extern "C"
#pragma GCC visibility pop
// NOLINTEND(readability-identifier-naming)
