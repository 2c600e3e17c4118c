// Real programs under mpirun with the library preloaded.

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "read/otf2/archive.h"
#include "record/mpi/recording_test_util.h"

namespace syncline::mpi {
namespace {

using testing::HasSubstr;

size_t CountLines(const std::string& text, const std::string& begin, const std::string& part) {
  size_t count = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    if (line.starts_with(begin + " ") && line.find(part) != std::string::npos) ++count;
    at = end + 1;
  }
  return count;
}

constexpr uint64_t kRingSteps = 60;  // of clocks.c

// Exchanges of a burst with rank 0: two messages each, with every other rank.
constexpr uint64_t BurstMessages(uint64_t exchanges) { return 2 * exchanges * (kRanks - 1); }

TEST_F(Recording, HoldsEveryCallAndChangesNoResult) {
  const Ran plain = RunCommand(
      fmt::format("timeout -k 5 60 mpirun --allow-run-as-root --oversubscribe -n {} {} 2>/dev/null",
                  kRanks, Program("mpi_all_calls")));
  ASSERT_EQ(plain.status, 0);
  const Ran recorded = RunCommand(Mpirun(Program("mpi_all_calls"), "SYNCLINE_MPI_EXCHANGES=10"));
  EXPECT_EQ(recorded.status, 0) << Stderr();
  EXPECT_EQ(recorded.out, plain.out);
  EXPECT_EQ(Stderr(), kRecorded);
  EXPECT_FALSE(fs::exists(folder_ / "trace.partial"));

  // Of each rank: 8 blocking, 7 · 4 non-blocking, 3 · 2 persistent, 3 in communicators of all and
  // one between two groups; two bursts.
  ExpectOrder(Synchronized(), kRanks * (8 + 7 * 4 + 3 * 2 + 3 + 1) + 2 * BurstMessages(10));

  const Ran printed = RunCommand(fmt::format("otf2-print {} 2>&1", Trace()));
  if (printed.status == 127) GTEST_SKIP() << "needs otf2-print";
  ASSERT_EQ(printed.status, 0) << printed.out;
  const std::string& text = printed.out;
  // Rsend's, Mprobe's and Improbe's one each; those above that are posted.
  constexpr size_t kPosted = kRanks * (1 + 2 + 7 * 4 + 3 * 2);
  EXPECT_EQ(CountLines(text, "MPI_IRECV", ""), kPosted);
  EXPECT_EQ(CountLines(text, "MPI_IRECV_REQUEST", ""), kPosted + kRanks);
  EXPECT_EQ(CountLines(text, "MPI_REQUEST_CANCELLED", ""), size_t{kRanks});
  const size_t isends = CountLines(text, "MPI_ISEND", "");
  EXPECT_EQ(isends, size_t{kRanks} * (2 + 7 * 4 + 3 * 2));
  EXPECT_EQ(CountLines(text, "MPI_ISEND_COMPLETE", ""), isends);
  for (const char* operation : {"SCAN", "EXSCAN", "ALLTOALLW", "REDUCE_SCATTER_BLOCK", "GATHERV"}) {
    EXPECT_EQ(CountLines(text, "MPI_COLLECTIVE_END", fmt::format("Operation: {},", operation)),
              size_t{kRanks})
        << operation;
    EXPECT_EQ(CountLines(text, "NON_BLOCKING_COLLECTIVE_COMPLETE",
                         fmt::format("Operation: {},", operation)),
              size_t{kRanks})
        << operation;
  }
  EXPECT_EQ(CountLines(text, "ENTER", ""), CountLines(text, "LEAVE", ""));
}

TEST_F(Recording, HoldsCallsFromFortran) {
  if (!fs::exists(Program("mpi_fortran_calls"))) GTEST_SKIP() << "needs gfortran";
  const Ran ran = RunCommand(Mpirun(Program("mpi_fortran_calls"), "SYNCLINE_MPI_EXCHANGES=10"));
  ASSERT_EQ(ran.status, 0) << Stderr();
  // Of each rank: received left + left + its rank as source + its tag 1; left + index 1 + left;
  // sums over even or odd ranks, and 10 · 2 ranks; left; left + left + left + the scan.
  // Over ranks 0 to 3 each left comes to 6, the sums to 2 · (2 + 4), scans to 0 + 1 + 3 + 6.
  constexpr int kExpected = (2 * 6 + 4) + (2 * 6 + 4) + 2 * (2 + 4) + 4 * 20 + 6 + 3 * 6 + 10;
  EXPECT_EQ(std::stoi(ran.out), kExpected);
  ExpectOrder(Synchronized(), kRanks * 5 + 2 * BurstMessages(10));
}

TEST_F(Recording, ShowsWindowsAndFilesAsRegions) {
  const Ran ran = RunCommand(Mpirun(Program("mpi_windows_files"), "SYNCLINE_MPI_EXCHANGES=5"));
  ASSERT_EQ(ran.status, 0) << Stderr();
  EXPECT_THAT(ran.out, HasSubstr("1: 0 3, 1 of 2, 0\n"));
  // A Put and a Get of each rank.
  EXPECT_THAT(Stderr(), HasSubstr("syncline: 8 one-sided operations are recorded as regions only"));
  ExpectOrder(Synchronized(), kRanks + 2 * BurstMessages(5));
  const Ran printed = RunCommand(fmt::format("otf2-print {} 2>&1", Trace()));
  if (printed.status == 127) GTEST_SKIP() << "needs otf2-print";
  for (const char* call : {"MPI_Put", "MPI_Get", "MPI_Win_create", "MPI_File_open",
                           "MPI_File_write_at_all", "MPI_File_iread_at", "MPI_File_close"}) {
    EXPECT_EQ(CountLines(printed.out, "ENTER", fmt::format("\"{}\"", call)), size_t{kRanks})
        << call;
  }
}

TEST_F(Recording, EveryShapeOfBurstsGivesBoundsToAll) {
  // A tree of 4 ranks has 3 pairs, as many as rank 0 with the others. Bursts at the begin, at the
  // end and after every second of the program's 3 barriers.
  for (const char* shape : {"tree", "broadcast"}) {
    SCOPED_TRACE(shape);
    fs::remove_all(folder_ / "trace");
    fs::remove_all(folder_ / "corrected");
    const Ran ran =
        RunCommand(Mpirun(Program("mpi_clocks clocks"),
                          fmt::format("SYNCLINE_MPI_EXCHANGES=20 SYNCLINE_MPI_BURST={} "
                                      "SYNCLINE_MPI_BURST_EVERY=2 SYNCLINE_MPI_CLOCK=counter",
                                      shape)));
    ASSERT_EQ(ran.status, 0) << Stderr();
    ExpectOrder(Synchronized(), kRanks * kRingSteps + 3 * BurstMessages(20));
  }
}

// Clocks that differ by seconds and tens of ppm, as libfaketime makes them.
std::optional<std::string> Faketime() {
  for (const char* folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"}) {
    const std::string path = fmt::format("{}/faketime/libfaketimeMT.so.1", folder);
    if (fs::exists(path)) return path;
  }
  return std::nullopt;
}

// The truth in the clocks that the archive shows: its own offsets applied.
void WriteTruth(const std::string& anchor, const std::string& anchors, const std::string& path) {
  const auto archive = Otf2Archive::Open(anchor);
  ASSERT_TRUE(archive) << archive.error().ToString();
  nlohmann::json truth;
  for (uint32_t rank = 0; rank < kRanks; ++rank) {
    const ProcessId process(rank);
    const Clock& clock = archive->traces().clocks[archive->traces().processes[rank].clock.index()];
    std::ifstream file(fmt::format("{}.{}", anchors, rank));
    uint64_t traced = 0;
    int64_t true_ns = 0;
    while (file >> traced >> true_ns) {
      const LocalTime local = archive->clock_offsets(process).Corrected(traced);
      truth["clocks"][clock.name].push_back({clock.NominalNs(local), true_ns});
    }
    ASSERT_EQ(truth["clocks"][clock.name].size(), 2U);
  }
  std::ofstream(path) << truth.dump();
}

TEST_F(Recording, OfDistortedClocksIsCorrectedToTheTruthWithinItsBounds) {
  const std::optional<std::string> faketime = Faketime();
  if (!faketime) GTEST_SKIP() << "needs Debian's faketime";
  std::string command = fmt::format(
      "cd {} && env SYNCLINE_MPI_OUT=trace timeout -k 5 60 mpirun --allow-run-as-root "
      "--oversubscribe",
      folder_ / ".");
  const std::array<std::string, kRanks> distortions = {"", "+1.7 x1.00004", "-0.42 x0.99997",
                                                       "+0.1 x1.00008"};
  for (const std::string& distortion : distortions) {
    const std::string fake = distortion.empty() ? "" : fmt::format("{}:", *faketime);
    const std::string how = distortion.empty() ? "" : fmt::format("-x FAKETIME=\"{}\"", distortion);
    command += fmt::format(" {} -n 1 -x LD_PRELOAD={}{} {} {} clocks",
                           &distortion == distortions.data() ? "" : ":", fake, SYNCLINE_PRELOAD,
                           how, Program("mpi_clocks"));
  }
  const Ran ran = RunCommand(command + " 2>stderr");
  ASSERT_EQ(ran.status, 0) << Stderr();
  ASSERT_NO_FATAL_FAILURE(WriteTruth(Trace(), folder_ / "clocks", folder_ / "truth.json"));
  const nlohmann::json summary = Synchronized(fmt::format("--truth {}", folder_ / "truth.json"));
  ExpectOrder(summary, kRanks * kRingSteps + 2 * BurstMessages(50));
  EXPECT_EQ(summary["truth"]["outside_bound"], 0) << summary["truth"];
  EXPECT_GT(summary["truth"]["events"], 0);
}

TEST_F(Recording, OfADyingProgramCanBeRescued) {
  for (const char* how : {"abort", "kill"}) {
    SCOPED_TRACE(how);
    fs::remove_all(folder_ / "trace");
    fs::remove_all(folder_ / "corrected");
    const Ran ran = RunCommand(Mpirun(Program(fmt::format("mpi_dies {}", how))));
    EXPECT_NE(ran.status, 0);
    if (*how == 'a') {
      EXPECT_THAT(Stderr(), HasSubstr("rank 1: MPI_Abort was called; no archive"));
    }
    ASSERT_FALSE(fs::exists(folder_ / "trace"));
    const Ran rescued = RunCommand(fmt::format("{} {}", SYNCLINE_RESCUE, folder_ / "trace"));
    EXPECT_EQ(rescued.status, 0) << rescued.out;
    EXPECT_FALSE(fs::exists(folder_ / "trace.partial"));
    const nlohmann::json summary = Synchronized();
    EXPECT_EQ(summary["messages"]["inverted_after"], 0);
    EXPECT_GE(summary["messages"]["total"], BurstMessages(50));
  }
}

// A disk that holds the logs, 14 MB, but not the archive beside them.
TEST_F(Recording, SaysWhenTheDiskIsFullAndLosesNothing) {
  const std::string mount =
      fmt::format("mount -t tmpfs -o size=20m none {}", std::string(folder_ / "."));
  if (RunCommand(fmt::format("unshare -m sh -c '{}' 2>&1", mount)).status != 0)
    GTEST_SKIP() << "needs a mount namespace";
  const Ran ran =
      RunCommand(fmt::format("unshare -m sh -c '{} && {}; echo status $?; cat stderr; ls; "
                             "mount -o remount,size=60m {}; {} trace; ls trace'",
                             mount, Mpirun(Program("mpi_all_calls"), "SYNCLINE_MPI_EXCHANGES=6000"),
                             std::string(folder_ / "."), SYNCLINE_RESCUE));
  EXPECT_THAT(ran.out, HasSubstr("status 0\n"));
  EXPECT_THAT(ran.out, HasSubstr("trace.partial/archive: cannot be written: the disk is nearly "
                                 "full\n"));
  EXPECT_THAT(ran.out, HasSubstr("\nstderr\ntrace.partial\n"));
  EXPECT_THAT(ran.out, HasSubstr("\ntraces.otf2\n"));
}

TEST_F(Recording, NeverReplacesAFolder) {
  fs::create_directory(folder_ / "trace");
  const Ran ran = RunCommand(Mpirun(Program("mpi_all_calls")));
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(Stderr(), HasSubstr("syncline: recorded trace.2/traces.otf2; next: syncline sync "));
  EXPECT_TRUE(fs::is_empty(folder_ / "trace"));
  EXPECT_TRUE(fs::exists(folder_ / "trace.2/traces.otf2"));
  EXPECT_FALSE(fs::exists(folder_ / "trace.partial"));
}

TEST_F(Recording, SaysWhenTheFolderCannotBeMade) {
  const Ran ran = RunCommand(Mpirun(Program("mpi_all_calls"), "SYNCLINE_MPI_OUT=/proc/trace"));
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(Stderr(), HasSubstr("syncline: /proc/trace.partial: cannot be created"));
  EXPECT_THAT(Stderr(), HasSubstr("nothing is recorded"));
}

struct Measures {
  nlohmann::json json;
  double Of(size_t process, const char* name) const { return json["processes"][process][name]; }
};

class Examples : public Recording {
 protected:
  Measures Measured(const std::string& program) const {
    // Durations alone count; exchanges of clocks would only add waits of their own.
    const Ran ran = RunCommand(Mpirun(Program(program), "SYNCLINE_MPI_EXCHANGES=0"));
    EXPECT_EQ(ran.status, 0) << Stderr();
    const Ran measured =
        RunCommand(fmt::format("{} concurrency {} --json - --quiet", SYNCLINE_PROGRAM, Trace()));
    return {nlohmann::json::parse(measured.out, nullptr, false)};
  }
};

TEST_F(Examples, ImbalanceOfTheHaloExchangeIsFound) {
  const Measures measures = Measured("example_halo 12");
  constexpr size_t kSlowRank = 2;
  for (size_t rank = 0; rank < kRanks; ++rank) {
    if (rank == kSlowRank) continue;
    EXPECT_GT(measures.Of(kSlowRank, "share"), measures.Of(rank, "share"));
    EXPECT_GT(measures.Of(kSlowRank, "efficiency"), measures.Of(rank, "efficiency"));
  }
}

TEST_F(Examples, BottleneckOfTheMasterIsFound) {
  const Measures measures = Measured("example_master_worker 40");
  EXPECT_GT(measures.Of(0, "efficiency"), 0.7);
  for (size_t worker = 1; worker < kRanks; ++worker) {
    EXPECT_GT(measures.Of(0, "share"), 2 * measures.Of(worker, "share"));
    EXPECT_LT(measures.Of(worker, "efficiency"), 0.5);
  }
  EXPECT_GT(measures.json["computation"]["path_share"], 0.5);
}

}  // namespace
}  // namespace syncline::mpi
