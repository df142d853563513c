// The report of a dispute that has ended, and the file of its certificate.
#pragma once

#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "proof/dispute/play.h"

namespace tally::cli {

// `verdict` is that of a referee, or empty; `output` a file for the certificate, or empty. Error: why the
// asserter has lost, where no certificate says so; those of files.
absl::Status ReportDispute(const PlayedDispute& played, const std::string& verdict, const std::string& output,
                           bool json, std::ostream& out);

}  // namespace tally::cli
