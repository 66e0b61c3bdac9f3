# SPDX-License-Identifier: GPL-2.0-or-later
# Debian's libp4est-dev, which holds libsc too, brings neither pkg-config nor CMake files. Set P4EST_ROOT for
# another installation. Targets: P4EST::p4est, P4EST::p8est (the same library), P4EST::sc.
find_path(P4EST_INCLUDE_DIR p4est.h)
find_path(SC_INCLUDE_DIR sc.h HINTS ${P4EST_INCLUDE_DIR})
find_library(P4EST_LIBRARY p4est)
find_library(SC_LIBRARY sc)
# Both must have been built with MPI.
include(CheckCSourceCompiles)
foreach(name IN ITEMS P4EST SC)
  if(${name}_INCLUDE_DIR)
    string(TOLOWER ${name} header)
    set(CMAKE_REQUIRED_INCLUDES ${${name}_INCLUDE_DIR})
    set(CMAKE_REQUIRED_QUIET ON)
    unset(${name}_HAS_MPI CACHE)
    check_c_source_compiles("#include <${header}_config.h>
#ifndef ${name}_ENABLE_MPI
#error built without MPI
#endif
int main(void) { return 0; }" ${name}_HAS_MPI)
    unset(CMAKE_REQUIRED_INCLUDES)
    unset(CMAKE_REQUIRED_QUIET)
    if(NOT ${name}_HAS_MPI)
      message(FATAL_ERROR "${header} in ${${name}_INCLUDE_DIR} was built without MPI. Build libsc and p4est again, with CMake "
                          "-DSC_ENABLE_MPI=ON and -DP4EST_ENABLE_MPI=ON, with configure --enable-mpi; docs/install.md has the "
                          "commands. P4EST_ROOT and CMAKE_PREFIX_PATH choose another installation.")
    endif()
  endif()
endforeach()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  P4EST REQUIRED_VARS P4EST_LIBRARY SC_LIBRARY P4EST_INCLUDE_DIR SC_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install libp4est-dev, or set P4EST_ROOT")
if(P4EST_FOUND AND NOT TARGET P4EST::p4est)
  foreach(name p4est p8est)
    add_library(P4EST::${name} UNKNOWN IMPORTED)
    set_target_properties(P4EST::${name} PROPERTIES IMPORTED_LOCATION "${P4EST_LIBRARY}"
                          INTERFACE_INCLUDE_DIRECTORIES "${P4EST_INCLUDE_DIR}")
  endforeach()
  add_library(P4EST::sc UNKNOWN IMPORTED)
  set_target_properties(P4EST::sc PROPERTIES IMPORTED_LOCATION "${SC_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${SC_INCLUDE_DIR}")
endif()
mark_as_advanced(P4EST_INCLUDE_DIR SC_INCLUDE_DIR P4EST_LIBRARY SC_LIBRARY)
