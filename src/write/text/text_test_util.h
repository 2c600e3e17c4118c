// Text that tests write into memory.
#pragma once

#include <string>
#include <string_view>

#include "base/byte_sink.h"

namespace syncline {

inline ByteSink Into(std::string& text) {
  return ByteSink([&text](std::string_view bytes) {
    text += bytes;
    return Result<void>();
  });
}

}  // namespace syncline
