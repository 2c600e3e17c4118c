// The commands serve and probe as a user calls them: processes on the loopback, and in network
// namespaces of their own where these may be made.
#include <array>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <memory>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "cli/command_test_util.h"

namespace syncline {
namespace {

using testing::HasSubstr;

// A port of UDP that nobody had a moment ago.
int FreePort() {
  const int fd = ::socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  socklen_t size = sizeof address;
  EXPECT_EQ(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
  ::close(fd);
  return ntohs(address.sin_port);
}

// A program that runs from here until Stop(), begun once it has said `first`.
class Running {
 public:
  Running(const std::string& command, const std::string& first) {
    std::array<int, 2> ends = {};
    EXPECT_EQ(::pipe(ends.data()), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      ::dup2(ends[1], STDERR_FILENO);
      ::close(ends[0]);
      ::close(ends[1]);
      ::execl("/bin/sh", "sh", "-c", ("exec " + command).c_str(), nullptr);
      ::_exit(127);
    }
    ::close(ends[1]);
    output_ = ::fdopen(ends[0], "r");
    ReadUntil(first);
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    if (pid_ > 0) Stop();
  }
  // Its exit code.
  int Stop(int signal = SIGTERM) {
    ::kill(pid_, signal);
    return Wait();
  }
  int Wait() {
    ReadUntil("\f");
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = 0;
    std::fclose(output_);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  // However long that takes; a line that says it is the last one read.
  void ReadUntil(const std::string& word) {
    char line[1024];
    while (std::fgets(line, sizeof line, output_) != nullptr) {
      text_ += line;
      if (std::string(line).find(word) != std::string::npos) return;
    }
  }
  const std::string& output() const { return text_; }

 private:
  pid_t pid_ = 0;
  FILE* output_ = nullptr;
  std::string text_;
};

class Serving : public Running {
 public:
  explicit Serving(const std::string& arguments, const std::string& prefix = "")
      : Running(prefix + " " + SYNCLINE_PROGRAM + " clock serve " + arguments, "Serving") {}
};

class ProbeCommand : public CommandTest {
 protected:
  // The JSON of a run that must exit with this code.
  nlohmann::json Probe(const std::string& arguments, int exit_code,
                       const std::string& prefix = "") {
    const std::string path = At("probe.json");
    const RunResult run = Shell(prefix + " " + SYNCLINE_PROGRAM + " clock probe " + arguments +
                                " --force --json " + path);
    EXPECT_EQ(run.exit_code, exit_code) << run.output;
    output_ = run.output;
    return fs::exists(path) ? nlohmann::json::parse(ReadBytes(path)) : nlohmann::json();
  }

  // What a distorted server's clock showed more than the undistorted one at this time.
  static int64_t TrueOffset(int64_t at_ns, int64_t offset_ns, int64_t drift_ppb,
                            int64_t origin_ns) {
    // Some seconds by some ppm: exact enough in doubles.
    const auto elapsed = static_cast<double>(at_ns - origin_ns);
    return offset_ns + std::llround(elapsed * static_cast<double>(drift_ppb) * 1e-9);
  }

  // After each burst the truth lies within what is said.
  static void ExpectTruthInBounds(const nlohmann::json& host, int64_t offset_ns, int64_t drift_ppb,
                                  int64_t origin_ns) {
    ASSERT_FALSE(host["bursts"].empty());
    for (const auto& burst : host["bursts"]) {
      const auto& bounds = burst["estimate"]["bounds"];
      ASSERT_FALSE(bounds.is_null());
      const int64_t truth = TrueOffset(burst["estimate"]["at_ns"], offset_ns, drift_ppb, origin_ns);
      EXPECT_LE(bounds["offset_low_ns"].get<int64_t>(), truth);
      EXPECT_GE(bounds["offset_high_ns"].get<int64_t>(), truth);
      EXPECT_LE(std::abs(burst["estimate"]["offset_ns"].get<int64_t>() - truth),
                bounds["bound_ns"].get<int64_t>());
      EXPECT_LE(bounds["drift_low_ppm"].get<double>(), static_cast<double>(drift_ppb) / 1000);
      EXPECT_GE(bounds["drift_high_ppm"].get<double>(), static_cast<double>(drift_ppb) / 1000);
    }
  }

  std::string output_;
};

std::string Distort(int64_t offset_ns, int64_t drift_ppb, int64_t origin_ns) {
  return fmt::format(" --distort offset={}ns,drift={}ppb,origin={}", offset_ns, drift_ppb,
                     origin_ns);
}

// Both processes read the same clock, so all that differs is the distortion.
TEST_F(ProbeCommand, FindsAKnownDistortionWithinItsBound) {
  struct Case {
    int64_t offset_ns;
    int64_t drift_ppb;
    const char* stamps;
  };
  for (const Case& c : {Case{0, 0, "kernel"}, Case{1'700'000'000, 35'000, "kernel"},
                        Case{-420'000'000, -120'000, "kernel"}, Case{1'000, 150'000, "program"}}) {
    const std::string port = std::to_string(FreePort());
    const int64_t origin = static_cast<int64_t>(std::time(nullptr)) * 1'000'000'000;
    Serving server(fmt::format("--port {}{}", port, Distort(c.offset_ns, c.drift_ppb, origin)));
    const auto result = Probe(
        fmt::format(
            "host=127.0.0.1:{} --bursts 4 --interval 0.05 --spacing 0 --timeout 5 --stamps {}",
            port, c.stamps),
        0);
    const auto& host = result["hosts"][0];
    EXPECT_EQ(host["exchanges"]["exchanges"], 40);
    EXPECT_EQ(host["bursts"].size(), 4);
    ExpectTruthInBounds(host, c.offset_ns, c.drift_ppb, origin);
    EXPECT_THAT(output_, HasSubstr("guaranteed for clocks that gain or lose at most 200 ppm"));
    EXPECT_EQ(server.Stop(), 0);
    EXPECT_THAT(server.output(), HasSubstr("Answered 40 questions"));
  }
}

TEST_F(ProbeCommand, SaysThatAClockRanFasterThanTheLimit) {
  const std::string port = std::to_string(FreePort());
  const int64_t origin = static_cast<int64_t>(std::time(nullptr)) * 1'000'000'000;
  const Serving server("--port " + port + Distort(0, 450'000, origin));
  const auto result =
      Probe("host=127.0.0.1:" + port + " --bursts 3 --interval 0.5 --spacing 0.001 --timeout 5", 3);
  const auto& host = result["hosts"][0];
  EXPECT_GE(host["contradictions"]["count"], 1);
  EXPECT_EQ(host["contradictions"]["first"][0]["kind"], "too-fast");
  EXPECT_THAT(output_, HasSubstr("host ran at least"));
  // From then on for as much as it was seen to run.
  const auto& estimate = host["estimate"];
  EXPECT_GT(estimate["max_drift_ppm"], 200);  // how much more depends on the trips
  ASSERT_FALSE(estimate["bounds"].is_null());
  const int64_t truth = TrueOffset(estimate["at_ns"], 0, 450'000, origin);
  EXPECT_LE(estimate["bounds"]["offset_low_ns"].get<int64_t>(), truth);
  EXPECT_GE(estimate["bounds"]["offset_high_ns"].get<int64_t>(), truth);
}

TEST_F(ProbeCommand, BeginsAnewWhereAClockWasSet) {
  const std::string port = std::to_string(FreePort());
  const int64_t origin = static_cast<int64_t>(std::time(nullptr)) * 1'000'000'000;
  auto server = std::make_unique<Serving>("--port " + port + Distort(0, 0, origin));
  Running probe(std::string(SYNCLINE_PROGRAM) + " clock probe host=127.0.0.1:" + port +
                    " --duration 600 --interval 0.1 --spacing 0 --timeout 0.5 --json " +
                    At("probe.json"),
                "least trip");
  for (int i = 0; i < 3; ++i) probe.ReadUntil("least trip");
  server.reset();
  server = std::make_unique<Serving>("--port " + port + Distort(50'000'000, 0, origin));
  for (int i = 0; i < 3; ++i) probe.ReadUntil("offset +50");
  EXPECT_EQ(probe.Stop(SIGINT), 3);
  output_ = probe.output();
  const auto result = nlohmann::json::parse(ReadBytes(At("probe.json")));
  const auto& host = result["hosts"][0];
  ASSERT_EQ(host["contradictions"]["count"], 1) << output_;
  const auto& set = host["contradictions"]["first"][0];
  EXPECT_EQ(set["kind"], "set");
  EXPECT_LE(set["change_low_ns"], 50'000'000);
  EXPECT_GE(set["change_high_ns"], 50'000'000);
  EXPECT_THAT(output_, HasSubstr("host was set against local, by about +"));
  EXPECT_LE(host["estimate"]["bounds"]["offset_low_ns"], 50'000'000);
  EXPECT_GE(host["estimate"]["bounds"]["offset_high_ns"], 50'000'000);
}

TEST_F(ProbeCommand, LogsWhatSyncReadsWithTheSameBounds) {
  const std::string ports[] = {std::to_string(FreePort()), std::to_string(FreePort())};
  const int64_t origin = static_cast<int64_t>(std::time(nullptr)) * 1'000'000'000;
  const Serving a("--port " + ports[0] + Distort(1'700'000'000, 35'000, origin));
  const Serving b("--port " + ports[1] + Distort(-420'000'000, -12'000, origin));
  const std::string log = At("log.txt");
  const auto result = Probe("a=127.0.0.1:" + ports[0] + " b=127.0.0.1:" + ports[1] +
                                " --bursts 3 --interval 0.1 --timeout 5 --log " + log,
                            0);
  const auto summary = Summary("sync " + log + " --reference local -o " + At("out"), 0);
  EXPECT_EQ(summary["messages"]["total"], 2 * 2 * 30);
  EXPECT_EQ(summary["messages"]["unmatched_sends"], 0);
  EXPECT_EQ(summary["messages"]["inverted_after"], 0);
  for (const auto& host : result["hosts"]) {
    const auto& clock = ByName(summary["clocks"], host["name"]);
    EXPECT_EQ(clock["quality"], "accurate");
    // Taken at other times of a fraction of a second: 0.2 s at 200 ppm are 40 µs.
    const auto& estimate = host["estimate"];
    EXPECT_LE(std::abs(clock["offset_ns"].get<int64_t>() - estimate["offset_ns"].get<int64_t>()),
              clock["bound_ns"]["worst"].get<int64_t>() +
                  estimate["bounds"]["bound_ns"].get<int64_t>() + 60'000);
  }
}

TEST_F(ProbeCommand, StreamsItsLog) {
  const std::string port = std::to_string(FreePort());
  const Serving server("--port " + port);
  const RunResult run =
      Syncline("clock probe 127.0.0.1:" + port + " -n 3 --bursts 1 --timeout 5 --log - | " +
               SYNCLINE_PROGRAM + " check -");
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("Of 6 messages"));
}

TEST_F(ProbeCommand, TakesTheSameKeyAtBothEnds) {
  const std::string port = std::to_string(FreePort());
  WriteBytes(At("key"), "a secret of sixteen bytes or more\n");
  WriteBytes(At("other"), "another secret of sixteen bytes\n");
  Serving server("--port " + port + " --key " + At("key") + " --json " + At("serve.json") +
                 " --count 3");
  const std::string brief = "127.0.0.1:" + port + " --bursts 1 -n ";
  const auto refused = Probe(brief + "2 --timeout 0.05", 4);
  EXPECT_EQ(refused["hosts"][0]["packets"]["unanswered"], 2);
  EXPECT_THAT(output_, HasSubstr("did not answer"));
  Probe(brief + "2 --timeout 0.05 --key " + At("other"), 4);
  Probe(brief + "3 --timeout 5 --key " + At("key"), 0);
  EXPECT_EQ(server.Wait(), 0);  // --count
  EXPECT_THAT(server.output(), testing::Not(HasSubstr("secret")));
  const auto served = nlohmann::json::parse(ReadBytes(At("serve.json")));
  EXPECT_EQ(served["answered"], 3);
  EXPECT_EQ(served["ignored"]["unauthenticated"], 4);
}

// libfaketime shows the server's program another time, but not the kernel, whose stamps would be
// seconds off.
TEST_F(ProbeCommand, UsesNoKernelStampsOfASimulatedClock) {
  if (!std::string(SYNCLINE_SANITIZERS).empty()) GTEST_SKIP() << "not under sanitizers";
  if (!HasTool("faketime")) GTEST_SKIP() << "no faketime (package faketime)";
  for (const std::string shift : {"+5s", "-5s"}) {
    const std::string port = std::to_string(FreePort());
    // Ends by itself, because a signal would reach faketime alone.
    Serving server(fmt::format("--port {} --count 30 --duration 20", port),
                   fmt::format("faketime -f '{} x1.0001'", shift));
    const auto result = Probe(
        fmt::format("127.0.0.1:{} --bursts 3 --interval 0.05 --spacing 0 --timeout 5", port), 0);
    const auto& host = result["hosts"][0];
    EXPECT_EQ(host["kernel_stamps"]["t2"], 0);
    EXPECT_EQ(host["kernel_stamps"]["t3"], 0);
    // Since it was started, it has run 100 ppm fast.
    const auto& estimate = host["estimate"];
    ASSERT_FALSE(estimate["bounds"].is_null());
    EXPECT_LE(std::abs(std::abs(estimate["offset_ns"].get<int64_t>()) - 5'000'000'000),
              100'000'000);
    EXPECT_LE(estimate["bounds"]["drift_low_ppm"].get<double>(), 100);
    EXPECT_GE(estimate["bounds"]["drift_high_ppm"].get<double>(), 100);
    EXPECT_EQ(server.Wait(), 0);
  }
}

TEST_F(ProbeCommand, SaysWhichHostDidNotAnswer) {
  const std::string port = std::to_string(FreePort());
  const std::string silent = std::to_string(FreePort());
  const Serving server("--port " + port);
  const auto result =
      Probe("there=127.0.0.1:" + port + " gone=127.0.0.1:" + silent + " --bursts 1 --timeout 2", 3);
  EXPECT_EQ(result["weaknesses"], (nlohmann::json{"gone did not answer"}));
  EXPECT_EQ(result["hosts"][1]["packets"]["refused"], 10);
  EXPECT_TRUE(result["hosts"][1]["estimate"].is_null());
}

TEST_F(ProbeCommand, EndsOnSignalsWithWhatItHas) {
  const std::string port = std::to_string(FreePort());
  Serving server("--port " + port);
  Running probe(std::string(SYNCLINE_PROGRAM) + " clock probe host=127.0.0.1:" + port +
                    " --duration 600 --interval 0.2 --log " + At("log.txt"),
                "least trip");
  EXPECT_EQ(probe.Stop(SIGINT), 0) << probe.output();
  EXPECT_EQ(Syncline("check " + At("log.txt")).exit_code, 0);
  EXPECT_EQ(server.Stop(SIGINT), 0);
}

TEST_F(ProbeCommand, EndedByAHangupItLeavesNothing) {
  const RunResult run = Shell("mkdir " + At("outputs") + " && cd " + At("outputs") +
                              " && timeout --signal=HUP --preserve-status 0.5 " + SYNCLINE_PROGRAM +
                              " clock probe 127.0.0.1:9 --duration 60 --log log.txt --json j.json");
  EXPECT_NE(run.exit_code, 0) << run.output;
  EXPECT_TRUE(fs::is_empty(At("outputs")));
}

TEST_F(ProbeCommand, NeverWritesOverItsKey) {
  const std::string key = std::string(40, 'k') + "\n";
  WriteBytes(At("key"), key);
  for (const std::string& command :
       {"probe 127.0.0.1:9 --log " + At("key"), "probe 127.0.0.1:9 --json " + At("./key"),
        "serve --json " + At("key"), "characterize --plot " + At("key")}) {
    const RunResult run = Syncline("clock " + command + " -f --key " + At("key"));
    EXPECT_EQ(run.exit_code, 1) << command;
    EXPECT_EQ(ReadBytes(At("key")), key) << command;
  }
}

TEST_F(ProbeCommand, WrongUseIsRefused) {
  WriteBytes(At("short"), "short");
  struct Case {
    std::string arguments;
    const char* said;
    int exit_code = 1;
  };
  for (const Case& c :
       {Case{"probe", "either hosts or --broadcast"},
        Case{"probe a --broadcast b", "either hosts or --broadcast"},
        Case{"probe x=127.0.0.1 x=127.0.0.2", "a name of its own"},
        Case{"probe local=127.0.0.1", "a name of its own"},
        Case{"probe 127.0.0.1:x", "expected HOST"},
        Case{"probe no.such.host.invalid", "no.such.host.invalid", 2},
        Case{"probe 127.0.0.1 -n 0", "--exchanges"},
        Case{"probe 127.0.0.1 --timeout 0", "--timeout"},
        Case{"probe 127.0.0.1 --max-drift-ppm -1", "--max-drift-ppm"},
        Case{"probe 127.0.0.1 --max-drift-ppm inf", "--max-drift-ppm"},
        Case{"probe 127.0.0.1 --key " + At("short"), "a key has from 16"},
        Case{"probe 127.0.0.1 --log - --json -", "the same output"},
        Case{"serve --port 0", "--port"}, Case{"serve --rate 0", "--rate"},
        Case{"serve --distort drift=fast", "--distort: 'drift=fast': at character 7"},
        Case{"serve --key /no/such/key", "/no/such/key", 2},
        Case{"serve --listen 192.0.2.1", "192.0.2.1", 2},
        Case{"serve --listen ::1 --broadcast 127.255.255.255", "--broadcast"}}) {
    const RunResult run = Syncline(fmt::format("clock {}", c.arguments));
    EXPECT_EQ(run.exit_code, c.exit_code) << c.arguments << "\n" << run.output;
    EXPECT_THAT(run.output, HasSubstr(c.said));
  }
  EXPECT_THAT(Syncline("clock probe --help").output, HasSubstr("--max-drift-ppm"));
  EXPECT_THAT(Syncline("clock serve --help").output, HasSubstr("127.0.0.1"));
}

// A prober and two hosts, each in a network namespace, joined by a bridge.
class ProbeOfNamespaces : public ProbeCommand {
 protected:
  void SetUp() override {
    ProbeCommand::SetUp();
    if (!HasTool("ip")) GTEST_SKIP() << "no ip (package iproute2)";
    for (size_t i = 0; i < spaces_.size(); ++i) {
      spaces_[i] = fmt::format("slp{}n{}", ::getpid(), i);
      const RunResult made = Shell(fmt::format("ip netns add {}", spaces_[i]));
      if (made.exit_code != 0) GTEST_SKIP() << "no network namespaces: " << made.output;
    }
    const RunResult joined = Shell(JoiningScript());
    if (joined.exit_code != 0) GTEST_SKIP() << "no bridge between namespaces: " << joined.output;
  }
  void TearDown() override {
    for (const std::string& space : spaces_) {
      if (!space.empty()) Shell("ip netns del " + space);
    }
    ProbeCommand::TearDown();
  }
  std::string In(size_t space) const { return "ip netns exec " + spaces_[space]; }

  std::array<std::string, 3> spaces_;

 private:
  // The prober's end is the bridge, 10.231.7.1; the hosts are .2 and .3.
  std::string JoiningScript() const {
    std::string script = fmt::format(
        "set -e; B='ip -n {}'; $B link add br0 type bridge; "
        "$B addr add 10.231.7.1/24 brd + dev br0; $B link set br0 up",
        spaces_[0]);
    for (size_t i = 1; i < spaces_.size(); ++i) {
      script += fmt::format(
          "; $B link add v{0} type veth peer name e0 netns {1}; $B link set v{0} master br0 up; "
          "H='ip -n {1}'; $H addr add 10.231.7.{2}/24 brd + dev e0; $H link set e0 up",
          i, spaces_[i], i + 1);
    }
    return script;
  }
};

TEST_F(ProbeOfNamespaces, FindsDistortedHostsWithinTheirBounds) {
  const int64_t origin = static_cast<int64_t>(std::time(nullptr)) * 1'000'000'000;
  const Serving a("--listen 10.231.7.2" + Distort(1'700'000'000, 35'000, origin), In(1));
  const Serving b("--listen 10.231.7.3" + Distort(-420'000'000, -12'000, origin), In(2));
  const auto result = Probe(
      "a=10.231.7.2 b=10.231.7.3 --bursts 4 --interval 0.1 --timeout 5 --log " + At("log.txt"), 0,
      In(0));
  ExpectTruthInBounds(result["hosts"][0], 1'700'000'000, 35'000, origin);
  ExpectTruthInBounds(result["hosts"][1], -420'000'000, -12'000, origin);
  EXPECT_EQ(Syncline("check " + At("log.txt")).exit_code, 0);
}

TEST_F(ProbeOfNamespaces, ComparesReceptionsOfBroadcasts) {
  const int64_t origin = static_cast<int64_t>(std::time(nullptr)) * 1'000'000'000;
  for (const std::string group : {"10.231.7.255", "239.7.7.7"}) {
    if (group == "239.7.7.7") {
      for (size_t i = 0; i < 3; ++i) {
        const RunResult routed = Shell(fmt::format("ip -n {} route add 239.0.0.0/8 dev {}",
                                                   spaces_[i], i == 0 ? "br0" : "e0"));
        ASSERT_EQ(routed.exit_code, 0) << routed.output;
      }
    }
    const Serving a(fmt::format("--listen 10.231.7.2 --broadcast {}{}", group,
                                Distort(1'700'000'000, 35'000, origin)),
                    In(1));
    const Serving b(fmt::format("--listen 0.0.0.0 --broadcast {}{}", group,
                                Distort(-420'000'000, -12'000, origin)),
                    In(2));
    const auto result =
        Probe(fmt::format("--broadcast {} -n 3 --bursts 2 --interval 0 --timeout 0.1 --log {}",
                          group, At("log.txt")),
              0, In(0));
    ASSERT_EQ(result["hosts"].size(), 2) << group;
    for (const auto& host : result["hosts"]) {
      const bool is_a = host["address"].get<std::string>().starts_with("10.231.7.2:");
      ExpectTruthInBounds(host, is_a ? 1'700'000'000 : -420'000'000, is_a ? 35'000 : -12'000,
                          origin);
    }
    const auto& reception = result["hosts"][1]["reception"];
    ASSERT_FALSE(reception.is_null());
    // Up to what the reception of one datagram differs, which is far below a tenth of a second.
    EXPECT_LT(std::abs(std::abs(reception["mean_ns"].get<int64_t>()) - 2'120'000'000), 100'000'000);
    const auto summary = Summary(fmt::format("sync {} --force -o {}", At("log.txt"), At("out")), 0);
    EXPECT_EQ(summary["messages"]["inverted_after"], 0);
  }
}

}  // namespace
}  // namespace syncline
