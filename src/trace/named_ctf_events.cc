#include <span>
#include <utility>
#include <vector>

#include "read/ctf/ctf_reader.h"
#include "trace/load_ctf.h"
#include "trace/named_events.h"

namespace syncline {
namespace {

// The times are those that were kept, on the host's clock.
Result<void> VisitStream(const LoadedInput& input, size_t number, const CtfReader& reader,
                         CtfStream& stream, const VisitNamedEvent& visit) {
  const TimeStore& times = CtfTimes(input, number);
  std::vector<LocalTime> block;
  std::span<const CtfMessageSize> sizes = CtfMessageSizes(input, number);
  size_t events = 0;
  while (const CtfEvent* event = stream.Next()) {
    if (events == times.size()) {
      ++events;
      break;
    }
    const size_t in_block = events % TimeStore::kBlock;
    if (in_block == 0) {
      auto read = times.BlockAt(events / TimeStore::kBlock);
      if (!read) return tl::unexpected(read.error());
      block = std::move(*read);
    }
    NamedEvent named{.event = {.time = block[in_block], .process = input.processes[number]},
                     .index = events,
                     .name = reader.event_classes()[event->event_class].name};
    if (!sizes.empty() && sizes.front().event == events) {
      named.event.bytes = sizes.front().bytes;
      sizes = sizes.subspan(1);
    }
    ++events;
    visit(named);
  }
  if (stream.error()) return tl::unexpected(*stream.error());
  if (events == times.size()) return {};
  return Fail(ErrorCode::kMalformed, "has changed while it was read", stream.file());
}

}  // namespace

Result<void> ForEachNamedCtfEvent(const LoadedInput& input, const VisitNamedEvent& visit) {
  auto reader = CtfReader::Open(input.input.path);
  if (!reader) return tl::unexpected(reader.error());
  const auto& streams = (*reader)->streams();
  if (streams.size() != input.processes.size()) {
    return Fail(ErrorCode::kMalformed, "has changed while it was read", input.input.path);
  }
  for (size_t i = 0; i < streams.size(); ++i) {
    if (auto done = VisitStream(input, i, **reader, *streams[i], visit); !done) return done;
  }
  return {};
}

}  // namespace syncline
