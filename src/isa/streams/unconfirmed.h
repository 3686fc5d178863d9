// Forms of commands that no recording confirms: their meaning is documented or follows from
// neighbouring values, so they are executed, and counted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tputwin::isa {

// One field of one operation. Forms are equal if everything but the value and the counts is.
struct UnconfirmedForm {
  std::string command;       // "TIU command AR 14 cast"
  std::string_view field;    // as the description calls it; of static storage
  std::string_view meaning;  // what the value is taken for, as a clause; of static storage
  uint64_t value = 0;        // of the first command
  uint32_t first = 0;        // the number of the first command in its stream; 0: not in a stream
  uint32_t commands = 1;     // how many commands have the form
};

// The forms of the streams that were decoded, in the order in which they were met.
class UnconfirmedForms {
 public:
  // Counts the forms of one command.
  void add(const std::vector<UnconfirmedForm>& forms, uint32_t number);
  const std::vector<UnconfirmedForm>& list() const { return list_; }
  bool empty() const { return list_.empty(); }
  // How many commands there are of all forms. A command of two forms counts once.
  uint32_t commands() const { return commands_; }

 private:
  std::vector<UnconfirmedForm> list_;
  uint32_t commands_ = 0;
};

// The warning of a form, errors::isa_stream_unconfirmed, which strict mode makes an error. `place`:
// the net and stage, or empty.
Error unconfirmed_warning(const UnconfirmedForm& form, std::string_view place);
// Books a warning about commands of a model with the calling thread. It is an error in strict mode,
// and where TPUTWIN_STRICT is "forms".
Status report_form(Error warning);
// Books the warnings of all forms with the calling thread, each as often as it has commands.
Status report(const UnconfirmedForms& forms, std::string_view place);
// An error that names the first form; ok if there is none.
Status refuse(const UnconfirmedForms& forms, std::string_view place);

// "3 commands use forms that no recording confirms"
std::string summary(const UnconfirmedForms& forms);
// "2  TIU command AR 14 cast: opd0_const = 1: the constant is converted as an element is"
std::string text(const UnconfirmedForm& form);

}  // namespace tputwin::isa
