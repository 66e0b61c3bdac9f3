# SPDX-License-Identifier: GPL-2.0-or-later
# Target Inih::inih (Debian: libinih-dev).
find_path(INIH_INCLUDE_DIR ini.h)
find_library(INIH_LIBRARY inih)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Inih REQUIRED_VARS INIH_LIBRARY INIH_INCLUDE_DIR
                                  REASON_FAILURE_MESSAGE "install libinih-dev")
if(Inih_FOUND AND NOT TARGET Inih::inih)
  add_library(Inih::inih UNKNOWN IMPORTED)
  set_target_properties(Inih::inih PROPERTIES IMPORTED_LOCATION "${INIH_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${INIH_INCLUDE_DIR}")
endif()
mark_as_advanced(INIH_INCLUDE_DIR INIH_LIBRARY)
