// Real processes keep region clocks and attach their stamps to messages; what they end with equals
// what `syncline concurrency` makes of the trace they wrote.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <map>
#include <numeric>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "syncline/region_clock.h"

#include "cli/command_test_util.h"

namespace syncline {
namespace {

constexpr uint32_t kProcesses = 4;
constexpr int kRounds = 40;

int64_t Now() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

enum class Stamps { kDense, kChanges };

// What goes over a socket: the number of the message, and the stamp's bytes.
using Packet = std::vector<std::byte>;
constexpr size_t kMostPacketBytes = 4096;

Packet MakePacket(uint64_t message, const RegionStamp& stamp) {
  Packet packet(sizeof(message));
  std::memcpy(packet.data(), &message, sizeof(message));
  const std::vector<std::byte> bytes = EncodeStamp(stamp);
  packet.insert(packet.end(), bytes.begin(), bytes.end());
  return packet;
}

// One of the processes: a ring, whose members also answer their left neighbours.
class Member {
 public:
  Member(uint32_t own, std::array<int, kProcesses> sockets, Stamps stamps)
      : own_(own), sockets_(sockets), stamps_(stamps), clock_(own, kProcesses, Mark()) {}

  // What the process leaves behind: its trace, and what its clock says.
  struct Left {
    std::string trace;
    nlohmann::json values;
  };
  Left Run() {
    const uint32_t right = (own_ + 1) % kProcesses;
    const uint32_t left = (own_ + kProcesses - 1) % kProcesses;
    for (int round = 0; round < kRounds; ++round) {
      Compute(round);
      Send(right);
      Receive(left);
      if (round % 3 == 0) {
        Send(left);
        Compute(round);
        Receive(right);
      }
    }
    clock_.End(Mark());
    const auto sum = [](auto span) {
      return std::accumulate(span.begin(), span.end(), int64_t{0});
    };
    return {trace_,
            {{"computed_ns", clock_.computed_ns()[own_]},
             {"delayed_ns", clock_.delayed_ns()[own_]},
             {"height_ns", clock_.height_ns()},
             {"weight_ns", sum(clock_.computed_ns())},
             {"volume_ns", sum(clock_.computed_ns()) + sum(clock_.delayed_ns())}}};
  }

 private:
  int64_t Write(const std::string& event) {
    const int64_t now = Now();
    trace_ += fmt::format("{} p{} {}\n", now, own_, event);
    return now;
  }
  int64_t Mark() { return Write("mark x"); }

  void Compute(int round) const {
    volatile uint64_t work = 0;
    for (uint32_t i = 0; i < 1000 * (1 + (own_ + static_cast<uint32_t>(round)) % 4); ++i) {
      work = work + i;
    }
  }
  void Send(uint32_t to) {
    const uint64_t message = sent_[to]++;
    const int64_t now = Write(fmt::format("send p{} {}", to, message));
    const Packet packet = MakePacket(
        message, stamps_ == Stamps::kDense ? clock_.Send(now) : clock_.SendChanges(to, now));
    if (::write(sockets_[to], packet.data(), packet.size()) < 0) ::_exit(2);
  }
  void Receive(uint32_t from) {
    clock_.Block(Write("block"));
    Packet packet(kMostPacketBytes);
    const ssize_t got = ::read(sockets_[from], packet.data(), packet.size());
    uint64_t message = 0;
    if (got < static_cast<ssize_t>(sizeof(message))) ::_exit(3);
    packet.resize(static_cast<size_t>(got));
    std::memcpy(&message, packet.data(), sizeof(message));
    const auto stamp = DecodeStamp(std::span(packet).subspan(sizeof(message)), kProcesses);
    if (!stamp) ::_exit(4);
    const int64_t now = Write(fmt::format("recv p{} {}", from, message));
    if (!clock_.Deliver(now, *stamp)) ::_exit(5);
  }

  uint32_t own_;
  std::array<int, kProcesses> sockets_;
  Stamps stamps_;
  std::string trace_;
  RegionClock clock_;
  std::map<uint32_t, uint64_t> sent_;
};

class LiveClocks : public CommandTest {
 protected:
  // Forks the members; returns what each clock said, with their traces in p0.txt, p1.txt, ….
  std::vector<nlohmann::json> RunMembers(Stamps stamps) {
    std::array<std::array<int, kProcesses>, kProcesses> sockets{};
    for (uint32_t a = 0; a < kProcesses; ++a) {
      for (uint32_t b = 0; b < a; ++b) {
        int pair[2] = {-1, -1};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
        sockets[a][b] = pair[0];
        sockets[b][a] = pair[1];
      }
    }
    std::vector<pid_t> children;
    for (uint32_t p = 0; p < kProcesses; ++p) {
      children.push_back(::fork());
      if (children.back() == 0) {
        ::alarm(60);
        RunMember(p, sockets[p], stamps);
      }
    }
    for (const pid_t child : children) {
      int status = -1;
      ::waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
    }
    for (uint32_t a = 0; a < kProcesses; ++a) {
      for (uint32_t b = 0; b < kProcesses; ++b) {
        if (a != b) ::close(sockets[a][b]);
      }
    }
    std::vector<nlohmann::json> values;
    for (uint32_t p = 0; p < kProcesses; ++p) {
      values.push_back(nlohmann::json::parse(ReadBytes(At(fmt::format("p{}.json", p)))));
    }
    return values;
  }

 private:
  [[noreturn]] void RunMember(uint32_t p, const std::array<int, kProcesses>& sockets,
                              Stamps stamps) {
    const Member::Left left = Member(p, sockets, stamps).Run();
    std::string head;
    for (uint32_t i = 0; i < kProcesses; ++i) {
      head += fmt::format("clock c{0} 1000000000\nprocess p{0} c{0}\n", i);
    }
    WriteBytes(At(fmt::format("p{}.txt", p)), head + left.trace);
    WriteBytes(At(fmt::format("p{}.json", p)), left.values.dump());
    ::_exit(0);
  }
};

TEST_F(LiveClocks, EqualWhatTheTraceGives) {
  for (const Stamps stamps : {Stamps::kDense, Stamps::kChanges}) {
    const std::vector<nlohmann::json> live = RunMembers(stamps);
    std::string traces;
    for (uint32_t p = 0; p < kProcesses; ++p) traces += At(fmt::format("p{}.txt ", p));
    const auto json = Summary("concurrency " + traces + "--force --csv " + At("regions.csv"), 0);
    const std::string csv = ReadBytes(At("regions.csv"));
    for (uint32_t p = 0; p < kProcesses; ++p) {
      const auto process = ByName(json["processes"], fmt::format("p{}", p));
      for (const char* key : {"computed_ns", "delayed_ns", "height_ns"}) {
        EXPECT_EQ(process[key], live[p][key]) << p << ' ' << key;
      }
      const auto field = [&](const char* key) { return live[p][key].get<int64_t>(); };
      const std::string last =
          fmt::format(",{},{},{},{},{},", field("computed_ns"), field("delayed_ns"),
                      field("height_ns"), field("weight_ns"), field("volume_ns"));
      EXPECT_NE(csv.find(last), std::string::npos) << p << last;
    }
  }
}

}  // namespace
}  // namespace syncline
