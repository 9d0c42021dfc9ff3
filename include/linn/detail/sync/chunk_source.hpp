// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_CHUNK_SOURCE_HPP
#define LINN_DETAIL_SYNC_CHUNK_SOURCE_HPP

#include <linn/config.hpp>
#include <linn/detail/core/slab_set.hpp>
#include <linn/detail/sync/policy.hpp>

#include <cstddef>

namespace linn::inline LINN_ABI::detail {

/// Where an object that pools memory gets its own: a pair of functions and what they are called with.
struct chunk_functions {
    void* context = nullptr;
    void* (*get)(void* context, std::size_t bytes, std::size_t align) = nullptr; ///< may throw
    void (*put)(void* context, void* p, std::size_t bytes, std::size_t align) = nullptr;
};

/// Memory from the user's code, which need not be safe for threads: calls are made one at a time,
/// and under no other lock, so that it may do anything but call this again.
template <class Policy>
class chunk_source {
public:
    chunk_source(const chunk_functions& f, fork_stopper& owner) noexcept : functions_{f}, lock_{owner} {}

    /// @throws the exceptions of the function. Null where it gives null.
    void* get(std::size_t bytes, std::size_t align) {
        lock_guard<typename Policy::mutex> guard{lock_};
        return functions_.get(functions_.context, bytes, align);
    }

    void put(void* p, std::size_t bytes, std::size_t align) noexcept {
        lock_guard<typename Policy::mutex> guard{lock_};
        functions_.put(functions_.context, p, bytes, align);
    }

    [[nodiscard]] void* context() const noexcept { return functions_.context; }

    /// For the child of a fork. No fork waits for this lock: what is called under it may take any other,
    /// and keeps its own state, or does not, as it sees fit.
    void reset_lock() noexcept { lock_.reset(); }

private:
    chunk_functions functions_;
    typename Policy::mutex lock_;
};

/// Pages for a set of slabs that are brought to it: it maps none by itself.
template <page_source Pages>
struct brought_pages : Pages {
    static constexpr bool zeroed = false;
    static void* map(std::size_t, std::size_t) noexcept { return nullptr; }
};

} // namespace linn::inline LINN_ABI::detail

#endif
