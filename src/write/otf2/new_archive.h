// A new OTF2 archive in a folder, as all who write one of their own need it: its events, location
// by location, then its definitions.
//
// Locations are numbered from 0; each is a location group of its own. Memory that libotf2 reserves
// is held to what it needs: at most 4.3 MiB for every location that is open. What goes wrong is
// kept, and said by Outcome(); until then calls may go on. Requires: one archive at a time in the
// program (otf2_errors.h); an empty folder. Errors: kUnreadable, with what the library says. Cost:
// that of the library, about 80 ns an event. Tested by: exported_archive_test.cc,
// src/cli/simulate/simulate_command_test.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <otf2/otf2.h>

#include "syncline/result.h"

#include "write/otf2/otf2_errors.h"

namespace syncline::otf2_write {

class NewArchive {
 public:
  // FOLDER/traces.otf2. `creator` is the program, as viewers show it.
  static Result<std::unique_ptr<NewArchive>> Create(const std::string& folder,
                                                    const std::string& creator);
  NewArchive(const NewArchive&) = delete;
  NewArchive& operator=(const NewArchive&) = delete;
  ~NewArchive();

  void Check(OTF2_ErrorCode code) {
    if (code_ == OTF2_SUCCESS) code_ = code;
  }
  // Writes an event, as what is given does, unless anything has failed: where a file does not take
  // a chunk the library goes on behind the end of its memory.
  template <typename Write>
  void Put(const Write& write) {
    if (!HasFailed()) Check(write());
  }
  Result<void> Outcome();

  // nullptr where that fails. The archive owns it.
  OTF2_EvtWriter* BeginLocation(uint64_t location);
  void EndLocation(uint64_t location, OTF2_EvtWriter* writer);
  // After the last location; definitions follow. nullptr where that fails.
  OTF2_GlobalDefWriter* BeginDefinitions();

  OTF2_StringRef String(std::string_view text);
  // Times are nanoseconds from `first_ns` to `last_ns`; `realtime_ns` is when the first was, since
  // 1970, or OTF2_UNDEFINED_TIMESTAMP.
  void DefineClock(uint64_t first_ns, uint64_t last_ns, uint64_t realtime_ns);
  void DefineLocation(uint64_t location, std::string_view name, std::string_view group,
                      OTF2_SystemTreeNodeRef node);
  // After locations and before communicators, whose members all locations may be: some readers
  // take definitions only in this order.
  void DefineMpi();
  // Its members in rank order. Numbers as the caller counts them.
  void DefineCommunicator(OTF2_CommRef number, std::string_view name,
                          std::span<const uint64_t> members);

  // The archive is whole afterwards.
  Result<void> Finish();

 private:
  explicit NewArchive(std::string folder) : folder_(std::move(folder)) {}
  // For good: what the library holds then is not freed, since it would be written.
  bool HasFailed() { return is_broken_ |= code_ != OTF2_SUCCESS || errors_.has_failed(); }
  Result<void> Open(const std::string& creator);
  void WriteLocalDefinitions();

  std::string folder_;
  Otf2Errors errors_;
  OTF2_Archive* archive_ = nullptr;
  OTF2_GlobalDefWriter* definitions_ = nullptr;
  std::vector<uint64_t> events_;  // by location
  OTF2_StringRef strings_ = 0;
  OTF2_StringRef empty_ = 0;
  OTF2_ErrorCode code_ = OTF2_SUCCESS;
  bool is_broken_ = false;
};

}  // namespace syncline::otf2_write
