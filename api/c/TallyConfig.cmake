# find_package(Tally REQUIRED); target_link_libraries(node Tally::tally)
get_filename_component(_tally_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET Tally::tally)
  add_library(Tally::tally SHARED IMPORTED)
  set_target_properties(Tally::tally PROPERTIES
    IMPORTED_LOCATION "${_tally_prefix}/lib/libtally.so.1"
    IMPORTED_SONAME "libtally.so.1"
    INTERFACE_INCLUDE_DIRECTORIES "${_tally_prefix}/include/tally")
endif()
unset(_tally_prefix)
