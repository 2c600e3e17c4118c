#include "scenario.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "random.h"

namespace syncline::sweep {
namespace {

[[noreturn]] void Refuse(std::string_view what, std::string_view text) {
  throw std::invalid_argument(std::string(what) + ", found '" + std::string(text) + "'");
}

// The number that `text` begins with, and the rest.
std::pair<double, std::string_view> Number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) Refuse("expected a number", text);
  return {value, text.substr(end - text.data())};
}

double Plain(std::string_view text) {
  const auto [value, rest] = Number(text);
  if (!rest.empty()) Refuse("expected a number", text);
  return value;
}

uint64_t Count(std::string_view text) {
  const double value = Plain(text);
  if (value < 0) Refuse("expected a count", text);
  return static_cast<uint64_t>(value);
}

int64_t Time(std::string_view text) {
  static const std::map<std::string_view, double> kUnits = {
      {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}};
  const auto [value, unit] = Number(text);
  const auto found = kUnits.find(unit);
  if (found == kUnits.end()) Refuse("expected a time in ns, us, ms, s, min or h", text);
  return static_cast<int64_t>(value * found->second);
}

// A time of the run: a share of its length, or with a unit.
int64_t When(std::string_view text, int64_t length_ns) {
  const auto [value, unit] = Number(text);
  if (!unit.empty()) return Time(text);
  return static_cast<int64_t>(value * static_cast<double>(length_ns));
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::pair<std::string_view, std::string_view> Halves(std::string_view text, char separator) {
  const size_t at = text.find(separator);
  if (at == std::string_view::npos) {
    Refuse(std::string("expected a '") + separator + "'", text);
  }
  return {text.substr(0, at), text.substr(at + 1)};
}

Interval TimesBetween(std::string_view text) {
  const auto [low, high] = Halves(text, ':');
  return {Time(low), Time(high)};
}

Daemon DaemonOf(Daemon::Kind kind, std::string_view text) {
  const auto parts = Split(text, '/');
  if (parts.size() != 3) Refuse("expected POLL/ERROR/SLEW_PPM", text);
  return {kind, Time(parts[0]), static_cast<double>(Time(parts[1])), Plain(parts[2])};
}

void AddPart(ClockModel& model, std::string_view part, int64_t length_ns) {
  const auto [key, value] = Halves(part, '=');
  const auto parts = Split(value, '/');
  const auto at = [&, text = value] { return Halves(text, '@'); };
  if (key == "offset") {
    model.offset_ns = static_cast<double>(Time(value));
  } else if (key == "drift") {
    model.drift_ppm = Plain(value);
  } else if (key == "walk" && parts.size() == 3) {
    model.walks.push_back({Plain(parts[0]), Time(parts[1]), Plain(parts[2])});
  } else if (key == "sine" && parts.size() == 2) {
    model.sines.push_back({Plain(parts[0]), Time(parts[1])});
  } else if (key == "warm") {
    const auto [rate, tau] = Halves(at().first, '/');
    model.warmings.push_back({Plain(rate), Time(tau), When(at().second, length_ns)});
  } else if (key == "ntp") {
    model.daemon = DaemonOf(Daemon::Kind::kNtp, value);
  } else if (key == "chrony") {
    model.daemon = DaemonOf(Daemon::Kind::kChrony, value);
  } else if (key == "step") {
    model.sets.push_back({When(at().second, length_ns), Time(at().first)});
  } else if (key == "sleep") {
    model.sleeps.push_back({When(at().second, length_ns), Time(at().first)});
  } else if (key == "hz") {
    model.ticks_per_second = static_cast<int64_t>(Count(value));
  } else {
    Refuse("expected a part of a clock", part);
  }
}

// `*`, a number or FIRST-LAST, and what is so.
void AddToClocks(Scenario& scenario, std::string_view text) {
  const auto [which, parts] = Halves(text, ':');
  size_t first = 0;
  size_t last = scenario.clocks - 1;
  if (which != "*") {
    const auto ends = Split(which, '-');
    first = Count(ends.front());
    last = Count(ends.back());
  }
  if (last >= scenario.clocks) Refuse("expected clocks of the run", which);
  for (size_t i = first; i <= last; ++i) {
    for (const std::string_view part : Split(parts, '+')) {
      AddPart(scenario.models[i], part, scenario.length_ns);
    }
  }
}

void SetTopology(Scenario& scenario, std::string_view text) {
  static const std::map<std::string_view, Scenario::Topology> kNames = {
      {"pair", Scenario::Topology::kPair},
      {"star", Scenario::Topology::kStar},
      {"ring", Scenario::Topology::kRing},
      {"mesh", Scenario::Topology::kMesh}};
  const auto found = kNames.find(text);
  if (found == kNames.end()) Refuse("expected pair, star, ring or mesh", text);
  scenario.topology = found->second;
}

void SetExtra(Scenario& scenario, std::string_view text) {
  const auto parts = Split(text, ':');
  if (parts[0] == "none") {
    scenario.extra = Scenario::Extra::kNone;
  } else if (parts[0] == "exp" && parts.size() == 2) {
    scenario.extra = Scenario::Extra::kExponential;
    scenario.extra_ns = static_cast<double>(Time(parts[1]));
  } else if (parts[0] == "pareto" && parts.size() == 3) {
    scenario.extra = Scenario::Extra::kPareto;
    scenario.extra_ns = static_cast<double>(Time(parts[1]));
    scenario.shape = Plain(parts[2]);
  } else {
    Refuse("expected none, exp:MEAN or pareto:SCALE:SHAPE", text);
  }
}

void SetQueues(Scenario& scenario, std::string_view text) {
  const auto parts = Split(text, ':');
  if (parts.size() != 3) Refuse("expected COUNT:PEAK:LENGTH", text);
  scenario.queues = Count(parts[0]);
  scenario.queue_peak_ns = Time(parts[1]);
  scenario.queue_length_ns = Time(parts[2]);
}

void SetLate(Scenario& scenario, std::string_view text) {
  const auto [share, most] = Halves(text, ':');
  scenario.late_share = Plain(share);
  scenario.late_ns = Time(most);
}

void AddSilence(Scenario& scenario, std::string_view text) {
  const auto [when, length] = Halves(text, ':');
  const int64_t begin = When(when, scenario.length_ns);
  scenario.silences.push_back({begin, begin + Time(length)});
}

bool SetNumber(Scenario& s, std::string_view name, std::string_view text) {
  if (name == "hub") {
    s.hub = Count(text);
    if (s.hub >= s.clocks) Refuse("expected a clock of the run", text);
  } else if (name == "neighbours") {
    s.neighbours = Count(text);
  } else if (name == "messages") {
    s.messages = Count(text);
  } else if (name == "one-way") {
    s.one_way = Plain(text);
  } else if (name == "wrong") {
    s.wrong_share = Plain(text);
  } else if (name == "wrap") {
    s.id_wrap = Count(text);
  } else if (name == "lost") {
    s.lost_share = Plain(text);
  } else {
    return false;
  }
  return true;
}

void SetOption(Scenario& s, std::string_view name, std::string_view text) {
  if (SetNumber(s, name, text)) return;
  if (name == "topology") {
    SetTopology(s, text);
  } else if (name == "least") {
    s.least_delay = TimesBetween(text);
  } else if (name == "extra") {
    SetExtra(s, text);
  } else if (name == "queues") {
    SetQueues(s, text);
  } else if (name == "late") {
    SetLate(s, text);
  } else if (name == "silence") {
    AddSilence(s, text);
  } else if (name == "clock") {
    AddToClocks(s, text);
  } else if (name == "out") {
    s.out_dir = text;
  } else {
    Refuse("expected an option", name);
  }
}

void DrawClocks(Scenario& scenario, int64_t offset_ns, double drift_ppm) {
  Random random(scenario.seed, 1);
  scenario.models.resize(scenario.clocks);
  for (ClockModel& model : scenario.models) {
    model.offset_ns = random.Between(-1, 1) * static_cast<double>(offset_ns);
    model.drift_ppm = random.Between(-drift_ppm, drift_ppm);
  }
}

}  // namespace

Scenario ParseScenario(const std::vector<std::string>& arguments) {
  Scenario scenario;
  int64_t offset_ns = kNsPerSecond;
  double drift_ppm = 50;
  // These first: the others refer to them.
  std::vector<std::pair<std::string_view, std::string_view>> rest;
  for (const std::string_view argument : arguments) {
    const auto [name, text] = Halves(argument, '=');
    if (name == "clocks") {
      scenario.clocks = Count(text);
    } else if (name == "length") {
      scenario.length_ns = Time(text);
    } else if (name == "seed") {
      scenario.seed = Count(text);
    } else if (name == "offset") {
      offset_ns = Time(text);
    } else if (name == "drift") {
      drift_ppm = Plain(text);
    } else {
      rest.emplace_back(name, text);
    }
  }
  if (scenario.clocks < 2) throw std::invalid_argument("expected two clocks or more");
  DrawClocks(scenario, offset_ns, drift_ppm);
  for (const auto& [name, text] : rest) SetOption(scenario, name, text);
  return scenario;
}

const char* Usage() {
  return R"(usage: clock_sweep out=FOLDER [NAME=VALUE ...]
Writes trace.txt (Syncline's text format) and truth.json of a simulated run. T is a time such as
2.5ms (ns, us, ms, s, min, h), WHEN a time or a share of the run's length.
  seed=1 length=10min clocks=2 topology=pair|star|ring|mesh neighbours=4 hub=0
  messages=10000 one-way=0.1      of these nobody answers
  least=50us:400us                least delay, drawn for each direction of each pair
  extra=none | exp:MEAN | pareto:SCALE:SHAPE      what each message takes longer
  queues=COUNT:PEAK:LENGTH        each builds up and drains in one direction
  silence=WHEN:T                  nobody sends; may be repeated
  offset=1s drift=50              clocks differ by up to ± these (ppm)
  late=SHARE:T wrong=SHARE        sends stamped up to T late; ids exchanged at the receiver
  wrap=N lost=SHARE               ids modulo N; sends and receives that are not recorded
  clock=WHICH:PART+PART...        WHICH is *, N or N-M; may be repeated; PART is one of
    offset=T drift=PPM            in place of what is drawn
    walk=PPM/T/LIMIT_PPM          the rate changes by a normal draw every T
    sine=PPM/PERIOD  warm=PPM/TAU@WHEN
    ntp=POLL/ERROR/SLEW_PPM  chrony=POLL/ERROR/SLEW_PPM
    step=T@WHEN sleep=T@WHEN hz=N
)";
}

}  // namespace syncline::sweep
