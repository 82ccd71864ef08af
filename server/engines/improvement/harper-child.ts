/** The child process that runs Harper: its WebAssembly is slow and may crash on a text. */
import { setImmediate } from 'node:timers/promises';
import { Dialect, LocalLinter, SuggestionKind, type Lint as HarperLint } from 'harper.js';
import { slimBinary } from 'harper.js/slimBinary';
import { type ReadyNotice, serveAsWorker } from '../../process/index.ts';
import {
  type HarperAnswer,
  type HarperMessage,
  type HarperRequest,
  harperRules,
  type Lint,
} from './harper-protocol.ts';

const suggestionKinds = {
  [SuggestionKind.Replace]: 'replace',
  [SuggestionKind.Remove]: 'remove',
  [SuggestionKind.InsertAfter]: 'insert-after',
} as const;

/** The linters share a dictionary, so the second one adds little time or memory. */
const linters = {
  'en-GB': new LocalLinter({ binary: slimBinary }),
  'en-US': new LocalLinter({ binary: slimBinary }),
} as const;
const port = serveAsWorker<HarperMessage, HarperAnswer | ReadyNotice>();
/** Requests that have not been abandoned. */
const wanted = new Set<number>();
/** Tail of the queue: one text is processed at a time. */
let work = prepare().then(() => port.postMessage({ kind: 'ready' }));

port.on('message', (message) => {
  const { streamId } = message;
  if (message.kind === 'free') {
    wanted.delete(streamId);
    return;
  }
  wanted.add(streamId);
  work = work.then(async () => {
    const lints: Lint[][] = [];
    const hasFailed = await lintAll(message, lints).then(
      () => false,
      () => true,
    );
    wanted.delete(streamId);
    port.postMessage({ streamId, lints, hasFailed });
  });
});

async function prepare(): Promise<void> {
  await prepareOne(linters['en-GB'], Dialect.British);
  await prepareOne(linters['en-US'], Dialect.American);
}

async function prepareOne(linter: LocalLinter, dialect: Dialect): Promise<void> {
  await linter.setup();
  await linter.setDialect(dialect);
  // A new dialect enables all rules again.
  const config = await linter.getLintConfig();
  for (const name of Object.keys(config)) config[name] = harperRules.has(name);
  await linter.setLintConfig(config);
}

/** Appends the lints of each text, until Harper fails or the request is abandoned. */
async function lintAll({ streamId, texts, variant }: HarperRequest, all: Lint[][]): Promise<void> {
  const other = variant === 'en-GB' ? 'en-US' : 'en-GB';
  for (const text of texts) {
    // Yields: an abandonment can be received only while nothing is computed.
    await setImmediate();
    if (!wanted.has(streamId)) return;
    const lints = await lint(linters[variant], text);
    // Spellings that are correct in the other country are no mistakes: `kerb`, `dreamt`, `maths`.
    const others = lints.length === 0 ? [] : await lint(linters[other], text);
    const mistakes = new Set(others.map((each) => placeOf(each)));
    all.push(lints.filter((each) => mistakes.has(placeOf(each))));
  }
}

/** Blanks of typography, which Harper takes for signs, so that it sees no words around them. */
const OTHER_BLANK = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;

async function lint(linter: LocalLinter, text: string): Promise<Lint[]> {
  const lints = await linter.lint(text.replace(OTHER_BLANK, ' '), { language: 'plaintext' });
  return lints.map((each) => plain(each));
}

function placeOf({ start, end, kind }: Lint): string {
  return `${start} ${end} ${kind}`;
}

/** Copies a lint and frees the original, which is allocated in WebAssembly memory. */
function plain(lint: HarperLint): Lint {
  const span = lint.span();
  const suggestions = lint.suggestions().map((suggestion) => {
    const kind = suggestionKinds[suggestion.kind()];
    const text = suggestion.get_replacement_text();
    suggestion.free();
    return { kind, text };
  });
  const copy = { start: span.start, end: span.end, kind: lint.lint_kind(), suggestions };
  span.free();
  lint.free();
  return copy;
}
