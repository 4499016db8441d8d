# Finds a library that the build can do without:
#
#     optional_library(hashes OPTION SIMHASH_HASHES MODULES nettle LIBRARY Nettle
#                      GIVES "MD5, SHA-1 and SHA-256")
#
# OPTION is ON, OFF or AUTO. Uses the first of the pkg-config MODULES that is installed. Sets
# hashes_target, hashes_module and hashes_names, which the linker needs to find the library; without
# the library all are empty, and the text ELSE is also printed. NEEDS names another optional library
# that is required. With LOADED, the programs load the library themselves when they need it, and are
# not linked with it. Then hashes_file is its path with its soname, as the system looks for it.
function(optional_library name)
  cmake_parse_arguments(library "LOADED" "OPTION;LIBRARY;GIVES;ELSE;NEEDS" "MODULES" ${ARGN})
  set(${library_OPTION} AUTO CACHE STRING "${library_GIVES}, by ${library_LIBRARY}: ON, OFF, or AUTO for where it is")
  set_property(CACHE ${library_OPTION} PROPERTY STRINGS AUTO ON OFF)
  foreach(result target module names file)
    set(${name}_${result} "" PARENT_SCOPE)
  endforeach()
  if(library_NEEDS AND NOT ${library_NEEDS}_target)
    set(library_MODULES "")
    set(library_LIBRARY "the library for ${library_NEEDS}, which it needs,")
  endif()
  if(NOT ${library_OPTION} STREQUAL "OFF")
    foreach(module IN LISTS library_MODULES)
      string(MAKE_C_IDENTIFIER "${name}_${module}" found)
      pkg_check_modules(${found} QUIET IMPORTED_TARGET ${module})
      if(${found}_FOUND)
        message(STATUS "${library_GIVES}: built in, by ${library_LIBRARY} ${${found}_VERSION}")
        set(${name}_target PkgConfig::${found} PARENT_SCOPE)
        set(${name}_module ${${found}_MODULE_NAME} PARENT_SCOPE)
        set(${name}_names ${${found}_LIBRARIES} PARENT_SCOPE)
        if(library_LOADED)
          list(GET ${found}_LINK_LIBRARIES 0 file)
          path_with_soname(${file} file)
          set(${name}_file ${file} PARENT_SCOPE)
        endif()
        return()
      endif()
    endforeach()
    if(${library_OPTION} STREQUAL "ON")
      message(FATAL_ERROR "${library_OPTION} is ON, but ${library_LIBRARY} was not found")
    endif()
  endif()
  message(STATUS "${library_GIVES}: not built in${library_ELSE}")
endfunction()

# Sets `result` to the path of a shared library with the name that linked programs would look for.
function(path_with_soname file result)
  file(REAL_PATH ${file} real)
  cmake_path(GET real FILENAME soname)
  if(CMAKE_READELF)
    execute_process(COMMAND ${CMAKE_READELF} -d ${real} OUTPUT_VARIABLE dynamic ERROR_QUIET)
    if(dynamic MATCHES "\\(SONAME\\)[^\n]*\\[([^]]+)\\]")
      set(soname ${CMAKE_MATCH_1})
    endif()
  endif()
  cmake_path(REPLACE_FILENAME file ${soname})
  set(${result} ${file} PARENT_SCOPE)
endfunction()

# Compiles a part for optional libraries without linking it with them: load_library(PART NAME...). If
# a library was found with LOADED, SIMHASH_NAME_FILE is its path.
function(load_library part)
  foreach(name IN LISTS ARGN)
    string(TOUPPER ${name} upper)
    target_include_directories(${part} SYSTEM PRIVATE
      $<TARGET_PROPERTY:${${name}_target},INTERFACE_INCLUDE_DIRECTORIES>)
    target_compile_options(${part} PRIVATE $<TARGET_PROPERTY:${${name}_target},INTERFACE_COMPILE_OPTIONS>)
    if(${name}_file)
      target_compile_definitions(${part} PRIVATE SIMHASH_${upper}_FILE="${${name}_file}")
    endif()
  endforeach()
endfunction()

# The pkg-config modules of the client library. MariaDB's module comes first, because it works with
# both servers.
function(mysql_client_modules result)
  set(SIMHASH_MYSQL_CLIENT AUTO CACHE STRING "The client library for mysql:// indexes: mariadb, mysql, or AUTO for the one that is there")
  set_property(CACHE SIMHASH_MYSQL_CLIENT PROPERTY STRINGS AUTO mariadb mysql)
  set(mariadb libmariadb mariadb)
  set(mysql mysqlclient)
  if(SIMHASH_MYSQL_CLIENT STREQUAL "AUTO")
    set(${result} ${mariadb} ${mysql} PARENT_SCOPE)
  elseif(SIMHASH_MYSQL_CLIENT MATCHES "^(mariadb|mysql)$")
    set(${result} ${${SIMHASH_MYSQL_CLIENT}} PARENT_SCOPE)
  else()
    message(FATAL_ERROR "SIMHASH_MYSQL_CLIENT is ${SIMHASH_MYSQL_CLIENT}: expected mariadb, mysql or AUTO")
  endif()
endfunction()
