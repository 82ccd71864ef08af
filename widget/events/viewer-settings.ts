/** Returns the sheet in which a reader chooses how captions look. */
import { html, nothing, type TemplateResult } from 'lit';
import { FONT_SCALE, themes, type ReaderChoices, type Theme } from './reader-choices.ts';
import type { ScreenLockState } from './screen-lock.ts';
import { installIcon, largerIcon, smallerIcon } from './viewer-icons.ts';
import type { ViewerWords } from './viewer-words.ts';

export function settingsView({
  words,
  choices,
  lock,
  canInstall,
  onChange,
  onInstall,
}: {
  words: ViewerWords;
  choices: ReaderChoices;
  lock: ScreenLockState;
  canInstall: boolean;
  onChange: (changes: Partial<ReaderChoices>) => void;
  onInstall: () => void;
}): TemplateResult {
  const themeNames: Record<Theme, string> = {
    automatic: words.automatic,
    light: words.light,
    dark: words.dark,
    strong: words.strong,
  };
  return html`<dialog class="sheet" aria-labelledby="settings-title" @click=${closeOutside}>
    <form method="dialog">
      <header>
        <h2 id="settings-title">${words.settings}</h2>
        <button class="plain">${words.close}</button>
      </header>
      ${sizeView(words, choices.fontScale, (fontScale) => onChange({ fontScale }))}
      ${radios({
        name: 'theme',
        legend: words.appearance,
        options: themes.map((theme) => ({ value: theme, label: themeNames[theme] })),
        chosen: choices.theme,
        onChoose: (theme) => onChange({ theme: theme as Theme }),
      })}
      ${radios({
        name: 'calmness',
        legend: words.pace,
        options: [
          { value: 'instant', label: words.instant },
          { value: 'settled', label: words.settled },
        ],
        chosen: choices.calmness,
        hint: choices.calmness === 'instant' ? words.instantHint : words.settledHint,
        onChoose: (calmness) =>
          onChange({ calmness: calmness === 'settled' ? 'settled' : 'instant' }),
      })}
      ${awakeView(words, { keepAwake: choices.keepAwake, lock, onChange })}
      ${
        canInstall
          ? html`<button type="button" class="wide" @click=${onInstall}>
              ${installIcon}${words.install}
            </button>`
          : nothing
      }
    </form>
  </dialog>`;
}

function sizeView(
  words: ViewerWords,
  fontScale: number,
  onChoose: (fontScale: number) => void,
): TemplateResult {
  const { least, most, step } = FONT_SCALE;
  // The buttons use aria-disabled: a disabled button loses the focus and the keyboard's position.
  const by = (steps: number) => () =>
    onChoose(Math.min(most, Math.max(least, fontScale + steps * step)));
  return html`<fieldset>
    <legend>${words.textSize}</legend>
    <div class="size">
      <button
        type="button"
        class="round"
        aria-label=${words.smaller}
        aria-disabled=${fontScale <= least}
        @click=${by(-1)}
      >
        ${smallerIcon}
      </button>
      <input
        type="range"
        aria-label=${words.textSize}
        aria-valuetext="${Math.round(fontScale * 100)} %"
        min=${least}
        max=${most}
        step=${step}
        .value=${String(fontScale)}
        @input=${({ target }: Event) => onChoose(Number((target as HTMLInputElement).value))}
      />
      <button
        type="button"
        class="round"
        aria-label=${words.larger}
        aria-disabled=${fontScale >= most}
        @click=${by(1)}
      >
        ${largerIcon}
      </button>
    </div>
  </fieldset>`;
}

/** Switch that keeps the screen on, with the actual state of the screen lock. */
function awakeView(
  words: ViewerWords,
  {
    keepAwake,
    lock,
    onChange,
  }: {
    keepAwake: boolean;
    lock: ScreenLockState;
    onChange: (changes: Partial<ReaderChoices>) => void;
  },
): TemplateResult {
  return html`<div class="row">
    <label class="switch">
      <span>${words.keepAwake}</span>
      <input
        type="checkbox"
        role="switch"
        aria-describedby="awake-state"
        .checked=${keepAwake && lock !== 'unsupported'}
        ?disabled=${lock === 'unsupported'}
        @change=${({ target }: Event) =>
          onChange({ keepAwake: (target as HTMLInputElement).checked })}
      />
    </label>
    <p class="hint" id="awake-state">${words.awake[lock]}</p>
  </div>`;
}

function radios({
  name,
  legend,
  options,
  chosen,
  hint,
  onChoose,
}: {
  name: string;
  legend: string;
  options: readonly { value: string; label: string }[];
  chosen: string;
  hint?: string;
  onChoose: (value: string) => void;
}): TemplateResult {
  return html`<fieldset>
    <legend>${legend}</legend>
    <div class="segments">
      ${options.map(
        ({ value, label }) =>
          html`<label>
            <input
              type="radio"
              name=${name}
              .checked=${value === chosen}
              @change=${() => onChoose(value)}
            />
            <span>${label}</span>
          </label>`,
      )}
    </div>
    ${hint === undefined ? nothing : html`<p class="hint">${hint}</p>`}
  </fieldset>`;
}

/** Closes the sheet on a tap outside it. */
function closeOutside({ target, currentTarget }: Event): void {
  if (target === currentTarget) (currentTarget as HTMLDialogElement).close();
}
