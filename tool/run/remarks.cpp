// SPDX-License-Identifier: Apache-2.0
#include "remarks.hpp"

#include <fmt/format.h>

#include <string_view>

namespace linn::tool {
namespace {

/// A program whose name begins so, and is then at an end or goes on with a version, has a heap of its own.
struct own_heap {
    std::string_view name;
    std::string_view what;
};

constexpr own_heap own_heaps[] = {
    {"node", "the JavaScript heap of V8 is its own"},
    {"deno", "the JavaScript heap of V8 is its own"},
    {"bun", "the JavaScript heap of JavaScriptCore is its own"},
    {"java", "the Java heap is its own"},
    {"dotnet", "the .NET heap is its own"},
    {"mono", "the .NET heap is its own"},
    {"chrome", "most of its memory comes from its own PartitionAlloc"},
    {"chromium", "most of its memory comes from its own PartitionAlloc"},
    {"firefox", "it has its own jemalloc"},
    {"ghc", "the Haskell heap is its own"},
    {"sbcl", "the Lisp heap is its own"},
    {"beam.smp", "Erlang has allocators of its own; +MIscs and +M options switch them"},
    {"ocaml", "the OCaml heap is its own"},
    {"cc1plus", "GCC collects most of its memory itself, in pages from mmap"},
    {"cc1", "GCC collects most of its memory itself, in pages from mmap"},
};

bool is_called(std::string_view file, std::string_view name) {
    return file.starts_with(name) &&
           file.find_first_not_of("0123456789.-", name.size()) == std::string_view::npos;
}

} // namespace

std::string variable_of(const std::vector<std::string>& environment, const std::string& name) {
    for (const std::string& entry : environment) {
        if (entry.starts_with(name) && entry.size() > name.size() && entry[name.size()] == '=') {
            return entry.substr(name.size() + 1);
        }
    }
    return {};
}

std::vector<std::string> remarks_on(const process_proof& last, const executable_info& info) {
    std::vector<std::string> list;
    const std::string name = last.executable.filename().string();
    if ((is_called(name, "python") || is_called(name, "pypy")) &&
        variable_of(last.environment, "PYTHONMALLOC") != "malloc") {
        list.push_back(
            name.starts_with("pypy")
                ? "PyPy has a heap of its own: only a part of its memory comes from malloc"
                : "Python has an allocator of its own for small objects: PYTHONMALLOC=malloc in the "
                  "environment takes it out");
    }
    if (is_called(name, "php") && variable_of(last.environment, "USE_ZEND_ALLOC") != "0") {
        list.push_back("PHP has an allocator of its own: USE_ZEND_ALLOC=0 in the environment takes it out");
    }
    for (const own_heap& known : own_heaps) {
        if (is_called(name, known.name)) {
            list.push_back(fmt::format("{}: {}; an allocator changes the rest only", name, known.what));
        }
    }
    if (info.is_go) {
        list.push_back(
            fmt::format("{} is written in Go: its heap is its own, and an allocator changes only what C "
                        "libraries allocate",
                        name));
    }
    if (!info.private_heap.empty()) {
        list.push_back(fmt::format("{} was built with {} under names of its own, which no preload replaces",
                                   name, info.private_heap));
    }
    return list;
}

} // namespace linn::tool
