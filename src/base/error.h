// Errors with the call, the argument and its value, the rule that it breaks, and the document with
// the rule. The library never aborts; it returns these values, and base/log.h prints them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace tputwin {

enum class ErrorKind {
  contract_violation,  // the program breaks a documented rule
  undefined_value,     // the program reads unwritten bytes
  unsupported,         // not available on this chip or build
  malformed,           // a file or buffer that does not parse
  resource,            // unavailable memory, file or device
  internal             // a bug of this project
};

// `error` means that the chip's reference model stops here too, or that an access would be outside
// of memory. `warning` means that a document forbids what the reference model executes. Warnings
// are counted; in strict mode they are errors.
enum class Level { error, warning };

// The areas of the catalogue, base/errors/AREA.def.
enum class ErrorArea : uint8_t {
#define TW_ERROR_AREA(name) name,
#include "base/errors/areas.def"
#undef TW_ERROR_AREA
};

// Identifies a row of the catalogue. The ids are named errors::SYMBOL, in base/errors/AREA.h.
enum class ErrorId : uint16_t {};

constexpr ErrorId error_id(ErrorArea area, uint8_t row) {
  return ErrorId(static_cast<uint16_t>(static_cast<unsigned>(area) << 8 | row));
}

// A row of the catalogue.
struct ErrorInfo {
  ErrorId id;
  std::string_view symbol;  // its name in errors::
  std::string_view code;    // stable public id, "TW-BMK-0102"
  ErrorKind kind;
  Level level;
  std::string_view rule;       // the rule, as a sentence
  std::string_view reference;  // document with the rule
};

const ErrorInfo& error_info(ErrorId id);
std::span<const ErrorInfo> error_catalogue();
std::string_view to_string(ErrorKind kind);

// An error as a value. Build it with the fluent setters:
//   Error(errors::bmk_shape_mismatch).in("bmk1880_tpu_mul").argument("b", describe(shape))
class Error {
 public:
  explicit Error(ErrorId id) : id_(id) {}

  Error&& in(std::string_view call) && {
    call_ = call;
    return std::move(*this);
  }
  Error&& argument(std::string_view name, std::string value) && {
    argument_ = name;
    value_ = std::move(value);
    return std::move(*this);
  }
  Error&& detail(std::string text) && {
    detail_ = std::move(text);
    return std::move(*this);
  }
  // Sets the document with the rule. Needed if the documents of each chip state the rule in another
  // place.
  Error&& see(std::string_view reference) && {
    reference_ = reference;
    return std::move(*this);
  }

  ErrorId id() const { return id_; }
  const ErrorInfo& info() const { return error_info(id_); }
  std::string_view code() const { return info().code; }
  const std::string& call() const { return call_; }
  const std::string& argument() const { return argument_; }
  const std::string& value() const { return value_; }
  const std::string& detail() const { return detail_; }
  std::string_view reference() const { return reference_.empty() ? info().reference : reference_; }
  void set_call_if_empty(std::string_view call) {
    if (call_.empty()) call_ = call;
  }

  // Returns for example "TW-BMK-0102 bmk1880_tpu_mul: b = (1,3,4,5): operands must have one shape;
  // ... [Guide 4.19]".
  std::string message() const;

 private:
  ErrorId id_;
  std::string call_, argument_, value_, detail_;
  // The text must be in static storage. If it is empty, the reference of the catalogue applies.
  std::string_view reference_;
};

// Success, or an Error.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::make_unique<Error>(std::move(error))) {}  // NOLINT: implicit
  bool ok() const { return error_ == nullptr; }
  explicit operator bool() const { return ok(); }
  const Error& error() const { return *error_; }
  Error& error() { return *error_; }
  std::string message() const { return ok() ? "ok" : error_->message(); }

 private:
  std::unique_ptr<Error> error_;
};

// A value, or an Error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}                 // NOLINT: implicit
  Result(Error error) : value_(std::move(error)) {}             // NOLINT: implicit
  Result(Status status) : value_(std::move(status.error())) {}  // NOLINT: implicit; never from ok
  bool ok() const { return value_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() { return std::get<0>(value_); }
  const T& value() const { return std::get<0>(value_); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  const Error& error() const { return std::get<1>(value_); }
  Status status() const { return ok() ? Status() : Status(error()); }

 private:
  std::variant<T, Error> value_;
};

// Returns early with the error of a Status or Result expression.
#define TW_RETURN_IF_ERROR(expression)                        \
  do {                                                        \
    if (auto tw_status_ = (expression); !tw_status_.ok())     \
      return ::tputwin::Error(std::move(tw_status_).error()); \
  } while (0)

// Unpacks a Result into a new variable, or returns its error.
#define TW_ASSIGN_OR_RETURN(variable, expression)                                  \
  auto variable##_result = (expression);                                           \
  if (!variable##_result.ok()) return ::tputwin::Error(variable##_result.error()); \
  auto variable = std::move(variable##_result.value())

}  // namespace tputwin
