// Long calls for Python: they run in a thread of their own, while the one that called tells
// progress and looks for signals, without the interpreter's lock. And what becomes of their
// failures.
//
// Requires the lock where a function is called. Tested by: python/test/captures_test.py.
#pragma once

#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <pybind11/pybind11.h>

#include "syncline/result.h"

namespace syncline {

namespace py = pybind11;

struct Failed {
  Error error;
};

template <typename T>
T Value(Result<T> result) {
  if (!result) throw Failed{std::move(result.error())};
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// Names and paths may be any bytes: those that are no UTF-8 come out as os.fsdecode has them.
inline py::str TextOf(std::string_view text) {
  PyObject* decoded =
      PyUnicode_DecodeUTF8(text.data(), static_cast<py::ssize_t>(text.size()), "surrogateescape");
  if (decoded == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(decoded);
}

template <typename Texts>
py::list TextsOf(const Texts& texts) {
  py::list all;
  for (const std::string& text : texts) all.append(TextOf(text));
  return all;
}

inline py::object PositionOf(const Error& error) {
  if (const auto* offset = std::get_if<ByteOffset>(&error.position)) return py::int_(offset->value);
  if (const auto* place = std::get_if<LineColumn>(&error.position)) {
    return py::make_tuple(place->line, place->column);
  }
  return py::none();
}

inline void Raise(const Error& error) {
  const py::module_ errors = py::module_::import("syncline._errors");
  const py::object raised =
      errors.attr("error_of")(static_cast<int>(error.code), TextOf(error.ToString()),
                              TextOf(error.message), TextOf(error.file), PositionOf(error));
  PyErr_SetObject(py::type::of(raised).ptr(), raised.ptr());
}

// What passes between the thread that works and the one that was called.
class Watch {
 public:
  explicit Watch(bool tells) : tells_(tells) {}

  // For the thread that works: waits until what it tells has been heard.
  bool Tell(const std::string& step, double share) {
    std::unique_lock lock(mutex_);
    if (!tells_ || !goes_on_) return goes_on_;
    told_.emplace(step, share);
    changed_.notify_all();
    changed_.wait(lock, [&] { return !told_ || !goes_on_; });
    return goes_on_;
  }
  void Finish() {
    const std::lock_guard lock(mutex_);
    is_finished_ = true;
    changed_.notify_all();
  }

  // For the other: what was told, or nothing after a moment without.
  std::optional<std::pair<std::string, double>> Hear() {
    constexpr std::chrono::milliseconds kMoment(50);
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kMoment, [&] { return told_ || is_finished_; });
    return told_;
  }
  void Answer(bool goes_on) {
    const std::lock_guard lock(mutex_);
    told_.reset();
    goes_on_ = goes_on_ && goes_on;
    changed_.notify_all();
  }
  bool is_finished() {
    const std::lock_guard lock(mutex_);
    return is_finished_;
  }

 private:
  const bool tells_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::pair<std::string, double>> told_;
  bool goes_on_ = true;
  bool is_finished_ = false;
};

// Hands what was told to Python, and lets signals raise what they do there.
inline void Pass(Watch& watch, const py::object& progress) {
  std::optional<std::pair<std::string, double>> told;
  {
    const py::gil_scoped_release released;
    told = watch.Hear();
  }
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  if (told) watch.Answer(!progress(TextOf(told->first), told->second).is(py::bool_(false)));
}

// What `work`, given a ProgressCallback, returns. An exception of `progress` or a signal cancels
// it.
template <typename Work>
auto Run(const py::object& progress, Work work) {
  Watch watch(!progress.is_none());
  auto future = std::async(std::launch::async, [&] {
    struct Finisher {
      Watch& watch;
      ~Finisher() { watch.Finish(); }
    } const finisher{watch};
    return work([&](const std::string& step, double share) { return watch.Tell(step, share); });
  });
  try {
    while (!watch.is_finished()) Pass(watch, progress);
  } catch (...) {
    watch.Answer(false);
    const py::gil_scoped_release released;
    future.wait();
    throw;
  }
  return Value(future.get());
}

}  // namespace syncline
