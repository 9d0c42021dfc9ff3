// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_POINTER_LIST_HPP
#define LINN_DETAIL_CORE_POINTER_LIST_HPP

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

    /// Keeps the order of a sorted list. @pre there is room, and `p` is not in it @complexity O(n)
    void insert(void* p) noexcept {
        void** const at = data_ + (first_from(p) - data_);
        std::memmove(at + 1, at, static_cast<std::size_t>(end() - at) * sizeof(void*));
        *at = p;
        ++size_;
    }

    /// @pre sorted, and `p` is in it @complexity O(n)
    void erase(const void* p) noexcept {
        void** const at = data_ + (first_from(p) - data_);
        --size_;
        std::memmove(at, at + 1, static_cast<std::size_t>(end() - at) * sizeof(void*));
    }

    /// The first element that is not below `p`. @pre sorted @complexity O(log(n))
    [[nodiscard]] void* const* first_from(const void* p) const noexcept {
        std::size_t low = 0;
        for (std::size_t high = size_; low != high;) {
            const std::size_t middle = low + (high - low) / 2;
            if (number(data_[middle]) < number(p)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return data_ + low;
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] void* const* begin() const noexcept { return data_; }
    [[nodiscard]] void* const* end() const noexcept { return data_ + size_; }

private:
    static std::uintptr_t number(const void* p) noexcept { return reinterpret_cast<std::uintptr_t>(p); }

    void unmap() noexcept {
        if (data_ != nullptr) {
            Pages::unmap(data_, capacity_ * sizeof(void*), page_bytes);
        }
    }

    void** data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

} // namespace linn::inline LINN_ABI::detail

#endif
