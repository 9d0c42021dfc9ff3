// SPDX-License-Identifier: Apache-2.0
#include "analysis.hpp"
#include "clang/AST/RecordLayout.h"
#include "clang/Basic/SourceManager.h"

#include <map>
#include <set>

namespace clang::tidy::linn {
namespace {

/// Deeper nesting than any real type; ends what a cycle of constructors would make endless.
constexpr int deepest = 64;

/// The members that a constructor's body touches; none where it does anything else with `this`, and so may touch all.
std::optional<std::set<const FieldDecl*>> touched_members(const Stmt* body) {
    std::set<const FieldDecl*> fields;
    int mentions = 0;
    any_part(body, [&](const Stmt& part) {
        mentions += isa<CXXThisExpr>(part) ? 1 : 0;
        if (const FieldDecl* field = member_of_this(part)) {
            --mentions;
            fields.insert(field);
        }
        return false;
    });
    return mentions == 0 ? std::optional(fields) : std::nullopt;
}

bool has_constructor_template(const CXXRecordDecl& record) {
    return std::any_of(record.decls_begin(), record.decls_end(), [](const Decl* member) {
        const auto* pattern = dyn_cast<FunctionTemplateDecl>(member);
        const auto* constructor =
            pattern != nullptr ? dyn_cast<CXXConstructorDecl>(pattern->getTemplatedDecl()) : nullptr;
        return constructor != nullptr && constructor->isDefaultConstructor();
    });
}

/// Whether `T()` fills T before it runs a constructor.
bool zeroes_first(const CXXRecordDecl& record) {
    if (record.hasUserProvidedDefaultConstructor()) {
        return false;
    }
    if (default_constructor(record) != nullptr) {
        return true;
    }
    return record.needsImplicitDefaultConstructor() && !has_constructor_template(record);
}

/// The definition of a class that holds something; null for any other type.
const CXXRecordDecl* class_of(QualType type) {
    const CXXRecordDecl* record = type->getAsCXXRecordDecl();
    record = record != nullptr ? record->getDefinition() : nullptr;
    return record == nullptr || record->isEmpty() ? nullptr : record;
}

/// The bases of a class that hold something; of a whole object also the virtual ones, wherever they are named.
std::vector<const CXXRecordDecl*> bases_of(const CXXRecordDecl& record, bool whole_object) {
    std::vector<const CXXRecordDecl*> found;
    for (const CXXBaseSpecifier& base : record.bases()) {
        found.push_back(base.isVirtual() ? nullptr : class_of(base.getType()));
    }
    if (whole_object) {
        for (const CXXBaseSpecifier& base : record.vbases()) {
            found.push_back(class_of(base.getType()));
        }
    }
    found.erase(std::remove(found.begin(), found.end(), nullptr), found.end());
    return found;
}

/// Of a member's bytes those that are written with it; of a bit-field, all in which a bit of it may lie.
std::uint64_t bytes_of(const FieldDecl& field, std::uint64_t bytes) {
    return field.isBitField() ? (field.getBitWidthValue(field.getASTContext()) + 7) / 8 : bytes;
}

/// How many bytes of a type the forms of initialisation write.
class fill_size {
public:
    explicit fill_size(ASTContext& context) : context_{context} {}

    std::uint64_t filled(QualType type) {
        type = type.getCanonicalType();
        if (const ConstantArrayType* array = context_.getAsConstantArrayType(type)) {
            return array->getSize().getZExtValue() * filled(array->getElementType());
        }
        if (type->isReferenceType() || type->isIncompleteType()) {
            return 0;
        }
        if (!type->isRecordType()) {
            return size_of(type, context_);
        }
        const CXXRecordDecl* record = class_of(type);
        if (record == nullptr || !zeroes_first(*record)) {
            return 0;
        }
        const std::uint64_t all = size_of(type, context_);
        return all - std::min(all, written_of_record(*record, true));
    }

    std::vector<filled_member> members(QualType type) {
        std::vector<filled_member> found;
        const CXXRecordDecl* record = context_.getBaseElementType(type)->getAsCXXRecordDecl();
        if (record != nullptr && record->hasDefinition() && !record->isUnion() &&
            !context_.getSourceManager().isInSystemHeader(record->getLocation())) {
            collect(*record->getDefinition(), true, found);
        }
        // Equal ones stay in the order of the class.
        std::stable_sort(found.begin(), found.end(),
                         [](const filled_member& a, const filled_member& b) { return a.bytes > b.bytes; });
        return found;
    }

private:
    /// Bytes that default-initialisation writes.
    std::uint64_t written(QualType type) {
        type = type.getCanonicalType();
        if (const ConstantArrayType* array = context_.getAsConstantArrayType(type)) {
            return array->getSize().getZExtValue() * written(array->getElementType());
        }
        const CXXRecordDecl* record = class_of(type);
        return record == nullptr ? 0 : written_of_record(*record, true);
    }

    std::uint64_t whole(const CXXRecordDecl& record, bool whole_object) const {
        if (record.isEmpty()) {
            return 0;
        }
        const ASTRecordLayout& layout = context_.getASTRecordLayout(&record);
        return static_cast<std::uint64_t>(
            (whole_object ? layout.getSize() : layout.getNonVirtualSize()).getQuantity());
    }

    std::uint64_t own_pointers(const CXXRecordDecl& record) const {
        return context_.getASTRecordLayout(&record).hasOwnVFPtr() ? size_of(context_.VoidPtrTy, context_) : 0;
    }

    std::uint64_t written_of_record(const CXXRecordDecl& record, bool whole_object) {
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

    std::uint64_t structural(const CXXRecordDecl& record, bool whole_object) {
        std::uint64_t sum = own_pointers(record);
        for (const CXXRecordDecl* base : bases_of(record, whole_object)) {
            sum += written_of_record(*base, false);
        }
        for (const FieldDecl* field : record.fields()) {
            sum += written(*field);
        }
        return sum;
    }

    std::uint64_t written(const FieldDecl& field) {
        const QualType type = field.getType();
        if (field.hasInClassInitializer()) {
            const Expr* initialiser = field.isBitField() ? nullptr : field.getInClassInitializer();
            return bytes_of(field, initialiser != nullptr ? written_by(*initialiser, type)
                                                          : size_of(type, context_));
        }
        const bool is_left_alone =
            field.getParent()->isUnion() || field.isBitField() || field.isZeroSize(context_);
        return is_left_alone ? 0 : written(type);
    }

    std::uint64_t written_by(const CXXConstructorDecl& constructor, bool whole_object) {
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
        auto done = touched_members(body.getBody());
        if (body.isDelegatingConstructor() || !done) {
            return whole(record, whole_object);
        }
        ++depth_;
        std::uint64_t sum = own_pointers(record);
        for (const FieldDecl* field : *done) {
            sum += bytes_of(*field, field->isZeroSize(context_) ? 0 : size_of(field->getType(), context_));
        }
        for (const CXXCtorInitializer* initialiser : body.inits()) {
            if (initialiser->isBaseInitializer()) {
                const QualType base(initialiser->getBaseClass(), 0);
                if ((whole_object || !initialiser->isBaseVirtual()) && class_of(base) != nullptr) {
                    sum += written_by(*initialiser->getInit(), base, false);
                }
            } else if (const FieldDecl* field = initialiser->getMember()) {
                if (done->insert(field).second && !field->isZeroSize(context_)) {
                    sum += bytes_of(*field, written_by(*initialiser->getInit(), field->getType()));
                }
            } else if (initialiser->isIndirectMemberInitializer()) {
                sum += size_of(initialiser->getIndirectMember()->getAnonField()->getType(), context_);
            }
        }
        --depth_;
        return std::min(sum, whole(record, whole_object));
    }

    std::uint64_t written_by(const Expr& initialiser, QualType type, bool whole_object = true) {
        const Expr* expression = initialiser.IgnoreImplicit()->IgnoreParens();
        while (const auto* by_default = dyn_cast<CXXDefaultInitExpr>(expression)) {
            expression = by_default->getExpr()->IgnoreImplicit()->IgnoreParens();
        }
        const auto* construction = dyn_cast<CXXConstructExpr>(expression);
        if (construction != nullptr && !construction->requiresZeroInitialization()) {
            const QualType element = context_.getBaseElementType(type);
            const CXXRecordDecl* record = element->getAsCXXRecordDecl();
            if (record != nullptr && construction->getConstructor()->getParent()->getCanonicalDecl() ==
                                         record->getCanonicalDecl()) {
                const std::uint64_t once = written_by(*construction->getConstructor(), whole_object);
                const std::uint64_t size = size_of(element, context_);
                return size == 0 || !type->isArrayType() ? once : once * (size_of(type, context_) / size);
            }
        }
        const CXXRecordDecl* record = type->getAsCXXRecordDecl();
        return record != nullptr ? whole(*record, whole_object) : size_of(type, context_);
    }

    void collect(const CXXRecordDecl& record, bool whole_object, std::vector<filled_member>& to) {
        for (const CXXRecordDecl* base : bases_of(record, whole_object)) {
            const CXXConstructorDecl* constructor = default_constructor(*base);
            if (constructor == nullptr || !constructor->isUserProvided()) {
                collect(*base, false, to);
            }
        }
        for (const FieldDecl* field : record.fields()) {
            const bool is_padding =
                (field->isBitField() && !field->getDeclName()) || field->isZeroSize(context_);
            const std::uint64_t all = is_padding ? 0 : bytes_of(*field, size_of(field->getType(), context_));
            if (const std::uint64_t done = std::min(all, written(*field)); done != all) {
                to.push_back({field, all - done});
            }
        }
    }

    ASTContext& context_;
    std::map<std::pair<const CXXRecordDecl*, bool>, std::uint64_t> known_{};
    int depth_ = 0;
};

} // namespace

std::uint64_t filled_bytes(QualType type, ASTContext& context) {
    return fill_size{context}.filled(type);
}

std::vector<filled_member> filled_members(QualType type, ASTContext& context) {
    return fill_size{context}.members(type);
}

} // namespace clang::tidy::linn
