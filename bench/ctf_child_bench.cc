// What reading CTF traces in a process of its own costs beside reading them in the program's own.
//   ctf_child_bench [--runs N] [--fields NAME,...] TRACE...    folders that hold a file `metadata`
// Both ways keep the times of all events, and read the fields (id, src, dst) of those that have
// all of them. One after the other, in turn; processor time of all processes, and the time that
// passes, each the least of the runs.

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <sys/resource.h>

#include "base/stopwatch.h"
#include "base/try.h"
#include "read/ctf/ctf_child.h"

namespace syncline {
namespace {

using Fields = std::vector<std::string>;

// What was read; the sum is for both ways to agree on, and not to be left out.
struct Read {
  uint64_t events = 0;
  uint64_t wanted = 0;
  uint64_t sum = 0;

  void Add(std::span<const FieldValue> values) {
    ++wanted;
    for (const FieldValue& value : values) sum += value.as_unsigned();
  }
  friend bool operator==(const Read&, const Read&) = default;
};

Result<Read> ReadHere(const std::string& folder, const Fields& fields) {
  SYNCLINE_ASSIGN(const auto reader, CtfReader::Open(folder));
  std::vector<std::vector<FieldPlace>> places;
  for (const CtfEventClass& event_class : reader->event_classes()) {
    std::vector<FieldPlace> found;
    for (const std::string& field : fields) {
      if (auto place = FieldPlace::Find(event_class.handle, field)) found.push_back(*place);
    }
    places.push_back(found.size() == fields.size() ? found : std::vector<FieldPlace>());
  }
  Read read;
  for (const auto& stream : reader->streams()) {
    std::vector<LocalTime> times;
    std::vector<FieldValue> values;
    while (const CtfEvent* event = stream->Next()) {
      times.push_back(event->time);
      if (places[event->event_class].empty()) continue;
      values.clear();
      for (const FieldPlace& place : places[event->event_class]) {
        values.push_back(place.Read(event->handle));
      }
      read.Add(values);
    }
    if (stream->error()) return tl::unexpected(*stream->error());
    read.events += times.size();
  }
  return read;
}

Result<Read> ReadInChild(const std::string& folder, const Fields& fields) {
  SYNCLINE_ASSIGN(auto readable, ReadableFolder::Of(folder));
  const ReadableFolders folders = {std::move(readable)};
  SYNCLINE_ASSIGN(auto child, CtfChild::Start(folders, fields, CtfChildLimits(folders, 1)));
  SYNCLINE_ASSIGN(const CtfTraceInfo info, child.Describe());
  CtfRequest request;
  for (const CtfClock& clock : info.clocks) request.origins.push_back(clock.origin);
  for (const CtfClassInfo& of_class : info.classes) {
    const bool is_wanted = of_class.fields.size() == fields.size();
    request.classes.push_back({.is_wanted = is_wanted});
    if (is_wanted) request.classes.back().fields = fields;
  }
  child.BeginTrace(info, std::move(request));
  Read read;
  for (size_t i = 0; i < info.streams.size(); ++i) {
    std::vector<LocalTime> times;
    for (;;) {
      SYNCLINE_ASSIGN(CtfBatch* const batch, child.Next());
      if (batch == nullptr) break;
      times.insert(times.end(), batch->times().begin(), batch->times().end());
      while (const CtfWantedEvent* event = batch->NextWanted()) read.Add(event->values);
    }
    read.events += times.size();
  }
  return read;
}

double ProcessorSeconds() {
  double seconds = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    ::getrusage(who, &usage);
    for (const timeval& part : {usage.ru_utime, usage.ru_stime}) {
      seconds += static_cast<double>(part.tv_sec) + static_cast<double>(part.tv_usec) / 1e6;
    }
  }
  return seconds;
}

struct Way {
  const char* name;
  Result<Read> (*read)(const std::string& folder, const Fields& fields);
  double least_s = 1e9;  // of processors
  double least_wall_s = 1e9;
  Read all;
};

int Main(int argc, char** argv) {
  int runs = 7;
  Fields fields = {"id", "src", "dst"};
  std::vector<std::string> folders;
  CLI::App app;
  app.add_option("--runs", runs);
  app.add_option("--fields", fields)->delimiter(',')->allow_extra_args(false);
  app.add_option("TRACE", folders)->required();
  CLI11_PARSE(app, argc, argv);
  Way ways[] = {{"in process", ReadHere}, {"in a child", ReadInChild}};
  for (int run = 0; run < runs; ++run) {
    for (Way& way : ways) {
      way.all = {};
      const double begin = ProcessorSeconds();
      Stopwatch watch;
      for (const std::string& folder : folders) {
        const auto read = way.read(folder, fields);
        if (!read) {
          std::fprintf(stderr, "%s\n", read.error().ToString().c_str());
          return 2;
        }
        way.all.events += read->events;
        way.all.wanted += read->wanted;
        way.all.sum += read->sum;
      }
      way.least_s = std::min(way.least_s, ProcessorSeconds() - begin);
      way.least_wall_s = std::min(way.least_wall_s, watch.Restart());
    }
  }
  for (const Way& way : ways) {
    std::printf("%s  %.3f s of processors, %.0f ns per event; %.3f s passed\n", way.name,
                way.least_s, way.least_s * 1e9 / static_cast<double>(way.all.events),
                way.least_wall_s);
  }
  const auto more = [](double in_child, double here) { return 100 * (in_child / here - 1); };
  std::printf(
      "%lu events, %lu with fields; the child costs %.1f %%, of the time that passes %.1f %%\n",
      ways[0].all.events, ways[0].all.wanted, more(ways[1].least_s, ways[0].least_s),
      more(ways[1].least_wall_s, ways[0].least_wall_s));
  return ways[0].all == ways[1].all ? 0 : 2;
}

}  // namespace
}  // namespace syncline

int main(int argc, char** argv) { return syncline::Main(argc, argv); }
