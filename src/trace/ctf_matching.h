// What events of CTF traces become messages: those that rules name, or, without any rule, the
// kernel's network events.
//
// Requires: all classes are bound, and all hosts named, before Begin(); then events; then Finish().
// Add() may be called in several threads; what is found does not depend on their order.
// Errors: temporary storage; kNoCorrection, with the reason, where the traces are all there is and
// make no message. Cost: events that nothing names cost nothing.
// Tested by: ctf_command_test.cc.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "syncline/message.h"
#include "syncline/result.h"

#include "match/rules/rule_matcher.h"
#include "match/stream_packet_matcher.h"
#include "read/ctf/ctf_child.h"
#include "trace/load.h"

namespace syncline {

// What the events of one class have to do with messages.
struct CtfBoundClass {
  RuleBinding binding;
  CtfRequest::Class request;
};

class CtfMatching {
 public:
  // Both outlive this.
  CtfMatching(std::span<const Rule> rules, LoadedTraces& loaded)
      : rules_(rules), loaded_(loaded), by_rule_(rules) {}

  // What classes have to be asked for.
  std::vector<std::string> Fields() const { return FieldsOfRules(rules_); }
  // By class.
  std::vector<CtfBoundClass> Bind(const CtfTraceInfo& info);
  void NameHost(ClockId clock, const std::string& name) { by_rule_.NameHost(clock, name); }
  // `streams`: the processes whose events will come.
  void Begin(std::span<const ProcessId> streams) { packets_.emplace(loaded_.traces, streams); }
  // Requires bound.request.is_wanted. Returns the bytes of the message, as far as a rule names
  // their field.
  Result<uint64_t> Add(const CtfBoundClass& bound, ProcessId process, const CtfWantedEvent& event);
  Result<void> Finish(MessageSink& sink);

 private:
  Result<uint64_t> FinishRules(MessageSink& sink);
  Result<uint64_t> FinishPackets(MessageSink& sink);
  Result<void> CheckNames() const;
  std::string WhyNoMessages() const;
  std::string EventNames() const;

  std::span<const Rule> rules_;
  LoadedTraces& loaded_;
  std::mutex mutex_;  // guards both matchers while events come
  RuleMatcher by_rule_;
  std::optional<StreamPacketMatcher> packets_;
  std::set<std::string> event_names_;
  bool has_wanted_ = false;
};

}  // namespace syncline
