// The function that the harness requires of the SDK under test: it decodes and runs one command of
// an engine, like those of a bmodel.
#include <cstdio>

#include "isa/streams/stream.h"
#include "machine/command_group.h"
#include "raw_commands.h"
#include "sdk/okkernel/session.h"

extern "C" bool conf_execute_command(int engine, const void *command) {
    using namespace tputwin;
    Device &device = okk::current_session()->device();
    const std::span bytes(static_cast<const uint8_t *>(command), conf::RAW_BYTES);
    auto one = engine == 0 ? isa::decode_tiu_command(bytes, device.chip()) : isa::decode_gdma_command(bytes, device.chip());
    if (!one.ok()) {
        fprintf(stderr, "%s\n", one.error().message().c_str());
        return false;
    }
    one->instruction.id = 1;  // the commands it waits for have run
    one->instruction.wait = 0;
    const Status status = run_command_group(device, {&one->instruction, 1});
    if (!status.ok()) fprintf(stderr, "%s\n", status.message().c_str());
    return status.ok();
}
