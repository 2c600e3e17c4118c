// A CTF trace as libbabeltrace2 can read it: its own folder or, where stream files are cut off, a
// temporary one without what the cuts left incomplete.
//
// libbabeltrace2 2.0.4 refuses a trace with a file that ends inside a packet. The temporary folder
// (in TMPDIR, default /tmp) holds the trace's files as symbolic links, and of each cut file a copy
// of its whole packets; it is removed with this object, and before a signal but SIGKILL ends the
// program. Where cuts are is known for the traces that packet_sizes.h understands; others are left
// to the library's own error. Errors: kUnsupported for what is no CTF 1.8; those of
// CheckPacketSizes(); kUnreadable where the copies cannot be made. Cost: that of
// CheckPacketSizes(), and a copy of each cut file. Tested by: ctf_cut_test.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "syncline/result.h"

#include "read/ctf/packet_sizes.h"

namespace syncline {

class ReadableFolder {
 public:
  // `folder` holds the file `metadata`.
  static Result<std::shared_ptr<const ReadableFolder>> Of(const std::string& folder);
  ~ReadableFolder();
  ReadableFolder(const ReadableFolder&) = delete;
  ReadableFolder& operator=(const ReadableFolder&) = delete;

  const std::string& folder() const { return folder_; }
  // Of its files; of those that are cut off, what is whole.
  uint64_t bytes() const { return bytes_; }
  // What to give to the library.
  const std::string& path() const { return temporary_.empty() ? folder_ : temporary_; }
  const std::vector<CutFile>& cuts() const { return cuts_; }
  // The trace's own name of a file that the library names.
  std::string OriginalOf(std::string_view file) const;

 private:
  explicit ReadableFolder(std::string folder) : folder_(std::move(folder)) {}
  void CountBytes();
  Result<void> MakeTemporary();

  std::string folder_;
  uint64_t bytes_ = 0;
  std::string temporary_;  // empty where nothing is cut
  std::vector<CutFile> cuts_;
};

}  // namespace syncline
