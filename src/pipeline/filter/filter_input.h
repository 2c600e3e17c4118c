// Reads the input of a filter: files in blocks, pipes and devices as bytes come.
#pragma once

#include <cstdint>

#include "syncline/result.h"

#include "base/file.h"
#include "read/text/text_reader.h"

namespace syncline {

// What a filter does between the bytes of a stream.
class StreamListener {
 public:
  virtual ~StreamListener() = default;
  // Before the next read, which will have to wait. Returns how long it may do so before this is
  // called again, in ms; negative: as long as it takes.
  virtual Result<int64_t> OnPause() = 0;
  // Bytes have come.
  virtual void OnBytes() = 0;
};

// `listener` must outlive the reader; a regular file does not call it.
TextReader ReadAsItComes(InputFile file, StreamListener& listener);

}  // namespace syncline
