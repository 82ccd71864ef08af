/**
 * Accepts files dropped on an element. A drop elsewhere on the page is ignored, so that the browser does not
 * replace the page with the file.
 *
 * @returns a function that stops it
 */
export function acceptDrops(
  element: HTMLElement,
  {
    onOver,
    onFiles,
  }: {
    /** Called when dragged files enter or leave the element. */
    onOver: (isOver: boolean) => void;
    onFiles: (files: FileList) => void;
  },
): () => void {
  const listening = new AbortController();
  const { signal } = listening;
  /** Number of elements entered minus elements left: children of the element fire these events as well. */
  let depth = 0;
  const move = (event: DragEvent, step: 1 | -1): void => {
    if (event.dataTransfer?.types.includes('Files') !== true) return;
    event.preventDefault();
    depth = Math.max(0, depth + step);
    onOver(depth > 0);
  };
  element.addEventListener('dragenter', (event) => move(event, 1), { signal });
  element.addEventListener('dragleave', (event) => move(event, -1), { signal });
  element.addEventListener(
    'drop',
    ({ dataTransfer }) => {
      depth = 0;
      onOver(false);
      if (dataTransfer !== null && dataTransfer.files.length > 0) onFiles(dataTransfer.files);
    },
    { signal },
  );
  for (const type of ['dragover', 'drop'] as const) {
    addEventListener(type, (event) => event.preventDefault(), { signal });
  }
  return () => listening.abort();
}
