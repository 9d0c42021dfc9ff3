// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_HANDLE_TABLE_HPP
#define LINN_DETAIL_CORE_HANDLE_TABLE_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/core/page_source.hpp>

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
///   free     object == null; in the list through `next`; `generation` is that of its next use
///   taken    neither: its object is being constructed or destroyed
///   retired  object == null, generation == 0, in no list: all its generations were used
///
/// Generations start at 1, so no number is 0.
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
        return index < size_ ? static_cast<number>(number{entries_[index].generation} << IndexBits | index)
                             : 0;
    }

    /// Makes room for `n` more indices to be taken. @returns false when there is none; nothing changed
    /// @complexity amortised constant for each index
    [[nodiscard]] bool reserve(std::size_t n) noexcept {
        if (n <= free_count_) [[LINN_DETAIL_LIKELY]] {
            return true;
        }
        n -= free_count_;
        if (n > most - size_) [[LINN_DETAIL_UNLIKELY]] {
            return false;
        }
        return size_ + n <= capacity_ || grow(size_ + n);
    }

    /// An index, taken from the list of those freed last or from the end. @pre reserve(1)
    std::uint32_t take() noexcept {
        if (free_count_ != 0) {
            const std::uint32_t index = first_free_;
            first_free_ = entries_[index].next;
            --free_count_;
            return index;
        }
        entries_[size_] = entry{nullptr, 1, 0};
        return static_cast<std::uint32_t>(size_++);
    }

    /// @pre the entry is taken
    number use(std::uint32_t index, void* object) noexcept {
        entries_[index].object = object;
        return number_of(index);
    }

    /// From here on no number finds the object. @pre the entry is used; it is taken afterwards
    void invalidate(std::uint32_t index) noexcept {
        entry& e = entries_[index];
        e.object = nullptr;
        e.generation = e.generation != last_generation ? e.generation + 1 : 0;
    }

    /// Frees an index, or retires it. @pre the entry is taken
    void give(std::uint32_t index) noexcept {
        entry& e = entries_[index];
        if (e.generation == 0) [[LINN_DETAIL_UNLIKELY]] {
            ++retired_;
            return;
        }
        e.next = first_free_;
        first_free_ = index;
        ++free_count_;
    }

    [[nodiscard]] std::size_t retired() const noexcept { return retired_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return capacity_ * sizeof(entry); }

    /// Checks the sentences above this class. For tests. @complexity O(n)
    [[nodiscard]] bool consistent(std::size_t in_use) const noexcept {
        std::size_t used_here = 0;
        std::size_t retired_here = 0;
        for (std::size_t i = 0; i != size_; ++i) {
            used_here += entries_[i].object != nullptr ? 1U : 0U;
            retired_here += entries_[i].generation == 0 ? 1U : 0U;
        }
        std::size_t free_here = 0;
        for (std::uint32_t i = first_free_; free_here != free_count_; i = entries_[i].next, ++free_here) {
            if (i >= size_ || entries_[i].object != nullptr || entries_[i].generation == 0) {
                return false;
            }
        }
        return used_here == in_use && retired_here == retired_ && in_use + free_here + retired_ == size_;
    }

private:
    struct entry {
        void* object;
        std::uint32_t generation;
        std::uint32_t next; ///< of the list of free ones
    };

    [[LINN_DETAIL_NOINLINE]] bool grow(std::size_t wanted) noexcept {
        const std::size_t twice = 2 * capacity_ < most ? 2 * capacity_ : most;
        const std::size_t bytes = round_up((wanted > twice ? wanted : twice) * sizeof(entry), page_bytes);
        void* const memory = Pages::map(bytes, page_bytes);
        if (memory == nullptr) {
            return false;
        }
        if (size_ != 0) {
            std::memcpy(memory, static_cast<const void*>(entries_), size_ * sizeof(entry));
        }
        unmap();
        entries_ = static_cast<entry*>(memory);
        capacity_ = bytes / sizeof(entry);
        return true;
    }

    void unmap() noexcept {
        if (entries_ != nullptr) {
            Pages::unmap(entries_, capacity_ * sizeof(entry), page_bytes);
        }
    }

    entry* entries_ = nullptr;
    std::size_t size_ = 0; ///< entries that were ever taken
    std::size_t capacity_ = 0;
    std::size_t free_count_ = 0;
    std::size_t retired_ = 0;
    std::uint32_t first_free_ = 0; ///< valid while free_count_ != 0
};

} // namespace linn::inline LINN_ABI::detail

#endif
