/** Audio output of test pages: what would reach the loudspeakers, frame by frame. */
import type { Page } from 'playwright-core';
import { calm, newContext } from '../support/machine/chromium.ts';
import { recordElement, type WidgetBench } from './browser.ts';

/** A few ms of sound. */
export interface HeardFrame {
  /** Time of the frame, in ms since 1970. */
  atMs: number;
  lengthMs: number;
  /** Root mean square, 0 to 1. */
  loudness: number;
}

/** Loudness below which a frame is silent, even for lowered speech. */
const SILENCE = 0.01;

/** The audio worklet, served by the bench because the pages' policy permits no other source. */
export const earScript = `registerProcessor('ear', class extends AudioWorkletProcessor {
  squares = 0;
  count = 0;
  process([[samples = []] = []]) {
    for (const sample of samples) this.squares += sample * sample;
    this.count += samples.length;
    if (this.count < 1024) return true;
    const loudness = Math.sqrt(this.squares / this.count);
    this.port.postMessage({ atMs: Date.now(), lengthMs: (this.count / sampleRate) * 1000, loudness });
    this.squares = this.count = 0;
    return true;
  }
});`;

/** Opens a page whose audio is recorded in `heard`, and its speech events in `told`. */
export async function listen(
  bench: WidgetBench,
  target: string,
  { isOpen = true } = {},
): Promise<Page> {
  const context = await newContext(bench.browser, calm);
  const page = await context.newPage();
  page.on('pageerror', ({ message }) => bench.pageErrors.push(message));
  await page.addInitScript(installEars);
  await recordElement(page);
  await page.goto(new URL(target, bench.gateway.origin).href);
  if (isOpen) await page.waitForFunction(() => customElements.get('voice-captions') !== undefined);
  return page;
}

/** Returns the duration of audible frames, in ms. */
export function heardMs(frames: readonly HeardFrame[]): number {
  return frames.reduce(
    (sum, { loudness, lengthMs }) => sum + (loudness > SILENCE ? lengthMs : 0),
    0,
  );
}

/** Returns the greatest loudness of the frames. */
export function loudest(frames: readonly HeardFrame[]): number {
  return Math.max(0, ...frames.map(({ loudness }) => loudness));
}

/** Runs in the page before its own scripts. */
function installEars(): void {
  const heard: HeardFrame[] = [];
  const told: object[] = [];
  Object.assign(globalThis, { heard, told });
  const connect = Reflect.get(AudioNode.prototype, 'connect') as (node: AudioNode) => AudioNode;
  AudioNode.prototype.connect = function (this: AudioNode, to: AudioNode) {
    if (to instanceof AudioDestinationNode) connect.call(this, earOf(to.context as AudioContext));
    return connect.call(this, to);
  } as typeof AudioNode.prototype.connect;

  const ears = new Map<AudioContext, AudioNode>();
  function earOf(context: AudioContext): AudioNode {
    const ear = ears.get(context) ?? context.createGain();
    if (!ears.has(context)) void openEar(context, ear);
    ears.set(context, ear);
    return ear;
  }
  async function openEar(context: AudioContext, ear: AudioNode): Promise<void> {
    await context.audioWorklet.addModule('/ear.js');
    const meter = new AudioWorkletNode(context, 'ear');
    meter.port.onmessage = ({ data }: MessageEvent<HeardFrame>) => heard.push(data);
    connect.call(ear, meter);
    // An unconnected node would not be processed; its own output is silent.
    connect.call(meter, context.destination);
  }

  const routes = new WeakMap<HTMLMediaElement, AudioContext>();
  const play: () => Promise<void> = Reflect.get(HTMLMediaElement.prototype, 'play');
  HTMLMediaElement.prototype.play = function () {
    const context = routes.get(this) ?? new AudioContext();
    if (!routes.has(this)) context.createMediaElementSource(this).connect(context.destination);
    routes.set(this, context);
    void context.resume();
    return play.call(this);
  };

  const markedIn = (root: ShadowRoot) =>
    [...root.querySelectorAll('.caption.spoken')].map(({ textContent }) => textContent.trim());
  let watcher: MutationObserver | undefined;
  addEventListener('vc-speech', (event) => {
    const captions = event.target as HTMLElement & { updateComplete: Promise<boolean> };
    void captions.updateComplete.then(() => {
      const root = captions.shadowRoot!;
      const entry = { ...(event as CustomEvent<object>).detail, marked: markedIn(root) };
      told.push(entry);
      // A busy page marks it a little later.
      watcher?.disconnect();
      watcher = new MutationObserver(() => {
        if (entry.marked.length === 0) entry.marked = markedIn(root);
      });
      watcher.observe(root, { subtree: true, childList: true, attributes: true });
    });
  });
}
