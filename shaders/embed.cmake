# cmake -DMODULE=x.spv -DNAME=x -DHEADER=x.spv.h -P embed.cmake: a SPIR-V module as an array of words.
file(READ ${MODULE} bytes HEX)
string(REGEX REPLACE "(..)(..)(..)(..)" "0x\\4\\3\\2\\1,\n" words ${bytes})
file(WRITE ${HEADER} "const uint32_t ${NAME}[] = {\n${words}};\n")
