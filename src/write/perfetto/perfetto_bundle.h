// Traces of several machines as one archive that Perfetto opens on one time line: the files as they
// are, and a manifest that says how far their clocks are apart.
//
// The archive is a tar (ustar), whose first member is `perfetto_manifest.json` of version 1. What
// gzip or zstd compressed stands in it as it was before. Units: nanoseconds. Errors: those of the
// files, and of one that changes while it is read. Cost: files are read twice, because a tar says
// sizes first. Tested by: perfetto_bundle_test.cc (with tar).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "syncline/result.h"

#include "base/byte_sink.h"

namespace syncline {

struct BundledFile {
  std::string path;
  std::string machine;
  // When a clock of this file reads t, the reference's reads t + offset: positive moves it later.
  int64_t offset_ns = 0;
};

// Requires `reference` < files.size().
Result<void> WritePerfettoBundle(std::span<const BundledFile> files, size_t reference,
                                 ByteSink output);

}  // namespace syncline
