// SPDX-License-Identifier: Apache-2.0
#include "frame_entry.hpp"

#include <dlfcn.h>

#if defined(__x86_64__) && defined(DLFO_STRUCT_HAS_EH_DBASE)
// Weak: the library is also loaded where glibc is older.
extern "C" int _dl_find_object(void*, dl_find_object*) noexcept __attribute__((weak));
#endif

namespace linn::tool::unwind {
namespace {

constexpr unsigned omitted = 0xff;
/// A table of pairs of 32-bit distances from the header, the only form that linkers write.
constexpr unsigned sorted_table = 0x3b;

/// Lengths say where things end; before the length is known nothing is.
dwarf_reader unbounded(const unsigned char* from) {
    constexpr std::uintptr_t far = std::uintptr_t{1} << 40;
    return {from, from + far};
}

/// Begins reading an entry of .eh_frame. False at the terminator.
bool open_entry(const unsigned char* at, dwarf_reader& body) {
    dwarf_reader reader = unbounded(at);
    std::uint64_t length = reader.fixed<std::uint32_t>();
    if (length == 0xffff'ffff) {
        length = reader.fixed<std::uint64_t>();
    }
    body = reader.block(length);
    return length != 0 && !reader.failed();
}

struct common_entry {
    dwarf_reader program;
    std::uint64_t code_factor = 0;
    std::int64_t data_factor = 0;
    unsigned return_column = 0;
    unsigned pointer_encoding = 0;
    bool has_augmentation = false;
    bool signal_frame = false;
};

bool read_augmentation(const char* letters, dwarf_reader data, common_entry& into) {
    for (; *letters != 0; ++letters) {
        switch (*letters) {
        case 'R':
            into.pointer_encoding = data.fixed<unsigned char>();
            break;
        case 'P':
            data.number(data.fixed<unsigned char>());
            break;
        case 'L':
            data.skip(1);
            break;
        case 'S':
            into.signal_frame = true;
            break;
        default:
            return false;
        }
    }
    return !data.failed();
}

bool read_common(const unsigned char* at, common_entry& into) {
    dwarf_reader reader;
    if (!open_entry(at, reader) || reader.fixed<std::uint32_t>() != 0) {
        return false;
    }
    const unsigned version = reader.fixed<unsigned char>();
    if (version != 1 && version != 3) {
        return false;
    }
    const auto* letters = reinterpret_cast<const char*>(reader.position());
    while (reader.fixed<char>() != 0) {
    }
    into.code_factor = reader.unsigned_leb();
    into.data_factor = reader.signed_leb();
    into.return_column =
        version == 1 ? reader.fixed<unsigned char>() : static_cast<unsigned>(reader.unsigned_leb());
    if (*letters == 'z') {
        into.has_augmentation = true;
        if (!read_augmentation(letters + 1, reader.block(reader.unsigned_leb()), into)) {
            return false;
        }
    } else if (*letters != 0) {
        return false; // of a compiler older than this format
    }
    into.program = reader;
    return !reader.failed();
}

/// Reads the description at `at`; false if it is none.
bool read_description(const unsigned char* at, frame_entry& into) {
    dwarf_reader reader;
    if (!open_entry(at, reader)) {
        return false;
    }
    const unsigned char* const base = reader.position();
    const std::uint32_t distance = reader.fixed<std::uint32_t>();
    common_entry common;
    if (distance == 0 || !read_common(base - distance, common)) {
        return false;
    }
    into.begin = reader.pointer(common.pointer_encoding);
    into.end = into.begin + reader.number(common.pointer_encoding);
    if (common.has_augmentation) {
        reader.skip(reader.unsigned_leb());
    }
    into.common_program = common.program;
    into.program = reader;
    into.code_factor = common.code_factor;
    into.data_factor = common.data_factor;
    into.return_column = common.return_column;
    into.pointer_encoding = common.pointer_encoding;
    into.signal_frame = common.signal_frame;
    return !reader.failed();
}

bool search_sorted(const unsigned char* header, const unsigned char* table, std::uintptr_t count,
                   std::uintptr_t pc, frame_entry& into) {
    struct pair {
        std::int32_t code;
        std::int32_t entry;
    };
    const auto base = reinterpret_cast<std::uintptr_t>(header);
    const auto at = [table](std::uintptr_t index) {
        pair value;
        std::memcpy(&value, table + index * sizeof(pair), sizeof value);
        return value;
    };
    const auto wanted = static_cast<std::int64_t>(pc - base);
    std::uintptr_t first = 0;
    std::uintptr_t last = count;
    while (first < last) {
        const std::uintptr_t middle = first + (last - first) / 2;
        if (at(middle).code <= wanted) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    return first != 0 && read_description(header + at(first - 1).entry, into) && into.begin <= pc &&
           pc < into.end;
}

bool search_all(const unsigned char* frames, std::uintptr_t pc, frame_entry& into) {
    dwarf_reader body;
    for (const unsigned char* at = frames; open_entry(at, body);) {
        const unsigned char* const start = at;
        dwarf_reader head = body;
        const std::uint32_t distance = head.fixed<std::uint32_t>();
        at = body.position() + body.remaining();
        if (distance != 0 && read_description(start, into) && into.begin <= pc && pc < into.end) {
            return true;
        }
    }
    return false;
}

} // namespace

bool find_entry_in(const unsigned char* header, std::uintptr_t pc, frame_entry& into) noexcept {
    dwarf_reader reader = unbounded(header);
    const unsigned version = reader.fixed<unsigned char>();
    const unsigned frames_encoding = reader.fixed<unsigned char>();
    const unsigned count_encoding = reader.fixed<unsigned char>();
    const unsigned table_encoding = reader.fixed<unsigned char>();
    if (version != 1 || frames_encoding == omitted) {
        return false;
    }
    const auto base = reinterpret_cast<std::uintptr_t>(header);
    const std::uintptr_t frames = reader.pointer(frames_encoding, base);
    if (count_encoding != omitted && table_encoding == sorted_table) {
        const std::uintptr_t count = reader.pointer(count_encoding, base);
        return !reader.failed() && search_sorted(header, reader.position(), count, pc, into);
    }
    return !reader.failed() && search_all(reinterpret_cast<const unsigned char*>(frames), pc, into);
}

#if defined(__x86_64__) && defined(DLFO_STRUCT_HAS_EH_DBASE)

bool can_find_entries() noexcept {
    return &_dl_find_object != nullptr;
}

bool find_entry(std::uintptr_t pc, frame_entry& into) noexcept {
    dl_find_object object;
    return can_find_entries() && _dl_find_object(reinterpret_cast<void*>(pc), &object) == 0 &&
           object.dlfo_eh_frame != nullptr &&
           find_entry_in(static_cast<const unsigned char*>(object.dlfo_eh_frame), pc, into);
}

#else

bool can_find_entries() noexcept {
    return false;
}

bool find_entry(std::uintptr_t, frame_entry&) noexcept {
    return false;
}

#endif

} // namespace linn::tool::unwind
