// Makes CTF traces of hosts with offset and drifting clocks, laid out as LTTng's kernel traces are:
//   make_ctf FOLDER EVENTS [HOSTS [STREAMS_PER_HOST [EVERY]]]
// One moment in EVERY, 20, has a message (msg:send, msg:recv) where another host is drawn as its
// receiver: of four hosts, one event in ten belongs to one. The others resemble sched_switch, with
// two texts. EVERY 1: there are only messages. The k-th host's clock is k·1.7 s ahead and runs k·10
// ppm fast. Output is the same for the same arguments.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace {

constexpr size_t kPacketBytes = size_t{1} << 18;
constexpr uint64_t kBootNs = 1'000'000'000;

constexpr std::string_view kMetadata = R"(/* CTF 1.8 */
typealias integer {{ size = 8; align = 8; signed = false; }} := uint8_t;
typealias integer {{ size = 16; align = 8; signed = false; }} := uint16_t;
typealias integer {{ size = 32; align = 8; signed = false; }} := uint32_t;
typealias integer {{ size = 32; align = 8; signed = true; }} := int32_t;
typealias integer {{ size = 64; align = 8; signed = false; }} := uint64_t;
trace {{
  major = 1;
  minor = 8;
  byte_order = le;
  packet.header := struct {{ uint32_t magic; uint32_t stream_id; }};
}};
env {{ hostname = "host{}"; domain = "kernel"; tracer_name = "make_ctf"; }};
clock {{ name = "monotonic"; freq = 1000000000; offset = 1800000000000000000; }};
typealias integer {{ size = 32; align = 8; signed = false; map = clock.monotonic.value; }} := time32_t;
typealias integer {{ size = 64; align = 8; signed = false; map = clock.monotonic.value; }} := time64_t;
stream {{
  id = 0;
  packet.context := struct {{
    time64_t timestamp_begin;
    time64_t timestamp_end;
    uint64_t content_size;
    uint64_t packet_size;
    uint64_t events_discarded;
    uint32_t cpu_id;
  }};
  event.header := struct {{
    enum : uint16_t {{ compact = 0 ... 65534, extended = 65535 }} id;
    variant <id> {{
      struct {{ time32_t timestamp; }} compact;
      struct {{ uint32_t id; time64_t timestamp; }} extended;
    }} v;
  }} align(8);
}};
event {{
  name = "sched_switch"; id = 0; stream_id = 0;
  fields := struct {{
    string _prev_comm; int32_t _prev_tid; int32_t _prev_prio; int32_t _prev_state;
    string _next_comm; int32_t _next_tid; int32_t _next_prio;
  }};
}};
event {{
  name = "msg:send"; id = 1; stream_id = 0;
  fields := struct {{ uint64_t _id; uint8_t _src; uint8_t _dst; }};
}};
event {{
  name = "msg:recv"; id = 2; stream_id = 0;
  fields := struct {{ uint64_t _id; uint8_t _src; uint8_t _dst; }};
}};
)";

struct Event {
  uint64_t true_ns = 0;
  uint64_t message = 0;
  uint16_t id = 0;
  uint8_t from = 0;
  uint8_t to = 0;
};

// One stream file, packet by packet.
class StreamFile {
 public:
  StreamFile(const std::string& path, uint32_t cpu) : file_(path, std::ios::binary), cpu_(cpu) {}

  void Write(const Event& event, uint64_t time) {
    if (packet_.empty()) Begin(time);
    Put<uint16_t>(event.id);
    Put(static_cast<uint32_t>(time));
    if (event.id == 0) {
      PutText(time % 3 == 0 ? "swapper/0" : "kworker/u16:3");
      for (const uint32_t value : {1234U, 20U, 1U}) Put(value);
      PutText(time % 3 == 0 ? "rcu_sched" : "firefox");
      for (const uint32_t value : {4321U, 120U}) Put(value);
    } else {
      Put(event.message);
      Put(event.from);
      Put(event.to);
    }
    last_ = time;
    if (packet_.size() + 100 > kPacketBytes) End();
  }

  void End() {
    if (packet_.empty()) return;
    Set(kEnd, last_);
    Set(kContentSize, uint64_t{packet_.size()} * 8);
    Set(kPacketSize, uint64_t{kPacketBytes} * 8);
    packet_.resize(kPacketBytes);
    file_.write(packet_.data(), static_cast<std::streamsize>(packet_.size()));
    packet_.clear();
  }

 private:
  // Behind magic, stream id and the packet's beginning.
  static constexpr size_t kEnd = 16;
  static constexpr size_t kContentSize = 24;
  static constexpr size_t kPacketSize = 32;

  void Begin(uint64_t time) {
    Put<uint32_t>(0xC1FC1FC1);
    Put<uint32_t>(0);
    for (const uint64_t value : {time, uint64_t{0}, uint64_t{0}, uint64_t{0}, uint64_t{0}}) {
      Put(value);
    }
    Put(cpu_);
  }
  template <typename T>
  void Put(T value) {
    packet_.resize(packet_.size() + sizeof value);
    std::memcpy(packet_.data() + packet_.size() - sizeof value, &value, sizeof value);
  }
  void PutText(std::string_view text) {
    packet_.insert(packet_.end(), text.begin(), text.end());
    packet_.push_back('\0');
  }
  void Set(size_t at, uint64_t value) { std::memcpy(packet_.data() + at, &value, sizeof value); }

  std::ofstream file_;
  uint32_t cpu_;
  std::vector<char> packet_;
  uint64_t last_ = 0;
};

// By host and stream, each in order of time.
std::vector<std::vector<Event>> MakeEvents(uint64_t count, size_t hosts, size_t streams,
                                           uint64_t every) {
  std::vector<std::vector<Event>> events(hosts * streams);
  std::mt19937_64 random(1);
  uint64_t now = kBootNs;
  for (uint64_t made = 0, message = 0; made < count; now += 500 + random() % 1000) {
    const size_t at = random() % events.size();
    size_t other = random() % hosts;
    if (every == 1 && other == at / streams) other = (other + 1) % hosts;
    if (random() % every != 0 || other == at / streams) {
      events[at].push_back({.true_ns = now});
      ++made;
      continue;
    }
    const uint64_t arrival = now + 50'000 + random() % 150'000;
    const auto from = static_cast<uint8_t>(at / streams);
    const auto to = static_cast<uint8_t>(other);
    events[at].push_back({now, ++message, 1, from, to});
    events[other * streams + random() % streams].push_back({arrival, message, 2, from, to});
    made += 2;
  }
  for (auto& of_stream : events) {
    std::sort(of_stream.begin(), of_stream.end(),
              [](const Event& a, const Event& b) { return a.true_ns < b.true_ns; });
  }
  return events;
}

// What the host's clock reads.
uint64_t Reading(uint64_t true_ns, size_t host) {
  return true_ns + host * 1'700'000'000 + (true_ns - kBootNs) / 100'000 * host;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: make_ctf FOLDER EVENTS [HOSTS [STREAMS_PER_HOST [EVERY]]]\n");
    return 1;
  }
  const std::string folder = argv[1];
  const uint64_t count = std::strtoull(argv[2], nullptr, 10);
  const size_t hosts = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 4;
  const size_t streams = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 2;
  const uint64_t every = argc > 5 ? std::strtoull(argv[5], nullptr, 10) : 20;
  const auto events = MakeEvents(count, hosts, streams, every);
  for (size_t host = 0; host < hosts; ++host) {
    const std::string trace = fmt::format("{}/host{}/kernel", folder, host);
    std::filesystem::create_directories(trace);
    std::ofstream(trace + "/metadata") << fmt::format(fmt::runtime(kMetadata), host);
    for (size_t cpu = 0; cpu < streams; ++cpu) {
      StreamFile file(fmt::format("{}/channel0_{}", trace, cpu), static_cast<uint32_t>(cpu));
      for (const Event& event : events[host * streams + cpu]) {
        file.Write(event, Reading(event.true_ns, host));
      }
      file.End();
    }
  }
  return 0;
}
