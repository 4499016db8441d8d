# Builds the public libraries, each shared and static. They consist of rooms, and export only the
# names in their headers, so that a program can link both libraries and use all other names itself.
include(CheckLinkerFlag)
check_linker_flag(C "-Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/none.map" linker_has_version_scripts)

# Objects in an archive keep their global names. If `ld -r` combines them to one object, names that
# are not exported can be removed. Sanitizers and link-time optimization need the original objects.
set(archives_hide_names OFF)
if(CMAKE_OBJCOPY AND CMAKE_LINKER AND NOT APPLE AND NOT SIMHASH_SANITIZE AND NOT SIMHASH_COVERAGE
   AND NOT SIMHASH_LTO AND NOT CMAKE_INTERPROCEDURAL_OPTIMIZATION AND NOT CMAKE_C_FLAGS MATCHES "-flto")
  set(archives_hide_names ON)
  message(STATUS "Static libraries: export the names of their headers alone")
else()
  message(STATUS "Static libraries: private names stay visible (hiding them needs ld, objcopy, no sanitizer, no coverage, no link-time optimization)")
endif()

# The version of the library interface, in the sonames and in the name of the package.
set(simhash_soversion ${PROJECT_VERSION_MAJOR})

# add_public_library(simhash EXPORTS simhash_* ROOMS base ... LIBRARIES zlib ...) defines the
# targets NAME_shared and NAME_static, and the files libOUTPUT.so and libOUTPUT.a.
function(add_public_library name)
  cmake_parse_arguments(library "" "OUTPUT;EXPORTS" "ROOMS;LIBRARIES" ${ARGN})
  set(parts "")
  foreach(room IN LISTS library_ROOMS)
    get_property(room_parts GLOBAL PROPERTY simhash_parts_${room})
    list(APPEND parts ${room_parts})
  endforeach()
  set(objects "")
  foreach(part IN LISTS parts)
    list(APPEND objects $<TARGET_OBJECTS:${part}>)
  endforeach()

  add_library(${name}_shared SHARED ${objects})
  set_target_properties(${name}_shared PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${simhash_soversion})
  if(linker_has_version_scripts)
    set(map ${CMAKE_CURRENT_BINARY_DIR}/${name}.map)
    file(CONFIGURE OUTPUT ${map} CONTENT "{ global: ${library_EXPORTS}; local: *; };\n")
    target_link_options(${name}_shared PRIVATE "-Wl,--version-script=${map}")
    set_target_properties(${name}_shared PROPERTIES LINK_DEPENDS ${map})
  endif()

  if(archives_hide_names)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}_whole.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${CMAKE_LINKER} -r -o ${object} ${objects}
      COMMAND ${CMAKE_OBJCOPY} --wildcard "--keep-global-symbol=${library_EXPORTS}" ${object}
      DEPENDS ${objects} COMMAND_EXPAND_LISTS VERBATIM)
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    add_library(${name}_static STATIC ${object})
    add_dependencies(${name}_static ${parts})
  else()
    add_library(${name}_static STATIC ${objects})
  endif()

  foreach(kind shared static)
    set_target_properties(${name}_${kind} PROPERTIES OUTPUT_NAME ${library_OUTPUT} LINKER_LANGUAGE C)
    target_include_directories(${name}_${kind} INTERFACE
      $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${name}_${kind} PRIVATE ${library_LIBRARIES} $<BUILD_INTERFACE:simhash_flags>)
  endforeach()
endfunction()

set(simhash_libraries ZLIB::ZLIB Threads::Threads m
    $<BUILD_INTERFACE:${UNISTRING_LIBRARY}> $<INSTALL_INTERFACE:unistring>)
add_public_library(simhash OUTPUT simhash EXPORTS "simhash_*" ROOMS base core measure
  LIBRARIES ${simhash_libraries})
add_library(simhash::simhash ALIAS simhash_shared)
add_library(simhash::static ALIAS simhash_static)

add_public_library(simhash_index OUTPUT simhash-index EXPORTS "simhash_index_*"
  ROOMS base core measure store scan lists find api
  LIBRARIES ${simhash_libraries} ${CMAKE_DL_LIBS} $<BUILD_INTERFACE:PkgConfig::SQLITE3> $<BUILD_INTERFACE:PkgConfig::XXHASH>
            $<BUILD_INTERFACE:${mysql_target}> $<INSTALL_INTERFACE:sqlite3> $<INSTALL_INTERFACE:xxhash>
            "$<INSTALL_INTERFACE:${mysql_names}>"
            $<BUILD_INTERFACE:${archive_target}> "$<INSTALL_INTERFACE:${archive_names}>"
            $<BUILD_INTERFACE:${document_target}> "$<INSTALL_INTERFACE:${document_names}>"
            $<BUILD_INTERFACE:${sandbox_target}> "$<INSTALL_INTERFACE:${sandbox_names}>"
            $<BUILD_INTERFACE:${nettle_target}> "$<INSTALL_INTERFACE:${nettle_names}>")
add_library(simhash::index ALIAS simhash_index_shared)
add_library(simhash::index_static ALIAS simhash_index_static)
