# Finds a library that the build can do without:
#
#     optional_library(hashes OPTION SIMHASH_HASHES MODULES nettle LIBRARY Nettle
#                      GIVES "MD5, SHA-1 and SHA-256")
#
# OPTION is ON, OFF or AUTO. Uses the first of the pkg-config MODULES that is installed. Sets
# hashes_target, hashes_module and hashes_names, which the linker needs to find the library; without
# the library all are empty, and the text ELSE is also printed. NEEDS names another optional library
# that is required.
function(optional_library name)
  cmake_parse_arguments(library "" "OPTION;LIBRARY;GIVES;ELSE;NEEDS" "MODULES" ${ARGN})
  set(${library_OPTION} AUTO CACHE STRING "${library_GIVES}, by ${library_LIBRARY}: ON, OFF, or AUTO for where it is")
  set_property(CACHE ${library_OPTION} PROPERTY STRINGS AUTO ON OFF)
  foreach(result target module names)
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
        return()
      endif()
    endforeach()
    if(${library_OPTION} STREQUAL "ON")
      message(FATAL_ERROR "${library_OPTION} is ON, but ${library_LIBRARY} was not found")
    endif()
  endif()
  message(STATUS "${library_GIVES}: not built in${library_ELSE}")
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
