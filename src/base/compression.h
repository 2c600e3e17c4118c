// Compressed files as streams: gzip and zstd, told by their first bytes.
//
// Several members or frames in a row are one content, as the tools that write them have it. Errors:
// kMalformed with the byte of the compressed file at which it is damaged or cut off; kUnsupported
// for zstd where libzstd was missing. Memory: at most 128 MiB for zstd's largest windows, else less
// than 10 MiB. Tested by: compression_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "syncline/result.h"

#include "base/file.h"

namespace syncline {

inline constexpr size_t kCompressionMagic = 4;  // bytes that tell it
// kNone also where there are too few bytes.
Compression CompressionOf(std::span<const std::byte> head);
// Whether more bytes after these, fewer than kCompressionMagic, could make it a compressed file.
bool MayBeCompressed(std::span<const std::byte> head);

// What was compressed. `path` is for errors.
Result<std::unique_ptr<Unpacking>> MakeUnpacking(Compression compression, const std::string& path);
// For OutputFile::WriteThrough; null for kNone.
Result<std::unique_ptr<Packing>> MakePacking(Compression compression);

// What a name promises: .gz and .zst.
Compression CompressionOfName(std::string_view path);
// OutputFile::Create, compressed as the name says: of files that are no copies of others.
Result<OutputFile> CreateAsNamed(const std::string& path, IfExists if_exists);

// How many bytes are in a compressed file of `size` bytes, as its own last or first bytes say it:
// a guess, for progress.
uint64_t LikelyUnpackedSize(Compression compression, std::span<const std::byte> first,
                            std::span<const std::byte> last, uint64_t size);

}  // namespace syncline
