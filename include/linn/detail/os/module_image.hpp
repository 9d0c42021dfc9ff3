// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_MODULE_IMAGE_HPP
#define LINN_DETAIL_OS_MODULE_IMAGE_HPP

#include <linn/config.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace linn::inline LINN_ABI::detail {

#if defined(LINN_DETAIL_SYMBOL)
/// The header of the module's file in memory, which every linker names so, for each module its own.
LINN_DETAIL_HIDDEN extern const unsigned char module_header[] LINN_DETAIL_SYMBOL("__ehdr_start");
#endif

/// Where code and static variables of a module lie; nowhere on systems that unload no module.
class module_image {
public:
    constexpr module_image() = default;

    /// Of the module that this code lies in. @complexity O(segments)
    LINN_DETAIL_HIDDEN static module_image here() noexcept {
#if defined(LINN_DETAIL_SYMBOL)
        return module_image{module_header};
#else
        return module_image{};
#endif
    }

    [[nodiscard]] bool contains(std::uintptr_t address) const noexcept {
        return address >= begin_ && address < end_;
    }
    [[nodiscard]] bool contains(const volatile void* p) const noexcept {
        return contains(reinterpret_cast<std::uintptr_t>(p));
    }

private:
    /// Tables of an ELF file are all that is read. Offsets as in the specification, in words and in bytes, of 32 and 64 bits.
    explicit module_image(const unsigned char* header) noexcept {
        constexpr std::size_t word = sizeof(void*);
        constexpr std::size_t segments_at = 24 + word;          // e_phoff
        constexpr std::size_t segment_size_at = 30 + 3 * word;  // e_phentsize
        constexpr std::size_t segment_count_at = 32 + 3 * word; // e_phnum
        constexpr std::size_t address_at = 2 * word;            // p_vaddr
        constexpr std::size_t bytes_at = 5 * word;              // p_memsz
        constexpr std::uint32_t loaded = 1;                     // PT_LOAD in p_type
        std::uintptr_t lowest = UINTPTR_MAX;
        std::uintptr_t highest = 0;
        const unsigned char* segment = header + read<std::uintptr_t>(header + segments_at);
        for (std::uint16_t n = read<std::uint16_t>(header + segment_count_at); n != 0; --n) {
            if (read<std::uint32_t>(segment) == loaded) {
                const auto begin = read<std::uintptr_t>(segment + address_at);
                const std::uintptr_t end = begin + read<std::uintptr_t>(segment + bytes_at);
                lowest = begin < lowest ? begin : lowest;
                highest = end > highest ? end : highest;
            }
            segment += read<std::uint16_t>(header + segment_size_at);
        }
        if (highest != 0) { // the header is the first thing that is loaded
            begin_ = reinterpret_cast<std::uintptr_t>(header);
            end_ = begin_ + (highest - lowest);
        }
    }

    template <class T>
    static T read(const unsigned char* from) noexcept {
        T value;
        std::memcpy(&value, from, sizeof value);
        return value;
    }

    std::uintptr_t begin_ = 0;
    std::uintptr_t end_ = 0;
};

/// Takes a function that lies in this module out of `Variable`, which is atomic and may be another module's.
template <auto& Variable>
LINN_DETAIL_HIDDEN void take_along() {
    auto function = Variable.load();
    if (module_image::here().contains(reinterpret_cast<std::uintptr_t>(function))) {
        Variable.compare_exchange_strong(function, nullptr);
    }
}

} // namespace linn::inline LINN_ABI::detail

#endif
