#include "read/otf2/local_definitions.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace syncline {
namespace {

OTF2_CallbackCode OnClockOffset(void* user, OTF2_TimeStamp time, int64_t offset,
                                double /*deviation*/) {
  static_cast<Otf2LocalDefinitions*>(user)->clock_offsets.push_back({time, offset});
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnMappingTable(void* user, OTF2_MappingType /*type*/, const OTF2_IdMap* /*map*/) {
  ++static_cast<Otf2LocalDefinitions*>(user)->mapping_tables;
  return OTF2_CALLBACK_SUCCESS;
}

// A file without records as libotf2 writes it: byte order, the header of its only chunk, the end of
// the chunk and of the file. Most recorders leave one for every location.
constexpr std::array<char, 20> kFileWithoutRecords = {3, 'B', 1, 0, 0, 0, 0, 0, 0, 0,
                                                      0, 0,   0, 0, 0, 0, 0, 0, 2, 1};

bool HasNoRecords(const std::string& file) {
  std::array<char, kFileWithoutRecords.size() + 1> bytes{};
  std::ifstream stream(file, std::ios::binary);
  stream.read(bytes.data(), bytes.size());
  return stream.gcount() == kFileWithoutRecords.size() &&
         std::equal(kFileWithoutRecords.begin(), kFileWithoutRecords.end(), bytes.begin());
}

}  // namespace

void OpenLocalDefinitions(OTF2_Reader* reader) {
  OTF2_Reader_OpenDefFiles(reader);
  TakeLibraryError();
}

Result<Otf2LocalDefinitions> ReadLocalDefinitions(OTF2_Reader* reader, OTF2_LocationRef location,
                                                  const std::string& file) {
  Otf2LocalDefinitions found;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored) || HasNoRecords(file)) return found;
  OTF2_DefReader* local = OTF2_Reader_GetDefReader(reader, location);
  if (!local) return tl::unexpected(LibraryFailure("cannot be opened", file));
  const LocalDefinitionCallbacks callbacks(OTF2_DefReaderCallbacks_New());
  OTF2_DefReaderCallbacks_SetClockOffsetCallback(callbacks.get(), &OnClockOffset);
  OTF2_DefReaderCallbacks_SetMappingTableCallback(callbacks.get(), &OnMappingTable);
  uint64_t count = 0;
  const bool is_read =
      OTF2_Reader_RegisterDefCallbacks(reader, local, callbacks.get(), &found) == OTF2_SUCCESS &&
      OTF2_Reader_ReadAllLocalDefinitions(reader, local, &count) == OTF2_SUCCESS;
  OTF2_Reader_CloseDefReader(reader, local);
  if (!is_read) return tl::unexpected(LibraryFailure("cannot be read", file));
  found.others = count - std::min(count, found.clock_offsets.size() + found.mapping_tables);
  return found;
}

}  // namespace syncline
