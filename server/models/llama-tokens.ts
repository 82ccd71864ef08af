/** The list of tokens that Moonshine writes in, made from Llama's vocabulary. */

/** Tokens of the model; those after Llama's are placeholders. */
const TOKENS = 32_768;
const LLAMA_TOKENS = 32_000;

/**
 * `tokens.txt` for a module of `llama-tokenizer-js`: a line for each token with its bytes in base64 and
 * its number. The module is read, not run: its vocabulary is one text in base64, a token a line.
 *
 * @throws Error when the vocabulary is not as it should be
 */
export function llamaTokens(module: string): string {
  const [, packed = ''] = /\bllama_vocab_base64 = "([A-Za-z0-9+/=]+)"/.exec(module) ?? [];
  const pieces = Buffer.from(packed, 'base64').toString('utf8').split('\n');
  if (pieces.length !== LLAMA_TOKENS) throw new Error('The vocabulary is not that of Llama');
  const lines = Array.from({ length: TOKENS }, (_, id) => {
    const piece = pieces[id] ?? `<<ST_${id - LLAMA_TOKENS}>>`;
    return `${bytesOf(piece).toString('base64')} ${id}\n`;
  });
  return lines.join('');
}

/** `<0x0A>` stands for a byte, `▁` for a blank. */
function bytesOf(piece: string): Buffer {
  const [, byte] = /^<0x([0-9A-F]{2})>$/.exec(piece) ?? [];
  return byte === undefined ? Buffer.from(piece.replaceAll('▁', ' ')) : Buffer.from(byte, 'hex');
}
