// What the system refused, by the exception that says so.
#pragma once

#include <exception>
#include <new>
#include <optional>
#include <string>
#include <system_error>

namespace syncline {

// Memory or a thread; nothing of other exceptions.
inline std::optional<std::string> RefusalOf(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return "no memory is left";
  const auto* system = dynamic_cast<const std::system_error*>(&error);
  if (system != nullptr && system->code() == std::errc::resource_unavailable_try_again) {
    return "no thread can be started";
  }
  return std::nullopt;
}

}  // namespace syncline
