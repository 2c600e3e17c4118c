// Reads all events of an OTF2 archive with libotf2 and does nothing with them but count: the
// measure for bench/sync_otf2.sh.
//   otf2_read ARCHIVE.otf2
// As the library's own tools do: one reader, global and local definitions first, then location by
// location through the local event readers.

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <otf2/otf2.h>

#include "write/otf2/record_kinds.h"

namespace {

OTF2_CallbackCode OnLocation(void* user, OTF2_LocationRef location, OTF2_StringRef /*name*/,
                             OTF2_LocationType /*type*/, uint64_t /*events*/,
                             OTF2_LocationGroupRef /*group*/) {
  static_cast<std::vector<OTF2_LocationRef>*>(user)->push_back(location);
  return OTF2_CALLBACK_SUCCESS;
}

template <typename... Details>
OTF2_CallbackCode Count(OTF2_LocationRef /*location*/, OTF2_TimeStamp /*time*/,
                        uint64_t /*position*/, void* user, OTF2_AttributeList* /*attributes*/,
                        Details... /*details*/) {
  ++*static_cast<uint64_t*>(user);
  return OTF2_CALLBACK_SUCCESS;
}

std::vector<OTF2_LocationRef> ReadDefinitions(OTF2_Reader* reader) {
  std::vector<OTF2_LocationRef> locations;
  OTF2_GlobalDefReaderCallbacks* callbacks = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, &OnLocation);
  OTF2_GlobalDefReader* global = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, global, callbacks, &locations);
  OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  uint64_t count = 0;
  OTF2_Reader_ReadAllGlobalDefinitions(reader, global, &count);
  for (const OTF2_LocationRef location : locations) OTF2_Reader_SelectLocation(reader, location);
  if (OTF2_Reader_OpenDefFiles(reader) != OTF2_SUCCESS) return locations;
  for (const OTF2_LocationRef location : locations) {
    OTF2_DefReader* local = OTF2_Reader_GetDefReader(reader, location);
    if (local == nullptr) continue;
    OTF2_Reader_ReadAllLocalDefinitions(reader, local, &count);
    OTF2_Reader_CloseDefReader(reader, local);
  }
  OTF2_Reader_CloseDefFiles(reader);
  return locations;
}

uint64_t CountEvents(OTF2_Reader* reader, const std::vector<OTF2_LocationRef>& locations) {
  OTF2_EvtReaderCallbacks* callbacks = OTF2_EvtReaderCallbacks_New();
#define SYNCLINE_SET(Kind) OTF2_EvtReaderCallbacks_Set##Kind##Callback(callbacks, &Count);
  SYNCLINE_OTF2_EVENTS(SYNCLINE_SET)
  SYNCLINE_SET(BufferFlush)
  SYNCLINE_SET(Unknown)
#undef SYNCLINE_SET
  uint64_t events = 0;
  OTF2_Reader_OpenEvtFiles(reader);
  for (const OTF2_LocationRef location : locations) {
    OTF2_EvtReader* local = OTF2_Reader_GetEvtReader(reader, location);
    if (local == nullptr) continue;
    OTF2_Reader_RegisterEvtCallbacks(reader, local, callbacks, &events);
    uint64_t count = 0;
    OTF2_Reader_ReadAllLocalEvents(reader, local, &count);
    OTF2_Reader_CloseEvtReader(reader, local);
  }
  OTF2_EvtReaderCallbacks_Delete(callbacks);
  return events;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "otf2_read ARCHIVE.otf2\n");
    return 1;
  }
  OTF2_Reader* reader = OTF2_Reader_Open(argv[1]);
  if (reader == nullptr) return 1;
  OTF2_Reader_SetSerialCollectiveCallbacks(reader);
  const std::vector<OTF2_LocationRef> locations = ReadDefinitions(reader);
  std::printf("%" PRIu64 " events of %zu locations\n", CountEvents(reader, locations),
              locations.size());
  OTF2_Reader_Close(reader);
}
