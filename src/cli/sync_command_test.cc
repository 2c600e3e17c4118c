// The whole program on the shipped captures: what a user is promised.
#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "base/int128.h"
#include "cli/command_test_util.h"

namespace syncline {
namespace {

class SyncCommand : public CommandTest {
 protected:
  std::string Out() const { return At("out"); }
};

TEST_F(SyncCommand, RemovesEveryInversionOfTheSampleAndBoundsEveryPacket) {
  const auto s =
      Summary("sync " + Samples() + " -o " + Out() + " --truth " + Sample("truth.json"), 3);
  EXPECT_EQ(s["messages"]["total"], 4470);
  EXPECT_EQ(s["messages"]["inverted_before"], 2298);
  EXPECT_EQ(s["messages"]["inverted_after"], 0);
  EXPECT_EQ(s["truth"]["events"], 2909 + 2676 + 2793 + 184);
  EXPECT_EQ(s["truth"]["outside_bound"], 0);
  EXPECT_EQ(s["bounds_assume"], "nothing");
  EXPECT_EQ(s["group"], "drift-bounded");
  const auto truth = nlohmann::json::parse(ReadBytes(Sample("truth.json")));
  for (const char* name : {"a", "c"}) {
    const auto clock = ByName(s["clocks"], name);
    EXPECT_EQ(clock["quality"], "accurate");
    EXPECT_NEAR(clock["rate_limit_ppm"].get<double>(), 200, 0.001);
    EXPECT_LE(clock["guess_limit_ppm"], clock["rate_limit_ppm"]);
    EXPECT_LT(clock["bound_ns"]["worst"], 1'100'000);
    // Far inside of what the bounds leave of 62 s, which is 30 ppm.
    EXPECT_NEAR(clock["drift_ppm"].get<double>(), TrueDriftPpm(truth, name, s["reference"]), 1);
  }
  EXPECT_TRUE(ByName(s["clocks"], "b")["rate_limit_ppm"].is_null());
  EXPECT_EQ(ByName(s["clocks"], "d")["quality"], "incomplete");
  EXPECT_TRUE(ByName(s["clocks"], "d")["bound_ns"]["worst"].is_null());
}

TEST_F(SyncCommand, FoldsTablesForNarrowTerminalsAlone) {
  if (!HasTool("script")) GTEST_SKIP() << "needs script (bsdutils)";
  const std::string check = SYNCLINE_PROGRAM " check " + Samples();
  const auto on_terminal = [&](const std::string& setting) {
    return Shell("script -qec '" + setting + " " + check + "' /dev/null </dev/null").output;
  };
  const auto is_folded = testing::AllOf(testing::HasSubstr("\nclock                worst  quality"),
                                        testing::HasSubstr("\nclock       offset        drift"));
  const auto is_flat = testing::HasSubstr("mean                worst  quality     events");
  EXPECT_THAT(on_terminal("stty cols 80;"), is_folded);
  EXPECT_THAT(on_terminal("stty cols 200;"), is_flat);
  EXPECT_THAT(on_terminal("stty cols 200; COLUMNS=80"), is_folded);
  EXPECT_THAT(on_terminal("stty cols 0;"), is_flat);  // a terminal that does not know
  EXPECT_THAT(Shell("COLUMNS=80 " + check).output, is_flat);
}

TEST_F(SyncCommand, StraightLinesHaveTheRatesOfTheSamplesClocks) {
  const auto s = Summary(
      "sync " + Samples() + " -o " + Out() + " --group joint --truth " + Sample("truth.json"), 3);
  EXPECT_EQ(s["messages"]["inverted_after"], 0);
  EXPECT_EQ(s["truth"]["outside_bound"], 0);
  const auto truth = nlohmann::json::parse(ReadBytes(Sample("truth.json")));
  for (const auto& clock : s["clocks"]) {
    EXPECT_NEAR(clock["drift_ppm"].get<double>(),
                TrueDriftPpm(truth, clock["name"], s["reference"]), 0.3)
        << clock["name"];
    EXPECT_TRUE(clock["rate_limit_ppm"].is_null()) << clock["name"];
  }
}

// Half the difference of the least delays of both directions, and 20 µs.
TEST_F(SyncCommand, ErrsByNoMoreThanTheNetworksAsymmetry) {
  const auto s = Summary("sync " + Samples() + " -o " + Out() + " --reference a", 3);
  const auto truth = nlohmann::json::parse(ReadBytes(Sample("truth.json")));
  const struct {
    const char* clock;
    double asymmetry_ns;
  } cases[] = {{"b", (742'500 - 436'400) / 2.0}, {"c", (1'243'000 - 844'600) / 2.0}};
  for (const auto& c : cases) {
    const auto clock = ByName(s["clocks"], c.clock);
    const auto& knot = clock["correction"][0];
    const auto& p = truth["clocks"][c.clock];
    const int64_t run = p[1][0].get<int64_t>() - p[0][0].get<int64_t>();
    const int64_t rise = p[1][1].get<int64_t>() - p[0][1].get<int64_t>();
    const int64_t since = knot["local"].get<int64_t>() - p[0][0].get<int64_t>();
    // true = local + (rise − run) · since / run + first difference; the products fit a double well.
    const double change =
        static_cast<double>(rise - run) * static_cast<double>(since) / static_cast<double>(run);
    const int64_t expected = knot["local"].get<int64_t>() +
                             (p[0][1].get<int64_t>() - p[0][0].get<int64_t>()) +
                             std::llround(change);
    EXPECT_LE(std::abs(static_cast<double>(knot["global_ns"].get<int64_t>() - expected)),
              c.asymmetry_ns + 20'000)
        << c.clock;
  }
}

TEST_F(SyncCommand, ChangesNothingButTimestamps) {
  ASSERT_EQ(Syncline("sync " + Samples() + " -o " + Out()).exit_code, 3);
  for (const char* name : {"a.pcap", "b.pcap", "c.pcap", "d.pcap"}) {
    std::string before = ReadBytes(Sample(name));
    std::string after = ReadBytes(folder_ / "out" / name);
    ASSERT_EQ(before.size(), after.size());
    for (size_t at = 24; at < before.size();) {
      before.replace(at, 8, 8, '\0');
      after.replace(at, 8, 8, '\0');
      const auto byte = [&](size_t i) {
        return uint32_t{static_cast<unsigned char>(before[at + 8 + i])};
      };
      at += 16 + (byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24);
    }
    EXPECT_TRUE(before == after) << name;
  }
}

TEST_F(SyncCommand, OutputChecksOutWithOffsetsWithinItsBounds) {
  const struct {
    std::string group;
    double most_drift_ppm;
  } cases[] = {{"joint", 0.1}, {"drift-bounded", 1}};
  for (const auto& c : cases) {
    const std::string out = At(c.group);
    const std::string group = " --group " + c.group;
    ASSERT_EQ(Syncline("sync " + Samples() + " -o " + out + group).exit_code, 3);
    const auto s =
        Summary("check " + out + "/a.pcap " + out + "/b.pcap " + out + "/c.pcap" + group, 0);
    EXPECT_EQ(s["messages"]["inverted_before"], 0);
    for (const auto& clock : s["clocks"]) {
      EXPECT_LE(std::abs(clock["offset_ns"].get<double>()),
                clock["bound_ns"]["worst"].get<double>());
      EXPECT_LT(std::abs(clock["drift_ppm"].get<double>()), c.most_drift_ppm) << c.group;
    }
  }
}

// Three clocks without error; a and c exchange slow messages, both exchange fast ones with b.
TEST_F(SyncCommand, GroupMethodsTakeTheWayTheyAreNamedAfter) {
  constexpr int64_t kFast = 10'000;
  constexpr int64_t kSlow = 5'000'000;
  std::string trace;
  for (const char* name : {"a", "b", "c"}) {
    trace += fmt::format("clock {0} 1000000000\nprocess {0} {0}\n", name);
  }
  int message = 0;
  const auto exchange = [&](const char* from, const char* to, int64_t at, int64_t delay) {
    trace += fmt::format("{} {} send {} m{}\n", at, from, to, message);
    trace += fmt::format("{} {} recv {} m{}\n", at + delay, to, from, message++);
  };
  for (int64_t at = 0; at < 20'000'000'000; at += 1'000'000'000) {
    for (const auto& [x, y, delay] :
         {std::tuple("a", "b", kFast), std::tuple("b", "c", kFast), std::tuple("a", "c", kSlow)}) {
      exchange(x, y, at, delay);
      exchange(y, x, at, delay);
    }
  }
  WriteBytes(At("trace.txt"), trace);
  const auto worst = [&](const std::string& group) {
    const auto s = Summary("check " + At("trace.txt") + " --reference a --group " + group, 0);
    EXPECT_EQ(s["group"], group);
    return ByName(s["clocks"], "c")["bound_ns"]["worst"].get<int64_t>();
  };
  EXPECT_GE(worst("tree-hops"), kSlow);
  EXPECT_LE(worst("tree-error"), 3 * kFast);
  EXPECT_LE(worst("joint"), 3 * kFast);
}

TEST_F(SyncCommand, MergesCapturesInOrderOfTimeForWireshark) {
  if (!HasTool("tshark")) GTEST_SKIP() << "tshark is not installed";
  ASSERT_EQ(
      Syncline("sync " + Samples() + " -o " + Out() + " --merge " + At("all.pcapng")).exit_code, 3);
  const RunResult read = Shell("tshark -r " + At("all.pcapng") +
                               " -T fields -e frame.time_delta -e frame.interface_name");
  ASSERT_EQ(read.exit_code, 0);
  std::istringstream lines(read.output);
  std::map<std::string, int> packets;
  std::string line;
  while (std::getline(lines, line)) {
    if (line.find("Running as user") != std::string::npos) continue;
    const size_t tab = line.find('\t');
    ASSERT_NE(tab, std::string::npos) << line;
    EXPECT_NE(line[0], '-') << line;  // never earlier than the packet before
    ++packets[line.substr(tab + 1)];
  }
  EXPECT_EQ(packets,
            (std::map<std::string, int>{{"a", 2909}, {"b", 2676}, {"c", 2793}, {"d", 184}}));
}

TEST_F(SyncCommand, AMergedCaptureIsCompressedAsItsNameSays) {
  for (const std::string name : {"all.pcapng", "all.pcapng.gz"}) {
    ASSERT_EQ(Syncline("sync -f " + Samples() + " -o " + Out() + " --merge " + At(name)).exit_code,
              3);
  }
  EXPECT_EQ(Shell("gzip -dc " + At("all.pcapng.gz")).output, ReadBytes(At("all.pcapng")));
}

TEST_F(SyncCommand, OptionsWithoutEffectAreRefused) {
  const std::string captures = Sample("a.pcap") + " " + Sample("b.pcap");
  const struct {
    std::string options, says;
  } cases[] = {
      {"--clock-per node", "--clock-per is for OTF2 archives and Chrome JSON"},
      {"--clock-by foo", "--clock-by is for spans"},
      {"--report-window 0..1", "--report-window goes with --report alone"},
      {"--logical none --gamma-max 0.9", "--logical none leaves options of the logical clock"},
  };
  for (const auto& [options, says] : cases) {
    const RunResult run = Syncline("sync " + captures + " -o " + Out() + " " + options);
    EXPECT_EQ(run.exit_code, 1) << options << run.output;
    EXPECT_THAT(run.output, testing::HasSubstr(says));
    EXPECT_FALSE(fs::exists(Out()));
  }
  for (const char* command : {"check", "concurrency", "compare"}) {
    const RunResult run = Syncline(command + (" " + captures) + " --clock-by foo");
    EXPECT_EQ(run.exit_code, 1) << command << run.output;
  }
}

// Every packet with another end says which it is, and that one says so, too.
TEST_F(SyncCommand, MergedPacketsNameTheirOtherEnds) {
  if (!HasTool("tshark")) GTEST_SKIP() << "tshark is not installed";
  ASSERT_EQ(
      Syncline("sync " + Samples() + " -o " + Out() + " --merge " + At("all.pcapng")).exit_code, 3);
  const RunResult read = Shell("tshark -r " + At("all.pcapng") +
                               " -T fields -e frame.interface_name -e frame.comment 2>/dev/null");
  ASSERT_EQ(read.exit_code, 0);
  std::map<std::string, std::vector<std::string>> comments;  // by host, in order of its packets
  std::istringstream lines(read.output);
  for (std::string line; std::getline(lines, line);) {
    const size_t tab = line.find('\t');
    ASSERT_NE(tab, std::string::npos) << line;
    comments[line.substr(0, tab)].push_back(line.substr(tab + 1));
  }
  int sent = 0;
  for (const auto& [host, of_host] : comments) {
    for (const std::string& comment : of_host) {
      if (comment.empty()) continue;
      std::istringstream words(comment);
      std::string verb, by, as, packet, peer;
      size_t number = 0;
      words >> verb >> by >> peer >> as >> packet >> number;
      ASSERT_TRUE(verb == "sent" || verb == "received") << comment;
      ASSERT_LE(number, comments[peer].size()) << comment;
      EXPECT_FALSE(comments[peer][number - 1].empty()) << comment;
      EXPECT_EQ(comment.find("−"), std::string::npos) << comment << ": took less than nothing";
      if (verb == "sent") ++sent;
    }
  }
  EXPECT_EQ(sent, 4470);
}

// Which only summaries in JSON tell, and so are found for these alone.
TEST_F(SyncCommand, BoundsOfConstantRatesAreInEverySummaryInJson) {
  const auto has_bounds = [](const nlohmann::json& summary) {
    return std::ranges::all_of(summary["clocks"],
                               [&](const nlohmann::json& clock) {
                                 return clock["quality"] != "accurate" ||
                                        clock["constant_rate_bound_ns"]["worst"].is_number();
                               }) &&
           std::ranges::all_of(summary["pairs"], [](const nlohmann::json& pair) {
             return pair["quality"] != "accurate" || pair["accuracy_ns"]["worst"].is_number();
           });
  };
  const std::string grid = At("grid");
  for (const std::string& inputs : {Samples(), grid + "/trace.txt"}) {
    Syncline("simulate grid --grid 5x6 --steps 20 --clock '*:drift=~50ppm' -qfo " + grid);
    const RunResult told = Syncline("check " + inputs);
    const auto summary = Summary("check " + inputs, told.exit_code);
    EXPECT_TRUE(has_bounds(summary)) << inputs;
    EXPECT_EQ(Syncline("check " + inputs + " -f --json " + At("again.json")).output, told.output);
    Syncline("sync " + inputs + " -qfo " + At("out"));
    EXPECT_TRUE(has_bounds(nlohmann::json::parse(ReadBytes(At("out/syncline.json"))))) << inputs;
    const std::string convert = "convert --to csv " + inputs + " -qfo " + At("tables");
    EXPECT_TRUE(has_bounds(Summary(convert, told.exit_code))) << inputs;
  }
}

TEST_F(SyncCommand, GivesTheSameResultWhateverTheClockOffset) {
  if (!HasTool("editcap")) GTEST_SKIP() << "editcap is not installed";
  const auto near = Summary("check " + Sample("a.pcap") + " " + Sample("b.pcap"), 0);
  const int64_t ten_years = int64_t{3650} * 86'400;
  ASSERT_EQ(Shell("editcap -F nsecpcap -t " + std::to_string(ten_years) + " " + Sample("b.pcap") +
                  " " + At("b.pcap"))
                .exit_code,
            0);
  const auto far = Summary("check " + Sample("a.pcap") + " " + At("b.pcap"), 0);
  EXPECT_EQ(far["messages"]["total"], near["messages"]["total"]);
  const auto offset = [](const nlohmann::json& s) {
    return ByName(s["clocks"], "b")["offset_ns"].get<int64_t>() -
           ByName(s["clocks"], "a")["offset_ns"].get<int64_t>();
  };
  EXPECT_NEAR(static_cast<double>(offset(far) - offset(near) - ten_years * 1'000'000'000), 0, 1000);
}

TEST_F(SyncCommand, MinimumDelaysNarrowTheBoundAndAreSaid) {
  const std::string pair = Sample("a.pcap") + " " + Sample("b.pcap");
  const auto none = Summary("check " + pair + " --reference a", 0);
  WriteBytes(At("delays"), "# least delays\na b 400000\nb a 700000  # the slow way\n");
  const auto given = Summary("check " + pair + " --reference a --min-delay " + At("delays"), 0);
  EXPECT_EQ(given["bounds_assume"], "given minimum delays");
  EXPECT_EQ(given["pairs"][0]["ab"]["min_delay_used_ns"], 400'000);
  EXPECT_EQ(given["pairs"][0]["ba"]["min_delay_used_ns"], 700'000);
  const auto worst = [](const nlohmann::json& s) {
    return ByName(s["clocks"], "b")["bound_ns"]["best"].get<int64_t>();
  };
  EXPECT_LT(worst(given), worst(none) - 500'000);
  const auto assumed = Summary("check " + pair + " --min-delay auto", 0);
  EXPECT_EQ(assumed["bounds_assume"], "symmetric minimum delays");
}

TEST_F(SyncCommand, ReadsOptionsFromAFile) {
  WriteBytes(At("options.ini"), "reference=b\nmethod=bisector\n");
  const auto s = Summary(
      "check " + Sample("a.pcap") + " " + Sample("b.pcap") + " --config " + At("options.ini"), 0);
  EXPECT_EQ(s["reference"], "b");
  EXPECT_EQ(s["method"], "bisector");
}

TEST_F(SyncCommand, SynchronizesText) {
  // b is 1000 ns ahead; messages take 10 ns each way.
  WriteBytes(At("t.txt"),
             "clock a 1000000000\nclock b 1000000000\nprocess 0 a\nprocess 1 b # second\n"
             "0 0 send 1 m1\n1010 1 recv 0 m1\n1020 1 send 0 m2\n30 0 recv 1 m2\n"
             "1000000000 0 send 1 m3\n1000001010 1 recv 0 m3\n1000001020 1 send 0 m4\n"
             "1000000030 0 recv 1 m4\n");
  const auto s = Summary("sync " + At("t.txt") + " -o " + Out() + " --reference a", 0);
  EXPECT_EQ(s["messages"]["inverted_before"], 2);
  EXPECT_EQ(s["messages"]["inverted_after"], 0);
  EXPECT_EQ(ByName(s["clocks"], "b")["offset_ns"], 1000);
  EXPECT_EQ(ReadBytes(folder_ / "out" / "t.txt"),
            "clock a 1000000000\nclock b 1000000000\nprocess 0 a\nprocess 1 b # second\n"
            "0 0 send 1 m1\n10 1 recv 0 m1\n20 1 send 0 m2\n30 0 recv 1 m2\n"
            "1000000000 0 send 1 m3\n1000000010 1 recv 0 m3\n1000000020 1 send 0 m4\n"
            "1000000030 0 recv 1 m4\n");
}

TEST_F(SyncCommand, KeepsAskedDistancesWhereNothingIsInverted) {
  const std::string trace =
      "clock a 1000000000\nclock b 1000000000\nprocess 0 a\nprocess 1 b\n"
      "1000 0 send 1 1\n1000 0 mark x\n2000 1 recv 0 1\n2100 1 send 0 2\n3100 0 recv 1 2\n";
  WriteBytes(At("t.txt"), trace);
  Summary("sync " + At("t.txt") + " -o " + Out() + " --reference a --min-event-gap 50", 0);
  EXPECT_THAT(ReadBytes(folder_ / "out" / "t.txt"), HasSubstr("\n1000 0 send 1 1\n1050 0 mark x"));
}

// A clock that shows whole milliseconds, and delays shorter than that.
TEST_F(SyncCommand, BoundsAllowForCoarseTicks) {
  std::mt19937_64 random(7);
  std::string trace = "clock a 1000000000\nclock b 1000\nprocess a a\nprocess b b\n";
  const auto add = [&](const char* process, int64_t time, const char* kind, const char* peer,
                       int id) {
    trace += std::to_string(time) + " " + process + " " + kind + " " + peer + " " +
             std::to_string(id) + "\n";
  };
  constexpr int64_t kMs = 1'000'000;
  for (int i = 0; i < 100; i += 2) {
    const int64_t sent = i * 37 * kMs + static_cast<int64_t>(random() % kMs);
    const int64_t there = sent + 700'000 + static_cast<int64_t>(random() % 500'000);
    const int64_t back = there + 700'000 + static_cast<int64_t>(random() % 500'000);
    add("a", sent, "send", "b", i);
    add("b", there / kMs, "recv", "a", i);
    add("b", there / kMs, "send", "a", i + 1);
    add("a", back, "recv", "b", i + 1);
  }
  WriteBytes(At("t.txt"), trace);
  // Readings of b lie up to a tick before the truth, which for them is the start of the tick.
  WriteBytes(At("truth.json"), R"({"clocks":{"a":[[0,0],[4000000000,4000000000]],
                                             "b":[[0,0],[4000000000,4000000000]]}})");
  WriteBytes(At("late.json"), R"({"clocks":{"a":[[0,0],[4000000000,4000000000]],
                                            "b":[[0,999999],[4000000000,4000999999]]}})");
  for (const char* truth : {"truth.json", "late.json"}) {
    const auto s = Summary(
        "sync " + At("t.txt") + " -o " + Out() + " -f --reference a --truth " + At(truth), 0);
    EXPECT_EQ(ByName(s["clocks"], "b")["quality"], "accurate");
    EXPECT_EQ(s["truth"]["outside_bound"], 0) << truth;
  }
  // So do those of the copy.
  const auto again = Summary("check " + Out() + "/t.txt --reference a", 0);
  EXPECT_GE(ByName(again["clocks"], "b")["reading_ns"], kMs);
  EXPECT_GE(ByName(again["clocks"], "b")["bound_ns"]["best"], kMs);
}

// Of whole seconds, two hosts that ask each other would drive each other ahead.
TEST_F(SyncCommand, ReadingsOfWholeSecondsDoNotRunAway) {
  constexpr int64_t kSecond = 1'000'000'000;
  std::string text =
      "clock a 1000000000 0 1000000000\nclock b 1000000000 0 1000000000\nprocess A a\nprocess B "
      "b\n";
  const auto second = [](int64_t ms) { return ms / 1000 * kSecond; };
  for (int64_t k = 0; k < 150; ++k) {
    const int64_t at = k * 300 + k * 37 % 100;
    text += fmt::format("{} A send B q{}\n{} B recv A q{}\n", second(at), k, second(at + 853), k);
    text +=
        fmt::format("{} B send A r{}\n{} A recv B r{}\n", second(at + 860), k, second(at + 20), k);
  }
  WriteBytes(At("t.txt"), text);
  const auto furthest = [&](const std::string& options) {
    const auto s = Summary("sync " + At("t.txt") + " --reference a -f -o " + Out() + options, 0);
    EXPECT_GT(s["messages"]["inverted_before"], 50);
    EXPECT_EQ(s["messages"]["inverted_after"], 0);
    int64_t most = 0;
    for (const auto& clock : s["clocks"]) {
      most = std::max(most, clock["logical"]["max_advance_ns"].get<int64_t>());
    }
    return most;
  };
  EXPECT_LE(furthest(""), 2 * kSecond);
  EXPECT_GT(furthest(" --gamma-floor 0.97"), 4 * kSecond);
}

TEST_F(SyncCommand, ReadsTextFromStandardInput) {
  WriteBytes(At("t.txt"),
             "clock a 1000000000\nclock b 1000000000\nprocess 0 a\nprocess 1 b\n"
             "0 0 send 1 m\n10 1 recv 0 m\n20 1 send 0 n\n30 0 recv 1 n\n");
  const RunResult run = Shell("cat " + At("t.txt") + " | " + SYNCLINE_PROGRAM + " check -");
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_EQ(Syncline("sync - -o " + Out() + " </dev/null").exit_code, 1);
}

// Three clocks with their own rates, offsets and ticks; messages of random pairs and delays.
TEST_F(SyncCommand, BoundsHoldForSimulatedClocksInText) {
  constexpr uint64_t kSeed = 20240917;
  SCOPED_TRACE(kSeed);
  struct SimulatedClock {
    const char* name;
    int64_t ticks_per_second, offset_ns;
    double drift_ppm;
  };
  const SimulatedClock clocks[] = {{"a", 1'000'000'000, 0, 0},
                                   {"b", 1'000'000, -3'000'000'000, 80},
                                   {"c", 2'500'000'000, 7'000'000'000'000, -45}};
  constexpr int64_t kEpoch = 1'600'000'000'000'000'000;
  const auto local_ns = [&](const SimulatedClock& c, int64_t t) {
    return kEpoch + c.offset_ns + t + std::llround(static_cast<double>(t) * c.drift_ppm * 1e-6);
  };
  const auto ticks = [&](const SimulatedClock& c, int64_t t) {
    return static_cast<int64_t>(static_cast<Int128>(local_ns(c, t)) * c.ticks_per_second /
                                1'000'000'000);
  };
  std::mt19937_64 random(kSeed);
  std::vector<std::vector<std::pair<int64_t, std::string>>> events(3);
  for (int i = 0; i < 3000; ++i) {
    const size_t from = random() % 3;
    const size_t to = (from + 1 + random() % 2) % 3;
    const auto sent = static_cast<int64_t>(random() % 60'000'000'000);
    const auto received = sent + 50'000 + static_cast<int64_t>(random() % 400'000);
    const auto line = [&](const char* kind, size_t peer) {
      return std::string(" ") + kind + " " + clocks[peer].name + " " + std::to_string(i) + "\n";
    };
    events[from].emplace_back(sent, line("send", to));
    events[to].emplace_back(received, line("recv", from));
  }
  std::string trace;
  nlohmann::json truth;
  for (size_t c = 0; c < 3; ++c) {
    trace += std::string("clock ") + clocks[c].name + " " +
             std::to_string(clocks[c].ticks_per_second) + "\nprocess " + clocks[c].name + " " +
             clocks[c].name + "\n";
    for (const int64_t t : {int64_t{0}, int64_t{60'000'000'000}}) {
      truth["clocks"][clocks[c].name].push_back({local_ns(clocks[c], t), kEpoch + t});
    }
  }
  for (size_t c = 0; c < 3; ++c) {
    std::sort(events[c].begin(), events[c].end());
    for (const auto& [t, rest] : events[c]) {
      trace += std::to_string(ticks(clocks[c], t)) + " " + clocks[c].name + rest;
    }
  }
  WriteBytes(At("t.txt"), trace);
  WriteBytes(At("truth.json"), truth.dump());
  const auto s = Summary(
      "sync " + At("t.txt") + " -o " + Out() + " --reference a --truth " + At("truth.json"), 0);
  EXPECT_EQ(s["messages"]["total"], 3000);
  EXPECT_GT(s["messages"]["inverted_before"], 500);
  EXPECT_EQ(s["messages"]["inverted_after"], 0);
  EXPECT_EQ(s["truth"]["events"], 6000);
  EXPECT_EQ(s["truth"]["outside_bound"], 0);
  EXPECT_LT(s["truth"]["max_error_ns"], 60'000);
  for (const SimulatedClock& clock : clocks) {
    EXPECT_NEAR(ByName(s["clocks"], clock.name)["drift_ppm"].get<double>(), clock.drift_ppm, 0.5);
  }
  const auto again = Summary("check " + Out() + "/t.txt", 0);
  EXPECT_EQ(again["messages"]["inverted_before"], 0);
}

}  // namespace
}  // namespace syncline
