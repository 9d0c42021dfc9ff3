// SPDX-License-Identifier: Apache-2.0
// A trace written by the tool's own parts, without a program: what it holds is known to the last event.
#pragma once

#include "trace/chunk.hpp"
#include "trace/event.hpp"
#include "trace/trace_file.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// Writes chunks as one thread of one process image does.
class made_thread {
public:
    static constexpr std::uint64_t start_ticks = 1'000'000;

    made_thread(trace_writer& writer, std::uint32_t image, std::uint32_t pid, std::uint32_t thread,
                std::uint32_t tid, std::size_t chunk_bytes = wire::chunk_bytes)
        : writer_(writer),
          memory_(wire::chunk_bytes),
          most_(chunk_bytes) {
        std::memset(static_cast<void*>(&encoder_), 0, sizeof encoder_); // its empty state, by contract
        encoder_.bind(&limit_);
        header_.image = image;
        header_.pid = pid;
        header_.thread = thread;
        header_.stream = thread;
        header_.tid = tid;
    }

    void allocate(std::uint64_t time, std::uint64_t address, std::uint64_t bytes, std::uint32_t stack,
                  allocation_call call = allocation_call::malloc, std::uint8_t alignment_log2 = 0) {
        room(time);
        encoder_.allocation(
            ticks(time), address, bytes,
            wire::encoder::stack_word(stack, static_cast<std::uint8_t>(call), alignment_log2));
    }
    void release(std::uint64_t time, std::uint64_t address, allocation_call call = allocation_call::free) {
        room(time);
        encoder_.release(ticks(time), address, static_cast<std::uint8_t>(call));
    }
    void reallocate(std::uint64_t time, std::uint64_t old, std::uint64_t address, std::uint64_t bytes,
                    std::uint32_t stack) {
        room(time);
        encoder_.reallocation(ticks(time), old, address, bytes, stack);
    }
    void fail(std::uint64_t time, std::uint64_t bytes, std::uint32_t stack) {
        room(time);
        encoder_.failure(ticks(time), bytes, stack, static_cast<std::uint8_t>(allocation_call::malloc), 0, 0);
    }

    void define_stack(std::uint64_t time, std::uint32_t id, const std::vector<std::uintptr_t>& frames) {
        room(time);
        encoder_.stack(ticks(time), id, frames.data(), static_cast<unsigned>(frames.size()));
    }
    void define_process(std::uint64_t time, std::uint8_t origin, std::uint32_t parent_image,
                        const std::vector<std::string>& words) {
        record(time, wire::entry::process, [&](unsigned char* p) {
            *p++ = origin;
            p = wire::encoder::put_varint(p, parent_image);
            p = wire::encoder::put_varint(p, header_.pid);
            p = wire::encoder::put_varint(p, 1);
            for (const std::string& word : words) {
                p = wire::encoder::put_bytes(p, word.c_str(), word.size() + 1);
            }
            return p;
        });
    }
    void define_module(std::uint64_t time, std::uint32_t number, std::uint64_t bias, std::uint64_t begin,
                       std::uint64_t end, std::string_view build_id, std::string_view path) {
        record(time, wire::entry::module_loaded, [&](unsigned char* p) {
            p = wire::encoder::put_varint(p, number);
            p = wire::encoder::put_varint(p, bias);
            p = wire::encoder::put_varint(p, begin);
            p = wire::encoder::put_varint(p, end);
            *p++ = static_cast<unsigned char>(build_id.size());
            p = wire::encoder::put_bytes(p, build_id.data(), build_id.size());
            return wire::encoder::put_bytes(p, path.data(), path.size());
        });
    }
    void unload_module(std::uint64_t time, std::uint32_t number) {
        record(time, wire::entry::module_unloaded,
               [&](unsigned char* p) { return wire::encoder::put_varint(p, number); });
    }
    void name_thread(std::uint64_t time, std::string_view name) {
        record(time, wire::entry::thread,
               [&](unsigned char* p) { return wire::encoder::put_bytes(p, name.data(), name.size()); });
    }
    void define_rtti(std::uint64_t time, std::uint32_t stack, std::string_view name) {
        record(time, wire::entry::rtti, [&](unsigned char* p) {
            p = wire::encoder::put_varint(p, stack);
            return wire::encoder::put_bytes(p, name.data(), name.size());
        });
    }
    void drop(std::uint64_t time, std::uint64_t events) {
        record(time, wire::entry::dropped,
               [&](unsigned char* p) { return wire::encoder::put_varint(p, events); });
    }

    /// Ends the chunk and writes it; the next entry begins another.
    void hand_over() {
        if (!encoder_.has_chunk()) {
            return;
        }
        encoder_.end();
        written_ = 0;
        chunk_frame frame = frame_of_chunk(memory_);
        if (frame.damage != nullptr) {
            throw std::logic_error{frame.damage};
        }
        const auto stored =
            compressor_.compress(frame.payload, trace_writer::compression_level, frame.header);
        writer_.write_chunk(frame.header, stored);
    }

private:
    static std::uint64_t ticks(std::uint64_t time) { return start_ticks + 16 * time; }

    void room(std::uint64_t time) {
        if (encoder_.has_chunk() && (!encoder_.has_room() || written_ >= most_)) {
            hand_over();
        }
        if (!encoder_.has_chunk()) {
            std::fill(memory_.begin(), memory_.end(), static_cast<unsigned char>(0));
            header_.first_ticks = ticks(time);
            encoder_.begin(memory_.data(), header_);
            ++header_.sequence;
        }
        written_ += 8; // roughly
    }
    template <class Body>
    void record(std::uint64_t time, wire::entry what, Body body) {
        room(time);
        encoder_.end_record(what, body(encoder_.begin_record(ticks(time))));
    }

    trace_writer& writer_;
    frame_compressor compressor_;
    std::vector<unsigned char> memory_;
    wire::encoder encoder_;
    unsigned char* limit_ = nullptr;
    wire::chunk_header header_;
    std::size_t most_;
    std::size_t written_ = 0;
};

/// A file with a start frame, threads that write chunks, and an end frame. One unit of time is 16 ticks, which are
/// 16 ns.
class made_trace {
public:
    explicit made_trace(const std::filesystem::path& file) {
        if (const std::string problem = writer_.open(file); !problem.empty()) {
            throw std::runtime_error{problem};
        }
        recording_start start;
        start.tool = "0.0.0";
        start.command = {"./made", "up"};
        start.directory = "/made/up";
        start.started = "2026-01-01T00:00:00Z";
        start.machine = "a machine, 2 CPUs, Linux";
        start.depth = 16;
        start.ticks_per_ns = 1;
        start.start_ticks = made_thread::start_ticks;
        writer_.write_start(start);
    }
    ~made_trace() {
        if (!is_finished_) {
            finish();
        }
    }
    made_trace(const made_trace&) = delete;
    made_trace& operator=(const made_trace&) = delete;

    made_thread& thread(std::uint32_t image, std::uint32_t pid, std::uint32_t thread, std::uint32_t tid,
                        std::size_t chunk_bytes = wire::chunk_bytes) {
        threads_.push_back(std::make_unique<made_thread>(writer_, image, pid, thread, tid, chunk_bytes));
        return *threads_.back();
    }

    /// Hands over what is left and writes the end.
    void finish(recording_end end = {}) {
        for (const auto& t : threads_) {
            t->hand_over();
        }
        if (end.ending.empty()) {
            end.ending = "exit status 0";
        }
        writer_.write_end(end);
        is_finished_ = true;
    }

private:
    trace_writer writer_;
    std::vector<std::unique_ptr<made_thread>> threads_;
    bool is_finished_ = false;
};

} // namespace linn::tool
