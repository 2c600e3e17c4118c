// An OTF2 archive that libotf2 writes into a folder of ours.
//
// Ownership: closes what is open at its end; only Close() reports errors. Requires: event files are
// closed before definition files are opened, as the library wants it. Units: ticks.
// Tested by: metadata_writer_test.cc, events_writer_test.cc.
#pragma once

#include <memory>
#include <string>

#include <otf2/otf2.h>

#include "syncline/result.h"

#include "write/otf2/archive_source.h"

namespace syncline::otf2_write {

// Without a second callback the library adds no BufferFlush events of its own, whose times would be
// of the machine that writes.
inline constexpr OTF2_FlushCallbacks kAlwaysFlush = {
    .otf2_pre_flush = [](void*, OTF2_FileType, OTF2_LocationRef, void*, bool) -> OTF2_FlushType {
      return OTF2_FLUSH;
    },
    .otf2_post_flush = nullptr};

class ArchiveWriter {
 public:
  // The new archive gets the chunk sizes and the compression of the old one.
  static Result<ArchiveWriter> Create(const std::string& folder, const std::string& name,
                                      const ArchiveFacts& like, Otf2Errors& errors);
  OTF2_Archive* archive() const { return archive_.get(); }
  Result<void> Close();

 private:
  struct CloseArchive {
    void operator()(OTF2_Archive* archive) const { OTF2_Archive_Close(archive); }
  };
  ArchiveWriter(OTF2_Archive* archive, std::string folder, Otf2Errors& errors)
      : archive_(archive), folder_(std::move(folder)), errors_(&errors) {}
  std::unique_ptr<OTF2_Archive, CloseArchive> archive_;
  std::string folder_;
  Otf2Errors* errors_;
};

}  // namespace syncline::otf2_write
