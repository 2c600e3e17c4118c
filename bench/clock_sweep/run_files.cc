#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "recording.h"

namespace syncline::sweep {
namespace {

// After 2^53 ns, as times since the epoch are, and with room for clocks that are behind.
constexpr int64_t kStartNs = 1'750'000'000 * kNsPerSecond;
// Late stamps come after the end.
constexpr int64_t kAfterNs = 10 * kNsPerSecond;

class TextFile {
 public:
  explicit TextFile(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "w")) {
    if (!file_) throw std::runtime_error("cannot write " + path);
  }
  template <typename... Values>
  void Print(const char* format, Values... values) {
    std::fprintf(file_.get(), format, values...);
  }
  void Close() {
    const bool failed = std::ferror(file_.get()) != 0;
    if (std::fclose(file_.release()) != 0 || failed) {
      throw std::runtime_error("cannot write " + path_);
    }
  }

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Closer> file_;
};

using Long = long long;
using Unsigned = unsigned long long;

void WriteTrace(const std::string& path, const std::vector<TrueClock>& clocks,
                const Recording& recording) {
  TextFile file(path);
  for (size_t i = 0; i < clocks.size(); ++i) {
    file.Print("clock c%zu %lld\nprocess p%zu c%zu\n", i, Long{clocks[i].ticks_per_second}, i, i);
  }
  for (const RecordedEvent& e : recording.events) {
    file.Print("%lld p%u %s p%u %llu\n", Long{clocks[e.process].Ticks(e.stamped_ns)}, e.process,
               e.is_send ? "send" : "recv", e.peer, Unsigned{e.id});
  }
  file.Close();
}

// As a JSON string; the arguments hold no control characters.
std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

void WriteClocks(TextFile& file, const std::vector<TrueClock>& clocks) {
  file.Print("{\n\"clocks\": {");
  for (size_t i = 0; i < clocks.size(); ++i) {
    file.Print("%s\n\"c%zu\": [", i == 0 ? "" : ",", i);
    const auto& knots = clocks[i].knots;
    for (size_t k = 0; k < knots.size(); ++k) {
      file.Print("%s[%lld,%lld]", k == 0 ? "" : ",", Long{knots[k].local_ns},
                 Long{knots[k].true_ns});
    }
    file.Print("]");
  }
  file.Print("\n},\n");
}

// By clock: between how many of its events it was set, or slept; of clock 0, whose time is that of
// all, between how many of all events.
std::vector<size_t> SeenJumps(const std::vector<TrueClock>& clocks, const Recording& recording) {
  std::vector<size_t> jumps(clocks.size());
  std::vector<size_t> next(clocks.size());  // knot
  std::vector<bool> has_event(clocks.size());
  const auto pass = [&](size_t clock, int64_t stamped_ns) {
    bool is_set = false;
    const auto& knots = clocks[clock].knots;
    for (size_t& k = next[clock]; k < knots.size() && knots[k].true_ns < stamped_ns; ++k) {
      is_set = is_set || knots[k].is_jump;
    }
    jumps[clock] += is_set && has_event[clock] ? 1 : 0;
    has_event[clock] = true;
  };
  for (const RecordedEvent& e : recording.events) {  // in order of true time
    pass(0, e.stamped_ns);
    if (e.process != 0) pass(e.process, e.stamped_ns);
  }
  return jumps;
}

// What the run was like: `greatest_rate_ppm` is the limit of rates that holds between jumps, and
// what is wrong in the data.
void WriteAbout(TextFile& file, const std::vector<std::string>& arguments,
                const std::vector<TrueClock>& clocks, const Traffic& traffic,
                const Recording& recording) {
  double greatest = 0;
  file.Print("\"about\": {\n\"arguments\": [");
  for (size_t i = 0; i < arguments.size(); ++i) {
    file.Print("%s%s", i == 0 ? "" : ", ", Quoted(arguments[i]).c_str());
  }
  file.Print("],\n\"rates_ppm\": {");
  for (size_t i = 0; i < clocks.size(); ++i) {
    const RateRange range = RatesAgainst(clocks.front(), clocks[i]);
    greatest = std::max({greatest, range.greatest_ppm, -range.least_ppm});
    file.Print("%s\n\"c%zu\": [%.6f, %.6f]", i == 0 ? "" : ",", i, range.least_ppm,
               range.greatest_ppm);
  }
  file.Print("\n},\n\"least_delay_ns\": {");
  const char* separator = "";
  for (const auto& [way, least_ns] : traffic.least_delay_ns) {
    file.Print("%s\n\"p%u p%u\": %lld", separator, way.first, way.second, Long{least_ns});
    separator = ",";
  }
  file.Print("\n},\n\"jumps\": {");
  const std::vector<size_t> jumps = SeenJumps(clocks, recording);
  separator = "";
  for (size_t i = 0; i < jumps.size(); ++i) {
    if (jumps[i] == 0) continue;
    file.Print("%s\n\"c%zu\": %zu", separator, i, jumps[i]);
    separator = ",";
  }
  file.Print("\n},\n\"greatest_rate_ppm\": %.6f,\n\"messages\": %llu,\n", greatest,
             Unsigned{recording.messages});
  file.Print("\"wrong\": %llu,\n\"late\": %llu,\n\"lost_records\": %llu\n}\n}\n",
             Unsigned{recording.wrong}, Unsigned{recording.late}, Unsigned{recording.lost_records});
}

}  // namespace

void WriteRun(const Scenario& scenario, const std::vector<std::string>& arguments,
              const std::vector<TrueClock>& clocks, const Traffic& traffic,
              const Recording& recording) {
  std::filesystem::create_directories(scenario.out_dir);
  WriteTrace(scenario.out_dir + "/trace.txt", clocks, recording);
  TextFile truth(scenario.out_dir + "/truth.json");
  WriteClocks(truth, clocks);
  WriteAbout(truth, arguments, clocks, traffic, recording);
  truth.Close();
}

void MakeRun(const std::vector<std::string>& arguments) {
  const Scenario scenario = ParseScenario(arguments);
  if (scenario.out_dir.empty()) throw std::invalid_argument("expected out=FOLDER");
  std::vector<TrueClock> clocks;
  for (size_t i = 0; i < scenario.clocks; ++i) {
    clocks.push_back(MakeClock(scenario.models[i], kStartNs,
                               kStartNs + scenario.length_ns + kAfterNs + scenario.late_ns,
                               Random(scenario.seed, 100 + i)));
  }
  const Traffic traffic = MakeTraffic(scenario, clocks, kStartNs);
  WriteRun(scenario, arguments, clocks, traffic, Record(scenario, traffic, clocks));
}

}  // namespace syncline::sweep
