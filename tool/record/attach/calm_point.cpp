// SPDX-License-Identifier: Apache-2.0
#include "calm_point.hpp"

#include "injection.hpp"

#include <elfutils/libdwfl.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace linn::tool::attach {
namespace {

constexpr std::size_t most_frames = 12;

/// Functions of the C library that wait for a file, a process or a signal. They hold no lock that opening a library needs.
constexpr std::array waits_for_others = {
    std::string_view{"accept"},      std::string_view{"accept4"},     std::string_view{"connect"},
    std::string_view{"epoll_pwait"}, std::string_view{"epoll_pwait2"}, std::string_view{"epoll_wait"},
    std::string_view{"fgetc"},       std::string_view{"fgets"},       std::string_view{"fread"},
    std::string_view{"getc"},        std::string_view{"getchar"},     std::string_view{"getdelim"},
    std::string_view{"getline"},     std::string_view{"pause"},       std::string_view{"poll"},
    std::string_view{"ppoll"},       std::string_view{"pread"},       std::string_view{"pread64"},
    std::string_view{"pselect"},     std::string_view{"read"},        std::string_view{"readv"},
    std::string_view{"recv"},        std::string_view{"recvfrom"},    std::string_view{"recvmmsg"},
    std::string_view{"recvmsg"},     std::string_view{"select"},      std::string_view{"send"},
    std::string_view{"sendmsg"},     std::string_view{"sendto"},      std::string_view{"sigsuspend"},
    std::string_view{"sigtimedwait"}, std::string_view{"sigwait"},    std::string_view{"sigwaitinfo"},
    std::string_view{"system"},      std::string_view{"wait"},        std::string_view{"wait3"},
    std::string_view{"wait4"},       std::string_view{"waitid"},      std::string_view{"waitpid"},
    std::string_view{"write"},       std::string_view{"writev"},      std::string_view{"msgrcv"},
    std::string_view{"semop"},       std::string_view{"semtimedop"},  std::string_view{"__poll_chk"},
    std::string_view{"__read_chk"},  std::string_view{"__recv_chk"},  std::string_view{"__recvfrom_chk"}};

/// Those that wait for other threads, or for a time: an allocator may do so too, while it holds its lock.
constexpr std::array waits_for_threads = {
    std::string_view{"clock_nanosleep"},        std::string_view{"cnd_timedwait"},
    std::string_view{"cnd_wait"},               std::string_view{"mtx_lock"},
    std::string_view{"nanosleep"},              std::string_view{"pthread_barrier_wait"},
    std::string_view{"pthread_clockjoin_np"},   std::string_view{"pthread_cond_clockwait"},
    std::string_view{"pthread_cond_timedwait"}, std::string_view{"pthread_cond_wait"},
    std::string_view{"pthread_join"},           std::string_view{"pthread_mutex_lock"},
    std::string_view{"pthread_rwlock_rdlock"},  std::string_view{"pthread_rwlock_wrlock"},
    std::string_view{"pthread_timedjoin_np"},   std::string_view{"sem_clockwait"},
    std::string_view{"sem_timedwait"},          std::string_view{"sem_wait"},
    std::string_view{"sleep"},                  std::string_view{"syscall"},
    std::string_view{"thrd_join"},              std::string_view{"thrd_sleep"},
    std::string_view{"usleep"}};

template <class Names>
bool is_among(const std::vector<std::string>& any, const Names& names) {
    return std::any_of(any.begin(), any.end(),
                       [&](const std::string& n) { return std::find(names.begin(), names.end(), n) != names.end(); });
}

} // namespace

/// What libdw asks for while it unwinds one thread.
struct calm_points::unwinder {
    Dwfl* dwfl = nullptr;
    const process_memory& memory;
    pid_t tid;
    user_regs_struct registers{};
    std::vector<std::uint64_t> addresses;

    explicit unwinder(const process_memory& of);
    unwinder(const unwinder&) = delete;
    unwinder& operator=(const unwinder&) = delete;
    ~unwinder() {
        if (dwfl != nullptr) {
            dwfl_end(dwfl);
        }
    }

    static pid_t next_thread(Dwfl*, void* of, void** state) {
        if (*state != nullptr) {
            return 0;
        }
        *state = of;
        return static_cast<unwinder*>(of)->tid;
    }
    static bool read_word(Dwfl*, Dwarf_Addr from, Dwarf_Word* into, void* of) {
        return static_cast<unwinder*>(of)->memory.read(from, into, sizeof *into);
    }
    static bool set_registers(Dwfl_Thread* thread, void* of) {
        const user_regs_struct& r = static_cast<unwinder*>(of)->registers;
        // In the order of DWARF's numbers for x86-64.
        const Dwarf_Word values[] = {r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8,
                                     r.r9,  r.r10, r.r11, r.r12, r.r13, r.r14, r.r15, r.rip};
        return dwfl_thread_state_registers(thread, 0, sizeof values / sizeof *values, values);
    }
    static int take_frame(Dwfl_Frame* frame, void* of) {
        Dwarf_Addr address = 0;
        bool is_activation = false;
        if (!dwfl_frame_pc(frame, &address, &is_activation)) {
            return DWARF_CB_ABORT;
        }
        auto& into = static_cast<unwinder*>(of)->addresses;
        into.push_back(is_activation ? address : address - 1);
        return into.size() == most_frames ? DWARF_CB_ABORT : DWARF_CB_OK;
    }
};

calm_points::unwinder::unwinder(const process_memory& of) : memory(of), tid(of.pid()) {
    static constexpr Dwfl_Callbacks files = {dwfl_linux_proc_find_elf, dwfl_standard_find_debuginfo, nullptr, nullptr};
    static constexpr Dwfl_Thread_Callbacks threads = {next_thread,   nullptr, read_word,
                                                      set_registers, nullptr, nullptr};
    dwfl = dwfl_begin(&files);
    if (dwfl != nullptr &&
        (dwfl_linux_proc_report(dwfl, of.pid()) != 0 || dwfl_report_end(dwfl, nullptr, nullptr) != 0 ||
         !dwfl_attach_state(dwfl, nullptr, of.pid(), &threads, this))) {
        dwfl_end(dwfl);
        dwfl = nullptr;
    }
}

calm_points::calm_points(const process_memory& memory, const std::vector<mapping>& mappings)
    : memory_(memory),
      mappings_(mappings) {
    for (const mapping& m : mappings) {
        if (m.offset != 0 || m.path.empty() || m.path.front() != '/') {
            continue;
        }
        if (file_name(m).starts_with("libc.so")) {
            c_library_ = c_library_ == nullptr ? std::make_unique<mapped_symbols>(memory, m.begin)
                                               : std::move(c_library_);
        } else if (!is_runtime(&m) && mapped_symbols{memory, m.begin}.find("malloc") != 0) {
            allocators_.insert(m.file_id);
        }
    }
}

calm_points::~calm_points() = default;

bool calm_points::is_runtime(const mapping* of) const {
    if (of == nullptr) {
        return false;
    }
    const std::string name = file_name(*of);
    return name.starts_with("libc.so") || name.starts_with("ld-linux") || name.starts_with("ld.so") ||
           name.starts_with("libpthread.so") || name.starts_with("libdl.so") || name.starts_with("librt.so") ||
           name == "[vdso]" || name == "[vsyscall]";
}

bool calm_points::is_allocator(const mapping* of) const {
    return of != nullptr && allocators_.contains(of->file_id);
}

bool calm_points::has_room(const user_regs_struct& registers) const {
    const mapping* const stack = mapping_at(mappings_, registers.rsp);
    // The main thread's grows by itself.
    return stack != nullptr &&
           (stack->path == "[stack]" || registers.rsp - stack->begin >= injection::stack_bytes);
}

std::vector<std::uint64_t> calm_points::way_out(pid_t tid, const user_regs_struct& registers) {
    if (unwinder_ == nullptr) {
        unwinder_ = std::make_unique<unwinder>(memory_);
    }
    if (unwinder_->dwfl == nullptr) {
        return {};
    }
    unwinder_->tid = tid;
    unwinder_->registers = registers;
    unwinder_->addresses.clear();
    dwfl_getthread_frames(unwinder_->dwfl, tid, unwinder::take_frame, unwinder_.get());
    return unwinder_->addresses;
}

bool calm_points::waits_calmly(const held_thread& thread, const user_regs_struct& registers) {
    if (static_cast<std::int64_t>(registers.orig_rax) < 0 || c_library_ == nullptr) {
        return false;
    }
    const std::vector<std::uint64_t> calls = way_out(thread.tid(), registers);
    const auto caller = std::find_if(calls.begin(), calls.end(), [&](std::uint64_t address) {
        return !is_runtime(mapping_at(mappings_, address));
    });
    if (caller == calls.begin() || caller == calls.end()) {
        return false;
    }
    const std::vector<std::string> function = c_library_->covering(*(caller - 1));
    return is_among(function, waits_for_others) ||
           (is_among(function, waits_for_threads) && !is_allocator(mapping_at(mappings_, *caller)));
}

bool calm_points::is_calm(const held_thread& thread) {
    user_regs_struct registers{};
    if (!thread.get_registers(registers) || !has_room(registers)) {
        return false;
    }
    const mapping* const code = mapping_at(mappings_, registers.rip);
    return is_runtime(code) ? waits_calmly(thread, registers) : code != nullptr && !is_allocator(code);
}

} // namespace linn::tool::attach
