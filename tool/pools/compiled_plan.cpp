// SPDX-License-Identifier: Apache-2.0
#include "compiled_plan.hpp"

#include <cstring>

namespace linn::tool {
namespace {

class archive_reader {
public:
    explicit archive_reader(std::string_view from) noexcept : left_(from) {}

    template <class Number>
    bool number(Number& into) noexcept {
        return take(&into, sizeof into);
    }
    bool flag(bool& into) noexcept {
        unsigned char byte = 0;
        const bool is_there = take(&byte, 1) && byte <= 1;
        into = byte == 1;
        return is_there;
    }
    bool text(std::string_view& into) noexcept {
        std::uint32_t length = 0;
        if (!take(&length, sizeof length) || length > left_.size()) {
            return false;
        }
        into = left_.substr(0, length);
        left_.remove_prefix(length);
        return true;
    }
    template <std::size_t most>
    bool bytes(unsigned char (&into)[most], std::size_t count) noexcept {
        return count <= most && take(into, count);
    }
    bool is_at_end() const noexcept { return left_.empty(); }

private:
    bool take(void* into, std::size_t bytes) noexcept {
        if (bytes > left_.size()) {
            return false;
        }
        std::memcpy(into, left_.data(), bytes);
        left_.remove_prefix(bytes);
        return true;
    }

    std::string_view left_;
};

bool is_sound(const planned_call& c, const plan_tables& t) noexcept {
    return c.module < t.module_count && c.offset >= most_code_bytes && c.offset <= largest_call_offset &&
           (c.code_bytes == 0 || c.code_bytes >= least_code_bytes);
}

/// What the library relies on: no index is out of range, and no size is one that its indices could not hold.
bool is_sound(const plan_tables& t) noexcept {
    for (std::uint32_t i = 0; i != t.pool_count; ++i) {
        const planned_pool& p = t.pools[i];
        if (p.name.empty() || p.align < 16 || p.align > 128 || (p.align & (p.align - 1)) != 0 ||
            p.room > largest_planned_size || p.object_bytes > largest_planned_size) {
            return false;
        }
    }
    for (std::uint32_t i = 0; i != t.site_count; ++i) {
        const planned_site& s = t.sites[i];
        if (s.pool >= t.pool_count || s.size == 0 || s.size > t.pools[s.pool].object_bytes ||
            s.stack > largest_stack_offset || s.stack % 8 != 0 || !is_sound(s.call, t) ||
            (s.is_behind && !is_sound(s.caller, t))) {
            return false;
        }
    }
    return true;
}

} // namespace

bool is_compiled_plan(std::string_view bytes) noexcept {
    return bytes.substr(0, 19) == compiled_plan_magic.substr(0, 19); // without the version
}

bool read_compiled_plan(std::string_view bytes, plan_tables& into) noexcept {
    if (bytes.substr(0, compiled_plan_magic.size()) != compiled_plan_magic) {
        return false;
    }
    archive_reader reader{bytes.substr(compiled_plan_magic.size())};
    return describe(reader, into) && reader.is_at_end() && is_sound(into);
}

} // namespace linn::tool
