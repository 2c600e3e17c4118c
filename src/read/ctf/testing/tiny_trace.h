// For tests: small CTF traces written byte by byte, with any clock, byte order and defect.
//
// Streams hold packets of events `work`, `work1`, … with fields _n (32 bits), _text and
// _group.inner (n + 1).
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

namespace syncline {

struct TinyEvent {
  uint64_t cycles = 0;
  uint32_t n = 0;
  std::string text = "x";
  uint16_t id = 0;  // of its class
};

struct TinyPacket {
  std::vector<TinyEvent> events;
  uint64_t discarded = 0;  // since the stream's beginning
  uint64_t number = 0;     // in the stream, for packets that are missing
  uint32_t cpu = 0;
};

struct TinyTrace {
  bool is_big_endian = false;
  bool has_clock = true;
  bool has_inline_types = false;  // instead of named ones, as Babeltrace writes them
  uint64_t frequency = 1'000'000'000;
  int64_t offset_s = 0;
  uint64_t offset = 0;
  std::string uuid;          // of the clock, as 8-4-4-4-12 digits
  bool is_absolute = false;  // the clock: comparable with all others of the kind
  std::string hostname;
  uint16_t classes = 1;
  std::vector<std::vector<TinyPacket>> streams;  // files ch_0, ch_1, …
};

class TinyTraceWriter {
 public:
  explicit TinyTraceWriter(const TinyTrace& trace) : trace_(trace) {}

  void Write(const std::string& folder) {
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/metadata") << Metadata();
    for (size_t i = 0; i < trace_.streams.size(); ++i) {
      std::ofstream file(fmt::format("{}/ch_{}", folder, i), std::ios::binary);
      for (const TinyPacket& packet : trace_.streams[i]) file << PacketBytes(packet);
    }
  }

 private:
  std::string Metadata() const {
    const std::string map = trace_.has_clock ? " map = clock.c.value;" : "";
    std::string text = fmt::format(
        "/* CTF 1.8 */\ntypealias integer {{ size = 16; align = 8; }} := u16;\n"
        "typealias integer {{ size = 32; align = 8; }} := u32;\n"
        "typealias integer {{ size = 64; align = 8; }} := u64;\n"
        "trace {{ major = 1; minor = 8; byte_order = {};\n"
        "  packet.header := struct {{ u32 magic; u32 stream_id; }}; }};\n",
        trace_.is_big_endian ? "be" : "le");
    if (!trace_.hostname.empty()) {
      text += fmt::format("env {{ hostname = \"{}\"; }};\n", trace_.hostname);
    }
    if (trace_.has_clock) {
      const std::string uuid =
          trace_.uuid.empty() ? "" : fmt::format(" uuid = \"{}\";", trace_.uuid);
      const std::string absolute = trace_.is_absolute ? " absolute = true;" : "";
      text += fmt::format("clock {{ name = c; freq = {}; offset_s = {}; offset = {};{}{} }};\n",
                          trace_.frequency, trace_.offset_s, trace_.offset, uuid, absolute);
    }
    text += fmt::format("typealias integer {{ size = 64; align = 8;{} }} := time;\n", map);
    text +=
        "stream { id = 0; packet.context := struct { time timestamp_begin; time timestamp_end;\n"
        "    u64 content_size; u64 packet_size; u64 events_discarded; u64 packet_seq_num;\n"
        "    u32 cpu_id; };\n"
        "  event.header := struct { u16 id; time timestamp; }; };\n";
    for (uint16_t id = 0; id < trace_.classes; ++id) {
      text += fmt::format(
          "event {{ name = \"work{}\"; id = {}; stream_id = 0;\n"
          "  fields := struct {{ u32 _n; string _text; struct {{ u16 inner; }} _group; }}; }};\n",
          id == 0 ? "" : std::to_string(id), id);
    }
    if (trace_.has_inline_types) {
      for (const int bits : {16, 32, 64}) PutInline(text, fmt::format("u{}", bits), bits, "");
      PutInline(text, "time", 64, map);
    }
    if (trace_.has_clock) return text;
    // Under their usual names, readers take them for readings of a clock.
    for (size_t at = 0; (at = text.find("timestamp", at)) != std::string::npos;) {
      text.replace(at, 9, "number");
    }
    return text;
  }

  static void PutInline(std::string& text, const std::string& name, int bits,
                        const std::string& more) {
    const std::string type = fmt::format("integer {{ size = {}; align = 8;{} }}", bits, more);
    const std::string alias = fmt::format("typealias {} := {};\n", type, name);
    text.erase(text.find(alias), alias.size());
    for (size_t at = 0; (at = text.find(name + " ", at)) != std::string::npos;) {
      text.replace(at, name.size(), type);
    }
  }

  std::string PacketBytes(const TinyPacket& packet) {
    bytes_.clear();
    Put<uint32_t>(0xC1FC1FC1);
    Put<uint32_t>(0);
    Put(packet.events.empty() ? uint64_t{0} : packet.events.front().cycles);
    Put(packet.events.empty() ? uint64_t{0} : packet.events.back().cycles);
    const size_t sizes = bytes_.size();
    for (const uint64_t value : {uint64_t{0}, uint64_t{0}, packet.discarded, packet.number}) {
      Put(value);
    }
    Put(packet.cpu);
    for (const TinyEvent& event : packet.events) {
      Put(event.id);
      Put(event.cycles);
      Put(event.n);
      bytes_ += event.text + '\0';
      Put(static_cast<uint16_t>(event.n + 1));
    }
    const std::string body = std::move(bytes_);
    bytes_.clear();
    Put(uint64_t{body.size()} * 8);
    Put(uint64_t{body.size()} * 8);
    return body.substr(0, sizes) + bytes_ + body.substr(sizes + bytes_.size());
  }

  template <typename T>
  void Put(T value) {
    for (size_t i = 0; i < sizeof value; ++i) {
      const size_t byte = trace_.is_big_endian ? sizeof value - 1 - i : i;
      bytes_ += static_cast<char>(static_cast<uint64_t>(value) >> (8 * byte) & 0xFF);
    }
  }

  const TinyTrace& trace_;
  std::string bytes_;
};

// Below `folder`, hosts a and b that send each other a message; b, a second ahead, has one more
// event in a packet of its own.
inline void WriteTwoHosts(const std::filesystem::path& folder) {
  constexpr uint64_t kNsOfSecond = 1'000'000'000;
  const TinyTrace a{.hostname = "a", .streams = {{{.events = {{1000, 1, "s"}, {5000, 2, "r"}}}}}};
  TinyTrace b{
      .hostname = "b",
      .streams = {{{.events = {{kNsOfSecond + 1100, 1, "r"}, {kNsOfSecond + 4900, 2, "s"}}}}}};
  b.streams[0].push_back({.events = {{2 * kNsOfSecond, 3, "x"}}, .number = 1});
  TinyTraceWriter(a).Write((folder / "a").string());
  TinyTraceWriter(b).Write((folder / "b").string());
}
inline constexpr const char* kTinyRule =
    " --match 'work(n) where text == \"s\" -> work(n) where text == \"r\"'";

// A folder of its own for a test, removed afterwards.
class TinyTraceFolder {
 public:
  explicit TinyTraceFolder(const std::string& name)
      : path_((std::filesystem::temp_directory_path() /
               ("syncline_" + name + "_" + std::to_string(::getpid())))
                  .string()) {
    std::filesystem::remove_all(path_);
  }
  ~TinyTraceFolder() { std::filesystem::remove_all(path_); }
  TinyTraceFolder(const TinyTraceFolder&) = delete;
  TinyTraceFolder& operator=(const TinyTraceFolder&) = delete;
  // Returns the trace's folder.
  std::string Add(const std::string& below, const TinyTrace& trace) const {
    const std::string folder = path_ + "/" + below;
    TinyTraceWriter(trace).Write(folder);
    return folder;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace syncline
