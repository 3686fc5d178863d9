// Counts unconfirmed forms of commands, and reports them as warnings.
#include "isa/streams/unconfirmed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/last_error.h"
#include "base/variables.h"
#include "isa/decode_check.h"

namespace tputwin::isa {

void UnconfirmedForms::add(const std::vector<UnconfirmedForm>& forms, uint32_t number) {
  for (const UnconfirmedForm& form : forms) {
    const auto same = std::ranges::find_if(list_, [&](const UnconfirmedForm& known) {
      return known.command == form.command && known.field == form.field &&
             known.meaning == form.meaning;
    });
    if (same != list_.end()) {
      ++same->commands;
      continue;
    }
    list_.push_back(form);
    list_.back().first = number;
  }
  commands_ += !forms.empty();
}

// Warnings are counted by call, so the call includes the field.
Error unconfirmed_warning(const UnconfirmedForm& form, std::string_view place) {
  const std::string first = form.first != 0 ? fmt::format(", the first is {}", form.first) : "";
  return field_error(errors::isa_stream_unconfirmed, form.field, form.value)
      .in(fmt::format("{}{}{} with its {}", place, place.empty() ? "" : ", ", form.command,
                      form.field))
      .detail(fmt::format("here {}; {} {}{}", form.meaning, form.commands,
                          form.commands == 1 ? "command" : "commands", first));
}

Status report_form(Error warning) {
  const bool is_strict = value_of(EnvVariable::strict) == "forms";
  if (!is_strict) return tputwin::report(std::move(warning));
  Diagnostics strict(/*strict=*/true);
  return tputwin::report(strict, std::move(warning));
}

Status report(const UnconfirmedForms& forms, std::string_view place) {
  for (const UnconfirmedForm& form : forms.list()) {
    const Error warning = unconfirmed_warning(form, place);
    TW_RETURN_IF_ERROR(report_form(warning));
    if (form.commands > 1) thread_diagnostics().add({{warning, form.commands - 1}});
  }
  return {};
}

Status refuse(const UnconfirmedForms& forms, std::string_view place) {
  if (forms.empty()) return {};
  return unconfirmed_warning(forms.list().front(), place);
}

std::string summary(const UnconfirmedForms& forms) {
  return fmt::format("{} {} forms that no recording confirms", forms.commands(),
                     forms.commands() == 1 ? "command uses" : "commands use");
}

std::string text(const UnconfirmedForm& form) {
  const std::string value =
      form.value < 4096 ? fmt::format("{}", form.value) : fmt::format("{:#x}", form.value);
  return fmt::format("{:>6}  {}: {} = {}: {}", form.commands, form.command, form.field, value,
                     form.meaning);
}

}  // namespace tputwin::isa
