#include "trace/ctf_matching.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace syncline {
namespace {

RuleValue ToRuleValue(const FieldValue& value) {
  switch (value.kind) {
    case FieldValue::Kind::kSigned:
      return value.as_signed;
    case FieldValue::Kind::kUnsigned:
      return value.as_unsigned;
    case FieldValue::Kind::kReal:
      return value.as_real;
    case FieldValue::Kind::kText:
      return value.text;
    case FieldValue::Kind::kNone:
      break;
  }
  return std::monostate();
}

}  // namespace

std::vector<CtfBoundClass> CtfMatching::Bind(const CtfReader& reader) {
  std::vector<CtfBoundClass> classes;
  for (const CtfEventClass& event_class : reader.event_classes()) {
    event_names_.insert(event_class.name);
    const auto find = [&](std::string_view field) {
      return FieldPlace::Find(event_class.handle, field);
    };
    CtfBoundClass bound;
    bound.binding = BindRules(
        rules_, event_class.name, [&](std::string_view field) { return find(field).has_value(); },
        loaded_.diagnostics);
    for (const std::string& field : bound.binding.fields()) bound.places.push_back(*find(field));
    by_rule_.Note(bound.binding);
    if (rules_.empty() && IsKernelNetworkEvent(event_class.name)) {
      bound.packets = KernelPacketReader::For(event_class.handle);
    }
    has_wanted_ |= bound.IsWanted();
    classes.push_back(std::move(bound));
  }
  return classes;
}

Result<uint64_t> CtfMatching::Add(const CtfBoundClass& bound, ProcessId process,
                                  const CtfEvent& event) {
  if (bound.packets) {
    const KernelPacket packet = bound.packets->Read(event.handle);
    const std::lock_guard lock(mutex_);
    auto done = packets_->Add(process, packet.device, packet.At(event.index, event.time));
    if (!done) return tl::unexpected(done.error());
    return uint64_t{0};
  }
  thread_local std::vector<RuleValue> values;
  values.clear();
  for (const FieldPlace& place : bound.places) {
    values.push_back(ToRuleValue(place.Read(event.handle)));
  }
  const ClockId clock = loaded_.traces.processes[process.index()].clock;
  const std::lock_guard lock(mutex_);
  auto done = by_rule_.Add(bound.binding, values, {process, event.index, event.time}, clock);
  if (!done) return tl::unexpected(done.error());
  return bound.binding.Size(values);
}

Result<void> CtfMatching::Finish(MessageSink& sink) {
  auto messages = rules_.empty() ? FinishPackets(sink) : FinishRules(sink);
  if (!messages) return tl::unexpected(messages.error());
  // Findings are shown with results only; without any, this is the one place to say why.
  const bool is_all = std::all_of(loaded_.inputs.begin(), loaded_.inputs.end(),
                                  [](const auto& i) { return i.input.format == Format::kCtf; });
  if (!is_all) return {};
  if (loaded_.traces.clocks.size() < 2) return CheckNames();
  if (*messages > 0) return {};
  return Fail(ErrorCode::kNoCorrection, WhyNoMessages());
}

Result<uint64_t> CtfMatching::FinishRules(MessageSink& sink) {
  auto counts = by_rule_.Finish(sink, loaded_.diagnostics);
  if (!counts) return tl::unexpected(counts.error());
  uint64_t messages = 0;
  for (const RuleMatchCounts& rule : *counts) {
    messages += rule.messages + rule.broadcasts;
    loaded_.unmatched_sends += rule.unmatched_sends;
    loaded_.unmatched_receives += rule.unmatched_receives;
  }
  return messages;
}

Result<uint64_t> CtfMatching::FinishPackets(MessageSink& sink) {
  auto counts = packets_->Finish(sink, loaded_.diagnostics);
  if (!counts) return tl::unexpected(counts.error());
  for (const CaptureMatchCounts& device : counts->captures) {
    loaded_.unmatched_sends += device[PacketFate::kUnmatchedSend];
    loaded_.unmatched_receives += device[PacketFate::kUnmatchedReceive];
  }
  return counts->messages + counts->broadcasts;
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
      "no rule names events of the CTF traces with fields that they have. There "
      "are: {}",
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
