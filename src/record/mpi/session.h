// A recording from MPI_Init to MPI_Finalize: where it goes, the bursts, and the archive at the end.
//
// While the program runs everything is in FOLDER.partial; FOLDER appears at the end, whole. What
// goes wrong is said once on standard error; the program itself always goes on.
// Tested by: recording_test.cc.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <mpi.h>
#include <otf2/otf2.h>
#include <sys/types.h>

#include "record/mpi/bursts.h"
#include "record/mpi/recorder.h"

namespace syncline::mpi {

class Session {
 public:
  // After PMPI_Init.
  void Begin(int thread_level);
  // Before PMPI_Finalize.
  void End();
  // After a barrier of MPI_COMM_WORLD.
  void AfterBarrier();
  // Before PMPI_Abort, or when the program exits without MPI_Finalize.
  void Lose(const char* why);

 private:
  enum class State : uint8_t { kIdle, kRecording, kOver };

  std::string VariablesOfFirst() const;
  std::string Start(int thread_level);
  void Burst();
  void NoteTime();
  void WriteAll();
  std::string WriteTogether(const std::string& text);
  void Report(uint64_t events);
  bool AllAgree(bool is_fine) const;

  std::atomic<State> state_ = State::kIdle;
  Options options_;
  MPI_Comm communicator_ = MPI_COMM_NULL;
  pid_t process_ = 0;
  int rank_ = 0;
  int size_ = 1;
  std::optional<Bursts> bursts_;
  bool has_regions_ = false;
  std::atomic<uint64_t> barriers_ = 0;
  uint64_t events_written_ = 0;
  uint64_t steps_back_ = 0;
  uint64_t left_out_ = 0;
  uint64_t one_sided_ = 0;
  uint64_t on_files_ = 0;
};

Session& TheSession();

// Region clocks over a recording: whether they are kept, and what they say at the end.

// Together in all processes of `communicator`, which are those of the run. Returns why this process
// cannot keep them although it is asked to; all keep them or none does.
std::string BeginRegions(Recorder& recorder, bool is_wanted, int thread_level,
                         MPI_Comm communicator);

// Ends the clocks; nothing is received any more.
void EndRegions(Recorder& recorder);

// Together, after EndRegions. Rank 0 writes concurrency.json and concurrency.txt into `folder`.
// Returns what is to be said.
std::string WriteRegions(const Recorder& recorder, const std::string& folder,
                         MPI_Comm communicator);

// What processes do together when the archive is written, by MPI without being recorded.

// Rank 0's text, in all of them.
std::string TextOfFirst(const std::string& own, MPI_Comm communicator);
// Every process's text, by rank, in all of them; none where one has no memory for them.
std::vector<std::string> ShareTexts(const std::string& text, MPI_Comm communicator);

// For libotf2: this process is one of the communicator's.
std::function<OTF2_ErrorCode(OTF2_Archive*)> CollectivesOf(MPI_Comm communicator);

}  // namespace syncline::mpi
