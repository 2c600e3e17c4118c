// Reads any bytes as Chrome JSON, and holds reader and rewriter to:
// - what is read of JSON does not depend on the size of the window;
// - all bytes are handed on, in order, unless there is an error;
// - rewriting with the same times keeps every byte that is not of a time, and gives a file that
//   reads the same.

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <simdjson.h>

#include "base/check.h"
#include "read/chrome/chrome_reader.h"
#include "read/chrome/nccl_operation.h"
#include "write/chrome/chrome_rewriter.h"

namespace syncline {
namespace {

using Seen = std::tuple<uint64_t, char, uint32_t, uint64_t, int64_t, int64_t, uint8_t>;

struct ReadFile {
  std::vector<Seen> events;
  std::vector<std::string> names;
  std::string copy;
  bool has_error = false;
  int decimals = 0;
  bool is_finer = false;
  ChromeHeader header;
  Diagnostics diagnostics;
};

ReadFile Read(std::string_view text, size_t window, int64_t base_ns) {
  ChromeReader reader = ChromeReader::FromMemory(text, {.base_ns = base_ns, .window = window});
  ReadFile read;
  reader.SetOnBytes([&](uint64_t offset, std::string_view bytes) -> Result<void> {
    SYNCLINE_CHECK(offset == read.copy.size());
    read.copy += bytes;
    return {};
  });
  while (const ChromeEvent* e = reader.Next()) {
    read.events.emplace_back(e->offset, e->phase, e->track, e->index, e->begin.ticks, e->end.ticks,
                             e->instants);
    read.names.push_back(std::string(e->name.text));
    const bool has_escapes = e->time.size != e->time.text.size();
    SYNCLINE_CHECK(has_escapes || text.substr(e->time.offset, e->time.size) == e->time.text);
    SYNCLINE_CHECK(text.substr(e->offset).starts_with(reader.EventText()));
    ParseNcclArguments(e->args);
  }
  read.has_error = reader.error().has_value();
  SYNCLINE_CHECK(read.has_error || read.copy == text);
  read.decimals = reader.decimals();
  read.is_finer = reader.is_finer_than_ns();
  read.header = reader.header();
  read.diagnostics = reader.diagnostics();
  return read;
}

bool IsJson(std::string_view text) {
  simdjson::dom::parser parser;
  return parser.parse(text.data(), text.size()).error() == simdjson::SUCCESS;
}

void CheckEqual(const ReadFile& a, const ReadFile& b) {
  SYNCLINE_CHECK(a.has_error == b.has_error);
  // Where it ends with an error, how many events come before it is the window's matter.
  if (a.has_error) return;
  SYNCLINE_CHECK(a.events == b.events);
  SYNCLINE_CHECK(a.names == b.names);
  SYNCLINE_CHECK(a.header.base_ns == b.header.base_ns);
  SYNCLINE_CHECK(a.diagnostics.all().size() == b.diagnostics.all().size());
}

// Of the same base, and of times that can be written as they were read.
void CheckRewriting(std::string_view text, const ReadFile& read, int64_t base_ns) {
  std::string copy;
  const ChromeTimes times{
      .base_ns = base_ns,
      .decimals = read.decimals,
      .retime = [](uint32_t, uint64_t, LocalTime t) { return GlobalTime{t.ticks}; },
      .plain = [](LocalTime t) { return std::optional(GlobalTime{t.ticks}); }};
  const auto done = RewriteChrome(ChromeReader::FromMemory(text, {.base_ns = base_ns}), times,
                                  ByteSink([&](std::string_view bytes) -> Result<void> {
                                    copy += bytes;
                                    return {};
                                  }));
  SYNCLINE_CHECK(done.has_value() != read.has_error);
  if (read.has_error) return;
  const ReadFile again = Read(copy, JsonWindow::kBytes, base_ns);
  SYNCLINE_CHECK(!again.has_error);
  SYNCLINE_CHECK(again.events.size() == read.events.size());
  for (size_t i = 0; i < read.events.size(); ++i) {
    SYNCLINE_CHECK(std::get<4>(again.events[i]) == std::get<4>(read.events[i]));
    SYNCLINE_CHECK(std::get<5>(again.events[i]) == std::get<5>(read.events[i]));
  }
}

}  // namespace
}  // namespace syncline

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const syncline::ReadFile first = syncline::Read(text, syncline::JsonWindow::kBytes, 0);
  const syncline::ReadFile again = syncline::Read(text, 1 + size % 29, 0);
  if (syncline::IsJson(text)) syncline::CheckEqual(first, again);
  const bool is_of_one_base = !first.header.is_base_late;
  const int64_t base_ns = is_of_one_base ? first.header.base_ns.value_or(0) : 0;
  if (is_of_one_base) syncline::CheckRewriting(text, first, base_ns);
  return 0;
}
