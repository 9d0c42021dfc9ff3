// SPDX-License-Identifier: Apache-2.0
#include "written_regions.hpp"

#include "syntax.hpp"

#include <algorithm>

namespace clang::tidy::linn {
namespace {

/// More intervals than these in a row are not joined.
constexpr int most_joints = 256;

/// Whether a <= b for all values of the names.
bool is_at_most(const polynomial& a, const polynomial& b) {
    return (b - a).is_never_negative();
}

bool same_shape(const region& a, const region& b) {
    return a.dimensions.size() == b.dimensions.size() &&
           std::equal(a.dimensions.begin(), a.dimensions.end(), b.dimensions.begin(),
                      [](const region::dimension& x, const region::dimension& y) {
                          return x.stride == y.stride && x.span == y.span;
                      });
}

/// Regions that touch become one: `v[3 * i]`, `v[3 * i + 1]`, `v[3 * i + 2]`.
void join(std::vector<region>& regions) {
    for (std::size_t i = 0; i < regions.size(); ++i) {
        for (std::size_t j = 0; j < regions.size() && regions.size() > 1; ++j) {
            if (i != j && same_shape(regions[i], regions[j]) && regions[j].start == regions[i].end()) {
                regions[i].width = regions[i].width + regions[j].width;
                regions.erase(regions.begin() + static_cast<std::ptrdiff_t>(j));
                i = i > j ? i - 1 : i;
                j = static_cast<std::size_t>(-1); // from the start
            }
        }
    }
}

/// Rows without a gap between them are one.
void collapse(region& bytes) {
    for (std::size_t i = 0; i < bytes.dimensions.size();) {
        const region::dimension& d = bytes.dimensions[i];
        const auto gap = (d.stride - bytes.width).constant();
        if (gap && *gap <= 0) {
            bytes.width = d.span - d.stride + bytes.width;
            bytes.dimensions.erase(bytes.dimensions.begin() + static_cast<std::ptrdiff_t>(i));
            i = 0;
        } else {
            ++i;
        }
    }
}

bool is_within(const region& one, const std::vector<region>& others) {
    byte_set all;
    for (const region& other : others) {
        if (same_shape(one, other) && one.start == other.start && is_at_most(one.width, other.width)) {
            return true;
        }
        all.add(other);
    }
    return one.is_contiguous() && all.contains(one.start, one.end());
}

std::vector<region> in_both(const std::vector<region>& a, const std::vector<region>& b) {
    std::vector<region> both;
    for (const region& one : a) {
        if (is_within(one, b)) {
            both.push_back(one);
        }
    }
    for (const region& one : b) {
        if (is_within(one, a) && !is_within(one, both)) {
            both.push_back(one);
        }
    }
    return both;
}

/// Ends the function: what comes after needs nothing from it.
bool leaves(const Stmt* statement) {
    if (const auto* block = dyn_cast<CompoundStmt>(statement)) {
        return !block->body_empty() && leaves(block->body_back());
    }
    const auto* expression = dyn_cast<Expr>(statement);
    return isa<ReturnStmt>(statement) ||
           (expression != nullptr && isa<CXXThrowExpr>(expression->IgnoreImplicit()));
}

} // namespace

bool byte_set::contains(const polynomial& from, const polynomial& to) const {
    polynomial reached = from;
    for (int joints = 0; joints != most_joints; ++joints) {
        if (is_at_most(to, reached)) {
            return true;
        }
        bool is_further = false;
        for (const auto& [start, ends] : intervals_) {
            if (!is_at_most(start, reached)) {
                continue;
            }
            for (const polynomial& end : ends) {
                if (is_at_most(to, end)) {
                    return true; // wherever in it the rest begins
                }
                if (is_at_most(reached, end) && !(end == reached)) {
                    reached = end;
                    is_further = true;
                }
            }
        }
        if (!is_further) {
            return false;
        }
    }
    return false;
}

const std::vector<region>& written_regions::of(const Stmt* statement) {
    if (const auto known = known_.find(statement); known != known_.end()) {
        return known->second;
    }
    std::vector<region> found = find(statement);
    join(found);
    return known_[statement] = std::move(found);
}

std::vector<region> written_regions::in_row(const std::vector<const Stmt*>& statements) {
    std::vector<region> all;
    for (const Stmt* one : statements) {
        if (one == nullptr) {
            continue;
        }
        // A jump skips what follows it.
        if (has_jump(one)) {
            break;
        }
        const std::vector<region>& more = of(one);
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

std::vector<region> written_regions::find(const Stmt* statement) {
    if (statement == nullptr || isa<LambdaExpr, UnaryExprOrTypeTraitExpr>(statement)) {
        return {};
    }
    if (isa<CompoundStmt>(statement)) {
        return in_row({statement->child_begin(), statement->child_end()});
    }
    if (const auto* choice = dyn_cast<IfStmt>(statement)) {
        std::vector<region> all = in_row({choice->getInit(), choice->getCond()});
        const Stmt* other = choice->getElse();
        std::vector<region> more;
        if (leaves(choice->getThen())) {
            more = other != nullptr ? of(other) : std::vector<region>{};
        } else if (other != nullptr) {
            more = leaves(other) ? of(choice->getThen()) : in_both(of(choice->getThen()), of(other));
        }
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    if (const auto* several = dyn_cast<SwitchStmt>(statement)) {
        return of_switch(*several);
    }
    if (const auto parts = parts_of_loop(statement)) {
        if (has_jump(parts->body, false) && !isa<DoStmt>(statement)) {
            // `continue` skips the rest of a turn only.
            if (any_part(parts->body, [](const Stmt& one) { return isa<BreakStmt, GotoStmt>(one); })) {
                return {};
            }
        }
        if (isa<DoStmt>(statement)) {
            return of(parts->body);
        }
        std::vector<region> all;
        std::vector<region> each = of(parts->body);
        const std::vector<region> after =
            parts->after != nullptr && !has_jump(parts->body) ? of(parts->after) : std::vector<region>{};
        each.insert(each.end(), after.begin(), after.end());
        join(each);
        for (const region& one : each) {
            const std::vector<region> more = expanded(one, statement);
            all.insert(all.end(), more.begin(), more.end());
        }
        return all;
    }
    if (const auto* choice = dyn_cast<ConditionalOperator>(statement)) {
        return in_both(of(choice->getTrueExpr()), of(choice->getFalseExpr()));
    }
    std::vector<region> all;
    if (const auto own = at_.find(statement); own != at_.end()) {
        all = own->second;
    }
    if (isa<CXXTryStmt>(statement)) {
        return all;
    }
    const auto* binary = dyn_cast<BinaryOperator>(statement);
    if (binary != nullptr && binary->isLogicalOp()) {
        return of(binary->getLHS());
    }
    std::vector<region> more = in_row({statement->child_begin(), statement->child_end()});
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

/// What every case writes before its break.
std::vector<region> written_regions::of_switch(const SwitchStmt& statement) {
    const auto* body = dyn_cast_or_null<CompoundStmt>(statement.getBody());
    if (body == nullptr) {
        return {};
    }
    bool has_default = statement.isAllEnumCasesCovered();
    bool is_first = true;
    std::vector<region> common;
    std::vector<region> now;
    bool is_open = false;
    const auto close = [&] {
        common = is_first ? now : in_both(common, now);
        is_first = false;
        now.clear();
        is_open = false;
    };
    for (const Stmt* one : body->body()) {
        while (const auto* label = dyn_cast<SwitchCase>(one)) {
            if (is_open && !now.empty()) {
                now.clear(); // falls through into a label that others jump to
            }
            has_default = has_default || isa<DefaultStmt>(label);
            is_open = true;
            one = label->getSubStmt();
        }
        if (isa<BreakStmt>(one)) {
            close();
            continue;
        }
        if (leaves(one)) {
            now.clear();
            is_open = false; // no way through
            continue;
        }
        if (any_part(one, [](const Stmt& part) { return isa<BreakStmt, ContinueStmt, GotoStmt>(part); })) {
            const auto* block = dyn_cast<CompoundStmt>(one);
            if (block == nullptr || block->body_empty() || !isa<BreakStmt>(block->body_back())) {
                return {};
            }
            std::vector<const Stmt*> inner(block->body_begin(), block->body_end() - 1);
            if (std::any_of(inner.begin(), inner.end(), [](const Stmt* part) { return has_jump(part); })) {
                return {};
            }
            const std::vector<region> more = in_row(inner);
            now.insert(now.end(), more.begin(), more.end());
            close();
            continue;
        }
        const std::vector<region>& more = of(one);
        now.insert(now.end(), more.begin(), more.end());
    }
    if (is_open) {
        close();
    }
    return has_default ? common : std::vector<region>{};
}

std::vector<region> written_regions::expanded(const region& each, const Stmt* loop) {
    const std::optional<counted_loop> counted = values_.counted(loop);
    if (!counted) {
        return {};
    }
    const polynomial next = polynomial::of(counted->turn) + 1;
    const std::string& turn = counted->turn;
    polynomial stride = each.start.with(turn, next) - each.start;
    if (stride.mentions(turn) || each.width.mentions(turn) ||
        std::any_of(each.dimensions.begin(), each.dimensions.end(), [&](const region::dimension& d) {
            return d.stride.mentions(turn) || d.span.mentions(turn);
        })) {
        return {};
    }
    region all = each;
    all.start = each.start.with(turn, 0);
    const auto turns = counted->extent.divided_by(counted->step);
    if (stride.is_zero()) {
        const auto known = counted->extent.constant();
        return known && *known > 0 ? std::vector<region>{all} : std::vector<region>{};
    }
    if (!stride.is_never_negative()) { // downwards: the last turn is the lowest
        stride = polynomial{} - stride;
        if (!turns || !stride.is_never_negative()) {
            return {};
        }
        all.start = all.start - stride * (*turns - 1);
    }
    const auto factor = stride.divided_by(counted->step);
    if (!turns && !factor) {
        return {};
    }
    all.dimensions.push_back({stride, turns ? stride * *turns : *factor * counted->extent});
    collapse(all);
    return {all};
}

bool written_regions::written_before(const Stmt* at, const region& bytes, const Stmt* outermost) {
    std::vector<region> wanted{bytes};
    const Stmt* child = at;
    for (const Stmt* parent = values_.around(child); child != outermost && parent != nullptr;
         child = parent, parent = values_.around(child)) {
        if (isa<CompoundStmt>(parent)) {
            std::vector<const Stmt*> earlier;
            for (const Stmt* one : parent->children()) {
                if (one == child) {
                    break;
                }
                earlier.push_back(one);
            }
            std::vector<region> done;
            for (const Stmt* one : earlier) {
                // A jump to the next turn is fine: then this place is not reached.
                const std::vector<region>& more = of(one);
                done.insert(done.end(), more.begin(), more.end());
            }
            join(done);
            if (std::all_of(wanted.begin(), wanted.end(),
                            [&](const region& one) { return is_within(one, done); })) {
                return true;
            }
        } else if (parts_of_loop(parent) && parent != outermost) {
            std::vector<region> wider;
            for (const region& one : wanted) {
                const std::vector<region> more = expanded(one, parent);
                if (more.empty() && one.start.mentions(symbolic::turn_of(parent))) {
                    return false;
                }
                wider.insert(wider.end(), more.begin(), more.end());
            }
            wanted = wider.empty() ? wanted : wider;
        } else if (const auto* choice = dyn_cast<IfStmt>(parent);
                   choice != nullptr && choice->getCond() != nullptr && child != choice->getCond()) {
            const std::vector<region>& done = of(choice->getCond());
            if (std::all_of(wanted.begin(), wanted.end(),
                            [&](const region& one) { return is_within(one, done); })) {
                return true;
            }
        }
    }
    return false;
}

} // namespace clang::tidy::linn
