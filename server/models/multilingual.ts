/** Languages of models that hear many. */

/** Base languages by family: what their authors list, as far as we know their codes. */
export const multilingual = {
  /** Whisper's tokenizer. */
  whisper: words(`
    af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha he hi hr
    ht hu hy id is it ja ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no oc
    pa pl ps pt ro ru sa sd si sk sl sn so sq sr su sv sw ta te tg th tk tl tr tt uk ur uz vi yi yo
    yue zh`),
  /** Twenty-five languages of Europe. */
  european: words(`bg hr cs da nl en et fi fr de el hu it lv lt mt pl pt ro sk sl es sv ru uk`),
  /** Nemotron 3.5: these and several of Asia and the Middle East. */
  nemotron: words(`
    ar bg cs da de el en es et fi fr he hi hr hu it ja ko lt lv mt nb nl nn pl pt ro ru sk sl sv th
    tr uk vi zh`),
} as const;

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
