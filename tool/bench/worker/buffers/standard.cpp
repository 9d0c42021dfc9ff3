// SPDX-License-Identifier: Apache-2.0
#include "held.hpp"

#include <memory>

namespace linn::tool::worker {
namespace {

template <std::size_t Bytes>
struct new_array {
    static constexpr std::size_t bytes = Bytes;
    static std::unique_ptr<char[]> acquire() { return std::unique_ptr<char[]>(new char[Bytes]); }
    static void* data(const std::unique_ptr<char[]>& h) { return h.get(); }
};

template <std::size_t Bytes>
struct make_unique_array {
    static constexpr std::size_t bytes = Bytes;
    static std::unique_ptr<char[]> acquire() { return std::make_unique<char[]>(Bytes); }
    static void* data(const std::unique_ptr<char[]>& h) { return h.get(); }
};

template <std::size_t Bytes>
struct for_overwrite_array {
    static constexpr std::size_t bytes = Bytes;
    static std::unique_ptr<char[]> acquire() { return std::make_unique_for_overwrite<char[]>(Bytes); }
    static void* data(const std::unique_ptr<char[]>& h) { return h.get(); }
};

template <std::size_t Bytes>
struct make_shared_object {
    struct line {
        char data[Bytes];
    };
    static constexpr std::size_t bytes = Bytes;
    static std::shared_ptr<line> acquire() { return std::make_shared<line>(); }
    static void* data(const std::shared_ptr<line>& h) { return h->data; }
};

constexpr variant all[] = {
    {"buffers", "new_array", &run_buffers<new_array>},
    {"buffers", "make_unique", &run_buffers<make_unique_array>},
    {"buffers", "make_unique_for_overwrite", &run_buffers<for_overwrite_array>},
    {"buffers", "make_shared", &run_buffers<make_shared_object>},
    {"buffers-held", "new_array", &run_held<new_array>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
