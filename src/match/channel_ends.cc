#include "match/channel_ends.h"

namespace syncline {

ChannelEnds FoundEnds::Take() {
  const std::span writers = std::span(writers_).first(used_);
  size_t runs = 0;
  size_t bytes = 0;
  for (const EndWriter& writer : writers) {
    runs += writer.bytes().empty() ? 0 : 1;
    bytes += writer.bytes().size();
  }
  ChannelEnds ends;
  ends.Reserve(runs, bytes);
  for (size_t i = 0; i < writers.size(); ++i) {
    if (writers[i].bytes().empty()) continue;
    ends.Add(i / 2, i % 2 != 0, writers[i].bytes());
    writers[i].Clear();
  }
  used_ = 0;
  constexpr size_t kMany = size_t{1} << 16;
  if (writers_.size() > kMany) writers_ = std::vector<EndWriter>();
  return ends;
}

}  // namespace syncline
