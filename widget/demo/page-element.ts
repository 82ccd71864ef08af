/** Returns the page's element with this id. @throws Error if the page has no such element of this kind */
export function element<Kind extends HTMLElement>(
  id: string,
  kind: abstract new () => Kind = HTMLElement as never,
): Kind {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`The page has no #${id}.`);
}
