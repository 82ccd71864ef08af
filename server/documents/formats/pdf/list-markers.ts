/** What stands before the items of lists. */

/** Also those of the symbol fonts of word processors, in their private places. */
const bullet = /^[•◦▪▫‣⁃●○■□◆◇►▶➢➤✓✔★☆·∙*–—\-\u{F0A7}\u{F0B7}\u{F0D8}\u{F0FC}\u{F076}]$/u;
const number = /^\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)]$/;

/** Whether a word is a sign that items begin with. */
export function isBullet(word: string): boolean {
  return bullet.test(word);
}

/** Whether a word is a bullet or a number of an item: `•`, `1.`, `(a)`. */
export function isListMarker(word: string): boolean {
  return bullet.test(word) || number.test(word);
}
