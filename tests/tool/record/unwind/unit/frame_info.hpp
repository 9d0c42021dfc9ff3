// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

/// An .eh_frame_hdr and an .eh_frame written by hand, for code that does not exist.
class frame_info {
public:
    using bytes = std::vector<unsigned char>;

    struct function {
        std::uint32_t offset; ///< of its code behind the header
        std::uint32_t length;
        bytes program;
    };

    /// `letters`: "zR" or "zRS". Functions in the order of their offsets.
    frame_info(const std::vector<function>& functions, const std::string& letters = "zR") {
        storage_.reserve(65536); // addresses in it are final
        storage_.resize(12 + functions.size() * 8);
        const std::size_t common = begin_entry();
        put<std::uint32_t>(0);
        put<std::uint8_t>(1);
        for (const char letter : letters) {
            put(letter);
        }
        put('\0');
        put<std::uint8_t>(1);    // code factor
        put<std::uint8_t>(0x78); // data factor -8
        put<std::uint8_t>(16);
        put<std::uint8_t>(1);          // bytes of augmentation
        put<std::uint8_t>(0x1b);       // addresses are 32 bits, relative to their place
        append({0x0c, 7, 8, 0x90, 1}); // CFA = rsp + 8, return address below it
        end_entry(common);
        std::vector<std::uint32_t> entries;
        for (const function& each : functions) {
            entries.push_back(static_cast<std::uint32_t>(storage_.size()));
            const std::size_t entry = begin_entry();
            put(static_cast<std::uint32_t>(storage_.size() - common));
            put(static_cast<std::int32_t>(each.offset) - static_cast<std::int32_t>(storage_.size()));
            put(each.length);
            put<std::uint8_t>(0);
            append(each.program);
            end_entry(entry);
        }
        put<std::uint32_t>(0);
        unsigned char* const at = storage_.data();
        at[0] = 1;
        at[1] = 0x1b;
        at[2] = 0x03;
        at[3] = 0x3b;
        write(4, static_cast<std::int32_t>(common) - 4);
        write(8, static_cast<std::uint32_t>(functions.size()));
        for (std::size_t i = 0; i != functions.size(); ++i) {
            write(12 + 8 * i, functions[i].offset);
            write(16 + 8 * i, entries[i]);
        }
    }

    const unsigned char* header() const { return storage_.data(); }
    std::uintptr_t code(std::uint32_t offset) const {
        return reinterpret_cast<std::uintptr_t>(storage_.data()) + offset;
    }

private:
    template <class T>
    void put(T value) {
        const auto* from = reinterpret_cast<const unsigned char*>(&value);
        storage_.insert(storage_.end(), from, from + sizeof value);
    }
    template <class T>
    void write(std::size_t at, T value) {
        std::memcpy(storage_.data() + at, &value, sizeof value);
    }
    void append(const bytes& more) { storage_.insert(storage_.end(), more.begin(), more.end()); }
    std::size_t begin_entry() {
        put<std::uint32_t>(0);
        return storage_.size() - 4;
    }
    void end_entry(std::size_t entry) {
        while (storage_.size() % 4 != 0) {
            put<std::uint8_t>(0);
        }
        write(entry, static_cast<std::uint32_t>(storage_.size() - entry - 4));
    }

    bytes storage_;
};
