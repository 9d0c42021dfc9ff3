// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mapped_array.hpp"
#include "measure.hpp"
#include "variant.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace linn::tool::worker {

/// The data of a measured object: the constructor writes the first word and leaves the rest alone, so that the
/// allocation is what is measured and not a fill.
template <std::size_t Bytes>
struct payload {
    explicit payload(std::uint64_t id) noexcept : id_{id} {}

private:
    std::uint64_t id_;
    std::byte rest_[Bytes - sizeof(std::uint64_t)];
};

/// One pass of "many": all live, then all freed in the order of allocation. Returns cycles a pair.
template <class Object>
phase many_pass(mapped_array<Object*>& objects) {
    const stopwatch watch;
    for (std::size_t i = 0; i != objects.size(); ++i) {
        Object* p = new Object(i);
        escape(p);
        objects[i] = p;
    }
    for (Object* p : objects) {
        delete p;
    }
    return watch.finish("many", objects.size());
}

/// Allocates one object and frees it at once, again and again.
template <class Object>
phase hot_pass(std::size_t pairs) {
    const stopwatch watch;
    for (std::size_t i = 0; i != pairs; ++i) {
        Object* p = new Object(i);
        escape(p);
        delete p;
    }
    return watch.finish("hot_pair", pairs);
}

/// First pass (fresh memory), the median of many later passes, and the median of hot pairs.
template <class Object>
outcome measure_object(const options& o) {
    mapped_array<Object*> objects{o.objects};
    outcome result;
    result.work_check = sizeof(Object);

    phase first = many_pass(objects);
    first.name = "first";
    result.phases.push_back(first);

    std::array<phase, 15> many;
    for (phase& p : many) {
        p = many_pass(objects);
    }
    result.phases.push_back(median_pass(many));

    std::array<phase, 15> hot;
    hot_pass<Object>(o.objects);
    for (phase& p : hot) {
        p = hot_pass<Object>(o.objects);
    }
    result.phases.push_back(median_pass(hot));
    return result;
}

/// The scenario `object` for one policy.
template <class Policy>
outcome run_object(const options& o) {
    switch (o.object_bytes) {
    case 16:
        return measure_object<typename Policy::template object<16>>(o);
    case 64:
        return measure_object<typename Policy::template object<64>>(o);
    case 256:
        return measure_object<typename Policy::template object<256>>(o);
    case 1024:
        return measure_object<typename Policy::template object<1024>>(o);
    default:
        break;
    }
    outcome unknown;
    unknown.error = "no object of " + std::to_string(o.object_bytes) + " bytes is compiled in";
    return unknown;
}

} // namespace linn::tool::worker
