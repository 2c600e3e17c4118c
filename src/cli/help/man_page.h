// Manual pages: roff with the macros of man(7), as mandoc and groff read it.
#pragma once

#include <string>
#include <string_view>

#include "cli/help/command_model.h"

namespace syncline {

// `version` as "1.2.3". Without the date: the same program gives the same page.
std::string ManPage(const CommandModel& program, const CommandModel& command,
                    std::string_view version);

}  // namespace syncline
