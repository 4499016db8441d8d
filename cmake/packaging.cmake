# Packages by CPack: an archive, and on Debian a package.
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR "simhash developers")
set(CPACK_PACKAGE_CONTACT "simhash developers <simhash@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "finds files that are nearly the same")
set(CPACK_PACKAGE_DESCRIPTION
"simhash indexes files by keys that are close where contents are similar.
simfind lists the pairs and groups of identical and of similar files, also
where pieces were changed, inserted, removed or moved. The index is an SQLite
file, or a MySQL or MariaDB database that many hosts share. Two libraries are
included, one that computes keys and one that reads an index and finds pairs,
with what is needed to build programs with them.")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_FILE_NAME
    ${PROJECT_NAME}-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
# Whatever the umask of who makes the package.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
    GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_GENERATOR TGZ)

# A package called simhash is in Debian, of other software that has a program of that name. Under
# the same name dpkg and apt would take the two for versions of each other, and upgrade one to the
# other. This one therefore has a name of its own, conflicts with Debian's, whose files it would
# overwrite, and takes its place where apt or dpkg is told to install it.
set(CPACK_DEBIAN_PACKAGE_NAME simhash-similarity)
set(CPACK_DEBIAN_PACKAGE_CONFLICTS simhash)
set(CPACK_DEBIAN_PACKAGE_REPLACES simhash)
# Programs that are built with the library need it, the programs here do not.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS zlib1g-dev)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
# Without dpkg-shlibdeps CPack makes a package that depends on nothing, and without file none; one
# for another machine would get the architecture of this one.
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
find_program(FILE_PROGRAM file)
mark_as_advanced(DPKG_SHLIBDEPS FILE_PROGRAM)
if(DPKG_SHLIBDEPS AND FILE_PROGRAM AND NOT CMAKE_CROSSCOMPILING)
  list(APPEND CPACK_GENERATOR DEB)
endif()
# In Debian the documentation is in a folder of the package's name, zsh looks for completions
# of packages in vendor-completions alone, and manual pages are compressed.
file(CONFIGURE OUTPUT debian.cmake @ONLY CONTENT [[
if(CPACK_GENERATOR STREQUAL "DEB")
  set(root "${CPACK_TEMPORARY_INSTALL_DIRECTORY}${CPACK_PACKAGING_INSTALL_PREFIX}")
  file(RENAME "${root}/@CMAKE_INSTALL_DOCDIR@"
       "${root}/@CMAKE_INSTALL_DATAROOTDIR@/doc/@CPACK_DEBIAN_PACKAGE_NAME@")
  file(RENAME "${root}/@CMAKE_INSTALL_DATADIR@/zsh/site-functions"
       "${root}/@CMAKE_INSTALL_DATADIR@/zsh/vendor-completions")
  file(GLOB pages "${root}/@CMAKE_INSTALL_MANDIR@/man1/*.1")
  execute_process(COMMAND gzip -9n ${pages} COMMAND_ERROR_IS_FATAL ANY)
endif()
]])
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_BINARY_DIR}/debian.cmake)
include(CPack)
