// SPDX-License-Identifier: Apache-2.0
// What a plan says of a file's code.
#include "../symbols/elf_file.hpp"
#include "plan.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>

#include <cstdlib>

namespace linn::tool {
namespace {

/// Whether the file maps the address to be executed.
bool is_code(const elf_file& file, std::uint64_t address) {
    std::size_t count = 0;
    if (::elf_getphdrnum(file.get(), &count) != 0) {
        return false;
    }
    for (std::size_t i = 0; i != count; ++i) {
        GElf_Phdr p;
        if (::gelf_getphdr(file.get(), static_cast<int>(i), &p) != nullptr && p.p_type == PT_LOAD &&
            (p.p_flags & PF_X) != 0 && address - p.p_vaddr < p.p_filesz) {
            return true;
        }
    }
    return false;
}

struct freed {
    void operator()(void* p) const noexcept { std::free(p); }
};

#if defined(__x86_64__)
constexpr unsigned stack_pointer_register = 7;
#else
constexpr unsigned stack_pointer_register = 31; // of 64-bit Arm
#endif

/// How far above the stack pointer an expression of one operation points; empty when it is another.
std::optional<std::int64_t> above_stack_pointer(const Dwarf_Op* ops, std::size_t count) {
    if (count != 1) {
        return std::nullopt;
    }
    if (ops[0].atom == DW_OP_breg0 + stack_pointer_register) {
        return static_cast<std::int64_t>(ops[0].number);
    }
    if (ops[0].atom == DW_OP_bregx && ops[0].number == stack_pointer_register) {
        return static_cast<std::int64_t>(ops[0].number2);
    }
    return std::nullopt;
}

/// Where the return address lies from the CFA on; empty when it is not in memory at a constant place.
std::optional<std::int64_t> return_address_from_cfa(Dwarf_Frame& frame) {
    const int number = ::dwarf_frame_info(&frame, nullptr, nullptr, nullptr);
    Dwarf_Op memory[3];
    Dwarf_Op* ops = nullptr;
    std::size_t count = 0;
    if (number < 0 || ::dwarf_frame_register(&frame, number, memory, &ops, &count) != 0 || count == 0 ||
        ops[0].atom != DW_OP_call_frame_cfa) {
        return std::nullopt;
    }
    if (count == 1) {
        return 0;
    }
    if (count == 2 && ops[1].atom == DW_OP_plus_uconst) {
        return static_cast<std::int64_t>(ops[1].number);
    }
    return std::nullopt;
}

} // namespace

std::optional<plan_module> plan_module_of(const std::filesystem::path& file) {
    const auto elf = elf_file::open(file.string());
    if (elf == nullptr) {
        return std::nullopt;
    }
    plan_module module{file.filename().string(), {}};
    const std::string id = elf->build_id();
    for (std::size_t i = 0; i + 1 < id.size() && module.build_id.size() != most_build_id_bytes; i += 2) {
        module.build_id.push_back(static_cast<unsigned char>(std::stoul(id.substr(i, 2), nullptr, 16)));
    }
    return module;
}

std::optional<plan_call> plan_call_of(const std::filesystem::path& file, std::uint64_t offset) {
    const auto elf = elf_file::open(file.string());
    if (elf == nullptr || offset < most_code_bytes || !is_code(*elf, offset - 1)) {
        return std::nullopt;
    }
    plan_call call{file.filename().string(), offset, {}};
    std::size_t bytes = most_code_bytes;
    while (bytes > least_code_bytes && !is_code(*elf, offset - bytes)) {
        --bytes;
    }
    const auto code = elf->bytes_at(offset - bytes, bytes);
    if (code.size() != bytes) {
        return std::nullopt;
    }
    call.code.assign(code.begin(), code.end());
    return call;
}

std::optional<unsigned> stack_offset_of(const std::filesystem::path& file, std::uint64_t offset) {
    const auto elf = elf_file::open(file.string());
    Dwarf_CFI* const cfi = elf != nullptr ? ::dwarf_getcfi_elf(elf->get()) : nullptr;
    if (cfi == nullptr) {
        return std::nullopt;
    }
    const std::unique_ptr<Dwarf_CFI, decltype([](Dwarf_CFI* c) { ::dwarf_cfi_end(c); })> ends{cfi};
    Dwarf_Frame* frame = nullptr;
    if (::dwarf_cfi_addrframe(cfi, offset - 1, &frame) != 0) {
        return std::nullopt;
    }
    const std::unique_ptr<Dwarf_Frame, freed> owned{frame};
    Dwarf_Op* ops = nullptr;
    std::size_t count = 0;
    if (::dwarf_frame_cfa(frame, &ops, &count) != 0) {
        return std::nullopt;
    }
    const std::optional<std::int64_t> cfa = above_stack_pointer(ops, count);
    const std::optional<std::int64_t> place = return_address_from_cfa(*frame);
    if (!cfa || !place) {
        return std::nullopt;
    }
    const std::int64_t stack = *cfa + *place;
    if (stack < 0 || stack > std::int64_t{largest_stack_offset} || stack % 8 != 0) {
        return std::nullopt;
    }
    return static_cast<unsigned>(stack);
}

} // namespace linn::tool
