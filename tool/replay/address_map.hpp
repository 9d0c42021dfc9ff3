// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace linn::tool {

/// A map from addresses to small values: open addressing with linear probing, and deletion that leaves no gaps, so that
/// neither time nor memory grows with what was once live. Address 0 is no key.
/// @source Knuth, The Art of Computer Programming, volume 3, section 6.4, algorithm R
template <class Value>
class address_map {
public:
    std::size_t size() const noexcept { return size_; }

    /// Adds the entry. @pre the address is not there
    void insert(std::uint64_t address, const Value& value) {
        if ((size_ + 1) * 8 > entries_.size() * 5) {
            grow();
        }
        place(address, value);
        ++size_;
    }

    Value* find(std::uint64_t address) noexcept {
        if (size_ == 0 || address == 0) {
            return nullptr;
        }
        for (std::size_t i = home(address);; i = next(i)) {
            if (entries_[i].address == address) {
                return &entries_[i].value;
            }
            if (entries_[i].address == 0) {
                return nullptr;
            }
        }
    }

    /// Removes the entry and returns its value.
    std::optional<Value> take(std::uint64_t address) noexcept {
        Value* const found = find(address);
        if (found == nullptr) {
            return std::nullopt;
        }
        const Value value = *found;
        std::size_t hole = home(address);
        while (entries_[hole].address != address) {
            hole = next(hole);
        }
        for (std::size_t i = next(hole); entries_[i].address != 0; i = next(i)) {
            // What may not stand before its home stays.
            const std::size_t from_home = (i - home(entries_[i].address)) & mask();
            if (from_home < ((i - hole) & mask())) {
                continue;
            }
            entries_[hole] = entries_[i];
            hole = i;
        }
        entries_[hole].address = 0;
        --size_;
        return value;
    }

private:
    struct entry {
        std::uint64_t address = 0;
        Value value{};
    };

    std::size_t mask() const noexcept { return entries_.size() - 1; }
    std::size_t next(std::size_t i) const noexcept { return (i + 1) & mask(); }
    std::size_t home(std::uint64_t address) const noexcept {
        return static_cast<std::size_t>((address * 0x9e37'79b9'7f4a'7c15u) >> shift_);
    }

    void place(std::uint64_t address, const Value& value) noexcept {
        std::size_t i = home(address);
        while (entries_[i].address != 0) {
            i = next(i);
        }
        entries_[i] = {address, value};
    }

    void grow() {
        std::vector<entry> old = std::exchange(entries_, {});
        entries_.resize(old.empty() ? 1024 : old.size() * 2);
        shift_ = 64;
        for (std::size_t n = entries_.size(); n > 1; n /= 2) {
            --shift_;
        }
        for (const entry& e : old) {
            if (e.address != 0) {
                place(e.address, e.value);
            }
        }
    }

    std::vector<entry> entries_; // a power of two of them
    std::size_t size_ = 0;
    unsigned shift_ = 63;
};

} // namespace linn::tool
