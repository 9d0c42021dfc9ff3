// SPDX-License-Identifier: Apache-2.0
#include "fill_size.hpp"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Basic/SourceManager.h"

#include <algorithm>
#include <optional>
#include <set>

namespace clang::tidy::linn {

namespace {

/// Deeper nesting than any real type; ends what a cycle of constructors would make endless.
constexpr int deepest = 64;

/// Names the members that a constructor's body touches; a body that does anything else with `this` can
/// touch all of them.
class touched_members {
public:
    void look(const Stmt* statement) {
        if (statement == nullptr) {
            return;
        }
        if (isa<CXXThisExpr>(statement)) {
            ++this_;
        } else if (const auto* expression = dyn_cast<MemberExpr>(statement)) {
            const auto* field = dyn_cast<FieldDecl>(expression->getMemberDecl());
            if (field != nullptr && isa<CXXThisExpr>(expression->getBase()->IgnoreParenImpCasts())) {
                ++through_members_;
                fields_.insert(field);
            }
        }
        for (const Stmt* child : statement->children()) {
            look(child);
        }
    }

    bool all() const { return this_ != through_members_; }
    const std::set<const FieldDecl*>& fields() const { return fields_; }

private:
    std::set<const FieldDecl*> fields_;
    int this_ = 0;
    int through_members_ = 0;
};

const CXXConstructorDecl* default_constructor(const CXXRecordDecl& record) {
    for (const CXXConstructorDecl* constructor : record.ctors()) {
        if (constructor->isDefaultConstructor() && !constructor->isDeleted()) {
            return constructor;
        }
    }
    return nullptr;
}

/// Whether the default constructor writes nothing that the members' own initialisation does not.
bool leaves_all_alone(const CXXRecordDecl& record) {
    const CXXConstructorDecl* constructor = default_constructor(record);
    if (constructor == nullptr || !constructor->isUserProvided()) {
        return true;
    }
    const FunctionDecl* definition = nullptr;
    if (!constructor->hasBody(definition)) {
        return false;
    }
    const auto* body = dyn_cast_or_null<CompoundStmt>(definition->getBody());
    const auto& defined = *cast<CXXConstructorDecl>(definition);
    return body != nullptr && body->body_empty() &&
           std::none_of(defined.init_begin(), defined.init_end(),
                        [](const CXXCtorInitializer* one) { return one->isWritten(); });
}

bool has_constructor_template(const CXXRecordDecl& record) {
    for (const Decl* member : record.decls()) {
        const auto* pattern = dyn_cast<FunctionTemplateDecl>(member);
        const auto* constructor =
            pattern != nullptr ? dyn_cast<CXXConstructorDecl>(pattern->getTemplatedDecl()) : nullptr;
        if (constructor != nullptr && constructor->isDefaultConstructor()) {
            return true;
        }
    }
    return false;
}

/// The bytes that the written bit-fields of a class share.
class bit_field_bytes {
public:
    void add(std::uint64_t offset_in_bits, std::uint64_t width) {
        for (std::uint64_t bit = offset_in_bits; bit < offset_in_bits + width; ++bit) {
            bytes_.insert(bit / 8);
        }
    }
    std::uint64_t size() const { return bytes_.size(); }

private:
    std::set<std::uint64_t> bytes_;
};

std::uint64_t bit_width(const FieldDecl& field, ASTContext& context) {
    return field.getBitWidthValue(context);
}

} // namespace

std::uint64_t fill_size::size_of(QualType type) const {
    return static_cast<std::uint64_t>(context_.getTypeSizeInChars(type).getQuantity());
}

bool fill_size::zeroes_first(const CXXRecordDecl& record) {
    if (record.hasUserProvidedDefaultConstructor()) {
        return false;
    }
    if (default_constructor(record) != nullptr) {
        return true;
    }
    return record.needsImplicitDefaultConstructor() && !has_constructor_template(record);
}

std::uint64_t fill_size::filled(QualType type, value_form form) {
    type = type.getCanonicalType();
    if (const ConstantArrayType* array = context_.getAsConstantArrayType(type)) {
        return array->getSize().getZExtValue() * filled(array->getElementType(), form);
    }
    if (type->isReferenceType() || type->isIncompleteType()) {
        return 0;
    }
    const CXXRecordDecl* record = type->getAsCXXRecordDecl();
    if (record == nullptr) {
        return size_of(type);
    }
    record = record->getDefinition();
    if (record == nullptr || record->isEmpty()) {
        return 0;
    }
    if (form == value_form::braces && record->isAggregate()) {
        std::uint64_t bytes = 0;
        for (const CXXBaseSpecifier& base : record->bases()) {
            bytes += filled(base.getType(), form);
        }
        std::uint64_t bits = 0;
        for (const FieldDecl* field : record->fields()) {
            if (field->isBitField()) {
                bits += field->hasInClassInitializer() ? 0 : bit_width(*field, context_);
            } else if (!field->hasInClassInitializer()) {
                const std::uint64_t own = filled(field->getType(), form);
                bytes = record->isUnion() ? std::max(bytes, own) : bytes + own;
            }
        }
        return bytes + bits / 8;
    }
    if (!zeroes_first(*record)) {
        return 0;
    }
    const std::uint64_t all = size_of(type);
    return all - std::min(all, written_of_record(*record, true));
}

std::uint64_t fill_size::filled_if_defaulted(const CXXRecordDecl& record) {
    const std::uint64_t all = whole(record, true);
    return all - std::min(all, structural(record, true));
}

std::uint64_t fill_size::written(QualType type) {
    type = type.getCanonicalType();
    if (const ConstantArrayType* array = context_.getAsConstantArrayType(type)) {
        return array->getSize().getZExtValue() * written(array->getElementType());
    }
    const CXXRecordDecl* record = type->getAsCXXRecordDecl();
    record = record != nullptr ? record->getDefinition() : nullptr;
    return record == nullptr || record->isEmpty() ? 0 : written_of_record(*record, true);
}

std::uint64_t fill_size::whole(const CXXRecordDecl& record, bool whole_object) const {
    if (record.isEmpty()) {
        return 0;
    }
    const ASTRecordLayout& layout = context_.getASTRecordLayout(&record);
    return static_cast<std::uint64_t>(
        (whole_object ? layout.getSize() : layout.getNonVirtualSize()).getQuantity());
}

std::uint64_t fill_size::own_pointers(const CXXRecordDecl& record) const {
    return context_.getASTRecordLayout(&record).hasOwnVFPtr() ? size_of(context_.VoidPtrTy) : 0;
}

std::uint64_t fill_size::written_of_record(const CXXRecordDecl& record, bool whole_object) {
    const auto key = std::make_pair(&record, whole_object);
    if (const auto found = known_.find(key); found != known_.end()) {
        return found->second;
    }
    if (depth_ == deepest) {
        return whole(record, whole_object);
    }
    ++depth_;
    std::uint64_t bytes = 0;
    const CXXConstructorDecl* constructor = default_constructor(record);
    if (constructor != nullptr && constructor->isUserProvided()) {
        bytes = written_by(*constructor, whole_object);
    } else if (constructor == nullptr && has_constructor_template(record)) {
        bytes = whole(record, whole_object);
    } else {
        bytes = structural(record, whole_object);
    }
    --depth_;
    bytes = std::min(bytes, whole(record, whole_object));
    known_[key] = bytes;
    return bytes;
}

std::uint64_t fill_size::structural(const CXXRecordDecl& record, bool whole_object) {
    std::uint64_t bytes = own_pointers(record);
    for (const CXXBaseSpecifier& base : record.bases()) {
        const CXXRecordDecl* of_base = base.getType()->getAsCXXRecordDecl();
        if (!base.isVirtual() && of_base != nullptr && !of_base->isEmpty()) {
            bytes += written_of_record(*of_base, false);
        }
    }
    if (whole_object) {
        for (const CXXBaseSpecifier& base : record.vbases()) {
            const CXXRecordDecl* of_base = base.getType()->getAsCXXRecordDecl();
            if (of_base != nullptr && !of_base->isEmpty()) {
                bytes += written_of_record(*of_base, false);
            }
        }
    }
    bit_field_bytes bits;
    for (const FieldDecl* field : record.fields()) {
        if (field->hasInClassInitializer()) {
            if (field->isBitField()) {
                bits.add(context_.getFieldOffset(field), bit_width(*field, context_));
            } else if (const Expr* initialiser = field->getInClassInitializer()) {
                bytes += written_by(*initialiser, field->getType());
            } else {
                bytes += size_of(field->getType());
            }
        } else if (!record.isUnion() && !field->isBitField() && !field->isZeroSize(context_)) {
            bytes += written(field->getType());
        }
    }
    return bytes + bits.size();
}

std::uint64_t fill_size::written_by(const CXXConstructorDecl& constructor, bool whole_object) {
    const CXXRecordDecl& record = *constructor.getParent();
    if (!constructor.isUserProvided()) {
        return constructor.isDefaultConstructor() ? written_of_record(record, whole_object)
                                                  : whole(record, whole_object);
    }
    const FunctionDecl* definition = nullptr;
    if (!constructor.hasBody(definition) || definition->getBody() == nullptr || depth_ == deepest) {
        return whole(record, whole_object);
    }
    const auto& body = *cast<CXXConstructorDecl>(definition);
    if (body.isDelegatingConstructor()) {
        return whole(record, whole_object);
    }
    touched_members touched;
    touched.look(body.getBody());
    if (touched.all()) {
        return whole(record, whole_object);
    }
    ++depth_;
    std::set<const FieldDecl*> done = touched.fields();
    std::uint64_t bytes = own_pointers(record);
    bit_field_bytes bits;
    const auto count = [&](const FieldDecl& field, std::uint64_t written) {
        if (field.isBitField()) {
            bits.add(context_.getFieldOffset(&field), bit_width(field, context_));
        } else {
            bytes += written;
        }
    };
    for (const FieldDecl* field : done) {
        count(*field, field->isZeroSize(context_) ? 0 : size_of(field->getType()));
    }
    for (const CXXCtorInitializer* initialiser : body.inits()) {
        if (initialiser->isBaseInitializer()) {
            const QualType base(initialiser->getBaseClass(), 0);
            const CXXRecordDecl* of_base = base->getAsCXXRecordDecl();
            if ((whole_object || !initialiser->isBaseVirtual()) && of_base != nullptr &&
                !of_base->isEmpty()) {
                bytes += written_by(*initialiser->getInit(), base, false);
            }
        } else if (const FieldDecl* field = initialiser->getMember()) {
            if (done.insert(field).second && !field->isZeroSize(context_)) {
                count(*field, written_by(*initialiser->getInit(), field->getType()));
            }
        } else if (initialiser->isIndirectMemberInitializer()) {
            bytes += size_of(initialiser->getIndirectMember()->getAnonField()->getType());
        }
    }
    --depth_;
    return std::min(bytes + bits.size(), whole(record, whole_object));
}

std::uint64_t fill_size::written_by(const Expr& initialiser, QualType type, bool whole_object) {
    const Expr* expression = &initialiser;
    for (;;) {
        expression = expression->IgnoreImplicit()->IgnoreParens();
        if (const auto* by_default = dyn_cast<CXXDefaultInitExpr>(expression)) {
            expression = by_default->getExpr();
        } else {
            break;
        }
    }
    const auto* construction = dyn_cast<CXXConstructExpr>(expression);
    if (construction != nullptr && !construction->requiresZeroInitialization()) {
        const QualType element = context_.getBaseElementType(type);
        const CXXRecordDecl* record = element->getAsCXXRecordDecl();
        if (record != nullptr &&
            construction->getConstructor()->getParent()->getCanonicalDecl() == record->getCanonicalDecl()) {
            const std::uint64_t once = written_by(*construction->getConstructor(), whole_object);
            const std::uint64_t size = size_of(element);
            return size == 0 || !type->isArrayType() ? once : once * (size_of(type) / size);
        }
    }
    const CXXRecordDecl* record = type->getAsCXXRecordDecl();
    return record != nullptr ? whole(*record, whole_object) : size_of(type);
}

std::uint64_t fill_size::unwritten(const FieldDecl& field, value_form form) {
    if (field.isZeroSize(context_)) {
        return 0;
    }
    if (field.isBitField()) {
        return field.hasInClassInitializer() ? 0 : (bit_width(field, context_) + 7) / 8;
    }
    const QualType type = field.getType();
    if (field.hasInClassInitializer()) {
        const Expr* initialiser = field.getInClassInitializer();
        const std::uint64_t size = size_of(type);
        if (form == value_form::braces || initialiser == nullptr) {
            return 0;
        }
        return size - std::min(size, written_by(*initialiser, type));
    }
    if (form == value_form::braces) {
        return filled(type, form);
    }
    const std::uint64_t size = size_of(type);
    return size - std::min(size, written(type));
}

void fill_size::collect(const CXXRecordDecl& record, value_form form, const member_path& path,
                        const std::string& name, std::uint64_t times, bool whole_object,
                        std::vector<filled_member>& to) {
    const auto collect_base = [&](const CXXBaseSpecifier& base) {
        const CXXRecordDecl* of_base = base.getType()->getAsCXXRecordDecl();
        if (of_base != nullptr && of_base->hasDefinition() && leaves_all_alone(*of_base)) {
            collect(*of_base->getDefinition(), form, path, name, times, false, to);
        }
    };
    for (const CXXBaseSpecifier& base : record.bases()) {
        if (!base.isVirtual()) {
            collect_base(base);
        }
    }
    if (whole_object) {
        for (const CXXBaseSpecifier& base : record.vbases()) {
            collect_base(base);
        }
    }
    for (const FieldDecl* field : record.fields()) {
        const std::uint64_t bytes =
            field->isBitField() && !field->getDeclName() ? 0 : unwritten(*field, form);
        if (bytes == 0) {
            continue;
        }
        member_path here = path;
        here.push_back(field);
        std::string full = name;
        if (!field->getDeclName().isEmpty()) {
            full += (full.empty() ? "" : ".") + field->getNameAsString();
        }
        // Go on to what a reader can change: his own class, not one of a library, nor inside a union.
        const QualType element = context_.getBaseElementType(field->getType());
        const CXXRecordDecl* inner = element->getAsCXXRecordDecl();
        const SourceManager& sources = context_.getSourceManager();
        if (inner != nullptr && inner->hasDefinition() && !inner->isUnion() &&
            !field->hasInClassInitializer() && leaves_all_alone(*inner->getDefinition()) &&
            !sources.isInSystemHeader(inner->getLocation())) {
            const bool array = field->getType()->isArrayType();
            const std::uint64_t size = size_of(element);
            const std::uint64_t n = array && size != 0 ? size_of(field->getType()) / size : 1;
            const std::size_t before = to.size();
            collect(*inner->getDefinition(), form, here, array ? full + "[]" : full, times * n, true, to);
            if (to.size() != before) {
                continue;
            }
        }
        to.push_back({here, full.empty() ? "an anonymous union" : full, bytes * times});
    }
}

std::vector<filled_member> fill_size::members(QualType type, value_form form) {
    std::vector<filled_member> found;
    const CXXRecordDecl* record = context_.getBaseElementType(type)->getAsCXXRecordDecl();
    if (record == nullptr || !record->hasDefinition() || record->isUnion() ||
        context_.getSourceManager().isInSystemHeader(record->getLocation())) {
        return found;
    }
    collect(*record->getDefinition(), form, {}, "", 1, true, found);
    // Insertion sort by size: few members, and the order of equals is that of the class.
    for (std::size_t i = 1; i < found.size(); ++i) {
        for (std::size_t j = i; j != 0 && found[j - 1].bytes < found[j].bytes; --j) {
            std::swap(found[j - 1], found[j]);
        }
    }
    return found;
}

} // namespace clang::tidy::linn
