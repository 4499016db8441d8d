# Converts files to byte arrays, each with a terminating zero: sql/ENGINE/NNNN_name.sql becomes
# sql_ENGINE_NNNN, sql/ENGINE/name.sql becomes sql_ENGINE_name, and other files name.html become
# name_template, name.css name_style and name.js name_script. Run it with cmake -P; see
# CMakeLists.txt.
set(text "/* Generated from ${FILES}. */\n")
foreach(file IN LISTS FILES)
  string(REGEX REPLACE "sql/([a-z]+)/([0-9]+)_.*" "sql_\\1_\\2" name "${file}")
  string(REGEX REPLACE "sql/([a-z]+)/([a-z_]+)[.]sql" "sql_\\1_\\2" name "${name}")
  string(REGEX REPLACE "^.*/([a-z]+)[.]html$" "\\1_template" name "${name}")
  string(REGEX REPLACE "^.*/([a-z]+)[.]css$" "\\1_style" name "${name}")
  string(REGEX REPLACE "^.*/([a-z]+)[.]js$" "\\1_script" name "${name}")
  file(READ "${ROOT}/${file}" bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "((0x..,){16})" "\\1\n\t" bytes "${bytes}")
  string(APPEND text "\n/* ${file} */\nextern const char ${name}[];\nconst char ${name}[] = {\n\t${bytes}0x00};\n")
endforeach()
file(WRITE "${OUTPUT}" "${text}")
