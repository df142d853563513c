# For CMake's FetchContent, with the archive of a release (docs/guides/embed.md): Tally::tally, Tally::tally_static.
cmake_minimum_required(VERSION 3.18)
project(tally_release LANGUAGES NONE)
include(lib/cmake/Tally/TallyConfig.cmake)
