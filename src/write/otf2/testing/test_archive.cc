#include "write/otf2/testing/test_archive.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>
#include <otf2/otf2.h>
#include <sys/wait.h>

#include "base/file.h"
#include "write/otf2/record_kinds.h"

// libotf2 3.0.2 leaks the name of each thumbnail it writes, and an archive whose anchor is garbage.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" [[gnu::visibility("default")]] const char* __lsan_default_suppressions() {
  return "leak:libopen-trace-format2\n";
}

namespace syncline::otf2_test {
namespace {

OTF2_FlushType AlwaysFlush(void* /*user*/, OTF2_FileType /*type*/, OTF2_LocationRef /*location*/,
                           void* /*caller*/, bool /*final*/) {
  return OTF2_FLUSH;
}
const OTF2_FlushCallbacks kFlush = {.otf2_pre_flush = &AlwaysFlush, .otf2_post_flush = nullptr};

OTF2_Archive* Create(const std::string& folder, uint64_t event_chunk) {
  OTF2_Archive* archive =
      OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, event_chunk, 1 << 20,
                        OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  OTF2_Archive_SetFlushCallbacks(archive, &kFlush, nullptr);
  OTF2_Archive_SetSerialCollectiveCallbacks(archive);
  return archive;
}

void WriteBasicDefinitions(OTF2_GlobalDefWriter* global, const TestArchive& archive) {
  OTF2_GlobalDefWriter_WriteString(global, 0, "name");
  OTF2_GlobalDefWriter_WriteString(global, 1, "f");
  OTF2_GlobalDefWriter_WriteClockProperties(global, archive.resolution, archive.global_offset,
                                            archive.length, archive.realtime);
  OTF2_GlobalDefWriter_WriteSystemTreeNode(global, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  OTF2_GlobalDefWriter_WriteRegion(global, 0, 1, 1, 1, OTF2_REGION_ROLE_FUNCTION,
                                   OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, 0, 0, 0);
  OTF2_GlobalDefWriter_WriteAttribute(global, 0, 0, 0, OTF2_TYPE_UINT64);
  OTF2_GlobalDefWriter_WriteAttribute(global, 1, 1, 0, OTF2_TYPE_DOUBLE);
  uint32_t group = 0;
  for (const auto& [location, times] : archive.times) {
    OTF2_GlobalDefWriter_WriteLocationGroup(global, group, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                            OTF2_UNDEFINED_LOCATION_GROUP);
    OTF2_GlobalDefWriter_WriteLocation(global, location, 0, OTF2_LOCATION_TYPE_CPU_THREAD,
                                       times.size(), group++);
  }
}

void WriteLocalDefinitions(OTF2_Archive* archive, uint64_t location, const TestArchive& contents) {
  OTF2_DefWriter* writer = OTF2_Archive_GetDefWriter(archive, location);
  const std::array<uint64_t, 3> regions = {0, 0, 1};
  OTF2_IdMap* map = OTF2_IdMap_CreateFromUint64Array(regions.size(), regions.data(), false);
  OTF2_DefWriter_WriteMappingTable(writer, OTF2_MAPPING_REGION, map);
  OTF2_IdMap_Free(map);
  for (const auto& [time, offset] : contents.clock_offsets) {
    OTF2_DefWriter_WriteClockOffset(writer, time, offset, 0.25);
  }
  OTF2_DefWriter_WriteString(writer, 77, "local");
  OTF2_Archive_CloseDefWriter(archive, writer);
}

void WriteSnapshots(OTF2_Archive* archive, const TestArchive& contents) {
  OTF2_Archive_OpenSnapFiles(archive);
  for (const auto& [location, times] : contents.times) {
    OTF2_SnapWriter* snapshots = OTF2_Archive_GetSnapWriter(archive, location);
    OTF2_SnapWriter_SnapshotStart(snapshots, nullptr, 100, 0);
    OTF2_SnapWriter_SnapshotEnd(snapshots, nullptr, 100, 1);
    OTF2_Archive_CloseSnapWriter(archive, snapshots);
  }
  OTF2_Archive_CloseSnapFiles(archive);
  OTF2_Archive_SetNumberOfSnapshots(archive, 1);
}

void WriteSideFiles(OTF2_Archive* archive) {
  const std::array<uint64_t, 1> regions = {0};
  OTF2_ThumbWriter* thumbnail = OTF2_Archive_GetThumbWriter(
      archive, "thumbnail", "of regions", OTF2_THUMBNAIL_TYPE_REGION, 2, 1, regions.data());
  for (const uint64_t sample : {3, 5}) OTF2_ThumbWriter_WriteSample(thumbnail, 0, 1, &sample);
  OTF2_MarkerWriter* markers = OTF2_Archive_GetMarkerWriter(archive);
  OTF2_MarkerWriter_WriteDefMarker(markers, 0, "group", "category", OTF2_SEVERITY_LOW);
  OTF2_MarkerWriter_WriteMarker(markers, 150, 10, 0, OTF2_MARKER_SCOPE_GLOBAL, 0, "note");
  OTF2_Archive_CloseMarkerWriter(archive, markers);
}

void WriteEvents(OTF2_Archive* archive, const TestArchive& contents) {
  OTF2_Archive_OpenEvtFiles(archive);
  for (const auto& [location, times] : contents.times) {
    OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive, location);
    for (size_t i = 0; i < times.size(); ++i) {
      const auto write = i % 2 == 0 ? &OTF2_EvtWriter_Enter : &OTF2_EvtWriter_Leave;
      EXPECT_EQ(write(writer, nullptr, times[i], 0), OTF2_SUCCESS);
    }
    OTF2_Archive_CloseEvtWriter(archive, writer);
  }
  OTF2_Archive_CloseEvtFiles(archive);
}

void FinishTestArchive(OTF2_Archive* archive, const TestArchive& contents) {
  OTF2_Archive_OpenDefFiles(archive);
  for (const auto& [location, times] : contents.times) {
    WriteLocalDefinitions(archive, location, contents);
  }
  OTF2_Archive_CloseDefFiles(archive);
  WriteSnapshots(archive, contents);
  WriteSideFiles(archive);
}

// A value for a field of a record: counts must be 0 where there are arrays, which are null.
template <typename Field, bool has_arrays>
Field Sample(int& number) {
  if constexpr (std::is_same_v<Field, const char*>) {
    return "text";
  } else if constexpr (std::is_integral_v<Field> && !has_arrays) {
    return static_cast<Field>(++number % 5);
  } else {
    return Field{};
  }
}
template <typename... Fields>
constexpr bool kHasArrays = ((std::is_pointer_v<Fields> && !std::is_same_v<Fields, const char*>) ||
                             ...);

template <typename... Fields>
void WriteSampleEvent(OTF2_ErrorCode (*write)(OTF2_EvtWriter*, OTF2_AttributeList*, OTF2_TimeStamp,
                                              Fields...),
                      OTF2_EvtWriter* writer, OTF2_AttributeList* attributes, uint64_t time) {
  [[maybe_unused]] int number = static_cast<int>(time);
  EXPECT_EQ(write(writer, attributes, time, Sample<Fields, kHasArrays<Fields...>>(number)...),
            OTF2_SUCCESS);
}

template <typename... Fields>
void WriteSampleDefinition(OTF2_ErrorCode (*write)(OTF2_GlobalDefWriter*, Fields...),
                           OTF2_GlobalDefWriter* writer) {
  [[maybe_unused]] int number = 0;
  EXPECT_EQ(write(writer, Sample<Fields, kHasArrays<Fields...>>(number)...), OTF2_SUCCESS);
}

uint64_t WriteAllEvents(OTF2_EvtWriter* writer, uint64_t time) {
  OTF2_AttributeList* attributes = OTF2_AttributeList_New();
#define SYNCLINE_WRITE(Kind)                         \
  OTF2_AttributeList_AddUint64(attributes, 0, time); \
  OTF2_AttributeList_AddDouble(attributes, 1, 0.5);  \
  WriteSampleEvent(&OTF2_EvtWriter_##Kind, writer, attributes, time += 10);
  SYNCLINE_OTF2_EVENTS(SYNCLINE_WRITE)
#undef SYNCLINE_WRITE
  OTF2_AttributeList_Delete(attributes);
  const std::array<OTF2_Type, 2> types = {OTF2_TYPE_UINT64, OTF2_TYPE_DOUBLE};
  std::array<OTF2_MetricValue, 2> values = {};
  values[0].unsigned_int = 7;
  values[1].floating_point = 0.25;
  OTF2_EvtWriter_Metric(writer, nullptr, time += 10, 0, 2, types.data(), values.data());
  OTF2_EvtWriter_BufferFlush(writer, nullptr, time + 10, time + 15);
  return time + 20;
}

// Numbers of events and their times from a reader's callbacks.
using Times = std::vector<std::pair<uint64_t, uint64_t>>;
template <typename... Fields>
OTF2_CallbackCode NoteEvent(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t /*position*/,
                            void* user, OTF2_AttributeList* /*attributes*/, Fields... /*fields*/) {
  static_cast<Times*>(user)->push_back({location, time});
  return OTF2_CALLBACK_SUCCESS;
}
template <typename... Fields>
OTF2_CallbackCode NoteGlobalEvent(OTF2_LocationRef location, OTF2_TimeStamp time, void* user,
                                  OTF2_AttributeList* /*attributes*/, Fields... /*fields*/) {
  static_cast<Times*>(user)->push_back({location, time});
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode NoteLocation(void* user, OTF2_LocationRef self, OTF2_StringRef /*name*/,
                               OTF2_LocationType /*type*/, uint64_t /*events*/,
                               OTF2_LocationGroupRef /*group*/) {
  static_cast<std::vector<uint64_t>*>(user)->push_back(self);
  return OTF2_CALLBACK_SUCCESS;
}

using Channel = std::tuple<uint64_t, uint64_t, uint32_t>;  // sender, receiver, tag
struct MessageTimes {
  std::map<uint64_t, uint64_t> ranks;  // by location
  std::map<Channel, std::vector<uint64_t>> sends;
  std::map<Channel, std::vector<uint64_t>> receives;
};

OTF2_CallbackCode NoteSend(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t /*position*/,
                           void* user, OTF2_AttributeList* /*attributes*/, uint32_t receiver,
                           OTF2_CommRef /*communicator*/, uint32_t tag, uint64_t /*length*/) {
  auto* times = static_cast<MessageTimes*>(user);
  times->sends[{times->ranks[location], receiver, tag}].push_back(time);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode NoteIsend(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                            void* user, OTF2_AttributeList* attributes, uint32_t receiver,
                            OTF2_CommRef communicator, uint32_t tag, uint64_t length,
                            uint64_t /*request*/) {
  return NoteSend(location, time, position, user, attributes, receiver, communicator, tag, length);
}

OTF2_CallbackCode NoteReceive(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t /*position*/,
                              void* user, OTF2_AttributeList* /*attributes*/, uint32_t sender,
                              OTF2_CommRef /*communicator*/, uint32_t tag, uint64_t /*length*/) {
  auto* times = static_cast<MessageTimes*>(user);
  times->receives[{sender, times->ranks[location], tag}].push_back(time);
  return OTF2_CALLBACK_SUCCESS;
}

// A reader with all locations selected and their local definitions read.
std::pair<OTF2_Reader*, std::vector<uint64_t>> OpenAll(const std::string& anchor) {
  OTF2_Reader* reader = OTF2_Reader_Open(anchor.c_str());
  std::vector<uint64_t> locations;
  if (reader == nullptr) return {nullptr, locations};
  OTF2_Reader_SetSerialCollectiveCallbacks(reader);
  OTF2_GlobalDefReader* global = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_GlobalDefReaderCallbacks* callbacks = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, &NoteLocation);
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, global, callbacks, &locations);
  uint64_t count = 0;
  EXPECT_EQ(OTF2_Reader_ReadAllGlobalDefinitions(reader, global, &count), OTF2_SUCCESS);
  OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  for (const uint64_t location : locations) OTF2_Reader_SelectLocation(reader, location);
  OTF2_Reader_OpenDefFiles(reader);
  OTF2_Reader_OpenEvtFiles(reader);
  for (const uint64_t location : locations) {
    OTF2_DefReader* local = OTF2_Reader_GetDefReader(reader, location);
    EXPECT_EQ(OTF2_Reader_ReadAllLocalDefinitions(reader, local, &count), OTF2_SUCCESS);
    OTF2_Reader_CloseDefReader(reader, local);
  }
  return {reader, locations};
}

}  // namespace

TestFolder::TestFolder() {
  std::string pattern = testing::TempDir() + "syncline-otf2-XXXXXX";
  path_ = ::mkdtemp(pattern.data()) == nullptr ? std::string() : pattern;
  EXPECT_FALSE(path_.empty());
}

TestFolder::~TestFolder() {
  std::error_code error;
  if (!path_.empty()) std::filesystem::remove_all(path_, error);
}

std::string Bytes(const std::string& path) {
  auto bytes = ReadWholeFile(path);
  EXPECT_TRUE(bytes) << path;
  return bytes.value_or("");
}

std::string WriteTestArchive(const std::string& folder, const TestArchive& contents) {
  OTF2_Archive* archive = Create(folder, contents.event_chunk);
  WriteEvents(archive, contents);
  FinishTestArchive(archive, contents);
  WriteBasicDefinitions(OTF2_Archive_GetGlobalDefWriter(archive), contents);
  EXPECT_EQ(OTF2_Archive_Close(archive), OTF2_SUCCESS);
  return folder + "/traces.otf2";
}

std::string WriteArchiveOfAllEvents(const std::string& folder) {
  const TestArchive contents{.times = {{3, {1}}, {uint64_t{1} << 40, {1}}}};
  OTF2_Archive* archive = Create(folder, contents.event_chunk);
  OTF2_Archive_OpenEvtFiles(archive);
  for (const auto& [location, times] : contents.times) {
    OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive, location);
    uint64_t time = WriteAllEvents(writer, 1000);
    time = WriteAllEvents(writer, time);
    OTF2_EvtWriter_Enter(writer, nullptr, time, 0);  // one time for two events
    OTF2_EvtWriter_Leave(writer, nullptr, time, 0);
    OTF2_Archive_CloseEvtWriter(archive, writer);
  }
  OTF2_Archive_CloseEvtFiles(archive);
  FinishTestArchive(archive, contents);
  WriteBasicDefinitions(OTF2_Archive_GetGlobalDefWriter(archive), contents);
  EXPECT_EQ(OTF2_Archive_Close(archive), OTF2_SUCCESS);
  return folder + "/traces.otf2";
}

std::string WriteArchiveOfAllDefinitions(const std::string& folder, uint64_t length) {
  const TestArchive contents{.times = {{3, {10, 20}}}, .length = length};
  OTF2_Archive* archive = Create(folder, contents.event_chunk);
  WriteEvents(archive, contents);
  FinishTestArchive(archive, contents);
  OTF2_GlobalDefWriter* global = OTF2_Archive_GetGlobalDefWriter(archive);
  WriteBasicDefinitions(global, contents);
  // Another location would need events.
#define SYNCLINE_WRITE(Kind)                                          \
  if (std::string_view(#Kind) != "Location") {                        \
    WriteSampleDefinition(&OTF2_GlobalDefWriter_Write##Kind, global); \
  }
  SYNCLINE_OTF2_DEFINITIONS(SYNCLINE_WRITE)
  SYNCLINE_OTF2_GLOBAL_DEFINITIONS(SYNCLINE_WRITE)
#undef SYNCLINE_WRITE
  const std::array<uint64_t, 2> members = {3, uint64_t{1} << 40};
  OTF2_GlobalDefWriter_WriteGroup(global, 9, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                  OTF2_GROUP_FLAG_NONE, 2, members.data());
  EXPECT_EQ(OTF2_Archive_Close(archive), OTF2_SUCCESS);
  return folder + "/traces.otf2";
}

std::map<uint64_t, std::vector<uint64_t>> SeenTimes(const std::string& anchor) {
  std::map<uint64_t, std::vector<uint64_t>> seen;
  const auto [reader, locations] = OpenAll(anchor);
  if (reader == nullptr) return seen;
  OTF2_EvtReaderCallbacks* callbacks = OTF2_EvtReaderCallbacks_New();
#define SYNCLINE_SET(Kind) OTF2_EvtReaderCallbacks_Set##Kind##Callback(callbacks, &NoteEvent);
  SYNCLINE_OTF2_EVENTS(SYNCLINE_SET)
  SYNCLINE_SET(BufferFlush)
  SYNCLINE_SET(Unknown)
#undef SYNCLINE_SET
  for (const uint64_t location : locations) {
    OTF2_EvtReader* events = OTF2_Reader_GetEvtReader(reader, location);
    Times times;
    OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, &times);
    uint64_t count = 0;
    EXPECT_EQ(OTF2_Reader_ReadAllLocalEvents(reader, events, &count), OTF2_SUCCESS);
    for (const auto& event : times) seen[location].push_back(event.second);
    OTF2_Reader_CloseEvtReader(reader, events);
  }
  OTF2_EvtReaderCallbacks_Delete(callbacks);
  OTF2_Reader_Close(reader);
  return seen;
}

std::vector<std::pair<uint64_t, uint64_t>> SeenOrder(const std::string& anchor) {
  Times order;
  const auto [reader, locations] = OpenAll(anchor);
  if (reader == nullptr) return order;
  for (const uint64_t location : locations) OTF2_Reader_GetEvtReader(reader, location);
  OTF2_GlobalEvtReaderCallbacks* callbacks = OTF2_GlobalEvtReaderCallbacks_New();
#define SYNCLINE_SET(Kind) \
  OTF2_GlobalEvtReaderCallbacks_Set##Kind##Callback(callbacks, &NoteGlobalEvent);
  SYNCLINE_OTF2_EVENTS(SYNCLINE_SET)
  SYNCLINE_SET(BufferFlush)
#undef SYNCLINE_SET
  OTF2_GlobalEvtReader* events = OTF2_Reader_GetGlobalEvtReader(reader);
  OTF2_Reader_RegisterGlobalEvtCallbacks(reader, events, callbacks, &order);
  uint64_t count = 0;
  EXPECT_EQ(OTF2_Reader_ReadAllGlobalEvents(reader, events, &count), OTF2_SUCCESS);
  OTF2_GlobalEvtReaderCallbacks_Delete(callbacks);
  OTF2_Reader_Close(reader);
  return order;
}

MessageCounts CountMessages(const std::string& anchor) {
  MessageCounts counts;
  const auto [reader, locations] = OpenAll(anchor);
  if (reader == nullptr) return counts;
  MessageTimes times;
  for (const uint64_t location : locations) times.ranks.emplace(location, times.ranks.size());
  OTF2_EvtReaderCallbacks* callbacks = OTF2_EvtReaderCallbacks_New();
  OTF2_EvtReaderCallbacks_SetMpiSendCallback(callbacks, &NoteSend);
  OTF2_EvtReaderCallbacks_SetMpiIsendCallback(callbacks, &NoteIsend);
  OTF2_EvtReaderCallbacks_SetMpiRecvCallback(callbacks, &NoteReceive);
  for (const uint64_t location : locations) {
    OTF2_EvtReader* events = OTF2_Reader_GetEvtReader(reader, location);
    OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, &times);
    uint64_t count = 0;
    EXPECT_EQ(OTF2_Reader_ReadAllLocalEvents(reader, events, &count), OTF2_SUCCESS);
    OTF2_Reader_CloseEvtReader(reader, events);
  }
  OTF2_EvtReaderCallbacks_Delete(callbacks);
  OTF2_Reader_Close(reader);
  for (const auto& [channel, sends] : times.sends) {
    const std::vector<uint64_t>& receives = times.receives[channel];
    for (size_t i = 0; i < std::min(sends.size(), receives.size()); ++i) {
      ++counts.messages;
      if (receives[i] < sends[i]) ++counts.inverted;
    }
  }
  return counts;
}

std::optional<std::string> Output(const std::string& command) {
  std::FILE* pipe = ::popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string text;
  std::array<char, 65536> block = {};
  while (const size_t n = std::fread(block.data(), 1, block.size(), pipe)) {
    text.append(block.data(), n);
  }
  constexpr int kNoSuchProgram = 127;
  const int status = ::pclose(pipe);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNoSuchProgram) return std::nullopt;
  return text;
}

}  // namespace syncline::otf2_test
