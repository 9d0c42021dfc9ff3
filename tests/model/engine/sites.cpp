// SPDX-License-Identifier: Apache-2.0
// Names for the places in the headers where something can be taken away: an order, a lock, a barrier.
#include "engine.hpp"

#include <cxxabi.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

namespace model::engine {
namespace {

std::string weakened;
std::string softened;
std::string unlocked;
bool without_barrier = false;
bool used = false;

std::set<std::string>& seen_sites() {
    static std::set<std::string> all;
    return all;
}

/// "void a::b<c>::d(e) [with ...]" to "b::d".
std::string shortened(std::string text) {
    std::string flat;
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (depth == 0 && text.compare(i, 8, "operator") == 0) {
            flat += "operator";
            i += 7;
            while (i + 1 < text.size() && text[i + 1] != '(') {
                flat += text[++i];
            }
            break;
        }
        depth -= c == '>' ? 1 : 0;
        if (depth == 0 && c != '>') {
            if (c == '(' || c == '[') {
                break;
            }
            flat += c == '<' ? '\0' : c;
        }
        depth += c == '<' ? 1 : 0;
    }
    std::erase(flat, '\0');
    if (const std::size_t space = flat.find_last_of(" *&"); space != std::string::npos) {
        flat.erase(0, space + 1);
    }
    if (std::size_t colon = flat.rfind("::"); colon != std::string::npos && colon != 0) {
        colon = flat.rfind("::", colon - 1);
        if (colon != std::string::npos) {
            flat.erase(0, colon + 2);
        }
    }
    return flat;
}

const std::string& function_name(const void* code) {
    static std::map<const void*, std::string> names;
    const auto found = names.find(code);
    if (found != names.end()) {
        return found->second;
    }
    std::string name = "?";
    // A return address may be one past the end of a function.
    if (Dl_info info; ::dladdr(static_cast<const char*>(code) - 1, &info) != 0 && info.dli_sname != nullptr) {
        int status = 0;
        char* plain = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status);
        name = shortened(status == 0 ? plain : info.dli_sname);
        std::free(plain);
    }
    return names.emplace(code, name).first->second;
}

bool takes_locks_for_others(const std::string& name) {
    return name.ends_with("::lock_guard") || name.ends_with("::locked_visit") || name.ends_with("::locked") ||
           name.starts_with("model::");
}

/// The function that wants the lock which the current thread is about to take. The second place in one function
/// gets a number, in the order in which they were met.
const std::string& lock_site() {
    static const std::string unknown = "?";
    static std::map<const void*, std::string> names;
    static std::map<std::string, unsigned> met;
    for (unsigned i = std::min(current->depth, most_frames); i-- != 0;) {
        const void* code = current->frames[i];
        const std::string& name = function_name(code);
        if (takes_locks_for_others(name)) {
            continue;
        }
        auto found = names.find(code);
        if (found == names.end()) {
            const unsigned n = ++met[name];
            found = names.emplace(code, n == 1 ? name : name + "#" + std::to_string(n)).first;
        }
        return found->second;
    }
    return unknown;
}

std::string after(const std::string& text, const char* prefix) {
    const std::string p = prefix;
    return text.starts_with(p) ? text.substr(p.size()) : std::string{};
}

/// The next weaker order of the same kind of operation.
std::memory_order softer(std::memory_order o, const std::string& what) {
    if (o == std::memory_order_seq_cst) {
        return what == "load"    ? std::memory_order_acquire
               : what == "store" ? std::memory_order_release
                                 : std::memory_order_acq_rel;
    }
    return o == std::memory_order_acq_rel ? std::memory_order_acquire : std::memory_order_relaxed;
}

const char* name_of(std::memory_order o) {
    static constexpr const char* names[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
    return names[static_cast<int>(o)];
}

} // namespace

void set_control(const std::string& name) {
    weakened = after(name, "weaken ");
    softened = after(name, "soften ");
    unlocked = after(name, "unlock ");
    without_barrier = name == "barrier";
    if (weakened.empty() && softened.empty() && unlocked.empty() && !without_barrier) {
        std::printf("no such kind of control: %s\n", name.c_str());
        std::exit(2);
    }
}

std::memory_order order_at(const char* what, std::memory_order o, const where& here) noexcept {
    if (o == std::memory_order_relaxed) {
        return o;
    }
    const own_memory guard;
    static std::map<std::tuple<const char*, unsigned, unsigned>, std::memory_order> known;
    const std::tuple key{here.file_name(), here.line(), here.column()};
    auto found = known.find(key);
    if (found == known.end()) {
        const std::string name = std::string{short_name(here)} + "/" + what + "/" + name_of(o);
        seen_sites().insert("weaken " + name);
        if (softer(o, what) != std::memory_order_relaxed) {
            seen_sites().insert("soften " + name);
        }
        found = known
                    .emplace(key, name == weakened   ? std::memory_order_relaxed
                                  : name == softened ? softer(o, what)
                                                     : o)
                    .first;
    }
    used = used || found->second != o;
    return found->second;
}

bool lock_is_removed() noexcept {
    if (current->depth == 0) {
        return false;
    }
    const own_memory guard;
    static std::map<const void*, bool> known;
    // The guard's caller decides, unless that takes locks for others too.
    const void* top = current->frames[std::min(current->depth, most_frames) - 1];
    const auto found = known.find(top);
    if (found != known.end()) {
        used = used || found->second;
        return found->second;
    }
    const std::string& site = lock_site();
    const bool removed = site == unlocked;
    if (!takes_locks_for_others(function_name(top))) {
        known.emplace(top, removed);
    }
    seen_sites().insert("unlock " + site);
    used = used || removed;
    return removed;
}

bool barrier_is_removed() noexcept {
    const own_memory guard;
    seen_sites().insert("barrier");
    used = used || without_barrier;
    return without_barrier;
}

std::vector<std::string> sites() {
    return {seen_sites().begin(), seen_sites().end()};
}

bool control_was_used() noexcept {
    return used;
}

std::string function_at(const void* code) {
    return code != nullptr ? function_name(code) : "the model";
}

const char* short_name(const where& here) {
    static std::map<std::string, std::string> names;
    auto found = names.find(here.function_name());
    if (found == names.end()) {
        found = names.emplace(here.function_name(), shortened(here.function_name())).first;
    }
    return found->second.c_str();
}

void print_frames(const thread& t) {
    for (unsigned i = std::min(t.depth, most_frames); i-- != 0;) {
        std::printf("    %s\n", function_name(t.frames[i]).c_str());
    }
}

} // namespace model::engine
