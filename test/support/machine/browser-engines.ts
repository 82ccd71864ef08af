/**
 * Drives Debian's Firefox and WebKit through one interface: WebDriver BiDi over Firefox's own socket, and
 * WebDriver over HTTP for WebKitWebDriver.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { findProgram } from '../../../server/setup/command.mjs';
import { freePort } from '../../../server/setup/cluster/local-services.mjs';

/** One window of a browser. */
export interface DrivenPage {
  open(url: string): Promise<void>;
  /** Runs a function in the page and awaits its result. Arguments and result are passed as JSON. */
  evaluate<Args extends unknown[], Result>(
    script: (...args: Args) => Result,
    ...args: Args
  ): Promise<Awaited<Result>>;
  /** Clicks the centre of the element that a function finds, with the left mouse button. */
  click(find: () => Element): Promise<void>;
  /** Ends the browser and everything that was started for it. */
  close(): Promise<void>;
}

/** Operations of each protocol. */
interface Protocol {
  navigate(url: string): Promise<unknown>;
  /** Calls a function that resolves with a string. */
  call(declaration: string): Promise<string>;
  /** Presses and releases the left mouse button at a point of the window. */
  press(x: number, y: number): Promise<unknown>;
  end(): Promise<void>;
}

/** Firefox preferences: the fake microphone is a tone of 440 Hz, and is always allowed. */
const firefoxPreferences = {
  'media.navigator.streams.fake': true,
  'media.navigator.permission.disabled': true,
  'app.normandy.enabled': false,
  'app.update.disabledForTesting': true,
  'browser.newtab.preload': false,
  'browser.newtabpage.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.page': 0,
  'datareporting.policy.dataSubmissionEnabled': false,
  'dom.ipc.processPrelaunch.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,#remote-settings-dummy/v1',
  'toolkit.telemetry.reportingpolicy.firstRun': false,
  // A moving element uses as much processor time as the rest of a page.
  'ui.prefersReducedMotion': 1,
};

/** Returns why Firefox cannot be driven here; undefined if it can. */
export function firefoxIsMissing(): string | undefined {
  return findProgram('firefox-esr') ? undefined : 'firefox-esr is not installed';
}

/** Returns why no sound device can be opened here; undefined if one can. */
export function soundDeviceIsMissing(): string | undefined {
  return findProgram('pulseaudio') ? undefined : 'pulseaudio is not installed';
}

/** Returns why WebKit cannot be driven here; undefined if it can. */
export function webkitIsMissing(): string | undefined {
  const missing = ['WebKitWebDriver', 'Xvfb'].filter((name) => findProgram(name) === undefined);
  if (findMiniBrowser() === undefined) missing.push('MiniBrowser');
  return missing.length === 0 ? undefined : `${missing.join(', ')} is not installed`;
}

/**
 * Starts Firefox without a window.
 *
 * @param env added to its environment, such as the address of a sound device
 */
export async function driveFirefox(env: NodeJS.ProcessEnv = {}): Promise<DrivenPage> {
  const programs = startedPrograms(env);
  const profile = programs.folder('profile');
  const lines = Object.entries(firefoxPreferences).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
  );
  writeFileSync(path.join(profile, 'user.js'), lines.join(''));
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port=0'];
  const firefox = programs.start('firefox-esr', args);
  const [, address = ''] = await firstMatch(firefox, 'stderr', /BiDi listening on (ws:\S+)/);
  const send = await bidiSession(`${address}/session`);
  await send('session.new', { capabilities: {} });
  const { contexts } = (await send('browsingContext.getTree', {})) as { contexts: Context[] };
  const { context } = contexts[0]!;
  return drivenPage({
    navigate: (url) => send('browsingContext.navigate', { context, url, wait: 'complete' }),
    call: async (functionDeclaration) => {
      const call = { functionDeclaration, awaitPromise: true, target: { context } };
      const answer = (await send('script.callFunction', call)) as CallAnswer;
      if (answer.type === 'success') return answer.result.value;
      throw new Error(answer.exceptionDetails.text);
    },
    press: (x, y) => send('input.performActions', { context, actions: mousePress(x, y) }),
    end: () => programs.end(),
  });
}

interface Context {
  context: string;
}

type CallAnswer =
  | { type: 'success'; result: { value: string } }
  | { type: 'exception'; exceptionDetails: { text: string } };

/** Starts WebKitGTK's MiniBrowser on a display of its own, with a fake microphone that beeps. */
export async function driveWebkit(env: NodeJS.ProcessEnv = {}): Promise<DrivenPage> {
  const programs = startedPrograms(env);
  const screen = ['-screen', '0', '1280x1024x24', '-nolisten', 'tcp', '-displayfd', '1'];
  const [display] = await firstMatch(programs.start('Xvfb', screen), 'stdout', /^\d+$/);
  const port = await freePort();
  programs.start('WebKitWebDriver', [`--port=${port}`], {
    DISPLAY: `:${display}`,
    // Keeps the browser away from the machine's own desktop session.
    DBUS_SESSION_BUS_ADDRESS: 'disabled:',
    // Painting for a graphics card that does not exist costs three times as much.
    WEBKIT_DISABLE_COMPOSITING_MODE: '1',
    WEBKIT_SKIA_ENABLE_CPU_RENDERING: '1',
    XDG_CACHE_HOME: programs.folder('cache'),
    XDG_CONFIG_HOME: withoutMotion(programs.folder('config')),
    XDG_DATA_HOME: programs.folder('data'),
  });
  const driver = `http://127.0.0.1:${port}`;
  const answers = () =>
    fetch(`${driver}/status`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(answers, 'WebKitWebDriver does not answer');
  const args = ['--enable-media-stream=true', '--enable-mock-capture-devices=true'];
  const browserOptions = { binary: findMiniBrowser(), args: ['--automation', ...args] };
  const alwaysMatch = {
    browserName: 'MiniBrowser',
    'webkitgtk:browserOptions': browserOptions,
  };
  const made = await post(`${driver}/session`, { capabilities: { alwaysMatch } });
  const session = `${driver}/session/${(made as { sessionId: string }).sessionId}`;
  return drivenPage({
    navigate: (url) => post(`${session}/url`, { url }),
    call: async (declaration) => {
      const script = `return (${declaration})()`;
      return (await post(`${session}/execute/sync`, { script, args: [] })) as string;
    },
    press: (x, y) => post(`${session}/actions`, { actions: mousePress(x, y) }),
    end: async () => {
      await fetch(session, { method: 'DELETE' }).catch(() => undefined);
      await programs.end();
    },
  });
}

/** Makes pages move less, as for Firefox; returns the folder of settings. */
function withoutMotion(folder: string): string {
  mkdirSync(path.join(folder, 'gtk-3.0'));
  const settings = '[Settings]\ngtk-enable-animations=false\n';
  writeFileSync(path.join(folder, 'gtk-3.0/settings.ini'), settings);
  return folder;
}

/**
 * Opens a silent sound device for browsers that need one; `env` directs programs to it.
 *
 * @throws Error if PulseAudio does not start
 */
export async function openSoundDevice(): Promise<{
  env: NodeJS.ProcessEnv;
  close: () => Promise<void>;
}> {
  const programs = startedPrograms({});
  const socket = path.join(programs.folder('pulse'), 'native');
  const modules = [
    'module-null-sink',
    `module-native-protocol-unix socket=${socket} auth-anonymous=1`,
  ];
  const load = modules.map((module) => `--load=${module}`);
  const daemon = ['-n', '--daemonize=no', '--exit-idle-time=-1', '--use-pid-file=no', ...load];
  programs.start('pulseaudio', daemon);
  await until(() => existsSync(socket), 'PulseAudio does not answer');
  return { env: { PULSE_SERVER: `unix:${socket}` }, close: () => programs.end() };
}

function drivenPage(protocol: Protocol): DrivenPage {
  const page: DrivenPage = {
    open: async (url) => {
      await protocol.navigate(url);
    },
    evaluate: async (script, ...args) => {
      const call = `(${script.toString()})(...${JSON.stringify(args)})`;
      // Undefined has no JSON representation.
      const result = await protocol.call(
        `async () => JSON.stringify([await ${call}].map((value) => value ?? null))`,
      );
      return (JSON.parse(result) as [never])[0];
    },
    click: async (find) => {
      const centre = await protocol.call(`async () => {
        const element = (${find.toString()})();
        element.scrollIntoView({ block: 'center', behavior: 'instant' });
        const { x, y, width, height } = element.getBoundingClientRect();
        return JSON.stringify({ x: Math.round(x + width / 2), y: Math.round(y + height / 2) });
      }`);
      const { x, y } = JSON.parse(centre) as { x: number; y: number };
      await protocol.press(x, y);
    },
    close: () => protocol.end(),
  };
  return page;
}

/** Returns the pointer actions, which both kinds of WebDriver accept. */
function mousePress(x: number, y: number): object[] {
  const actions = [
    { type: 'pointerMove', x, y, origin: 'viewport', duration: 0 },
    { type: 'pointerDown', button: 0 },
    { type: 'pointerUp', button: 0 },
  ];
  return [{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }];
}

/** Opens a WebDriver BiDi socket. Returns a function that sends a command and awaits its result. */
async function bidiSession(url: string) {
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const waiting = new Map<number, (answer: BidiAnswer) => void>();
  socket.on('message', (frame: Buffer) => {
    const answer = JSON.parse(frame.toString()) as BidiAnswer;
    waiting.get(answer.id)?.(answer);
  });
  let id = 0;
  return async (method: string, params: object): Promise<unknown> => {
    id++;
    socket.send(JSON.stringify({ id, method, params }));
    const answer = await new Promise<BidiAnswer>((resolve) => waiting.set(id, resolve));
    if (answer.type === 'error') throw new Error(`${method}: ${answer.message}`);
    return answer.result;
  };
}

type BidiAnswer =
  | { id: number; type: 'success'; result: unknown }
  | { id: number; type: 'error'; message: string };

async function post(url: string, body: object): Promise<unknown> {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  const { value } = (await answer.json()) as { value: unknown };
  if (!answer.ok) throw new Error(`${url}: ${(value as { message: string }).message}`);
  return value;
}

async function until(isSo: () => boolean | Promise<boolean>, otherwise: string): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (await isSo()) return;
    await delay(100);
  }
  throw new Error(otherwise);
}

/** Becomes the program, and kills its whole process group when the parent's end of the input closes. */
const GUARDED =
  'exec 3<&0; (read -r _; kill -KILL 0) <&3 >/dev/null 2>&1 & exec "$@" </dev/null 3<&-';

/** Starts programs that end together, with a common folder for their files. */
function startedPrograms(env: NodeJS.ProcessEnv) {
  const root = mkdtempSync(path.join(tmpdir(), 'dragoman-browser-'));
  const children: ChildProcess[] = [];
  const end = async (): Promise<void> => {
    await Promise.all(children.reverse().map(ended));
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  };
  return {
    folder(name: string): string {
      const folder = path.join(root, name);
      mkdirSync(folder);
      return folder;
    },
    start(program: string, args: string[], more: NodeJS.ProcessEnv = {}): ChildProcess {
      const child = spawn('sh', ['-c', GUARDED, 'sh', program, ...args], {
        // A group of its own, so that all processes of a browser end together.
        detached: true,
        env: { ...process.env, HOME: root, ...env, ...more },
      });
      children.push(child);
      child.stdout.resume();
      child.stderr.resume();
      return child;
    },
    end,
  };
}

/** Kills a program together with everything it started. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return;
  const isOver = new Promise((resolve) => child.once('exit', resolve));
  const isRunning = child.exitCode === null && child.signalCode === null;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    return; // The group has no process left.
  }
  if (isRunning) await isOver;
}

/** Resolves with the first line of a program's output that matches. */
async function firstMatch(
  child: ChildProcess,
  output: 'stdout' | 'stderr',
  pattern: RegExp,
): Promise<RegExpExecArray> {
  for await (const line of createInterface({ input: child[output]! })) {
    const match = pattern.exec(line);
    if (match === null) continue;
    child[output]!.resume();
    return match;
  }
  throw new Error(`${child.spawnargs[4]} ended before it was ready`);
}

function findMiniBrowser(): string | undefined {
  const libraries = '/usr/lib';
  return readdirSync(libraries)
    .map((folder) => path.join(libraries, folder, 'webkit2gtk-4.1/MiniBrowser'))
    .find((file) => existsSync(file));
}
