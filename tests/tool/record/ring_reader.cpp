// SPDX-License-Identifier: Apache-2.0
// Records a program without the collector: a ring with room for everything, read after the end. So what the recorder does
// is tested apart from what collects it. Prints JSON: a row for each process image, kind of event, call and size.
//
//   ring_reader LIBRARY [--chunks N] [--in-flight N] [--collect] -- PROG ARGS...
#include "trace/decode.hpp"
#include "trace/ring.hpp"

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace linn::tool;
using namespace linn::tool::wire;

struct taken_event : raw_event {
    std::uint32_t image = 0;
    std::uint32_t stream = 0;
    std::uint64_t order = 0;
};

struct image_facts {
    unsigned descriptions = 0;
    std::uint32_t parent = 0;
    unsigned origin = 0;
    std::set<std::uint32_t> threads;
    std::set<std::string> thread_names;
    std::set<std::uint32_t> defined;
    std::set<std::string> loaded;
    std::map<std::uint32_t, std::string> modules;
    std::vector<std::string> unloaded;
    std::set<std::string> types;
    std::uint64_t dropped = 0;
};

struct recording : chunk_sink {
    std::vector<taken_event> events;
    std::map<std::uint32_t, image_facts> images;
    std::uint32_t image = 0;
    std::uint32_t stream = 0;

    image_facts& now() { return images[image]; }
    void on_event(const raw_event& e) { events.push_back({e, image, stream, events.size()}); }
    void on_stack(const stack_record& s) { now().defined.insert(s.id); }
    void on_process(const process_record& p) {
        ++now().descriptions;
        now().parent = p.parent_image;
        now().origin = p.origin;
    }
    void on_thread_name(std::uint64_t, std::string_view name) { now().thread_names.emplace(name); }
    void on_module(const module_record& m) {
        const std::string path{m.path};
        now().loaded.insert(path.substr(path.rfind('/') + 1));
        now().modules[m.number] = path.substr(path.rfind('/') + 1);
    }
    void on_unloaded(std::uint64_t, std::uint32_t number) { now().unloaded.push_back(now().modules[number]); }
    void on_rtti(std::uint64_t, std::uint32_t, std::string_view name) { now().types.emplace(name); }
    void on_dropped(std::uint64_t, std::uint64_t n) { now().dropped += n; }
};

struct chunk_copy {
    std::uint32_t stream;
    std::uint32_t sequence;
    std::vector<std::byte> bytes;
};

void take(const ring& from, std::vector<chunk_copy>& into, bool all) {
    for (std::uint32_t i = 0; i != from.chunk_count(); ++i) {
        const chunk_word word = from.word(i);
        if (word.state == chunk_state::free || (word.state != chunk_state::full && !all) ||
            !from.take(i, word)) {
            continue;
        }
        unsigned char* const chunk = from.chunk(i);
        chunk_header h;
        std::memcpy(&h, chunk, sizeof h);
        const auto* const bytes = reinterpret_cast<const std::byte*>(chunk);
        std::size_t used = sizeof h;
        if (h.magic == chunk_magic) {
            // What lies behind was never touched, and is not to be now: a thousand threads have a thousand chunks.
            used = decode_chunk(std::span{bytes, chunk_bytes}, chunk_sink{}).used;
            into.push_back({h.stream, h.sequence, {bytes, bytes + (used < chunk_bytes ? used + 1 : used)}});
        }
        std::memset(chunk, 0, std::min(used + 64, chunk_bytes));
        from.give_back(i);
    }
}

const char* kind_name(event_kind k) {
    constexpr const char* names[] = {"allocation", "release", "reallocation", "failure", "fill"};
    return names[static_cast<int>(k)];
}
const char* call_name(allocation_call c) {
    constexpr const char* names[] = {"none",          "malloc", "calloc", "realloc",
                                     "aligned",       "new",    "new[]",  "new_aligned",
                                     "new[]_aligned", "free",   "delete", "delete[]"};
    return names[static_cast<int>(c)];
}

} // namespace

int main(int argc, char** argv) {
    std::uint32_t chunks = 4096;
    std::uint32_t in_flight = 1u << 30;
    bool collects = false;
    int i = 2;
    for (; i < argc && std::strcmp(argv[i], "--") != 0; ++i) {
        const std::string option = argv[i];
        if (option == "--collect") {
            collects = true;
        } else if (++i < argc) {
            (option == "--chunks" ? chunks : in_flight) = static_cast<std::uint32_t>(std::atoi(argv[i]));
        }
    }
    const int fd = ::memfd_create("ring", MFD_CLOEXEC);
    const std::size_t bytes = ring::file_bytes(chunks);
    if (fd < 0 || ::ftruncate(fd, static_cast<off_t>(bytes)) != 0) {
        return 3;
    }
    void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED || i + 1 >= argc) {
        return 3;
    }
    const ring shared = ring::create(memory, chunks, {});
    shared.header().most_in_flight = in_flight;
    shared.header().collector_pid = static_cast<std::uint32_t>(::getpid());
    const std::string path = "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(fd);

    // Grandchildren that outlive the program are waited for.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    const pid_t child = ::fork();
    if (child == 0) {
        // By another name: a sanitized reader refuses to start behind a library that is preloaded.
        const char* const others = std::getenv("LINN_TEST_PRELOAD");
        const std::string preload =
            std::string{argv[1]} + (others != nullptr ? std::string{":"} + others : "");
        ::setenv("LD_PRELOAD", preload.c_str(), 1);
        ::setenv(ring_variable, path.c_str(), 1);
        ::execvp(argv[i + 1], argv + i + 1);
        ::_exit(127);
    }
    std::vector<chunk_copy> copies;
    int status = 0;
    for (int ended = 0;;) {
        const pid_t pid = ::waitpid(-1, &ended, collects ? WNOHANG : 0);
        if (pid == child) {
            status = ended;
        }
        if (pid < 0) {
            break;
        }
        if (pid == 0) {
            const std::uint32_t seen = shared.header().filled.load();
            shared.header().pulse.fetch_add(1);
            take(shared, copies, false);
            shared.wait_for_chunks(seen, 1);
        }
    }
    std::size_t left = 0;
    for (std::uint32_t n = 0; n != chunks; ++n) {
        left += shared.word(n).state == chunk_state::owned ? 1U : 0U;
    }
    take(shared, copies, true);
    std::sort(copies.begin(), copies.end(), [](const chunk_copy& a, const chunk_copy& b) {
        return std::tie(a.stream, a.sequence) < std::tie(b.stream, b.sequence);
    });

    recording all;
    std::vector<std::string> problems;
    std::uint32_t last_stream = 0;
    std::uint32_t expected = 0;
    std::size_t used = 0;
    for (const chunk_copy& copy : copies) {
        chunk_header h;
        std::memcpy(&h, copy.bytes.data(), sizeof h);
        all.image = h.image;
        all.stream = h.stream;
        expected = h.stream == last_stream ? expected + 1 : 0;
        last_stream = h.stream;
        if (h.sequence != expected) {
            problems.push_back("a chunk of a stream is missing");
        }
        all.images[h.image].threads.insert(h.thread);
        const decoded_chunk result = decode_chunk(copy.bytes, all);
        used += result.used;
        if (result.damage != nullptr) {
            problems.push_back(result.damage);
        }
    }

    // By time, as a reader merges; a child begins with what its parent had when it was forked, which is not known here.
    std::sort(all.events.begin(), all.events.end(), [](const taken_event& a, const taken_event& b) {
        return std::tie(a.ticks, a.order) < std::tie(b.ticks, b.order);
    });
    std::map<std::tuple<std::uint32_t, event_kind, allocation_call, std::uint64_t, unsigned>, std::uint64_t>
        rows;
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> live; // block -> size
    std::uint64_t unknown = 0;
    std::uint64_t twice = 0;
    std::uint64_t undefined = 0;
    for (const taken_event& e : all.events) {
        std::uint64_t size = e.bytes;
        if (e.kind == event_kind::allocation || e.kind == event_kind::reallocation) {
            bool is_defined = e.stack != 0;
            for (std::uint32_t image = e.image;
                 is_defined && all.images[image].defined.count(e.stack) == 0;) {
                is_defined = all.images[image].parent != 0 && all.images[image].parent != image;
                image = all.images[image].parent;
            }
            undefined += is_defined ? 0U : 1U;
        }
        if (e.kind == event_kind::release || e.kind == event_kind::reallocation) {
            std::uint64_t old = 0;
            const auto found =
                live.find({e.image, e.kind == event_kind::release ? e.address : e.old_address});
            if (found != live.end()) {
                old = found->second;
                live.erase(found);
            } else {
                ++unknown;
            }
            if (e.kind == event_kind::release) {
                size = old;
            }
        }
        if (e.kind == event_kind::allocation || e.kind == event_kind::reallocation) {
            twice += live.insert_or_assign({e.image, e.address}, e.bytes).second ? 0U : 1U;
        }
        ++rows[{e.image, e.kind, e.call, size, e.alignment_log2}];
    }

    using json = nlohmann::ordered_json;
    json images = json::array();
    for (const auto& [number, f] : all.images) {
        images.push_back({{"image", number},
                          {"descriptions", f.descriptions},
                          {"parent", f.parent},
                          {"origin", f.origin},
                          {"threads", f.threads.size()},
                          {"dropped", f.dropped},
                          {"names", f.thread_names},
                          {"types", f.types},
                          {"unloaded", f.unloaded},
                          {"modules", f.loaded}});
    }
    json table = json::array();
    for (const auto& [row, count] : rows) {
        const auto& [image, kind, call, size, alignment] = row;
        table.push_back(json::array({image, kind_name(kind), call_name(call), size, alignment, count}));
    }
    const json found{{"status", status},
                     {"events", all.events.size()},
                     {"bytes", used},
                     {"chunks", copies.size()},
                     {"owned_at_end", left},
                     {"dropped", shared.header().dropped.load()},
                     {"unknown_releases", unknown},
                     {"allocated_twice", twice},
                     {"undefined_stacks", undefined},
                     {"problems", problems},
                     {"images", images},
                     {"rows", table}};
    std::puts(found.dump(-1, ' ', false, json::error_handler_t::replace).c_str());
}
