// The whole program on Chrome JSON: profiles of ranks, and flows between processes.
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

using testing::HasSubstr;

constexpr int64_t kRankAheadNs = 2'000'000;  // of rank1, and twice that of rank2
constexpr int64_t kRestNs = 7;               // of times that are no whole microseconds
constexpr int64_t kBaseNs = 1'700'000'000'000'000'000;

std::string Microseconds(int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

// What a rank's kernel says, at a true time.
struct Kernel {
  int64_t begin_ns = 0, end_ns = 0;
  std::string name;
  std::string arguments;
};

class ChromeCommand : public CommandTest {
 protected:
  // The rank's clock is so far ahead and so much too fast.
  std::string WriteRank(int rank, const std::vector<Kernel>& kernels, int64_t ahead_ns,
                        int64_t ppm = 0) const {
    const auto local = [&](int64_t ns) { return ns + kRestNs + ahead_ns + ns * ppm / 1'000'000; };
    std::string text = fmt::format(
        "{{\"schemaVersion\": 1, \"distributedInfo\": {{\"backend\": \"nccl\", \"rank\": {}, "
        "\"world_size\": 3}}, \"baseTimeNanoseconds\": {},\n\"traceEvents\": [\n"
        "  {{\"name\": \"process_name\", \"ph\": \"M\", \"ts\": 0.000, \"pid\": {}, \"tid\": 0, "
        "\"args\": {{\"name\": \"python\"}}}}",
        rank, kBaseNs, rank);
    for (const Kernel& kernel : kernels) {
      text += fmt::format(
          ",\n  {{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"{}\", \"pid\": {}, \"tid\": 20, "
          "\"ts\": {}, \"dur\": {}, \"args\": {{{}}}}}",
          kernel.name, rank, Microseconds(local(kernel.begin_ns)),
          Microseconds(local(kernel.end_ns) - local(kernel.begin_ns)), kernel.arguments);
    }
    const std::string path = At(fmt::format("rank{}.json", rank));
    WriteBytes(path, text + "\n], \"traceName\": \"t\"}\n");
    return path;
  }

  // Three ranks that reduce `count` times, the last to come being another one each time.
  std::string WriteReductions(int count, bool with_names) const {
    std::string paths;
    for (int rank = 0; rank < 3; ++rank) {
      std::vector<Kernel> kernels;
      for (int i = 0; i < count; ++i) {
        const int64_t begin = 10'000'000 + i * 1'000'000'000LL;
        const int64_t own = begin + ((i + rank) % 3) * 20'000;
        const std::string names = fmt::format(
            "\"Collective name\": \"allreduce\", \"Process Group Name\": \"0\", \"Seq\": {}, ", i);
        kernels.push_back({own, begin + 45'000, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)",
                           (with_names ? names : "") + "\"In msg nelems\": 8"});
      }
      paths += WriteRank(rank, kernels, rank * kRankAheadNs) + " ";
    }
    return paths;
  }

  void ExpectOffsets(const nlohmann::json& summary) {
    for (int rank = 1; rank < 3; ++rank) {
      const auto clock = ByName(summary["clocks"], fmt::format("rank{}", rank));
      const double bound = clock["bound_ns"]["worst"];
      EXPECT_NEAR(clock["offset_ns"].get<double>(), static_cast<double>(rank * kRankAheadNs),
                  bound);
      EXPECT_LT(clock["bound_ns"]["best"].get<double>(), 50'000);
    }
  }
};

TEST_F(ChromeCommand, CollectivesBoundTheClocksOfRanks) {
  const std::string ranks = WriteReductions(20, true);
  const auto s = Summary("sync " + ranks + "--reference rank0 -o " + At("out"), 0);
  ExpectOffsets(s);
  EXPECT_EQ(s["inputs"][0]["format"], "chrome");
  EXPECT_EQ(s["logical"]["collectives"]["ends"], 3 * 20);
  EXPECT_EQ(s["logical"]["collectives"]["violated_after"], 0);
  EXPECT_EQ(DiagnosticCount(s, "operations-matched-by-order"), 0);
  // The written files agree.
  const auto again = Summary(
      "check " + At("out/rank0.json") + " " + At("out/rank1.json") + " --reference rank0", 0);
  EXPECT_LT(std::abs(ByName(again["clocks"], "rank1")["offset_ns"].get<double>()), 50'000);
}

TEST_F(ChromeCommand, WithoutNumbersOrderIsAssumedAndSaid) {
  const std::string run = "check " + WriteReductions(20, false) + "--reference rank0";
  const auto s = Summary(run, 3);
  ExpectOffsets(s);
  EXPECT_EQ(DiagnosticCount(s, "operations-matched-by-order"), 20);
  EXPECT_THAT(ByName(s["diagnostics"], "operations-matched-by-order")["example"].get<std::string>(),
              HasSubstr("rank0.json: allreduce of group"));
  EXPECT_EQ(s["bounds_assume"], "operations matched rightly by order");
  EXPECT_THAT(Syncline(run).output,
              HasSubstr("If operations are matched rightly by their order, every true time lies "));
  EXPECT_THAT(Syncline(run + " --min-delay 1us").output,
              HasSubstr("If operations are matched rightly by their order and every message takes "
                        "at least its minimum delay, every true time lies "));
}

// Ranks 0 and 1 of the program are 1 and 0 of the group, and take turns. Some versions recorded
// each rank's own place.
TEST_F(ChromeCommand, ABroadcastBeginsAtTheRootThatRankNames) {
  const auto broadcasts = [&](bool of_root) {
    std::string paths;
    for (int rank = 0; rank < 2; ++rank) {
      std::vector<Kernel> kernels;
      for (int i = 0; i < 10; ++i) {
        const int64_t begin = 10'000'000 + i * 1'000'000'000LL;
        kernels.push_back(
            {begin, begin + 30'001, "ncclDevKernel_Broadcast_RING_LL",
             fmt::format("\"Collective name\": \"broadcast\", \"Process Group Name\": \"0\", "
                         "\"Process Group Ranks\": \"[1, 0]\", \"Seq\": {}, \"Rank\": {}",
                         i, of_root ? i % 2 : 1 - rank)});
      }
      paths += WriteRank(rank, kernels, rank * kRankAheadNs) + " ";
    }
    return paths + "--reference rank0";
  };
  const auto s = Summary("check " + broadcasts(true), 0);
  EXPECT_EQ(s["messages"]["of_collectives"]["total"], 10);
  const auto clock = ByName(s["clocks"], "rank1");
  EXPECT_NEAR(clock["offset_ns"].get<double>(), kRankAheadNs,
              clock["bound_ns"]["worst"].get<double>());
  // 30 µs each way, and what 200 ppm make of a second.
  EXPECT_LT(clock["bound_ns"]["best"].get<double>(), 150'000);
  const RunResult own = Syncline("check " + broadcasts(false));
  EXPECT_EQ(own.exit_code, 4);
  EXPECT_THAT(own.output, HasSubstr("collective-without-root"));
}

// Begins and durations were cut off, each by less than a microsecond.
TEST_F(ChromeCommand, WholeMicrosecondsWithZerosBehindThemAreNoNanoseconds) {
  for (const int64_t ahead_ns : {int64_t{0}, -kRestNs}) {
    std::string paths;
    for (int rank = 0; rank < 2; ++rank) {
      std::vector<Kernel> kernels;
      for (int64_t i = 1; i <= 10; ++i) {
        const int64_t begin = i * 1'111'000;
        kernels.push_back({begin, begin + 50'000, "ncclDevKernel_AllReduce",
                           fmt::format("\"Process Group Name\": \"0\", \"Seq\": {}", i)});
      }
      paths += WriteRank(rank, kernels, ahead_ns) + " ";
    }
    const auto s = Summary("check " + paths, 0);
    const bool is_whole = ahead_ns != 0;
    for (size_t i = 0; i < 2; ++i) EXPECT_EQ(s["clocks"][i]["reading_ns"], is_whole ? 2'000 : 0);
    EXPECT_EQ(DiagnosticCount(s, "coarser-times"), is_whole ? 2 * 10 : 0);
  }
}

TEST_F(ChromeCommand, DurationsOfWholeMicrosecondsAreNoNanoseconds) {
  std::string paths;
  for (int rank = 0; rank < 2; ++rank) {
    std::vector<Kernel> kernels;
    for (int64_t i = 1; i <= 10; ++i) {
      const int64_t begin = i * 1'111'111;
      kernels.push_back({begin, begin + 50'000 + 7'000 * i, "ncclDevKernel_AllReduce",
                         fmt::format("\"Process Group Name\": \"0\", \"Seq\": {}", i)});
    }
    paths += WriteRank(rank, kernels, 0) + " ";
  }
  const auto s = Summary("check " + paths, 0);
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(s["clocks"][i]["reading_ns"], 1'001);
  EXPECT_EQ(DiagnosticCount(s, "coarser-times"), 2 * 10);
}

// Begins have tenths of microseconds, durations have none: an end may be late by 1.1 µs.
TEST_F(ChromeCommand, DurationsMayBeCoarserThanBegins) {
  for (int rank = 0; rank < 2; ++rank) {
    std::string events;
    for (int i = 1; i <= 3; ++i) {
      events += fmt::format(
          "{}{{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce\",\"pid\":0,"
          "\"tid\":7,"
          "\"ts\":{}100.1,\"dur\":50{},\"args\":{{\"Process Group Name\":\"0\",\"Seq\":{}}}}}",
          i == 1 ? "" : ",", i, rank == 0 ? "" : ".3", i);
    }
    WriteBytes(At(fmt::format("r{}.json", rank)),
               fmt::format("{{\"distributedInfo\":{{\"rank\":{},\"world_size\":2}},"
                           "\"traceEvents\":[{}]}}",
                           rank, events));
  }
  const auto s = Summary("check " + At("r0.json") + " " + At("r1.json"), 0);
  EXPECT_EQ(ByName(s["clocks"], "r0")["reading_ns"], 100 + 1'000);
  EXPECT_EQ(ByName(s["clocks"], "r1")["reading_ns"], 100 + 100);
}

// As PyTorch counts: rank 0 sends twice and receives, rank 1 sends before it receives twice. The
// clocks are the same.
TEST_F(ChromeCommand, TransfersCountEachRanksOwn) {
  const auto kernel = [](int number, int64_t begin_us, const char* kind, int peer) {
    return Kernel{begin_us * 1000, begin_us * 1000 + 50'000, "ncclDevKernel_SendRecv",
                  fmt::format("\"Collective name\": \"{}\", \"Process Group Name\": \"0\", "
                              "\"{} Rank\": {}, \"Seq\": {}, \"In msg nelems\": 8",
                              kind, *kind == 's' ? "Dst" : "Src", peer, number)};
  };
  const std::string ranks =
      WriteRank(
          0, {kernel(1, 1000, "send", 1), kernel(2, 2000, "send", 1), kernel(3, 3000, "recv", 1)},
          0) +
      " " +
      WriteRank(1,
                {kernel(1, 900, "send", 0), kernel(2, 1010, "recv", 0), kernel(3, 2010, "recv", 0)},
                0);
  const auto s = Summary("check " + ranks + " --reference rank0", 3);
  EXPECT_EQ(s["messages"]["total"], 3);
  EXPECT_EQ(s["messages"]["inverted_before"], 0);
  EXPECT_EQ(DiagnosticCount(s, "operations-matched-by-order"), 3);
  EXPECT_EQ(DiagnosticCount(s, "ambiguous-collective"), 0);
}

// 120 000 of them.
TEST_F(ChromeCommand, KernelsAreNotKeptInMemory) {
#ifdef SYNCLINE_SANITIZED
  GTEST_SKIP() << "sanitizers take memory of their own";
#endif
  ASSERT_EQ(Syncline("simulate ring --processes 2 --steps 20000 --collectives 1 --compute "
                     "90us:110us --delay 1us:20us --clock '*:drift=~20ppm' --format chrome -o " +
                     At("sim"))
                .exit_code,
            0);
  const auto s = Summary("check " + At("sim/c0.json") + " " + At("sim/c1.json"), 3);
  EXPECT_EQ(s["messages"]["total"], 2 * 20'000);
  EXPECT_LT(s["timing"]["peak_bytes"].get<uint64_t>(), uint64_t{56} << 20);
}

TEST_F(ChromeCommand, AnAllToAllThatMayLeaveOutCountsForOrder) {
  std::string paths;
  for (int rank = 0; rank < 3; ++rank) {
    std::vector<Kernel> kernels;
    for (int64_t i = 0; i < 3; ++i) {
      kernels.push_back(
          {i * 100'000'000, i * 100'000'000 + 50'000, "ncclDevKernel_SendRecv(x)",
           fmt::format(R"("Collective name": "{}", "In split size": "[{}, 9, 9]")",
                       i == 0 ? "allreduce" : "all_to_allv", i == 1 && rank < 2 ? 0 : 9)});
      kernels.back().arguments += R"(, "Out split size": "[9, 9, 9]")";
    }
    paths += WriteRank(rank, kernels, 0) + " ";
  }
  const auto s = Summary("check " + paths + "--reference rank0", 3);
  EXPECT_EQ(s["messages"]["of_collectives"]["total"], 2 * 3 * 2);
  EXPECT_EQ(s["messages"]["of_collectives"]["inverted_before"], 0);
}

TEST_F(ChromeCommand, ASendsKernelBeginsBeforeItsReceivesEnds) {
  std::string paths;
  for (int rank = 0; rank < 2; ++rank) {
    std::vector<Kernel> kernels;
    for (int i = 0; i < 20; ++i) {
      const bool sends = (i + rank) % 2 == 0;
      const int64_t begin = 10'000'000 + i * 1'000'000'000LL;
      kernels.push_back(
          {begin, begin + 30'000, "ncclDevKernel_SendRecv(x)",
           fmt::format("\"Collective name\": \"{}\", \"{} Rank\": \"{}\", \"Seq\": {}",
                       sends ? "send" : "recv", sends ? "Dst" : "Src", 1 - rank, i)});
    }
    paths += WriteRank(rank, kernels, rank * kRankAheadNs) + " ";
  }
  const auto s = Summary("check " + paths + "--reference rank0", 3);
  EXPECT_EQ(s["messages"]["total"], 20);
  const auto clock = ByName(s["clocks"], "rank1");
  EXPECT_NEAR(clock["offset_ns"].get<double>(), kRankAheadNs,
              clock["bound_ns"]["worst"].get<double>());
}

// Two hosts with two ranks each for three minutes, as newer versions record them. Ranks 0 and 2
// reduce in a group, 1 and 3 in another one of the same name, and 1 sends to 2. Who is late
// changes, so that both ends of the clocks' difference are known to 20 µs.
TEST_F(ChromeCommand, GroupsAndTransfersOfHostsBoundOffsetAndDrift) {
  constexpr int64_t kHostAheadNs = 7'000'000;
  constexpr int64_t kHostPpm = 30;
  std::string paths;
  for (int rank = 0; rank < 4; ++rank) {
    std::vector<Kernel> kernels;
    const std::string group =
        fmt::format("\"Process Group Name\": \"3\", \"Process Group Ranks\": \"[{}, {}]\", ",
                    rank % 2, rank % 2 + 2);
    for (int i = 0; i < 180; ++i) {
      const int64_t begin = (i + 1) * 1'000'000'000LL;
      const bool is_late = i % 2 == rank / 2;
      const std::string number = i % 3 == 0 ? fmt::format("\"Comms Id\": \"{}{}\"", rank % 2, i)
                                            : fmt::format("\"Seq\": {}", i);
      kernels.push_back(
          {begin + (is_late ? 30'000 : 0), begin + 50'000, "ncclDevKernel_AllReduce_Sum",
           "\"Collective name\": \"allreduce\", \"In msg nelems\": 8, " + group + number});
      if (rank != 1 && rank != 2) continue;
      kernels.push_back(
          {begin + 100'000, begin + 130'000, "ncclDevKernel_SendRecv",
           fmt::format("\"Collective name\": \"{}\", \"{} Rank\": {}, \"Seq\": {}",
                       rank == 1 ? "send" : "recv", rank == 1 ? "Dst" : "Src", 3 - rank, i)});
    }
    const int host = rank / 2;
    paths += fmt::format("host{}={} ", host,
                         WriteRank(rank, kernels, host * kHostAheadNs, host * kHostPpm));
  }
  constexpr int64_t kSecond = 1'000'000'000;
  nlohmann::json truth;
  truth["clocks"]["host0"] = {{kBaseNs, kBaseNs}, {kBaseNs + kSecond, kBaseNs + kSecond}};
  truth["clocks"]["host1"] = {
      {kBaseNs + kHostAheadNs, kBaseNs},
      {kBaseNs + kHostAheadNs + kSecond + kHostPpm * 1'000, kBaseNs + kSecond}};
  WriteBytes(At("truth.json"), truth.dump());
  const auto s = Summary(
      "sync " + paths + "--reference host0 -o " + At("out") + " --truth " + At("truth.json"), 3);
  EXPECT_EQ(s["messages"]["total"], 180);
  EXPECT_EQ(s["logical"]["collectives"]["ends"], 4 * 180);
  EXPECT_EQ(DiagnosticCount(s, "operations-matched-by-order"), 180);
  EXPECT_EQ(DiagnosticCount(s, "drift-undetermined"), 0);
  EXPECT_EQ(s["truth"]["outside_bound"], 0);
  const auto clock = ByName(s["clocks"], "host1");
  EXPECT_NEAR(clock["drift_ppm"].get<double>(), double{kHostPpm}, 1);
  EXPECT_LT(clock["bound_ns"]["worst"].get<double>(), 200'000);
}

// 30 questions and answers between two pids of one file, whose clocks are 5 ms apart.
TEST_F(ChromeCommand, AllCanBeMergedAndConverted) {
  const std::string ranks = WriteReductions(20, true);
  Summary("sync " + ranks + "-o " + At("out") + " --merge " + At("all.json"), 0);
  const auto merged = nlohmann::json::parse(ReadBytes(At("all.json")));
  EXPECT_EQ(merged["traceEvents"].size(), 3U * 21);
  EXPECT_EQ(merged["traceEvents"][0]["args"]["name"], "rank0: python 0");
  for (const char* format : {"text", "perfetto", "csv"}) {
    const RunResult run =
        Syncline("convert " + ranks + "--to " + format + " -o " + At(std::string("c.") + format));
    EXPECT_EQ(run.exit_code, 0) << run.output;
  }
  EXPECT_THAT(ReadBytes(At("c.text")), HasSubstr("collective allreduce"));
}

TEST_F(ChromeCommand, WhatIsMergedIsCompressedAsItsNameSays) {
  const std::string ranks = WriteReductions(20, true);
  Summary("sync " + ranks + "-o " + At("out") + " --merge " + At("all.json"), 0);
  Summary("sync -f " + ranks + "-o " + At("out") + " --merge " + At("all.json.gz"), 0);
  EXPECT_EQ(Shell("gzip -dc " + At("all.json.gz")).output, ReadBytes(At("all.json")));
}

TEST_F(ChromeCommand, NamesThatTerminalsOrPagesWouldObeyAreHarmless) {
  const std::string pid = R"("\u001b[31m\n<script>")";
  const auto flow = [&](int id, const std::string& from, const std::string& to) {
    return fmt::format(
        R"({{"ph":"s","id":{0},"ts":{0},"pid":{1},"tid":1}},{{"ph":"f","id":{0},"ts":{0},"pid":{2},"tid":1}})",
        id, from, to);
  };
  WriteBytes(At("h.json"), "[" + flow(1, pid, "2") + "," + flow(2, "2", pid) + "]");
  const RunResult run = Syncline("sync " + At("h.json") + " --clock-per process -o " + At("out") +
                                 " --report " + At("h.html"));
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("h/%1b[31m%0a<script>"));
  EXPECT_EQ(run.output.find('\x1b'), std::string::npos);
  EXPECT_EQ(ReadBytes(At("h.html")).find("[31m%0a<script>"), std::string::npos);
  EXPECT_THAT(ReadBytes(At("out/h.json")), HasSubstr(pid));
}

// A question and its answer, of one clock, whatever the base time looks like.
TEST_F(ChromeCommand, BaseTimesMayHaveTheFormsOfAllNumbers) {
  const auto write = [&](const std::string& file, const std::string& base, const char* first,
                         const char* second, int64_t later) {
    const std::string event =
        R"({{"ph":"{}","id":{},"cat":"c","name":"f","pid":1,"tid":1,"ts":{}.000}})";
    WriteBytes(At(file), fmt::format("{{\"baseTimeNanoseconds\":{},\"traceEvents\":[{},{}]}}", base,
                                     fmt::format(fmt::runtime(event), first, 1, 1001 + later),
                                     fmt::format(fmt::runtime(event), second, 2, 2001 - later)));
  };
  write("b.json", "1727743122000000000", "f", "s", 1);
  const std::string run = "check " + At("a.json") + " " + At("b.json") + " --reference b";
  for (const char* base : {"\"1727743122000000000\"", "1.727743122e18", "1727743122000000000.0"}) {
    write("a.json", base, "s", "f", 0);
    EXPECT_EQ(ByName(Summary(run, 0)["clocks"], "a")["offset_ns"], 0) << base;
  }
  write("a.json", "\"2024\\u002d10\"", "s", "f", 0);
  const RunResult bad = Syncline(run);
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.output, HasSubstr("a.json: byte 23: baseTimeNanoseconds is no number"));
}

// As one program writes the same name and another one, which knows no more than ASCII.
TEST_F(ChromeCommand, WhatIsMalformedIsNamedWithItsByte) {
  WriteBytes(At("a.json"), "{\"traceEvents\": [{\"ph\":\"X\"} {}]}");
  const RunResult run = Syncline("check " + At("a.json"));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.output, HasSubstr("a.json: byte 28: a comma or ] is missing"));
}

}  // namespace
}  // namespace syncline
