// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TYPES_POOL_STATISTICS_HPP
#define LINN_TYPES_POOL_STATISTICS_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

#include <cstddef>
#include <string_view>

namespace linn::inline LINN_ABI {

/// One pool at one moment. Exact while no other thread uses the pool; otherwise each number is
/// right for some moment during the call, and never negative.
struct pool_statistics {
    std::string_view type;          ///< name of the object type; valid until the program ends
    std::size_t object_bytes = 0;   ///< sizeof(T)
    std::size_t slot_bytes = 0;     ///< what an object occupies: size, alignment and padding
    std::size_t live = 0;           ///< objects handed out to the program now
    std::size_t peak = 0;           ///< most objects out at once, at most what threads cache too high
    std::size_t cached = 0;         ///< free objects held by threads and the depot, idle ones by recyclers
    std::size_t threads = 0;        ///< threads that hold a cache of this pool now
    std::size_t slabs = 0;          ///< slabs mapped, empty ones included
    std::size_t reserved_bytes = 0; ///< address space of all slabs
    std::size_t resident_bytes = 0; ///< of these, bytes that may be in memory now
    std::size_t returned_bytes = 0; ///< bytes returned to the system or upstream so far, in total
    std::size_t depot_visits = 0;   ///< slow paths that took the pool's lock
    std::size_t contended = 0;      ///< of these, the ones that found it taken
};

} // namespace linn::inline LINN_ABI

#endif
#endif
