// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_POINTERS_HPP
#define LINN_DETAIL_CORE_POINTERS_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace linn::inline LINN_ABI::detail {

/// Where slabs come from. The seam through which tests inject failure.
template <class P>
concept page_source = requires(void* p, std::size_t bytes, std::size_t align) {
    { P::zeroed } -> std::convertible_to<bool>;               // whether map gives zeroed memory
    { P::map(bytes, align) } noexcept -> std::same_as<void*>; // aligned, or null
    { P::unmap(p, bytes, align) } noexcept;
    { P::discard(p, bytes) } noexcept -> std::same_as<bool>; // reads as zero afterwards, or false
    { P::prefer_huge(p, bytes) } noexcept;
    { P::prefer_small(p, bytes) } noexcept; // or pages that went back may come again, as parts of huge ones
    { P::readable(p) } noexcept -> std::same_as<bool>; // whether reading there could not crash
};

/// Pointers in an array that grows, in pages of its own: a vector for the inside of a pool, where the
/// general allocator may be the pool's own user.
template <page_source Pages>
class pointer_list {
public:
    pointer_list() noexcept = default;
    pointer_list(const pointer_list&) = delete;
    pointer_list& operator=(const pointer_list&) = delete;
    ~pointer_list() { unmap(); }

    /// Room for `capacity` in all. @returns false when there is no memory; nothing changed
    bool reserve(std::size_t capacity) noexcept {
        if (capacity <= capacity_) {
            return true;
        }
        const std::size_t wanted = capacity > 2 * capacity_ ? capacity : 2 * capacity_;
        const std::size_t bytes = round_up(wanted * sizeof(void*), page_bytes);
        void* const memory = Pages::map(bytes, page_bytes);
        if (memory == nullptr) {
            return false;
        }
        if (size_ != 0) {
            std::memcpy(memory, data_, size_ * sizeof(void*));
        }
        unmap();
        data_ = static_cast<void**>(memory);
        capacity_ = bytes / sizeof(void*);
        return true;
    }

    /// @pre there is room
    void push(void* p) noexcept { data_[size_++] = p; }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] void* const* begin() const noexcept { return data_; }
    [[nodiscard]] void* const* end() const noexcept { return data_ + size_; }

private:
    void unmap() noexcept {
        if (data_ != nullptr) {
            Pages::unmap(data_, capacity_ * sizeof(void*), page_bytes);
        }
    }

    void** data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

/// A set of pointers that do not look like pointers: each is kept inverted, so that a leak checker
/// that reads this memory does not take an object for reachable because it is in here.
///
/// An open hash table with linear probing, in pages of its own, which doubles before it is two thirds full.
template <page_source Pages>
class pointer_set {
public:
    constexpr pointer_set() noexcept = default;
    pointer_set(const pointer_set&) = delete;
    pointer_set& operator=(const pointer_set&) = delete;
    ~pointer_set() { unmap(table_, capacity_); }

    /// False when there is no memory; nothing changed then.
    /// @pre `p` is not in the set, or nothing is erased and the size is not asked for
    bool insert(const void* p) noexcept {
        if (3 * (size_ + 1) > 2 * capacity_ && !grow()) {
            return false;
        }
        put(~reinterpret_cast<std::uintptr_t>(p));
        ++size_;
        return true;
    }

    /// The same for an array, of which some are in the set when there is no more memory.
    bool append(void* const* first, std::size_t count) noexcept {
        while (count != 0 && insert(*first)) {
            ++first;
            --count;
        }
        return count == 0;
    }

    /// False when `p` is not in the set.
    bool erase(const void* p) noexcept {
        const std::size_t found = find(p);
        if (found == capacity_) {
            return false;
        }
        // Moves back each follower that would not be found past the gap.
        std::size_t gap = found;
        for (std::size_t i = next(gap); table_[i] != 0; i = next(i)) {
            const std::size_t home = home_of(table_[i]);
            if (((i - home) & (capacity_ - 1)) >= ((i - gap) & (capacity_ - 1))) {
                table_[gap] = table_[i];
                gap = i;
            }
        }
        table_[gap] = 0;
        --size_;
        return true;
    }

    [[nodiscard]] bool contains(const void* p) const noexcept { return find(p) != capacity_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    /// Appends all members. False when there is no memory.
    bool copy_to(pointer_list<Pages>& list) const noexcept {
        if (!list.reserve(list.size() + size_)) {
            return false;
        }
        for (std::size_t i = 0; i < capacity_; ++i) {
            if (table_[i] != 0) {
                list.push(reinterpret_cast<void*>(~table_[i]));
            }
        }
        return true;
    }

private:
    [[nodiscard]] std::size_t next(std::size_t i) const noexcept { return (i + 1) & (capacity_ - 1); }

    [[nodiscard]] std::size_t home_of(std::uintptr_t key) const noexcept {
        // Fibonacci hashing: the upper half of the product depends on all bits that differ.
        const std::uint64_t product = (std::uint64_t{key} >> 3) * 0x9e3779b97f4a7c15u;
        return static_cast<std::size_t>(product >> 32) & (capacity_ - 1);
    }

    /// Where `p` is, or capacity_.
    [[nodiscard]] std::size_t find(const void* p) const noexcept {
        if (capacity_ == 0) {
            return capacity_;
        }
        const std::uintptr_t key = ~reinterpret_cast<std::uintptr_t>(p);
        std::size_t i = home_of(key);
        while (table_[i] != key) {
            if (table_[i] == 0) {
                return capacity_;
            }
            i = next(i);
        }
        return i;
    }

    void put(std::uintptr_t key) noexcept {
        std::size_t i = home_of(key);
        while (table_[i] != 0) {
            i = next(i);
        }
        table_[i] = key;
    }

    [[LINN_DETAIL_COLD]] bool grow() noexcept {
        const std::size_t capacity = capacity_ != 0 ? 2 * capacity_ : page_bytes / sizeof(std::uintptr_t);
        const std::size_t bytes = capacity * sizeof(std::uintptr_t);
        void* const memory = Pages::map(bytes, page_bytes);
        if (memory == nullptr) {
            return false;
        }
        if (!Pages::zeroed) {
            std::memset(memory, 0, bytes);
        }
        std::uintptr_t* const old = table_;
        const std::size_t old_capacity = capacity_;
        table_ = static_cast<std::uintptr_t*>(memory);
        capacity_ = capacity;
        for (std::size_t i = 0; i < old_capacity; ++i) {
            if (old[i] != 0) {
                put(old[i]);
            }
        }
        unmap(old, old_capacity);
        return true;
    }

    static void unmap(std::uintptr_t* table, std::size_t capacity) noexcept {
        if (table != nullptr) {
            Pages::unmap(table, capacity * sizeof(std::uintptr_t), page_bytes);
        }
    }

    std::uintptr_t* table_ = nullptr; ///< 0: empty
    std::size_t capacity_ = 0;        ///< a power of two
    std::size_t size_ = 0;
};

} // namespace linn::inline LINN_ABI::detail

#endif
