import type { VoiceCaptions } from '../voice-captions.ts';

/** Labels while the sample takes the place of a voice, and until a voice takes its place again. */
const sampleLabels = {
  states: {
    connecting: { title: 'Connecting…', hint: 'The sample begins at once.' },
    live: { title: 'Listening to the sample', hint: 'It takes the same path as your voice.' },
    ended: { title: 'Ended', hint: 'The sample is over. Now try your own voice.' },
  },
};

/** Plays the sample aloud and through the element, for people who have no microphone at hand. */
export function sampleButton({
  captions,
  button,
  note,
  isAvailable,
}: {
  captions: VoiceCaptions;
  button: HTMLButtonElement;
  note: HTMLElement;
  isAvailable: boolean;
}): void {
  button.disabled = !isAvailable;
  if (!isAvailable) {
    note.textContent = 'There is no sample here: this server has no voice to speak one.';
    return;
  }
  captions.addEventListener('vc-statechange', ({ detail }) => {
    if (detail.state === 'requesting-microphone') captions.labels = {};
  });
  let loading: Promise<Blob> | undefined;
  const load = () => (loading ??= fetchSample());
  const forget = (): void => (loading = undefined);
  // Loaded before the click, so that the sound begins while the click still allows it.
  for (const hint of ['pointerenter', 'focus']) {
    button.addEventListener(hint, () => void load().catch(forget), { once: true });
  }
  button.addEventListener('click', () => {
    button.disabled = true;
    load()
      .then((sample) => play(captions, sample))
      .catch(() => {
        forget();
        note.textContent = 'The sample could not be loaded. Please try again.';
      })
      .finally(() => (button.disabled = false));
  });
}

async function fetchSample(): Promise<Blob> {
  const response = await fetch('/demo/sample.wav');
  if (!response.ok) throw new Error(`The sample was answered with ${response.status}.`);
  return response.blob();
}

/** Resolves when the sample has been heard to its end, or was stopped. */
async function play(captions: VoiceCaptions, sample: Blob): Promise<void> {
  await captions.stop();
  captions.source = sample;
  captions.audible = true;
  captions.labels = sampleLabels;
  const ended = new Promise((resolve) =>
    captions.addEventListener('vc-end', resolve, { once: true }),
  );
  captions.start();
  await ended;
  captions.source = 'microphone';
  captions.audible = false;
}
