#include "trace/ctf_matching.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"

namespace syncline {
namespace {

RuleValue ToRuleValue(const FieldValue& value) {
  switch (value.kind()) {
    case FieldValue::Kind::kSigned: return value.as_signed();
    case FieldValue::Kind::kUnsigned: return value.as_unsigned();
    case FieldValue::Kind::kReal: return value.as_real();
    case FieldValue::Kind::kText: return value.text();
    case FieldValue::Kind::kNone: break;
  }
  return std::monostate();
}

}  // namespace

std::vector<CtfBoundClass> CtfMatching::Bind(const CtfTraceInfo& info) {
  std::vector<CtfBoundClass> classes;
  for (const CtfClassInfo& event_class : info.classes) {
    event_names_.insert(event_class.name);
    const auto has_field = [&](std::string_view field) {
      return std::ranges::find(event_class.fields, field) != event_class.fields.end();
    };
    CtfBoundClass bound;
    bound.binding = BindRules(rules_, event_class.name, has_field, loaded_.diagnostics);
    bound.request.fields.assign(bound.binding.fields().begin(), bound.binding.fields().end());
    by_rule_.Note(bound.binding);
    bound.request.packets = rules_.empty() && event_class.has_packets;
    bound.request.is_wanted = bound.request.packets || !bound.binding.empty();
    has_wanted_ |= bound.request.is_wanted;
    classes.push_back(std::move(bound));
  }
  return classes;
}

Result<uint64_t> CtfMatching::Add(const CtfBoundClass& bound, ProcessId process,
                                  const CtfWantedEvent& event) {
  if (bound.request.packets) {
    const KernelPacket& packet = event.packet;
    const std::lock_guard lock(mutex_);
    SYNCLINE_TRY(packets_->Add(process, packet.device, packet.At(event.index, event.time)));
    return uint64_t{0};
  }
  thread_local std::vector<RuleValue> values;
  values.clear();
  for (const FieldValue& value : event.values) values.push_back(ToRuleValue(value));
  if (bound.binding.LateNs(values) > 0) {
    return Fail(ErrorCode::kUnsupported, "rules with 'late' are for logs, and this is a CTF trace");
  }
  const ClockId clock = loaded_.traces.processes[process.index()].clock;
  const std::lock_guard lock(mutex_);
  SYNCLINE_TRY(by_rule_.Add(bound.binding, values, {process, event.index, event.time}, clock));
  return bound.binding.Size(values);
}

Result<void> CtfMatching::Finish(MessageSink& sink) {
  SYNCLINE_ASSIGN(auto messages, rules_.empty() ? FinishPackets(sink) : FinishRules(sink));
  // Findings are shown with results only; without any, this is the one place to say why.
  const bool is_all = std::ranges::all_of(
      loaded_.inputs, [](const auto& i) { return i.input.format == Format::kCtf; });
  if (!is_all) return {};
  if (loaded_.traces.clocks.size() < 2) return CheckNames();
  if (messages > 0) return {};
  return Fail(ErrorCode::kNoCorrection, WhyNoMessages());
}

Result<uint64_t> CtfMatching::FinishRules(MessageSink& sink) {
  SYNCLINE_ASSIGN(auto counts, by_rule_.Finish(sink, loaded_.diagnostics));
  uint64_t messages = 0;
  for (const RuleMatchCounts& rule : counts) {
    messages += rule.messages + rule.broadcasts;
    loaded_.unmatched_sends += rule.unmatched_sends;
    loaded_.unmatched_receives += rule.unmatched_receives;
  }
  return messages;
}

Result<uint64_t> CtfMatching::FinishPackets(MessageSink& sink) {
  SYNCLINE_ASSIGN(auto counts, packets_->Finish(sink, loaded_.diagnostics));
  for (const CaptureMatchCounts& device : counts.captures) {
    loaded_.unmatched_sends += device[PacketFate::kUnmatchedSend];
    loaded_.unmatched_receives += device[PacketFate::kUnmatchedReceive];
  }
  return counts.messages + counts.broadcasts;
}

// Why there is only one clock.
Result<void> CtfMatching::CheckNames() const {
  const auto& findings = loaded_.diagnostics.all();
  const auto finding = findings.find("one-name-for-hosts");
  if (finding == findings.end()) return {};
  return Fail(ErrorCode::kUsage,
              fmt::format("there is only one clock: the name {}", finding->second.example));
}

std::string CtfMatching::WhyNoMessages() const {
  if (event_names_.empty()) return "the CTF traces hold no events";
  if (has_wanted_) {
    const auto& findings = loaded_.diagnostics.all();
    const auto finding = findings.find("rule-without-messages");
    const bool is_found = finding != findings.end();
    return fmt::format("no events of the CTF traces make a message between hosts{}{}",
                       is_found ? ": " : "", is_found ? finding->second.example : "");
  }
  if (rules_.empty()) {
    return fmt::format(
        "the CTF traces hold no network events of the kernel; say by --match or --rules what "
        "events are messages. There are: {}",
        EventNames());
  }
  return fmt::format(
      "no rule names events of the CTF traces with fields that they have. There are: {}",
      EventNames());
}

std::string CtfMatching::EventNames() const {
  constexpr size_t kMost = 12;
  std::string names;
  size_t count = 0;
  for (const std::string& name : event_names_) {
    if (count++ == kMost) return fmt::format("{}, …", names);
    names += count == 1 ? name : fmt::format(", {}", name);
  }
  return names;
}

}  // namespace syncline
