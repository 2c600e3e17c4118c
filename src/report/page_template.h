// Files that the build embeds in the program. Generated: see CMakeLists.txt.
#pragma once

#include <string_view>

namespace syncline {

extern const std::string_view kPageTemplate;     // web/dist/report.html
extern const std::string_view kDiagnosticsPage;  // docs/diagnostics.md

}  // namespace syncline
