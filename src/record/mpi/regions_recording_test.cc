// Region clocks that recorded programs keep: equal to what the archive of the same run gives, and
// without effect on what the programs do.

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "record/mpi/clock_line.h"
#include "record/mpi/recording_test_util.h"

namespace syncline::mpi {
namespace {

using testing::HasSubstr;

std::vector<std::string> SortedLines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

class RegionRecording : public Recording {
 protected:
  Ran Record(const std::string& program, const std::string& variables) const {
    fs::remove_all(folder_ / "trace");
    return RunCommand(Mpirun(program, fmt::format("SYNCLINE_MPI_REGIONS=1 {}", variables)));
  }
  // `rate_error`: of the archive's ClockOffset records, which readers of the archive heed.
  void ExpectLiveAsInArchive(double rate_error) const {
    const auto live =
        nlohmann::json::parse(Contents(folder_ / "trace/concurrency.json"), nullptr, false);
    const Ran ran =
        RunCommand(fmt::format("{} concurrency {} --json - --quiet", SYNCLINE_PROGRAM, Trace()));
    const auto traced = nlohmann::json::parse(ran.out, nullptr, false);
    ASSERT_TRUE(live.is_object() && traced.is_object()) << Stderr();
    ASSERT_EQ(live["processes"].size(), size_t{kRanks});
    // Of durations and their differences by the longest, of ratios by 1.
    const double longest = live["computation"]["volume_ns"].get<double>();
    const auto tolerance_of = [&](const std::string& name) {
      return rate_error * (name.ends_with("_ns") ? longest : 4);
    };
    for (size_t rank = 0; rank < kRanks; ++rank) {
      for (const auto& [name, value] : live["processes"][rank].items())
        ExpectEqual(value, traced["processes"][rank][name], tolerance_of(name), name);
    }
    for (const auto& [name, value] : live["computation"].items())
      ExpectEqual(value, traced["computation"][name], tolerance_of(name), name);
    EXPECT_GT(live["computation"]["weight_ns"], 0);
  }

 private:
  static void ExpectEqual(const nlohmann::json& live, const nlohmann::json& traced,
                          double tolerance, const std::string& name) {
    if (live.is_number() && traced.is_number() && tolerance > 0) {
      EXPECT_NEAR(live.get<double>(), traced.get<double>(), tolerance) << name;
    } else {
      EXPECT_EQ(live, traced) << name;
    }
  }
};

// Where exchanges were long enough apart to tell a rate, ClockOffset records correct it: two
// clocks, each wrong by so much.
constexpr double kRateError = 2 * kMostRateError;

struct Recorded {
  const char* program;
  const char* variables;
  double rate_error;
};

TEST_F(RegionRecording, ClocksEqualWhatTheArchiveGives) {
  const Recorded runs[] = {
      {"mpi_all_calls", "SYNCLINE_MPI_EXCHANGES=5", kRateError},
      {"mpi_all_calls", "SYNCLINE_MPI_EXCHANGES=0", 0},
      {"mpi_hard_messages", "SYNCLINE_MPI_EXCHANGES=0", 0},
      {"mpi_fortran_calls", "SYNCLINE_MPI_EXCHANGES=3 SYNCLINE_MPI_BURST=tree", kRateError},
      {"mpi_clocks clocks",
       "SYNCLINE_MPI_EXCHANGES=3 SYNCLINE_MPI_BURST=broadcast SYNCLINE_MPI_BURST_EVERY=1",
       kRateError},
      {"example_halo 6", "SYNCLINE_MPI_EXCHANGES=0", 0},
      {"example_master_worker 20", "SYNCLINE_MPI_EXCHANGES=0", 0}};
  for (const Recorded& run : runs) {
    SCOPED_TRACE(run.program);
    if (!fs::exists(
            Program(std::string(run.program).substr(0, std::string(run.program).find(' ')))))
      continue;
    const Ran ran = Record(Program(run.program), run.variables);
    ASSERT_EQ(ran.status, 0) << Stderr();
    EXPECT_EQ(Stderr(), kRecorded);
    ExpectLiveAsInArchive(run.rate_error);
  }
}

TEST_F(RegionRecording, StampsAreNotSeenByThePrograms) {
  for (const char* program : {"mpi_all_calls", "mpi_hard_messages"}) {
    SCOPED_TRACE(program);
    const Ran plain = RunCommand(fmt::format(
        "timeout -k 5 60 mpirun --allow-run-as-root --oversubscribe -n {} {} 2>/dev/null", kRanks,
        Program(program)));
    ASSERT_EQ(plain.status, 0);
    const Ran recorded = Record(Program(program), "SYNCLINE_MPI_EXCHANGES=2");
    EXPECT_EQ(recorded.status, 0) << Stderr();
    EXPECT_EQ(SortedLines(recorded.out), SortedLines(plain.out));
  }
}

TEST_F(RegionRecording, BoundsAndOrderAreAsWithoutClocks) {
  const Ran ran = Record(Program("mpi_all_calls"), "SYNCLINE_MPI_EXCHANGES=10");
  ASSERT_EQ(ran.status, 0) << Stderr();
  const nlohmann::json summary = Synchronized();
  EXPECT_EQ(summary["messages"]["unmatched_sends"], 0);
  EXPECT_EQ(summary["messages"]["inverted_after"], 0);
  for (const auto& clock : summary["clocks"]) {
    EXPECT_FALSE(clock["bound_ns"]["worst"].is_null()) << clock["name"];
  }
}

TEST_F(RegionRecording, NeedsAClockOfNanoseconds) {
  const Ran ran = Record(Program("mpi_hard_messages"), "SYNCLINE_MPI_CLOCK=counter");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(Stderr(), HasSubstr("SYNCLINE_MPI_REGIONS=1 needs a clock that counts nanoseconds; "
                                  "nothing is recorded"));
}

}  // namespace
}  // namespace syncline::mpi
