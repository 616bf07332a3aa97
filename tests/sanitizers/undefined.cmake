# Builds and runs the sanitized test: it must report nothing, and in the control the overflow that it makes on purpose.
execute_process(COMMAND ${CMAKE_COMMAND} --build ${BUILD} --config "${CONFIG}" --target vkonnx_ubsan
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "vkonnx_ubsan does not build:\n${output}")
endif()

execute_process(COMMAND ${TEST} --gtest_filter=-Control.* RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
message("${output}")
if(NOT result EQUAL 0 OR output MATCHES "runtime error")
    message(FATAL_ERROR "undefined behaviour, or a failure (exit code ${result})")
endif()

execute_process(COMMAND ${TEST} --gtest_filter=Control.* RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
string(REGEX MATCH "runtime error: signed integer overflow[^\n]*" report "${output}")
if(result EQUAL 0 OR NOT report)
    message(FATAL_ERROR "the overflow made on purpose was not reported (exit code ${result}):\n${output}")
endif()
message("control, a sum beyond 64 bits: ${report}")
