/** The element of the page with an id. @throws Error when the page has none of the kind */
export function element<Kind extends HTMLElement>(
  id: string,
  kind: abstract new () => Kind = HTMLElement as never,
): Kind {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`The page has no #${id}.`);
}
