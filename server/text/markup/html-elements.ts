/** What the names of HTML elements say about sentences. Names are in lower case. */

const names = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

/** They structure a page: no sentence reaches across their tags. */
export const BLOCKS = names(`
  address article aside audio blockquote body button canvas caption center col colgroup datalist dd
  details dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6
  head header hgroup hr html legend li link main map menu meta nav noframes noscript object ol optgroup
  option p pre search section select summary table tbody td tfoot th thead title tr ul video
  iframe script style template textarea`);

/** They have no content and no end tag. */
export const VOID_ELEMENTS = names(
  'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr',
);

/** How the text before them is read, in a `ruby`: said of the source, and no part of its sentence. */
export const READINGS = names('rp rt rtc');

/**
 * Programs, formulas and fields hold no prose: `code` is a word of its sentence, `textarea` is not.
 * What is for browsers without frames or plug-ins is read by no other as markup.
 */
export const UNTRANSLATED = names(`
  code iframe kbd math noembed noframes plaintext rp rt rtc samp script style svg template textarea
  var xmp`);

/** What they hold is no text, so it is not counted either. */
export const NOT_TEXT = names('iframe noembed noframes script style');

interface ImpliedEnds {
  ends: readonly string[];
  within: readonly string[];
}

const PARAGRAPH: ImpliedEnds = { ends: ['p'], within: ['button', 'object'] };
const TABLE = ['table'];
const RUBY = ['ruby'];
/** They may stand in a paragraph. */
const PARAGRAPH_GOES_ON = names(
  'audio button canvas datalist iframe link map meta noscript object optgroup option script select style template textarea video',
);

/**
 * Elements whose end tag may be left out, ended by the opening of another: opening a key ends the
 * elements of `ends` that are open, but none outside the nearest element of `within`.
 */
export const IMPLIED_ENDS: ReadonlyMap<string, ImpliedEnds> = new Map<string, ImpliedEnds>([
  ...[...BLOCKS]
    .filter((name) => !PARAGRAPH_GOES_ON.has(name))
    .map((name): [string, ImpliedEnds] => [name, PARAGRAPH]),
  ['li', { ends: ['li'], within: ['ul', 'ol', 'menu', 'dir'] }],
  ['dt', { ends: ['dt', 'dd'], within: ['dl'] }],
  ['dd', { ends: ['dt', 'dd'], within: ['dl'] }],
  ['td', { ends: ['td', 'th'], within: TABLE }],
  ['th', { ends: ['td', 'th'], within: TABLE }],
  ['tr', { ends: ['tr'], within: TABLE }],
  ['tbody', { ends: ['thead', 'tbody', 'tfoot'], within: TABLE }],
  ['thead', { ends: ['thead', 'tbody', 'tfoot'], within: TABLE }],
  ['tfoot', { ends: ['thead', 'tbody', 'tfoot'], within: TABLE }],
  ['option', { ends: ['option'], within: ['select', 'datalist'] }],
  ['optgroup', { ends: ['optgroup'], within: ['select'] }],
  ['rb', { ends: ['rb', 'rt', 'rp', 'rtc'], within: RUBY }],
  ['rt', { ends: ['rb', 'rt', 'rp'], within: RUBY }],
  ['rp', { ends: ['rb', 'rt', 'rp'], within: RUBY }],
  ['rtc', { ends: ['rb', 'rt', 'rp', 'rtc'], within: RUBY }],
]);
