#include "measure/truth.h"

#include <algorithm>
#include <cmath>

#include <simdjson.h>

#include "base/file.h"

namespace syncline {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

tl::unexpected<Error> Bad(const std::string& path, const std::string& what) {
  return Fail(ErrorCode::kMalformed, "not a truth file: " + what, path);
}

Result<Correction> ReadClock(const std::string& path, const std::string& name,
                             const element& points) {
  array list;
  if (points.get(list) != simdjson::SUCCESS) {
    return Bad(path, "clock " + name + " is not a list of [local_ns, true_ns]");
  }
  std::vector<Correction::Knot> knots;
  for (const element point : list) {
    array pair;
    int64_t local = 0;
    int64_t truth = 0;
    if (point.get(pair) != simdjson::SUCCESS || pair.size() != 2 ||
        pair.at(0).get(local) != simdjson::SUCCESS || pair.at(1).get(truth) != simdjson::SUCCESS) {
      return Bad(path, "a point of clock " + name + " is not a pair of integers");
    }
    knots.push_back({{local}, {truth}});
  }
  auto clock = Correction::FromKnots(std::move(knots));
  if (!clock)
    return Bad(path, "clock " + name + " needs two points or more that increase strictly");
  return clock;
}

}  // namespace

Result<Truth> ReadTruth(const std::string& path) {
  auto text = ReadWholeFile(path);
  if (!text) return tl::unexpected(text.error());
  simdjson::dom::parser parser;
  element document;
  object clocks;
  if (const auto error = parser.parse(*text).get(document)) {
    return Bad(path, simdjson::error_message(error));
  }
  if (document["clocks"].get(clocks) != simdjson::SUCCESS) return Bad(path, "no object \"clocks\"");
  Truth truth;
  for (const auto& [key, points] : clocks) {
    const std::string name(key);
    auto clock = ReadClock(path, name, points);
    if (!clock) return tl::unexpected(clock.error());
    truth.clocks.emplace(name, *clock);
  }
  return truth;
}

void TrueError::Add(Duration error) {
  ++events_;
  max_ns_ = std::max(max_ns_, std::abs(error.ns));
  sum_of_squares_ += static_cast<double>(error.ns) * static_cast<double>(error.ns);
}

void TrueError::Merge(const TrueError& other) {
  events_ += other.events_;
  max_ns_ = std::max(max_ns_, other.max_ns_);
  sum_of_squares_ += other.sum_of_squares_;
  outside_bound_ += other.outside_bound_;
}

double TrueError::rms_ns() const {
  return events_ == 0 ? 0 : std::sqrt(sum_of_squares_ / static_cast<double>(events_));
}

}  // namespace syncline
