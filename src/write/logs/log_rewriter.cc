#include "write/logs/log_rewriter.h"

#include <string_view>

#include <fmt/format.h>

#include "base/try.h"

namespace syncline {
namespace {

size_t LengthWithoutEnd(std::string_view line) {
  size_t length = line.size();
  if (length > 0 && line[length - 1] == '\n') --length;
  if (length > 0 && line[length - 1] == '\r') --length;
  return length;
}

class LineRewriter {
 public:
  LineRewriter(const LogRewriting& rewriting, const std::string& name)
      : rewriting_(rewriting), name_(name) {}

  Result<void> Write(const LogLine& line, ByteSink& output) {
    if (!line.is_record) {
      if (line.is_header && !rewriting_.add_field.empty()) return WriteHeader(line, output);
      return output.Append(line.bytes);
    }
    const GlobalTime time = rewriting_.retime(line);
    if (time.ns < 0) {
      return Fail(ErrorCode::kUnsupported,
                  "a corrected time lies before 1970, which is not written", name_,
                  LineColumn{line.number, line.time_field.at + 1});
    }
    const LogField& field = line.time_field;
    const LogPrecision& precision = rewriting_.precisions[line.source];
    const bool varies = precision.least_decimals < precision.most_decimals;
    text_.clear();
    AppendLogTime(line.time, line.bytes.substr(field.at, field.length), time.ns,
                  precision.most_decimals,
                  varies ? precision.least_decimals : precision.most_decimals, text_);
    if (!rewriting_.add_field.empty()) {
      if (line.fields.back().is_there) {
        return Fail(ErrorCode::kUsage,
                    fmt::format("--add-field needs another name: there is a field {}",
                                rewriting_.add_field),
                    name_, LineColumn{line.number, 1});
      }
      return WriteBeside(line, output);
    }
    return output.Append(
        {line.bytes.substr(0, field.at), text_, line.bytes.substr(field.at + field.length)});
  }

 private:
  char SeparatorOf(const LogLine& line) const {
    return rewriting_.sources[line.source].form == LogForm::kTsv ? '\t' : ',';
  }

  Result<void> WriteHeader(const LogLine& line, ByteSink& output) const {
    const size_t length = LengthWithoutEnd(line.bytes);
    const std::string column = SeparatorOf(line) + rewriting_.add_field;
    return output.Append({line.bytes.substr(0, length), column, line.bytes.substr(length)});
  }

  Result<void> WriteBeside(const LogLine& line, ByteSink& output) const {
    const LogField& field = line.time_field;
    const std::string_view quote = field.is_quoted ? "\"" : "";
    switch (rewriting_.sources[line.source].form) {
      case LogForm::kJson: {
        const size_t behind = field.at + field.length + quote.size();
        const std::string member =
            fmt::format(",\"{}\":{}{}{}", rewriting_.add_field, quote, text_, quote);
        return output.Append({line.bytes.substr(0, behind), member, line.bytes.substr(behind)});
      }
      case LogForm::kCsv:
      case LogForm::kTsv: {
        const size_t length = LengthWithoutEnd(line.bytes);
        const std::string column = fmt::format("{}{}{}{}", SeparatorOf(line), quote, text_, quote);
        return output.Append({line.bytes.substr(0, length), column, line.bytes.substr(length)});
      }
      case LogForm::kText: break;
    }
    return Fail(ErrorCode::kUsage,
                "--add-field adds to JSON, CSV and TSV; here the time can only be replaced", name_,
                LineColumn{line.number, 1});
  }

  const LogRewriting& rewriting_;
  const std::string& name_;
  std::string text_;
};

}  // namespace

Result<void> RewriteLog(LogReader& reader, const std::string& name, const LogRewriting& rewriting,
                        ByteSink output) {
  LineRewriter rewriter(rewriting, name);
  while (const LogLine* line = reader.Next()) SYNCLINE_TRY(rewriter.Write(*line, output));
  if (reader.error()) return tl::unexpected(*reader.error());
  return output.Flush();
}

}  // namespace syncline
