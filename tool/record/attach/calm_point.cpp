// SPDX-License-Identifier: Apache-2.0
#include "calm_point.hpp"

#include "injection.hpp"

#include <elfutils/libdwfl.h>

#include <algorithm>
#include <iterator>

namespace linn::tool::attach {
namespace {

constexpr std::size_t most_frames = 12;

/// Functions of the C library that wait for a file, a process or a signal. They hold no lock that opening a library needs.
constexpr const char* waits_for_others[] = {"accept",
                                            "accept4",
                                            "connect",
                                            "copy_file_range",
                                            "epoll_pwait",
                                            "epoll_pwait2",
                                            "epoll_wait",
                                            "fcntl",
                                            "fcntl64",
                                            "fdatasync",
                                            "fflush",
                                            "fgetc",
                                            "fgets",
                                            "fgets_unlocked",
                                            "flock",
                                            "fputs",
                                            "fread",
                                            "fread_unlocked",
                                            "fsync",
                                            "fwrite",
                                            "getc",
                                            "getc_unlocked",
                                            "getchar",
                                            "getdelim",
                                            "getline",
                                            "ioctl",
                                            "lockf",
                                            "msgrcv",
                                            "open",
                                            "open64",
                                            "openat",
                                            "openat64",
                                            "pause",
                                            "pclose",
                                            "poll",
                                            "ppoll",
                                            "pread",
                                            "pread64",
                                            "pselect",
                                            "putchar",
                                            "puts",
                                            "pwrite",
                                            "pwrite64",
                                            "read",
                                            "readv",
                                            "recv",
                                            "recvfrom",
                                            "recvmmsg",
                                            "recvmsg",
                                            "select",
                                            "semop",
                                            "semtimedop",
                                            "send",
                                            "sendfile",
                                            "sendfile64",
                                            "sendmmsg",
                                            "sendmsg",
                                            "sendto",
                                            "sigsuspend",
                                            "sigtimedwait",
                                            "sigwait",
                                            "sigwaitinfo",
                                            "splice",
                                            "system",
                                            "tcdrain",
                                            "wait",
                                            "wait3",
                                            "wait4",
                                            "waitid",
                                            "waitpid",
                                            "write",
                                            "writev",
                                            "__fgets_chk",
                                            "__fread_chk",
                                            "__fread_unlocked_chk",
                                            "__poll_chk",
                                            "__ppoll_chk",
                                            "__pread64_chk",
                                            "__read_chk",
                                            "__recv_chk",
                                            "__recvfrom_chk"};

/// Those that wait for other threads, or for a time: an allocator may do so too, while it holds its lock.
constexpr const char* waits_for_threads[] = {"clock_nanosleep",
                                             "cnd_timedwait",
                                             "cnd_wait",
                                             "mtx_lock",
                                             "nanosleep",
                                             "pthread_barrier_wait",
                                             "pthread_clockjoin_np",
                                             "pthread_cond_clockwait",
                                             "pthread_cond_timedwait",
                                             "pthread_cond_wait",
                                             "pthread_join",
                                             "pthread_mutex_lock",
                                             "pthread_rwlock_rdlock",
                                             "pthread_rwlock_wrlock",
                                             "pthread_timedjoin_np",
                                             "sem_clockwait",
                                             "sem_timedwait",
                                             "sem_wait",
                                             "sleep",
                                             "syscall",
                                             "thrd_join",
                                             "thrd_sleep",
                                             "usleep"};

template <class Names>
bool is_among(const std::vector<std::string>& any, const Names& names) {
    return std::any_of(any.begin(), any.end(), [&](const std::string& n) {
        return std::find(std::begin(names), std::end(names), n) != std::end(names);
    });
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
#if defined(__x86_64__)
        const user_regs_struct& r = static_cast<unwinder*>(of)->registers;
        // In the order of DWARF's numbers for x86-64.
        const Dwarf_Word values[] = {r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8,
                                     r.r9,  r.r10, r.r11, r.r12, r.r13, r.r14, r.r15, r.rip};
        return dwfl_thread_state_registers(thread, 0, sizeof values / sizeof *values, values);
#else
        return thread == nullptr && of == nullptr; // linn attaches on x86-64 only
#endif
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
    static constexpr Dwfl_Callbacks files = {dwfl_linux_proc_find_elf, dwfl_standard_find_debuginfo, nullptr,
                                             nullptr};
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
           name.starts_with("libpthread.so") || name.starts_with("libdl.so") ||
           name.starts_with("librt.so") || name == "[vdso]" || name == "[vsyscall]";
}

bool calm_points::is_allocator(const mapping* of) const {
    return of != nullptr && allocators_.contains(of->file_id);
}

bool calm_points::has_room(const user_regs_struct& registers) const {
    const mapping* const stack = mapping_at(mappings_, stack_address(registers));
    // The main thread's grows by itself.
    return stack != nullptr &&
           (stack->path == "[stack]" || stack_address(registers) - stack->begin >= injection::stack_bytes);
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
#if defined(__x86_64__)
    const bool is_in_kernel = static_cast<std::int64_t>(registers.orig_rax) >= 0;
#else
    const bool is_in_kernel = false;
#endif
    if (!is_in_kernel || c_library_ == nullptr) {
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
    const mapping* const code = mapping_at(mappings_, code_address(registers));
    return is_runtime(code) ? waits_calmly(thread, registers) : code != nullptr && !is_allocator(code);
}

} // namespace linn::tool::attach
