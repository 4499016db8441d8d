# Builds the completions for shells. A program that contains the tables of options writes them, so
# they are only built if the built programs can run here.
if(CMAKE_CROSSCOMPILING)
  message(STATUS "completions: not written, since programs for ${CMAKE_SYSTEM_PROCESSOR} do not run here")
  return()
endif()

add_executable(complete src/cli/options/complete.c)
target_link_libraries(complete PRIVATE simhash_cli)
add_custom_target(completions ALL)
set(completions ${CMAKE_CURRENT_BINARY_DIR}/completions)
file(MAKE_DIRECTORY ${completions})
# add_completions(FILE SHELL TEMPLATE PROGRAM...)
function(add_completions file shell template)
  add_custom_command(OUTPUT ${completions}/${file}
    COMMAND complete ${shell} ${ARGN} <${CMAKE_CURRENT_SOURCE_DIR}/src/completions/${template} >${completions}/${file}
    DEPENDS complete src/completions/${template})
  target_sources(completions PRIVATE ${completions}/${file})
endfunction()
add_completions(simhash.bash bash simhash.bash simhash simfind simkeep)
add_completions(_simhash zsh _simhash simhash simfind simkeep)
add_completions(simhash.fish fish simhash.fish simhash)
add_completions(simfind.fish fish simhash.fish simfind)
add_completions(simkeep.fish fish simhash.fish simkeep)

# bash-completion finds the file of a program by the program's name; one file serves all programs.
foreach(program simhash simfind simkeep)
  install(FILES ${completions}/simhash.bash RENAME ${program}
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endforeach()
install(FILES ${completions}/_simhash DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${completions}/simhash.fish ${completions}/simfind.fish ${completions}/simkeep.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
