#include "write/ctf/testing/test_trace.h"

#include <bit>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace syncline::ctf_write {
namespace {

constexpr std::string_view kMetadata = R"(/* CTF 1.8 */
typealias integer {{ size = 8; align = 8; signed = false; }} := uint8_t;
typealias integer {{ size = 16; align = 8; signed = false; }} := uint16_t;
typealias integer {{ size = 32; align = 8; signed = false; }} := uint32_t;
typealias integer {{ size = 64; align = 8; signed = false; }} := uint64_t;
trace {{
  major = 1; minor = 8; byte_order = {byte_order};
  uuid = "b7f1a4f2-6a30-4c35-8e0b-{trace:012x}";
  packet.header := struct {{ uint32_t magic; uint32_t stream_id; uint64_t stream_instance_id; }};
}};
env {{ hostname = "{hostname}"; answer = 42; domain = "test"; }};
clock {{
  name = tick; uuid = "5e1fc0de-0000-4000-8000-000000000001"; description = "ticks of a \"test\""; freq = {frequency}; precision = 2;
  offset_s = {offset_s}; offset = {offset};
}};
typealias integer {{ size = 64; align = 8; signed = false; map = clock.tick.value; }} := tick_t;
stream {{
  id = 0;
  packet.context := struct {{
    tick_t timestamp_begin; tick_t timestamp_end; uint64_t content_size; uint64_t packet_size;
    uint64_t packet_seq_num; uint64_t events_discarded; uint32_t cpu_id;
  }};
  event.header := struct {{ uint32_t id; tick_t timestamp; }};
  event.context := struct {{ uint32_t _vtid; }};
}};
event {{
  name = "all:kinds"; id = 0; stream_id = 0; loglevel = 6;
  context := struct {{ uint8_t depth; }};
  fields := struct {{
    integer {{ size = 8; align = 8; signed = true; }} _small;
    integer {{ size = 64; align = 8; signed = false; base = 16; }} large;
    enum : uint8_t {{ "red" = 0, "green" = 1 ... 5 }} colour;
    enum : integer {{ size = 8; align = 8; signed = true; }} {{ "cold" = -9 ... -1 }} weather;
    floating_point {{ exp_dig = 8; mant_dig = 24; align = 8; }} single;
    floating_point {{ exp_dig = 11; mant_dig = 53; align = 8; }} wide;
    string text;
    integer {{ size = 8; align = 8; signed = true; encoding = UTF8; }} fixed_text[6];
    uint16_t three[3];
    uint8_t _many_length;
    uint32_t many[ _many_length ];
    struct {{ uint8_t x; struct {{ string name; }} inner; }} nested;
    enum : uint8_t {{ "number" = 0, "word" = 1 }} _tag;
    variant <_tag> {{ uint32_t number; string word; }} choice;
  }};
}};
event {{ name = "plain"; id = 1; stream_id = 0; fields := struct {{ uint32_t n; }}; }};
)";

// Bytes in the trace's order.
class Bytes {
 public:
  explicit Bytes(bool is_big_endian) : is_big_endian_(is_big_endian) {}
  template <typename Integer>
  void Add(Integer value) {
    for (size_t i = 0; i < sizeof(Integer); ++i) {
      const size_t shift = 8 * (is_big_endian_ ? sizeof(Integer) - 1 - i : i);
      text_.push_back(static_cast<char>(static_cast<uint64_t>(value) >> shift));
    }
  }
  void AddText(std::string_view text) { text_.append(text).push_back('\0'); }
  const std::string& text() const { return text_; }

 private:
  bool is_big_endian_;
  std::string text_;
};

void AddAllKinds(Bytes& bytes, uint32_t number) {
  bytes.Add<uint8_t>(3);                         // depth
  bytes.Add<uint8_t>(static_cast<uint8_t>(-5));  // _small
  bytes.Add<uint64_t>(0xfedc'ba98'7654'3210);    // large
  bytes.Add<uint8_t>(4);                         // colour
  bytes.Add<uint8_t>(static_cast<uint8_t>(-3));  // weather
  bytes.Add<uint32_t>(std::bit_cast<uint32_t>(1.5F));
  bytes.Add<uint64_t>(std::bit_cast<uint64_t>(-2.0 / 3.0));
  bytes.AddText(fmt::format("text {}", number));
  for (const char c : std::string_view("fixed\0", 6)) bytes.Add<uint8_t>(static_cast<uint8_t>(c));
  for (uint16_t i = 0; i < 3; ++i) bytes.Add<uint16_t>(i);
  bytes.Add<uint8_t>(static_cast<uint8_t>(number % 4));
  for (uint32_t i = 0; i < number % 4; ++i) bytes.Add<uint32_t>(number + i);
  bytes.Add<uint8_t>(9);  // nested.x
  bytes.AddText("inner");
  bytes.Add<uint8_t>(static_cast<uint8_t>(number % 2));  // _tag
  if (number % 2 == 0) bytes.Add<uint32_t>(number);
  if (number % 2 == 1) bytes.AddText("word");
}

std::string Content(const TestPacket& packet, bool is_big_endian) {
  Bytes bytes(is_big_endian);
  for (const TestEvent& event : packet.events) {
    bytes.Add<uint32_t>(event.has_all_kinds ? 0 : 1);
    bytes.Add<uint64_t>(event.time);
    bytes.Add<uint32_t>(1'000 + event.number);  // _vtid
    if (event.has_all_kinds) AddAllKinds(bytes, event.number);
    if (!event.has_all_kinds) bytes.Add<uint32_t>(event.number);
  }
  return bytes.text();
}

std::string Packet(const TestPacket& packet, uint64_t stream, bool is_big_endian) {
  constexpr uint64_t kHead = 4 + 4 + 8 + 6 * 8 + 4;
  const std::string content = Content(packet, is_big_endian);
  const uint64_t bits = 8 * (kHead + content.size());
  Bytes head(is_big_endian);
  head.Add<uint32_t>(0xc1fc1fc1);
  head.Add<uint32_t>(0);
  head.Add<uint64_t>(stream);
  for (const uint64_t value :
       {packet.begin, packet.end, bits, bits, packet.sequence_number, packet.discarded_events}) {
    head.Add<uint64_t>(value);
  }
  head.Add<uint32_t>(static_cast<uint32_t>(stream));  // cpu_id
  return head.text() + content;
}

}  // namespace

void WriteTestTrace(const TestTrace& trace, const std::string& folder) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/metadata") << fmt::format(
      kMetadata, fmt::arg("byte_order", trace.is_big_endian ? "be" : "le"),
      fmt::arg("hostname", trace.hostname),
      // Babeltrace takes folders of one UUID for one trace.
      fmt::arg("trace", std::hash<std::string>()(trace.hostname) & 0xffff'ffff'ffff),
      fmt::arg("frequency", trace.clock.frequency), fmt::arg("offset_s", trace.clock.offset_s),
      fmt::arg("offset", trace.clock.offset));
  for (size_t i = 0; i < trace.streams.size(); ++i) {
    std::ofstream file(fmt::format("{}/channel_{}", folder, i), std::ios::binary);
    for (const TestPacket& packet : trace.streams[i]) {
      file << Packet(packet, i, trace.is_big_endian);
    }
  }
}

}  // namespace syncline::ctf_write
