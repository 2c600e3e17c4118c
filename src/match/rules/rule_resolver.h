// The events of one key → messages and broadcasts, or why there are none.
//
// What each kind of rule allows: rule_matcher.h. Cost: linear. Tested by: rule_matcher_test.cc.
#pragma once

#include <span>

#include "syncline/message.h"

#include "match/rules/rule.h"
#include "match/rules/rule_event_store.h"
#include "match/rules/rule_match_counts.h"

namespace syncline {

// Requires all events of one key, sorted. Enters each of them into `counts`, except into sends and
// receives.
void ResolveRuleEvents(RuleKind kind, std::span<const RuleEvent> events, MessageSink& sink,
                       RuleMatchCounts& counts);

}  // namespace syncline
