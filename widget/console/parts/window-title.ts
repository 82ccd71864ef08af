/** Title of the window, for its tab, the history and screen readers: the current page comes first. */
import { AsyncDirective, directive } from 'lit/async-directive.js';

/** Name of the console in the title. */
export const CONSOLE_NAME = 'Dragoman console';

/** Sets the title while connected: a page that was left may still be rendered, and must not set it. */
class NamesWindow extends AsyncDirective {
  override render(...names: string[]): void {
    if (this.isConnected) document.title = [...names, CONSOLE_NAME].join(' – ');
  }
}

/** Element directive: titles the window with these names, then the console's, while the element is shown. */
export const namesWindow = directive(NamesWindow);
