// CTF traces whose stream file holds any bytes, under the metadata of an LTTng-UST trace.
//
// Reading ends at the end or with an error, never otherwise, and gives the same twice.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

#include "base/check.h"
#include "read/ctf/ctf_reader.h"
#include "read/ctf/field_value.h"
#include "read/ctf/testing/field_names.h"

namespace {

namespace fs = std::filesystem;
using syncline::CtfEvent;
using syncline::CtfReader;
using syncline::FieldPlace;

// In memory where the system has such a place.
class TraceFolder {
 public:
  TraceFolder() {
    const fs::path parent = fs::is_directory("/dev/shm") ? "/dev/shm" : fs::temp_directory_path();
    path_ = parent / ("syncline-ctf-fuzz-" + std::to_string(::getpid()));
    fs::create_directories(path_);
    fs::copy_file(std::string(SYNCLINE_SOURCE_DIR) + "/src/read/ctf/testdata/rates/hostA/metadata",
                  path_ / "metadata", fs::copy_options::overwrite_existing);
  }
  ~TraceFolder() { fs::remove_all(path_); }
  TraceFolder(const TraceFolder&) = delete;
  TraceFolder& operator=(const TraceFolder&) = delete;

  std::string With(const uint8_t* data, size_t size) const {
    std::ofstream file(path_ / "ch_0", std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    return path_.string();
  }

 private:
  fs::path path_;
};

// What was read, in numbers; the last one says whether it ended with an error.
std::vector<uint64_t> Read(const std::string& folder) {
  auto reader = CtfReader::Open(folder);
  if (!reader) return {1};
  std::vector<std::vector<FieldPlace>> places;
  for (const auto& event_class : (*reader)->event_classes()) {
    places.emplace_back();
    for (const std::string& name : syncline::FieldNames(event_class.handle)) {
      places.back().push_back(*FieldPlace::Find(event_class.handle, name));
    }
  }
  std::vector<uint64_t> read;
  uint64_t errors = 0;
  for (const auto& stream : (*reader)->streams()) {
    while (const CtfEvent* event = stream->Next()) {
      read.push_back(event->cycles);
      for (const FieldPlace& place : places.at(event->event_class)) {
        const syncline::FieldValue value = place.Read(event->handle);
        read.push_back(value.text().empty() ? value.as_unsigned() : value.text().size());
      }
    }
    errors += stream->error() ? 1 : 0;
    SYNCLINE_CHECK(stream->Next() == nullptr);
  }
  read.push_back(errors);
  return read;
}

}  // namespace

// libbabeltrace2 2.0.4 leaks a little where a trace or an event cannot be read; whole call stacks
// tell it.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" [[gnu::visibility("default")]] const char* __asan_default_options() {
  return "fast_unwind_on_malloc=0";
}
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" [[gnu::visibility("default")]] const char* __lsan_default_suppressions() {
  return "leak:babeltrace-plugin-ctf";
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const TraceFolder kFolder;
  const std::string path = kFolder.With(data, size);
  SYNCLINE_CHECK(Read(path) == Read(path));
  return 0;
}
