// Reads a Chrome JSON file by ChromeReader, and the same by simdjson alone, and prints how long
// each took: least of several runs, of CPU time, because the program waits for nothing else.
//   chrome_read FILE.json [RUNS]
// simdjson has the whole file in memory, and either parses it into its document, or goes through
// it on demand and looks at every event's keys; reading the file counts for both.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>

#include <simdjson.h>

#include "read/chrome/chrome_reader.h"

namespace {

double LeastSeconds(int runs, const std::function<uint64_t()>& work, uint64_t& events) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < runs; ++i) {
    const std::clock_t begin = std::clock();
    events = work();
    const double s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    least = std::min(least, s);
  }
  return least;
}

uint64_t ByReader(const char* path) {
  auto reader = syncline::ChromeReader::Open(path);
  if (!reader) std::exit(2);
  uint64_t events = 0;
  while (reader->Next() != nullptr) ++events;
  if (reader->error()) {
    std::fprintf(stderr, "%s\n", reader->error()->ToString().c_str());
    std::exit(2);
  }
  return events;
}

uint64_t BySimdjson(const char* path) {
  simdjson::padded_string text;
  if (simdjson::padded_string::load(path).get(text)) std::exit(2);
  simdjson::dom::parser parser;
  simdjson::dom::element file;
  if (parser.parse(text).get(file)) std::exit(2);
  simdjson::dom::array events;
  if (file["traceEvents"].get(events)) std::exit(2);
  uint64_t count = 0;
  for (const auto event : events) count += event.is_object() ? 1 : 0;
  return count;
}

uint64_t OnDemand(const char* path) {
  namespace ondemand = simdjson::ondemand;
  simdjson::padded_string text;
  if (simdjson::padded_string::load(path).get(text)) std::exit(2);
  ondemand::parser parser;
  ondemand::document file;
  if (parser.iterate(text).get(file)) std::exit(2);
  ondemand::array events;
  if (file["traceEvents"].get_array().get(events)) std::exit(2);
  uint64_t times = 0;
  for (auto event : events) {
    ondemand::object object;
    if (event.get_object().get(object)) std::exit(2);
    for (auto field : object) {
      ondemand::raw_json_string key;
      if (field.key().get(key)) std::exit(2);
      times += key == "ts" ? 1 : 0;
    }
  }
  return times;
}

void Compare(const char* name, int runs, double own, const std::function<uint64_t()>& work) {
  uint64_t events = 0;
  const double theirs = LeastSeconds(runs, work, events);
  std::printf("%s %.3f s, %ju events; ratio %.2f\n", name, theirs, static_cast<uintmax_t>(events),
              own / theirs);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 1;
  const char* path = argv[1];
  const int runs = argc > 2 ? std::atoi(argv[2]) : 3;
  uint64_t events = 0;
  const double own = LeastSeconds(
      runs, [&] { return ByReader(path); }, events);
  std::printf("ChromeReader %.3f s, %ju events\n", own, static_cast<uintmax_t>(events));
  Compare("simdjson, on demand", runs, own, [&] { return OnDemand(path); });
  Compare("simdjson, document", runs, own, [&] { return BySimdjson(path); });
  return 0;
}
