#include "write/otf2/archive_writer.h"

namespace syncline::otf2_write {

Result<ArchiveWriter> ArchiveWriter::Create(const std::string& folder, const std::string& name,
                                            const ArchiveFacts& like, Otf2Errors& errors) {
  OTF2_Archive* archive =
      OTF2_Archive_Open(folder.c_str(), name.c_str(), OTF2_FILEMODE_WRITE, like.event_chunk,
                        like.definition_chunk, OTF2_SUBSTRATE_POSIX, like.compression);
  if (archive == nullptr) return errors.Failure("cannot create an archive", folder);
  ArchiveWriter writer(archive, folder, errors);
  auto prepared = errors.Check(OTF2_Archive_SetFlushCallbacks(archive, &kAlwaysFlush, nullptr),
                               "cannot create an archive", folder);
  if (!prepared) return tl::unexpected(prepared.error());
  prepared = errors.Check(OTF2_Archive_SetSerialCollectiveCallbacks(archive),
                          "cannot create an archive", folder);
  if (!prepared) return tl::unexpected(prepared.error());
  return writer;
}

Result<void> ArchiveWriter::Close() {
  return errors_->Check(OTF2_Archive_Close(archive_.release()), "cannot be written", folder_);
}

}  // namespace syncline::otf2_write
