# Fails if the name of a CTest test contains printed bytes, an address, a path or the index of a
# parameter. Such names change from run to run, or do not describe the test. Usage:
#   cmake -DBUILD=<build directory> -P test_names.cmake
execute_process(COMMAND ${CMAKE_CTEST_COMMAND} -N WORKING_DIRECTORY ${BUILD} OUTPUT_VARIABLE output
  RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "ctest -N failed: ${result}")
endif()
string(REGEX MATCHALL "Test +#[0-9]+: [^\n]+" tests "${output}")
list(LENGTH tests count)
if(count EQUAL 0)
  message(FATAL_ERROR "ctest -N lists no test")
endif()
list(FILTER tests INCLUDE REGEX ": .*(#|<|[^0-9]0x[0-9a-f]|/[0-9]+$|/.*/.*/)")
if(tests)
  list(JOIN tests "\n  " names)
  message(FATAL_ERROR "Give these parameters names (the last argument of INSTANTIATE_TEST_SUITE_P):\n  ${names}")
endif()
message("${count} names")
