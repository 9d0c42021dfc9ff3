// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../measure/registered.hpp"
#include "measure.hpp"
#include "options.hpp"

#include <span>
#include <string_view>

namespace linn::tool::worker {

/// One way of doing the work of a scenario, such as `make_shared` in shared-ptr.
struct variant {
    std::string_view scenario;
    std::string_view name; ///< as in tool/bench/scenarios/
    outcome (*run)(const options&);
};

/// A file has its variants by `const variants here{all};`; each worker knows those of the files that it is linked with.
using variants = registered<std::span<const variant>>;

/// The variant of that scenario and name, or null.
const variant* find_variant(std::string_view scenario, std::string_view name);

} // namespace linn::tool::worker
