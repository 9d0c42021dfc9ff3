// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_CALL_TRACE_HPP
#define LINN_DETAIL_CORE_CALL_TRACE_HPP

#include <linn/config.hpp>

#include <cstddef>

namespace linn::inline LINN_ABI::detail {

/// Callers: return addresses, the innermost first. Deep enough for a free inside a container that is
/// compiled without optimisation, where every layer between the user and the pool is a frame.
struct call_trace {
    static constexpr std::size_t depth = 12;

    const void* frames[depth] = {}; ///< null from the first unused one on

    [[nodiscard]] constexpr std::size_t size() const noexcept {
        std::size_t n = 0;
        while (n != depth && frames[n] != nullptr) {
            ++n;
        }
        return n;
    }

    friend constexpr bool operator==(const call_trace&, const call_trace&) = default;
};

/// Used when the caller wants no trace.
inline constexpr call_trace no_trace{};

} // namespace linn::inline LINN_ABI::detail

#endif
