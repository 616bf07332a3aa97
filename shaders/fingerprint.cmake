# vkonnx_fingerprint(VARIABLE SHADERS): a number that is another one whenever a source of the modules in the folder SHADERS is. Line ends
# do not count, since git may change them.
#
# This file is a script, too: `cmake -DSHADERS=folder -DMATRICES=ON -DOUT=modules.cmake -P fingerprint.cmake` writes the file modules.cmake
# of a folder of modules. The file tells the fingerprint, and whether there are modules with cooperative matrices.
function(vkonnx_fingerprint variable folder)
    file(GLOB_RECURSE sources RELATIVE ${folder} ${folder}/*.comp ${folder}/*.glsl ${folder}/*.h)
    list(SORT sources)
    set(text "")
    foreach(source IN LISTS sources ITEMS CMakeLists.txt compile.cmake)
        file(READ ${folder}/${source} content)
        string(REPLACE "\r\n" "\n" content "${content}")
        string(SHA256 content "${content}")
        string(APPEND text "${content}  ${source}\n")
    endforeach()
    string(SHA256 text "${text}")
    set(${variable} ${text} PARENT_SCOPE)
endfunction()

if(DEFINED OUT)
    vkonnx_fingerprint(fingerprint ${SHADERS})
    file(WRITE ${OUT} "set(made_of ${fingerprint})\nset(builds_matrices ${MATRICES})\n")
endif()
