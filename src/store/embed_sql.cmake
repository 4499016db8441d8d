# Turn SQL scripts into arrays of bytes: file sql/ENGINE/NNNN_name.sql becomes
# sql_ENGINE_NNNN, and sql/ENGINE/name.sql sql_ENGINE_name, terminated by a zero. Run with cmake -P; see CMakeLists.txt.
set(text "/* Generated from sql/. */\n#include \"store/schema.h\"\n")
foreach(script IN LISTS SCRIPTS)
  string(REGEX REPLACE "sql/([a-z]+)/([0-9]+)_.*" "sql_\\1_\\2" name "${script}")
  string(REGEX REPLACE "sql/([a-z]+)/([a-z_]+)[.]sql" "sql_\\1_\\2" name "${name}")
  file(READ "${ROOT}/${script}" bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "((0x..,){16})" "\\1\n\t" bytes "${bytes}")
  string(APPEND text "\n/* ${script} */\nconst char ${name}[] = {\n\t${bytes}0x00};\n")
endforeach()
file(WRITE "${OUTPUT}" "${text}")
