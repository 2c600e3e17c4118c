// Where writers of files put their bytes, collected into blocks.
//
// Errors: those of the function given. What was not flushed is lost with this object.
// Cost: one copy; memory of one block. Tested by: text_rewriter_test.cc, text_writer_test.cc.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>

#include "syncline/result.h"

#include "base/file.h"

namespace syncline {

class ByteSink {
 public:
  using WriteFunction = std::function<Result<void>(std::string_view)>;

  explicit ByteSink(WriteFunction write) : write_(std::move(write)) {}
  // `output` must outlive the sink.
  explicit ByteSink(OutputFile& output)
      : ByteSink([&output](std::string_view bytes) { return output.Write(bytes); }) {}

  Result<void> Append(std::string_view bytes) { return Append({bytes, {}, {}}); }
  // All of them, one after the other.
  Result<void> Append(const std::array<std::string_view, 3>& parts) {
    for (const std::string_view part : parts) block_ += part;
    return block_.size() < kFileBlock ? Result<void>() : Flush();
  }
  Result<void> Flush() {
    if (block_.empty()) return {};
    auto written = write_(block_);
    block_.clear();
    return written;
  }

 private:
  WriteFunction write_;
  std::string block_;
};

}  // namespace syncline
