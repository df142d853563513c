// Options of the servers of disputes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tally::server {

// A referee between an asserter and its challengers.
struct RefereeOptions {
  std::string asserter;              // its URL
  std::string key;                   // the file of its public key
  std::vector<std::string> modules;  // files of those that are judged for
  std::string state = "tally-referee.db";
  std::string token;      // a file with what the asserter wants to see; empty: nothing
  std::string authority;  // certificates that its TLS is checked with; empty: the system's
  std::string host = "127.0.0.1";
  int port = 8002;
  int64_t seconds = 600;     // for each party, in a whole dispute
  int64_t window_hours = 0;  // in which a receipt may be disputed; 0: for ever
};

// An asserter of one run.
struct AsserterOptions {
  std::string state = ":memory:";
  std::string host = "127.0.0.1";
  int port = 8000;
};

}  // namespace tally::server
