// SPDX-License-Identifier: Apache-2.0
#include "attached.hpp"

#include "../../interpose/mapped_file.hpp"
#include "../../interpose/raw.hpp"
#include "../../interpose/real.hpp"
#include "call_timer.hpp"
#include "image.hpp"
#include "recorder.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>

namespace linn::tool::preload {
namespace {

/// A change that one thread at a time makes; none waits for another.
class turn {
public:
    explicit turn(std::atomic<bool>& is_taken) noexcept
        : is_taken_(is_taken),
          is_mine_(!is_taken.exchange(true, std::memory_order_seq_cst)) {}
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;
    ~turn() {
        if (is_mine_) {
            is_taken_.store(false, std::memory_order_seq_cst);
        }
    }
    explicit operator bool() const noexcept { return is_mine_; }

private:
    std::atomic<bool>& is_taken_;
    bool is_mine_;
};

} // namespace

namespace slots {
namespace {

struct hooked_function {
    const char* name;
    std::uintptr_t hook;
    std::uintptr_t real; ///< 0: it is not defined
};

constexpr const char* of_c[] = {
    "dlclose",    "malloc",   "calloc", "realloc", "reallocarray",   "free",          "cfree",
    "free_sized", "memalign", "valloc", "pvalloc", "posix_memalign", "aligned_alloc", "free_aligned_sized"};

constinit hooked_function functions[std::size(of_c) + operator_count]{};

struct slot {
    std::uintptr_t address;
    std::uintptr_t old_value;
    std::uintptr_t hook;
    std::uintptr_t real; ///< what the loader fills it with
    bool is_read_only;   ///< its page is, once the loader has filled it
    bool is_gone; ///< its file was unmapped: another one that is mapped there may have a hole in its place
};

constexpr std::size_t most_slots = std::size_t{1} << 18;
constinit slot* all = nullptr;
constinit std::atomic<std::size_t> used{0};
constinit std::atomic<bool> is_in{false};
constinit std::atomic<std::uint32_t> unmappings{0};
constinit std::atomic<bool> is_changing{false}; ///< a thread writes slots

void find_functions() noexcept {
    std::size_t n = 0;
    for (const char* const name : of_c) {
        functions[n++] = {name, 0, reinterpret_cast<std::uintptr_t>(find_anywhere(name))};
    }
    for (std::size_t i = 0; i != operator_count; ++i) {
        const char* const name = mangled_name(static_cast<operator_name>(i));
        functions[n++] = {name, 0, reinterpret_cast<std::uintptr_t>(next_operators.next[i])};
    }
    ::dl_iterate_phdr(
        [](dl_phdr_info* file, std::size_t, void*) {
            if (!is_own_file(*file)) {
                return 0;
            }
            // Not by their names here: these would be the program's.
            const dynamic_symbols symbols{mapped_file{*file}};
            for (hooked_function& f : functions) {
                f.hook = reinterpret_cast<std::uintptr_t>(symbols.find(f.name).value_or(nullptr));
                f.real = f.hook != 0 ? f.real : 0;
            }
            return 1;
        },
        nullptr);
}

template <typename Predicate>
const hooked_function* find_function(Predicate is_it) noexcept {
    const hooked_function* const found = std::ranges::find_if(functions, is_it);
    return found != std::end(functions) ? found : nullptr;
}

const hooked_function* function_named(const char* name) noexcept {
    return find_function(
        [=](const hooked_function& f) { return f.real != 0 && std::strcmp(f.name, name) == 0; });
}

std::uintptr_t value_at(std::uintptr_t address) noexcept {
    return __atomic_load_n(reinterpret_cast<const std::uintptr_t*>(address), __ATOMIC_RELAXED);
}

constexpr std::uintptr_t page_bytes = 4096;

void write(const slot& s, std::uintptr_t expected, std::uintptr_t value) noexcept {
    if (value_at(s.address) != expected) {
        return;
    }
    void* const pages = reinterpret_cast<void*>(s.address & ~(page_bytes - 1));
    if (s.is_read_only && ::mprotect(pages, page_bytes, PROT_READ | PROT_WRITE) != 0) {
        return;
    }
    __atomic_store_n(reinterpret_cast<std::uintptr_t*>(s.address), value, __ATOMIC_RELEASE);
    if (s.is_read_only) {
        ::mprotect(pages, page_bytes, PROT_READ);
    }
}

/// Whether the loader has a file there. It finds one only once it has relocated it.
bool is_in_file(std::uintptr_t address) noexcept {
    dl_find_object found{};
    return find_loaded(address, found);
}

bool is_mapped(const slot& s) noexcept {
    return !s.is_gone && is_in_file(s.address);
}

/// Puts the hook in, but not while another thread's dlopen relocates the file: the loader would not find the page writable any more.
void add(std::uintptr_t address, std::uintptr_t value, const hooked_function& f, bool is_read_only) noexcept {
    if (const std::size_t n = used; n != most_slots && is_in_file(address)) {
        all[n] = {address, value, f.hook, f.real, is_read_only, false};
        write(all[n], value, f.hook);
        used = n + 1;
    }
}

/// Whether the loader has taken the right to write there away, in whole pages.
bool is_read_only(const mapped_file& file, std::uintptr_t address) noexcept {
    for (std::size_t i = 0; i != file.segment_count; ++i) {
        const auto& p = file.segments[i];
        const std::uintptr_t begin = file.bias + p.p_vaddr;
        const std::uintptr_t end = begin + p.p_memsz;
        if (p.p_type == PT_GNU_RELRO && address >= (begin & ~(page_bytes - 1)) &&
            address < (end & ~(page_bytes - 1))) {
            return true;
        }
    }
    return false;
}

/// A word that the loader fills with the address of a symbol; that of a call is perhaps filled by the first one only. A slot that
/// the loader has filled holds the function; one that it fills with the first call still leads to the loader.
void look_at_relocation(const mapped_file& file, std::uintptr_t address, const char* name,
                        bool is_call) noexcept {
    const std::uintptr_t value = value_at(address);
    const hooked_function* f = find_function([=](const hooked_function& each) { return each.real == value; });
    if (f == nullptr) {
        const bool may_wait = is_call && file.holds(value, 1, PF_R);
        f = may_wait ? function_named(name) : nullptr;
        // A function of the file's own under such a name is no waiting slot.
        if (f == nullptr || dynamic_symbols{file}.find(name)) {
            return;
        }
    } else if (std::strcmp(f->name, name) != 0 && (f = function_named(name)) == nullptr) {
        return; // another name of the same function: a preload does not see it either
    } else if (f->real != value) {
        return;
    }
    add(address, value, *f, is_read_only(file, address));
}

bool is_symbols_address(std::uint64_t type) noexcept {
#if defined(__x86_64__)
    return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT || type == R_X86_64_64;
#else
    return false; // linn attaches on x86-64 only
#endif
}

void look_at_relocations(const mapped_file& file, std::intptr_t table, std::intptr_t bytes) noexcept {
    const auto* const first = file.dynamic<ElfW(Rela)>(table);
    const auto* const symbols = file.dynamic<ElfW(Sym)>(DT_SYMTAB);
    const auto* const names = file.dynamic<char>(DT_STRTAB);
    if (first == nullptr || symbols == nullptr || names == nullptr) {
        return;
    }
    const std::size_t count = file.dynamic_value(bytes) / sizeof *first;
    for (std::size_t i = 0; i != count; ++i) {
        const ElfW(Rela)& r = first[i];
        const std::uint64_t symbol = ELF64_R_SYM(r.r_info);
        if (is_symbols_address(ELF64_R_TYPE(r.r_info)) && r.r_addend == 0 && symbol != 0) {
            look_at_relocation(file, file.bias + r.r_offset, names + symbols[symbol].st_name,
                               table == DT_JMPREL);
        }
    }
}

int look_at_file(dl_phdr_info* info, std::size_t, void*) noexcept {
    if (is_own_file(*info)) {
        return 0;
    }
    const mapped_file file{*info};
    look_at_relocations(file, DT_JMPREL, DT_PLTRELSZ);
    look_at_relocations(file, DT_RELA, DT_RELASZ);
    return 0;
}

} // namespace

/// Puts hooks into the slots of all files that are mapped. Takes the loader's lock, so that none is
/// unmapped meanwhile. False without memory.
bool put_in() noexcept {
    if (all == nullptr) {
        all = static_cast<slot*>(zeroed_memory(most_slots * sizeof(slot)));
    }
    const turn mine{is_changing};
    if (all == nullptr || !mine) {
        return false;
    }
    find_functions();
    is_in.store(true, std::memory_order_seq_cst); // from now on no file is unmapped while slots change
    ::dl_iterate_phdr(look_at_file, nullptr);
    return true;
}

void look_again() noexcept {
    const turn mine{is_changing};
    if (!mine || !are_in() || unmappings.load(std::memory_order_seq_cst) != 0) {
        return;
    }
    for (std::size_t i = 0; i != used; ++i) {
        // Those in read-only pages are filled before the program begins.
        if (slot& s = all[i]; !s.is_read_only && is_mapped(s) && value_at(s.address) == s.real) {
            s.old_value = s.real;
            write(s, s.real, s.hook);
        }
    }
}

/// Puts back what was there. A slot that has got another value meanwhile keeps it. False while a file is being unmapped: try
/// again. Afterwards nothing is known of any slot.
bool take_out() noexcept {
    const turn mine{is_changing};
    if (!mine || unmappings.load(std::memory_order_seq_cst) != 0) {
        return false;
    }
    is_in.store(false, std::memory_order_seq_cst);
    for (std::size_t i = 0; i != used; ++i) {
        if (is_mapped(all[i])) {
            write(all[i], all[i].hook, all[i].old_value);
        }
    }
    used = 0;
    return true;
}

bool are_in() noexcept {
    return is_in.load(std::memory_order_seq_cst);
}

unmapping::unmapping() noexcept : counts_(are_in()) {
    if (counts_) {
        // One of the two sees the other: this, or take_out().
        unmappings.fetch_add(1, std::memory_order_seq_cst);
        while (is_changing.load(std::memory_order_seq_cst)) {
            ::sched_yield();
        }
    }
}

unmapping::~unmapping() {
    if (!counts_) {
        return;
    }
    for (std::size_t i = 0; i != used; ++i) {
        all[i].is_gone = !is_mapped(all[i]);
    }
    unmappings.fetch_sub(1, std::memory_order_seq_cst);
}

/// In a forked child: who was unmapping or changing slots in another thread of the parent does not finish here.
void after_fork() noexcept {
    unmappings.store(0, std::memory_order_relaxed);
    is_changing.store(false, std::memory_order_relaxed);
}

} // namespace slots

namespace {

using attach::answer;

constexpr unsigned most_wait_for_threads = 500; // ms

constinit std::atomic<bool> is_changing{false}; ///< a thread enters or leaves

/// Not by nanosleep: the kernel would forget the one that the thread may have been in when linn stopped it.
void nap(long microseconds) noexcept {
    const timespec time{0, microseconds * 1000};
    ::syscall(SYS_ppoll, nullptr, 0L, &time, nullptr, 0L);
}

/// Gives the shared memory back once no thread uses it. False if one still does after some time.
bool give_ring_back() noexcept {
    for (unsigned waited = 0; waited != most_wait_for_threads; ++waited) {
        const bool were_stopped = stop_writers();
        // Every thread sees what was written before, and what it wrote before is seen.
        ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
        ::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
        if (were_stopped && are_threads_out()) {
            retire_writers();
            forget_ring();
            return true;
        }
        nap(waited == 0 ? 1 : 1000);
    }
    return false;
}

/// A new ring, in a file whose descriptor linn takes a copy of: linn may look at the program, but the program need not be allowed to look
/// at linn. None where limits of the process do not allow it.
wire::ring make_ring(std::uint32_t chunks) noexcept {
    rlimit limit{}; // beyond it the system would end the program
    ::getrlimit(RLIMIT_FSIZE, &limit);
    const std::size_t bytes = wire::ring::file_bytes(chunks);
    const int fd = bytes <= limit.rlim_cur ? ::memfd_create("linn-record", MFD_CLOEXEC) : -1;
    void* memory = MAP_FAILED;
    if (fd >= 0 && ::ftruncate(fd, static_cast<off_t>(bytes)) == 0) {
        memory = ::mmap(nullptr, wire::ring::header_bytes(chunks), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    if (memory == MAP_FAILED) {
        ::syscall(SYS_close, static_cast<long>(fd)); // close() is where a thread can be cancelled
        return {};
    }
    linn_attach_door.ring_fd = fd;
    windows.begin(fd, nullptr);
    return wire::ring::create(memory, chunks, linn_attach_door.options);
}

/// The hooks only pass on until all are in; then all threads begin to record at once.
answer enter(std::uint32_t chunks) noexcept {
    const kept_errno saved;
    if (slots::are_in() && is_recording() && collector_lives()) {
        return answer::in_use;
    }
    // What a linn that was killed has left.
    if ((slots::are_in() || current_recording.ring) && leave_recording() != answer::done) {
        return answer::busy;
    }
    const turn mine{is_changing};
    if (!mine) {
        return answer::busy;
    }
    const wire::ring ring = make_ring(chunks);
    if (!ring) {
        return answer::no_memory;
    }
    find_functions(own_place::last);
    prepare_attached(ring);
    calibrate_call_timer();
    if (!windows.map(ring, 0) || !slots::put_in()) {
        forget_ring();
        return answer::no_memory;
    }
    let_record();
    linn_attach_door.is_in = 1;
    start_recording();
    return answer::done;
}

} // namespace

// The threads stop recording while all hooks are in: none misses a call between two that it records. Until the hooks are out, they only
// pass on.
attach::answer leave_recording() noexcept {
    const kept_errno saved;
    const turn mine{is_changing};
    if (!mine || is_in_hook() || this_thread.slow_calls != 0) {
        return answer::busy;
    }
    if (current_recording.ring) {
        stop_recording();
        stop_writers();
    }
    if (slots::are_in() && !slots::take_out()) {
        return answer::busy;
    }
    linn_attach_door.is_in = 0;
    return !current_recording.ring || give_ring_back() ? answer::done : answer::stuck;
}

void attached_after_fork() noexcept {
    is_changing.store(false, std::memory_order_relaxed);
    slots::after_fork();
}

} // namespace linn::tool::preload

using namespace linn::tool;

constinit attach::door linn_attach_door{.change = [](std::uint32_t chunks) noexcept {
    linn_attach_door.said = chunks != 0 ? preload::enter(chunks) : preload::leave_recording();
}};
