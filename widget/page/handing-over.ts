/** Hands text and files to the user: through the clipboard, or as a download. */

/** Copies text; call it from a click. Resolves with false if the browser does not allow it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByCommand(text);
  }
}

/** Copies text as the browser's own command does, which needs no secure page and no permission. */
function copyByCommand(text: string): boolean {
  // The declared method is deprecated, and yet the only one there is on an insecure page.
  const page = document as { execCommand(command: 'copy'): boolean };
  const listening = new AbortController();
  const { signal } = listening;
  // Without it, WebKit's command is off while nothing is selected.
  document.addEventListener('beforecopy', (event) => event.preventDefault(), { signal });
  const write = (event: ClipboardEvent) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    event.clipboardData?.setData('text/plain', text);
  };
  document.addEventListener('copy', write, { signal, capture: true });
  try {
    return page.execCommand('copy');
  } finally {
    listening.abort();
  }
}

/** Has the browser save text as a file. */
export function saveFile(name: string, text: string, mediaType: string): void {
  saveBlob(name, new Blob([text], { type: `${mediaType};charset=utf-8` }));
}

/** Has the browser save content as a file. */
export function saveBlob(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser has taken the content by the next turn.
  setTimeout(() => URL.revokeObjectURL(link.href), 0);
}
