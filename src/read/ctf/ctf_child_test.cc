#include "read/ctf/ctf_child.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read/ctf/ctf_frames.h"
#include "read/ctf/testing/kernel_trace_builder.h"
#include "read/ctf/testing/tiny_trace.h"

namespace syncline {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kRates = SYNCLINE_SOURCE_DIR "/src/read/ctf/testdata/rates/";

ReadableFolders Folders(const std::vector<std::string>& paths) {
  ReadableFolders folders;
  for (const std::string& path : paths) {
    auto folder = ReadableFolder::Of(path);
    EXPECT_TRUE(folder) << folder.error().ToString();
    if (folder) folders.push_back(*folder);
  }
  return folders;
}

CtfChild Start(const std::vector<std::string>& paths, const std::vector<std::string>& fields = {}) {
  const ReadableFolders folders = Folders(paths);
  auto child = CtfChild::Start(folders, fields, CtfChildLimits(folders, 1));
  EXPECT_TRUE(child) << child.error().ToString();
  return std::move(*child);
}

// All that is told of one stream; numbers and texts of wanted events as text.
struct ReadStreamData {
  std::vector<LocalTime> times;
  std::vector<uint32_t> class_numbers;
  std::vector<std::string> wanted;
  CtfStreamDefects defects;
};

std::string TextOf(const FieldValue& value) {
  switch (value.kind()) {
    case FieldValue::Kind::kUnsigned: return std::to_string(value.as_unsigned());
    case FieldValue::Kind::kSigned: return std::to_string(value.as_signed());
    case FieldValue::Kind::kText: return std::string(value.text());
    default: return "none";
  }
}

ReadStreamData ReadNext(CtfChild& child) {
  ReadStreamData read;
  for (;;) {
    auto batch = child.Next();
    EXPECT_TRUE(batch) << batch.error().ToString();
    if (!batch || *batch == nullptr) break;
    EXPECT_EQ((*batch)->first(), read.times.size());
    const auto times = (*batch)->times();
    const auto numbers = (*batch)->class_numbers();
    read.times.insert(read.times.end(), times.begin(), times.end());
    read.class_numbers.insert(read.class_numbers.end(), numbers.begin(), numbers.end());
    while (const CtfWantedEvent* event = (*batch)->NextWanted()) {
      EXPECT_EQ(event->time, read.times.at(event->index));
      std::string text = fmt::format("{}:{}", event->index, event->event_class);
      for (const FieldValue& value : event->values) text += " " + TextOf(value);
      read.wanted.push_back(text);
    }
  }
  read.defects = child.defects();
  return read;
}

CtfRequest WithOrigins(const CtfTraceInfo& info) {
  CtfRequest request;
  for (const CtfClock& clock : info.clocks) request.origins.push_back(clock.origin);
  return request;
}

TEST(CtfChild, TellsWhatTheReaderTells) {
  CtfChild child = Start({kRates + "hostA"}, {"id", "src", "nothing"});
  const auto info = child.Describe();
  ASSERT_TRUE(info) << info.error().ToString();
  auto reader = CtfReader::Open(kRates + "hostA").value();
  EXPECT_EQ(info->hostname, reader->hostname());
  EXPECT_EQ(info->clocks, reader->clocks());
  ASSERT_EQ(info->classes.size(), reader->event_classes().size());
  CtfRequest request = WithOrigins(*info);
  request.class_numbers = CtfRequest::Numbers::kOfAllEvents;
  for (size_t i = 0; i < info->classes.size(); ++i) {
    EXPECT_EQ(info->classes[i].name, reader->event_classes()[i].name);
    request.classes.push_back(
        {.is_wanted = !info->classes[i].fields.empty(), .fields = info->classes[i].fields});
  }
  child.BeginTrace(*info, request);
  ASSERT_EQ(info->streams.size(), reader->streams().size());
  for (size_t s = 0; s < info->streams.size(); ++s) {
    CtfStream& stream = *reader->streams()[s];
    EXPECT_EQ(info->streams[s].file, stream.file());
    EXPECT_EQ(info->streams[s].channel, stream.channel());
    EXPECT_EQ(info->streams[s].clock, stream.clock());
    const ReadStreamData read = ReadNext(child);
    std::vector<LocalTime> times;
    std::vector<uint32_t> class_numbers;
    std::vector<std::string> wanted;
    while (const CtfEvent* event = stream.Next()) {
      times.push_back(event->time);
      class_numbers.push_back(event->event_class);
      const auto& fields = request.classes[event->event_class].fields;
      if (fields.empty()) continue;
      wanted.push_back(fmt::format("{}:{}", event->index, event->event_class));
      const auto& event_class = reader->event_classes()[event->event_class];
      for (const std::string& field : fields) {
        wanted.back() +=
            " " + TextOf(FieldPlace::Find(event_class.handle, field)->Read(event->handle));
      }
    }
    EXPECT_EQ(read.times, times);
    EXPECT_EQ(read.class_numbers, class_numbers);
    EXPECT_EQ(read.wanted, wanted);
    EXPECT_FALSE(wanted.empty());
  }
}

TEST(CtfChild, ReadsSeveralTracesAfterAllAreDescribed) {
  const TinyTraceFolder folder("ctf_child");
  TinyTrace trace;
  trace.streams = {{{.events = {{10, 1}, {30, 2}, {20, 3}}, .discarded = 2}},
                   {{.events = {{5, 4}}}}};
  TinyTrace clockless = trace;
  clockless.has_clock = false;
  CtfChild child = Start({folder.Add("a", trace), folder.Add("b", clockless), kRates + "hostB"},
                         {"n", "group.inner", "text"});
  std::vector<CtfTraceInfo> infos;
  for (int i = 0; i < 3; ++i) infos.push_back(child.Describe().value());
  EXPECT_THAT(infos[0].classes.at(0).fields, ElementsAre("n", "group.inner", "text"));
  EXPECT_THAT(infos[1].clocks, IsEmpty());

  CtfRequest request;
  request.origins = {-100};
  request.classes = {{.is_wanted = true, .fields = {"group.inner", "text"}}};
  child.BeginTrace(infos[0], request);
  const ReadStreamData first = ReadNext(child);
  EXPECT_THAT(first.times, ElementsAre(LocalTime{110}, LocalTime{130}, LocalTime{120}));
  EXPECT_THAT(first.class_numbers, IsEmpty());
  EXPECT_THAT(first.wanted, ElementsAre("0:0 2 x", "1:0 3 x", "2:0 4 x"));
  EXPECT_EQ(first.defects.steps_back, 1);
  EXPECT_TRUE(first.defects.loss_is_least);
  EXPECT_THAT(ReadNext(child).wanted, ElementsAre("0:0 5 x"));
  child.BeginTrace(infos[1], {});
  child.BeginTrace(infos[2], WithOrigins(infos[2]));
  const ReadStreamData last = ReadNext(child);
  EXPECT_GT(last.times.size(), 100);
  EXPECT_THAT(last.wanted, IsEmpty());
}

TEST(CtfChild, ClassesOfAnyNumberComeWithTheirEvents) {
  const TinyTraceFolder folder("ctf_child_classes");
  TinyTrace trace{.classes = 300, .streams = {{{}}}};
  std::vector<std::string> expected;
  for (const uint16_t id : std::vector<uint16_t>{0, 13, 14, 15, 16, 255, 256, 299, 0}) {
    expected.push_back(fmt::format("{}:{} {}", expected.size(), id, 2 * id));
    trace.streams[0][0].events.push_back({.n = 2U * id, .id = id});
  }
  CtfChild child = Start({folder.Add("t", trace)}, {"n"});
  const auto info = child.Describe();
  ASSERT_EQ(info->classes.size(), 300);
  EXPECT_EQ(info->classes[299].name, "work299");
  CtfRequest request = WithOrigins(*info);
  request.classes.resize(300, {.is_wanted = true, .fields = {"n"}});
  child.BeginTrace(*info, request);
  EXPECT_EQ(ReadNext(child).wanted, expected);
}

TEST(CtfChild, LongStreamsComeInBatches) {
  const TinyTraceFolder folder("ctf_child_long");
  constexpr size_t kEvents = 10'000;
  TinyTrace trace;
  trace.streams = {{{}}};
  for (uint32_t i = 0; i < kEvents; ++i) {
    trace.streams[0][0].events.push_back({i, i, std::string(i % 100, 'y')});
  }
  CtfChild child = Start({folder.Add("t", trace)}, {"text", "n"});
  const auto info = child.Describe();
  CtfRequest request = WithOrigins(*info);
  request.classes = {{.is_wanted = true, .fields = {"text", "n"}}};
  child.BeginTrace(*info, request);
  const ReadStreamData read = ReadNext(child);
  ASSERT_EQ(read.times.size(), kEvents);
  ASSERT_EQ(read.wanted.size(), kEvents);
  for (size_t i = 0; i < kEvents; ++i) {
    EXPECT_EQ(read.times[i].ticks, i);
    EXPECT_EQ(read.wanted[i], fmt::format("{}:0 {} {}", i, std::string(i % 100, 'y'), i));
  }
}

TEST(CtfChild, PacketsOfTheKernelComeWhole) {
  const TinyTraceFolder folder("ctf_child_kernel");
  std::filesystem::create_directories(folder.path());
  const std::string path = folder.path() + "/t";
  HeaderBytes network(20, 7);
  network[0] = 0x45;
  network[6] = network[7] = 0;
  network[9] = 17;
  const KernelTrace trace = {
      .events = {{.cycles = 10, .network = network, .transport = {1, 2, 3, 4, 5, 6, 7, 8}},
                 {.name = "net_if_receive_skb", .cycles = 20, .device = "lo"}}};
  ASSERT_EQ(WriteKernelTrace(trace, path), "");
  auto reader = CtfReader::Open(path).value();
  CtfChild child = Start({path});
  const auto info = child.Describe();
  CtfRequest request = WithOrigins(*info);
  for (const CtfClassInfo& one : info->classes) {
    request.classes.push_back({.is_wanted = one.has_packets, .packets = one.has_packets});
  }
  child.BeginTrace(*info, request);
  CtfBatch* const batch = child.Next().value();
  ASSERT_NE(batch, nullptr);
  int packets = 0;
  while (const CtfEvent* event = reader->streams()[0]->Next()) {
    const auto own = KernelPacketReader::For(reader->event_classes()[event->event_class].handle);
    const KernelPacket expected = own->Read(event->handle);
    const CtfWantedEvent* wanted = batch->NextWanted();
    ASSERT_NE(wanted, nullptr);
    EXPECT_EQ(wanted->packet.bytes, expected.bytes);
    EXPECT_EQ(wanted->packet.size, expected.size);
    EXPECT_EQ(wanted->packet.original_length, expected.original_length);
    EXPECT_EQ(wanted->packet.link, expected.link);
    EXPECT_EQ(wanted->packet.direction, expected.direction);
    EXPECT_EQ(wanted->packet.device, expected.device);
    ++packets;
  }
  EXPECT_EQ(packets, 2);
}

TEST(CtfChild, ErrorsOfTheReaderAreItsOwn) {
  const TinyTraceFolder folder("ctf_child_errors");
  TinyTrace trace;
  trace.streams = {{{.events = {{10}, {20}}}}};
  const std::string path = folder.Add("t", trace);
  {
    // The last text of the stream loses its end.
    std::fstream file(path + "/ch_0", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-3, std::ios::end);
    file.write("yyy", 3);
  }
  CtfChild child = Start({path});
  const auto info = child.Describe();
  ASSERT_TRUE(info);
  child.BeginTrace(*info, WithOrigins(*info));
  auto batch = child.Next();
  ASSERT_TRUE(batch);
  EXPECT_EQ((*batch)->times().size(), 1);
  batch = child.Next();
  ASSERT_FALSE(batch);
  EXPECT_THAT(batch.error().message, HasSubstr("after event 1"));
  EXPECT_THAT(batch.error().file, EndsWith("t/ch_0"));

  std::ofstream(path + "/metadata") << "/* CTF 1.8 */ trace { broken";
  CtfChild second = Start({path});
  const auto broken = second.Describe();
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().message, HasSubstr("metadata cannot be understood"));
  EXPECT_EQ(broken.error().file, path);
}

TEST(CtfChildLimits, GrowWithTheTracesUpToALimit) {
  const TinyTraceFolder folder("ctf_child_limits");
  const std::string path = folder.Add("t", {});
  std::ofstream(path + "/.large").close();
  const ChildLimits none = CtfChildLimits({}, 1);
  EXPECT_EQ(none.memory_bytes, uint64_t{512} << 20);
  EXPECT_EQ(CtfChildLimits({}, 8).memory_bytes, uint64_t{64} << 20);
  EXPECT_EQ(none.patience, std::chrono::seconds(20));
  // Without the zeros being there.
  std::filesystem::resize_file(path + "/.large", 1'000'000'000);
  const ChildLimits large = CtfChildLimits(Folders({path}), 1);
  EXPECT_GT(large.memory_bytes, none.memory_bytes + (uint64_t{4} << 30));
  EXPECT_LT(large.memory_bytes, none.memory_bytes + (uint64_t{6} << 30));
  EXPECT_EQ(large.patience, std::chrono::seconds(20 + 50));
}

// What a process sends that the library has damaged.
TEST(CtfFrames, GarbledOnesAreErrors) {
  CtfTraceInfo info;
  info.hostname = "host";
  info.clocks = {{.name = "clock"}};
  info.classes = {{.name = "event", .fields = {"a", "b"}}, {.name = "other"}};
  info.streams = {{.file = "t/ch_0", .channel = "ch_0", .clock = 0}};
  const std::string whole = FrameWith(Result<CtfTraceInfo>(info));
  ParcelReader reader(whole);
  EXPECT_EQ(ctf_frames::UnpackInfo(reader)->streams.at(0).file, "t/ch_0");
  for (size_t size = 0; size < whole.size(); ++size) {
    ParcelReader part(std::string_view(whole).substr(0, size));
    EXPECT_FALSE(ctf_frames::UnpackInfo(part)) << size;
  }
  std::mt19937 random(1);
  for (int round = 0; round < 10'000; ++round) {
    std::string garbled = whole;
    garbled[random() % garbled.size()] ^= static_cast<char>(1U << random() % 8);
    ParcelReader other(garbled);
    const auto read = ctf_frames::UnpackInfo(other);
    if (!read) continue;
    for (const CtfStreamInfo& stream : read->streams) {
      EXPECT_LT(stream.clock.value_or(0), std::max<size_t>(read->clocks.size(), 1));
    }
  }
  info.streams[0].clock = 1;
  const std::string no_such_clock = FrameWith(Result<CtfTraceInfo>(info));
  ParcelReader other(no_such_clock);
  EXPECT_FALSE(ctf_frames::UnpackInfo(other));
}

}  // namespace
}  // namespace syncline
