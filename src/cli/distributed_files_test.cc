// What syncline-mpi reads by file, each in one of its processes: captures, texts and CTF traces. It
// is what one process reads, in the same order.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/distributed_test_util.h"

namespace syncline {
namespace {

using testing::AllOf;
using testing::HasSubstr;

template <typename T>
void Append(T value, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// UDP packets of a host to another one, on so many interfaces.
std::string Pcapng(uint32_t interfaces, uint32_t packets) {
  std::string bytes;
  const auto block = [&](uint32_t type, const std::string& body) {
    Append(type, bytes);
    Append(static_cast<uint32_t>(body.size() + 12), bytes);
    bytes += body;
    Append(static_cast<uint32_t>(body.size() + 12), bytes);
  };
  std::string section;
  Append(uint32_t{0x1A2B3C4D}, section);
  Append(uint32_t{1}, section);
  Append(int64_t{-1}, section);
  block(0x0A0D0D0A, section);
  std::string interface;
  Append(uint32_t{1}, interface);  // Ethernet
  Append(uint32_t{0}, interface);
  for (uint32_t i = 0; i < interfaces; ++i) block(1, interface);
  for (uint32_t k = 0; k < packets; ++k) {
    std::string frame("\2\0\0\0\0\2\2\0\0\0\0\1\x08\0\x45\0\0\x20", 18);
    frame += std::string("\0\0\0\0\x40\x11\0\0\x0a\0\0\1\x0a\0\0\2\3\xe8\7\xd0\0\x0c\0\0", 24);
    Append(k, frame);
    std::string packet;
    for (const uint32_t word : {k % interfaces, 0u, 1000 * k, 46u, 46u}) Append(word, packet);
    block(6, packet + frame + std::string(2, '\0'));
  }
  return bytes;
}

class DistributedFiles : public DistributedCommand {
 protected:
  // Whether any process but the first has read something.
  bool AreOthersReading(int processes, const std::string& command) const {
    const std::vector<uint64_t> sent = SentBytes(processes, command);
    return std::any_of(sent.begin() + 1, sent.end(), [](uint64_t bytes) { return bytes > 4096; });
  }
  // That the second process names, of two.
  void ExpectError(const std::string& inputs, const std::string& words) const {
    const RunResult run = OnProcesses(2, fmt::format("sync {} -fo {}", inputs, At("out")));
    EXPECT_EQ(run.exit_code, 2) << run.output;
    EXPECT_THAT(run.output, AllOf(HasSubstr(words), HasSubstr("(process 1 of 2 on ")));
    EXPECT_FALSE(fs::exists(At("out/syncline.json")));
  }
};

TEST_F(DistributedFiles, CapturesOnAnyNumberOfProcesses) {
  for (const int processes : {1, 2, 3, 7}) {
    SCOPED_TRACE(processes);
    ExpectSame(processes, "sync --accept-weakness " + Samples(), 0);
  }
  EXPECT_TRUE(AreOthersReading(2, "check -q " + Samples()));
}

// Packets of which only timing tells the direction, compressed ones, and such as come by standard
// input, which no other process has.
TEST_F(DistributedFiles, CapturesOfAllKinds) {
  for (const std::string name : {"a", "b"}) {
    ASSERT_EQ(Shell(fmt::format("gzip -c {} > {}", Sample(name + ".pcap"), At(name + ".pcap.gz")))
                  .exit_code,
              0);
  }
  const std::string compressed = At("b.pcap.gz") + " " + At("a.pcap.gz");
  ExpectSame(2, "check --accept-weakness " + compressed, 0);
  ExpectSame(3, "check --accept-weakness " + compressed + " " + Sample("c.pcap"), 0);
  ExpectSame(
      2, fmt::format("check --accept-weakness - {} < {}", Sample("b.pcap"), Sample("a.pcap")), 0);
  ExpectSame(3, "convert --to csv " + compressed, 0, " -o " + At("out/all.csv"));
}

TEST_F(DistributedFiles, ADamagedCaptureIsNamedWithTheProcessThatReadIt) {
  std::string bytes = ReadBytes(Sample("b.pcap"));
  bytes.replace(24 + 8, 4, "\xff\xff\xff\x7f");  // the length of the first packet
  WriteBytes(At("bad.pcap"), bytes);
  ExpectError(Sample("a.pcap") + " " + At("bad.pcap"), "bad.pcap: byte 24: a packet record claims");
}

TEST_F(DistributedFiles, ACaptureThatOneProcessSeesOtherwise) {
  for (const std::string folder : {"first", "second"}) {
    fs::create_directories(At(folder));
    for (const std::string name : {"a.pcap", "b.pcap"}) {
      WriteBytes(At(folder + "/" + name), ReadBytes(Sample(name)));
    }
  }
  WriteBytes(At("second/b.pcap"), ReadBytes(Sample("c.pcap")));
  const std::string command = std::string(SYNCLINE_MPI_PROGRAM) + " check a.pcap b.pcap";
  const RunResult run =
      Shell(fmt::format("cd {}; {} -n 1 {} : -n 1 sh -c 'cd ../second; exec \"$@\"' sh {}",
                        At("first"), kMpirun, command, command));
  EXPECT_THAT(run.output, AllOf(HasSubstr("b.pcap: is another file than the first process sees"),
                                HasSubstr("(process 1 of 2 on ")));
  EXPECT_EQ(run.exit_code, 2);
}

// What the second process has to be told of such captures is more than MPI sends unasked, while it
// has batches to send itself.
TEST_F(DistributedFiles, CapturesOfManyInterfaces) {
  WriteBytes(At("a.pcapng"), Pcapng(1, 30'000));
  for (const std::string name : {"b.pcapng", "c.pcapng"}) WriteBytes(At(name), Pcapng(200, 10'000));
  const std::string inputs = At("a.pcapng") + " " + At("b.pcapng") + " " + At("c.pcapng");
  ExpectSame(2, "check " + inputs, 4);
}

// Of a run with collectives, a text for each process.
class DistributedTexts : public DistributedFiles {
 protected:
  void SetUp() override {
    DistributedFiles::SetUp();
    if (IsSkipped()) return;
    constexpr int kProcesses = 5;
    const RunResult run = Syncline(
        fmt::format("simulate random --processes {} --steps 3000 --collectives 50 --start 10s "
                    "--clock '*:offset=~1ms+drift=~20ppm' -qfo {}",
                    kProcesses, At("sim")));
    ASSERT_EQ(run.exit_code, 0) << run.output;
    std::vector<std::string> texts(kProcesses);
    std::istringstream lines(ReadBytes(At("sim/trace.txt")));
    for (std::string line; std::getline(lines, line);) {
      const size_t blank = line.find(' ');
      const bool is_event = line[0] >= '0' && line[0] <= '9';
      for (int p = 0; p < kProcesses; ++p) {
        if (is_event && line[blank + 1] != '0' + p) continue;
        texts[static_cast<size_t>(p)] += line + '\n';
      }
    }
    for (int p = 0; p < kProcesses; ++p) {
      const std::string path = At(fmt::format("{}.txt", p));
      WriteBytes(path, texts[static_cast<size_t>(p)]);
      paths_ += " " + path;
    }
  }

  std::string paths_;
};

TEST_F(DistributedTexts, OnAnyNumberOfProcesses) {
  for (const int processes : {1, 2, 3, 7}) {
    SCOPED_TRACE(processes);
    ExpectSame(processes, "sync --accept-weakness" + paths_, 0);
  }
  ExpectSame(3, "concurrency" + paths_, 0);
  ExpectSame(2, "convert --to csv" + paths_, 0, " -o " + At("out/all.csv"));
  EXPECT_TRUE(AreOthersReading(2, "check -q" + paths_));
}

TEST_F(DistributedTexts, CompressedOnesAndStandardInput) {
  ASSERT_EQ(Shell("gzip " + paths_).exit_code, 0);
  const std::string packed =
      fmt::format("{0}/1.txt.gz {0}/2.txt.gz {0}/3.txt.gz", folder_.string());
  ExpectSame(2, "check --accept-weakness " + packed, 0);
  ExpectSame(3, fmt::format("check --accept-weakness {} - < {}", packed, At("0.txt.gz")), 0);
}

TEST_F(DistributedTexts, BesideAnArchive) {
  ExpectSame(3, "check --accept-weakness " + Ring() + paths_, 0);
}

TEST_F(DistributedTexts, OneThatAProcessSeesOtherwise) {
  fs::create_directories(At("other"));
  for (int p = 0; p < 5; ++p) {
    const std::string name = fmt::format("{}.txt", p);
    WriteBytes(At("other/" + name), ReadBytes(At(name)));
  }
  WriteBytes(At("other/1.txt"), ReadBytes(At("1.txt")) + "# more\n");
  const std::string command = std::string(SYNCLINE_MPI_PROGRAM) + " check 0.txt 1.txt";
  const RunResult run =
      Shell(fmt::format("cd {}; {} -n 1 {} : -n 1 sh -c 'cd other; exec \"$@\"' sh {}",
                        folder_.string(), kMpirun, command, command));
  EXPECT_THAT(run.output, AllOf(HasSubstr("1.txt: is another file than the first process sees"),
                                HasSubstr("(process 1 of 2 on ")));
  EXPECT_EQ(run.exit_code, 2);
}

TEST_F(DistributedTexts, ADamagedOneIsNamedWithTheProcessThatReadIt) {
  WriteBytes(At("1.txt"), ReadBytes(At("1.txt")) + "oops\n");
  ExpectError(paths_, "1.txt:");
}

// One trace in two texts, beside captures.
TEST_F(DistributedFiles, TextsBesideCaptures) {
  WriteBytes(At("one.txt"), "clock x 1000000000\nprocess p x\nprocess q x\n10 p send q 1\n");
  WriteBytes(At("two.txt"), "clock x 1000000000\nprocess p x\nprocess q x\n90 q recv p 1\n");
  ExpectSame(
      3, fmt::format("check --accept-weakness {} {} {}", At("one.txt"), At("two.txt"), Samples()),
      0);
}

#ifdef SYNCLINE_HAVE_CTF
std::string CtfTraces() {
  const std::string folder = SYNCLINE_SOURCE_DIR "/src/read/ctf/testdata/rates";
  return folder + "/hostA " + folder +
         "/hostB --match 'msg:send(id, src, dst, proto) -> msg:recv(id, src, dst, proto)'";
}

TEST_F(DistributedFiles, CtfTracesOnAnyNumberOfProcesses) {
  for (const int processes : {1, 2, 3}) {
    SCOPED_TRACE(processes);
    ExpectSame(processes, "sync --accept-weakness " + CtfTraces(), 0);
  }
  ExpectSame(2, "check --accept-weakness " + CtfTraces(), 0);
  ExpectSame(2, "convert --to csv " + CtfTraces(), 0, " -o " + At("out/all.csv"));
  EXPECT_TRUE(AreOthersReading(2, "check -q " + CtfTraces()));
}

// Of the last one nothing is read, and what it is asked nonetheless must not be taken for an answer
// about the archive.
TEST_F(DistributedFiles, ACtfTraceWithoutStreamsBesideAnArchive) {
  const std::string host = SYNCLINE_SOURCE_DIR "/src/read/ctf/testdata/rates/hostA";
  fs::create_directories(At("empty"));
  fs::copy(host + "/metadata", At("empty/metadata"));
  const std::string inputs =
      fmt::format("{} {} {} --match 'msg:send(id) -> msg:recv(id)'", Ring(), host, At("empty"));
  for (const std::string command : {"check", "sync"}) {
    ExpectSame(2, command + " --accept-weakness " + inputs, 0);
  }
}

TEST_F(DistributedFiles, ADamagedCtfTraceIsNamedWithTheProcessThatReadIt) {
  const std::string folder = SYNCLINE_SOURCE_DIR "/src/read/ctf/testdata/rates";
  fs::copy(folder + "/hostB", At("hostB"), fs::copy_options::recursive);
  std::string stream;
  for (const auto& entry : fs::recursive_directory_iterator(At("hostB"))) {
    const std::string name = entry.path().filename();
    if (entry.is_regular_file() && name.starts_with("ch_")) stream = entry.path();
  }
  ASSERT_NE(stream, "");
  std::string bytes = ReadBytes(stream);
  bytes.replace(bytes.size() / 2, 64, std::string(64, '\xee'));
  WriteBytes(stream, bytes);
  ExpectError(
      fmt::format("{}/hostA {} --match 'msg:send(id) -> msg:recv(id)'", folder, At("hostB")),
      "hostB/ch_0");
}
#endif

}  // namespace
}  // namespace syncline
