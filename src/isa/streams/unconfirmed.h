// Unconfirmed forms of commands: no recording contains them. Their meaning is documented or follows
// from neighbouring values, so they are executed and counted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tputwin::isa {

// One field of one operation. Two forms are equal if everything but the value and the counts is
// equal.
struct UnconfirmedForm {
  std::string command;     // "TIU command AR 14 cast"
  std::string_view field;  // as in the description; in static storage
  // The assumed meaning of the value, as a clause in static storage.
  std::string_view meaning;
  uint64_t value = 0;  // of the first command
  // Number of the first command in its stream; 0: not in a stream.
  uint32_t first = 0;
  uint32_t commands = 1;  // number of commands with the form
};

// The forms of decoded streams, in order of first occurrence.
class UnconfirmedForms {
 public:
  // Counts the forms of one command.
  void add(const std::vector<UnconfirmedForm>& forms, uint32_t number);
  const std::vector<UnconfirmedForm>& list() const { return list_; }
  bool empty() const { return list_.empty(); }
  // Returns the number of commands with such forms. A command with two forms counts once.
  uint32_t commands() const { return commands_; }

 private:
  std::vector<UnconfirmedForm> list_;
  uint32_t commands_ = 0;
};

// Returns the warning of a form, errors::isa_stream_unconfirmed. `place` names the net and stage,
// or is empty.
Error unconfirmed_warning(const UnconfirmedForm& form, std::string_view place);
// Records a warning about commands of a model in the calling thread. It is an error in strict mode,
// and if TPUTWIN_STRICT is "forms".
Status report_form(Error warning);
// Records the warnings of all forms in the calling thread, each as often as it has commands.
Status report(const UnconfirmedForms& forms, std::string_view place);
// Returns an error that names the first form; ok if there is none.
Status refuse(const UnconfirmedForms& forms, std::string_view place);

// Returns for example "3 commands use forms that no recording confirms".
std::string summary(const UnconfirmedForms& forms);
// Returns for example "2  TIU command AR 14 cast: opd0_const = 1: the constant is converted as an
// element is".
std::string text(const UnconfirmedForm& form);

}  // namespace tputwin::isa
