// SPDX-License-Identifier: Apache-2.0
#include "plan_tables.hpp"

#include "toml_scanner.hpp"

#include <cstring>

namespace linn::tool {
namespace {

enum class place : std::uint8_t { top, module, pool, site };

/// The keys of all tables; a bit of each is set once the key was read.
enum class key : std::uint8_t {
    version,
    program,
    note,
    max_bytes,
    children,
    name,
    build_id,
    align,
    padding,
    huge_pages,
    max_waste,
    pool,
    size,
    module,
    offset,
    code,
    stack,
    caller_module,
    caller_offset,
    caller_code,
    token,
};

struct known_key {
    std::string_view name;
    place where;
    key what;
};
constexpr known_key known_keys[] = {
    {"linn_plan", place::top, key::version},
    {"program", place::top, key::program},
    {"note", place::top, key::note},
    {"max_bytes", place::top, key::max_bytes},
    {"children", place::top, key::children},
    {"name", place::module, key::name},
    {"build_id", place::module, key::build_id},
    {"name", place::pool, key::name},
    {"align", place::pool, key::align},
    {"padding", place::pool, key::padding},
    {"huge_pages", place::pool, key::huge_pages},
    {"max_waste", place::pool, key::max_waste},
    {"size", place::pool, key::size},
    {"note", place::pool, key::note},
    {"pool", place::site, key::pool},
    {"size", place::site, key::size},
    {"align", place::site, key::align},
    {"module", place::site, key::module},
    {"offset", place::site, key::offset},
    {"code", place::site, key::code},
    {"stack", place::site, key::stack},
    {"caller_module", place::site, key::caller_module},
    {"caller_offset", place::site, key::caller_offset},
    {"caller_code", place::site, key::caller_code},
    {"token", place::site, key::token},
    {"note", place::site, key::note},
};

constexpr std::uint32_t bit(key k) noexcept {
    return std::uint32_t{1} << static_cast<unsigned>(k);
}

/// One reading of one text. Every function returns false once something was wrong.
class plan_reader : private toml_scanner {
public:
    plan_reader(char* text, std::size_t bytes, plan_tables& into, plan_error& error) noexcept
        : toml_scanner(text, bytes, error),
          plan_(into) {}

    bool read() noexcept {
        plan_.program = plan_.note = {};
        plan_.max_bytes = 0;
        plan_.has_children = true;
        plan_.module_count = plan_.pool_count = plan_.site_count = 0;
        if (end_ - at_ >= 3 && std::memcmp(at_, "\xef\xbb\xbf", 3) == 0) {
            at_ += 3;
        }
        for (line_ = 1; at_ != end_; ++line_) {
            if (!read_line()) {
                return false;
            }
        }
        if (!end_table()) {
            return false;
        }
        if ((seen_at_top_ & bit(key::version)) == 0) {
            return fail("not a plan: linn_plan = 1 is missing");
        }
        return connect();
    }

private:
    // -- lines -----------------------------------------------------------------------------------

    bool read_line() noexcept {
        skip_blanks();
        if (at_ == end_ || *at_ == '\n' || *at_ == '\r' || *at_ == '#') {
            return end_line();
        }
        if (*at_ == '[') {
            return read_header() && end_line();
        }
        return read_pair() && end_line();
    }

    bool read_header() noexcept {
        ++at_;
        if (at_ == end_ || *at_ != '[') {
            return fail("a plan has no table but [[module]], [[pool]] and [[site]]");
        }
        ++at_;
        skip_blanks();
        const std::string_view name = word();
        skip_blanks();
        if (end_ - at_ < 2 || at_[0] != ']' || at_[1] != ']') {
            return fail("[[ without ]] after a name");
        }
        at_ += 2;
        if ((seen_at_top_ & bit(key::version)) == 0) {
            return fail("not a plan: linn_plan = 1 must come first");
        }
        if (!end_table()) {
            return false;
        }
        seen_ = 0;
        if (name == "module") {
            return begin_module();
        }
        if (name == "pool") {
            return begin_pool();
        }
        if (name == "site") {
            return begin_site();
        }
        return fail("a plan has no [[%.*s]]", length(name), name.data());
    }

    bool begin_module() noexcept {
        if (plan_.module_count == most_planned_modules) {
            return fail("a plan has %zu modules at most", most_planned_modules);
        }
        where_ = place::module;
        planned_module& m = plan_.modules[plan_.module_count++];
        m.name = {};
        m.build_id_bytes = 0;
        m.line = line_;
        return true;
    }

    bool begin_pool() noexcept {
        if (plan_.pool_count == most_planned_pools) {
            return fail("a plan has %zu pools at most", most_planned_pools);
        }
        where_ = place::pool;
        planned_pool& p = plan_.pools[plan_.pool_count++];
        p.name = p.note = {};
        p.align = 16;
        p.room = p.object_bytes = 0;
        p.is_padded = p.wants_huge_pages = false;
        p.max_waste = usual_max_waste;
        p.line = line_;
        return true;
    }

    bool begin_site() noexcept {
        if (plan_.site_count == most_planned_sites) {
            return fail("a plan has %zu sites at most", most_planned_sites);
        }
        where_ = place::site;
        planned_site& s = plan_.sites[plan_.site_count++];
        s.pool_name = s.note = {};
        s.pool = 0;
        s.has_token = s.is_behind = false;
        s.size = s.stack = 0;
        s.align = 16;
        s.token = 0;
        for (planned_call* c : {&s.call, &s.caller}) {
            c->module_name = {};
            c->offset = 0;
            c->module = 0;
            c->code_bytes = 0;
        }
        s.line = line_;
        return true;
    }

    bool read_pair() noexcept {
        const std::string_view name = word();
        if (name.empty()) {
            return fail("a name is missing");
        }
        const known_key* found = nullptr;
        for (const known_key& k : known_keys) {
            if (k.where == where_ && k.name == name) {
                found = &k;
            }
        }
        if (found == nullptr) {
            return fail("'%.*s' is not a key of %s", length(name), name.data(), table_name());
        }
        std::uint32_t& seen = where_ == place::top ? seen_at_top_ : seen_;
        if ((seen & bit(found->what)) != 0) {
            return fail("'%.*s' is given twice", length(name), name.data());
        }
        if (where_ == place::top && seen == 0 && found->what != key::version) {
            return fail("not a plan: linn_plan = 1 must come first");
        }
        seen |= bit(found->what);
        value v{};
        return read_value_of(name, v) && take(*found, v);
    }

    const char* table_name() const noexcept {
        switch (where_) {
        case place::module:
            return "[[module]]";
        case place::pool:
            return "[[pool]]";
        case place::site:
            return "[[site]]";
        case place::top:
            break;
        }
        return "a plan, before its first table";
    }

    // -- what values mean ------------------------------------------------------------------------

    bool take(const known_key& k, const value& v) noexcept {
        switch (where_) {
        case place::top:
            return take_top(k, v);
        case place::module:
            return take_module(k, v, plan_.modules[plan_.module_count - 1]);
        case place::pool:
            return take_pool(k, v, plan_.pools[plan_.pool_count - 1]);
        case place::site:
            break;
        }
        return take_site(k, v, plan_.sites[plan_.site_count - 1]);
    }

    bool as_text(const known_key& k, const value& v, std::string_view& into) noexcept {
        if (v.what != value::text) {
            return fail("'%.*s' must be a string", length(k.name), k.name.data());
        }
        into = v.string;
        return true;
    }
    bool as_name(const known_key& k, const value& v, std::string_view& into) noexcept {
        if (!as_text(k, v, into)) {
            return false;
        }
        if (into.empty()) {
            return fail("'%.*s' must be a string that is not empty", length(k.name), k.name.data());
        }
        return true;
    }
    bool as_boolean(const known_key& k, const value& v, bool& into) noexcept {
        if (v.what != value::boolean) {
            return fail("'%.*s' must be true or false", length(k.name), k.name.data());
        }
        into = v.integer != 0;
        return true;
    }
    template <class Integer>
    bool as_number(const known_key& k, const value& v, std::uint64_t least, std::uint64_t most,
                   Integer& into) noexcept {
        if (v.what != value::number || v.integer < least || v.integer > most) {
            return fail("'%.*s' must be a whole number from %llu to %llu", length(k.name), k.name.data(),
                        static_cast<unsigned long long>(least), static_cast<unsigned long long>(most));
        }
        into = static_cast<Integer>(v.integer);
        return true;
    }
    bool as_alignment(const known_key& k, const value& v, std::uint64_t least, std::uint16_t& into) noexcept {
        if (!as_number(k, v, least, 128, into)) {
            return false;
        }
        if ((into & (into - 1)) != 0) {
            return fail("'align' must be a power of two");
        }
        return true;
    }
    bool as_bytes(const known_key& k, const value& v, std::size_t least, std::size_t most,
                  unsigned char* into, std::uint8_t& count) noexcept {
        std::string_view text;
        if (!as_text(k, v, text)) {
            return false;
        }
        std::size_t digits = 0;
        for (const char c : text) {
            if (c == ' ' && digits % 2 == 0) {
                continue;
            }
            const int digit = hex_digit(c);
            if (digit < 0 || digits / 2 == most) {
                digits = 1;
                break;
            }
            const auto half = static_cast<unsigned>(digit);
            into[digits / 2] =
                static_cast<unsigned char>(digits % 2 == 0 ? half << 4 : into[digits / 2] | half);
            ++digits;
        }
        if (digits % 2 != 0 || digits / 2 < least) {
            return fail("'%.*s' must be %zu to %zu bytes in hexadecimal", length(k.name), k.name.data(),
                        least, most);
        }
        count = static_cast<std::uint8_t>(digits / 2);
        return true;
    }

    bool take_top(const known_key& k, const value& v) noexcept {
        switch (k.what) {
        case key::version:
            if (v.what != value::number) {
                return fail("'linn_plan' must be the version of the format: 1");
            }
            if (v.integer != 1) {
                return fail("this is a plan of version %llu; this reader knows version 1",
                            static_cast<unsigned long long>(v.integer));
            }
            return true;
        case key::program:
            return as_text(k, v, plan_.program);
        case key::max_bytes:
            return as_number(k, v, 0, INT64_MAX, plan_.max_bytes);
        case key::children:
            return as_boolean(k, v, plan_.has_children);
        default:
            return as_text(k, v, plan_.note);
        }
    }

    bool take_module(const known_key& k, const value& v, planned_module& m) noexcept {
        if (k.what == key::name) {
            return as_name(k, v, m.name);
        }
        return as_bytes(k, v, 1, most_build_id_bytes, m.build_id, m.build_id_bytes);
    }

    bool take_pool(const known_key& k, const value& v, planned_pool& p) noexcept {
        switch (k.what) {
        case key::name:
            return as_name(k, v, p.name);
        case key::align:
            return as_alignment(k, v, 16, p.align);
        case key::padding:
            return as_boolean(k, v, p.is_padded);
        case key::huge_pages:
            return as_boolean(k, v, p.wants_huge_pages);
        case key::max_waste:
            return as_number(k, v, 0, 1'000'000, p.max_waste);
        case key::size:
            return as_number(k, v, 1, largest_planned_size, p.room);
        default:
            return as_text(k, v, p.note);
        }
    }

    bool take_site(const known_key& k, const value& v, planned_site& s) noexcept {
        switch (k.what) {
        case key::pool:
            return as_name(k, v, s.pool_name);
        case key::size:
            return as_number(k, v, 1, largest_planned_size, s.size);
        case key::align:
            return as_alignment(k, v, 1, s.align);
        case key::module:
            return as_name(k, v, s.call.module_name);
        case key::offset:
            return as_number(k, v, most_code_bytes, std::uint64_t{1} << 46, s.call.offset);
        case key::code:
            return as_bytes(k, v, least_code_bytes, most_code_bytes, s.call.code, s.call.code_bytes);
        case key::stack:
            s.is_behind = true;
            return as_number(k, v, 0, largest_stack_offset, s.stack) &&
                   (s.stack % 8 == 0 || fail("'stack' must be a multiple of 8"));
        case key::caller_module:
            return as_name(k, v, s.caller.module_name);
        case key::caller_offset:
            return as_number(k, v, most_code_bytes, std::uint64_t{1} << 46, s.caller.offset);
        case key::caller_code:
            return as_bytes(k, v, least_code_bytes, most_code_bytes, s.caller.code, s.caller.code_bytes);
        case key::token:
            s.has_token = true;
            return as_number(k, v, 0, INT64_MAX, s.token);
        default:
            return as_text(k, v, s.note);
        }
    }

    // -- whole tables ----------------------------------------------------------------------------

    bool require(key k, const char* name) noexcept {
        return (seen_ & bit(k)) != 0 || fail("%s without '%s'", table_name(), name);
    }

    /// At the line behind a table: what it must have. What names refer to is looked up when all are known.
    bool end_table() noexcept {
        if (where_ == place::top) {
            return true;
        }
        const std::uint32_t here = line_;
        line_ = where_ == place::module ? plan_.modules[plan_.module_count - 1].line
                : where_ == place::pool ? plan_.pools[plan_.pool_count - 1].line
                                        : plan_.sites[plan_.site_count - 1].line;
        const bool is_whole = where_ == place::site ? is_whole_site() : require(key::name, "name");
        if (is_whole) {
            line_ = here;
        }
        return is_whole;
    }

    bool is_whole_site() noexcept {
        constexpr std::uint32_t of_caller =
            bit(key::stack) | bit(key::caller_module) | bit(key::caller_offset);
        constexpr std::uint32_t of_call = bit(key::module) | bit(key::offset) | bit(key::code);
        if (!require(key::pool, "pool") || !require(key::size, "size")) {
            return false;
        }
        const bool has_caller = (seen_ & (of_caller | bit(key::caller_code))) != 0;
        if (has_caller && (seen_ & of_caller) != of_caller) {
            return fail("[[site]]: 'stack', 'caller_module' and 'caller_offset' need each other");
        }
        if ((seen_ & bit(key::token)) != 0) {
            return (seen_ & of_call) == 0 && !has_caller
                       ? true
                       : fail("[[site]]: 'token' replaces the return address: give one of them");
        }
        return require(key::module, "module") && require(key::offset, "offset");
    }

    /// What tables call each other by.
    bool connect() noexcept {
        for (std::uint32_t i = 0; i != plan_.module_count; ++i) {
            for (std::uint32_t j = 0; j != i; ++j) {
                if (plan_.modules[i].name == plan_.modules[j].name) {
                    return fail_at(plan_.modules[i].line, "two modules are called", plan_.modules[i].name);
                }
            }
        }
        for (std::uint32_t i = 0; i != plan_.pool_count; ++i) {
            for (std::uint32_t j = 0; j != i; ++j) {
                if (plan_.pools[i].name == plan_.pools[j].name) {
                    return fail_at(plan_.pools[i].line, "two pools are called", plan_.pools[i].name);
                }
            }
        }
        for (std::uint32_t i = 0; i != plan_.site_count; ++i) {
            if (!connect(plan_.sites[i])) {
                return false;
            }
        }
        return true;
    }

    bool connect(planned_site& s) noexcept {
        std::uint32_t pool = 0;
        while (pool != plan_.pool_count && plan_.pools[pool].name != s.pool_name) {
            ++pool;
        }
        if (pool == plan_.pool_count) {
            return fail_at(s.line, "unknown pool", s.pool_name);
        }
        planned_pool& p = plan_.pools[pool];
        const unsigned slot_align = p.is_padded && p.align < 64 ? 64 : p.align;
        if (s.align > slot_align) {
            return fail_at(s.line, "the site's alignment is larger than that of pool", p.name);
        }
        s.pool = static_cast<std::uint8_t>(pool);
        const std::uint16_t least = s.size > p.room ? s.size : p.room;
        p.object_bytes = least > p.object_bytes ? least : p.object_bytes;
        return s.has_token || (connect(s, s.call) && (!s.is_behind || connect(s, s.caller)));
    }

    bool connect(const planned_site& s, planned_call& c) noexcept {
        std::uint32_t module = 0;
        while (module != plan_.module_count && plan_.modules[module].name != c.module_name) {
            ++module;
        }
        if (module == plan_.module_count) {
            return fail_at(s.line, "unknown module", c.module_name);
        }
        if (plan_.modules[module].build_id_bytes == 0 && c.code_bytes == 0) {
            return fail_at(s.line, "without a build id each site needs its code: module", c.module_name);
        }
        c.module = static_cast<std::uint16_t>(module);
        return true;
    }

    bool fail_at(std::uint32_t line, const char* what, std::string_view name) noexcept {
        line_ = line;
        return fail("%s '%.*s'", what, length(name), name.data());
    }

    plan_tables& plan_;
    place where_ = place::top;
    std::uint32_t seen_at_top_ = 0;
    std::uint32_t seen_ = 0; ///< in this table
};

} // namespace

bool read_plan(char* text, std::size_t bytes, plan_tables& into, plan_error& error) noexcept {
    return plan_reader{text, bytes, into, error}.read();
}

} // namespace linn::tool
