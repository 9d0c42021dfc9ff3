// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace linn::tool::worker {

/// What one worker process is told to do. A worker does one thing once; repetition is the parent's.
struct options {
    std::string contender = "general"; ///< which contender file of contenders/ to run
    std::string scenario;              ///< empty: prove only
    std::string container = "unordered_set";
    std::size_t n = 1'000'000;     ///< integers of the containers scenario
    std::size_t objects = 100'000; ///< live objects of the object scenario
    std::size_t object_bytes = 64;
    std::string cpu = "auto"; ///< "auto": stay where the kernel started us; "none"; or a number
};

} // namespace linn::tool::worker
