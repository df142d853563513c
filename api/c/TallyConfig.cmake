# find_package(Tally REQUIRED); target_link_libraries(node Tally::tally), or Tally::tally_static.
get_filename_component(_tally_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET Tally::tally)
  add_library(Tally::tally SHARED IMPORTED GLOBAL)
  set_target_properties(Tally::tally PROPERTIES
    IMPORTED_LOCATION "${_tally_prefix}/lib/libtally.so.1"
    IMPORTED_SONAME "libtally.so.1"
    INTERFACE_INCLUDE_DIRECTORIES "${_tally_prefix}/include/tally")
endif()
if(NOT TARGET Tally::tally_static AND EXISTS "${_tally_prefix}/lib/libtally.a")
  add_library(Tally::tally_static STATIC IMPORTED GLOBAL)
  set_target_properties(Tally::tally_static PROPERTIES
    IMPORTED_LOCATION "${_tally_prefix}/lib/libtally.a"
    INTERFACE_LINK_LIBRARIES "stdc++;m;pthread"
    INTERFACE_INCLUDE_DIRECTORIES "${_tally_prefix}/include/tally")
endif()
unset(_tally_prefix)
