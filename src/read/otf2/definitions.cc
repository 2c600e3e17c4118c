// How it works: one callback per kind of definition, each of which adds to the maps through
// Define().

#include "read/otf2/definitions.h"

#include <string_view>

#include <fmt/format.h>

#include "read/otf2/library.h"

namespace syncline {
namespace {

// Callbacks cross C code, so nothing may be thrown from them; running out of memory ends the
// program.
Otf2Definitions& Of(void* user) { return *static_cast<Otf2Definitions*>(user); }

template <typename Map, typename Key, typename Value>
bool Define(Otf2Definitions& definitions, std::string_view what, Map& map, const Key& key,
            uint64_t number, Value value) {
  const auto [it, is_new] = map.try_emplace(key, std::move(value));
  if (is_new) return true;
  const bool is_same = it->second == value;
  definitions.diagnostics.Count(is_same ? "repeated-definition" : "contradicting-definition",
                                is_same ? Severity::kInfo : Severity::kWarning, 1,
                                fmt::format("{} {}", what, number));
  return false;
}

OTF2_CallbackCode OnClock(void* user, uint64_t resolution, uint64_t offset, uint64_t length,
                          uint64_t realtime) {
  Otf2Definitions& definitions = Of(user);
  const Otf2ClockProperties clock = {resolution, offset, length, realtime};
  if (!definitions.clock) {
    definitions.clock = clock;
  } else {
    const bool is_same = *definitions.clock == clock;
    definitions.diagnostics.Count(is_same ? "repeated-definition" : "contradicting-definition",
                                  is_same ? Severity::kInfo : Severity::kWarning, 1,
                                  "clock properties");
  }
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnString(void* user, OTF2_StringRef self, const char* text) {
  Define(Of(user), "string", Of(user).strings, self, self, std::string(text ? text : ""));
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnNode(void* user, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                         OTF2_StringRef /*class_name*/, OTF2_SystemTreeNodeRef parent) {
  Define(Of(user), "system tree node", Of(user).nodes, self, self, Otf2TreeNode{name, parent});
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnDomain(void* user, OTF2_SystemTreeNodeRef node, OTF2_SystemTreeDomain domain) {
  if (domain == OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY) Of(user).hosts.insert(node);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnLocationGroup(void* user, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                  OTF2_LocationGroupType /*type*/, OTF2_SystemTreeNodeRef parent,
                                  OTF2_LocationGroupRef /*creator*/) {
  Define(Of(user), "location group", Of(user).location_groups, self, self,
         Otf2LocationGroup{name, parent});
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnLocation(void* user, OTF2_LocationRef self, OTF2_StringRef name,
                             OTF2_LocationType /*type*/, uint64_t events,
                             OTF2_LocationGroupRef group) {
  if (Define(Of(user), "location", Of(user).locations, self, self,
             Otf2Location{name, events, group}))
    Of(user).location_order.push_back(self);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnRegionDefinition(void* user, OTF2_RegionRef self, OTF2_StringRef name,
                                     OTF2_StringRef /*canonical_name*/,
                                     OTF2_StringRef /*description*/, OTF2_RegionRole role,
                                     OTF2_Paradigm paradigm, OTF2_RegionFlag /*flags*/,
                                     OTF2_StringRef /*source_file*/, uint32_t /*begin_line*/,
                                     uint32_t /*end_line*/) {
  const bool is_barrier =
      role == OTF2_REGION_ROLE_BARRIER || role == OTF2_REGION_ROLE_IMPLICIT_BARRIER;
  if (Define(Of(user), "region", Of(user).regions, self, self, name) && is_barrier &&
      paradigm == OTF2_PARADIGM_OPENMP)
    Of(user).thread_barriers.insert(self);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnGroup(void* user, OTF2_GroupRef self, OTF2_StringRef /*name*/,
                          OTF2_GroupType type, OTF2_Paradigm paradigm, OTF2_GroupFlag /*flags*/,
                          uint32_t size, const uint64_t* members) {
  Define(Of(user), "group", Of(user).groups, std::pair(self, type), self,
         Otf2Group{paradigm, {members, members + size}});
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnComm(void* user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
                         OTF2_CommRef /*parent*/, OTF2_CommFlag /*flags*/) {
  Define(Of(user), "communicator", Of(user).communicators, self, self,
         Otf2Communicator{name, group, std::nullopt});
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnInterComm(void* user, OTF2_CommRef self, OTF2_StringRef name,
                              OTF2_GroupRef group_a, OTF2_GroupRef group_b, OTF2_CommRef /*common*/,
                              OTF2_CommFlag /*flags*/) {
  Define(Of(user), "communicator", Of(user).communicators, self, self,
         Otf2Communicator{name, group_a, group_b});
  return OTF2_CALLBACK_SUCCESS;
}

GlobalDefinitionCallbacks MakeDefinitionCallbacks() {
  GlobalDefinitionCallbacks callbacks(OTF2_GlobalDefReaderCallbacks_New());
  OTF2_GlobalDefReaderCallbacks* c = callbacks.get();
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(c, &OnClock);
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(c, &OnString);
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(c, &OnNode);
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeDomainCallback(c, &OnDomain);
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(c, &OnLocationGroup);
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(c, &OnLocation);
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(c, &OnRegionDefinition);
  OTF2_GlobalDefReaderCallbacks_SetGroupCallback(c, &OnGroup);
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(c, &OnComm);
  OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(c, &OnInterComm);
  return callbacks;
}

}  // namespace

std::string Otf2Definitions::String(OTF2_StringRef reference) const {
  const auto it = strings.find(reference);
  return it == strings.end() ? "" : it->second;
}

Result<Otf2Definitions> ReadGlobalDefinitions(OTF2_Reader* reader, const std::string& file) {
  OTF2_GlobalDefReader* global = OTF2_Reader_GetGlobalDefReader(reader);
  if (!global) return tl::unexpected(LibraryFailure("cannot be opened", file));
  Otf2Definitions definitions;
  const GlobalDefinitionCallbacks callbacks = MakeDefinitionCallbacks();
  uint64_t count = 0;
  const bool is_read = OTF2_Reader_RegisterGlobalDefCallbacks(reader, global, callbacks.get(),
                                                              &definitions) == OTF2_SUCCESS &&
                       OTF2_Reader_ReadAllGlobalDefinitions(reader, global, &count) == OTF2_SUCCESS;
  OTF2_Reader_CloseGlobalDefReader(reader, global);
  if (!is_read) {
    return tl::unexpected(
        LibraryFailure(fmt::format("cannot be read beyond definition {}", count), file));
  }
  TakeLibraryError();  // a warning without consequence
  return definitions;
}

}  // namespace syncline
