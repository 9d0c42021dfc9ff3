// SPDX-License-Identifier: Apache-2.0
// Which bytes a use means, and what loops make of uses.
#include "object_uses.hpp"
#include "syntax.hpp"

#include <algorithm>

namespace clang::tidy::linn {

polynomial object_uses::total() const {
    const polynomial each{static_cast<std::int64_t>(sizes_.size_of(made_.object))};
    if (made_.count) {
        return each * static_cast<std::int64_t>(*made_.count);
    }
    return values_ != nullptr ? each * values_->value(made_.count_expression) : polynomial::of("?");
}

polynomial object_uses::first() const {
    return made_.keeps_old
               ? values_->size(made_.container) * static_cast<std::int64_t>(sizes_.size_of(made_.object))
               : polynomial{};
}

std::optional<polynomial> object_uses::offset_of(const polynomial& address) const {
    for (const std::string& start : starts_) {
        const polynomial offset = address - polynomial::of(start);
        if (address.mentions(start) && !offset.mentions(start)) {
            return offset;
        }
    }
    return std::nullopt;
}

std::optional<region> object_uses::bytes_of(const Expr* lvalue, const standing& place) const {
    if (!place.element || values_ == nullptr || lvalue == nullptr) {
        return std::nullopt;
    }
    const QualType type = lvalue->getType().getNonReferenceType();
    const std::optional<polynomial> offset = offset_of(values_->address(lvalue));
    if (!offset || type->isIncompleteType()) {
        return std::nullopt;
    }
    auto width = static_cast<std::int64_t>(sizes_.size_of(type));
    // The padding behind a member goes with it.
    if (const auto* member = dyn_cast<MemberExpr>(lvalue->IgnoreParens())) {
        const auto* field = dyn_cast<FieldDecl>(member->getMemberDecl());
        if (field != nullptr && !field->isBitField() && !field->getParent()->isUnion()) {
            constexpr std::uint64_t bits = 8;
            std::uint64_t end = sizes_.size_of(context_.getRecordType(field->getParent())) * bits;
            for (const FieldDecl* other : field->getParent()->fields()) {
                if (context_.getFieldOffset(other) > context_.getFieldOffset(field)) {
                    end = std::min(end, context_.getFieldOffset(other));
                }
            }
            width = std::max(width, static_cast<std::int64_t>((end - context_.getFieldOffset(field)) / bits));
        }
    }
    return region{*offset, width};
}

std::optional<region> object_uses::bytes_from(const Expr* pointer, const polynomial& amount) const {
    const std::optional<polynomial> offset =
        values_ != nullptr ? offset_of(values_->value(pointer)) : std::nullopt;
    return offset ? std::optional<region>{region{*offset, amount}} : std::nullopt;
}

void object_uses::assigned(const Stmt* at, const Expr* lvalue, const standing& place) {
    if (!place.element) {
        add(use_kind::write, at, place.path);
    } else if (std::optional<region> bytes = bytes_of(lvalue, place)) {
        add(use_kind::write, at, place.path, std::move(bytes));
    }
    // One element of many written says nothing about the others.
}

/// The outermost loop around a part, but not around the creation, of which some bytes are known that it writes.
const Stmt* object_uses::loop_that_writes(const Stmt* part) {
    const Stmt* found = nullptr;
    for (const Stmt* one = part; one != nullptr; one = values_->around(one)) {
        if (parts_of_loop(one)) {
            if (values_->lies_within(made_.expression, one)) {
                break;
            }
            found = regions_->of(one).empty() ? found : one;
        }
    }
    return found;
}

/// `v[i] = v[i - 1] + x`: all but the first turns read what another one wrote.
bool object_uses::earlier_turn(object_use& use, const Stmt* loop) {
    if (!use.bytes || !use.bytes->is_contiguous()) {
        return false;
    }
    for (const region& each : regions_->of(parts_of_loop(loop)->body)) {
        const std::vector<region> all = regions_->expanded(each, loop);
        const polynomial back = each.start - use.bytes->start;
        const bool is_dense = each.is_contiguous() && all.size() == 1 && all.front().is_contiguous();
        const bool rises = each.start.with(symbolic::turn_of(loop), 0) == all.front().start;
        if (is_dense && rises && !back.is_zero() && back.is_never_negative() && !back.mentions("?") &&
            (each.start - use.bytes->end()).is_never_negative() && !back.mentions(symbolic::turn_of(loop))) {
            use.bytes = region{all.front().start - back, back};
            return true;
        }
    }
    return false;
}

/// A loop that writes is one write of all that it writes, when its condition is asked first. What else it does to the object
/// happens before that, unless the same turn wrote it, or an earlier one.
void object_uses::settle_loops() {
    regions_ = std::make_unique<written_regions>(*values_);
    for (const object_use& use : uses_) {
        if (use.kind == use_kind::write && use.bytes) {
            regions_->add(use.at, *use.bytes);
        }
    }
    std::vector<object_use> kept;
    std::vector<const Stmt*> loops;
    for (object_use& use : uses_) {
        const Stmt* loop = loop_that_writes(use.at);
        if (loop == nullptr) {
            kept.push_back(std::move(use));
            continue;
        }
        if (std::find(loops.begin(), loops.end(), loop) == loops.end()) {
            loops.push_back(loop);
        }
        if ((use.kind == use_kind::write && use.bytes) || use.kind == use_kind::end ||
            (use.bytes && regions_->written_before(use.at, *use.bytes, loop))) {
            continue;
        }
        if (!earlier_turn(use, loop)) {
            use.bytes.reset();
        }
        use.at = parts_of_loop(loop)->condition;
        use.before_all = true;
        kept.push_back(std::move(use));
    }
    for (const Stmt* loop : loops) {
        const Stmt* at = parts_of_loop(loop)->condition;
        if (outlives_ && any_part(loop, [](const Stmt& one) { return isa<ReturnStmt>(one); })) {
            kept.push_back({use_kind::escape, at, at, {}, {}, false, true}); // left half written
        }
        for (const region& bytes : regions_->of(loop)) {
            kept.push_back({use_kind::write, at, at, {}, bytes});
        }
    }
    uses_ = std::move(kept);
}

} // namespace clang::tidy::linn
