/** A translation that is easy to check: known words change, everything else and all tags stay. */
const words: Record<string, string> = {
  ...{ the: 'la', house: 'casa', book: 'libro', river: 'río', city: 'ciudad', table: 'mesa' },
  ...{ friend: 'amigo', door: 'puerta', window: 'ventana', new: 'nueva', old: 'vieja', is: 'es' },
  ...{ are: 'son', and: 'y', number: 'número', good: 'buena', morning: 'mañana', hello: 'hola' },
};

/** Translates word by word from English to pseudo-Spanish; `mark` precedes translated words. */
export function pseudoTranslate(text: string, mark = ''): string {
  return text.replace(/<[^<>]*>|\p{L}+/gu, (piece) => {
    const word = words[piece.toLowerCase()];
    if (word === undefined) return piece;
    const isCapital = /^\p{Lu}/u.test(piece);
    return mark + (isCapital ? word.charAt(0).toUpperCase() + word.slice(1) : word);
  });
}
