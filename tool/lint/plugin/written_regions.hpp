// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "symbolic.hpp"

#include <map>
#include <set>
#include <vector>

namespace clang::tidy::linn {

/// Bytes of the object, from its start: `width` of them at `start`, and again at every `stride` up to `span`.
struct region {
    struct dimension {
        polynomial stride{};
        polynomial span{};
    };

    polynomial start{};
    polynomial width{};
    std::vector<dimension> dimensions{};

    polynomial end() const { return start + width; }
    bool is_contiguous() const { return dimensions.empty(); }
};

/// Intervals of bytes that are written, each without a hole.
class byte_set {
public:
    void add(const region& bytes) {
        if (bytes.is_contiguous()) {
            intervals_[bytes.start].insert(bytes.end());
        }
    }
    /// Whether it can be proven that all bytes from one place to another are in the set.
    bool contains(const polynomial& from, const polynomial& to) const;
    friend bool operator<(const byte_set& a, const byte_set& b) { return a.intervals_ < b.intervals_; }

private:
    std::map<polynomial, std::set<polynomial>> intervals_{};
};

/// What statements write for certain when they run to their end: loops over all rows and columns, both branches of a choice.
class written_regions {
public:
    explicit written_regions(symbolic& values) : values_{values} {}

    /// One expression writes these bytes.
    void add(const Stmt* at, region bytes) { at_[at].push_back(std::move(bytes)); }

    /// Regions that a statement writes on every way to its end.
    const std::vector<region>& of(const Stmt* statement);

    /// Of what an expression reads, whether the same turn of the loops around it, up to `outermost`, wrote it before.
    bool written_before(const Stmt* at, const region& bytes, const Stmt* outermost);

    /// What all turns of a loop make of what one turn writes; nothing where that is not known.
    std::vector<region> expanded(const region& each, const Stmt* loop);

private:
    std::vector<region> find(const Stmt* statement);
    std::vector<region> in_row(const std::vector<const Stmt*>& statements);
    std::vector<region> of_switch(const SwitchStmt& statement);

    symbolic& values_;
    std::map<const Stmt*, std::vector<region>> at_{};
    std::map<const Stmt*, std::vector<region>> known_{};
};

} // namespace clang::tidy::linn
