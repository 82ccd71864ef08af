/** HTML as a template: what is put in is text unless it is HTML itself. */

/** Markup that needs no more escaping. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

type Content = Html | string | number | undefined | readonly Content[];

/** Tag of templates: `html\`<p>${text}</p>\`` escapes `text`, whatever it holds. */
export function html(parts: TemplateStringsArray, ...contents: Content[]): Html {
  const markup = parts.map((part, index) => part + markupOf(contents[index])).join('');
  return new Html(markup);
}

function markupOf(content: Content): string {
  if (content === undefined) return '';
  if (content instanceof Html) return content.markup;
  if (typeof content === 'object') return content.map(markupOf).join('');
  return String(content).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
