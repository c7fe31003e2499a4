# SPDX-License-Identifier: BSD-3-Clause
# CPack runs this before it packs the folders of components: compresses manual pages, strips static libraries, and adds the
# change log of the Debian packages.
find_program(GZIP gzip REQUIRED)
find_program(STRIP strip REQUIRED)
file(GLOB roots ${CPACK_TEMPORARY_DIRECTORY}/*/usr)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH sets it
foreach(root IN LISTS roots)
  file(GLOB pages ${root}/share/man/man1/*.1)
  foreach(page IN LISTS pages)
    execute_process(COMMAND ${GZIP} -9nf ${page} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  file(GLOB_RECURSE archives ${root}/lib/*.a)
  foreach(archive IN LISTS archives)
    execute_process(COMMAND ${STRIP} --strip-debug --enable-deterministic-archives ${archive} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  file(GLOB copyrights ${root}/share/doc/*/copyright)
  foreach(copyright IN LISTS copyrights)
    get_filename_component(folder ${copyright} DIRECTORY)
    get_filename_component(package ${folder} NAME)
    file(WRITE ${folder}/changelog.Debian "seiche (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
      "  * ${package} of Seiche ${CPACK_PACKAGE_VERSION}, built by CPack.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
    execute_process(COMMAND ${GZIP} -9nf ${folder}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endforeach()
