# Installs programs, libraries and the files to find them, manual pages, SQL, documentation and,
# with completions.cmake, completions. packaging.cmake makes packages from these files. Each file
# belongs to a component, and each component is a package for Debian.
include(CMakePackageConfigHelpers)
# An installation can be moved, and packages have another prefix than the configured one. So
# simhash.pc finds everything relative to its folder.
file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_prefix ${pc_prefix})
file(RELATIVE_PATH pc_includedir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
file(RELATIVE_PATH pc_libdir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
string(JOIN ", " index_modules zlib sqlite3 libxxhash ${mysql_module} ${archive_module} ${document_module} ${sandbox_module} ${nettle_module})
list(TRANSFORM CMAKE_DL_LIBS PREPEND "-l" OUTPUT_VARIABLE dl_flags)
configure_file(cmake/simhash.pc.in simhash.pc @ONLY)
configure_file(cmake/simhash-index.pc.in simhash-index.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/simhash.pc ${CMAKE_CURRENT_BINARY_DIR}/simhash-index.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

install(TARGETS simhash simfind simkeep)
install(TARGETS simhash_shared simhash_static simhash_index_shared simhash_index_static
        EXPORT simhashTargets
        LIBRARY COMPONENT library NAMELINK_COMPONENT development
        ARCHIVE COMPONENT development)
install(FILES include/simhash.h include/simhash_measures.h include/simhash_resemblance.h include/simhash_index.h
        TYPE INCLUDE COMPONENT development)
install(FILES docs/simhash.1 docs/simfind.1 docs/simkeep.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
# For the systemd of a user, who starts simhash@DIRECTORY.timer: simhash(1), "Every night".
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  install(FILES cmake/systemd/simhash@.service cmake/systemd/simhash@.timer
    cmake/systemd/simhash-scrub.service cmake/systemd/simhash-scrub.timer DESTINATION lib/systemd/user)
endif()
install(DIRECTORY sql DESTINATION ${CMAKE_INSTALL_DATADIR}/simhash)
# docs/ stays a folder, so that the links of README.md work.
install(FILES README.md TYPE DOC)
install(FILES LICENSE TYPE DOC RENAME copyright)
install(DIRECTORY docs TYPE DOC FILES_MATCHING
        PATTERN "*.md" PATTERN "*.png" PATTERN "*.svg" PATTERN "results.txt")

# find_package(simhash) defines simhash::simhash and simhash::index, which are shared, and
# simhash::static and simhash::index_static. Versions with the same SOVERSION are compatible.
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/simhash)
set_target_properties(simhash_shared PROPERTIES EXPORT_NAME simhash)
set_target_properties(simhash_static PROPERTIES EXPORT_NAME static)
set_target_properties(simhash_index_shared PROPERTIES EXPORT_NAME index)
set_target_properties(simhash_index_static PROPERTIES EXPORT_NAME index_static)
install(EXPORT simhashTargets NAMESPACE simhash:: DESTINATION ${config_dir} COMPONENT development)
configure_package_config_file(cmake/simhashConfig.cmake.in simhashConfig.cmake
  INSTALL_DESTINATION ${config_dir} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(simhashConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/simhashConfig.cmake
        ${CMAKE_CURRENT_BINARY_DIR}/simhashConfigVersion.cmake DESTINATION ${config_dir} COMPONENT development)

# Debian's Python searches this folder for modules. On other systems, install the wheel.
if(TARGET python)
  install(FILES ${python_files} DESTINATION lib/python3/dist-packages/simhash COMPONENT python EXCLUDE_FROM_ALL)
  install(FILES ${python_version} RENAME _version.py DESTINATION lib/python3/dist-packages/simhash
          COMPONENT python EXCLUDE_FROM_ALL)
endif()

# Removes the files that the last `cmake --install` of this build installed.
add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -D MANIFEST=${CMAKE_CURRENT_BINARY_DIR}/install_manifest.txt
  -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/uninstall.cmake VERBATIM)
