// A CTF trace as libbabeltrace2 can read it: its own folder or, where stream files are cut off, a
// temporary one without what the cuts left incomplete.
//
// libbabeltrace2 2.0.4 refuses a trace with a file that ends inside a packet. The temporary folder
// (in TMPDIR, default /tmp) holds the trace's files as symbolic links, and of each cut file a copy
// of its whole packets; it is removed with this object, and before a signal but SIGKILL ends the
// program. Where cuts are is known for the traces that packet_layout.h understands; others are left
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

#include "base/temporaries.h"

namespace syncline {

// Finds packets that libbabeltrace2 2.0.4 cannot take: those whose claimed size is 0 bits, where it
// looks for the next packet for ever, or 2^63 and more, where it aborts; and those that the end of
// their file cuts off.
//
// Of traces whose metadata packet_layout.h does not understand nothing is said. A file is taken to
// be cut off only where its last packet begins as packets do: with the magic number, or, in traces
// without one, behind a whole packet.
// Errors: those of ReadMetadataText(); kMalformed with file and byte. Cost: two small reads per
// packet. Tested by: ctf_bad_input_test.cc, ctf_cut_test.cc.

// A stream file whose last packet is incomplete.
struct CutFile {
  std::string path;
  uint64_t bytes = 0;
  uint64_t whole_bytes = 0;  // up to the end of the last whole packet
};

// The stream files in the trace's folder that are cut off, in order of their names; kMalformed for
// impossible sizes.
Result<std::vector<CutFile>> CheckPacketSizes(const std::string& folder);

class ReadableFolder {
 public:
  // `folder` holds the file `metadata`.
  static Result<std::shared_ptr<const ReadableFolder>> Of(const std::string& folder);

  const std::string& folder() const { return folder_; }
  // Of its files; of those that are cut off, what is whole.
  uint64_t bytes() const { return bytes_; }
  // What to give to the library.
  const std::string& path() const {
    return temporary_.path().empty() ? folder_ : temporary_.path();
  }
  const std::vector<CutFile>& cuts() const { return cuts_; }
  // The trace's own name of a file that the library names.
  std::string OriginalOf(std::string_view file) const;

 private:
  explicit ReadableFolder(std::string folder) : folder_(std::move(folder)) {}
  void CountBytes();
  Result<void> MakeTemporary();

  std::string folder_;
  uint64_t bytes_ = 0;
  TemporaryFolder temporary_;  // none where nothing is cut
  std::vector<CutFile> cuts_;
};

}  // namespace syncline
