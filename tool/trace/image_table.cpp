// SPDX-License-Identifier: Apache-2.0
#include "image_table.hpp"

#include "../measure/process.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace linn::tool {
namespace {

std::uint64_t hash_of(const std::vector<code_address>& frames) {
    std::uint64_t hash = 0xcbf2'9ce4'8422'2325;
    for (const code_address& f : frames) {
        hash = (hash ^ f.module) * 0x9e37'79b9'7f4a'7c15;
        hash = (hash ^ (hash >> 29) ^ f.address) * 0x9e37'79b9'7f4a'7c15;
    }
    return hash;
}

} // namespace

std::uint32_t trace_image::look_up(std::uint32_t id) const {
    std::uint32_t found = 0;
    std::uint64_t until = ~std::uint64_t{0};
    for (const trace_image* at = this; at != nullptr; at = at->parent_) {
        if (const auto place = at->stacks_.find(id);
            place != at->stacks_.end() && place->second.ticks <= until) {
            found = place->second.index;
            break;
        }
        until = std::min(until, at->began_); // forked then
    }
    // Recorders give ids one by one; one far beyond them all is damage, and not to take memory.
    if (id < 8 * reach_ + 64) {
        if (id >= known_.size()) {
            known_.resize(std::max<std::size_t>(2 * std::size_t{id}, 64), unknown);
        }
        known_[id] = found;
    }
    return found;
}

/// The module at an address at a time. Code of a module runs, and allocates, before its loading is told, and may be
/// seen after its unloading: then the nearest in time.
const trace_image::loaded_module* trace_image::find_module(std::uint64_t address, std::uint64_t ticks) const {
    const auto rank = [ticks](const loaded_module& m) { // those that came later before those that went
        return m.loaded_at > ticks     ? std::pair{1, m.loaded_at - ticks}
               : m.unloaded_at > ticks ? std::pair{0, std::uint64_t{0}}
                                       : std::pair{2, ticks - m.unloaded_at};
    };
    const loaded_module* nearest = nullptr;
    std::uint64_t until = ~std::uint64_t{0};
    for (const trace_image* at = this; at != nullptr; at = at->parent_) {
        for (const loaded_module& m : at->modules_) {
            if (address >= m.begin && address < m.end && m.loaded_at <= until &&
                (nearest == nullptr || rank(m) < rank(*nearest))) {
                nearest = &m;
            }
        }
        until = std::min(until, at->began_); // forked then
    }
    return nearest;
}

/// Takes records of one chunk into the table.
class image_table::collecting_sink : public wire::chunk_sink {
public:
    collecting_sink(image_table& table, const frame_header& chunk)
        : table_(table),
          image_(table.images_.at(chunk.image)),
          thread_(table.threads_.at({chunk.image, chunk.thread})) {}

    void on_stack(const wire::stack_record& r) {
        const auto [place, is_new] = image_.stacks_.try_emplace(r.id);
        if (is_new || r.ticks < place->second.ticks) {
            place->second = {r.ticks, {r.frames.begin(), r.frames.end()}, trace_image::unknown};
        }
    }

    void on_process(const wire::process_record& r) {
        image_.is_told_ = true;
        image_.began_ = r.ticks;
        image_.parent_image_ = r.parent_image;
        trace_process& p = image_.process_;
        p.began = static_cast<trace_process::origin>(r.origin);
        p.pid = r.pid;
        p.executable = r.words.substr(0, r.words.find('\0'));
        p.arguments = strings_of(r.words.substr(std::min(p.executable.size() + 1, r.words.size())));
    }

    void on_thread_name(std::uint64_t ticks, std::string_view name) {
        if (ticks < thread_.named_at) {
            return;
        }
        thread_.named_at = ticks;
        thread_.name = name;
    }

    void on_module(const wire::module_record& r) {
        image_.modules_.push_back(
            {r.number, table_.module_index(r), r.bias, r.begin, r.end, r.ticks, ~std::uint64_t{0}});
    }

    void on_unloaded(std::uint64_t ticks, std::uint32_t number) {
        image_.unloaded_.emplace_back(number, ticks);
    }

    void on_rtti(std::uint64_t, std::uint32_t stack, std::string_view name) {
        image_.rtti_.emplace_back(stack, name);
    }

private:
    image_table& table_;
    trace_image& image_;
    known_thread& thread_;
};

void image_table::add(const frame_header& chunk) {
    trace_image& image = images_[chunk.image];
    if (image.process_.pid == 0) {
        image.process_.pid = chunk.pid;
    }
    if (!image.is_told_) {
        image.began_ = std::min(image.began_, chunk.first_time);
    }
    image.process_.events += chunk.events;
    image.process_.dropped += chunk.dropped;
    const auto [place, is_new] = threads_.try_emplace({chunk.image, chunk.thread});
    known_thread& thread = place->second;
    thread.tid = chunk.tid;
    thread.first_time = is_new ? chunk.first_time : std::min(thread.first_time, chunk.first_time);
    thread.events += chunk.events;
}

void image_table::collect(const frame_header& chunk, std::span<const unsigned char> raw) {
    collecting_sink sink{*this, chunk};
    wire::decode_chunk(std::as_bytes(raw), sink);
}

std::uint32_t image_table::module_index(const wire::module_record& record) {
    std::string build_id = fmt::format("{:02x}", fmt::join(record.build_id, ""));
    const auto [place, is_new] = modules_.try_emplace({std::string{record.path}, build_id},
                                                      static_cast<std::uint32_t>(info_.modules.size()));
    if (is_new) {
        info_.modules.push_back({place->first.first, place->first.second});
    }
    return place->second;
}

void image_table::resolve_processes() {
    std::uint32_t index = 0;
    for (auto& [number, image] : images_) {
        image.index = index++;
    }
    for (auto& [number, image] : images_) {
        trace_process& p = image.process_;
        p.began_at = scale.ns(image.began_);
        const auto parent = images_.find(image.parent_image_);
        // A later image is no parent, so there are no circles.
        const bool is_known = parent != images_.end() && image.parent_image_ < number;
        p.parent = is_known ? parent->second.index : image.index;
        if (is_known && p.began == trace_process::origin::fork) {
            image.parent_ = &parent->second;
        }
        image.reach_ = image.stacks_.size() + (image.parent_ != nullptr ? image.parent_->reach_ : 0);
        for (const auto& [module, ticks] : image.unloaded_) {
            for (trace_image::loaded_module& m : image.modules_) {
                if (m.number == module && m.loaded_at <= ticks) {
                    m.unloaded_at = std::min(m.unloaded_at, ticks);
                }
            }
        }
        info_.processes.push_back(std::move(p));
    }
    // Threads in the order in which they began.
    std::vector<decltype(threads_)::value_type*> ordered;
    for (auto& entry : threads_) {
        ordered.push_back(&entry);
    }
    std::ranges::sort(ordered, {},
                      [](const auto* entry) { return std::pair{entry->second.first_time, entry->first}; });
    for (auto* const entry : ordered) {
        auto& [key, thread] = *entry;
        thread.index = static_cast<std::uint32_t>(info_.threads.size());
        info_.threads.push_back({images_.at(key.first).index, thread.tid, thread.name, thread.events});
    }
}

std::uint32_t image_table::stack_index(std::vector<code_address> frames) {
    if (frames.empty()) {
        return 0;
    }
    const std::uint64_t hash = hash_of(frames);
    const auto [begin, end] = stacks_.equal_range(hash);
    for (auto at = begin; at != end; ++at) {
        if (info_.stacks[at->second] == frames) {
            return at->second;
        }
    }
    const auto index = static_cast<std::uint32_t>(info_.stacks.size());
    stacks_.emplace(hash, index);
    info_.stacks.push_back(std::move(frames));
    info_.rtti.emplace_back();
    return index;
}

void image_table::resolve_stacks(trace_image& image) {
    const trace_image::loaded_module* last = nullptr;
    for (auto& [id, d] :
         image.stacks_) { // in their order, so that the same file always gives the same indices
        std::vector<code_address> frames;
        frames.reserve(d.frames.size());
        for (const std::uint64_t address : d.frames) {
            const std::uint64_t inside = address - 1; // a call may be the last thing in a module
            if (last == nullptr || inside < last->begin || inside >= last->end || d.ticks < last->loaded_at ||
                d.ticks >= last->unloaded_at) {
                last = image.find_module(inside, d.ticks);
            }
            if (last == nullptr) {
                frames.push_back({code_address::unknown_module, address});
            } else if (!is_recorder(info_.modules[last->module].path)) { // its version of an operator
                frames.push_back({last->module, address - last->bias});
            }
        }
        d.index = stack_index(std::move(frames));
        d.frames = {};
    }
}

void image_table::resolve() {
    info_.stacks.assign(1, {});
    info_.rtti.assign(1, {});
    resolve_processes();
    for (auto& [number, image] : images_) {
        resolve_stacks(image);
    }
    for (auto& [number, image] : images_) {
        for (auto& [id, name] : image.rtti_) {
            if (const std::uint32_t index = image.stack(id); index != 0 && info_.rtti[index].empty()) {
                info_.rtti[index] = std::move(name);
            }
        }
    }
}

} // namespace linn::tool
