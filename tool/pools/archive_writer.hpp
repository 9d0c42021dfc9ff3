// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiled_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace linn::tool {

/// Writes a compiled plan, as describe() tells it.
class archive_writer {
public:
    template <class Number>
    bool number(Number& value) {
        out.append(reinterpret_cast<const char*>(&value), sizeof value); // any object may be seen as bytes
        return true;
    }
    bool flag(bool& value) {
        out += value ? '\1' : '\0';
        return true;
    }
    bool text(std::string_view& value) {
        auto length = static_cast<std::uint32_t>(value.size());
        number(length);
        out += value;
        return true;
    }
    bool bytes(unsigned char* values, std::size_t count) {
        out.append(reinterpret_cast<const char*>(values), count); // the same
        return true;
    }

    std::string out{compiled_plan_magic};
};

} // namespace linn::tool
