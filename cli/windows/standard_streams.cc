#include "cli/standard_streams.h"

#include <fcntl.h>
#include <io.h>
#include <windows.h>
// After windows.h, on which it depends.
#include <shellapi.h>

#include <cstdio>
#include <iostream>

#include "base/error.h"
#include "cli/labels.h"

namespace tally::cli {
namespace {

std::string Utf8(const wchar_t* text) {
  const int size = WideCharToMultiByte(CP_UTF8, 0, text, -1, nullptr, 0, nullptr, nullptr);
  if (size <= 0) return "";
  std::string utf8(static_cast<size_t>(size), '\0');
  WideCharToMultiByte(CP_UTF8, 0, text, -1, utf8.data(), size, nullptr, nullptr);
  utf8.pop_back();  // the end of the text
  return utf8;
}

}  // namespace

// Files and pipes hold bytes, consoles UTF-8. Windows has no signals for streams that fail.
void PrepareStandardStreams() {
  for (std::FILE* stream : {stdin, stdout, stderr}) _setmode(_fileno(stream), _O_BINARY);
  SetConsoleOutputCP(CP_UTF8);
}

std::vector<std::string> Arguments(int argc, char** argv) {
  int count = 0;
  wchar_t** const wide = CommandLineToArgvW(GetCommandLineW(), &count);
  if (wide == nullptr) return {argv, argv + argc};
  std::vector<std::string> arguments;
  for (int i = 0; i < count; ++i) arguments.push_back(Utf8(wide[i]));
  LocalFree(wide);
  return arguments;
}

absl::Status FlushStandardOutput() {
  std::cout.flush();
  if (std::cout.good()) return absl::OkStatus();
  return MakeError(label::stdout_write, "standard output is full or closed");
}

}  // namespace tally::cli
