// SPDX-License-Identifier: Apache-2.0
#include "overwrite.hpp"

#include "bound.hpp"
#include "clang/AST/RecordLayout.h"
#include "clang/AST/StmtCXX.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/SourceManager.h"
#include "syntax.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace clang::tidy::linn {
namespace {

/// A function is given up when its loops and calls take more steps than these.
constexpr int most_steps = 400'000;
constexpr std::size_t most_calls = 3;

/// Consecutive bytes of the object.
struct run {
    bound start;
    bound width;
    const Stmt* by = nullptr; ///< the statement that writes them

    friend bool operator==(const run& a, const run& b) { return a.start == b.start && a.width == b.width; }
};

enum class level { holder, pointer, lvalue };

/// What an expression has to do with the object: it names its holder, points to a byte of it, or denotes a part.
struct place {
    level at = level::holder;
    bound start;                       ///< bytes from the first
    const FieldDecl* member = nullptr; ///< the outermost

    friend bool operator==(const place& a, const place& b) { return a.at == b.at && a.start == b.start; }
};

/// What is known at a point of the function.
struct state {
    bool is_reachable = true;
    bool is_alive = false; ///< the object was created
    bool is_whole = false; ///< all of it was overwritten, or was given away
    std::vector<run> written;
    std::map<std::string, bound> values;          ///< of numbers, by the key of a variable or member
    std::map<const ValueDecl*, place> aliases;    ///< pointers, iterators and references into the object
};

/// How a library function says how much it writes.
enum class unit { bytes, elements, items, end, range, whole };

struct filling_function {
    const char* name;
    unsigned to;     ///< the argument that is written
    unsigned amount; ///< the argument that says how much
    unit in;
};

constexpr filling_function filling_functions[] = {
    {"memcpy", 0, 2, unit::bytes},        {"memmove", 0, 2, unit::bytes},      {"memset", 0, 2, unit::bytes},
    {"memccpy", 0, 3, unit::bytes},       {"fread", 0, 2, unit::items},        {"read", 1, 2, unit::bytes},
    {"pread", 1, 2, unit::bytes},         {"recv", 1, 2, unit::bytes},         {"getrandom", 0, 1, unit::bytes},
    {"copy", 2, 0, unit::range},          {"move", 2, 0, unit::range},         {"copy_n", 2, 1, unit::elements},
    {"transform", 2, 0, unit::range},     {"replace_copy", 2, 0, unit::range}, {"reverse_copy", 2, 0, unit::range},
    {"fill", 0, 1, unit::end},            {"fill_n", 0, 1, unit::elements},    {"generate", 0, 1, unit::end},
    {"generate_n", 0, 1, unit::elements}, {"iota", 0, 1, unit::end},           {"uninitialized_copy", 2, 0, unit::range},
    {"partial_sum", 2, 0, unit::range},   {"exclusive_scan", 2, 0, unit::range}, {"inclusive_scan", 2, 0, unit::range},
};

/// `__copy_fn` of `std::ranges::copy`, as `copy`.
std::string function_name(const FunctionDecl& function) {
    if (const auto* method = dyn_cast<CXXMethodDecl>(&function);
        method != nullptr && method->getOverloadedOperator() == OO_Call) {
        StringRef name = method->getParent()->getName();
        name.consume_front("__");
        name.consume_back("_fn");
        return name.str();
    }
    return function.getDeclName().isIdentifier() ? function.getName().str() : std::string();
}

/// Whether a function may only read through a parameter of this type.
bool only_reads(QualType type) {
    if (type->isReferenceType() && type->getPointeeType()->isRecordType() && !type->getPointeeType().isConstQualified() &&
        !type->isRValueReferenceType()) {
        return false;
    }
    type = type.getNonReferenceType();
    if (type->isPointerType()) {
        return type->getPointeeType().isConstQualified();
    }
    const CXXRecordDecl* record = type->getAsCXXRecordDecl();
    if (named(record, {"basic_string_view"})) {
        return true;
    }
    if (named(record, {"span", "__normal_iterator", "__wrap_iter"})) {
        const QualType first = cast<ClassTemplateSpecializationDecl>(record)->getTemplateArgs()[0].getAsType();
        return first.isConstQualified() || (first->isPointerType() && first->getPointeeType().isConstQualified());
    }
    return true; // a value
}

bool is_number_zero(const Expr* expression, const ASTContext& context) {
    return constant(expression->IgnoreParenImpCasts(), context) == 0;
}

/// The variables and members that a statement may change, by their keys.
class walk {
public:
    walk(const FunctionDecl& function, const creation& made, const std::vector<filled_member>& members,
         const fill_size& sizes, ASTContext& context)
        : function_{function},
          made_{made},
          sizes_{sizes},
          context_{context},
          each_{static_cast<std::int64_t>(sizes.size_of(made.object))} {
        for (const filled_member& member : members) {
            add_target(member);
        }
        is_class_ = !members.empty();
    }

    object_fate run_all() {
        if (const auto* constructor = dyn_cast<CXXConstructorDecl>(&function_)) {
            for (const CXXCtorInitializer* initialiser : constructor->inits()) {
                initialise_member(*initialiser);
            }
        }
        visit(function_.getBody());
        if (now_.is_reachable) {
            leave();
        }
        if (steps_ > most_steps || is_lost_ || !fate_.is_held) {
            fate_.uncertain = true;
            fate_.outcome = fate::escapes;
            fate_.handed_out = false;
            return fate_;
        }
        fate_.outcome = !fate_.reads.empty() ? fate::read : escaped_ ? fate::escapes : fate::unread;
        return fate_;
    }

private:
    // --- Names -------------------------------------------------------------------------------------------------------------------

    std::string fresh() { return "#" + std::to_string(++names_); }

    /// A text for a variable, or for a member that a path of members leads to; empty for other expressions.
    std::string key_of(const Expr* expression) const {
        expression = expression->IgnoreParenImpCasts();
        if (const auto* reference = dyn_cast<DeclRefExpr>(expression)) {
            const auto found = references_.find(reference->getDecl());
            return found != references_.end() ? found->second
                   : isa<VarDecl>(reference->getDecl()) ? key_of(*cast<VarDecl>(reference->getDecl()))
                                                        : std::string();
        }
        if (isa<CXXThisExpr>(expression)) {
            return "this";
        }
        const Expr* inner = nullptr;
        std::string after;
        if (const auto* member = dyn_cast<MemberExpr>(expression)) {
            if (isa<FieldDecl>(member->getMemberDecl())) {
                inner = member->getBase();
                after = "." + member->getMemberDecl()->getNameAsString();
            }
        } else if (const auto* unary = dyn_cast<UnaryOperator>(expression)) {
            inner = unary->getOpcode() == UO_Deref ? unary->getSubExpr() : nullptr;
        } else if (const auto* call = dyn_cast<CXXOperatorCallExpr>(expression)) {
            const bool follows = call->getOperator() == OO_Arrow || call->getOperator() == OO_Star;
            inner = follows && is_smart_pointer(call->getArg(0)->getType()) ? call->getArg(0) : nullptr;
        }
        const std::string before = inner != nullptr ? key_of(inner) : std::string();
        return before.empty() ? before : before + after;
    }
    static std::string key_of(const ValueDecl& variable) {
        return "v" + std::to_string(reinterpret_cast<std::uintptr_t>(&variable));
    }

    bool is_holder(const Expr* expression) const {
        return !holder_.empty() && isa<DeclRefExpr, MemberExpr, UnaryOperator, CXXOperatorCallExpr>(expression) &&
               key_of(expression) == holder_;
    }

    // --- Numbers -----------------------------------------------------------------------------------------------------------------

    bound value_of(const std::string& key) const {
        const auto found = now_.values.find(key);
        return found != now_.values.end() ? found->second : bound::of(key);
    }

    bound value(const Expr* expression) {
        const Expr* plain = expression->IgnoreParenImpCasts();
        if (const auto* full = dyn_cast<FullExpr>(plain)) {
            return value(full->getSubExpr());
        }
        if (const auto* cast = dyn_cast<ExplicitCastExpr>(plain)) {
            return value(cast->getSubExpr());
        }
        if (!isa<DeclRefExpr, MemberExpr>(plain) || plain->getType().isConstQualified()) {
            if (const auto number = constant(plain, context_)) {
                return static_cast<std::int64_t>(*number);
            }
        }
        if (const std::string key = key_of(plain); !key.empty()) {
            return value_of(key);
        }
        if (const auto* unary = dyn_cast<UnaryOperator>(plain)) {
            const bound inner = value(unary->getSubExpr());
            switch (unary->getOpcode()) {
            case UO_PreInc:
                return inner + 1;
            case UO_PreDec:
                return inner - 1;
            case UO_PostInc:
            case UO_PostDec:
            case UO_Plus:
                return inner;
            case UO_Minus:
                return inner * -1;
            default:
                return bound::of(fresh());
            }
        }
        if (const auto* binary = dyn_cast<BinaryOperator>(plain)) {
            const auto a = place_of(binary->getLHS());
            const auto b = place_of(binary->getRHS());
            if (a && b && binary->getOpcode() == BO_Sub) {
                return (a->start - b->start).divided_by(unit_of(binary->getLHS()->getType())).value_or(bound::of(fresh()));
            }
            return arithmetic(*binary, value(binary->getLHS()), value(binary->getRHS()));
        }
        if (const auto* call = dyn_cast<CallExpr>(plain)) {
            return result_of(*call);
        }
        return bound::of(fresh());
    }

    bound arithmetic(const BinaryOperator& operation, const bound& a, const bound& b) {
        switch (operation.getOpcode()) {
        case BO_Add:
            return a + b;
        case BO_Sub:
            return a - b;
        case BO_Mul:
            return a * b;
        case BO_Shl:
            if (const auto by = b.constant(); by && *by >= 0 && *by < 32) {
                return a * (std::int64_t{1} << *by);
            }
            break;
        case BO_Div:
            if (const auto quotient = b.constant() != 0 ? a.divided_by(b) : std::nullopt) {
                return *quotient;
            }
            break;
        default:
            break;
        }
        return bound::of("(" + a.text() + operation.getOpcodeStr().str() + b.text() + ")");
    }

    /// `v.size()`, and const functions in general: two calls with equal arguments give equal results.
    bound result_of(const CallExpr& call) {
        const FunctionDecl* function = call.getDirectCallee();
        if (function == nullptr) {
            return bound::of(fresh());
        }
        std::string text = function->getNameAsString();
        if (const auto* method = dyn_cast<CXXMemberCallExpr>(&call)) {
            const Expr* object = method->getImplicitObjectArgument();
            const std::string key = object != nullptr ? key_of(object) : std::string();
            const bool is_size = named(function, {"size", "length"});
            if (is_size && object != nullptr) {
                if (const auto array = constant(&call, context_)) {
                    return static_cast<std::int64_t>(*array);
                }
            }
            if (key.empty() || !cast<CXXMethodDecl>(function)->isConst()) {
                return bound::of(fresh());
            }
            text = key + (is_size ? ".size" : "." + text);
            if (is_size && call.getNumArgs() == 0) {
                return value_of(text);
            }
        } else if (named(function, {"size", "ssize"}) && call.getNumArgs() == 1 && !key_of(call.getArg(0)).empty()) {
            return value_of(key_of(call.getArg(0)) + ".size");
        } else if (outermost_namespace(*function) != "std" && !function->isConstexpr()) {
            return bound::of(fresh());
        }
        for (const Expr* argument : call.arguments()) {
            text += "," + value(argument).text();
        }
        return bound::of("(" + text + ")");
    }

    /// Bytes from one element to the next.
    std::int64_t unit_of(QualType type) const {
        type = type.getNonReferenceType();
        if (const ArrayType* array = type->getAsArrayTypeUnsafe()) {
            type = array->getElementType();
        } else if (type->isPointerType()) {
            type = type->getPointeeType();
        } else {
            return each_;
        }
        return type->isVoidType() || type->isIncompleteType() || type->isFunctionType()
                   ? 1
                   : static_cast<std::int64_t>(sizes_.size_of(type));
    }

    void set(const std::string& key, bound to) {
        if (!key.empty()) {
            now_.values[key] = std::move(to);
        }
    }

    /// A change of a variable or member, of what is known below it, and of its size.
    void forget(const std::string& key) {
        if (key.empty()) {
            return;
        }
        for (auto& [name, known] : now_.values) {
            if (StringRef(name).starts_with(key + ".")) {
                known = bound::of(fresh());
            }
        }
        now_.values[key] = bound::of(fresh());
        now_.values[key + ".size"] = bound::of(fresh());
    }

    // --- Places ------------------------------------------------------------------------------------------------------------------

    std::optional<place> place_of(const Expr* expression) {
        expression = expression->IgnoreParens();
        if (!now_.is_alive) {
            return std::nullopt;
        }
        if (const auto* full = dyn_cast<FullExpr>(expression)) {
            return place_of(full->getSubExpr());
        }
        if (const auto* temporary = dyn_cast<MaterializeTemporaryExpr>(expression)) {
            return place_of(temporary->getSubExpr());
        }
        if (const auto* temporary = dyn_cast<CXXBindTemporaryExpr>(expression)) {
            return place_of(temporary->getSubExpr());
        }
        if (const auto* cast = dyn_cast<CastExpr>(expression)) {
            return place_of_cast(*cast);
        }
        if (is_holder(expression)) {
            return made_.where_it_lies == storage::local ? place{level::lvalue, {}} : place{};
        }
        if (const auto* reference = dyn_cast<DeclRefExpr>(expression)) {
            const auto found = now_.aliases.find(reference->getDecl());
            return found != now_.aliases.end() ? std::optional{found->second} : std::nullopt;
        }
        if (const auto* subscript = dyn_cast<ArraySubscriptExpr>(expression)) {
            return moved(place_of(subscript->getBase()), subscript->getIdx(), unit_of(subscript->getBase()->getType()));
        }
        if (const auto* unary = dyn_cast<UnaryOperator>(expression)) {
            return place_of_unary(*unary);
        }
        if (const auto* binary = dyn_cast<BinaryOperator>(expression)) {
            return binary->isAdditiveOp() ? sum_of(*binary, binary->getLHS(), binary->getRHS(),
                                                   binary->getOpcode() == BO_Add)
                                          : std::nullopt;
        }
        if (const auto* member = dyn_cast<MemberExpr>(expression)) {
            return place_of_member(*member);
        }
        if (const auto* call = dyn_cast<CXXOperatorCallExpr>(expression)) {
            return place_of_operator(*call);
        }
        if (const auto* call = dyn_cast<CallExpr>(expression)) {
            return place_of_call(*call);
        }
        if (const auto* construction = dyn_cast<CXXConstructExpr>(expression)) {
            // A copy of an iterator, or a view.
            const bool is_view = named(construction->getType()->getAsCXXRecordDecl(), {"span", "basic_string_view"});
            if (construction->getNumArgs() != 0 && (is_view || construction->getNumArgs() == 1 ||
                                                    isa<CXXDefaultArgExpr>(construction->getArg(1)))) {
                const auto inner = place_of(construction->getArg(0));
                if (inner && (inner->at == level::pointer || is_view) &&
                    !is_smart_pointer(construction->getType())) {
                    return place{level::pointer, inner->start, inner->member};
                }
            }
        }
        return std::nullopt;
    }

    std::optional<place> place_of_cast(const CastExpr& cast) {
        auto inner = place_of(cast.getSubExpr());
        if (!inner) {
            return inner;
        }
        switch (cast.getCastKind()) {
        case CK_LValueToRValue:
            if (inner->at == level::lvalue) {
                return std::nullopt;
            }
            inner->at = level::pointer;
            return inner;
        case CK_ArrayToPointerDecay:
            inner->at = level::pointer;
            return inner;
        case CK_DerivedToBase:
        case CK_UncheckedDerivedToBase: {
            const CXXRecordDecl* record = cast.getSubExpr()->getType()->getPointeeCXXRecordDecl();
            record = record != nullptr ? record : cast.getSubExpr()->getType()->getAsCXXRecordDecl();
            for (const CXXBaseSpecifier* base : cast.path()) {
                const CXXRecordDecl* next = base->getType()->getAsCXXRecordDecl();
                if (record == nullptr || next == nullptr || base->isVirtual()) {
                    inner->start = bound::of(fresh());
                    return inner;
                }
                inner->start = inner->start + context_.getASTRecordLayout(record).getBaseClassOffset(next).getQuantity();
                record = next;
            }
            return inner;
        }
        case CK_BitCast:
        case CK_LValueBitCast:
        case CK_NoOp:
        case CK_ConstructorConversion:
        case CK_UserDefinedConversion:
            return inner;
        default:
            return std::nullopt;
        }
    }

    std::optional<place> place_of_unary(const UnaryOperator& unary) {
        auto inner = place_of(unary.getSubExpr());
        if (!inner) {
            return inner;
        }
        switch (unary.getOpcode()) {
        case UO_Deref:
            inner->at = level::lvalue;
            return inner;
        case UO_AddrOf:
            if (inner->at != level::lvalue) {
                return std::nullopt;
            }
            inner->at = level::pointer;
            return inner;
        case UO_PostInc:
        case UO_PostDec:
            return inner->at == level::pointer ? inner : std::nullopt;
        case UO_PreInc:
        case UO_PreDec:
            if (inner->at != level::pointer) {
                return std::nullopt;
            }
            inner->start =
                inner->start + unit_of(unary.getType()) * (unary.getOpcode() == UO_PreInc ? 1 : -1);
            return inner;
        default:
            return std::nullopt;
        }
    }

    std::optional<place> place_of_member(const MemberExpr& member) {
        const auto* field = dyn_cast<FieldDecl>(member.getMemberDecl());
        auto inner = field != nullptr ? place_of(member.getBase()) : std::nullopt;
        if (!inner || field->getType()->isReferenceType() || (inner->at == level::holder && !member.isArrow())) {
            return std::nullopt;
        }
        inner->at = level::lvalue;
        inner->start = inner->start + static_cast<std::int64_t>(context_.getFieldOffset(field) / 8);
        inner->member = inner->member != nullptr ? inner->member : field;
        return inner;
    }

    std::optional<place> moved(std::optional<place> from, const Expr* index, std::int64_t unit) {
        if (from) {
            from->at = level::lvalue;
            from->start = from->start + value(index) * unit;
        }
        return from;
    }

    std::optional<place> sum_of(const Expr& sum, const Expr* left, const Expr* right, bool adds) {
        auto from = place_of(left);
        const Expr* by = right;
        if (!from && adds) {
            from = place_of(right);
            by = left;
        }
        if (!from || from->at != level::pointer || !by->getType()->isIntegralOrEnumerationType()) {
            return std::nullopt;
        }
        from->start = from->start + value(by) * unit_of(sum.getType()) * (adds ? 1 : -1);
        return from;
    }

    std::optional<place> place_of_operator(const CXXOperatorCallExpr& call) {
        const auto from = call.getNumArgs() != 0 ? place_of(call.getArg(0)) : std::nullopt;
        switch (call.getOperator()) {
        case OO_Subscript:
            return call.getNumArgs() == 2 ? moved(from, call.getArg(1), each_or_unit(*call.getArg(0))) : std::nullopt;
        case OO_Star:
            return from && call.getNumArgs() == 1 ? std::optional{place{level::lvalue, from->start}} : std::nullopt;
        case OO_Arrow:
            return from ? std::optional{place{level::pointer, from->start}} : std::nullopt;
        case OO_Plus:
        case OO_Minus:
            return call.getNumArgs() == 2
                       ? sum_of(call, call.getArg(0), call.getArg(1), call.getOperator() == OO_Plus)
                       : std::nullopt;
        case OO_PlusPlus:
        case OO_MinusMinus:
            if (from && from->at == level::pointer) {
                const bool is_prefix = call.getNumArgs() == 1;
                const std::int64_t by = call.getOperator() == OO_PlusPlus ? each_ : -each_;
                return place{level::pointer, from->start + (is_prefix ? by : 0)};
            }
            return std::nullopt;
        default:
            return std::nullopt;
        }
    }

    /// The size of an element of what is subscripted: of the object, or of a std::array in it.
    std::int64_t each_or_unit(const Expr& base) const {
        const QualType element = element_type(base.getType(), context_);
        return element.isNull() || element->isIncompleteType() || element->isDependentType()
                   ? each_
                   : static_cast<std::int64_t>(sizes_.size_of(element));
    }

    std::optional<place> place_of_call(const CallExpr& call) {
        const FunctionDecl* function = call.getDirectCallee();
        std::optional<place> from;
        if (const auto* method = dyn_cast<CXXMemberCallExpr>(&call)) {
            from = method->getImplicitObjectArgument() != nullptr ? place_of(method->getImplicitObjectArgument())
                                                                  : std::nullopt;
        } else if (function != nullptr && outermost_namespace(*function) == "std" && call.getNumArgs() == 1) {
            from = place_of(call.getArg(0));
        }
        if (!from) {
            return from;
        }
        if (named(function, {"data", "begin", "cbegin", "c_str", "get", "addressof"})) {
            return place{level::pointer, from->start, from->member};
        }
        if (named(function, {"end", "cend"}) && from->start == bound{} && !is_class_) {
            return place{level::pointer, total()};
        }
        if (named(function, {"front"})) {
            return place{level::lvalue, from->start};
        }
        if (named(function, {"at"}) && call.getNumArgs() == 1) {
            return moved(from, call.getArg(0), each_);
        }
        if (named(function, {"back"})) {
            return place{level::lvalue, total() - each_};
        }
        return std::nullopt;
    }

    bound total() const { return value_of(holder_ + ".size") * each_; }

    // --- What is written and read ------------------------------------------------------------------------------------------------

    void add_target(const filled_member& member) {
        run target;
        const auto* record = made_.object->getAsRecordDecl();
        if (record == nullptr || made_.array || member.path.front()->getParent() != record->getDefinition()) {
            target.start = bound::of("?");
            target.width = 1;
        } else {
            const FieldDecl* last = nullptr;
            for (const FieldDecl* field : member.path) {
                last = field;
                target.start = target.start + static_cast<std::int64_t>(context_.getFieldOffset(field) / 8);
                if (field->getType()->isArrayType()) {
                    break;
                }
            }
            target.width = static_cast<std::int64_t>(sizes_.size_of(last->getType()));
        }
        targets_.push_back(std::move(target));
    }

    bool is_covered(const run& target) const {
        if (now_.is_whole) {
            return true;
        }
        const bound end = target.start + target.width;
        bound reached = target.start;
        for (bool goes_on = true; goes_on;) {
            goes_on = false;
            for (const run& one : now_.written) {
                const bound stop = one.start + one.width;
                const auto gap = (reached - one.start);
                const auto progress = (stop - reached).constant();
                // Starts here or before, and ends behind.
                if ((gap == bound{} && !(stop == reached)) ||
                    (gap.is_never_negative() && progress && *progress > 0)) {
                    if ((stop - end).is_never_negative()) {
                        return true;
                    }
                    if (gap == bound{} || progress) {
                        reached = stop;
                        goes_on = true;
                    }
                } else if (one.start == bound{} && (stop - end).is_never_negative()) {
                    return true; // from the very first byte
                }
            }
            if (++steps_ > most_steps) {
                return false;
            }
        }
        return (reached - end).is_never_negative();
    }

    void settle() {
        if (!now_.is_alive || now_.is_whole) {
            return;
        }
        bool is_whole = !targets_.empty();
        for (const run& target : targets_) {
            is_whole = is_whole && is_covered(target);
        }
        if (!is_whole) {
            is_whole = is_covered({first_, total() - first_});
        }
        now_.is_whole = is_whole;
        if (is_whole && quiet_ == 0) {
            for (const run& one : now_.written) {
                if (one.by != nullptr && std::find(fate_.writers.begin(), fate_.writers.end(), one.by) == fate_.writers.end()) {
                    fate_.writers.push_back(one.by);
                }
            }
        }
    }

    void write(const bound& start, const bound& width, const Stmt* by) {
        if (now_.is_alive && !now_.is_whole) {
            const run one{start, width, by};
            if (std::find(now_.written.begin(), now_.written.end(), one) == now_.written.end()) {
                now_.written.push_back(one);
                settle();
            }
        }
    }

    /// A field takes the padding behind it along.
    std::int64_t width_of(const Expr* lvalue) const {
        const QualType type = lvalue->getType().getNonReferenceType();
        if (type->isIncompleteType()) {
            return 0;
        }
        const auto* member = dyn_cast<MemberExpr>(lvalue->IgnoreParens());
        const auto* field = member != nullptr ? dyn_cast<FieldDecl>(member->getMemberDecl()) : nullptr;
        if (field == nullptr || field->getParent()->isUnion() || field->isBitField()) {
            return field != nullptr && field->isBitField() ? 0 : static_cast<std::int64_t>(sizes_.size_of(type));
        }
        const RecordDecl& record = *field->getParent();
        std::uint64_t end = 8 * sizes_.size_of(context_.getRecordType(&record));
        for (const FieldDecl* other : record.fields()) {
            const std::uint64_t offset = context_.getFieldOffset(other);
            if (offset > context_.getFieldOffset(field)) {
                end = std::min(end, offset);
            }
        }
        return static_cast<std::int64_t>((end - context_.getFieldOffset(field)) / 8);
    }

    void assign(const Expr* lvalue, const place& to, const Stmt* by) {
        if (to.at != level::lvalue) {
            return;
        }
        const std::int64_t width = width_of(lvalue);
        if (width != 0) {
            write(to.start, width, by);
        }
    }

    /// Whether reading these bytes means reading a filled one.
    bool matters(const run& bytes) const {
        if (targets_.empty()) {
            return true;
        }
        const auto first = bytes.start.constant();
        const auto width = bytes.width.constant();
        return !first || !width || std::any_of(targets_.begin(), targets_.end(), [&](const run& target) {
            const auto start = target.start.constant();
            return !start || (*first < *start + *target.width.constant() && *start < *first + *width);
        });
    }

    void read(const place& from, const bound& width, SourceLocation where) {
        const run bytes{from.start, width, nullptr};
        if (!now_.is_alive || now_.is_whole || !matters(bytes) || is_covered(bytes)) {
            return;
        }
        if (quiet_ != 0) {
            ++missed_;
            return;
        }
        if (std::none_of(fate_.reads.begin(), fate_.reads.end(),
                         [&](const early_read& other) { return other.member == from.member; })) {
            fate_.reads.push_back({from.member, where});
        }
        now_.written.push_back(bytes); // one report is enough
    }

    bound rest_of(const place& from) const { return (is_class_ ? bound{each_} : total()) - from.start; }

    void read_rest(const place& from, const Expr* where) {
        read(from, rest_of(from), where->getExprLoc());
    }

    /// A function, a variable or a caller gets the object.
    void give_away(const place& what, const Expr* where, bool by_call) {
        if (!now_.is_alive || now_.is_whole || is_covered({what.start, rest_of(what), nullptr})) {
            return;
        }
        if (by_call && what.at == level::lvalue && made_.array && made_.where_it_lies == storage::pointer) {
            read(what, 1, where->getExprLoc()); // an element that nothing wrote to is meant to be zero
            return;
        }
        now_.is_whole = true;
        if (quiet_ == 0) {
            escaped_ = true;
            fate_.handed_out = fate_.handed_out || by_call;
        }
    }

    /// A look at an object of which members may be filled and others not.
    void view(const place& what, const Expr* where) {
        if (is_class_ && what.member == nullptr) {
            if (now_.is_alive && !now_.is_whole && quiet_ == 0) {
                fate_.uncertain = true;
                escaped_ = true;
            }
        } else {
            read_rest(what, where);
        }
    }

    /// The holder gets something else, or ends.
    void drop() { now_.is_whole = now_.is_whole || now_.is_alive; }

    // --- The start ---------------------------------------------------------------------------------------------------------------

    void begin(const std::string& holder, bool outlives) {
        holder_ = holder;
        outlives_ = outlives;
        fate_.is_held = true;
        fate_.is_in_loop = fate_.is_in_loop || !continues_.empty();
        const bound before = value_of(holder + ".size");
        now_.is_alive = true;
        now_.is_whole = false;
        now_.written.clear();
        now_.aliases.clear();
        const bound count = made_.count ? bound{static_cast<std::int64_t>(*made_.count)}
                            : made_.count_expression != nullptr ? value(made_.count_expression)
                                                                : bound{1};
        set(holder + ".size", count);
        first_ = made_.keeps_old ? before * each_ : bound{};
    }

    bool makes_it(const Expr* expression) const {
        while (expression != nullptr && expression != made_.expression) {
            const Expr* plain = expression->IgnoreParenImpCasts()->IgnoreUnlessSpelledInSource();
            if (plain == made_.expression) {
                return true;
            }
            if (const auto* cast = dyn_cast<ExplicitCastExpr>(plain)) {
                expression = cast->getSubExpr();
            } else if (const auto* construction = dyn_cast<CXXConstructExpr>(plain);
                       construction != nullptr && construction->getNumArgs() != 0) {
                expression = construction->getArg(0);
            } else if (const auto* list = dyn_cast<InitListExpr>(plain); list != nullptr && list->getNumInits() == 1) {
                expression = list->getInit(0);
            } else if (plain != expression) {
                expression = plain;
            } else {
                return false;
            }
        }
        return expression != nullptr;
    }

    void initialise_member(const CXXCtorInitializer& initialiser) {
        const FieldDecl* member = initialiser.getMember();
        if (initialiser.getInit() != nullptr) {
            if (member != nullptr && (made_.member == member || makes_it(initialiser.getInit())) &&
                (made_.where_it_lies == storage::pointer || made_.member == member)) {
                begin("this." + member->getNameAsString(), true);
                return;
            }
            visit(initialiser.getInit());
            if (member != nullptr && member->getType()->isIntegralOrEnumerationType()) {
                set("this." + member->getNameAsString(), value(initialiser.getInit()));
            }
        }
    }

    void declare(const VarDecl& variable) {
        if (made_.variable == &variable) {
            for (const Stmt* part : variable.getInit()->children()) {
                visit(part);
            }
            begin(key_of(variable), variable.hasGlobalStorage());
            return;
        }
        const Expr* init = variable.getInit();
        if (init == nullptr) {
            return;
        }
        if (made_.where_it_lies == storage::pointer && makes_it(init)) {
            begin(key_of(variable), variable.hasGlobalStorage());
            return;
        }
        const QualType type = variable.getType();
        if (const auto* lambda = dyn_cast<LambdaExpr>(init->IgnoreUnlessSpelledInSource())) {
            lambdas_[&variable] = lambda;
            return;
        }
        if (const auto what = place_of(init); what && bind(variable, *what)) {
            visit_parts(init);
            return;
        }
        if (type->isReferenceType() || type->isPointerType()) {
            const Expr* plain = init->IgnoreParenImpCasts();
            if (const auto* unary = dyn_cast<UnaryOperator>(plain);
                unary != nullptr && unary->getOpcode() == UO_AddrOf) {
                plain = unary->getSubExpr();
            }
            if (const std::string key = key_of(plain); !key.empty()) {
                references_[&variable] = key;
                return;
            }
        }
        visit(init);
        if (type->isIntegralOrEnumerationType()) {
            set(key_of(variable), value(init));
        } else if (contiguous_container(type) != nullptr) {
            const auto* construction = dyn_cast<CXXConstructExpr>(init->IgnoreUnlessSpelledInSource());
            const bool has_length = construction != nullptr && construction->getNumArgs() != 0 &&
                                    !construction->isListInitialization() &&
                                    construction->getArg(0)->getType()->isIntegralOrEnumerationType();
            set(key_of(variable) + ".size", has_length ? value(construction->getArg(0)) : bound::of(fresh()));
        }
    }

    /// Makes a variable or parameter stand for a place. False where it gets a copy of the value.
    bool bind(const ValueDecl& variable, const place& what) {
        const QualType type = variable.getType();
        if (what.at == level::holder) {
            if (type->isReferenceType() && (!type->isRValueReferenceType() || type->getPointeeType().isConstQualified())) {
                references_[&variable] = holder_;
                return true;
            }
            return false;
        }
        if (what.at == level::lvalue ? !type->isReferenceType() : type->isReferenceType() && type->getPointeeType()->isPointerType()) {
            return false;
        }
        now_.aliases[&variable] = what;
        return true;
    }

    // --- Statements --------------------------------------------------------------------------------------------------------------

    /// The function returns.
    void leave() {
        if (outlives_ && now_.is_alive && !now_.is_whole && quiet_ == 0) {
            settle();
            escaped_ = escaped_ || !now_.is_whole;
        }
        now_.is_reachable = false;
    }

    state join(state a, const state& b) {
        if (!a.is_reachable || !b.is_reachable) {
            return a.is_reachable ? std::move(a) : b;
        }
        if (a.is_alive && b.is_alive) {
            a.written = a.is_whole ? b.written : b.is_whole ? a.written : common(a.written, b.written);
            a.is_whole = a.is_whole && b.is_whole;
        } else if (b.is_alive) {
            a.written = b.written;
            a.is_whole = b.is_whole;
        }
        a.is_alive = a.is_alive || b.is_alive;
        for (auto& [key, known] : a.values) {
            const auto other = b.values.find(key);
            if (!(known == (other != b.values.end() ? other->second : bound::of(key)))) {
                known = bound::of(fresh());
            }
        }
        for (const auto& [key, known] : b.values) {
            if (a.values.find(key) == a.values.end() && !(known == bound::of(key))) {
                a.values[key] = bound::of(fresh());
            }
        }
        for (const auto& [variable, what] : b.aliases) {
            const auto [known, is_new] = a.aliases.try_emplace(variable, what);
            if (!is_new && !(known->second == what)) {
                known->second.start = bound::of(fresh());
            }
        }
        return a;
    }

    static std::vector<run> common(const std::vector<run>& a, const std::vector<run>& b) {
        std::vector<run> both;
        std::copy_if(a.begin(), a.end(), std::back_inserter(both),
                     [&](const run& one) { return std::find(b.begin(), b.end(), one) != b.end(); });
        return both;
    }

    void join_all(std::vector<state>& others) {
        for (const state& other : others) {
            now_ = join(std::move(now_), other);
        }
        others.clear();
    }

    void visit(const Stmt* statement) {
        if (statement == nullptr || !now_.is_reachable || is_lost_) {
            return;
        }
        if (++steps_ > most_steps) {
            is_lost_ = true;
            return;
        }
        if (const auto* expression = dyn_cast<Expr>(statement)) {
            visit_expression(expression);
            return;
        }
        switch (statement->getStmtClass()) {
        case Stmt::CompoundStmtClass:
            for (const Stmt* one : cast<CompoundStmt>(statement)->body()) {
                const auto* expression = dyn_cast<Expr>(one);
                if (expression != nullptr && place_of(expression)) {
                    visit_parts(expression);
                } else {
                    visit(one);
                }
            }
            break;
        case Stmt::DeclStmtClass:
            for (const Decl* one : cast<DeclStmt>(statement)->decls()) {
                if (const auto* variable = dyn_cast<VarDecl>(one)) {
                    declare(*variable);
                }
            }
            break;
        case Stmt::IfStmtClass: {
            const auto& choice = *cast<IfStmt>(statement);
            visit(choice.getInit());
            visit(choice.getConditionVariableDeclStmt());
            visit(choice.getCond());
            const auto taken = choice.isConstexpr() ? choice.getNondiscardedCase(context_) : std::nullopt;
            if (taken) {
                visit(*taken);
                break;
            }
            branches(choice.getThen(), choice.getElse());
            break;
        }
        case Stmt::SwitchStmtClass:
            visit_switch(*cast<SwitchStmt>(statement));
            break;
        case Stmt::ForStmtClass: {
            const auto& loop = *cast<ForStmt>(statement);
            visit(loop.getInit());
            repeat({statement, loop.getCond(), loop.getBody(), loop.getInc()});
            break;
        }
        case Stmt::WhileStmtClass: {
            const auto& loop = *cast<WhileStmt>(statement);
            repeat({statement, loop.getCond(), loop.getBody(), nullptr});
            break;
        }
        case Stmt::DoStmtClass: {
            const auto& loop = *cast<DoStmt>(statement);
            counted_loop once{statement, nullptr, loop.getBody(), nullptr};
            once.last = loop.getCond();
            once.at_least_once = true;
            repeat(once);
            break;
        }
        case Stmt::CXXForRangeStmtClass:
            visit_range(*cast<CXXForRangeStmt>(statement));
            break;
        case Stmt::BreakStmtClass:
            if (!breaks_.empty()) {
                breaks_.back().push_back(now_);
            }
            now_.is_reachable = false;
            break;
        case Stmt::ContinueStmtClass:
            if (!continues_.empty()) {
                continues_.back().push_back(now_);
            }
            now_.is_reachable = false;
            break;
        case Stmt::ReturnStmtClass:
            visit_return(*cast<ReturnStmt>(statement));
            break;
        case Stmt::GotoStmtClass:
        case Stmt::IndirectGotoStmtClass:
        case Stmt::CoroutineBodyStmtClass:
            is_lost_ = true;
            break;
        case Stmt::CXXTryStmtClass: {
            const auto& attempt = *cast<CXXTryStmt>(statement);
            const state before = now_;
            visit(attempt.getTryBlock());
            state after = now_;
            for (unsigned i = 0; i < attempt.getNumHandlers(); ++i) {
                now_ = before;
                now_.is_alive = before.is_alive || after.is_alive;
                visit(attempt.getHandler(i)->getHandlerBlock());
                after = join(std::move(after), now_);
            }
            now_ = after;
            break;
        }
        case Stmt::CapturedStmtClass:
            visit(cast<CapturedStmt>(statement)->getCapturedStmt());
            break;
        default:
            if (const auto* directive = dyn_cast<OMPExecutableDirective>(statement)) {
                visit(directive->hasAssociatedStmt() ? directive->getRawStmt() : nullptr);
            } else if (const auto* canonical = dyn_cast<OMPCanonicalLoop>(statement)) {
                visit(canonical->getLoopStmt());
            } else {
                for (const Stmt* part : statement->children()) {
                    visit(part);
                }
            }
        }
    }

    void branches(const Stmt* a, const Stmt* b) {
        state other = now_;
        visit(a);
        std::swap(now_, other);
        visit(b);
        now_ = join(std::move(other), now_);
        settle();
    }

    void visit_switch(const SwitchStmt& choice) {
        visit(choice.getInit());
        visit(choice.getConditionVariableDeclStmt());
        visit(choice.getCond());
        const state before = now_;
        breaks_.emplace_back();
        bool has_default = false;
        for (const SwitchCase* one = choice.getSwitchCaseList(); one != nullptr; one = one->getNextSwitchCase()) {
            has_default = has_default || isa<DefaultStmt>(one);
        }
        now_.is_reachable = false;
        if (const auto* body = dyn_cast<CompoundStmt>(choice.getBody())) {
            for (const Stmt* one : body->body()) {
                while (const auto* label = dyn_cast<SwitchCase>(one)) {
                    now_ = join(std::move(now_), before);
                    one = label->getSubStmt();
                }
                visit(one);
            }
        } else {
            is_lost_ = true;
        }
        std::vector<state> left = std::move(breaks_.back());
        breaks_.pop_back();
        if (!has_default && !choice.isAllEnumCasesCovered()) {
            left.push_back(before);
        }
        join_all(left);
        settle();
    }

    void visit_return(const ReturnStmt& statement) {
        if (const Expr* what = statement.getRetValue()) {
            const Expr* plain = what->IgnoreUnlessSpelledInSource();
            const auto given = place_of(plain);
            if (given && given->at != level::lvalue) {
                give_away(*given, what, false);
            } else if (given && what->isPRValue() && what->getType()->isRecordType()) {
                view(*given, what);
            } else {
                visit(what);
            }
        }
        if (!returns_.empty()) {
            returns_.back().push_back(now_);
            now_.is_reachable = false;
        } else {
            leave();
        }
    }

    // --- Loops -------------------------------------------------------------------------------------------------------------------

    struct counted_loop {
        const Stmt* statement = nullptr;
        const Expr* condition = nullptr;
        const Stmt* body = nullptr;
        const Expr* step = nullptr;
        const Expr* last = nullptr; ///< the condition of do-while
        bool at_least_once = false;
        std::optional<bound> turns{}; ///< of a loop without a condition
        std::function<void(const bound&)> on_turn{};
    };

    /// The number of turns, as a fraction.
    struct turn_count {
        bound number;
        bound divisor{1};
    };

    void repeat(const counted_loop& loop) {
        const state entry = now_;
        std::set<std::string> changed;
        std::set<const ValueDecl*> moved_aliases;
        for (const Stmt* part : {static_cast<const Stmt*>(loop.condition), loop.body, static_cast<const Stmt*>(loop.step),
                                 static_cast<const Stmt*>(loop.last)}) {
            note_changes(part, changed, moved_aliases);
        }
        // One turn from names shows what changes by the same amount each turn.
        std::map<std::string, bound> names;
        std::map<const ValueDecl*, bound> alias_names;
        for (const std::string& key : changed) {
            now_.values[key] = names[key] = bound::of(fresh());
        }
        for (const ValueDecl* alias : moved_aliases) {
            if (const auto known = now_.aliases.find(alias); known != now_.aliases.end()) {
                known->second.start = alias_names[alias] = bound::of(fresh());
            }
        }
        const int missed_before = missed_;
        const int first_name = names_;
        ++quiet_;
        turn(loop, bound::of(fresh()));
        --quiet_;
        const std::string counter = fresh();
        const auto steady = [&](const bound& now, const bound& then, const bound& start) -> std::optional<bound> {
            const bound by = now - then;
            for (int name = first_name + 1; name < names_; ++name) {
                if (by.mentions("#" + std::to_string(name) + ")") || mentions_exactly(by, name)) {
                    return std::nullopt;
                }
            }
            for (const auto& [key, name] : names) {
                if (mentions_name(by, name)) {
                    return std::nullopt;
                }
            }
            (void)start;
            return by;
        };
        state looping = entry;
        std::map<std::string, std::optional<bound>> steps;
        std::map<const ValueDecl*, std::optional<bound>> alias_steps;
        for (const auto& [key, name] : names) {
            const auto then = now_.values.find(key);
            const auto start = entry.values.find(key);
            const bound from = start != entry.values.end() ? start->second : bound::of(key);
            steps[key] = now_.is_reachable && then != now_.values.end() ? steady(then->second, name, from) : std::nullopt;
            looping.values[key] = steps[key] ? from + *steps[key] * bound::of(counter) : bound::of(fresh());
        }
        for (const auto& [alias, name] : alias_names) {
            const auto then = now_.aliases.find(alias);
            alias_steps[alias] =
                now_.is_reachable && then != now_.aliases.end() ? steady(then->second.start, name, {}) : std::nullopt;
            bound& start = looping.aliases[alias].start;
            start = alias_steps[alias] ? start + *alias_steps[alias] * bound::of(counter) : bound::of(fresh());
        }
        if (!entry.is_alive && now_.is_alive) { // created in the loop: the next turn finds what the last one left
            looping.is_alive = made_.variable == nullptr && made_.where_it_lies == storage::container;
            looping.is_whole = now_.is_whole;
        } else if (missed_ != missed_before && quiet_ == 0) { // or is written in earlier turns
            now_ = looping;
            ++quiet_;
            turn(loop, bound::of(counter));
            --quiet_;
            for (const run& one : spread(added(now_.written, entry.written), counter, {bound::of(counter)}, bound{}, loop)) {
                looping.written.push_back(one);
            }
        }
        now_ = looping;
        const std::optional<turn_count> turns =
            loop.turns ? turn_count{*loop.turns} : loop.condition != nullptr ? turns_of(loop.condition, counter) : std::nullopt;
        std::vector<state> left = turn(loop, bound::of(counter));
        // Behind the loop.
        const state after = now_;
        now_ = entry;
        now_.is_reachable = loop.condition != nullptr || loop.turns || loop.last != nullptr;
        const auto sure = turns ? turns->number.constant() : std::nullopt;
        const bool at_least_once = loop.at_least_once || (sure && *sure > 0);
        if (after.is_reachable && after.is_alive && !entry.is_alive) {
            now_.is_alive = looping.is_alive || made_.where_it_lies == storage::pointer;
            now_.is_whole = after.is_whole;
            now_.written = after.written;
        } else if (after.is_reachable && now_.is_alive && !now_.is_whole) {
            if (turns) {
                for (const run& one : spread(added(after.written, looping.written), counter, *turns, bound{}, loop)) {
                    now_.written.push_back(one);
                }
            }
            if (at_least_once) {
                now_.is_whole = after.is_whole;
                for (const run& one : after.written) {
                    if (!one.start.mentions(counter)) {
                        now_.written.push_back(one);
                    }
                }
            } else if (after.is_whole && escaped_) {
                now_.is_whole = true; // given away in the loop
            }
        }
        for (const auto& [key, step] : steps) {
            const auto count = turns && step ? (*step * turns->number).divided_by(turns->divisor) : std::nullopt;
            now_.values[key] = count ? value_in(entry, key) + *count : bound::of(fresh());
        }
        for (const auto& [alias, step] : alias_steps) {
            const auto count = turns && step ? (*step * turns->number).divided_by(turns->divisor) : std::nullopt;
            bound& start = now_.aliases[alias].start;
            start = count ? start + *count : bound::of(fresh());
        }
        join_all(left);
        settle();
    }

    static bool mentions_exactly(const bound& what, int name) {
        return what.factor_of("#" + std::to_string(name)) != std::optional{bound{}};
    }
    static bool mentions_name(const bound& what, const bound& name) {
        const std::string text = name.text(); // "(+1*#7)"
        return what.mentions(text) || what.factor_of(text.substr(4, text.size() - 5)) != std::optional{bound{}};
    }

    static bound value_in(const state& where, const std::string& key) {
        const auto found = where.values.find(key);
        return found != where.values.end() ? found->second : bound::of(key);
    }

    /// One turn, from the condition to the step. @return the states in which a `break` leaves
    std::vector<state> turn(const counted_loop& loop, const bound& counter) {
        breaks_.emplace_back();
        continues_.emplace_back();
        visit(loop.condition);
        if (loop.on_turn) {
            loop.on_turn(counter);
        }
        visit(loop.body);
        std::vector<state> next = std::move(continues_.back());
        continues_.pop_back();
        join_all(next);
        visit(loop.step);
        visit(loop.last);
        std::vector<state> left = std::move(breaks_.back());
        breaks_.pop_back();
        return left;
    }

    static std::vector<run> added(const std::vector<run>& now, const std::vector<run>& before) {
        std::vector<run> more;
        std::copy_if(now.begin(), now.end(), std::back_inserter(more), [&](const run& one) {
            return std::find(before.begin(), before.end(), one) == before.end();
        });
        return more;
    }

    /// What all turns write, where one turn writes `each`: runs that follow each other without a gap.
    static std::vector<run> spread(std::vector<run> each, const std::string& counter, const turn_count& turns,
                                   const bound& from, const counted_loop& loop) {
        for (bool merges = true; merges;) {
            merges = false;
            for (run& a : each) {
                for (run& b : each) {
                    if (&a != &b && a.start + a.width == b.start) {
                        a.width = a.width + b.width;
                        b = each.back();
                        each.pop_back();
                        merges = true;
                        break;
                    }
                }
                if (merges) {
                    break;
                }
            }
        }
        std::vector<run> all;
        for (const run& one : each) {
            const std::optional<bound> stride = one.start.factor_of(counter);
            if (!stride || one.width.mentions(counter)) {
                continue;
            }
            const bound first = one.start - *stride * bound::of(counter) + *stride * from;
            const auto width = (*stride * turns.number).divided_by(turns.divisor);
            if (!width) {
                continue;
            }
            if (*stride == one.width) {
                all.push_back({first, *width, loop.statement});
            } else if (*stride == one.width * -1) { // from the end to the start
                all.push_back({first + one.width + *width, *width * -1, loop.statement});
            }
        }
        return all;
    }

    /// How often a condition holds, whose sides move by the same amount each turn.
    std::optional<turn_count> turns_of(const Expr* condition, const std::string& counter) {
        const Expr* plain = condition->IgnoreParenImpCasts();
        bound distance;
        BinaryOperatorKind operation = BO_NE;
        const auto number_or_place = [&](const Expr* side) {
            const auto where = place_of(side);
            return where ? where->start : value(side);
        };
        if (const auto* binary = dyn_cast<BinaryOperator>(plain); binary != nullptr && binary->isComparisonOp()) {
            operation = binary->getOpcode();
            distance = number_or_place(binary->getRHS()) - number_or_place(binary->getLHS());
        } else if (const auto* call = dyn_cast<CXXOperatorCallExpr>(plain); call != nullptr && call->getNumArgs() == 2) {
            operation = BinaryOperator::getOverloadedOpcode(call->getOperator());
            distance = number_or_place(call->getArg(1)) - number_or_place(call->getArg(0));
        } else if (const auto* rewritten = dyn_cast<CXXRewrittenBinaryOperator>(plain)) {
            const auto parts = rewritten->getDecomposedForm();
            operation = parts.Opcode;
            distance = number_or_place(parts.RHS) - number_or_place(parts.LHS);
        } else if (plain->getType()->isIntegralOrEnumerationType()) {
            distance = value(plain);
        }
        if (operation == BO_GT || operation == BO_GE) {
            distance = distance * -1;
        }
        const auto step = distance.factor_of(counter);
        if (!step || *step == bound{}) {
            return std::nullopt;
        }
        const bound start = distance - *step * bound::of(counter);
        switch (operation) {
        case BO_NE: {
            const auto down = step->constant();
            return down && *down > 0 ? turn_count{start * -1, *step} : turn_count{start, *step * -1};
        }
        case BO_LT:
        case BO_GT:
            return turn_count{start, *step * -1};
        case BO_LE:
        case BO_GE:
            return turn_count{start - *step, *step * -1};
        default:
            return std::nullopt;
        }
    }

    void visit_range(const CXXForRangeStmt& loop) {
        visit(loop.getInit());
        const Expr* range = loop.getRangeInit();
        const VarDecl& variable = *loop.getLoopVariable();
        const auto over = place_of(range);
        counted_loop all{&loop, nullptr, loop.getBody(), nullptr};
        if (!over) {
            visit(range);
            const std::string key = key_of(range);
            const auto* array = context_.getAsConstantArrayType(range->getType());
            all.turns = array != nullptr ? bound{static_cast<std::int64_t>(array->getSize().getZExtValue())}
                        : key.empty()    ? bound::of(fresh())
                                         : value_of(key + ".size");
            all.on_turn = [&](const bound&) { forget(key_of(variable)); };
            repeat(all);
            return;
        }
        const std::int64_t unit = each_or_unit(*range);
        all.turns = over->at == level::lvalue && range->getType()->isArrayType()
                        ? bound{static_cast<std::int64_t>(sizes_.size_of(range->getType())) / std::max<std::int64_t>(unit, 1)}
                        : value_of(holder_ + ".size");
        all.on_turn = [&, unit](const bound& counter) {
            const place element{level::lvalue, over->start + counter * unit, over->member};
            if (!bind(variable, element)) {
                read(element, unit, variable.getLocation());
            }
        };
        repeat(all);
    }

    /// The variables, members and aliases that a statement changes.
    void note_changes(const Stmt* statement, std::set<std::string>& keys, std::set<const ValueDecl*>& aliases) {
        any_part(statement, [&](const Stmt& part) {
            const Expr* target = nullptr;
            if (const auto* unary = dyn_cast<UnaryOperator>(&part)) {
                target = unary->isIncrementDecrementOp() || unary->getOpcode() == UO_AddrOf ? unary->getSubExpr() : nullptr;
            } else if (const auto* binary = dyn_cast<BinaryOperator>(&part)) {
                target = binary->isAssignmentOp() ? binary->getLHS() : nullptr;
            } else if (const auto* operation = dyn_cast<CXXOperatorCallExpr>(&part)) {
                const bool changes = operation->isAssignmentOp() || operation->getOperator() == OO_PlusPlus ||
                                     operation->getOperator() == OO_MinusMinus;
                target = changes ? operation->getArg(0) : nullptr;
            } else if (const auto* call = dyn_cast<CallExpr>(&part)) {
                note_arguments(*call, keys);
            }
            if (target != nullptr) {
                const auto* reference = dyn_cast<DeclRefExpr>(target->IgnoreParenImpCasts());
                if (reference != nullptr && now_.aliases.find(reference->getDecl()) != now_.aliases.end()) {
                    aliases.insert(reference->getDecl());
                } else if (const std::string key = key_of(target); !key.empty()) {
                    keys.insert(key);
                }
            }
            return false;
        });
    }

    void note_arguments(const CallExpr& call, std::set<std::string>& keys) {
        const FunctionDecl* function = call.getDirectCallee();
        if (function == nullptr || isa<CXXOperatorCallExpr>(call)) {
            return;
        }
        if (const auto* method = dyn_cast<CXXMemberCallExpr>(&call)) {
            const std::string key = key_of(method->getImplicitObjectArgument());
            if (!cast<CXXMethodDecl>(function)->isConst() && !key.empty() && key != "this" &&
                !named(function, {"data", "begin", "end", "at", "front", "back", "size"}) && &call != made_.expression) {
                keys.insert(key + ".size");
            }
        }
        for (unsigned i = 0; i < call.getNumArgs() && i < function->getNumParams(); ++i) {
            if (const std::string key = key_of(call.getArg(i)); !key.empty() && changes_argument(*function, i)) {
                keys.insert(key);
                keys.insert(key + ".size");
            }
        }
    }

    static bool changes_argument(const FunctionDecl& function, unsigned index) {
        const QualType type = function.getParamDecl(index)->getType();
        return type->isLValueReferenceType() && !type->getPointeeType().isConstQualified();
    }

    // --- Expressions -------------------------------------------------------------------------------------------------------------

    /// The effects inside of an expression that denotes a place: of `*p++`, `v[f(i)]`.
    void visit_parts(const Expr* expression) {
        expression = expression->IgnoreParenImpCasts();
        if (const auto* unary = dyn_cast<UnaryOperator>(expression)) {
            visit_parts(unary->getSubExpr());
            if (unary->isIncrementDecrementOp()) {
                move_alias(unary->getSubExpr(), unary->isIncrementOp() ? 1 : -1, unit_of(unary->getType()));
            }
        } else if (const auto* subscript = dyn_cast<ArraySubscriptExpr>(expression)) {
            visit_parts(subscript->getBase());
            visit(subscript->getIdx());
        } else if (const auto* member = dyn_cast<MemberExpr>(expression)) {
            visit_parts(member->getBase());
        } else if (const auto* operation = dyn_cast<CXXOperatorCallExpr>(expression)) {
            visit_parts(operation->getArg(0));
            const bool moves = operation->getOperator() == OO_PlusPlus || operation->getOperator() == OO_MinusMinus;
            if (moves) {
                move_alias(operation->getArg(0), operation->getOperator() == OO_PlusPlus ? 1 : -1, each_);
            } else if (operation->getNumArgs() == 2) {
                visit(operation->getArg(1));
            }
        } else if (const auto* binary = dyn_cast<BinaryOperator>(expression)) {
            for (const Expr* side : {binary->getLHS(), binary->getRHS()}) {
                place_of(side) ? visit_parts(side) : visit(side);
            }
        } else if (const auto* call = dyn_cast<CallExpr>(expression)) {
            if (const auto* method = dyn_cast<CXXMemberCallExpr>(call)) {
                visit_parts(method->getImplicitObjectArgument());
            }
            for (const Expr* argument : call->arguments()) {
                place_of(argument) ? visit_parts(argument) : visit(argument);
            }
        } else if (const auto* construction = dyn_cast<CXXConstructExpr>(expression)) {
            for (const Expr* argument : construction->arguments()) {
                place_of(argument) ? visit_parts(argument) : visit(argument);
            }
        }
    }

    void move_alias(const Expr* alias, const bound& by, std::int64_t unit) {
        const auto* reference = dyn_cast<DeclRefExpr>(alias->IgnoreParenImpCasts());
        if (reference == nullptr) {
            return;
        }
        if (const auto found = now_.aliases.find(reference->getDecl());
            found != now_.aliases.end() && found->second.at == level::pointer) {
            found->second.start = found->second.start + by * unit;
        }
    }

    void visit_expression(const Expr* expression) {
        expression = expression->IgnoreParens();
        if (expression == made_.expression && (made_.where_it_lies == storage::pointer || made_.container != nullptr)) {
            create(expression);
            return;
        }
        if (const auto* cast = dyn_cast<CastExpr>(expression)) {
            visit_cast(*cast);
            return;
        }
        if (const auto what = place_of(expression)) {
            visit_parts(expression);
            give_away(*what, expression, false);
            return;
        }
        if (const auto* binary = dyn_cast<BinaryOperator>(expression)) {
            visit_binary(*binary);
        } else if (const auto* unary = dyn_cast<UnaryOperator>(expression)) {
            visit_unary(*unary);
        } else if (const auto* choice = dyn_cast<AbstractConditionalOperator>(expression)) {
            visit(choice->getCond());
            branches(choice->getTrueExpr(), choice->getFalseExpr());
        } else if (const auto* call = dyn_cast<CallExpr>(expression)) {
            visit_call(*call);
        } else if (const auto* construction = dyn_cast<CXXConstructExpr>(expression)) {
            visit_construction(*construction);
        } else if (const auto* lambda = dyn_cast<LambdaExpr>(expression)) {
            perhaps([&] { visit_lambda(*lambda); });
        } else if (isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr, CXXTypeidExpr>(expression)) {
            return; // not evaluated
        } else if (const auto* deletion = dyn_cast<CXXDeleteExpr>(expression)) {
            place_of(deletion->getArgument()) ? drop() : visit(deletion->getArgument());
        } else if (isa<CXXThrowExpr>(expression)) {
            visit_children(expression);
            now_.is_reachable = false;
        } else if (const auto* by_default = dyn_cast<CXXDefaultArgExpr>(expression)) {
            visit(by_default->getExpr());
        } else if (isa<DeclRefExpr, MemberExpr, CXXThisExpr>(expression)) {
            visit_name(*expression);
        } else {
            visit_children(expression);
        }
    }

    void visit_children(const Stmt* statement) {
        for (const Stmt* part : statement->children()) {
            visit(part);
        }
    }

    /// A mention that is no use of the object: of a lambda, or of an object that the holder is a member of.
    void visit_name(const Expr& expression) {
        if (const auto* reference = dyn_cast<DeclRefExpr>(&expression)) {
            if (const auto found = lambdas_.find(reference->getDecl()); found != lambdas_.end()) {
                perhaps([&] { visit_lambda(*found->second); });
                return;
            }
        }
        const std::string key = key_of(&expression);
        if (key.empty()) {
            visit_children(&expression);
        } else if (contains_holder(key)) {
            give_away({}, &expression, false);
        }
    }

    bool contains_holder(const std::string& key) const {
        return now_.is_alive && !key.empty() && StringRef(holder_).starts_with(key + ".");
    }

    /// What may run, now or later, or not: its reads count, its writes do not.
    template <class Visit>
    void perhaps(const Visit& visit_it) {
        const state before = now_;
        visit_it();
        const bool was_given = now_.is_whole && escaped_;
        now_ = before;
        now_.is_whole = now_.is_whole || was_given;
    }

    void visit_lambda(const LambdaExpr& lambda) {
        if (depth_ >= most_calls) {
            is_lost_ = true;
            return;
        }
        ++depth_;
        std::vector<std::vector<state>> breaks;
        std::vector<std::vector<state>> continues;
        std::swap(breaks, breaks_);
        std::swap(continues, continues_);
        returns_.emplace_back();
        visit(lambda.getBody());
        std::vector<state> left = std::move(returns_.back());
        returns_.pop_back();
        join_all(left);
        std::swap(breaks, breaks_);
        std::swap(continues, continues_);
        --depth_;
    }

    void create(const Expr* expression) {
        const auto* call = dyn_cast<CallExpr>(expression);
        if (made_.container != nullptr && call != nullptr) {
            for (const Expr* argument : call->arguments()) {
                visit(argument);
            }
            const std::string key = key_of(made_.container);
            if (key.empty()) {
                is_lost_ = true;
                return;
            }
            begin(key, outlives(made_.container));
        } else {
            visit_children(expression); // its result goes elsewhere at once
        }
    }

    static bool outlives(const Expr* container) {
        const Expr* root = container->IgnoreParenImpCasts();
        while (const auto* member = dyn_cast<MemberExpr>(root)) {
            root = member->getBase()->IgnoreParenImpCasts();
        }
        const auto* reference = dyn_cast<DeclRefExpr>(root);
        const auto* variable = reference != nullptr ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
        return variable == nullptr || !variable->hasLocalStorage() || variable->getType()->isReferenceType() ||
               variable->getType()->isPointerType();
    }

    void visit_cast(const CastExpr& cast) {
        const Expr* inner = cast.getSubExpr();
        const auto what = place_of(inner);
        if (!what) {
            visit(inner);
            return;
        }
        visit_parts(inner);
        switch (cast.getCastKind()) {
        case CK_LValueToRValue:
            if (what->at == level::lvalue) {
                const QualType type = inner->getType();
                read(*what, static_cast<std::int64_t>(sizes_.size_of(type)), inner->getExprLoc());
            } else {
                give_away(*what, inner, false);
            }
            break;
        case CK_PointerToBoolean:
        case CK_UserDefinedConversion:
        case CK_ToVoid:
            break;
        default:
            give_away(*what, inner, false);
        }
    }

    /// The value of an expression is used without looking at the object: a comparison of pointers.
    void look_past(const Expr* side) {
        place_of(side) ? visit_parts(side) : visit(side);
    }

    void visit_binary(const BinaryOperator& operation) {
        const Expr* left = operation.getLHS();
        const Expr* right = operation.getRHS();
        if (operation.isLogicalOp()) {
            visit(left);
            perhaps_then(right);
            return;
        }
        if (operation.isComparisonOp() || operation.getOpcode() == BO_Sub) {
            look_past(left);
            look_past(right);
            return;
        }
        if (operation.getOpcode() == BO_Comma) {
            look_past(left);
            visit(right);
            return;
        }
        if (!operation.isAssignmentOp()) {
            visit(left);
            visit(right);
            return;
        }
        if (operation.isCompoundAssignmentOp()) {
            visit(right);
            modify(left, value(right), operation.getOpcode());
            return;
        }
        if (made_.where_it_lies == storage::pointer && makes_it(right)) {
            hold(left);
            return;
        }
        const auto* variable = dyn_cast<DeclRefExpr>(left->IgnoreParenImpCasts());
        if (const auto from = place_of(right); from && variable != nullptr && !is_holder(left)) {
            visit_parts(right);
            if (!bind(*variable->getDecl(), *from)) {
                give_away(*from, right, false);
            }
            return;
        }
        visit(right);
        const auto to = place_of(left);
        if (!to) {
            visit_target(left);
            const std::string key = key_of(left);
            if (left->getType()->isIntegralOrEnumerationType()) {
                set(key, value(right));
            } else {
                forget(key);
            }
            return;
        }
        visit_parts(left);
        if (to->at == level::lvalue) {
            assign(left, *to, &operation);
        } else if (variable != nullptr && now_.aliases.erase(variable->getDecl()) != 0) {
            return; // it points elsewhere now
        } else {
            drop();
        }
    }

    void perhaps_then(const Expr* right) {
        state before = now_;
        visit(right);
        now_ = join(std::move(before), now_);
    }

    /// The left side of an assignment to something else.
    void visit_target(const Expr* left) {
        const std::string key = key_of(left);
        if (key.empty()) {
            visit_children(left);
        } else if (contains_holder(key)) {
            drop();
        }
    }

    void hold(const Expr* left) {
        const std::string key = key_of(left);
        if (key.empty()) {
            visit_children(left);
            return;
        }
        begin(key, outlives(left));
    }

    void modify(const Expr* target, const bound& by, BinaryOperatorKind operation) {
        if (const auto what = place_of(target)) {
            visit_parts(target);
            if (what->at == level::lvalue) {
                read(*what, static_cast<std::int64_t>(sizes_.size_of(target->getType())), target->getExprLoc());
            } else {
                move_alias(target, operation == BO_SubAssign ? by * -1 : by, unit_of(target->getType()));
            }
            return;
        }
        visit_target(target);
        const std::string key = key_of(target);
        const bound before = value(target);
        set(key, operation == BO_AddAssign   ? before + by
                 : operation == BO_SubAssign ? before - by
                 : operation == BO_MulAssign ? before * by
                                             : bound::of(fresh()));
    }

    void visit_unary(const UnaryOperator& operation) {
        if (operation.isIncrementDecrementOp()) {
            modify(operation.getSubExpr(), 1, operation.isIncrementOp() ? BO_AddAssign : BO_SubAssign);
        } else if (operation.getOpcode() == UO_LNot) {
            look_past(operation.getSubExpr());
        } else if (operation.getOpcode() == UO_AddrOf) {
            const std::string key = key_of(operation.getSubExpr());
            visit(operation.getSubExpr());
            forget(key);
        } else {
            visit(operation.getSubExpr());
        }
    }

    void visit_construction(const CXXConstructExpr& construction) {
        const CXXConstructorDecl& constructor = *construction.getConstructor();
        for (unsigned i = 0; i < construction.getNumArgs(); ++i) {
            const Expr* argument = construction.getArg(i);
            const auto what = place_of(argument);
            if (!what) {
                visit(argument);
                continue;
            }
            visit_parts(argument);
            const bool moves = constructor.isMoveConstructor();
            if (constructor.isCopyConstructor() && what->at != level::pointer) {
                view(*what, argument);
            } else if (!moves && i < constructor.getNumParams() && only_reads(constructor.getParamDecl(i)->getType()) &&
                       outermost_namespace(constructor) == "std") {
                read_rest(*what, argument);
            } else {
                give_away(*what, argument, !moves);
            }
        }
    }

    // --- Calls -------------------------------------------------------------------------------------------------------------------

    void visit_call(const CallExpr& call) {
        const FunctionDecl* function = call.getDirectCallee();
        if (const LambdaExpr* lambda = called_lambda(call)) {
            inline_body(*lambda->getCallOperator(), lambda->getBody(), call, 1);
            return;
        }
        if (function == nullptr) {
            for (const Expr* argument : call.arguments()) {
                pass(argument, nullptr, 0, call);
            }
            visit(call.getCallee());
            return;
        }
        if (fills(call, *function) || runs_for_each(call, *function)) {
            return;
        }
        if (const auto* operation = dyn_cast<CXXOperatorCallExpr>(&call)) {
            visit_operator(*operation, *function);
        } else if (const auto* method = dyn_cast<CXXMemberCallExpr>(&call)) {
            visit_method(*method, *cast<CXXMethodDecl>(function));
        } else if (!looks_inside(call, *function, 0)) {
            for (unsigned i = 0; i < call.getNumArgs(); ++i) {
                pass(call.getArg(i), function, i, call);
            }
        }
        if (function->isNoReturn()) {
            now_.is_reachable = false;
        }
    }

    const LambdaExpr* called_lambda(const CallExpr& call) const {
        const auto* operation = dyn_cast<CXXOperatorCallExpr>(&call);
        if (operation == nullptr || operation->getOperator() != OO_Call) {
            return nullptr;
        }
        return lambda_of(operation->getArg(0));
    }

    const LambdaExpr* lambda_of(const Expr* expression) const {
        const Expr* plain = expression->IgnoreUnlessSpelledInSource()->IgnoreParenImpCasts();
        if (const auto* reference = dyn_cast<DeclRefExpr>(plain)) {
            const auto found = lambdas_.find(reference->getDecl());
            return found != lambdas_.end() ? found->second : nullptr;
        }
        return dyn_cast<LambdaExpr>(plain);
    }

    /// An argument that a function gets which the check does not look into.
    void pass(const Expr* argument, const FunctionDecl* function, unsigned index, const CallExpr& call) {
        const auto what = place_of(argument);
        const bool is_known = function != nullptr && index < function->getNumParams();
        const QualType type = is_known ? function->getParamDecl(index)->getType() : argument->getType();
        const bool reads = function != nullptr && (!is_known || only_reads(type));
        if (!what) {
            const std::string key = key_of(argument);
            if (contains_holder(key)) {
                reads && type->isReferenceType() ? read_rest({}, argument) : give_away({}, argument, false);
            } else {
                visit(argument);
                if (is_known && changes_argument(*function, index)) {
                    forget(key);
                }
            }
            return;
        }
        visit_parts(argument);
        const bool by_value = is_known && !type->isReferenceType() && !type->isPointerType() && type->isRecordType();
        if (reads || (function != nullptr && outermost_namespace(*function) == "std" && what->at != level::holder)) {
            if (what->at == level::lvalue && !type->isReferenceType() && !by_value) {
                read(*what, static_cast<std::int64_t>(sizes_.size_of(argument->getType())), argument->getExprLoc());
            } else if (what->at == level::lvalue && type->isReferenceType() && !argument->getType()->isArrayType()) {
                read(*what, static_cast<std::int64_t>(sizes_.size_of(argument->getType())), argument->getExprLoc());
            } else {
                view(*what, argument);
            }
        } else {
            give_away(*what, &call, true);
        }
    }

    void visit_operator(const CXXOperatorCallExpr& call, const FunctionDecl& function) {
        const Expr* left = call.getArg(0);
        const auto what = place_of(left);
        if (call.getOperator() == OO_Equal && call.getNumArgs() == 2) {
            const Expr* right = call.getArg(1);
            if (made_.where_it_lies == storage::pointer && makes_it(right)) {
                hold(left);
                return;
            }
            const auto* variable = dyn_cast<DeclRefExpr>(left->IgnoreParenImpCasts());
            if (const auto from = place_of(right); from && from->at == level::pointer && variable != nullptr) {
                visit_parts(right);
                bind(*variable->getDecl(), *from);
                return;
            }
            pass(right, &function, isa<CXXMethodDecl>(function) ? 0 : 1, call);
            if (!what) {
                visit_target(left);
                forget(key_of(left));
            } else if (what->at == level::lvalue) {
                visit_parts(left);
                assign(left, *what, &call);
            } else {
                drop();
            }
            return;
        }
        if (call.isAssignmentOp() || call.getOperator() == OO_PlusPlus || call.getOperator() == OO_MinusMinus) {
            const bool is_step = !call.isAssignmentOp();
            if (!is_step) {
                pass(call.getArg(1), &function, isa<CXXMethodDecl>(function) ? 0 : 1, call);
            }
            if (what && what->at == level::pointer) {
                const bool down = call.getOperator() == OO_MinusMinus || call.getOperator() == OO_MinusEqual;
                move_alias(left, is_step ? bound{down ? -1 : 1} : value(call.getArg(1)) * (down ? -1 : 1), each_);
            } else if (what) {
                read_rest(*what, left);
            } else {
                visit(left);
                forget(key_of(left));
            }
            return;
        }
        if (call.isComparisonOp() || call.getOperator() == OO_Minus) {
            for (const Expr* argument : call.arguments()) {
                const auto compared = place_of(argument);
                if (compared && compared->at == level::holder && !is_smart_pointer(argument->getType())) {
                    view(*compared, argument);
                } else {
                    look_past(argument);
                }
            }
            return;
        }
        const unsigned shift = isa<CXXMethodDecl>(function) ? 1 : 0;
        for (unsigned i = 0; i < call.getNumArgs(); ++i) {
            if (i < shift) {
                what ? (cast<CXXMethodDecl>(function).isConst() ? view(*what, left) : give_away(*what, left, false))
                     : visit(left);
            } else {
                pass(call.getArg(i), &function, i - shift, call);
            }
        }
    }

    void visit_method(const CXXMemberCallExpr& call, const CXXMethodDecl& method) {
        const Expr* object = call.getImplicitObjectArgument();
        const auto what = object != nullptr ? place_of(object) : std::nullopt;
        const std::string key = object != nullptr ? key_of(object) : std::string();
        if (!what && key == "this" && looks_inside(call, method, 0)) {
            return;
        }
        for (unsigned i = 0; i < call.getNumArgs(); ++i) {
            pass(call.getArg(i), &method, i, call);
        }
        if (!what) {
            visit_other_object(call, method, key);
            return;
        }
        visit_parts(object);
        if (what->at == level::lvalue && !is_std_array(object->getType()->getAsCXXRecordDecl())) {
            method.isConst() ? view(*what, &call) : give_away(*what, &call, false);
            return;
        }
        if (named(&method, {"fill"}) && what->at == level::lvalue) {
            write(what->start, static_cast<std::int64_t>(sizes_.size_of(object->getType())), &call);
        } else if (named(&method, {"assign", "clear", "reset"})) {
            drop();
        } else if (named(&method, {"resize", "push_back", "emplace_back", "append", "insert", "pop_back", "erase"})) {
            if (!named(&method, {"resize"})) {
                read_rest(*what, &call);
            }
            const bool is_resize = named(&method, {"resize"});
            set(holder_ + ".size", is_resize ? value(call.getArg(0)) : bound::of(fresh()));
        } else if (!named(&method, {"size", "length", "empty", "capacity", "max_size", "end", "cend", "reserve", "shrink_to_fit",
                                    "get_allocator", "use_count", "unique", "get_deleter", "release", "rend", "rbegin", "get"}) &&
                   !isa<CXXConversionDecl>(method)) {
            method.isConst() ? view(*what, &call) : give_away(*what, &call, false);
        } else if (named(&method, {"rbegin"})) {
            give_away(*what, &call, false);
        }
    }

    /// A function of an object that contains the holder, or of one that has nothing to do with it.
    void visit_other_object(const CXXMemberCallExpr& call, const CXXMethodDecl& method, const std::string& key) {
        if (contains_holder(key)) {
            method.isConst() ? read_rest({}, &call) : give_away({}, &call, false);
            return;
        }
        if (const Expr* object = call.getImplicitObjectArgument(); object != nullptr && key.empty()) {
            visit(object);
        }
        if (method.isConst() || key.empty() || key == "this") {
            return;
        }
        if (named(&method, {"resize", "assign"}) && call.getNumArgs() != 0 &&
            call.getArg(0)->getType()->isIntegralOrEnumerationType()) {
            set(key + ".size", value(call.getArg(0)));
        } else if (!named(&method, {"data", "begin", "end", "at", "front", "back"})) {
            forget(key);
        }
    }

    /// Goes on in the body of a function of this file that gets the object.
    bool looks_inside(const CallExpr& call, const FunctionDecl& function, unsigned first) {
        const FunctionDecl* definition = nullptr;
        if (!now_.is_alive || depth_ >= most_calls || !function.hasBody(definition) || definition->isVariadic() ||
            definition->getNumParams() != call.getNumArgs() - first) {
            return false;
        }
        const auto* method = dyn_cast<CXXMethodDecl>(definition);
        if (method != nullptr && (method->isVirtual() || isa<CXXConstructorDecl>(method))) {
            return false;
        }
        const SourceManager& sources = context_.getSourceManager();
        if (!sources.isWrittenInSameFile(definition->getLocation(), function_.getLocation()) || definition == &function_) {
            return false;
        }
        const bool is_given = std::any_of(call.arg_begin(), call.arg_end(), [&](const Expr* argument) {
            return place_of(argument).has_value();
        });
        if (!is_given && (method == nullptr || method->isStatic() || !contains_holder("this"))) {
            return false;
        }
        inline_body(*definition, definition->getBody(), call, first);
        return true;
    }

    void inline_body(const FunctionDecl& function, const Stmt* body, const CallExpr& call, unsigned first) {
        if (depth_ >= most_calls) {
            is_lost_ = true;
            return;
        }
        for (unsigned i = first; i < call.getNumArgs() && i - first < function.getNumParams(); ++i) {
            bind_parameter(*function.getParamDecl(i - first), call.getArg(i));
        }
        std::vector<std::vector<state>> breaks;
        std::vector<std::vector<state>> continues;
        std::swap(breaks, breaks_);
        std::swap(continues, continues_);
        ++depth_;
        returns_.emplace_back();
        visit(body);
        std::vector<state> left = std::move(returns_.back());
        returns_.pop_back();
        join_all(left);
        --depth_;
        std::swap(breaks, breaks_);
        std::swap(continues, continues_);
    }

    void bind_parameter(const ParmVarDecl& parameter, const Expr* argument) {
        const QualType type = parameter.getType();
        references_.erase(&parameter);
        now_.aliases.erase(&parameter);
        if (const auto what = place_of(argument)) {
            visit_parts(argument);
            if (!bind(parameter, *what)) {
                what->at == level::lvalue
                    ? read(*what, static_cast<std::int64_t>(sizes_.size_of(argument->getType())), argument->getExprLoc())
                    : give_away(*what, argument, false);
            }
            return;
        }
        const std::string key = key_of(argument);
        if (type->isReferenceType() && !key.empty()) {
            references_[&parameter] = key;
            return;
        }
        visit(argument);
        if (type->isIntegralOrEnumerationType()) {
            set(key_of(parameter), value(argument));
        }
    }

    /// A function of the C or C++ library that writes a length which it is told.
    bool fills(const CallExpr& call, const FunctionDecl& function) {
        const std::string space = outermost_namespace(function);
        const auto* method = dyn_cast<CXXMemberCallExpr>(&call);
        const bool is_stream = method != nullptr && named(&function, {"read", "sgetn"}) && space == "std";
        if ((!space.empty() && space != "std") || (method != nullptr && !is_stream)) {
            return false;
        }
        const std::string name = function_name(function);
        if (name.empty()) {
            return false;
        }
        if (is_stream) {
            return fills(call, {"read", 0, 1, unit::elements});
        }
        const auto* known = std::find_if(std::begin(filling_functions), std::end(filling_functions),
                                         [&](const filling_function& one) { return name == one.name; });
        if (known == std::end(filling_functions)) {
            return false;
        }
        filling_function how = *known;
        const unsigned shift = isa<CXXOperatorCallExpr>(call) ? 1 : 0; // the object std::ranges::copy itself
        if (shift != 0 && (how.in == unit::range || how.in == unit::end)) {
            if (call.getNumArgs() > 1 && contiguous_container(call.getArg(1)->getType()) != nullptr) {
                how = {how.name, how.in == unit::range ? 1U : 0U, 0, unit::whole}; // of a range
            }
        }
        how.to += shift;
        how.amount += shift;
        return fills(call, how);
    }

    bool fills(const CallExpr& call, const filling_function& how) {
        if (call.getNumArgs() <= std::max(how.to, how.amount)) {
            return false;
        }
        const Expr* target = call.getArg(how.to);
        const auto to = place_of(target);
        if (!to) {
            return false;
        }
        const Expr* amount = call.getArg(how.amount);
        const std::int64_t each = unit_of(target->IgnoreParenImpCasts()->getType());
        std::optional<bound> width;
        switch (how.in) {
        case unit::bytes:
            width = value(amount);
            break;
        case unit::elements:
            width = value(amount) * each;
            break;
        case unit::items:
            width = value(amount) * value(call.getArg(how.amount - 1));
            break;
        case unit::end:
            if (const auto end = place_of(amount)) {
                width = end->start - to->start;
            }
            break;
        case unit::range:
            width = distance(amount, call.getArg(how.amount + 1), each);
            break;
        case unit::whole:
            width = to->at == level::holder ? total() : length_of(amount) * each_;
            break;
        }
        for (unsigned i = 0; i < call.getNumArgs(); ++i) {
            if (i == how.to || (how.in == unit::end && i == how.amount)) {
                visit_parts(call.getArg(i));
            } else {
                pass(call.getArg(i), call.getDirectCallee(), i, call);
            }
        }
        if (!width) {
            give_away(*to, &call, true);
            return true;
        }
        const bool was_whole = now_.is_whole;
        write(to->start, *width, &call);
        const bool is_zero_fill = (StringRef(how.name) == "memset" && is_number_zero(call.getArg(1), context_)) ||
                                  (StringRef(how.name).starts_with("fill") && is_number_zero(call.getArg(call.getNumArgs() - 1), context_));
        fate_.repeats_zeros = fate_.repeats_zeros || (is_zero_fill && !was_whole && now_.is_whole && quiet_ == 0);
        return true;
    }

    bound length_of(const Expr* container) {
        const std::string key = key_of(container);
        return key.empty() ? bound::of(fresh()) : value_of(key + ".size");
    }

    /// The bytes that a copy of the range writes, by elements of that size.
    std::optional<bound> distance(const Expr* first, const Expr* last, std::int64_t each) {
        const auto a = place_of(first);
        const auto b = place_of(last);
        if (a && b) {
            return b->start - a->start;
        }
        // `from.begin(), from.end()` and `from, from + n`
        const auto container = [&](const Expr* side, std::initializer_list<const char*> names) {
            const Expr* plain = side->IgnoreUnlessSpelledInSource()->IgnoreParenImpCasts();
            const auto* call = dyn_cast<CallExpr>(plain);
            if (call == nullptr || !named(call->getDirectCallee(), names)) {
                return std::string();
            }
            const auto* method = dyn_cast<CXXMemberCallExpr>(call);
            return key_of(method != nullptr ? method->getImplicitObjectArgument() : call->getArg(0));
        };
        const std::string from = container(first, {"begin", "cbegin", "rbegin", "data"});
        if (!from.empty() && from == container(last, {"end", "cend", "rend"})) {
            return value_of(from + ".size") * each;
        }
        const bound length = position(last) - position(first);
        return length * each;
    }

    /// A pointer or iterator elsewhere, in elements.
    bound position(const Expr* pointer) {
        const Expr* plain = pointer->IgnoreUnlessSpelledInSource()->IgnoreParenImpCasts();
        if (const auto* binary = dyn_cast<BinaryOperator>(plain); binary != nullptr && binary->getOpcode() == BO_Add) {
            return binary->getRHS()->getType()->isIntegralOrEnumerationType()
                       ? position(binary->getLHS()) + value(binary->getRHS())
                       : position(binary->getRHS()) + value(binary->getLHS());
        }
        if (const auto* call = dyn_cast<CXXOperatorCallExpr>(plain);
            call != nullptr && call->getOperator() == OO_Plus && call->getNumArgs() == 2) {
            return position(call->getArg(0)) + value(call->getArg(1));
        }
        if (const auto* unary = dyn_cast<UnaryOperator>(plain); unary != nullptr && unary->getOpcode() == UO_AddrOf) {
            if (const auto* subscript = dyn_cast<ArraySubscriptExpr>(unary->getSubExpr()->IgnoreParens())) {
                return position(subscript->getBase()) + value(subscript->getIdx());
            }
        }
        if (const auto* call = dyn_cast<CXXMemberCallExpr>(plain); call != nullptr && call->getNumArgs() == 0) {
            const std::string key = key_of(call->getImplicitObjectArgument());
            if (!key.empty() && named(call->getMethodDecl(), {"begin", "cbegin", "data"})) {
                return bound::of(key + ".begin");
            }
            if (!key.empty() && named(call->getMethodDecl(), {"end", "cend"})) {
                return bound::of(key + ".begin") + value_of(key + ".size");
            }
        }
        return value(plain);
    }

    /// `std::for_each(v.begin(), v.end(), lambda)`, and of a range.
    bool runs_for_each(const CallExpr& call, const FunctionDecl& function) {
        if (outermost_namespace(function) != "std" || function_name(function) != "for_each" || call.getNumArgs() < 2) {
            return false;
        }
        const LambdaExpr* lambda = lambda_of(call.getArg(call.getNumArgs() - 1));
        const unsigned shift = isa<CXXOperatorCallExpr>(call) ? 1 : 0;
        const auto first = place_of(call.getArg(shift));
        if (lambda == nullptr || !first || lambda->getCallOperator()->getNumParams() != 1) {
            return false;
        }
        std::optional<bound> end;
        if (first->at == level::holder) {
            end = total();
        } else if (const auto last = place_of(call.getArg(shift + 1))) {
            end = last->start;
        }
        const ParmVarDecl& parameter = *lambda->getCallOperator()->getParamDecl(0);
        counted_loop all{&call, nullptr, lambda->getBody(), nullptr};
        all.turns = end ? (*end - first->start).divided_by(each_) : std::nullopt;
        all.turns = all.turns ? all.turns : bound::of(fresh());
        all.on_turn = [&](const bound& counter) {
            const place element{level::lvalue, first->start + counter * each_};
            if (!bind(parameter, element)) {
                read(element, each_, call.getExprLoc());
            }
        };
        returns_.emplace_back();
        repeat(all);
        returns_.pop_back();
        return true;
    }

    const FunctionDecl& function_;
    const creation& made_;
    const fill_size& sizes_;
    ASTContext& context_;
    std::int64_t each_;
    bool is_class_ = false;
    std::vector<run> targets_{}; ///< the filled members; none where all bytes are meant
    bound first_{};              ///< the first byte that is filled
    std::string holder_{};       ///< the key of what holds the object
    bool outlives_ = false;
    state now_{};
    object_fate fate_{};
    bool escaped_ = false;
    bool is_lost_ = false; ///< something that is not followed
    int quiet_ = 0;        ///< turns of a loop that are tried first
    int missed_ = 0;       ///< reads in them
    int names_ = 0;
    std::size_t depth_ = 0;
    mutable int steps_ = 0;
    std::map<const ValueDecl*, std::string> references_{};
    std::map<const ValueDecl*, const LambdaExpr*> lambdas_{};
    std::vector<std::vector<state>> breaks_{};
    std::vector<std::vector<state>> continues_{};
    std::vector<std::vector<state>> returns_{};
};

} // namespace

object_fate follow(const FunctionDecl& function, const creation& made, const std::vector<filled_member>& members,
                   const fill_size& sizes, ASTContext& context) {
    return walk(function, made, members, sizes, context).run_all();
}

} // namespace clang::tidy::linn
