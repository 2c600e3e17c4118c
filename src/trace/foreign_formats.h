// Files that are known, but not read: what they are, and what to do instead.
//
// Asked after all formats that are read. Tested by: foreign_formats_test.cc, a test for each row.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace syncline {

// By a file's first bytes and its name: what follows the file's name in an error. Empty: not known.
std::string ForeignFormatAdvice(std::span<const std::byte> head, const std::string& path);

// The same of text in which JSON begins.
std::string ForeignJsonAdvice(std::span<const std::byte> head);

}  // namespace syncline
