#include "match/mpi_record.h"

#include <utility>

namespace syncline {

std::vector<NumberedRecord> NumberRecords(std::shared_ptr<const MpiPairing> pairing,
                                          ProcessId process, std::vector<MpiRecord> records) {
  MpiNumbering numbering(std::move(pairing), process);
  std::vector<NumberedRecord> numbered;
  numbered.reserve(records.size());
  for (const MpiRecord& record : records) {
    const MpiOperation operation = record.operation();
    const Event event = numbering.Number(record.event(), operation, record.index());
    if (event.kind == EventKind::kMark) continue;
    numbered.emplace_back(event, record.index(), operation.bytes_received > 0);
  }
  return numbered;
}

}  // namespace syncline
