// The text of a CTF 1.8 trace's `metadata` file, be it plain or in packets.
//
// Packets begin with the magic number 0x75D11D57 in either byte order; their header holds sizes in
// bits (Common Trace Format 1.8.3, section 7.1). Readers accept plain text in the place of packets,
// so only reading is needed.
// Errors: kUnreadable; kMalformed with the byte where a packet breaks the format; kUnsupported for
// CTF 2, for other versions, and for packets that are compressed, encrypted or have a checksum.
// Tested by: src/write/ctf_metadata/metadata_text_test.cc.
#pragma once

#include <string>
#include <string_view>

#include "syncline/result.h"

namespace syncline::ctf_metadata {

Result<std::string> ReadMetadata(const std::string& path);
// The same of a file's content; errors have no file name.
Result<std::string> MetadataText(std::string_view content);

}  // namespace syncline::ctf_metadata
