/** Spoken terms as words that a model has just heard, so to speak: it then expects them again. */

/** Whisper looks at the last 224 tokens of a prompt only; terms of rare letters take more than words do. */
const MAX_CHARACTERS = 600;

/** As many of the terms as fit, the first ones first; undefined when there are none. */
export function termsPrompt(terms: readonly string[]): string | undefined {
  let prompt = '';
  for (const term of terms) {
    const clean = term.trim().replace(/\s+/g, ' ');
    if (clean === '') continue;
    const longer = prompt === '' ? clean : `${prompt}, ${clean}`;
    if (longer.length > MAX_CHARACTERS) continue;
    prompt = longer;
  }
  return prompt === '' ? undefined : `${prompt}.`;
}
