// The lines of events that wait in a filter, of one process: first in, first out, as bytes.
//
// Cost: one copy in, none out; 16 bytes besides each line, at most four times what waits.
// Tested by: event_lines_test.cc.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "write/text/line_parts.h"

namespace syncline {

class EventLines {
 public:
  struct Line {
    LineParts parts;
    int64_t arrival_ns = 0;
  };

  void Push(const LineParts& line, int64_t arrival_ns) {
    if (head_ > kWorthwhile && head_ > bytes_.size() / 2) {
      bytes_.erase(0, head_);
      head_ = 0;
    }
    const Header header{arrival_ns, static_cast<uint32_t>(line.before.size()),
                        static_cast<uint32_t>(line.after.size())};
    bytes_.append(reinterpret_cast<const char*>(&header), sizeof header);
    bytes_.append(line.before);
    bytes_.append(line.after);
  }
  bool empty() const { return head_ == bytes_.size(); }
  // Requires: not empty. Valid until the next Push().
  Line front() const {
    const Header header = FrontHeader();
    const char* before = bytes_.data() + head_ + sizeof header;
    return {{{before, header.before}, {before + header.before, header.after}}, header.arrival_ns};
  }
  // Requires: not empty. Lines got from front() stay valid.
  void Pop() {
    const Header header = FrontHeader();
    head_ += sizeof header + header.before + header.after;
  }

 private:
  struct Header {
    int64_t arrival_ns = 0;
    uint32_t before = 0;
    uint32_t after = 0;
  };
  static constexpr size_t kWorthwhile = 4096;

  Header FrontHeader() const {
    Header header;
    std::memcpy(&header, bytes_.data() + head_, sizeof header);
    return header;
  }

  std::string bytes_;
  size_t head_ = 0;
};

}  // namespace syncline
