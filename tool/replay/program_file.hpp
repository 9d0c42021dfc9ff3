// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace linn::tool {

/// A temporary file for a program, without a name: nothing stays behind, however this process ends.
class program_file {
public:
    /// @throws std::runtime_error when the folder cannot be written to
    explicit program_file(const std::filesystem::path& folder);
    program_file(program_file&& other) noexcept;
    program_file& operator=(program_file&& other) noexcept;
    ~program_file();

    /// Keeps room at the end of the file; returns its offset.
    std::uint64_t reserve(std::uint64_t bytes) noexcept;

    /// @throws std::runtime_error when the disk is full
    void write(std::uint64_t offset, const void* data, std::size_t bytes);

    std::uint64_t size() const noexcept { return size_; }

    /// A path by which another process opens it, while this object lives.
    std::string path() const;

private:
    std::filesystem::path folder_;
    int fd_ = -1;
    std::uint64_t size_ = 0;
};

/// One stream of words within such a file: chunks, each of which ends with a jump to the next.
class word_stream {
public:
    explicit word_stream(program_file& file);

    /// The offset at which the stream begins.
    std::uint64_t begin() const noexcept { return begin_; }

    /// Appends words that stay together.
    void append(std::span<const std::uint64_t> words) {
        if (chunk_.size() + words.size() + words_of_jump > capacity_) {
            begin_chunk();
        }
        chunk_.insert(chunk_.end(), words.begin(), words.end());
    }
    void append(std::uint64_t word) { append(std::span{&word, 1}); }

    /// Writes what is buffered, after the last word.
    void finish();

private:
    static constexpr std::size_t words_of_jump = 2;

    void begin_chunk();

    program_file* file_;
    std::uint64_t begin_;
    std::uint64_t offset_; // of this chunk
    std::size_t capacity_; // of it, in words: small at first, for there may be a thousand streams
    std::vector<std::uint64_t> chunk_;
};

} // namespace linn::tool
