# How a row of the table in CMakeLists.txt becomes a module: vkonnx_compile_module(KERNEL SOURCE DEFINITIONS...) compiles SOURCE into
# generated/KERNEL.spv and makes generated/KERNEL.spv.h of it, which has the module as an array. With VKONNX_MODULES nothing is compiled,
# and the headers lie in that folder.
#
# Sets `VKONNX_MODULE_FOLDER`, the folder of the headers, and `builds_matrices`, whether there are modules with cooperative matrices. The
# target vkonnx_modules makes all that a folder must have to be the VKONNX_MODULES of another build.
include(fingerprint.cmake)
vkonnx_fingerprint(fingerprint ${CMAKE_CURRENT_SOURCE_DIR})

# The tests compile modules of their own in any case.
if(VKONNX_TESTS OR NOT VKONNX_MODULES)
    find_program(VKONNX_GLSLANG glslangValidator REQUIRED)
endif()
find_program(VKONNX_SPIRV_OPT spirv-opt)
find_program(VKONNX_SPIRV_VAL spirv-val)
set(VKONNX_MATRIX_TOOLS "" CACHE PATH
    "Folder of the glslangValidator, spirv-opt and spirv-val that compile cooperative matrices; empty: those that compile all")

if(VKONNX_MODULES)
    set(VKONNX_MODULE_FOLDER ${VKONNX_MODULES} CACHE INTERNAL "where the modules are")
    set(made_of "nothing")
    include(${VKONNX_MODULE_FOLDER}/modules.cmake OPTIONAL)
    if(NOT made_of STREQUAL "${fingerprint}")
        message(FATAL_ERROR "VKONNX_MODULES is ${VKONNX_MODULES}, whose modules.cmake must name the fingerprint of these shaders, "
            "${fingerprint}, and names ${made_of}: build the target vkonnx_modules of this source, and give the folder "
            "shaders/generated of that build")
    endif()
    set(VKONNX_MATRIX_SPIRV_VAL "${VKONNX_SPIRV_VAL}" CACHE INTERNAL "what judges modules with cooperative matrices")
    set(VKONNX_BUILDS_MATRICES ${builds_matrices} CACHE INTERNAL "whether modules with cooperative matrices are built")
    return()
endif()

# Where glslang tells what a module includes, a header's edit compiles again only what includes it; else all.
execute_process(COMMAND ${VKONNX_GLSLANG} --help OUTPUT_VARIABLE help ERROR_QUIET)
string(FIND "${help}" "--depfile" depfile)
file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.glsl ${CMAKE_CURRENT_SOURCE_DIR}/*.h)
if(depfile GREATER_EQUAL 0)
    set(headers "")
endif()
set(VKONNX_SHADER_HEADERS ${headers} CACHE INTERNAL "what every module depends on; empty where each tells by itself")

# Cooperative matrices need a glslang that knows GL_KHR_cooperative_matrix, 13 and later, and as new a spirv-opt and spirv-val. Their
# modules may have tools of their own, so that all others are what the system's make of them. Without such tools the rows are
# there all the same, but have no module, and their kernels say so.
set(matrix_glslang ${VKONNX_GLSLANG})
set(matrix_spirv_opt ${VKONNX_SPIRV_OPT})
set(matrix_spirv_val ${VKONNX_SPIRV_VAL})
if(VKONNX_MATRIX_TOOLS)
    set(matrix_glslang ${VKONNX_MATRIX_TOOLS}/glslangValidator)
    set(matrix_spirv_opt ${VKONNX_MATRIX_TOOLS}/spirv-opt)
    set(matrix_spirv_val ${VKONNX_MATRIX_TOOLS}/spirv-val)
endif()
set(VKONNX_MATRIX_SPIRV_VAL ${matrix_spirv_val} CACHE INTERNAL "what judges modules with cooperative matrices")
set(module ${CMAKE_CURRENT_BINARY_DIR}/cooperative_matrices.spv)
execute_process(
    COMMAND ${matrix_glslang} --quiet -V --target-env vulkan1.1 -I${PROJECT_SOURCE_DIR} -o ${module}
        ${CMAKE_CURRENT_SOURCE_DIR}/probes/self_test_matrices.comp
    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
if(matrix_spirv_opt AND NOT failed)
    execute_process(COMMAND ${matrix_spirv_opt} ${module} -o ${module} RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
endif()
if(matrix_spirv_val AND NOT failed)
    execute_process(COMMAND ${matrix_spirv_val} --target-env vulkan1.1 ${module} RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
endif()
set(builds_matrices ON)
if(failed)
    set(builds_matrices OFF)
    message(STATUS "Without cooperative matrices: glslang or SPIRV-Tools are too old")
endif()
set(VKONNX_BUILDS_MATRICES ${builds_matrices} CACHE INTERNAL "whether modules with cooperative matrices are built")

set(VKONNX_MODULE_FOLDER ${generated} CACHE INTERNAL "where the modules are")

function(vkonnx_compile_module kernel source)
    set(module ${VKONNX_MODULE_FOLDER}/${kernel}.spv)
    set(header ${VKONNX_MODULE_FOLDER}/${kernel}.spv.h)
    if(without_module)
        file(CONFIGURE OUTPUT ${header} CONTENT "constexpr std::span<const uint32_t> ${kernel};\n")
        return()
    endif()
    if(VKONNX_SHADER_HEADERS)
        set(tell_includes "")
        set(includes DEPENDS ${VKONNX_SHADER_HEADERS})
    else()
        set(tell_includes --depfile ${module}.d)
        set(includes DEPFILE ${module}.d)
    endif()
    set(glslang ${VKONNX_GLSLANG})
    set(spirv_opt ${VKONNX_SPIRV_OPT})
    set(spirv_val ${VKONNX_SPIRV_VAL})
    if(with_matrices)
        set(glslang ${matrix_glslang})
        set(spirv_opt ${matrix_spirv_opt})
        set(spirv_val ${matrix_spirv_val})
    endif()
    # Optimized here, too: some drivers (SwiftShader) leave modules that declare float controls as they come.
    # Loops are unrolled while their bodies still call functions, the inner ones first. Before SPIRV-Tools 2025.5, a copy of a
    # loop's body loses its decorations (its issue 5902), so that what is `precise` is no more; a function that is copied keeps them.
    if(spirv_opt)
        set(optimize COMMAND ${spirv_opt} $<$<BOOL:${VKONNX_STRIP_SHADERS}>:--strip-debug> --eliminate-local-multi-store --loop-unroll
            --simplify-instructions --loop-unroll -O -O ${module} -o ${module})
    endif()
    if(spirv_val)
        set(validate COMMAND ${spirv_val} --target-env vulkan1.1 ${module})
    endif()
    set(embed ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/embed.cmake)
    add_custom_command(
        OUTPUT ${module} ${header}
        COMMAND ${glslang} --quiet -V --target-env vulkan1.1 ${ARGN} -I${PROJECT_SOURCE_DIR} ${tell_includes} -o ${module} ${source}
        ${optimize}
        ${validate}
        COMMAND ${CMAKE_COMMAND} -DMODULE=${module} -DNAME=${kernel} -DHEADER=${header} -P ${embed}
        DEPENDS ${source} ${embed}
        ${includes}
        COMMENT "Compiling shader ${kernel}" COMMAND_EXPAND_LISTS VERBATIM)
endfunction()

# Writes modules.cmake when all modules of `kernel_headers` are made: what they were made of, and whether there are those with
# cooperative matrices.
function(vkonnx_describe_modules)
    set(made_modules ${generated}/modules.cmake)
    set(script ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/fingerprint.cmake)
    add_custom_command(OUTPUT ${made_modules}
        COMMAND ${CMAKE_COMMAND} -DSHADERS=${CMAKE_CURRENT_SOURCE_DIR} -DMATRICES=${builds_matrices} -DOUT=${made_modules} -P ${script}
        DEPENDS ${kernel_headers} ${script} ${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt
        COMMENT "Describing the shaders' modules" VERBATIM)
    add_custom_target(vkonnx_modules DEPENDS ${made_modules})
endfunction()
