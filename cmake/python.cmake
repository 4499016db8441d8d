# Builds the package for Python. Its folder in the build contains everything for the wheel: the
# sources of python/, the version, and the two libraries. This does not need Python; the target
# `wheel` needs it, with the modules build, setuptools and wheel, but no network.
set(python_dir ${CMAKE_CURRENT_BINARY_DIR}/python)
set(python_sources __init__.py _content.py _index.py _library.py py.typed)
set(python_version ${CMAKE_CURRENT_BINARY_DIR}/python_version.py)
file(READ python/simhash/_version.py.in python_version_text)
string(CONFIGURE "${python_version_text}" python_version_text @ONLY)
file(GENERATE OUTPUT ${python_version} CONTENT "${python_version_text}")
list(TRANSFORM python_sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/python/simhash/ OUTPUT_VARIABLE python_files)

set(strip_python ${CMAKE_COMMAND} -E true)
if(CMAKE_STRIP AND NOT SIMHASH_SANITIZE)
  set(strip_python ${CMAKE_STRIP} --strip-unneeded)
endif()
set(python_libraries simhash_shared simhash_index_shared)
set(copied_libraries "")
foreach(library IN LISTS python_libraries)
  list(APPEND copied_libraries ${python_dir}/simhash/_lib/$<TARGET_SONAME_FILE_NAME:${library}>)
endforeach()
add_custom_command(OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/python.stamp
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${python_dir}/simhash ${python_dir}/build
  COMMAND ${CMAKE_COMMAND} -E make_directory ${python_dir}/simhash/_lib
  COMMAND ${CMAKE_COMMAND} -E copy ${python_files} ${python_dir}/simhash
  COMMAND ${CMAKE_COMMAND} -E copy ${python_version} ${python_dir}/simhash/_version.py
  COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_FILE:simhash_shared> ${python_dir}/simhash/_lib/$<TARGET_SONAME_FILE_NAME:simhash_shared>
  COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_FILE:simhash_index_shared> ${python_dir}/simhash/_lib/$<TARGET_SONAME_FILE_NAME:simhash_index_shared>
  COMMAND ${strip_python} ${copied_libraries}
  COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_SOURCE_DIR}/python/pyproject.toml ${CMAKE_CURRENT_SOURCE_DIR}/python/setup.py
          ${CMAKE_CURRENT_SOURCE_DIR}/python/README.md ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE ${python_dir}
  COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_CURRENT_BINARY_DIR}/python.stamp
  DEPENDS ${python_files} ${python_version} simhash_shared simhash_index_shared python/pyproject.toml python/setup.py
          python/README.md LICENSE
  VERBATIM)
add_custom_target(python ALL DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/python.stamp)

find_program(SIMHASH_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(SIMHASH_PYTHON python3)
mark_as_advanced(SIMHASH_PYTHON)
if(SIMHASH_PYTHON)
  add_custom_target(wheel
    COMMAND ${SIMHASH_PYTHON} -m build --no-isolation --wheel --outdir ${CMAKE_CURRENT_BINARY_DIR} ${python_dir}
    DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/python.stamp VERBATIM USES_TERMINAL)
endif()
