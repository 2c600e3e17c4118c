// Inputs at the edge and wrong usage: the right words, the right exit code, no crash.
#include <algorithm>
#include <cstring>
#include <random>

#include <gmock/gmock.h>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

using testing::HasSubstr;

constexpr size_t kPcapHeader = 24;

// The records of a classic little-endian capture, one string each.
std::vector<std::string> Records(const std::string& capture) {
  std::vector<std::string> records;
  for (size_t at = kPcapHeader; at + 16 <= capture.size();) {
    uint32_t length = 0;
    std::memcpy(&length, &capture[at + 8], 4);
    records.push_back(capture.substr(at, 16 + length));
    at += 16 + length;
  }
  return records;
}

class EdgeCases : public CommandTest {
 protected:
  // A copy of a sample's header with other records.
  std::string Capture(const std::string& name, const std::vector<std::string>& records) {
    std::string bytes = ReadBytes(Sample("a.pcap")).substr(0, kPcapHeader);
    for (const std::string& record : records) bytes += record;
    WriteBytes(At(name), bytes);
    return At(name);
  }
  static std::vector<std::string> SampleRecords(const std::string& name) {
    return Records(ReadBytes(Sample(name)));
  }
  void Expect(const std::string& arguments, int exit_code, const std::string& words) {
    const RunResult run = Syncline(arguments);
    EXPECT_EQ(run.exit_code, exit_code) << arguments << "\n" << run.output;
    EXPECT_THAT(run.output, HasSubstr(words)) << arguments;
  }
};

TEST_F(EdgeCases, EmptyValues) {
  const std::string pair = Sample("a.pcap") + " " + Sample("b.pcap");
  for (const std::string& command :
       {"check " + pair + " --reference ''", "check " + pair + " --min-delay ''",
        "check " + pair + " --json ''", std::string("check ''"), "sync " + pair + " -o ''",
        std::string("simulate ring --delay '' -o ") + At("sim"),
        std::string("clock probe host --duration ''"), "check " + pair + " --config ''",
        "check " + pair + " --config="}) {
    const RunResult run = Syncline(command);
    EXPECT_EQ(run.exit_code, 1) << command;
    EXPECT_THAT(run.output, HasSubstr("needs a value")) << command;
  }
}

TEST_F(EdgeCases, AnEmptyValueDoesNotTakeAnInputForOne) {
  for (const std::string name : {"a.pcap", "b.pcap"}) fs::copy_file(Sample(name), At(name));
  WriteBytes(At("empty"), "quiet\njson =\n");
  WriteBytes(At("quoted"), "quiet\nreference = \"\"\n");
  const std::string pair = At("a.pcap") + " " + At("b.pcap") + " --force";
  Expect("check --json= " + pair, 1, "--json: needs a value");
  Expect("concurrency --csv= " + pair, 1, "--csv: needs a value");
  Expect("convert -o " + At("out") + " --messages= " + pair, 1, "--messages: needs a value");
  Expect("check --reference= " + pair, 1, "--reference: needs a value");
  Expect("check " + pair + " --config " + At("empty"), 1, At("empty") + ":2: --json needs");
  Expect("check " + pair + " --config " + At("quoted"), 1, At("quoted") + ":2: --reference needs");
  for (const std::string name : {"a.pcap", "b.pcap"}) {
    EXPECT_EQ(ReadBytes(At(name)), ReadBytes(Sample(name))) << name;
  }
  fs::copy_file(Sample("a.pcap"), At("--json="));
  const RunResult inputs =
      Shell("cd " + At("") + " && " SYNCLINE_PROGRAM " check -q -- --json= b.pcap");
  EXPECT_EQ(inputs.exit_code, 0) << inputs.output;
}

TEST_F(EdgeCases, AConfigurationOfEndlessSize) {
  WriteBytes(At("options"), "");
  fs::resize_file(At("options"), uint64_t{1} << 33);
  const RunResult run = Syncline("check " + Sample("a.pcap") + " --config " + At("options"));
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.output, HasSubstr("options: is larger than"));
}

TEST_F(EdgeCases, WhatIsWrongInAConfigurationIsSaidWithFileAndLine) {
  struct Case {
    std::string options, message;
  };
  for (const auto& c : std::vector<Case>{
           {"bounds = 3\n\nnonsense = 5\n", ":3: --nonsense is given here"},
           {"bounds = 3\nmax-drift-ppm = abc\n", ":2: --max-drift-ppm is given here"},
           {"bounds = abc\n", ":1: --bounds is given here"},
           {"group = joint\nmax-wander-ppm = 1\n", ":2: --max-wander-ppm is given here"},
           {"config = nofile\n", ":1: a file of options cannot name another one"},
           {"# of check\n%%\n", ":2: expected NAME = VALUE"},
           {"\xff\xfe\n", ":1: expected NAME = VALUE"},
           {"[sync]\nbounds = 3\n", ":1: expected NAME = VALUE"},
           {"sync.bounds = 3\n", ":1: expected NAME = VALUE"},
           {"match = ['a(b) -> c(d)',\n'e(f) -> g(h)'\n", ":1: the list has no end"},
           {"match = ['a(b) -> c(d)',\n'e(f) -> g(h)']\nnonsense\n", ":3: --nonsense is given"},
           {"bounds = 7 8\n", ":1: --bounds takes one value"},
           {"bounds = 7\nquiet\nbounds = 8\n", ":3: --bounds is given twice"},
       }) {
    WriteBytes(At("options"), c.options);
    Expect("check " + Samples() + " --config " + At("options"), 1, At("options") + c.message);
  }
  WriteBytes(At("options"), "max-drift-ppm = abc\n");
  const RunResult run =
      Syncline("check " + Samples() + " --max-drift-ppm xyz --config " + At("options"));
  EXPECT_THAT(run.output, testing::Not(HasSubstr("is given here")));
}

TEST_F(EdgeCases, WrongUsage) {
  WriteBytes(At("notes.txt"), "hello world\n");
  WriteBytes(At("noise.bin"), std::string("\x01\x02\x03\x00\x05", 5));
  const std::string pair = Sample("a.pcap") + " " + Sample("b.pcap");
  Expect("", 1, "Usage: syncline [OPTIONS] COMMAND");
  Expect("sink x", 1, "");
  Expect("sync", 1, "INPUT");
  Expect("sync " + pair, 1, "--output");
  Expect("check --frobnicate " + pair, 1, "frobnicate");
  Expect("check " + pair + " --method best", 1, "method");
  Expect("check " + pair + " --max-drift-ppm much", 1, "max-drift-ppm");
  Expect("check " + pair + " --max-drift-ppm -1", 1, "max-drift-ppm");
  Expect("check " + pair + " --min-delay -5", 1, "min-delay");
  Expect("check " + pair + " --min-delay " + At("none"), 2, "none");
  Expect("check " + pair + " --match 'x:send(id) -> x:recv(id)'", 1, "no input is one");
  Expect("check " + pair + " --reference z", 1, "there are a, b");
  Expect("check " + At("missing.pcap"), 2, "missing.pcap: cannot open");
  Expect("check " + At("noise.bin"), 2, "not a trace of a known format");
  Expect("check " + At("notes.txt"), 2, "notes.txt:1:1");
  Expect("check " + Sample("a.pcap") + " " + Sample("a.pcap"), 1, "given twice");
  Expect("check - x=- < /dev/null", 1, "standard input: is given twice");
  Expect("check x= " + Sample("b.pcap"), 1, "x= names no file");
  Expect("check " + folder_.string() + "/../no-such-folder", 2, "cannot open");
}

TEST_F(EdgeCases, HelpAndVersion) {
  Expect("--help", 0, "sync");
  Expect("sync --help", 0, "--max-drift-ppm");
  Expect("check --help", 0, "--min-delay");
  Expect("--version", 0, "syncline 0.");
}

TEST_F(EdgeCases, OutputsAreNotOverwrittenAndInputsNever) {
  const std::string pair = Sample("a.pcap") + " " + Sample("b.pcap");
  ASSERT_EQ(Syncline("sync " + pair + " -o " + At("out")).exit_code, 0);
  const std::string first = ReadBytes(folder_ / "out" / "a.pcap");
  Expect("sync " + pair + " -o " + At("out") + " --reference b", 1, "already exists");
  EXPECT_EQ(ReadBytes(folder_ / "out" / "a.pcap"), first);
  Expect("sync " + pair + " -o " + At("out") + " --force", 0, "wrote");
  Expect("sync " + At("out") + "/a.pcap " + At("out") + "/b.pcap --force -o " + At("out"), 1,
         "inputs are never overwritten");
  EXPECT_EQ(ReadBytes(folder_ / "out" / "a.pcap"), first);
  // The same place by another way, what else is read, and a file of the user's.
  fs::create_directory_symlink(folder_ / "out", folder_ / "link");
  Expect("sync " + pair + " -f -o " + At("out") + " --merge " + At("link") + "/a.pcap", 1,
         "would be written twice");
  Expect("sync " + pair + " -f -o " + At("out") + " --json " + At("link") + "/syncline.json", 1,
         "would be written twice");
  fs::copy_file(Sample("truth.json"), At("truth.json"));
  Expect("sync " + pair + " -f -o " + At("out") + " --truth " + At("truth.json") + " --json " +
             At("truth.json"),
         1, "inputs are never overwritten");
  Expect("check " + pair + " --json " + At("truth.json"), 1, "already exists");
  Expect("check " + pair + " --json " + At("none/x.json"), 2, "there is no folder");
  Expect("sync " + pair + " -f -o " + At("out") + " --merge -", 1, "--merge needs a file");
  Expect("check " + pair + " --json /dev/null", 0, "reference");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  for (const auto& entry : fs::directory_iterator(folder_ / "out")) {
    EXPECT_EQ(entry.path().string().find(".partial"), std::string::npos);
  }
}

TEST_F(EdgeCases, ACaptureAgainstItselfOrAnotherOfTheSameHost) {
  fs::copy_file(Sample("a.pcap"), At("copy.pcap"));
  Expect("check " + Sample("a.pcap") + " " + At("copy.pcap"), 4, "seem to come from one host");
  const auto records = SampleRecords("a.pcap");
  std::vector<std::string> half(records.begin(), records.begin() + 1000);
  Expect("check x=" + Sample("a.pcap") + " y=" + Capture("half.pcap", half), 4, "one host");
  Expect("check x=" + Sample("a.pcap") + " x=" + At("half.pcap"), 4, "only one clock");
}

TEST_F(EdgeCases, TwoCapturesOfOneHostUnderOneName) {
  const auto records = SampleRecords("a.pcap");
  const auto middle = records.begin() + 1200;
  const std::string one = Capture("a1.pcap", {records.begin(), middle});
  const std::string two = Capture("a2.pcap", {middle, records.end()});
  const auto s = Summary("check a=" + one + " a=" + two + " " + Sample("b.pcap"), 0);
  EXPECT_EQ(s["clocks"].size(), 2U);
  EXPECT_EQ(s["messages"]["total"], kMessagesAb);
}

TEST_F(EdgeCases, RotatedCapturesOfOneFileNameGetNumbers) {
  const auto records = SampleRecords("a.pcap");
  fs::create_directory(folder_ / "1");
  fs::create_directory(folder_ / "2");
  const std::string one = Capture("1/cap.pcap", {records.begin(), records.begin() + 1200});
  const std::string two = Capture("2/cap.pcap", {records.begin() + 1200, records.end()});
  ASSERT_EQ(Syncline("sync a=" + one + " a=" + two + " " + Sample("b.pcap") + " -o " + At("out"))
                .exit_code,
            0);
  EXPECT_EQ(fs::file_size(folder_ / "out" / "a.pcap"), fs::file_size(one));
  EXPECT_EQ(fs::file_size(folder_ / "out" / "a-2.pcap"), fs::file_size(two));
}

TEST_F(EdgeCases, AFolderOfTraces) {
  fs::create_directory(folder_ / "in");
  fs::copy_file(Sample("a.pcap"), folder_ / "in" / "a.pcap");
  fs::copy_file(Sample("b.pcap"), folder_ / "in" / "b.pcap");
  WriteBytes(folder_ / "in" / "notes.md", "# notes\nnothing to see\n");
  EXPECT_EQ(DiagnosticCount(Summary("check " + At("in"), 0), "input-skipped"), 1U);
  WriteBytes(folder_ / "in" / "c.pcap", "");
  EXPECT_EQ(DiagnosticCount(Summary("check " + At("in"), 3), "input-skipped"), 2U);
  fs::create_directory(folder_ / "empty");
  Expect("check " + At("empty"), 2, "holds no trace");
  fs::create_directories(folder_ / "outer" / "b");
  fs::copy_file(Sample("b.pcap"), folder_ / "outer" / "b" / "b.pcap");
  Expect("check " + At("outer"), 2, "its subfolders are not looked into");
  fs::copy_file(Sample("a.pcap"), folder_ / "outer" / "a.pcap");
  const std::string both = "check " + Sample("b.pcap") + " " + At("outer");
  const auto s = Summary(both, 0);
  EXPECT_EQ(DiagnosticCount(s, "input-skipped"), 1U);
  EXPECT_THAT(ByName(s["diagnostics"], "input-skipped")["example"].get<std::string>(),
              HasSubstr("outer/b: subfolders are not looked into"));
  // The folder of an archive is part of it.
  fs::rename(folder_ / "outer" / "b", folder_ / "outer" / "x");
  WriteBytes(folder_ / "outer" / "x.otf2", "no trace");
  EXPECT_EQ(DiagnosticCount(Summary(both, 0), "input-skipped"), 1U);
}

TEST_F(EdgeCases, ATruthOfOtherClocks) {
  WriteBytes(At("truth.json"), R"({"clocks":{"x":[[0,0],[1,1]]}})");
  Expect("sync " + Sample("a.pcap") + " " + Sample("b.pcap") + " -o " + At("out") + " --truth " +
             At("truth.json"),
         1, "tells of fewer than two");
  EXPECT_FALSE(fs::exists(folder_ / "out" / "a.pcap"));
}

TEST_F(EdgeCases, EmptyCaptures) {
  const std::string none = Capture("none.pcap", {});
  WriteBytes(At("zero.pcap"), "");
  Expect("check " + Sample("a.pcap") + " " + none, 4, "no two clocks exchanged messages");
  Expect("check " + none, 4, "only one clock");
  Expect("check " + Sample("a.pcap") + " " + At("zero.pcap"), 2, "empty");
  const auto s = Summary("check " + Sample("a.pcap") + " " + Sample("b.pcap") + " " + none, 3);
  EXPECT_EQ(DiagnosticCount(s, "no-events"), 1);
  EXPECT_EQ(ByName(s["clocks"], "none")["quality"], "absent");
}

TEST_F(EdgeCases, OnePacket) {
  const auto records = SampleRecords("a.pcap");
  const std::string one = Capture("one.pcap", {records[0]});
  Expect("check " + one, 4, "only one clock");
  const RunResult run = Syncline("check a=" + one + " " + Sample("b.pcap"));
  EXPECT_TRUE(run.exit_code == 3 || run.exit_code == 4) << run.output;
}

TEST_F(EdgeCases, OneDirectionOnly) {
  const auto s = Summary("check " + Sample("a.pcap") + " " + Sample("d.pcap"), 3);
  EXPECT_EQ(s["pairs"][0]["quality"], "incomplete");
  EXPECT_EQ(s["messages"]["total"], 184);
  const std::string other = s["reference"] == "a" ? "d" : "a";
  EXPECT_EQ(ByName(s["clocks"], other)["quality"], "incomplete");
  EXPECT_TRUE(ByName(s["clocks"], other)["bound_ns"]["worst"].is_null());
}

TEST_F(EdgeCases, NoCommonTraffic) {
  const auto a = SampleRecords("a.pcap");
  const auto b = SampleRecords("b.pcap");
  const std::string early = Capture("a.pcap", {a.begin(), a.begin() + 300});
  const std::string late = Capture("b.pcap", {b.end() - 300, b.end()});
  Expect("check " + early + " " + late, 4, "no two clocks exchanged messages");
  // A third host that both talk to relates them.
  const auto s = Summary("check " + early + " " + Sample("c.pcap") + " " + late, 0);
  EXPECT_EQ(s["pairs"].size(), 2U);
}

TEST_F(EdgeCases, ThatAFileWithNothingWholeWasCutOffIsSaid) {
  WriteBytes(At("cut.jsonl"), R"({"resourceSpans": [{"resource": {"attributes": [)");
  const std::string said = "1 × spans-cut-off (" + At("cut.jsonl") + ":1:49)";
  Expect("check " + At("cut.jsonl"), 4, "no events; found were 1 × no-events");
  Expect("check " + At("cut.jsonl"), 4, said);
  Expect("check " + At("cut.jsonl") + " " + Sample("a.pcap"), 4, said);
}

TEST_F(EdgeCases, EventsWithoutPartnerAreCountedOnce) {
  WriteBytes(At("in.txt"),
             "clock a 1000000000\nclock b 1000000000\nprocess A a\nprocess B b\n"
             "1000 A send B 1\n2000 B recv A 2\n");
  Expect("check " + At("in.txt"), 4, "found were 1 × unmatched-receive");
  Expect("check " + At("in.txt"), 4, "1 × unmatched-send");
}

TEST_F(EdgeCases, DifferentSnapLengthsGiveTheSameMessages) {
  if (!HasTool("editcap")) GTEST_SKIP() << "editcap is not installed";
  const auto cut_to = [&](int bytes) {
    return Shell("editcap -F nsecpcap -s " + std::to_string(bytes) + " " + Sample("b.pcap") + " " +
                 At("b.pcap"))
        .exit_code;
  };
  ASSERT_EQ(cut_to(90), 0);
  const auto s = Summary("check " + Sample("a.pcap") + " " + At("b.pcap"), 0);
  EXPECT_EQ(s["messages"]["total"], kMessagesAb);
  // Shorter still, headers are cut: that is said, and what is whole is used.
  ASSERT_EQ(cut_to(60), 0);
  const auto cut = Summary("check " + Sample("a.pcap") + " " + At("b.pcap"), 3);
  EXPECT_GT(DiagnosticCount(cut, "packet-header-cut"), 0U);
  EXPECT_GT(cut["messages"]["total"], 0U);
}

TEST_F(EdgeCases, MicrosecondsAgainstNanoseconds) {
  if (!HasTool("editcap")) GTEST_SKIP() << "editcap is not installed";
  ASSERT_EQ(Shell("editcap -F pcap " + Sample("b.pcap") + " " + At("b.pcap")).exit_code, 0);
  const auto s = Summary("sync " + Sample("a.pcap") + " " + At("b.pcap") + " -o " + At("out"), 0);
  EXPECT_EQ(s["messages"]["total"], kMessagesAb);
  EXPECT_EQ(s["messages"]["inverted_after"], 0);
  EXPECT_EQ(ReadBytes(folder_ / "out" / "b.pcap").substr(0, 4),
            ReadBytes(At("b.pcap")).substr(0, 4));
  const auto again = Summary("check " + At("out") + "/a.pcap " + At("out") + "/b.pcap", 0);
  EXPECT_EQ(again["messages"]["inverted_before"], 0);
}

TEST_F(EdgeCases, PcapngGivesTheSameMessages) {
  if (!HasTool("editcap")) GTEST_SKIP() << "editcap is not installed";
  ASSERT_EQ(Shell("editcap -F pcapng " + Sample("b.pcap") + " " + At("b.pcapng")).exit_code, 0);
  const auto s = Summary("sync " + Sample("a.pcap") + " " + At("b.pcapng") + " -o " + At("out"), 0);
  EXPECT_EQ(s["messages"]["total"], kMessagesAb);
  EXPECT_EQ(s["messages"]["inverted_after"], 0);
}

TEST_F(EdgeCases, ShuffledPacketsGiveTheSameCorrections) {
  auto records = SampleRecords("b.pcap");
  std::mt19937 random(12);
  std::shuffle(records.begin(), records.end(), random);
  const std::string shuffled = Capture("b.pcap", records);
  const auto ordered = Summary("check " + Sample("a.pcap") + " " + Sample("b.pcap"), 0);
  const auto s = Summary("check " + Sample("a.pcap") + " " + shuffled, 0);
  EXPECT_EQ(s["messages"], ordered["messages"]);
  EXPECT_EQ(s["clocks"], ordered["clocks"]);
  EXPECT_GT(DiagnosticCount(s, "time-steps-back"), 0U);
}

TEST_F(EdgeCases, ACutOffCaptureIsUsedUpToThere) {
  const std::string bytes = ReadBytes(Sample("b.pcap"));
  WriteBytes(At("b.pcap"), bytes.substr(0, bytes.size() - 10));
  const auto s = Summary("sync " + Sample("a.pcap") + " " + At("b.pcap") + " -o " + At("out"), 3);
  EXPECT_EQ(DiagnosticCount(s, "capture-cut-off"), 1);
  EXPECT_EQ(ByName(s["clocks"], "b")["events"], 2676 - 1);
  EXPECT_EQ(fs::file_size(folder_ / "out" / "b.pcap"), bytes.size() - 10);
}

TEST_F(EdgeCases, SoIsOneWhoseCompressedDataIsCutOff) {
  WriteBytes(At("b.pcap"), ReadBytes(Sample("b.pcap")));
  ASSERT_EQ(Shell("gzip -n " + At("b.pcap")).exit_code, 0);
  const std::string packed = ReadBytes(At("b.pcap.gz"));
  WriteBytes(At("b.pcap.gz"), packed.substr(0, packed.size() / 2));
  const std::string all_of_it = "gzip -dc " + At("b.pcap.gz") + " 2>/dev/null";
  const auto s =
      Summary("sync " + Sample("a.pcap") + " " + At("b.pcap.gz") + " -o " + At("out"), 3);
  EXPECT_EQ(DiagnosticCount(s, "capture-cut-off"), 1);
  // As of what gzip saves of it, which is written whole.
  WriteBytes(At("saved.pcap"), Shell(all_of_it).output);
  const auto saved = Summary("check " + Sample("a.pcap") + " b=" + At("saved.pcap"), 3);
  EXPECT_EQ(s["messages"]["total"], saved["messages"]["total"]);
  EXPECT_EQ(Shell("gzip -dc " + At("out/b.pcap.gz") + " | wc -c").output,
            fmt::format("{}\n", fs::file_size(At("saved.pcap"))));
  std::string damaged = packed;
  char& checksum = damaged[packed.size() - 6];
  checksum = static_cast<char>(checksum ^ 0x55);
  WriteBytes(At("b.pcap.gz"), damaged);
  Expect("check " + Sample("a.pcap") + " " + At("b.pcap.gz"), 2, "the gzip data is damaged");
  // Where nothing but the checksum is missing, no packet is.
  WriteBytes(At("b.pcap.gz"), packed.substr(0, packed.size() - 8));
  const auto whole = Summary("check " + Sample("a.pcap") + " " + At("b.pcap.gz"), 3);
  EXPECT_EQ(DiagnosticCount(whole, "capture-cut-off"), 1);
  EXPECT_EQ(ByName(whole["clocks"], "b")["events"], 2676);
  // However little there is.
  WriteBytes(At("few.pcap"), ReadBytes(Sample("b.pcap")).substr(0, 1500));
  ASSERT_EQ(
      Shell("gzip -n " + At("few.pcap") + " && truncate -s -8 " + At("few.pcap.gz")).exit_code, 0);
  EXPECT_EQ(DiagnosticCount(Summary("check " + Sample("b.pcap") + " " + At("few.pcap.gz") + " " +
                                        Sample("a.pcap"),
                                    3),
                            "capture-cut-off"),
            1);
}

TEST_F(EdgeCases, AReferenceThatWasSetBackWithoutMessagesAfterwards) {
  WriteBytes(At("in.txt"),
             "clock a 1000000000\nclock b 1000000000\nprocess 0 a\nprocess 1 b\n"
             "1000 0 send 1 1\n1500 1 recv 0 1\n2000 1 send 0 2\n2500 0 recv 1 2\n"
             "500 0 mark here\n");
  const auto s = Summary("check " + At("in.txt") + " --reference a", 3);
  EXPECT_EQ(ByName(s["clocks"], "b")["quality"], "accurate");
  EXPECT_EQ(DiagnosticCount(s, "clock-stepped"), 1U);
}

TEST_F(EdgeCases, BoundsThatOverflowAreOpen) {
  // The logical clock moves events by more than a bound can be widened by.
  WriteBytes(At("in.txt"),
             "clock a 1000000000\nclock b 1000000000\nprocess 0 a\nprocess 1 b\n"
             "9223372036854775807 0 send 1 1\n-9223372036854775808 1 recv 0 1\n"
             "-9223372036854775807 1 send 0 2\n9223372036854775807 0 recv 1 2\n");
  const RunResult run = Syncline("sync " + At("in.txt") + " -o " + At("out"));
  EXPECT_THAT(run.output, testing::Not(HasSubstr("± −")));
}

// The sanitizers see whether the least delay is taken from the corrected time by way of its type.
TEST_F(EdgeCases, LeastDelaysBeforeTheFirstInstantSaturate) {
  WriteBytes(At("in.txt"),
             "clock c0 1000000 2\nclock c1 1000000000 -4611686018427387904\n"
             "process 0 c0\nprocess 1 c1\nprocess 3 c0\n"
             "-9223372036519364962 1 send 3 2 8\n-1000000000000000000 3 recv 1 2\n"
             "1 3 send 1 3 8\n0 1 recv 3 3\n");
  Expect("check " + At("in.txt") + " --max-drift-ppm inf --min-delay 1", 3, "c1");
}

TEST_F(EdgeCases, AFailureLeavesNoFolder) {
  WriteBytes(At("in.txt"), "nonsense\n");
  EXPECT_EQ(Syncline("sync " + At("in.txt") + " -o " + At("new/inner")).exit_code, 2);
  EXPECT_FALSE(fs::exists(At("new")));
}

TEST_F(EdgeCases, TextErrorsNameLineAndColumn) {
  WriteBytes(At("t.txt"), "clock a 1000000000\nprocess 0 a\n12x 0 mark start\n");
  Expect("check " + At("t.txt"), 2, "t.txt:3:1");
}

TEST_F(EdgeCases, ControlCharactersInTextsAreForCommentsAlone) {
  const std::string trace = "# \x1b[1mtitle\x1b[0m\nclock a 1\nprocess 0 a\n1 0 mark ";
  WriteBytes(At("t.txt"), trace + "start # \x01\n");
  WriteBytes(At("u.txt"), trace + "\x01\n");
  EXPECT_EQ(Syncline("filter " + At("t.txt") + " " + At("out.txt")).exit_code, 0);
  Expect("check " + At("t.txt"), 4, "only one clock");
  Expect("check " + At("u.txt"), 2, "u.txt:4:10: ");
}

TEST_F(EdgeCases, NamesOfFilesBeginNoLines) {
  const std::string folder = At("sent\nforged");
  fs::create_directory(folder);
  fs::copy_file(Sample("a.pcap"), folder + "/a\nforged.pcap");
  fs::copy_file(Sample("b.pcap"), folder + "/b.pcap");
  WriteBytes(At("broken\nforged.txt"), "clock a 1\nfoo");
  for (const std::string& command :
       {"sync '" + folder + "' -o '" + At("out\nforged") + "'", "check '" + folder + "'",
        "compare '" + folder + "'", "check '" + At("broken\nforged.txt") + "'"}) {
    const RunResult run = Syncline(command);
    EXPECT_THAT(run.output, HasSubstr("0aforged"));
    EXPECT_EQ(run.output.find("\nforged"), std::string::npos) << run.output;
  }
}

}  // namespace
}  // namespace syncline
