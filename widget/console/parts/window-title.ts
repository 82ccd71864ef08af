/** What the window is called, in its tab, in the history and by screen readers: what is shown comes first. */
import { AsyncDirective, directive } from 'lit/async-directive.js';

/** The console, as its window is called. */
export const CONSOLE_NAME = 'Dragoman console';

/** Pages that were left may still be drawn: they name nothing. */
class NamesWindow extends AsyncDirective {
  override render(...names: string[]): void {
    if (this.isConnected) document.title = [...names, CONSOLE_NAME].join(' – ');
  }
}

/** On an element: while it is shown, the window is called by these names, then by the console's. */
export const namesWindow = directive(NamesWindow);
