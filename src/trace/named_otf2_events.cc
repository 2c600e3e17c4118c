#include "trace/kept_archive.h"
#include "trace/named_events.h"

namespace syncline {
namespace {

// Of an MPI record that is part of nothing that was matched.
std::string_view NameOf(MpiKind kind) {
  switch (kind) {
    case MpiKind::kSend:
    case MpiKind::kImmediateSend:
      return "unmatched send";
    case MpiKind::kReceive:
    case MpiKind::kReceiveComplete:
      return "unmatched receive";
    case MpiKind::kSendComplete:
      return "send complete";
    case MpiKind::kReceivePosted:
      return "receive posted";
    case MpiKind::kCancelled:
      return "cancelled";
    default:
      return "";
  }
}

// Reads one location beside what was kept of it.
class LocationNames {
 public:
  LocationNames(const LoadedArchive& loaded, ProcessId process)
      : loaded_(loaded), process_(process), kept_(loaded.locations[process.index()]) {}

  Result<void> Run(const VisitNamedEvent& visit) {
    auto cursor = loaded_.archive.OpenLocation(process_);
    if (!cursor) return tl::unexpected(cursor.error());
    uint64_t events = 0;
    while (const Event* event = cursor->Next()) {
      if (events++ == kept_.times.size()) break;
      visit(Describe(*event, cursor->index(), cursor->operation()));
    }
    if (cursor->error()) return tl::unexpected(*cursor->error());
    if (events == kept_.times.size()) return {};
    return Fail(ErrorCode::kMalformed, "has changed while it was read",
                loaded_.archive.events_file(process_));
  }

 private:
  NamedEvent Describe(const Event& event, uint64_t index, const MpiOperation& operation) {
    const std::vector<std::string>& names = loaded_.archive.names();
    if (next_ < kept_.records.size() && kept_.records[next_].index() == index) {
      return DescribeRecord(kept_.records[next_++], operation);
    }
    NamedEvent named{.event = {.time = loaded_.TimeOf(process_, index),
                               .process = loaded_.processes[process_.index()],
                               .kind = event.kind},
                     .index = index};
    const bool is_region = event.kind == EventKind::kEnter || event.kind == EventKind::kLeave;
    // MPI events without partner, of which nothing but their kind is known for certain.
    if (!is_region) named.event.kind = EventKind::kMark;
    const std::string_view by_kind = NameOf(operation.kind);
    named.name = by_kind.empty() ? std::string_view(names[event.name]) : by_kind;
    return named;
  }

  NamedEvent DescribeRecord(const NumberedRecord& record, const MpiOperation& operation) const {
    NamedEvent named{
        .event = loaded_.EventOf(process_, record), .index = record.index(), .has_message = true};
    if (record.is_transfer()) return named;
    const std::string& kind = loaded_.archive.names()[named.event.name];
    named.name = kind;
    const bool is_end = record.kind() == EventKind::kCollectiveEnd;
    if (is_end) named.event.bytes = operation.bytes_received;
    const bool may_move_nothing = kind.ends_with('v') || kind.ends_with('w');
    named.moves_nothing = may_move_nothing && named.event.bytes == 0;
    return named;
  }

  const LoadedArchive& loaded_;
  ProcessId process_;
  const KeptLocation& kept_;
  size_t next_ = 0;  // in kept_.records
};

}  // namespace

Result<void> ForEachNamedOtf2Event(const LoadedInput& input, const VisitNamedEvent& visit) {
  for (uint32_t number = 0; number < input.processes.size(); ++number) {
    auto done = LocationNames(*input.archive, ProcessId(number)).Run(visit);
    if (!done) return done;
  }
  return {};
}

}  // namespace syncline
