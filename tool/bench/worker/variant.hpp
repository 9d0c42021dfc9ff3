// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/// A file has its variants by `const variants here{all};`; each worker knows those of the files that it is linked with, in a list
/// without memory of its own.
class variants {
public:
    explicit variants(std::span<const variant> here) noexcept : here_{here}, next_{first_} { first_ = this; }
    variants(const variants&) = delete;
    variants& operator=(const variants&) = delete;

    std::span<const variant> here() const noexcept { return here_; }
    const variants* next() const noexcept { return next_; }
    static const variants* first() noexcept { return first_; }

private:
    std::span<const variant> here_;
    const variants* next_;
    static inline const variants* first_ = nullptr; // constant, so before any list is made
};

/// The variant of that scenario and name, or null.
const variant* find_variant(std::string_view scenario, std::string_view name);

} // namespace linn::tool::worker
