/** Text that is given to the person at the page: by the clipboard, or as a file. */

/** Copies text; false when the browser does not allow it, as without a secure page. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Gives text to the browser to be saved as a file. */
export function saveFile(name: string, text: string, mediaType: string): void {
  saveBlob(name, new Blob([text], { type: `${mediaType};charset=utf-8` }));
}

/** Gives content to the browser to be saved as a file. */
export function saveBlob(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser has taken it by the next turn.
  setTimeout(() => URL.revokeObjectURL(link.href), 0);
}
