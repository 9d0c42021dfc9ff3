// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_SUPPORT_COUNTING_RESOURCE_HPP
#define LINN_TESTS_SUPPORT_COUNTING_RESOURCE_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <new>

namespace linn_test {

/// An upstream that remembers each block with its size and alignment, refuses to take back anything
/// else, and can fail at the n-th request. Not safe for threads: ThreadSanitizer notices two at once.
class counting_resource : public std::pmr::memory_resource {
public:
    counting_resource() = default;
    counting_resource(const counting_resource&) = delete;
    counting_resource& operator=(const counting_resource&) = delete;

    struct block {
        std::size_t bytes;
        std::size_t align;
        bool operator==(const block&) const = default;
    };

    std::map<void*, block> blocks; ///< handed out now
    std::size_t allocations = 0;
    std::size_t wrong = 0;     ///< blocks given back that were not, or were otherwise, handed out
    std::size_t misplaced = 0; ///< requests for no power of two
    std::size_t live_bytes = 0;
    std::size_t peak_bytes = 0;
    std::size_t fail_after = SIZE_MAX; ///< requests that still succeed
    std::size_t failures = 0;

    struct failure : std::bad_alloc {};

private:
    void* do_allocate(std::size_t bytes, std::size_t align) override {
        if (fail_after == 0) {
            ++failures;
            throw failure{};
        }
        --fail_after;
        misplaced += align == 0 || (align & (align - 1)) != 0 ? 1U : 0U;
        void* p = ::operator new(bytes, std::align_val_t{align});
        blocks[p] = {bytes, align};
        ++allocations;
        live_bytes += bytes;
        peak_bytes = live_bytes > peak_bytes ? live_bytes : peak_bytes;
        return p;
    }
    void do_deallocate(void* p, std::size_t bytes, std::size_t align) override {
        const auto found = blocks.find(p);
        if (found == blocks.end() || found->second != block{bytes, align}) {
            ++wrong;
            return;
        }
        blocks.erase(found);
        live_bytes -= bytes;
        ::operator delete(p, std::align_val_t{align});
    }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

} // namespace linn_test

#endif
