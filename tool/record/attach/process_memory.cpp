// SPDX-License-Identifier: Apache-2.0
#include "process_memory.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>

namespace linn::tool::attach {
namespace {

/// What a file claims may be any number: no more than this is read of one table.
constexpr std::size_t most_table_bytes = std::size_t{64} << 20;

template <class T>
std::vector<T> read_array(const process_memory& memory, std::uint64_t from, std::size_t count) {
    if (count > most_table_bytes / sizeof(T)) {
        return {};
    }
    std::vector<T> values(count);
    return memory.read(from, values.data(), count * sizeof(T)) ? values : std::vector<T>{};
}

/// Of the tables that the loader uses.
struct dynamic_tables {
    std::uint64_t symbols = 0;
    std::uint64_t names = 0;
    std::uint64_t name_bytes = 0;
    std::uint64_t gnu_hash = 0;
    std::uint64_t sysv_hash = 0;
};

dynamic_tables tables_in(const std::vector<Elf64_Dyn>& entries, std::uint64_t bias) {
    dynamic_tables tables;
    for (const Elf64_Dyn& d : entries) {
        // Most loaders write the address in place, some leave the offset.
        const std::uint64_t at = d.d_un.d_ptr < bias ? d.d_un.d_ptr + bias : d.d_un.d_ptr;
        switch (d.d_tag) {
        case DT_NULL:
            return tables;
        case DT_SYMTAB:
            tables.symbols = at;
            break;
        case DT_STRTAB:
            tables.names = at;
            break;
        case DT_STRSZ:
            tables.name_bytes = d.d_un.d_val;
            break;
        case DT_GNU_HASH:
            tables.gnu_hash = at;
            break;
        case DT_HASH:
            tables.sysv_hash = at;
            break;
        default:
            break;
        }
    }
    return tables;
}

/// How many symbols there are: no table says so itself.
std::size_t count_symbols(const process_memory& memory, const dynamic_tables& tables) {
    if (tables.sysv_hash != 0) {
        const auto head = read_array<std::uint32_t>(memory, tables.sysv_hash, 2);
        return head.size() == 2 ? head[1] : 0;
    }
    const auto head = read_array<std::uint32_t>(memory, tables.gnu_hash, 4);
    if (tables.gnu_hash == 0 || head.size() != 4) {
        return 0;
    }
    const std::uint64_t buckets_at = tables.gnu_hash + 16 + std::uint64_t{head[2]} * 8;
    const auto buckets = read_array<std::uint32_t>(memory, buckets_at, head[0]);
    const std::uint32_t last = buckets.empty() ? 0 : *std::max_element(buckets.begin(), buckets.end());
    if (last < head[1]) {
        return 0;
    }
    const std::uint64_t chains_at = buckets_at + std::uint64_t{head[0]} * 4;
    constexpr std::uint64_t longest_chain = 1 << 16; // a memory that is wrong on purpose has an end, too
    for (std::uint64_t i = last; i != last + longest_chain; ++i) {
        const auto entry = memory.get<std::uint32_t>(chains_at + (i - head[1]) * 4);
        if (!entry || (*entry & 1) != 0) {
            return entry ? i + 1 : 0;
        }
    }
    return 0;
}

} // namespace

bool process_memory::read(std::uint64_t from, void* to, std::size_t bytes) const noexcept {
    const iovec local{to, bytes};
    const iovec remote{reinterpret_cast<void*>(from), bytes};
    return ::process_vm_readv(pid_, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

bool process_memory::write(std::uint64_t to, const void* from, std::size_t bytes) const noexcept {
    const iovec local{const_cast<void*>(from), bytes};
    const iovec remote{reinterpret_cast<void*>(to), bytes};
    return ::process_vm_writev(pid_, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

std::vector<mapping> read_mappings(pid_t pid) {
    std::vector<mapping> found;
    std::ifstream in{fmt::format("/proc/{}/maps", pid)};
    for (std::string line; std::getline(in, line);) {
        mapping m;
        std::istringstream words{line};
        char dash = 0;
        std::string rights;
        std::string device;
        std::string inode;
        words >> std::hex >> m.begin >> dash >> m.end >> rights >> m.offset >> device >> inode;
        std::getline(words >> std::ws, m.path);
        m.is_code = rights.size() > 2 && rights[2] == 'x';
        m.file_id = device + ' ' + inode;
        found.push_back(std::move(m));
    }
    return found;
}

const mapping* mapping_at(const std::vector<mapping>& all, std::uint64_t address) {
    const auto behind = std::upper_bound(all.begin(), all.end(), address,
                                         [](std::uint64_t a, const mapping& m) { return a < m.end; });
    return behind != all.end() && address >= behind->begin ? &*behind : nullptr;
}

std::string file_name(const mapping& of) {
    constexpr std::string_view deleted = " (deleted)";
    std::string name = of.path;
    if (name.ends_with(deleted)) {
        name.resize(name.size() - deleted.size());
    }
    return name.substr(name.rfind('/') + 1);
}

mapped_symbols::mapped_symbols(const process_memory& memory, std::uint64_t begin) {
    if (!load(memory, begin)) {
        symbols_.clear();
    }
    names_.push_back('\0');
}

bool mapped_symbols::load(const process_memory& memory, std::uint64_t begin) {
    const auto header = memory.get<Elf64_Ehdr>(begin);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_phentsize != sizeof(Elf64_Phdr)) {
        return false;
    }
    const auto segments = read_array<Elf64_Phdr>(memory, begin + header->e_phoff, header->e_phnum);
    const auto first = std::find_if(segments.begin(), segments.end(),
                                    [](const Elf64_Phdr& p) { return p.p_type == PT_LOAD; });
    const auto dynamic = std::find_if(segments.begin(), segments.end(),
                                      [](const Elf64_Phdr& p) { return p.p_type == PT_DYNAMIC; });
    if (first == segments.end() || dynamic == segments.end()) {
        return false;
    }
    const std::uint64_t bias = begin - (first->p_vaddr - first->p_offset);
    const dynamic_tables tables = tables_in(
        read_array<Elf64_Dyn>(memory, bias + dynamic->p_vaddr, dynamic->p_memsz / sizeof(Elf64_Dyn)), bias);
    const auto entries = read_array<Elf64_Sym>(memory, tables.symbols, count_symbols(memory, tables));
    names_ = read_array<char>(memory, tables.names, tables.name_bytes);
    for (const Elf64_Sym& s : entries) {
        if (s.st_shndx != SHN_UNDEF && s.st_name < names_.size() && s.st_value != 0) {
            symbols_.push_back({bias + s.st_value, s.st_size, s.st_name});
        }
    }
    return true;
}

std::uint64_t mapped_symbols::find(const std::string& name) const {
    for (const symbol& s : symbols_) {
        if (name == name_of(s)) {
            return s.address;
        }
    }
    return 0;
}

std::vector<std::string> mapped_symbols::covering(std::uint64_t address) const {
    std::vector<std::string> names;
    for (const symbol& s : symbols_) {
        if (address - s.address < s.bytes) {
            names.emplace_back(name_of(s));
        }
    }
    return names;
}

} // namespace linn::tool::attach
