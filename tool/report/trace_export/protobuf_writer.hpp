// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace linn::tool {

/// A message in the wire format of protocol buffers, field by field.
/// @source https://protobuf.dev/programming-guides/encoding/
class protobuf_writer {
public:
    /// A number; 0 is what a missing field means, and is not written.
    void number(unsigned field, std::uint64_t value) {
        if (value != 0) {
            tag(field, 0);
            varint(value);
        }
    }

    /// Text, or a message that another writer holds.
    void bytes(unsigned field, std::string_view value) {
        tag(field, 2);
        varint(value.size());
        text_ += value;
    }

    /// Numbers of a repeated field, packed.
    void numbers(unsigned field, std::span<const std::uint64_t> values) {
        protobuf_writer packed;
        for (const std::uint64_t v : values) {
            packed.varint(v);
        }
        bytes(field, packed.text());
    }

    const std::string& text() const noexcept { return text_; }

private:
    void tag(unsigned field, unsigned wire_type) { varint(std::uint64_t{field} << 3 | wire_type); }

    void varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) {
            text_ += static_cast<char>(value | 0x80);
        }
        text_ += static_cast<char>(value);
    }

    std::string text_;
};

} // namespace linn::tool
