// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_HANDLE_TABLE_HPP
#define LINN_DETAIL_CORE_HANDLE_TABLE_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/core/pointers.hpp>
#include <linn/detail/core/slot_bitmap.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace linn::inline LINN_ABI::detail {

/// Which object a number stands for. A number is an index into the table and, above it, a generation: how often
/// the index was used. So a number is valid for one object only, ever.
///
/// Each entry is in exactly one state:
///   used     object != null; its number is (generation, index)
///   free     object == null; in the set of free ones; `generation` is that of its next use
///   taken    object == null, in the hands of the pool
///   retired  object == null, generation == 0; in the set of retired ones: all its generations were used
///
/// Generations start at 1, so no number is 0. The lowest free indices are taken first, in order: a list of those freed
/// last would lead all over the table after random frees, a cache miss for each.
template <page_source Pages, unsigned IndexBits, unsigned GenerationBits>
class handle_table {
public:
    using number = std::conditional_t<IndexBits + GenerationBits <= 32, std::uint32_t, std::uint64_t>;

    static constexpr std::size_t most = static_cast<std::size_t>(std::uint64_t{1} << IndexBits);
    static constexpr auto last_generation =
        static_cast<std::uint32_t>((std::uint64_t{1} << GenerationBits) - 1);

    handle_table() noexcept = default;
    handle_table(const handle_table&) = delete;
    handle_table& operator=(const handle_table&) = delete;
    ~handle_table() { unmap(); }

    static constexpr std::uint32_t index_of(number n) noexcept {
        return static_cast<std::uint32_t>(n & static_cast<number>(most - 1));
    }
    static constexpr number generation_of(number n) noexcept { return static_cast<number>(n >> IndexBits); }

    /// The object of `n`, which may be any number; null when it is gone. @complexity nine instructions, two loads
    [[nodiscard]] void* find(number n) const noexcept {
        const std::uint32_t index = index_of(n);
        if (index >= size_) [[LINN_DETAIL_UNLIKELY]] {
            return nullptr;
        }
        const entry& e = entries_[index];
        return e.generation == generation_of(n) ? e.object : nullptr;
    }

    /// 0 for what is no index. @pre otherwise the entry is used
    [[nodiscard]] number number_of(std::uint32_t index) const noexcept {
        return index < size_ ? number{entries_[index].generation} << IndexBits | index : 0;
    }

    static constexpr std::size_t no_index = SIZE_MAX;

    /// The first index from `i` on that has an object; `no_index` where there is none.
    /// @complexity O(1), a step for each 64 free or retired indices between, and one for each that is taken
    [[nodiscard]] std::size_t used_from(std::size_t i) const noexcept {
        while (i < size_ && entries_[i].object == nullptr) [[LINN_DETAIL_UNLIKELY]] {
            i = free_.find(false, i + 1, size_, &retired_set_);
        }
        return i < size_ ? i : no_index;
    }

    /// @pre it is an index that was used once
    [[nodiscard]] void* object_at(std::size_t index) const noexcept { return entries_[index].object; }

    /// How many indices can be taken without more memory.
    [[nodiscard]] std::size_t ready() const noexcept { return free_count_ + capacity_ - size_; }

    /// Makes `n` indices ready. @returns false when there are not that many, or no memory; nothing changed
    /// @complexity amortised constant for each index
    [[nodiscard]] bool reserve(std::size_t n) noexcept {
        return n <= ready() || (n - free_count_ <= most - size_ && grow(size_ + (n - free_count_)));
    }

    /// Writes `n` indices below `end`, lowest on top. @pre n <= ready()
    /// @complexity O(n), and a step for each 4096 used indices between them
    void take(std::uint32_t* end, std::size_t n) noexcept {
        const std::size_t again = n < free_count_ ? n : free_count_;
        if (again != 0) {
            const auto write = [&end](std::size_t first, std::size_t count) {
                for (std::size_t i = first; i != first + count; ++i) {
                    *--end = static_cast<std::uint32_t>(i);
                }
            };
            free_.take(again, size_, write, lowest_free_);
            lowest_free_ = *end;
            free_count_ -= again;
        }
        for (n -= again; n != 0; --n) {
            entries_[size_] = entry{nullptr, 1};
            *--end = static_cast<std::uint32_t>(size_++);
        }
    }

    /// @pre the entry is taken
    number use(std::uint32_t index, void* object) noexcept {
        entries_[index].object = object;
        return number_of(index);
    }

    /// From here on no number finds the object. @pre the entry is used; it is taken afterwards
    /// @returns whether the index has a generation left; one that has none can only be given
    bool invalidate(std::uint32_t index) noexcept {
        entry& e = entries_[index];
        e.object = nullptr;
        e.generation = e.generation != last_generation ? e.generation + 1 : 0;
        return e.generation != 0;
    }

    /// Frees `n` indices, or retires them. @pre their entries are taken
    void give(const std::uint32_t* indices, std::size_t n) noexcept {
        for (std::size_t i = 0; i != n; ++i) {
            if (entries_[indices[i]].generation == 0) [[LINN_DETAIL_UNLIKELY]] {
                retired_set_.insert(indices[i], 1);
                ++retired_;
            } else {
                free_.insert(indices[i], 1);
                lowest_free_ = indices[i] < lowest_free_ ? indices[i] : lowest_free_;
                ++free_count_;
            }
        }
    }

    [[nodiscard]] std::size_t retired() const noexcept { return retired_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_for(capacity_); }

private:
    struct entry {
        void* object;
        std::uint32_t generation;
    };
    static constexpr std::size_t first_capacity = most < 64 ? most : 64;
    static constexpr std::size_t bytes_for(std::size_t n) noexcept {
        return n * sizeof(entry) + 2 * slot_bitmap::storage_words(n) * sizeof(std::uint64_t);
    }

    [[LINN_DETAIL_NOINLINE]] bool grow(std::size_t wanted) noexcept {
        const std::size_t n = clamp(wanted, clamp(2 * capacity_, first_capacity, most), most);
        void* const memory = // bytes_for would wrap where pointers have 32 bits
            n <= SIZE_MAX / 2 / sizeof(entry) ? Pages::map(bytes_for(n), cache_line_bytes) : nullptr;
        if (memory == nullptr) {
            return false;
        }
        auto* const to = static_cast<entry*>(memory);
        auto* const words = reinterpret_cast<std::uint64_t*>(to + n);
        std::memset(words, 0, bytes_for(n) - n * sizeof(entry));
        slot_bitmap free_there{words, n};
        slot_bitmap retired_there{words + slot_bitmap::storage_words(n), n};
        if (size_ != 0) {
            std::memcpy(memory, static_cast<const void*>(entries_), size_ * sizeof(entry));
            const auto copy = [this](const slot_bitmap& from, slot_bitmap& into) {
                from.for_each_run(0, size_, [&into](std::size_t first, std::size_t count) {
                    return into.insert(first, count);
                });
            };
            copy(free_, free_there);
            copy(retired_set_, retired_there);
        }
        unmap();
        entries_ = to;
        free_ = free_there;
        retired_set_ = retired_there;
        capacity_ = n;
        return true;
    }

    void unmap() noexcept {
        if (entries_ != nullptr) {
            Pages::unmap(entries_, bytes(), cache_line_bytes);
        }
    }

    entry* entries_ = nullptr;
    std::size_t size_ = 0; ///< entries that were ever taken
    std::size_t capacity_ = 0;
    std::size_t free_count_ = 0;
    std::size_t lowest_free_ = 0; ///< no free index is lower
    std::size_t retired_ = 0;
    slot_bitmap free_;        ///< indices
    slot_bitmap retired_set_; ///< indices
};

} // namespace linn::inline LINN_ABI::detail

#endif
