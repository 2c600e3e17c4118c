#include "pipeline/filter/filter_input.h"

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/try.h"

namespace syncline {
namespace {

Result<size_t> ReadPausing(InputFile& file, StreamListener& listener, std::span<std::byte> to) {
  auto ready = file.WaitForBytes(0);
  while (ready && !*ready) {
    SYNCLINE_ASSIGN(const auto at_most_ms, listener.OnPause());
    ready = file.WaitForBytes(at_most_ms);
  }
  if (!ready) return tl::unexpected(ready.error());
  auto bytes = file.ReadSome(to);
  listener.OnBytes();
  return bytes;
}

}  // namespace

TextReader ReadAsItComes(InputFile file, StreamListener& listener) {
  if (file.is_regular()) return TextReader::FromFile(std::move(file));
  const std::string name = file.path();
  auto shared = std::make_shared<InputFile>(std::move(file));
  const auto read = [shared, &listener](std::span<std::byte> to) {
    return ReadPausing(*shared, listener, to);
  };
  return TextReader::FromStream(read, name);
}

}  // namespace syncline
