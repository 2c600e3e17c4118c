#include "pipeline/convert/text_comments.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/try.h"
#include "read/text/text_reader.h"
#include "trace/formats.h"

namespace syncline {
namespace {

class CommentsOfText {
 public:
  CommentsOfText(const LoadedTraces& loaded, const LoadedInput& input, ExportedComments& comments)
      : loaded_(loaded), input_(input), comments_(comments) {}

  Result<void> Read() {
    SYNCLINE_ASSIGN(auto reader, TextReader::Open(input_.input.path));
    while (const TextLine* line = reader.NextLine()) {
      const bool is_alone = line->kind == TextLine::Kind::kEmpty;
      if (is_alone && !line->comment.empty()) above_.append(line->comment).append("\n");
      if (!is_alone && !(above_.empty() && line->comment.empty())) Place(*line, reader);
    }
    comments_.end += above_;
    return reader.error() ? tl::unexpected(*reader.error()) : Result<void>();
  }

 private:
  void Place(const TextLine& line, const TextReader& reader) {
    ExportedComment* place = PlaceOf(line, reader);
    if (place == nullptr) {
      if (!line.comment.empty()) above_.append(line.comment).append("\n");
      return;
    }
    place->above += std::exchange(above_, {});
    if (place->behind.empty()) {
      place->behind = line.comment;
    } else if (!line.comment.empty()) {
      place->above.append(line.comment).append("\n");
    }
  }

  // nullptr: what the line declares is not in the trace.
  ExportedComment* PlaceOf(const TextLine& line, const TextReader& reader) {
    switch (line.kind) {
      case TextLine::Kind::kEmpty: return nullptr;
      case TextLine::Kind::kClock:
        return OfClock(input_.input.is_named ? input_.input.name
                                             : reader.traces().clocks.back().name);
      case TextLine::Kind::kProcess:
        return &comments_.declarations["process " + reader.traces().processes.back().name];
      case TextLine::Kind::kGroup:
        return &comments_.declarations["group " + reader.traces().groups.back().name];
      case TextLine::Kind::kEvent: return OfEvent(reader);
    }
    return nullptr;
  }

  // Clocks without processes are left out.
  ExportedComment* OfClock(const std::string& name) {
    const auto& clocks = loaded_.traces.clocks;
    const bool is_known =
        std::ranges::any_of(clocks, [&](const Clock& clock) { return clock.name == name; });
    return is_known ? &comments_.declarations["clock " + name] : nullptr;
  }

  ExportedComment* OfEvent(const TextReader& reader) {
    const size_t number = reader.event().process.index();
    const size_t process = input_.processes[number].index();
    comments_.events.resize(std::max(comments_.events.size(), process + 1));
    return &comments_.events[process][input_.first_event[number] + reader.index()];
  }

  const LoadedTraces& loaded_;
  const LoadedInput& input_;
  ExportedComments& comments_;
  std::string above_;  // lines that belong to the next one
};

}  // namespace

Result<ExportedComments> ReadTextComments(const LoadedTraces& loaded) {
  ExportedComments comments;
  for (const LoadedInput& input : loaded.inputs) {
    if (input.input.format != Format::kText) continue;
    SYNCLINE_TRY(CommentsOfText(loaded, input, comments).Read());
  }
  return comments;
}

}  // namespace syncline
