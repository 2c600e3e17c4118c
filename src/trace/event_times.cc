#include "trace/event_times.h"

#include <memory>
#include <span>

#include "read/pcap/capture_reader.h"
#include "read/text/text_reader.h"
#include "trace/load_ctf.h"
#include "trace/load_otf2.h"

namespace syncline {
namespace {

Result<void> OfCapture(const LoadedInput& input, const VisitEventTime& visit) {
  auto reader = CaptureReader::Open(input.input.path);
  if (!reader) return tl::unexpected(reader.error());
  while (const Packet* packet = reader->Next()) visit(0, packet->index, packet->time);
  if (reader->error()) return tl::unexpected(*reader->error());
  return {};
}

Result<void> OfText(const LoadedInput& input, const VisitEventTime& visit) {
  auto reader = TextReader::Open(input.input.path);
  if (!reader) return tl::unexpected(reader.error());
  while (const Event* event = reader->Next()) {
    visit(event->process.index(), reader->index(), event->time);
  }
  if (reader->error()) return tl::unexpected(*reader->error());
  return {};
}

Result<void> OfArchive(const LoadedInput& input, const VisitEventTime& visit) {
  for (size_t number = 0; number < input.processes.size(); ++number) {
    const std::unique_ptr<Otf2EventSource> source = OpenOtf2Source(input, number);
    for (uint64_t index = 0; const Event* event = source->Next(); ++index) {
      visit(number, index, event->time);
    }
  }
  return {};
}

Result<void> OfCtf(const LoadedInput& input, const VisitEventTime& visit) {
  for (size_t number = 0; number < input.processes.size(); ++number) {
    auto done =
        CtfTimes(input, number).ForEach([&](uint64_t first, std::span<const LocalTime> times) {
          for (const LocalTime time : times) visit(number, first++, time);
        });
    if (!done) return done;
  }
  return {};
}

}  // namespace

Result<void> ForEachEventTime(const LoadedInput& input, const VisitEventTime& visit) {
  switch (input.input.format) {
    case Format::kCapture:
      return OfCapture(input, visit);
    case Format::kText:
      return OfText(input, visit);
    case Format::kOtf2:
      return OfArchive(input, visit);
    case Format::kCtf:
      return OfCtf(input, visit);
  }
  return {};
}

}  // namespace syncline
