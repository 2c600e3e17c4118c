// Whatever goes wrong in one process of syncline-mpi: one message that names it, the exit code of
// syncline, no output by halves, and no process that waits for ever.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/distributed_test_util.h"

namespace syncline {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

size_t CountMessages(const std::string& output) {
  size_t count = 0;
  for (size_t at = 0; (at = output.find("syncline: ", at)) != std::string::npos; ++at) ++count;
  return count;
}

class DistributedFailures : public MpiCommandTest {
 protected:
  // The same command on all processes, one of which the shell starts after `preparation`.
  static std::string WithOneOf(int processes, int special, const std::string& preparation,
                               const std::string& arguments) {
    std::string line = kMpirun;
    for (int process = 0; process < processes; ++process) {
      const std::string prepared =
          process == special ? fmt::format("sh -c '{}; exec \"$@\"' sh ", preparation) : "";
      line += fmt::format("{} -n 1 {}{} {}", process > 0 ? " :" : "", prepared,
                          SYNCLINE_MPI_PROGRAM, arguments);
    }
    return line;
  }
  // Where the folder `disk` is full after a megabyte: what the line says, its exit code, and the
  // files there.
  RunResult RunBesideFullDisk(const std::string& line) const {
    return Shell(
        fmt::format("unshare -rm sh -c 'mount -t tmpfs -o size=1m tmpfs {0} || exit 99; "
                    "sh {1}; echo code $?; find {0} -type f'",
                    At("disk"), Script(line)));
  }
  std::string Script(const std::string& line) const {
    WriteBytes(At("script"), line);
    return At("script");
  }
  bool CanMount() const {
    fs::create_directories(At("disk"));
    return RunBesideFullDisk("true").exit_code != 99;
  }
  static void ExpectOneMessage(const RunResult& run, const std::string& words, int process,
                               int processes) {
    EXPECT_THAT(run.output, AllOf(HasSubstr(words), HasSubstr(fmt::format("(process {} of {} on ",
                                                                          process, processes))));
    EXPECT_EQ(CountMessages(run.output), 1u) << run.output;
  }
  void ExpectNoOutput() const {
    if (!fs::exists(At("out"))) return;
    EXPECT_TRUE(fs::is_empty(At("out"))) << fs::directory_iterator(At("out"))->path();
  }
};

TEST_F(DistributedFailures, ADamagedLocationIsNamedWithTheProcessThatReadIt) {
  struct Case {
    int processes, process;
    std::string file;
  };
  for (const Case& c : {Case{2, 0, "0.evt"}, Case{3, 2, "11.evt"}}) {
    SCOPED_TRACE(c.file);
    const std::string archive = Simulated("random --processes 12 --steps 200");
    WriteBytes(At("sim/trace/traces/" + c.file), "no chunk header at all");
    const RunResult run =
        OnProcesses(c.processes, fmt::format("sync {} -fo {}", archive, At("out")));
    EXPECT_EQ(run.exit_code, 2);
    ExpectOneMessage(run, c.file + ": cannot be opened", c.process, c.processes);
    ExpectNoOutput();
  }
}

TEST_F(DistributedFailures, AnArchiveThatOneProcessDoesNotSeeOrSeesOtherwise) {
  Simulated("random --processes 5 --steps 20");
  fs::rename(At("sim"), At("more"));
  Simulated("random --processes 4 --steps 20");
  fs::create_directories(At("none"));
  struct Case {
    int processes;
    std::string folder, words;
  };
  for (const Case& c : {Case{2, "none", "does not exist"},
                        Case{3, "more", "its files are others than the first process sees"}}) {
    SCOPED_TRACE(c.folder);
    const std::string line =
        WithOneOf(c.processes, 1, "cd ../" + c.folder, "sync trace/traces.otf2 -fo ../out");
    const RunResult run = Shell(fmt::format("cd {}; {}", At("sim"), line));
    EXPECT_EQ(run.exit_code, 2);
    ExpectOneMessage(run, c.words, 1, c.processes);
    ExpectNoOutput();
  }
}

TEST_F(DistributedFailures, AFullDiskForWhatOneProcessHasMatched) {
  if (!CanMount()) GTEST_SKIP() << "no file system of a limited size can be mounted";
  // More messages than are kept in memory; the second process matches them.
  const std::string archive = Simulated("ring --processes 2 --steps 800000");
  const RunResult run = RunBesideFullDisk(
      WithOneOf(2, 1, "export TMPDIR=" + At("disk"), fmt::format("check {}", archive)));
  ExpectOneMessage(run, "temporary storage: cannot write: No space left on device", 1, 2);
  EXPECT_THAT(run.output, HasSubstr("code 2\n"));
}

TEST_F(DistributedFailures, AFullDiskForTheOutputs) {
  if (!CanMount()) GTEST_SKIP() << "no file system of a limited size can be mounted";
  const std::string archive = Simulated("ring --processes 4 --steps 40000");
  const RunResult run = RunBesideFullDisk(fmt::format(
      "{} -n 2 {} sync {} -o {}", kMpirun, SYNCLINE_MPI_PROGRAM, archive, At("disk/out")));
  EXPECT_THAT(run.output, AllOf(HasSubstr("cannot write: No space left on device"),
                                HasSubstr("code 2\n"), Not(HasSubstr("\n" + At("disk")))));
  EXPECT_EQ(CountMessages(run.output), 1u) << run.output;
}

// Each writes its own part of the events.
TEST_F(DistributedFailures, AFullDiskForTheEvents) {
  if (!CanMount()) GTEST_SKIP() << "no file system of a limited size can be mounted";
  const std::string archive = Simulated("ring --processes 4 --steps 40000");
  const RunResult run =
      RunBesideFullDisk(fmt::format("{} -n 2 {} sync --write events {} -o {}", kMpirun,
                                    SYNCLINE_MPI_PROGRAM, archive, At("disk/out")));
  ExpectOneMessage(run, "cannot be written: No space left on device", 0, 2);
  EXPECT_THAT(run.output, AllOf(HasSubstr("code 2\n"), Not(HasSubstr("\n" + At("disk")))));
}

TEST_F(DistributedFailures, AProcessThatMayNotWriteAllItsEvents) {
  const std::string archive = Simulated("ring --processes 4 --steps 40000");
  // Nor may MPI, which can do without.
  const RunResult run =
      Shell("export OMPI_MCA_btl=self,tcp PMIX_MCA_gds=hash; " +
            WithOneOf(3, 2, "ulimit -f 100",
                      fmt::format("sync --write events {} -o {}", archive, At("out"))));
  EXPECT_EQ(run.exit_code, 2);
  ExpectOneMessage(run, "cannot be written: File is too large", 2, 3);
  ExpectNoOutput();
}

// The first process then writes all.
TEST_F(DistributedFailures, AnOutputThatOneProcessDoesNotSee) {
  if (!CanMount()) GTEST_SKIP() << "no file system can be mounted";
  const std::string archive = Simulated("random --processes 6 --steps 50");
  const std::string sync = "sync --write events --accept-weakness -q " + archive + " -fo ";
  ASSERT_EQ(Syncline(sync + At("alone")).exit_code, 0);
  fs::create_directories(At("out"));
  const std::string hidden = fmt::format(
      R"(exec unshare -rm sh -c "mount -t tmpfs tmpfs {} && exec \"\$@\"" sh "$@")", At("out"));
  const RunResult run = Shell(WithOneOf(3, 1, hidden, sync + At("out")));
  EXPECT_EQ(run.exit_code, 0) << run.output;
  for (int location = 0; location < 6; ++location) {
    const std::string file = fmt::format("traces/{}.evt", location);
    EXPECT_TRUE(ReadBytes(At("out/" + file)) == ReadBytes(At("alone/" + file))) << file;
  }
}

TEST_F(DistributedFailures, AProcessWithoutMemory) {
  const std::string archive = Simulated("ring --processes 2 --steps 800000");
  for (const int process : {0, 1}) {
    const RunResult run = Shell(WithOneOf(2, process, "ulimit -d 100000",
                                          fmt::format("sync {} -fo {}", archive, At("out"))));
    EXPECT_EQ(run.exit_code, 2);
    ExpectOneMessage(run, "no memory is left", process, 2);
  }
}

TEST_F(DistributedFailures, WhatIsWrongWithTheRequestIsSaidOnce) {
  const std::vector<std::string> commands = {"sync --no-such-option", "check " + At("missing.otf2"),
                                             "check " + Ring() + " " + At("missing.otf2")};
  int processes = 1;
  for (const std::string& command : commands) {
    const RunResult alone = Syncline(command);
    const RunResult shared = OnProcesses(++processes, command);
    EXPECT_EQ(shared.exit_code, alone.exit_code) << command;
    EXPECT_EQ(shared.output, alone.output) << command;
  }
}

// Where the location of the last of twelve is what others write into it meanwhile.
class LocationThatIsWritten : public DistributedFailures {
 protected:
  void SetUp() override {
    DistributedFailures::SetUp();
    if (IsSkipped()) return;
    archive_ = Simulated("random --processes 12 --steps 200");
    fs::rename(file(), At("content"));
  }
  std::string file() const { return At("sim/trace/traces/11.evt"); }
  // The shell's word for what was there.
  std::string Content() const { return fmt::format("cat {} >{}", At("content"), file()); }

  // `meanwhile`: what the shell does beside it.
  RunResult SyncBeside(int processes, const std::string& meanwhile) const {
    const std::string start = fmt::format("echo $$ >{}/pid.$OMPI_COMM_WORLD_RANK; exec {} sync {} ",
                                          folder_.string(), SYNCLINE_MPI_PROGRAM, archive_) +
                              "--write events -fo " + At("out");
    const std::string line = fmt::format(
        "mkfifo {0}; timeout -k 5 10 mpirun --allow-run-as-root --oversubscribe -n {1} sh -c '{2}' "
        "& {3}; wait $!; code=$?; rm {0}; exit $code",
        file(), processes, start, meanwhile);
    return Shell("timeout -k 5 30 sh " + Script(line));
  }

 private:
  std::string archive_;
};

// Times of first events are found first, then the events are copied; both read the file again.
TEST_F(LocationThatIsWritten, IsNamedWithTheProcessThatCannotWriteItsEvents) {
  for (const auto& [processes, times_read] : {std::pair(2, 1), {3, 2}}) {
    SCOPED_TRACE(fmt::format("{} processes, read {} times", processes, times_read));
    std::string meanwhile;
    for (int i = 0; i < times_read; ++i) meanwhile += Content() + "; sleep 0.4; ";
    const RunResult run =
        SyncBeside(processes, meanwhile + "echo no chunk header at all >" + file());
    EXPECT_EQ(run.exit_code, 2);
    ExpectOneMessage(run, "11.evt: cannot be read", processes - 1, processes);
    ExpectNoOutput();
  }
}

// Kills one process once another one waits for the rest of a file.
class KilledProcess : public LocationThatIsWritten {
 protected:
  // `before`: what is read meanwhile.
  RunResult Kill(int victim, int processes, const std::string& before) const {
    return SyncBeside(processes, fmt::format("{}; exec 9>{}; kill -9 $(cat {}/pid.{})", before,
                                             file(), folder_.string(), victim));
  }
  void ExpectEnd(const RunResult& run, int victim) const {
    EXPECT_EQ(run.exit_code, 137);
    EXPECT_THAT(run.output, AllOf(HasSubstr(fmt::format("process rank {} with PID", victim)),
                                  HasSubstr("(Killed)"), Not(HasSubstr("messages"))));
    EXPECT_EQ(CountMessages(run.output), 0u) << run.output;
    ExpectNoOutput();
  }
};

TEST_F(KilledProcess, EndsAllThatRead) {
  for (const auto& [processes, victim] : {std::pair(2, 1), {3, 0}, {3, 2}}) {
    SCOPED_TRACE(fmt::format("process {} of {}", victim, processes));
    ExpectEnd(Kill(victim, processes, "true"), victim);
  }
}

// Its events are read again when they are written: by then the others write theirs.
TEST_F(KilledProcess, LeavesNothingOfWhatAnyHasWritten) {
  const std::string until_copied = Content() + "; sleep 0.4; " + Content() + "; sleep 0.4";
  for (const auto& [processes, victim] : {std::pair(2, 1), {3, 1}, {4, 3}}) {
    SCOPED_TRACE(fmt::format("process {} of {}", victim, processes));
    ExpectEnd(Kill(victim, processes, until_copied), victim);
  }
}

}  // namespace
}  // namespace syncline
