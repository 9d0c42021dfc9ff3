// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace linn::tool::worker {

/// What one worker process is told to do. A worker does one thing once; repetition is the parent's.
struct options {
    std::string scenario;   ///< empty: prove only
    std::string variant;    ///< the way of doing its work
    std::size_t work = 100; ///< percent of the usual operations, of the scenarios without a size
    std::string container = "unordered_set";
    std::size_t n = 1'000'000;     ///< integers of the containers scenario
    std::size_t objects = 100'000; ///< live objects of the object scenario
    std::size_t object_bytes = 64;
    std::string cpu = "auto"; ///< "auto": stay where the kernel started us; "none"; or a number

    /// The operations to do where `full` are usual.
    std::size_t scaled(std::size_t full) const noexcept {
        return full * work < 100 ? 1 : full / 100 * work + full % 100 * work / 100;
    }

    /// The objects that live at once where the scenario asks for `full`. They are what it measures, so they are fewer only with
    /// less than a quarter of the work, which shows that all runs and measures nothing.
    std::size_t alive(std::size_t full) const noexcept {
        return work >= 25 ? full : full * work < 25 ? 1 : full / 25 * work + full % 25 * work / 25;
    }
};

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

} // namespace linn::tool::worker
