# Builds packages with CPack: an archive and, on Debian, four packages, one for each component of
# install.cmake.
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR "simhash developers")
# The maintainer is the person who builds the package, named as for Debian's tools. Nobody has an
# address in the domain "invalid" (RFC 2606).
set(packager "simhash developers <developers@simhash.invalid>")
if(DEFINED ENV{DEBFULLNAME} AND "$ENV{DEBEMAIL}" MATCHES "^[^<> ]+@[^<> ]+$")
  set(packager "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(CPACK_PACKAGE_CONTACT "${packager}" CACHE STRING "Who makes the packages: NAME <ADDRESS>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "finds files that are nearly the same")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_FILE_NAME
    ${PROJECT_NAME}-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
# Independent of the umask of the user who builds the package.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
    GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_GENERATOR TGZ)
set(CPACK_COMPONENTS_ALL programs library development python)
set(CPACK_COMPONENTS_GROUPING IGNORE)

# Without dpkg-shlibdeps, CPack makes a package without dependencies; without file, it makes none. A
# package for another machine would get the architecture of this one.
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
find_program(FILE_PROGRAM file)
mark_as_advanced(DPKG_SHLIBDEPS FILE_PROGRAM)
if(DPKG_SHLIBDEPS AND FILE_PROGRAM AND NOT CMAKE_CROSSCOMPILING)
  list(APPEND CPACK_GENERATOR DEB)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

# The first line of a description is the package's summary; debian_after.cmake moves it to its
# place. debian_package(COMPONENT NAME SECTION SUMMARY DESCRIPTION [FIELD VALUE]...)
macro(debian_package component name section summary description)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${description}")
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}\n${description}")
  set(debian_fields ${ARGN})
  while(debian_fields)
    list(POP_FRONT debian_fields field value)
    set(CPACK_DEBIAN_${upper}_${field} "${value}")
  endwhile()
endmacro()

# Debian has a package called simhash with other software and a program of the same name. With the
# same package name, dpkg and apt would treat the two as versions of each other, and upgrade one to
# the other. So this package has another name. It conflicts with Debian's package, whose files it
# would overwrite, and replaces it when apt or dpkg installs it.
set(debian_main simhash-similarity)
# dpkg-shlibdeps does not see libraries that are loaded when they are needed.
set(debian_recommends "")
foreach(file IN LISTS image_file ewf_file mail_file)
  execute_process(COMMAND dpkg -S ${file} OUTPUT_VARIABLE owner ERROR_QUIET)
  if(owner MATCHES "^([^:, ]+)")
    list(APPEND debian_recommends ${CMAKE_MATCH_1})
  endif()
endforeach()
list(JOIN debian_recommends ", " debian_recommends)
set(debian_library libsimhash${simhash_soversion})
debian_package(programs ${debian_main} utils "find files that are nearly the same"
"simhash indexes files by keys that are close where contents are similar.
simfind lists the pairs and groups of identical and of similar files, also
where pieces were changed, inserted, removed or moved. The index is an SQLite
file, or a MySQL or MariaDB database that many hosts share.
simkeep removes copies or replaces them by links, and can undo that."
  PACKAGE_SHLIBDEPS ON PACKAGE_RECOMMENDS "${debian_recommends}" PACKAGE_CONFLICTS simhash PACKAGE_REPLACES simhash)
debian_package(library ${debian_library} libs "find files that are nearly the same - libraries"
"libsimhash computes sum tables, keys and sketches of contents, by which
similar files are found. libsimhash-index reads the index of the program
simhash, and finds the similar files in it."
  PACKAGE_SHLIBDEPS ON PACKAGE_RECOMMENDS "${debian_recommends}")
# A program that links the static libraries needs the libraries that they use, and pkg-config
# requires them.
set(debian_needs "${debian_library} (= ${PROJECT_VERSION})" zlib1g-dev libsqlite3-dev libxxhash-dev libunistring-dev)
if(mysql_target)
  if(mysql_module STREQUAL "mysqlclient")
    list(APPEND debian_needs "default-libmysqlclient-dev")
  else()
    list(APPEND debian_needs "libmariadb-dev | default-libmysqlclient-dev")
  endif()
endif()
if(archive_target)
  list(APPEND debian_needs libarchive-dev)
endif()
if(document_target)
  list(APPEND debian_needs libexpat1-dev)
endif()
if(sandbox_target)
  list(APPEND debian_needs libseccomp-dev)
endif()
if(nettle_target)
  list(APPEND debian_needs nettle-dev)
endif()
list(JOIN debian_needs ", " debian_needs)
debian_package(development libsimhash-dev libdevel "find files that are nearly the same - development files"
"Headers, static libraries, and what finds them by pkg-config and CMake, to
build programs that compute similarity of files or read an index of simhash."
  PACKAGE_DEPENDS "${debian_needs}")
debian_package(python python3-simhash python "find files that are nearly the same - Python 3"
"The module simhash computes sum tables, keys and sketches of contents, and
finds the similar files in an index of the program simhash."
  PACKAGE_DEPENDS "${debian_library} (= ${PROJECT_VERSION}), python3:any" PACKAGE_SUGGESTS python3-numpy
  PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")

set(AT "@") # for configure_file
foreach(script before after)
  configure_file(cmake/debian_${script}.cmake.in debian_${script}.cmake @ONLY)
endforeach()
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_BINARY_DIR}/debian_before.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${CMAKE_CURRENT_BINARY_DIR}/debian_after.cmake)
include(CPack)
