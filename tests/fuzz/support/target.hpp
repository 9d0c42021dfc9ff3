// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_FUZZ_TARGET_HPP
#define LINN_TESTS_FUZZ_TARGET_HPP

#include <cstddef>
#include <cstdint>

/// One input: what libFuzzer calls, and the replay. Every target defines it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

#endif
