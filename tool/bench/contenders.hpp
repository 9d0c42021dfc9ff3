// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../experiment/contenders.hpp"

#include <functional>
#include <string>
#include <vector>

namespace linn::tool {

/// A contender that is not measured, and why.
struct left_out {
    std::string name;
    std::string scenario; ///< empty: all
    std::string reason;
    std::string variant = {}; ///< empty: all, or the scenario has none
};

/// The names that `--only` accepts.
std::vector<std::string> bench_names(const user_allocators& extra);

/// Every contender whose library is there and proves to work; the others go to `missing`. A name in `extra` replaces
/// the catalogue's entry. An empty `only` means all; the baseline and its copy always take part. `tick` is called with
/// the title of each library that is tried.
std::vector<contender> collect_contenders(const user_allocators& extra, const std::vector<std::string>& only,
                                          std::vector<left_out>& missing, const interrupt_guard& guard,
                                          const std::function<void(const std::string&)>& tick);

} // namespace linn::tool
