// What must not stop or change a program: ranks, threads and calls that are unlike the others.

#include <string>

#include "record/mpi/recording_test_util.h"

namespace syncline::mpi {
namespace {

using testing::HasSubstr;

class EdgeCases : public Recording {
 protected:
  // Two ranks; `before`: what the shell does first.
  Ran RunCase(const std::string& name, const std::string& variables = "",
              const std::string& before = "true") const {
    return RunCommand(fmt::format(
        "{} && cd {} && env SYNCLINE_MPI_OUT=trace {} timeout -k 5 30 mpirun --allow-run-as-root "
        "--oversubscribe -n 2 -x LD_PRELOAD={} {} {} 2>stderr",
        before, folder_ / ".", variables, SYNCLINE_PRELOAD, Program("mpi_edge_cases"), name));
  }
};

TEST_F(EdgeCases, ThreadsThatEndedHoldNoDescriptors) {
  const Ran plain = RunCommand(fmt::format(
      "ulimit -n 128; timeout -k 5 30 mpirun --allow-run-as-root --oversubscribe -n 1 {} "
      "many-threads 2>/dev/null",
      Program("mpi_edge_cases")));
  const Ran recorded = RunCommand(fmt::format(
      "cd {}; ulimit -n 128; SYNCLINE_MPI_OUT=trace timeout -k 5 30 mpirun --allow-run-as-root "
      "--oversubscribe -n 1 -x LD_PRELOAD={} {} many-threads 2>stderr",
      folder_ / ".", SYNCLINE_PRELOAD, Program("mpi_edge_cases")));
  EXPECT_EQ(recorded.status, 0) << Stderr();
  // One for the definitions.
  EXPECT_EQ(std::stoi(recorded.out), std::stoi(plain.out) - 1);
  EXPECT_EQ(Stderr(), kRecorded);
  EXPECT_TRUE(fs::exists(Trace()));
}

// A limit on the size of files is the program's; the recorder's files must not end it. MPI's own
// files are kept out of it.
TEST_F(EdgeCases, ALimitOnFilesEndsTheRecordingAndNotTheProgram) {
  for (const int kilobytes : {1, 1024}) {
    const Ran ran = RunCommand(fmt::format(
        "cd {} && env SYNCLINE_MPI_OUT=trace{} SYNCLINE_MPI_EXCHANGES=2000 PMIX_MCA_gds=hash "
        "timeout -k 5 60 mpirun --allow-run-as-root --oversubscribe --mca btl tcp,self -n 4 "
        "-x LD_PRELOAD={} bash -c 'ulimit -f {}; exec {}' 2>&1",
        folder_ / ".", kilobytes, SYNCLINE_PRELOAD, kilobytes, Program("mpi_all_calls")));
    EXPECT_EQ(ran.status, 0) << ran.out;
    EXPECT_THAT(ran.out, HasSubstr("syncline: ")) << kilobytes;
  }
}

TEST_F(EdgeCases, AThreadWithoutALogTakesPartInBursts) {
  const Ran ran = RunCase("no-descriptors", "SYNCLINE_MPI_BURST_EVERY=1", "ulimit -n 512");
  EXPECT_EQ(ran.status, 0) << Stderr();
  EXPECT_THAT(Stderr(), HasSubstr("rank 1: a thread is not recorded:"));
  EXPECT_THAT(Stderr(), HasSubstr("events at the end are lost: the thread has no log"));
  // Nor is there one for the archive.
  EXPECT_THAT(Stderr(), HasSubstr("no archive is written. What was recorded is in"));
}

// Of otf2-print.
size_t CountLines(const std::string& text, const std::string& begin) {
  size_t count = 0;
  for (size_t at = text.find(begin + " "); at != std::string::npos;
       at = text.find(begin + " ", at + 1)) {
    if (at == 0 || text[at - 1] == '\n') ++count;
  }
  return count;
}

TEST_F(EdgeCases, MessagesAreThoseOfTheirCommunicator) {
  const Ran ran = RunCase("orders", "SYNCLINE_MPI_EXCHANGES=0");
  ASSERT_EQ(ran.status, 0) << Stderr();
  const Ran printed = RunCommand(fmt::format("otf2-print {} 2>&1", Trace()));
  if (printed.status == 127) GTEST_SKIP() << "needs otf2-print";
  // Both sides name the communicator of the message of 4 bytes alike, and that of 8 bytes.
  const auto communicator = [&](const std::string& event, int bytes) {
    const size_t length = printed.out.find(fmt::format("Length: {}", bytes),
                                           printed.out.find(fmt::format("\n{} ", event)));
    const size_t name = printed.out.rfind("Communicator: ", length);
    return printed.out.substr(name, printed.out.find(',', name) - name);
  };
  EXPECT_EQ(communicator("MPI_SEND", 4), communicator("MPI_RECV", 4));
  EXPECT_EQ(communicator("MPI_SEND", 8), communicator("MPI_RECV", 8));
  EXPECT_NE(communicator("MPI_SEND", 4), communicator("MPI_SEND", 8));
}

TEST_F(EdgeCases, EverySendOfSeveralThreadsCompletesOnce) {
  constexpr size_t kSends = 2 * 2 * 40;  // ranks, threads, rounds
  const Ran ran = RunCase("two-threads");
  ASSERT_EQ(ran.status, 0) << Stderr();
  const Ran printed = RunCommand(fmt::format("otf2-print {} 2>&1", Trace()));
  if (printed.status == 127) GTEST_SKIP() << "needs otf2-print";
  EXPECT_EQ(CountLines(printed.out, "MPI_ISEND"), kSends);
  EXPECT_EQ(CountLines(printed.out, "MPI_ISEND_COMPLETE"), kSends);
  EXPECT_EQ(CountLines(printed.out, "MPI_IRECV"), kSends);
}

TEST_F(EdgeCases, AMessageThatIsTooLongIsReceivedAllTheSame) {
  const Ran ran = RunCase("too-long", "SYNCLINE_MPI_EXCHANGES=5");
  ASSERT_EQ(ran.status, 0) << Stderr();
  ExpectOrder(Synchronized(), 3 + 2 * 5 * 2);
}

TEST_F(EdgeCases, AFreedSendIsCompleteAndAChildsEndIsNotTheProgramsEnd) {
  const Ran ran = RunCase("free-and-fork");
  ASSERT_EQ(ran.status, 0) << Stderr();
  EXPECT_EQ(Stderr(), kRecorded);
  const Ran printed = RunCommand(fmt::format("otf2-print {} 2>&1", Trace()));
  if (printed.status == 127) GTEST_SKIP() << "needs otf2-print";
  EXPECT_EQ(CountLines(printed.out, "MPI_ISEND"), 2U);
  EXPECT_EQ(CountLines(printed.out, "MPI_ISEND_COMPLETE"), 2U);
}

TEST_F(Recording, TakesRankZerosOptionsForAll) {
  // 3 exchanges with each of 2 others, there and back, at the begin and at the end.
  constexpr uint64_t kMessages = 2 * 2 * 3 * 2;
  const std::string preload = fmt::format("-x LD_PRELOAD={}", SYNCLINE_PRELOAD);
  const std::string program = Program("mpi_edge_cases none");
  const Ran ran = RunCommand(
      fmt::format("cd {} && timeout -k 5 60 mpirun --allow-run-as-root --oversubscribe "
                  "-n 1 {} env SYNCLINE_MPI_OUT=trace SYNCLINE_MPI_EXCHANGES=3 {} : "
                  "-n 1 {} env SYNCLINE_MPI_BURST=nonsense {} : "
                  "-n 1 {} env SYNCLINE_MPI_BURST=tree SYNCLINE_MPI_BURST_EVERY=1 {} 2>stderr",
                  folder_ / ".", preload, program, preload, program, preload, program));
  EXPECT_EQ(ran.status, 0) << Stderr();
  EXPECT_THAT(
      Stderr(),
      HasSubstr("variables SYNCLINE_MPI_* are other than rank 0's in 2 ranks; rank 0's hold"));
  ExpectOrder(Synchronized(), kMessages);
}

}  // namespace
}  // namespace syncline::mpi
