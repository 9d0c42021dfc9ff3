// SPDX-License-Identifier: Apache-2.0
#include "injection.hpp"

#include <sys/syscall.h>
#include <ucontext.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace linn::tool::attach {
namespace {

#if defined(__x86_64__)

constexpr std::uint64_t red_zone = 128; // bytes below the stack pointer that a function may use
constexpr std::uint64_t kernel_mask_bytes = 8;
constexpr std::uint64_t all_signals = ~std::uint64_t{0};

// What the kernel says of a system call that it has interrupted, and that begins again unless a handler runs.
constexpr std::int64_t restarts[] = {-512, -513, -514, -516};

// The parts of a signal's frame that <ucontext.h> does not name.
constexpr std::uint64_t has_extended_state = 1;
constexpr std::uint64_t has_stack_segment = 2 | 4;
constexpr int keep_alternate_stack = 0x100; // no such flag: the kernel changes nothing
constexpr std::uint32_t state_magic = 0x46505853;
constexpr std::uint32_t state_end_magic = 0x46505845;
constexpr std::size_t software_bytes_at = 464; // of the legacy area: what the kernel says of the rest
constexpr std::size_t header_at = 512;
constexpr std::uint64_t amx = std::uint64_t{3} << 17;

struct software_bytes {
    std::uint32_t magic;
    std::uint32_t extended_bytes;
    std::uint64_t features;
    std::uint32_t state_bytes;
    std::uint32_t padding[7];
};

std::uint64_t word_at(const std::vector<unsigned char>& bytes, std::size_t at) {
    std::uint64_t value = 0;
    if (at + sizeof value <= bytes.size()) {
        std::memcpy(&value, bytes.data() + at, sizeof value);
    }
    return value;
}

/// Bytes of the state with these features, as XSAVE lays it out without compaction.
std::size_t state_bytes(std::uint64_t features) {
    std::size_t bytes = header_at + 64;
    for (unsigned i = 2; i != 63; ++i) {
        unsigned size = 0;
        unsigned offset = 0;
        unsigned c = 0;
        unsigned d = 0;
        if ((features >> i & 1) != 0 && __get_cpuid_count(0xd, i, &size, &offset, &c, &d) != 0) {
            bytes = std::max<std::size_t>(bytes, std::size_t{offset} + size);
        }
    }
    return bytes;
}

/// The state as it stands in a signal's frame. That of AMX is there only if the thread uses it.
std::vector<unsigned char> state_for_frame(const std::vector<unsigned char>& extended) {
    std::vector<unsigned char> state = extended;
    std::uint64_t features = word_at(extended, software_bytes_at);
    if ((word_at(extended, header_at) & amx) == 0) {
        features &= ~amx;
    }
    state.resize(std::min(state.size(), state_bytes(features)));
    software_bytes words{};
    words.magic = state_magic;
    words.state_bytes = static_cast<std::uint32_t>(state.size());
    words.extended_bytes = words.state_bytes + static_cast<std::uint32_t>(sizeof state_end_magic);
    words.features = features;
    std::memcpy(state.data() + software_bytes_at, &words, sizeof words);
    state.resize(state.size() + sizeof state_end_magic);
    std::memcpy(state.data() + words.state_bytes, &state_end_magic, sizeof state_end_magic);
    return state;
}

/// As the kernel would resume the thread: an interrupted system call begins again. One with a time limit begins with the whole
/// limit again, for only the kernel knows what is left of it.
user_regs_struct resumed(user_regs_struct r) {
    const auto number = static_cast<std::int64_t>(r.orig_rax);
    if (number >= 0 && std::find(std::begin(restarts), std::end(restarts),
                                 static_cast<std::int64_t>(r.rax)) != std::end(restarts)) {
        r.rax = r.orig_rax;
        r.rip -= 2;
    }
    return r;
}

#endif

} // namespace

#if defined(__x86_64__)

injection::~injection() {
    end();
}

std::vector<unsigned char> injection::frame_at(std::uint64_t address, std::uint64_t state_at) const {
    const user_regs_struct r = resumed(registers_);
    // The address to return to, and what <ucontext.h> calls ucontext_t, with the kernel's short mask.
    constexpr std::size_t context_bytes = offsetof(ucontext_t, uc_sigmask) + kernel_mask_bytes;
    ucontext_t context{};
    context.uc_flags = has_extended_state | has_stack_segment;
    context.uc_stack.ss_flags = keep_alternate_stack;
    auto& g = context.uc_mcontext.gregs;
    const auto set = [&](int index, unsigned long long value) { g[index] = static_cast<long long>(value); };
    set(REG_R8, r.r8);
    set(REG_R9, r.r9);
    set(REG_R10, r.r10);
    set(REG_R11, r.r11);
    set(REG_R12, r.r12);
    set(REG_R13, r.r13);
    set(REG_R14, r.r14);
    set(REG_R15, r.r15);
    set(REG_RDI, r.rdi);
    set(REG_RSI, r.rsi);
    set(REG_RBP, r.rbp);
    set(REG_RBX, r.rbx);
    set(REG_RDX, r.rdx);
    set(REG_RAX, r.rax);
    set(REG_RCX, r.rcx);
    set(REG_RSP, r.rsp);
    set(REG_RIP, r.rip);
    set(REG_EFL, r.eflags);
    set(REG_CSGSFS, (r.cs & 0xffff) | (r.ss & 0xffff) << 48);
    context.uc_mcontext.fpregs = reinterpret_cast<fpregset_t>(state_at);
    std::memcpy(&context.uc_sigmask, &mask_, kernel_mask_bytes);
    std::vector<unsigned char> bytes(state_at - address);
    std::memcpy(bytes.data(), &restorer_, sizeof restorer_);
    std::memcpy(bytes.data() + sizeof restorer_, &context, context_bytes);
    return bytes;
}

bool injection::begin() {
    extended_ = thread_.extended_state();
    mask_ = thread_.signal_mask();
    if (restorer_ == 0 || !thread_.get_registers(registers_) || extended_.size() < header_at + 64) {
        return false;
    }
    const std::vector<unsigned char> state = state_for_frame(extended_);
    const std::uint64_t state_at = (registers_.rsp - red_zone - state.size()) & ~std::uint64_t{63};
    // A function begins with a stack pointer that is 8 more than a multiple of 16, and finds the return address there.
    frame_ = ((state_at - 1024 - scratch_bytes) & ~std::uint64_t{15}) + 8;
    scratch_ = state_at - scratch_bytes;
    std::vector<unsigned char> frame = frame_at(frame_, state_at);
    frame.insert(frame.end(), state.begin(), state.end());
    return memory_.write(frame_, frame.data(), frame.size());
}

injection::outcome injection::call(std::uint64_t function, std::array<std::uint64_t, 2> arguments,
                                   std::chrono::milliseconds most, const std::function<void()>& meanwhile) {
    user_regs_struct r = registers_;
    r.rip = function;
    r.rsp = frame_;
    r.rdi = arguments[0];
    r.rsi = arguments[1];
    r.rax = 0;
    r.orig_rax = ~0ull;                // no system call is to begin again
    r.eflags &= ~std::uint64_t{0x500}; // upwards, and no single step
    // The registers first: once they are set, the thread restores itself even if this process dies.
    if (!thread_.set_registers(r) || !thread_.set_signal_mask(all_signals)) {
        return outcome::gone;
    }
    is_inside_ = false;
    const auto end = std::chrono::steady_clock::now() + most;
    for (;;) {
        thread_.go_on(true);
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        switch (thread_.wait(std::max(left, std::chrono::milliseconds{0}))) {
        case held_thread::state::gone:
            return outcome::gone;
        case held_thread::state::runs:
            return outcome::late;
        case held_thread::state::held:
            continue;
        case held_thread::state::at_syscall:
            break;
        }
        user_regs_struct now{};
        if (!thread_.get_registers(now)) {
            return outcome::gone;
        }
        constexpr std::int64_t entering = -38;
        if (now.orig_rax == SYS_rt_sigreturn && now.rsp == frame_ + 8 &&
            static_cast<std::int64_t>(now.rax) == entering) {
            is_inside_ = true;
            return outcome::returned;
        }
        if (meanwhile) {
            meanwhile();
        }
    }
}

bool injection::end() {
    if (!is_inside_) {
        return thread_.now() == held_thread::state::held;
    }
    is_inside_ = false;
    // It stands where it asks the kernel to restore it. It is made to ask once more, and stopped before it does: from there the
    // kernel can also resume an interrupted system call with what is left of its time. Whenever we are killed, it asks.
    user_regs_struct again{};
    if (!thread_.get_registers(again)) {
        return false;
    }
    again.orig_rax = ~0ull;
    again.rax = SYS_rt_sigreturn;
    again.rip -= 2;
    if (!thread_.set_registers(again)) {
        return false;
    }
    thread_.interrupt();
    thread_.go_on(false);
    if (thread_.wait(std::chrono::seconds{5}) != held_thread::state::held) {
        return false;
    }
    return thread_.set_extended_state(extended_) && thread_.set_signal_mask(mask_) &&
           thread_.set_registers(registers_);
}

std::uint64_t find_restorer(const process_memory& memory, const std::vector<mapping>& mappings) {
    // mov $15, %rax; syscall
    constexpr std::string_view code{"\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05", 9};
    for (const mapping& m : mappings) {
        const std::string name = file_name(m);
        if (!m.is_code || !name.starts_with("libc.so") || m.end - m.begin > (std::uint64_t{64} << 20)) {
            continue;
        }
        std::string bytes(m.end - m.begin, '\0');
        if (!memory.read(m.begin, bytes.data(), bytes.size())) {
            continue;
        }
        if (const std::size_t at = bytes.find(code); at != std::string::npos) {
            return m.begin + at;
        }
    }
    return 0;
}

#else

injection::~injection() = default;
bool injection::begin() {
    return false;
}
injection::outcome injection::call(std::uint64_t, std::array<std::uint64_t, 2>, std::chrono::milliseconds,
                                   const std::function<void()>&) {
    return outcome::gone;
}
bool injection::end() {
    return false;
}
std::uint64_t find_restorer(const process_memory&, const std::vector<mapping>&) {
    return 0;
}

#endif

} // namespace linn::tool::attach
