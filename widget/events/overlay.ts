/**
 * Overlay page: captions over a picture, for streaming software and projectors, set up by address parameters.
 */
import '../room-captions.ts';
import type { RoomCaptionsState } from '../room-words.ts';
import { placeOf } from './room-address.ts';

const boxes = ['lines', 'block', 'none'] as const;
const [vertical, horizontal] = [
  { top: 'start', middle: 'center', bottom: 'end' },
  { left: 'start', center: 'center', right: 'end' },
] as const;

/** Most lines an overlay shows. */
const MOST_LINES = 12;

const place = placeOf(location.href);
const stage = document.querySelector<HTMLElement>('#stage');
const captions = document.querySelector('room-captions');
if (stage === null || captions === null) throw new Error('The page has lost its element.');

/** Returns a parameter as a CSS value of a property, or undefined if it is invalid. */
function styleOf(name: string, property: string): string | undefined {
  const value = place.query.get(name)?.trim() ?? '';
  // Allow bare hex digits for a colour: a `#` would have to be escaped in the address.
  const written = property === 'color' && /^[0-9a-f]{3,8}$/i.test(value) ? `#${value}` : value;
  const isNumber = /^\d+(\.\d+)?$/.test(written);
  const full = isNumber && property !== 'font-weight' ? `${written}px` : written;
  return full !== '' && CSS.supports(property, full) ? full : undefined;
}

function numberOf(name: string, { least, most }: { least: number; most: number }) {
  const number = Number(place.query.get(name) ?? Number.NaN);
  return Number.isFinite(number) ? Math.min(most, Math.max(least, number)) : undefined;
}

const styles: Record<string, string | undefined> = {
  '--vc-font-family': styleOf('font', 'font-family'),
  '--size': styleOf('size', 'font-size'),
  '--weight': styleOf('weight', 'font-weight'),
  '--ink': styleOf('color', 'color'),
  '--paper': styleOf('background', 'color'),
  '--width': styleOf('width', 'width'),
  '--margin': styleOf('margin', 'padding'),
};

// "bottom left", "bottom-left", "top": an axis that is not named keeps its default.
for (const word of (place.query.get('position') ?? '').split(/[\s+-]+/)) {
  if (word in vertical) styles['--vertical'] = vertical[word as keyof typeof vertical];
  if (!(word in horizontal)) continue;
  styles['--horizontal'] = horizontal[word as keyof typeof horizontal];
  styles['--align'] = word;
}
for (const [name, value] of Object.entries(styles)) {
  if (value !== undefined) stage.style.setProperty(name, value);
}
stage.classList.add(boxes.find((box) => box === place.query.get('box')) ?? 'lines');

captions.lines = Math.round(numberOf('lines', { least: 1, most: MOST_LINES }) ?? 2);
captions.calmness = place.query.get('calmness') === 'settled' ? 'settled' : 'instant';
captions.language = place.query.get('language') ?? '';
captions.key = place.key;

/** Silence after which captions are hidden, in ms; 0 keeps them. */
const hideMs = 1_000 * (numberOf('hide', { least: 0, most: 3_600 }) ?? 8);
let silence: ReturnType<typeof setTimeout> | undefined;

function show(): void {
  captions?.classList.remove('silent');
  clearTimeout(silence);
  if (hideMs > 0) silence = setTimeout(() => captions?.classList.add('silent'), hideMs);
}

let isFirst = true;
captions.addEventListener('rc-caption', ({ detail: { lines, tentative } }) => {
  // Lines from before the overlay was opened stay hidden.
  if (isFirst) captions.classList.add('silent');
  else if (lines.length > 0 || tentative !== '') show();
  isFirst = false;
});
// What was said in a room is not shown beyond the room's end, nor to those it no longer admits.
const shutStates: readonly RoomCaptionsState[] = ['locked', 'refused', 'gone'];
captions.addEventListener('rc-statechange', ({ detail: { state } }) => {
  if (shutStates.includes(state)) captions.classList.add('silent');
});
captions.src = place.src;
