/**
 * Lets files be dropped on an element, and on nothing else of the page: one that misses the element must
 * not take the place of the page.
 *
 * @returns what ends it
 */
export function acceptDrops(
  element: HTMLElement,
  {
    onOver,
    onFiles,
  }: {
    /** Files have come over the element, or have left it. */
    onOver: (isOver: boolean) => void;
    onFiles: (files: FileList) => void;
  },
): () => void {
  const listening = new AbortController();
  const { signal } = listening;
  /** Elements entered by what is dragged, less those that were left: a child counts as well. */
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
