// Reads an archive of which one file has any bytes, pairs its messages, and holds reader and
// matcher to:
// - what cannot be read is an error with a file;
// - indices count from 0, and two passes see the same number of events;
// - numbered sends and receives pair without rest, as many as the survey said.
//
// Input: a byte that says which file (modulo 4: anchor, definitions, events and local definitions
// of location 0), and that file's content. libotf2 reads files only, so they are written to a
// folder of the process's own.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <unistd.h>

#include "base/check.h"
#include "match/collective_messages.h"
#include "match/mpi_matcher.h"
#include "match/named_matcher.h"
#include "match/testing/mpi_numbering.h"
#include "read/otf2/archive.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 4> kFiles = {"eztrace_log.otf2", "eztrace_log.def",
                                               "eztrace_log/0.evt", "eztrace_log/0.def"};

// A copy of the sample archive.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("syncline_otf2_fuzz_" + std::to_string(getpid()))) {
    Reset();
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }

  std::string path() const { return path_.string(); }
  void Write(const char* name, std::string_view content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
  }
  void Reset() const {
    fs::copy(SYNCLINE_SOURCE_DIR "/src/read/otf2/testdata/ring", path_,
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  }

 private:
  fs::path path_;
};

struct Counter : MessageSink {
  void OnMessage(const Message& message) override {
    SYNCLINE_CHECK(message.send.process != message.receive.process);
    ++messages;
  }
  void OnBroadcast(const Broadcast& /*broadcast*/) override {}
  uint64_t messages = 0;
};

// Calls `use` for every event of a location; how many there were, or none where opening fails.
template <typename Use>
uint64_t ForEachEvent(const Otf2Archive& archive, ProcessId process, Use use) {
  auto cursor = archive.OpenLocation(process);
  if (!cursor) {
    SYNCLINE_CHECK(!cursor.error().file.empty());
    return 0;
  }
  uint64_t count = 0;
  while (const Event* event = cursor->Next()) {
    SYNCLINE_CHECK(cursor->index() == count++);
    use(*event, cursor->operation(), cursor->index());
  }
  SYNCLINE_CHECK(!cursor->error() || !cursor->error()->file.empty());
  return count;
}

void CheckArchive(const Otf2Archive& archive) {
  const TraceSet& traces = archive.traces();
  MpiSurvey survey(traces);
  uint64_t surveyed = 0;
  for (uint32_t p = 0; p < traces.processes.size(); ++p) {
    surveyed += ForEachEvent(archive, ProcessId(p),
                             [&](const auto& event, const auto& operation, uint64_t index) {
                               survey.Add(event, operation, index);
                             });
  }
  Diagnostics diagnostics;
  const auto pairing = survey.Finish(diagnostics);
  Counter sink;
  NamedMatcher matcher(sink);
  Counter implied;
  CollectiveMessages collectives(traces.groups, archive.names(), implied);
  uint64_t numbered = 0;
  for (uint32_t p = 0; p < traces.processes.size(); ++p) {
    MpiNumbering numbering(pairing, ProcessId(p));
    numbered += ForEachEvent(archive, ProcessId(p),
                             [&](const auto& event, const auto& operation, uint64_t index) {
                               const Event result = numbering.Number(event, operation, index);
                               matcher.Add(result, index);
                               collectives.Add(result, index, operation.bytes_received);
                             });
  }
  SYNCLINE_CHECK(numbered == surveyed);
  const NamedMatchCounts counts = matcher.Finish(diagnostics);
  SYNCLINE_CHECK((counts == NamedMatchCounts{.matched = pairing->counts().messages}));
  SYNCLINE_CHECK(sink.messages == counts.matched);
  SYNCLINE_CHECK(collectives.Finish(diagnostics).incomplete == 0);
}

}  // namespace
}  // namespace syncline

// libotf2 3.0.2 leaks what it had allocated where opening an archive or a file fails.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" [[gnu::visibility("default")]] const char* __lsan_default_suppressions() {
  return "leak:libopen-trace-format2";
}

// libotf2 asks for as many bytes as a broken definition claims members, and copes with getting
// none.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" [[gnu::visibility("default")]] const char* __asan_default_options() {
  return "allocator_may_return_null=1";
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const syncline::Folder kFolder;
  if (size == 0) return 0;
  const char* name = syncline::kFiles[data[0] % syncline::kFiles.size()];
  kFolder.Write(name, {reinterpret_cast<const char*>(data + 1), size - 1});
  for (const auto times : {syncline::Otf2Times::kRecorded, syncline::Otf2Times::kArchive}) {
    const auto archive = syncline::Otf2Archive::Open(kFolder.path(), {.times = times});
    if (archive) {
      syncline::CheckArchive(*archive);
    } else {
      SYNCLINE_CHECK(!archive.error().file.empty());
    }
  }
  kFolder.Reset();
  return 0;
}
