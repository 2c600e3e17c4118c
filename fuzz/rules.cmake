syncline_fuzz_target(rules_fuzz SOURCES rules_fuzz.cc CORPUS rules LINK syncline_match_rules)
