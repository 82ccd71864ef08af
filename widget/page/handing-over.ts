/** Hands text and files to the user: through the clipboard, or as a download. */

/** Copies text. Resolves with false if the browser does not allow it, as on an insecure page. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
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
