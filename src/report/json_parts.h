// Parts of JSON that the summaries of several commands share. For the sources of this folder, and
// for commands that write figures of their own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/logical_protocol.h"
#include "report/summary.h"
#include "report/summary_parts.h"

namespace syncline {

using Json = nlohmann::ordered_json;

// What is not UTF-8 is replaced, and no control character stands in it as it is. In one line where
// `indent` is negative.
std::string JsonText(const Json& json, int indent = -1);

template <typename T>
Json OrNull(const T& value) {
  return value;
}
template <typename T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// SYNCLINE_FIELDS(x, a, b) is {"a", x.a}, {"b", x.b}: of members that have the names of their keys,
// which are a contract. What is not there is null.
#define SYNCLINE_FIELDS(object, ...) SYNCLINE_SCAN16(SYNCLINE_FIELD(object, __VA_ARGS__))
#define SYNCLINE_FIELD(object, name, ...)              \
  {#name, syncline::OrNull((object).name)} __VA_OPT__( \
      , SYNCLINE_REST SYNCLINE_PARENTHESES(object, __VA_ARGS__))
#define SYNCLINE_REST() SYNCLINE_FIELD
#define SYNCLINE_PARENTHESES ()
#define SYNCLINE_SCAN(...) __VA_ARGS__
#define SYNCLINE_SCAN4(...) SYNCLINE_SCAN(SYNCLINE_SCAN(SYNCLINE_SCAN(SYNCLINE_SCAN(__VA_ARGS__))))
#define SYNCLINE_SCAN16(...) \
  SYNCLINE_SCAN4(SYNCLINE_SCAN4(SYNCLINE_SCAN4(SYNCLINE_SCAN4(__VA_ARGS__))))

template <typename Range, typename ToJson>
Json ListJson(const Range& range, ToJson to_json) {
  Json list = Json::array();
  for (const auto& element : range) list.push_back(to_json(element));
  return list;
}

Json InputsJson(const std::vector<Summary::Input>& inputs);
Json BoundJson(const Summary::Bound& bound);
Json TruthJson(const Summary::Truth& truth);
Json DelayJson(const DelayFigures& figures);
Json RecordedMessagesJson(const SummaryMessages& messages);
// With what is known after correction.
Json CorrectedMessagesJson(const SummaryMessages& messages);
Json IntervalsJson(const SummaryIntervals& intervals);
Json ProtocolJson(const LogicalProtocol& protocol);
Json DiagnosticsJson(const Diagnostics& diagnostics);
Json TimingJson(const SummaryTiming& timing);

}  // namespace syncline
