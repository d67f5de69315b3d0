# The C tests. A file tests/<dir>/<name>.c is one program and becomes the tests <dir>/<name>@<variant>, one
# for each device and tier in CLARY_TEST_DEVICES. tests/ops sees the shared library and the public
# headers alone, as a user does; the other directories test internals and link the static library.
# A test passes with exit status 0 and is skipped with 77.
#
# Kernels that tests compile are kept in CLARY_TEST_CACHE, for the next run and for the other builds.
set(CLARY_TEST_DEVICES "reference;pocl;pocl:always" CACHE STRING
    "Where tests run: device selectors, each with an optional :auto, :always or :never")
set(CLARY_TEST_CACHE ${CMAKE_CURRENT_BINARY_DIR}/test-cache CACHE PATH "Where tests keep compiled kernels")
# Tests that need no device, or choose their own: once is enough. And those where the tier plays no part.
set(CLARY_TESTS_ONCE core/core core/math core/npyheader core/opencl core/reference)
set(CLARY_TESTS_ONE_TIER core/codegen core/codegen_indexed core/sort)
# Long tests whose parts, named by an argument, run side by side.
set(CLARY_TEST_PARTS_core/codegen map reduce scan)
set(CLARY_TEST_PARTS_core/codegen_indexed gather scatter)
set(CLARY_TEST_DIR ${CMAKE_CURRENT_BINARY_DIR}/testing)
file(MAKE_DIRECTORY ${CLARY_TEST_DIR})

function(clary_add_test name) # clary_add_test(<name> <command> [<argument>...])
  set(variants ${CLARY_TEST_DEVICES})
  string(REGEX REPLACE ":.*" "" whole ${name})
  if(name IN_LIST CLARY_TESTS_ONCE)
    set(variants reference)
  elseif(whole IN_LIST CLARY_TESTS_ONE_TIER)
    list(FILTER variants EXCLUDE REGEX "^reference|:")
  endif()
  foreach(variant IN LISTS variants)
    set(device ${variant})
    set(jit auto)
    if(variant MATCHES "^(.*):(auto|always|never)$")
      set(device ${CMAKE_MATCH_1})
      set(jit ${CMAKE_MATCH_2})
    endif()
    string(REPLACE ":" "-" label ${variant})
    add_test(NAME ${name}@${label} COMMAND ${ARGN} WORKING_DIRECTORY ${CLARY_TEST_DIR})
    set(environment CLARY_DEVICE=${device} CLARY_JIT=${jit} CLARY_LEAK=1
        CLARY_CACHE_DIR=${CLARY_TEST_CACHE} POCL_CACHE_DIR=${CLARY_TEST_CACHE}/pocl)
    # Drivers leak and read as they please. protect_shadow_gap=0 is for NVIDIA's; use_tls=0 because the leak
    # checker now and then dies of the thread-local memory of PoCL's threads.
    if(CLARY_SANITIZE)
      list(APPEND environment UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=protect_shadow_gap=0
           "LSAN_OPTIONS=suppressions='${CMAKE_CURRENT_SOURCE_DIR}/tests/lsan.supp':print_suppressions=0:use_tls=0")
    endif()
    set_tests_properties(${name}@${label} PROPERTIES ENVIRONMENT "${environment}" SKIP_RETURN_CODE 77
                         FAIL_REGULAR_EXPRESSION "clary: leak:" TIMEOUT 900)
  endforeach()
endfunction()

function(clary_add_program target library source)
  add_executable(${target} ${source})
  target_link_libraries(${target} PRIVATE ${library} m Threads::Threads)
  target_compile_options(${target} PRIVATE -Wall -Wextra -ffp-contract=off -UNDEBUG
                         $<$<BOOL:${CLARY_WERROR}>:-Werror>)
endfunction()

file(GLOB CLARY_TEST_SOURCES CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} tests/*/*.c)
foreach(source IN LISTS CLARY_TEST_SOURCES)
  string(REGEX MATCH "^tests/(.*)/(test_)?(.*)\\.c$" _ ${source})
  set(dir ${CMAKE_MATCH_1})
  set(name ${CMAKE_MATCH_3})
  set(target test_${dir}_${name})
  if(dir STREQUAL "ops")
    clary_add_program(${target} clary_shared ${source})
  else()
    clary_add_program(${target} clary_static ${source})
    target_include_directories(${target} PRIVATE src .)
  endif()
  target_include_directories(${target} PRIVATE tests)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/tests)
  if(CLARY_TEST_PARTS_${dir}/${name})
    foreach(part IN LISTS CLARY_TEST_PARTS_${dir}/${name})
      clary_add_test(${dir}/${name}:${part} ${target} ${part})
    endforeach()
  else()
    clary_add_test(${dir}/${name} ${target})
  endif()
endforeach()

# Examples check themselves. examples/outside is a project of its own: see tools/check_install.sh.
file(GLOB CLARY_EXAMPLE_SOURCES CONFIGURE_DEPENDS examples/*.c)
foreach(source IN LISTS CLARY_EXAMPLE_SOURCES)
  get_filename_component(name ${source} NAME_WE)
  clary_add_program(example_${name} clary_shared ${source})
  set_target_properties(example_${name} PROPERTIES OUTPUT_NAME ${name}
                        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/examples)
  clary_add_test(examples/${name} example_${name})
endforeach()

# Measuring programs of bench/: built, so that they keep compiling; run by `./dev bench`.
file(GLOB CLARY_BENCH_SOURCES CONFIGURE_DEPENDS bench/*.c)
foreach(source IN LISTS CLARY_BENCH_SOURCES)
  get_filename_component(name ${source} NAME_WE)
  clary_add_program(bench_${name} clary_shared ${source})
  set_target_properties(bench_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/bench)
endforeach()

# Checks of the tree itself. They need no device, so they run once.
if(NOT CLARY_SANITIZE)
  add_test(NAME check/headers COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tools/check_headers.sh)
  find_program(CLARY_PYTHON3 NAMES python3)
  if(CLARY_PYTHON3)
    add_test(NAME check/layers
             COMMAND ${CLARY_PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/tools/check_layers.py)
  endif()
  if(CLARY_INSTALL)
    add_test(NAME check/install
             COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tools/check_install.sh ${CMAKE_CURRENT_BINARY_DIR})
    set_tests_properties(check/install PROPERTIES TIMEOUT 600 ENVIRONMENT
                         "CLARY_DEVICE=reference;CLARY_LEAK=1;CLARY_CACHE_DIR=${CLARY_TEST_CACHE}")
  endif()
endif()
