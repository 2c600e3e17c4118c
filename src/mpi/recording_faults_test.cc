// What must not stop or change a program: ranks, threads and calls that are unlike the others.

#include <string>

#include "mpi/recording_test_util.h"

namespace syncline::mpi {
namespace {

using testing::HasSubstr;

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
