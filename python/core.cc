// The module behind the Python package: libsyncline's values, with numpy arrays in and out.
//
// syncline/__init__.py checks what users give and makes of this what they see. What takes long runs
// without the interpreter's lock. Failures become exceptions of syncline/_errors.py.
// Tested by: python/test/.
#include <unordered_map>
#include <utility>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "syncline/syncline.h"

#include "run.h"

namespace py = pybind11;

namespace syncline {
namespace {

using Integers = py::array_t<int64_t, py::array::c_style>;
// Readings and times are taken from and put into numpy's memory as they lie there.
static_assert(sizeof(LocalTime) == sizeof(int64_t) && sizeof(GlobalTime) == sizeof(int64_t));

std::span<const int64_t> SpanOf(const Integers& array) {
  return {array.data(), static_cast<size_t>(array.size())};
}
std::span<const LocalTime> ReadingsOf(const Integers& array) {
  return {reinterpret_cast<const LocalTime*>(array.data()), static_cast<size_t>(array.size())};
}
std::span<GlobalTime> TimesIn(Integers& array) {
  return {reinterpret_cast<GlobalTime*>(array.mutable_data()), static_cast<size_t>(array.size())};
}
Integers LikeShapeOf(const Integers& array) {
  return Integers(std::vector<py::ssize_t>(array.shape(), array.shape() + array.ndim()));
}

// An array that owns the vector's memory.
template <typename T>
py::array_t<T> ArrayOf(std::vector<T> values) {
  auto* kept = new std::vector<T>(std::move(values));
  const py::capsule owner(kept, [](void* p) { delete static_cast<std::vector<T>*>(p); });
  return py::array_t<T>(static_cast<py::ssize_t>(kept->size()), kept->data(), owner);
}

Traces LoadFiles(const std::vector<std::pair<std::string, std::string>>& files, int clock_per,
                 const std::string& clock_by, const std::vector<std::string>& match,
                 const py::object& progress) {
  std::vector<InputSpec> inputs;
  for (const auto& [path, clock] : files) inputs.push_back({path, clock});
  LoadOptions options{.clock_per = static_cast<LoadOptions::ClockPer>(clock_per),
                      .clock_by = clock_by,
                      .match = match};
  return Run(progress, [&](const ProgressCallback& tell) {
    options.progress = tell;
    return Load(inputs, options);
  });
}

struct Ends {
  Integers process, number, reading;

  EventRef operator[](size_t i) const {
    return {ProcessId(static_cast<uint32_t>(process.data()[i])),
            static_cast<uint64_t>(number.data()[i]),
            {reading.data()[i]}};
  }
};

// Each clock has one process. Requires arrays of one length.
Traces TakeMessages(const std::vector<std::tuple<std::string, int64_t, int64_t>>& clocks,
                    const Ends& sends, const Ends& receives, const py::object& progress) {
  TraceSet set;
  for (const auto& [name, ticks_per_second, offset_ticks] : clocks) {
    set.processes.push_back({name, "", ClockId(static_cast<uint32_t>(set.clocks.size()))});
    set.clocks.push_back(
        {.name = name,
         .ticks_per_second = ticks_per_second,
         .offset_ticks = offset_ticks,
         // FromMessages refuses those that do not tick.
         .reading_ns = ticks_per_second > 0 ? Clock::ReadingNs(ticks_per_second) : 0});
  }
  return Run(progress, [&](const ProgressCallback&) {
    std::vector<Message> messages;
    const size_t count = SpanOf(sends.process).size();
    messages.reserve(count);
    for (size_t i = 0; i < count; ++i) messages.push_back({sends[i], receives[i]});
    return FromMessages(std::move(set), messages);
  });
}

EstimateOptions OptionsOf(const py::dict& given) {
  EstimateOptions options;
  options.method = given["method"].cast<std::string>() == "joint"
                       ? EstimateOptions::Method::kJoint
                       : EstimateOptions::Method::kDriftBounded;
  options.max_drift_ppm = given["max_drift_ppm"].cast<std::optional<double>>();
  options.max_slew_ppm = given["max_slew_ppm"].cast<std::optional<double>>();
  options.max_wander_ppm = given["max_wander_ppm"].cast<std::optional<double>>();
  options.min_delay_ns = given["min_delay_ns"].cast<int64_t>();
  options.max_outliers = given["max_outliers"].cast<double>();
  options.reference = given["reference"].cast<std::string>();
  return options;
}

// The other arguments of Estimate's methods come from Python; this one is checked.
ClockId ClockOf(const Estimate& estimate, uint32_t clock) {
  if (clock >= estimate.clocks().size()) throw py::index_error("there is no such clock");
  return ClockId(clock);
}

py::list FiguresOf(const Estimate& estimate) {
  py::list all;
  for (uint32_t i = 0; i < estimate.clocks().size(); ++i) {
    const ClockFigures& clock = estimate.clocks()[i];
    py::dict figures;
    figures["name"] = TextOf(clock.name);
    figures["quality"] = TextOf(clock.quality);
    figures["reason"] = TextOf(clock.reason);
    figures["reference"] = TextOf(clock.reference);
    figures["drift_ppm"] = clock.drift_ppm;
    figures["offset_ns"] = clock.offset_ns;
    figures["worst_bound_ns"] = clock.worst_bound_ns;
    figures["epochs"] = estimate.EpochsOf(ClockId(i));
    all.append(figures);
  }
  return all;
}

Integers CorrectArray(const Estimate& estimate, uint32_t clock, const Integers& readings,
                      uint32_t epoch) {
  const ClockId id = ClockOf(estimate, clock);
  Integers times = LikeShapeOf(readings);
  const auto in = ReadingsOf(readings);
  const auto out = TimesIn(times);
  const py::gil_scoped_release released;
  estimate.Correct(id, in, out, epoch);
  return times;
}

std::pair<Integers, Integers> BoundArray(const Estimate& estimate, uint32_t clock,
                                         const Integers& readings, uint32_t epoch) {
  const ClockId id = ClockOf(estimate, clock);
  std::pair<Integers, Integers> both = {LikeShapeOf(readings), LikeShapeOf(readings)};
  const auto in = ReadingsOf(readings);
  const auto earliest = TimesIn(both.first);
  const auto latest = TimesIn(both.second);
  const py::gil_scoped_release released;
  estimate.Bounds(id, in, earliest, latest, epoch);
  return both;
}

Integers KnotsOf(const Estimate& estimate, uint32_t clock, uint32_t epoch) {
  const std::span<const Correction::Knot> knots =
      estimate.CorrectionOf(ClockOf(estimate, clock), epoch).knots();
  Integers array({static_cast<py::ssize_t>(knots.size()), py::ssize_t{2}});
  auto values = array.mutable_unchecked<2>();
  for (py::ssize_t i = 0; i < values.shape(0); ++i) {
    values(i, 0) = knots[static_cast<size_t>(i)].local.ticks;
    values(i, 1) = knots[static_cast<size_t>(i)].global.ns;
  }
  return array;
}

py::list StepsOf(const Estimate& estimate) {
  py::list steps;
  for (const ClockStep& step : estimate.steps()) {
    steps.append(
        py::make_tuple(step.clock.value, step.ahead_ns, step.after.ticks, step.before.ticks));
  }
  return steps;
}

// The columns of events, each with one value per event.
class EventColumns {
 public:
  EventColumns(const Estimate& estimate, const Corrected& corrected)
      : estimate_(estimate), corrected_(corrected) {}

  void Add(const Event& event, uint64_t number, std::string_view name) {
    const EventRef place{event.process, number, event.time};
    const Interval bounds = estimate_.Bounds(place);
    process_.push_back(static_cast<int32_t>(event.process.value));
    kind_.push_back(static_cast<int8_t>(event.kind));
    name_.push_back(NumberOf(name));
    number_.push_back(static_cast<int64_t>(number));
    reading_.push_back(event.time.ticks);
    time_.push_back(corrected_.TimeOf(place).ns);
    earliest_.push_back(bounds.earliest.value_or(kOpenBefore).ns);
    latest_.push_back(bounds.latest.value_or(kOpenAfter).ns);
  }

  py::dict Take() {
    py::dict columns;
    columns["process"] = ArrayOf(std::move(process_));
    columns["number"] = ArrayOf(std::move(number_));
    columns["kind"] = ArrayOf(std::move(kind_));
    columns["name"] = ArrayOf(std::move(name_));
    columns["reading"] = ArrayOf(std::move(reading_));
    columns["time"] = ArrayOf(std::move(time_));
    columns["earliest"] = ArrayOf(std::move(earliest_));
    columns["latest"] = ArrayOf(std::move(latest_));
    columns["names"] = TextsOf(names_);
    return columns;
  }

 private:
  int32_t NumberOf(std::string_view name) {
    const auto [found, is_new] =
        number_of_name_.try_emplace(std::string(name), static_cast<int32_t>(names_.size()));
    if (is_new) names_.emplace_back(name);
    return found->second;
  }

  const Estimate& estimate_;
  const Corrected& corrected_;
  std::vector<int32_t> process_, name_;
  std::vector<int8_t> kind_;
  std::vector<int64_t> number_, reading_, time_, earliest_, latest_;
  std::unordered_map<std::string, int32_t> number_of_name_;
  std::vector<std::string> names_;
};

py::dict EventsOf(const Traces& traces, const Estimate& estimate, const Corrected& corrected) {
  EventColumns columns(estimate, corrected);
  Run(py::none(), [&](const ProgressCallback&) {
    return traces.ForEachEvent([&](const Event& event, uint64_t number, std::string_view name) {
      columns.Add(event, number, name);
    });
  });
  return columns.Take();
}

struct EndColumns {
  std::vector<int32_t> process;
  std::vector<int64_t> number, reading, time;

  void Add(const EventRef& end, const Corrected* corrected) {
    process.push_back(static_cast<int32_t>(end.process.value));
    number.push_back(static_cast<int64_t>(end.index));
    reading.push_back(end.time.ticks);
    if (corrected != nullptr) time.push_back(corrected->TimeOf(end).ns);
  }
  void MoveTo(py::dict& columns, const std::string& process_name, const std::string& end) {
    columns[py::str(process_name)] = ArrayOf(std::move(process));
    columns[py::str(end + "_number")] = ArrayOf(std::move(number));
    columns[py::str(end)] = ArrayOf(std::move(reading));
    columns[py::str(end + "_time")] = ArrayOf(std::move(time));
  }
};

struct MessageColumns {
  EndColumns sends, receives;

  void Add(const Message& message, const Corrected& corrected) {
    sends.Add(message.send, &corrected);
    receives.Add(message.receive, &corrected);
  }
  py::dict Take() {
    py::dict columns;
    sends.MoveTo(columns, "sender", "sent");
    receives.MoveTo(columns, "receiver", "received");
    return columns;
  }
};

py::dict MessagesOf(const Traces& traces, const Corrected& corrected) {
  MessageColumns columns;
  Run(py::none(), [&](const ProgressCallback&) {
    return traces.ForEachMessage([&](const Message& message) { columns.Add(message, corrected); });
  });
  return columns.Take();
}

py::dict OutliersOf(const Estimate& estimate, const Corrected& corrected) {
  MessageColumns columns;
  for (const Message& message : estimate.outliers()) columns.Add(message, corrected);
  return columns.Take();
}

py::list ProcessesOf(const Traces& traces) {
  py::list processes;
  for (const Process& process : traces.processes()) {
    processes.append(py::make_tuple(TextOf(process.name), process.clock.value));
  }
  return processes;
}

void DefineSteps(py::module_& m) {
  m.def("load", &LoadFiles);
  m.def("take_messages",
        [](const std::vector<std::tuple<std::string, int64_t, int64_t>>& clocks,
           const std::tuple<Integers, Integers, Integers>& sends,
           const std::tuple<Integers, Integers, Integers>& receives, const py::object& progress) {
          const auto ends = [](const auto& columns) { return std::make_from_tuple<Ends>(columns); };
          return TakeMessages(clocks, ends(sends), ends(receives), progress);
        });
  m.def("estimate", [](const Traces& traces, const py::dict& given, const py::object& progress) {
    return Run(progress, [&, options = OptionsOf(given)](const ProgressCallback& tell) {
      if (!tell("estimating clocks", 0)) {
        return Result<Estimate>(Fail(ErrorCode::kCancelled, "cancelled"));
      }
      return EstimateClocks(traces, options);
    });
  });
  m.def("correct", [](const Traces& traces, const Estimate& estimate, int logical,
                      const py::object& progress) {
    return Run(progress, [&](const ProgressCallback& tell) {
      return Correct(
          traces, estimate,
          {.logical = static_cast<CorrectOptions::LogicalClock>(logical), .progress = tell});
    });
  });
  m.def("write", [](const Corrected& corrected, const std::string& folder,
                    const std::string& merged, const std::string& report, bool rewrites_events,
                    bool replaces_existing, const py::object& progress) {
    const Written written = Run(progress, [&](const ProgressCallback& tell) {
      return Write(corrected, {.folder = folder,
                               .merged = merged,
                               .report = report,
                               .rewrites_events = rewrites_events,
                               .replaces_existing = replaces_existing,
                               .progress = tell});
    });
    return py::make_tuple(TextsOf(written.files), TextOf(written.summary_json));
  });
  m.def("compare", [](const Traces& traces, const py::dict& given, const std::string& methods,
                      const py::object& progress) {
    const Compared compared =
        Run(progress, [&, options = OptionsOf(given)](const ProgressCallback& tell) {
          return Compare(traces, options, methods, tell);
        });
    return py::make_tuple(TextOf(compared.json), TextOf(compared.text), compared.holds);
  });
}

void DefineValues(py::module_& m) {
  py::class_<Traces>(m, "Traces")
      .def("processes", &ProcessesOf)
      .def("events", &EventsOf)
      .def("messages", &MessagesOf);
  py::class_<Estimate>(m, "Estimate")
      .def("figures", &FiguresOf)
      .def("reference", [](const Estimate& estimate) { return estimate.reference().value; })
      .def("correct", &CorrectArray)
      .def("bounds", &BoundArray)
      .def("knots", &KnotsOf)
      .def("steps", &StepsOf)
      .def("outliers", &OutliersOf);
  py::class_<Corrected>(m, "Corrected")
      .def("json", [](const Corrected& corrected) { return TextOf(corrected.ToJson()); })
      .def("text", [](const Corrected& corrected) { return TextOf(corrected.ToText()); })
      .def("holds", &Corrected::AllGuaranteesHold);
}

PYBIND11_MODULE(_core, m) {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Failed& failed) {
      Raise(failed.error);
    }
  });
  DefineValues(m);
  DefineSteps(m);
}

}  // namespace
}  // namespace syncline
