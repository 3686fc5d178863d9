// Tests tputwin debug --dap with VS Code's test client. TPUTWIN is the path of the command, BLEND
// that of build/bin/debug_blend.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const { TPUTWIN, BLEND } = process.env;
const options = { timeout: 60000, skip: TPUTWIN && BLEND ? false : "TPUTWIN and BLEND name no programs" };
const here = dirname(fileURLToPath(import.meta.url));
const source = join(here, "../../tests/debug/host/blend.c");
const LOAD_B = 18, ADD = 19; // line numbers of blend.c
const PORT = 47117; // a port of this host
const thread = { threadId: 1 };

async function client(t) {
  const { DebugClient } = await import("@vscode/debugadapter-testsupport");
  const made = new DebugClient("sh", join(here, "adapter.sh"), "tputwin", { env: { ...process.env, TPUTWIN_CHIP: "BM1684" } });
  // stop() would send a second disconnect. If the adapter has ended, that raises an uncaught error
  // (broken pipe).
  t.after(() => made.stopAdapter());
  made.defaultTimeout = 20000;
  return made;
}

const topLine = async (dc) => (await dc.stackTraceRequest(thread)).body.stackFrames[0].line;

// Sends the requests that VS Code sends after launch or attach.
async function configured(dc, start) {
  const [, started] = await Promise.all([
    dc.waitForEvent("initialized").then(async () => {
      const { body } = await dc.setBreakpointsRequest({ source: { path: source }, breakpoints: [{ line: ADD }], lines: [ADD] });
      assert.deepEqual(body.breakpoints.map(({ verified, line }) => [verified, line]), [[true, ADD]]);
      await dc.setExceptionBreakpointsRequest({ filters: [] });
      return dc.configurationDoneRequest();
    }),
    dc.initializeRequest().then(({ body }) => {
      assert.ok(body.supportsStepBack && body.supportsReadMemoryRequest);
      return start();
    }),
    dc.waitForEvent("stopped"),
  ]);
  return started;
}

test("launches, stops, looks, goes back, reads memory and leaves", options, async (t) => {
  const dc = await client(t);
  await dc.start();
  await configured(dc, () => dc.launchRequest({ program: BLEND }));
  assert.equal(await topLine(dc), ADD);
  assert.deepEqual((await dc.threadsRequest()).body.threads.map(({ id }) => id), [1]);

  const { scopes } = (await dc.scopesRequest({ frameId: 1 })).body;
  const { variables } = (await dc.variablesRequest({ variablesReference: scopes[0].variablesReference })).body;
  const a = variables.find(({ name }) => name === "src0_addr");
  assert.equal(a.type, "f32(1,2,8,8)@L+0x0 stride(0,0,8,1)");
  assert.ok((await dc.variablesRequest({ variablesReference: a.variablesReference })).body.variables.length > 8);
  const hovered = await dc.evaluateRequest({ expression: "src1_addr", context: "hover" });
  assert.match(hovered.body.result, /1000/);

  const memory = (await dc.customRequest("readMemory", { memoryReference: a.memoryReference, offset: 0, count: 16 })).body;
  const bytes = Buffer.from(memory.data, "base64");
  assert.deepEqual([0, 4, 8, 12].map((at) => bytes.readFloatLE(at)), [0, 1, 2, 3]);
  assert.equal(memory.unreadableBytes, 0);
  const beyond = (await dc.customRequest("readMemory", { memoryReference: "L+0x0", offset: -1, count: 4 })).body;
  assert.equal(beyond.unreadableBytes, 4);

  await Promise.all([dc.stepBackRequest(thread), dc.waitForEvent("stopped")]);
  assert.equal(await topLine(dc), LOAD_B);
  await Promise.all([dc.reverseContinueRequest(thread), dc.waitForEvent("stopped")]);
  await Promise.all([dc.continueRequest(thread), dc.waitForEvent("stopped")]);
  assert.equal(await topLine(dc), ADD);
  await dc.setBreakpointsRequest({ source: { path: source }, breakpoints: [] });
  await Promise.all([dc.continueRequest(thread), dc.waitForEvent("stopped")]); // the device is closed
  await Promise.all([dc.continueRequest(thread), dc.waitForEvent("exited"), dc.waitForEvent("terminated")]);
  await dc.disconnectRequest();
});

test("attaches at a port to the program of the command line", options, async (t) => {
  const server = spawn(TPUTWIN, ["debug", "--dap", "--port", `${PORT}`, "--", BLEND], {
    env: { ...process.env, TPUTWIN_CHIP: "BM1684" }, stdio: ["ignore", "ignore", "pipe"],
  });
  t.after(() => server.kill());
  await once(server.stderr, "data"); // the server waits for an editor
  const dc = await client(t);
  await dc.start(PORT);
  await configured(dc, () => dc.attachRequest({}));
  assert.equal(await topLine(dc), ADD);
  await dc.disconnectRequest();
  await once(server, "exit");
});
